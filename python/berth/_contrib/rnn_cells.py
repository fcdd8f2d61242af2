"""rnn_cells.py - tf.contrib.rnn: kinds of cells that were tried out there."""

from __future__ import annotations

import math
from typing import Any

from berth._contrib.layers import layer_norm
from berth._contrib.rnn_wrappers import linear
from berth.framework import dtypes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, conv_ops, init_ops, math_ops, nn_ops, random_ops
from berth.variables import scope as variable_scope
from berth.variables.rnn_cell import LSTMStateTuple, RNNCell


def _constant(value: float, kind: Any) -> Any:
    return init_ops.constant_initializer(value, dtype=kind)


def _depth(inputs: Any) -> int:
    depth = inputs.shape.with_rank(2).as_list()[1]
    if depth is None:
        raise ValueError('Could not infer input size from inputs.get_shape()[-1]')
    return int(depth)


def _parts(value: Any, count: int, axis: int = 1) -> list[Any]:
    return list(array_ops.split(value=value, num_or_size_splits=count, axis=axis))


class PlainCell(RNNCell):
    """A cell whose states are as large as its outputs."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, name: str | None = None,
                 dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._num_units, self._reuse = num_units, reuse
        self._activation = getattr(nn_ops, activation) if isinstance(activation, str) else activation or math_ops.tanh

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def _settings(self) -> Any:
        """Opens the present scope once more, with the initialiser of the cell."""
        return variable_scope.variable_scope(variable_scope.get_variable_scope(), auxiliary_name_scope=False,
                                             initializer=getattr(self, '_initializer', None))


class _MemoryCell(PlainCell):
    """A cell with a memory, whose outputs may be projected and whose gates may be normalised."""

    _num_proj: Any = None
    _is_tuple = True
    _gain, _shift = 1.0, 0.0

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self) -> Any:
        """How large memories and outputs are."""
        if self._is_tuple:
            return LSTMStateTuple(self._num_units, self.output_size)
        return self._num_units + self.output_size

    def _halves(self, state: Any) -> Any:
        return state if self._is_tuple else array_ops.split(state, [self._num_units, self.output_size], 1)

    def _joined(self, memory: Any, output: Any) -> Any:
        return LSTMStateTuple(memory, output) if self._is_tuple else array_ops.concat([memory, output], 1)

    def _normalised(self, value: Any, scope: str) -> Any:
        """Returns values of mean 0 and variance 1, times a gain, plus a shift."""
        shape, kind = value.shape[-1:], value.dtype
        with variable_scope.variable_scope(scope):
            variable_scope.get_variable('gamma', shape, kind, _constant(self._gain, kind))
            variable_scope.get_variable('beta', shape, kind, _constant(self._shift, kind))
        return layer_norm(value, reuse=True, scope=scope)


# ---- With a memory ----


class LayerNormBasicLSTMCell(_MemoryCell):
    """An LSTM cell whose gates and memory are normalised, and whose new values may be dropped."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, input_size: Any = None, activation: Any = None,
                 layer_norm: bool = True,  # pylint: disable=redefined-outer-name
                 norm_gain: float = 1.0, norm_shift: float = 0.0, dropout_keep_prob: Any = 1.0,
                 dropout_prob_seed: Any = None, reuse: Any = None) -> None:
        super().__init__(num_units, activation, reuse)
        self._forget_bias, self._keep, self._seed = forget_bias, dropout_keep_prob, dropout_prob_seed
        self._norms, self._gain, self._shift = layer_norm, norm_gain, norm_shift

    def _norm(self, value: Any, scope: str) -> Any:
        return self._normalised(value, scope) if self._norms else value

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        memory, output = state
        gates = linear([inputs, output], 4 * self._num_units, bias=not self._norms)
        i, j, f, o = (self._norm(part, scope) for part, scope in zip(
            _parts(gates, 4), ('input', 'transform', 'forget', 'output')))
        new = self._activation(j)
        if not isinstance(self._keep, float) or self._keep < 1:
            new = nn_ops.dropout(new, self._keep, seed=self._seed)
        memory = memory * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * new
        memory = self._norm(memory, 'state')
        output = self._activation(memory) * math_ops.sigmoid(o)
        return output, LSTMStateTuple(memory, output)


def sharded(name: str, shape: list[int], kind: Any, count: int) -> Any:
    """Returns a matrix whose rows are in |count| variables."""
    if count > shape[0]:
        raise ValueError(f'Too many shards: shape={shape}, num_shards={count}')
    sizes = [shape[0] // count + (i < shape[0] % count) for i in range(count)]
    made = [variable_scope.get_variable(f'{name}_{i}', [size, *shape[1:]], kind) for i, size in enumerate(sizes)]
    return made[0] if count == 1 else array_ops.concat(made, 0)


class CoupledInputForgetGateLSTMCell(_MemoryCell):
    """An LSTM cell that takes in as much as it forgets."""

    def __init__(self, num_units: int, use_peepholes: bool = False, initializer: Any = None, num_proj: Any = None,
                 proj_clip: Any = None, num_unit_shards: int = 1, num_proj_shards: int = 1, forget_bias: float = 1.0,
                 state_is_tuple: bool = True, activation: Any = None, reuse: Any = None,
                 layer_norm: bool = False,  # pylint: disable=redefined-outer-name
                 norm_gain: float = 1.0, norm_shift: float = 0.0) -> None:
        super().__init__(num_units, activation, reuse)
        self._peeps, self._initializer, self._num_proj, self._clip = use_peepholes, initializer, num_proj, proj_clip
        self._shards, self._proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._is_tuple = forget_bias, state_is_tuple
        self._norms, self._gain, self._shift = layer_norm, norm_gain, norm_shift

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        with self._settings():
            return self._called(inputs, *self._halves(state))

    def _called(self, inputs: Any, before: Any, output: Any) -> Any:
        units, kind = self._num_units, inputs.dtype
        kernel = sharded('W', [_depth(inputs) + self.output_size, 3 * units], kind, self._shards)
        bias = variable_scope.get_variable('B', [3 * units], kind, _constant(0.0, kind))
        gates = math_ops.matmul(array_ops.concat([inputs, output], 1), kernel)
        j, f, o = _parts(gates if self._norms else nn_ops.bias_add(gates, bias), 3)
        if self._norms:
            j, f, o = (self._normalised(part, name) for part, name in zip((j, f, o), ('transform', 'forget', 'output')))
        peeps = [variable_scope.get_variable(f'W_{gate}_diag', [units], kind) for gate in 'FO'] if self._peeps else []
        f = f + self._forget_bias
        keeps = math_ops.sigmoid(f + peeps[0] * before if peeps else f)
        memory = keeps * before + (1 - keeps) * self._activation(j)
        memory = self._normalised(memory, 'state') if self._norms else memory
        output = math_ops.sigmoid(o + peeps[1] * memory if peeps else o) * self._activation(memory)
        if self._num_proj is not None:
            output = math_ops.matmul(output, sharded('W_P', [units, self._num_proj], kind, self._proj_shards))
            if self._clip is not None:
                output = math_ops.clip_by_value(output, -self._clip, self._clip)
        return output, self._joined(memory, output)


class NASCell(_MemoryCell):
    """A cell that a search for architectures came up with."""

    def __init__(self, num_units: int, num_proj: Any = None, use_bias: bool = False, reuse: Any = None,
                 **kwargs: Any) -> None:
        super().__init__(num_units, None, reuse, **kwargs)
        self._num_proj, self._use_bias = num_proj, use_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units = self._num_units
        self._recurrent = self.add_variable('recurrent_kernel', [self.output_size, 8 * units])
        self._kernel = self.add_variable('kernel', [inputs_shape.as_list()[1], 8 * units])
        if self._use_bias:
            self._bias = self.add_variable('bias', [8 * units], init_ops.zeros_initializer(dtype=self._dtype))
        if self._num_proj is not None:
            self._projection = self.add_variable('projection_weights', [units, self._num_proj])

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        sigmoid, tanh, relu = math_ops.sigmoid, math_ops.tanh, nn_ops.relu
        before, output = state
        given = math_ops.matmul(output, self._recurrent)
        given = nn_ops.bias_add(given, self._bias) if self._use_bias else given
        pairs = list(zip(_parts(math_ops.matmul(inputs, self._kernel), 8), _parts(given, 8)))
        first = [function(x * m if i == 3 else x + m) for i, (function, (x, m)) in enumerate(zip(
            (sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid), pairs))]
        memory = tanh(tanh(first[0] * first[1]) + before) * tanh(first[2] + first[3])
        output = tanh(memory * tanh(tanh(first[4] * first[5]) + sigmoid(first[6] + first[7])))
        if self._num_proj is not None:
            output = math_ops.matmul(output, self._projection)
        return output, LSTMStateTuple(memory, output)


class GLSTMCell(_MemoryCell):
    """An LSTM cell in groups, each of which sees a part of inputs and outputs."""

    def __init__(self, num_units: int, initializer: Any = None, num_proj: Any = None, number_of_groups: int = 1,
                 forget_bias: float = 1.0, activation: Any = None, reuse: Any = None) -> None:
        super().__init__(num_units, activation, reuse)
        self._initializer, self._num_proj, self._forget_bias = initializer, num_proj, forget_bias
        self._groups = number_of_groups
        if num_proj is not None and num_proj % number_of_groups:
            raise ValueError('num_proj must be divisible by number_of_groups')
        if num_units % number_of_groups:
            raise ValueError('num_units must be divisible by number_of_groups')

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        before, output = state
        if _depth(inputs) % self._groups:
            raise ValueError(f'input size ({_depth(inputs)}) must be divisible by number_of_groups ({self._groups})')
        with self._settings():
            made = []
            for number, given in enumerate(zip(_parts(inputs, self._groups), _parts(output, self._groups))):
                with variable_scope.variable_scope(f'group{number}'):
                    made.append(_parts(linear(given, 4 * self._num_units // self._groups, bias=False), 4))
            i, j, f, o = (nn_ops.bias_add(array_ops.concat(parts, 1), variable_scope.get_variable(
                f'bias_{gate}', [self._num_units], inputs.dtype, _constant(0.0, inputs.dtype)))
                for gate, parts in zip('ijfo', zip(*made)))
            memory = math_ops.sigmoid(f + self._forget_bias) * before + math_ops.sigmoid(i) * math_ops.tanh(j)
            output = math_ops.sigmoid(o) * self._activation(memory)
            if self._num_proj is not None:
                with variable_scope.variable_scope('projection'):
                    output = linear(output, self._num_proj, bias=False)
        return output, LSTMStateTuple(memory, output)


class PhasedLSTMCell(_MemoryCell):
    """An LSTM cell whose inputs are times and values, and that opens periodically."""

    def __init__(self, num_units: int, use_peepholes: bool = False, leak: float = 0.001, ratio_on: float = 0.1,
                 trainable_ratio_on: bool = True, period_init_min: float = 1.0, period_init_max: float = 1000.0,
                 reuse: Any = None) -> None:
        super().__init__(num_units, None, reuse)
        self._peeps, self._leak, self._ratio_on, self._learns = use_peepholes, leak, ratio_on, trainable_ratio_on
        self._periods = (period_init_min, period_init_max)

    def _first_period(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        least, most = (math.log(period) for period in self._periods)
        return math_ops.exp(random_ops.random_uniform(shape, least, most, dtype=dtype or dtypes.float32))

    def _openness(self, time: Any) -> Any:
        """Returns how far the cell is open at a time."""
        units = [self._num_units]
        period = variable_scope.get_variable('period', units, initializer=self._first_period)
        phase = variable_scope.get_variable('phase', units, initializer=lambda shape, **_: random_ops.random_uniform(
            shape, 0.0, period.initial_value))
        ratio = variable_scope.get_variable('ratio_on', units, initializer=_constant(self._ratio_on, dtypes.float32),
                                            trainable=self._learns)
        phase, period = math_ops.cast(phase, time.dtype), math_ops.cast(period, time.dtype)
        shifted = time - phase
        rest = array_ops.stop_gradient(shifted % period - shifted) + shifted
        cycle = math_ops.cast(rest / period, dtypes.float32)
        up, closed = 2 * cycle / ratio, self._leak * cycle
        ratio = ratio + array_ops.zeros_like(cycle)
        openness = array_ops.where(cycle < ratio, 2 - up, closed)
        return array_ops.where(cycle < 0.5 * ratio, up, openness)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        before, output = state
        time, x = inputs
        with variable_scope.variable_scope('mask_gates'):
            gates = linear([x, output, before] if self._peeps else [x, output], 2 * self._num_units)
        takes, keeps = _parts(math_ops.sigmoid(gates), 2)
        with variable_scope.variable_scope('new_input'):
            new = math_ops.tanh(linear([x, output], self._num_units))
        memory = before * keeps + takes * new
        with variable_scope.variable_scope('output_gate'):
            gate = linear([x, output, memory] if self._peeps else [x, output], self._num_units)
        result = math_ops.tanh(memory) * math_ops.sigmoid(gate)
        openness = self._openness(time)
        memory = openness * memory + (1 - openness) * before
        output = openness * result + (1 - openness) * output
        return output, LSTMStateTuple(memory, output)


# ---- Without ----


class UGRNNCell(PlainCell):
    """A cell with one gate."""

    def __init__(self, num_units: int, initializer: Any = None, forget_bias: float = 1.0, activation: Any = None,
                 reuse: Any = None) -> None:
        super().__init__(num_units, activation, reuse)
        self._initializer, self._forget_bias = initializer, forget_bias

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        with self._settings():
            gate, new = _parts(linear([inputs, state], 2 * self._num_units), 2)
        gate = math_ops.sigmoid(gate + self._forget_bias)
        state = gate * state + (1 - gate) * self._activation(new)
        return state, state


class IntersectionRNNCell(PlainCell):
    """A cell with one gate for its state and one for its inputs, which go past it in part."""

    def __init__(self, num_units: int, num_in_proj: Any = None, initializer: Any = None, forget_bias: float = 1.0,
                 y_activation: Any = nn_ops.relu, reuse: Any = None) -> None:
        super().__init__(num_units, None, reuse)
        self._in_proj, self._initializer, self._forget_bias = num_in_proj, initializer, forget_bias
        self._y_activation = y_activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        with self._settings():
            if _depth(inputs) != self._num_units:
                if not self._in_proj:
                    raise ValueError('Must have input size == output size for Intersection RNN. To fix, num_in_proj '
                                     'should be set to num_units at cell init.')
                with variable_scope.variable_scope('in_projection'):
                    inputs = linear(inputs, self._in_proj)
            state_gate, new, output_gate, output = _parts(linear([inputs, state], 4 * self._num_units), 4)
        keeps, passes = (math_ops.sigmoid(gate + self._forget_bias) for gate in (state_gate, output_gate))
        return (passes * inputs + (1 - passes) * self._y_activation(output),
                keeps * state + (1 - keeps) * math_ops.tanh(new))


class SRUCell(PlainCell):
    """A cell whose products do not wait for the step before."""

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        self._kernel = self.add_variable('kernel', [inputs_shape.as_list()[1], 4 * self._num_units])
        self._bias = self.add_variable('bias', [2 * self._num_units], _constant(0.0, self._dtype))

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        new, forget, reset, passed = _parts(math_ops.matmul(inputs, self._kernel), 4)
        gates = math_ops.sigmoid(nn_ops.bias_add(array_ops.concat([forget, reset], 1), self._bias))
        forget, reset = _parts(gates, 2)
        state = forget * state + (1 - forget) * new
        return reset * self._activation(state) + (1 - reset) * passed, state


class _Independent(PlainCell):
    """A cell each of whose units sees of the state only its own."""

    def _weights_of(self, scope: str, depth: int, size: int, start: float) -> list[Any]:
        """Makes a matrix for inputs, factors for the state, and a bias."""
        return [self.add_variable(f'{scope}kernel_w', [depth, size]),
                self.add_variable(f'{scope}kernel_u', [1, size], init_ops.random_uniform_initializer(
                    -1.0, 1.0, dtype=self._dtype)),
                self.add_variable(f'{scope}bias', [size], _constant(start, self._dtype))]

    def _sum(self, weights: list[Any], inputs: Any, state: Any, times: int = 1) -> Any:
        state = array_ops.tile(state, [1, times]) if times > 1 else state
        return nn_ops.bias_add(math_ops.matmul(inputs, weights[0]) + state * weights[1], weights[2])


class IndRNNCell(_Independent):
    """The plainest such cell."""

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        self._made = self._weights_of('', inputs_shape.as_list()[1], self._num_units, 0.0)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        output = self._activation(self._sum(self._made, inputs, state))
        return output, output


class IndyGRUCell(_Independent):
    """Such a cell with gates for forgetting and updating."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, kernel_initializer: Any = None,
                 bias_initializer: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        if kernel_initializer is not None or bias_initializer is not None:
            raise NotImplementedError('tf.contrib.rnn.IndyGRUCell: Berth has no `kernel_initializer` and '
                                      '`bias_initializer` in it; set tf.variable_scope(initializer=...)')

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units, depth = self._num_units, inputs_shape.as_list()[1]
        self._gates = self._weights_of('gates/', depth, 2 * units, 1.0)
        self._made = self._weights_of('candidate/', depth, units, 0.0)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        forget, update = _parts(math_ops.sigmoid(self._sum(self._gates, inputs, state, 2)), 2)
        new = self._activation(self._sum(self._made, inputs, forget * state))
        state = update * state + (1 - update) * new
        return state, state


class IndyLSTMCell(_Independent, _MemoryCell):
    """Such a cell with a memory."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, activation: Any = None, reuse: Any = None,
                 name: str | None = None, dtype: Any = None) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        self._made = self._weights_of('', inputs_shape.as_list()[1], 4 * self._num_units, 0.0)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        memory, output = state
        i, j, f, o = _parts(self._sum(self._made, inputs, output, 4), 4)
        memory = memory * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * self._activation(j)
        output = self._activation(memory) * math_ops.sigmoid(o)
        return output, LSTMStateTuple(memory, output)


# ---- Images ----


class ConvLSTMCell(RNNCell):
    """An LSTM cell whose products are convolutions."""

    def __init__(self, conv_ndims: int, input_shape: Any, output_channels: int, kernel_shape: Any,
                 use_bias: bool = True, skip_connection: bool = False, forget_bias: float = 1.0,
                 initializers: Any = None, name: str = 'conv_lstm_cell') -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f'Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.')
        self._rank, self._shape, self._channels = conv_ndims, list(input_shape), output_channels
        self._kernel_shape, self._use_bias, self._skips = list(kernel_shape), use_bias, skip_connection
        self._forget_bias = forget_bias

    @property
    def output_size(self) -> Any:
        """The shape of outputs: inputs behind them, if they are to go past the cell."""
        more = self._shape[-1] if self._skips else 0
        return TensorShape([*self._shape[:-1], self._channels + more])

    @property
    def state_size(self) -> Any:
        """The shapes of memories and outputs."""
        shape = TensorShape([*self._shape[:-1], self._channels])
        return LSTMStateTuple(shape, shape)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        memory, hidden = state
        given, kind = array_ops.concat([inputs, hidden], self._rank + 1), inputs.dtype
        count = 4 * self._channels
        kernel = variable_scope.get_variable('kernel', [*self._kernel_shape, given.shape.as_list()[-1], count], kind)
        gates = conv_ops.convolution(given, kernel, 'SAME')
        if self._use_bias:
            gates += variable_scope.get_variable('biases', [count], kind, _constant(0.0, kind))
        i, new, f, o = _parts(gates, 4, self._rank + 1)
        memory = math_ops.sigmoid(f + self._forget_bias) * memory + math_ops.sigmoid(i) * math_ops.tanh(new)
        hidden = math_ops.tanh(memory) * math_ops.sigmoid(o)
        output = array_ops.concat([hidden, inputs], -1) if self._skips else hidden
        return output, LSTMStateTuple(memory, hidden)


class Conv1DLSTMCell(ConvLSTMCell):
    """One for rows."""

    def __init__(self, name: str = 'conv_1d_lstm_cell', **kwargs: Any) -> None:
        super().__init__(1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """One for images."""

    def __init__(self, name: str = 'conv_2d_lstm_cell', **kwargs: Any) -> None:
        super().__init__(2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """One for volumes."""

    def __init__(self, name: str = 'conv_3d_lstm_cell', **kwargs: Any) -> None:
        super().__init__(3, name=name, **kwargs)
