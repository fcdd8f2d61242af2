"""rnn_cell - Cells of recurrent networks, as TF1 has them: tf.nn.rnn_cell.

A cell makes its variables when it is called for the first time, in a scope named after its class, and uses them from
then on.
"""

from __future__ import annotations

import collections
import hashlib
import re
from copy import deepcopy
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, init_ops, math_ops, nn_ops, random_ops
from berth.ops.tensor_array_ops import TensorArray
from berth.variables import scope as variable_scopes

_BIAS, _WEIGHTS = 'bias', 'kernel'


def shape_of(batch: Any, size: Any) -> Any:
    """Returns the shape of a batch of |size|: a list, or a tensor where the batch is one."""
    rest = size.as_list() if isinstance(size, TensorShape) else list(size) if isinstance(size, (list, tuple)) else [size]
    dims = [batch, *rest]
    return array_ops.stack(dims) if any(convert.is_tensor(d) for d in dims) else dims


def static_shape(batch: Any, size: Any) -> TensorShape:
    """Returns what is known of that shape."""
    rest = TensorShape(size) if isinstance(size, (TensorShape, list, tuple)) else TensorShape([size])
    known = None if convert.is_tensor(batch) else batch
    return TensorShape([known]).concatenate(rest)


def _zeros(batch: Any, size: Any, dtype: Any) -> Any:
    made = array_ops.zeros(shape_of(batch, size), dtype)
    if not scopes.executing_eagerly():
        made.set_shape(static_shape(batch, size))
    return made


def assert_like_cell(name: str, cell: Any) -> None:
    """Raises TypeError for what is no cell."""
    wrong = [text for is_there, text in (
        (hasattr(cell, 'output_size'), "'output_size' property is missing"),
        (hasattr(cell, 'state_size'), "'state_size' property is missing"),
        (hasattr(cell, 'zero_state') or hasattr(cell, 'get_initial_state'),
         "either 'zero_state' or 'get_initial_state' method is required"),
        (callable(cell), 'is not callable')) if not is_there]
    if wrong:
        raise TypeError(f'The argument {name!r} ({cell}) is not an RNNCell: {", ".join(wrong)}.')


@naming.public('ops.rnn_cell_impl')
class RNNCell:
    """What turns an input and a state into an output and the next state."""

    def __init__(self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        kwargs.pop('_reuse', None)
        if kwargs:
            raise TypeError(f'Keyword argument not understood: {next(iter(kwargs))}')
        words = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', type(self).__name__)
        self._base_name = name or re.sub('([a-z])([A-Z])', r'\1_\2', words).lower()
        self._trainable = trainable
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._scope: Any = None
        self._weights: list[Any] = []
        self._reuse: Any = None
        self.built = False

    trainable = property(lambda self: self._trainable)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._base_name)
    variables = property(lambda self: list(self._weights))
    weights = property(lambda self: list(self._weights))
    trainable_variables = property(lambda self: [w for w in self._weights if self._trainable and w.trainable])
    trainable_weights = trainable_variables

    @property
    def state_size(self) -> Any:
        """How large states are, without the batch."""
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self) -> Any:
        """How large outputs are, without the batch."""
        raise NotImplementedError('Abstract method')

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        raise NotImplementedError('Abstract method')

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        if self._scope is not None:
            opened = variable_scopes.variable_scope(self._scope, reuse=True if self.built else self._reuse)
        elif scope is not None:
            opened = variable_scopes.variable_scope(scope, custom_getter=self._noted)
        elif self._reuse:
            opened = variable_scopes.variable_scope(self._base_name, custom_getter=self._noted, reuse=self._reuse)
        else:
            opened = variable_scopes.variable_scope(None, self._base_name, custom_getter=self._noted)
        with opened as entered:
            self._scope = entered if self._scope is None else self._scope
            if not self.built:
                first = nest.flatten(inputs)[0]
                self._dtype = first.dtype if self._dtype is None else self._dtype
                self.build(first.shape)
                self.built = True
            return self.call(inputs, state)

    def add_variable(self, name: str, shape: Any, initializer: Any = None) -> Any:
        """Makes a variable of the cell."""
        made = variable_scopes.get_variable(name, shape=shape, dtype=self._dtype, initializer=initializer,
                                            trainable=self._trainable)
        return self._noted(lambda: made)

    def _noted(self, getter: Any, *values: Any, **options: Any) -> Any:
        """Returns what |getter| does, and remembers that it belongs to the cell."""
        made = getter(*values, **options)
        if all(made is not other for other in self._weights):
            self._weights.append(made)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Returns a cell that was never called: it will have variables of its own."""
        made = memo[id(self)] = type(self).__new__(type(self))
        memo.update((id(weight), None) for weight in self._weights)
        parts = {**vars(self), '_scope': None, '_weights': [], 'built': False}
        vars(made).update(deepcopy(parts, memo))
        return made

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Returns a state of zeros for a batch."""
        if inputs is not None:
            inputs = convert.convert_to_tensor(inputs, name='inputs')
            batch_size = inputs.shape.as_list()[0] or array_ops.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError('batch_size and dtype cannot be None while constructing initial state: '
                             f'batch_size={batch_size}, dtype={dtype}')
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns a state of zeros for a batch."""
        with scopes.name_scope(f'{type(self).__name__}ZeroState'):
            return nest.map_structure(lambda size: _zeros(batch_size, size, dtype), self.state_size)


def _depth(shape: Any) -> int:
    """Returns how large inputs are."""
    depth = shape.as_list()[-1] if shape.rank else None
    if depth is None:
        raise ValueError(f'Expected inputs.shape[-1] to be known, saw shape: {shape}')
    return int(depth)


def _activation(given: Any) -> Any:
    if isinstance(given, str):
        return getattr(nn_ops, given)
    return given or math_ops.tanh


@naming.public('ops.rnn_cell_impl')
class BasicRNNCell(RNNCell):
    """The plainest cell."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, name: str | None = None,
                 dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation, self._reuse = num_units, _activation(activation), reuse

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        self._kernel = self.add_variable(_WEIGHTS, [_depth(inputs_shape) + self._num_units, self._num_units])
        self._bias = self.add_variable(_BIAS, [self._num_units], init_ops.zeros_initializer(dtype=self._dtype))

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._kernel)
        output = self._activation(nn_ops.bias_add(gates, self._bias))
        return output, output


@naming.public('ops.rnn_cell_impl')
class GRUCell(RNNCell):
    """A cell with gates for forgetting and updating."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, kernel_initializer: Any = None,
                 bias_initializer: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation, self._reuse = num_units, _activation(activation), reuse
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units, depth = self._num_units, _depth(inputs_shape)
        ones = init_ops.constant_initializer(1.0, dtype=self._dtype)
        zeros = init_ops.zeros_initializer(dtype=self._dtype)
        self._gate_kernel = self.add_variable(f'gates/{_WEIGHTS}', [depth + units, 2 * units], self._kernel_initializer)
        self._gate_bias = self.add_variable(f'gates/{_BIAS}', [2 * units], self._bias_initializer or ones)
        self._new_kernel = self.add_variable(f'candidate/{_WEIGHTS}', [depth + units, units], self._kernel_initializer)
        self._new_bias = self.add_variable(f'candidate/{_BIAS}', [units], self._bias_initializer or zeros)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._gate_kernel)
        gates = math_ops.sigmoid(nn_ops.bias_add(gates, self._gate_bias))
        forget, update = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        candidate = math_ops.matmul(array_ops.concat([inputs, forget * state], 1), self._new_kernel)
        candidate = self._activation(nn_ops.bias_add(candidate, self._new_bias))
        new = update * state + (1 - update) * candidate
        return new, new


class LSTMStateTuple(collections.namedtuple('LSTMStateTuple', ('c', 'h'))):
    """The state of an LSTM cell: its memory and its last output."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The type of both."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f'Inconsistent internal state: {self.c.dtype!s} vs {self.h.dtype!s}')
        return self.c.dtype


@naming.public('ops.rnn_cell_impl')
class BasicLSTMCell(RNNCell):
    """A cell with a memory."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
                 reuse: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation, self._reuse = num_units, _activation(activation), reuse
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    output_size = property(lambda self: self._num_units)

    @property
    def state_size(self) -> Any:
        """How large states are."""
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units = self._num_units
        self._kernel = self.add_variable(_WEIGHTS, [_depth(inputs_shape) + units, 4 * units])
        self._bias = self.add_variable(_BIAS, [4 * units], init_ops.zeros_initializer(dtype=self._dtype))

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        c, h = state if self._state_is_tuple else array_ops.split(value=state, num_or_size_splits=2, axis=1)
        gates = nn_ops.bias_add(math_ops.matmul(array_ops.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
        forget = convert.constant(self._forget_bias, dtype=f.dtype)
        new_c = c * math_ops.sigmoid(f + forget) + math_ops.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else array_ops.concat([new_c, new_h], 1)


@naming.public('ops.rnn_cell_impl')
class LSTMCell(RNNCell):
    """A cell with a memory, peepholes, clipping and a projection, if they are asked for."""

    def __init__(self, num_units: int, use_peepholes: bool = False, cell_clip: Any = None, initializer: Any = None,
                 num_proj: Any = None, proj_clip: Any = None, num_unit_shards: Any = None,
                 num_proj_shards: Any = None, forget_bias: float = 1.0, state_is_tuple: bool = True,
                 activation: Any = None, reuse: Any = None, name: str | None = None, dtype: Any = None,
                 **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation, self._reuse = num_units, _activation(activation), reuse
        self._peeps, self._cell_clip, self._initializer = use_peepholes, cell_clip, initializer
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self) -> Any:
        """How large states are."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self.output_size)
        return self._num_units + self.output_size

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units = self._num_units
        self._kernel = self.add_variable(_WEIGHTS, [_depth(inputs_shape) + self.output_size, 4 * units],
                                         self._initializer)
        self._bias = self.add_variable(_BIAS, [4 * units], init_ops.zeros_initializer(dtype=self._dtype))
        if self._peeps:
            self._diagonals = [self.add_variable(f'w_{gate}_diag', [units], self._initializer) for gate in 'fio']
        if self._num_proj is not None:
            self._projection = self.add_variable(f'projection/{_WEIGHTS}', [units, self._num_proj], self._initializer)

    def _halves(self, state: Any) -> Any:
        """Returns memory and output of a state."""
        if self._state_is_tuple:
            return state
        return (array_ops.slice(state, [0, 0], [-1, self._num_units]),
                array_ops.slice(state, [0, self._num_units], [-1, self.output_size]))

    def _memory(self, parts: Any, before: Any) -> Any:
        """Returns the memory after one step."""
        i, j, f = parts
        f = f + self._forget_bias
        if self._peeps:
            f, i = f + self._diagonals[0] * before, i + self._diagonals[1] * before
        new = math_ops.sigmoid(f) * before + math_ops.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            new = math_ops.clip_by_value(new, -self._cell_clip, self._cell_clip)
        return new

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state."""
        before, output = self._halves(state)
        gates = nn_ops.bias_add(math_ops.matmul(array_ops.concat([inputs, output], 1), self._kernel), self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
        new = self._memory((i, j, f), before)
        o = o + self._diagonals[2] * new if self._peeps else o
        output = math_ops.sigmoid(o) * self._activation(new)
        if self._num_proj is not None:
            output = math_ops.matmul(output, self._projection)
            if self._proj_clip is not None:
                output = math_ops.clip_by_value(output, -self._proj_clip, self._proj_clip)
        return output, LSTMStateTuple(new, output) if self._state_is_tuple else array_ops.concat([new, output], 1)


@naming.public('ops.rnn_cell_impl')
class MultiRNNCell(RNNCell):
    """Cells one behind the other."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError('Must specify at least one cell for MultiRNNCell.')
        if not nest.is_nested(cells):
            raise TypeError(f'cells must be a list or tuple, but received: {cells}.')
        self._cells, self._state_is_tuple = list(cells), state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in self._cells):
            raise ValueError('Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes '
                             f'are: {[cell.state_size for cell in self._cells]}')

    output_size = property(lambda self: self._cells[-1].output_size)
    weights = property(lambda self: [w for cell in self._cells for w in cell.weights])
    variables = weights
    trainable_weights = property(lambda self: [w for cell in self._cells for w in cell.trainable_weights])
    trainable_variables = trainable_weights

    @property
    def state_size(self) -> Any:
        """How large states are."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns states of zeros for a batch."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with scopes.name_scope(f'{type(self).__name__}ZeroState'):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns what the last cell gives, and all next states."""
        at, states = 0, []
        for number, cell in enumerate(self._cells):
            with variable_scopes.variable_scope(f'cell_{number}'):
                if self._state_is_tuple:
                    if not nest.is_nested(state):
                        raise ValueError('Expected state to be a tuple of length '
                                         f'{len(self.state_size)}, but received: {state}')
                    before = state[number]
                else:
                    before = array_ops.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, after = cell(inputs, before)
                states.append(after)
        return inputs, tuple(states) if self._state_is_tuple else array_ops.concat(states, 1)


class _Wrapper(RNNCell):
    """A cell around another one, whose variables it has."""

    def __init__(self, cell: Any) -> None:
        super().__init__()
        assert_like_cell('cell', cell)
        self.cell = cell

    wrapped_cell = property(lambda self: self.cell)
    state_size = property(lambda self: self.cell.state_size)
    output_size = property(lambda self: self.cell.output_size)
    weights = property(lambda self: self.cell.weights)
    variables = weights
    trainable_weights = property(lambda self: self.cell.trainable_weights)
    trainable_variables = trainable_weights

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns a state of zeros for a batch."""
        with scopes.name_scope(f'{type(self).__name__}ZeroState'):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        return self.call(inputs, state, scope)

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        raise NotImplementedError


@naming.public('ops.rnn_cell_impl')
class DropoutWrapper(_Wrapper):
    """A cell whose inputs, outputs and states lose values at random."""

    def __init__(self, cell: Any, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0, state_keep_prob: Any = 1.0,
                 variational_recurrent: bool = False, input_size: Any = None, dtype: Any = None, seed: Any = None,
                 dropout_state_filter_visitor: Any = None, **kwargs: Any) -> None:
        super().__init__(cell)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(f'dropout_state_filter_visitor must be callable. Received: {dropout_state_filter_visitor}')
        for label, value in (('input_keep_prob', input_keep_prob), ('state_keep_prob', state_keep_prob),
                             ('output_keep_prob', output_keep_prob)):
            if not convert.is_tensor(value) and not 0.0 <= float(value) <= 1.0:
                raise ValueError(f'Parameter {label} must be between 0 and 1. Received {float(value)}')
        self._keeps = {'input': input_keep_prob, 'state': state_keep_prob, 'output': output_keep_prob}
        self._seed = seed
        self._filter = dropout_state_filter_visitor or _is_dropped
        self._noise: dict[str, list[Any]] = {}
        if variational_recurrent:
            self._draw(input_size, dtype)

    def _draw(self, input_size: Any, dtype: Any) -> None:
        """Draws what decides, for all steps alike, which values are lost."""
        if dtype is None:
            raise ValueError('When variational_recurrent=True, dtype must be provided')
        if self._loses('input') and input_size is None:
            raise ValueError('When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be '
                             'provided')
        sizes = {'state': self.cell.state_size, 'output': self.cell.output_size}
        for label, size in ([('input', input_size)] if self._loses('input') else []) + list(sizes.items()):
            if label != 'input' and isinstance(size, TensorShape):
                size = size.as_list()
            flat = [size] if isinstance(size, (list, TensorShape)) else nest.flatten(size)
            self._noise[label] = [
                random_ops.random_uniform(_of_batch(one), dtype=dtype, seed=self._seed_of(label, i))
                for i, one in enumerate(flat)]

    def _seed_of(self, label: str, index: int) -> int | None:
        """Returns the seed of one of the values that are lost from."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f'{self._seed}{label}_{index}'.encode()).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _loses(self, label: str) -> bool:
        keep = self._keeps[label]
        return bool(convert.is_tensor(keep) or float(keep) < 1.0)

    def _dropped(self, label: str, value: Any, chosen: Any = None) -> Any:
        """Returns |value| with values lost, but for its parts where |chosen| says False."""
        if not self._loses(label):
            return value
        flat = nest.flatten(value)
        marks = [True] * len(flat) if chosen is None else chosen
        return nest.pack_sequence_as(value, [self._lost(label, i, part) if mark else part
                                             for i, (part, mark) in enumerate(zip(flat, marks))])

    def _lost(self, label: str, index: int, value: Any) -> Any:
        keep = self._keeps[label]
        if not self._noise:
            return nn_ops.dropout(value, keep_prob=keep, seed=self._seed_of(label, index))
        kept = math_ops.floor(keep + self._noise[label][index])
        made = math_ops.divide(value, keep) * kept
        made.set_shape(value.shape)
        return made

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        output, new = self.cell(self._dropped('input', inputs), state, scope=scope)
        if self._loses('state'):
            new = self._dropped('state', new, _marks(new, self._filter))
        return self._dropped('output', output), new


def _of_batch(size: Any) -> list[Any]:
    """Returns the shape of what is the same for every row of a batch."""
    return [1, *TensorShape(size).as_list()]


def _marks(state: Any, visitor: Any) -> list[bool]:
    """Returns of each tensor of a state whether the |visitor| lets values of it be lost."""
    said = visitor(state)
    if isinstance(said, bool):
        if not said or not isinstance(state, (list, tuple)):
            return [said] * len(nest.flatten(state))
        return [mark for part in state for mark in _marks(part, visitor)]
    return [bool(mark) for mark in nest.flatten(said)]


def _is_dropped(state: Any) -> Any:
    """Says which parts of a state lose values: all but the memory of LSTM cells, and arrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


@naming.public('ops.rnn_cell_impl')
class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell)
        self._residual = residual_fn

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        output, new = self.cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, output)
        if self._residual is not None:
            return self._residual(inputs, output), new
        return nest.map_structure(lambda one, other: one + other, inputs, output), new


@naming.public('ops.rnn_cell_impl')
class DeviceWrapper(_Wrapper):
    """A cell that works on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell)
        self._device = device

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns an output and the next state."""
        with scopes.device(self._device):
            return self.cell(inputs, state, scope=scope)
