"""cudnn_rnn.py - tf.contrib.cudnn_rnn: layers of recurrent cells, whose ops are ordinary ones on any device.

TensorFlow keeps all weights of a layer in one variable that only a vendor's library reads, `opaque_kernel`, and
writes them to checkpoints by kernels and biases. These layers have the variables of the checkpoints, so that those of
either can be read by the other, and by the compatible cells in `dynamic_rnn` and `stack_bidirectional_dynamic_rnn`.
"""

from __future__ import annotations

from typing import Any

from berth._contrib.fused_rnn import LSTMBlockCell
from berth._layers.base import Layer
from berth.framework import convert, dtypes
from berth.ops import array_ops, init_ops, math_ops, nn_ops
from berth.variables import rnn
from berth.variables import scope as variable_scope
from berth.variables.rnn_cell import BasicRNNCell, GRUCell, LSTMStateTuple

CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION = 'unidirectional', 'bidirectional'
CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE = 'linear_input', 'skip_input'
CUDNN_INPUT_AUTO_MODE = 'auto_select'


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The cell of a CudnnLSTM."""

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        super().__init__(num_units, forget_bias=0, reuse=reuse, name='cudnn_compatible_lstm_cell')


class CudnnCompatibleGRUCell(GRUCell):
    """The cell of a CudnnGRU: what is forgotten is so behind the product."""

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)
        self._base_name = 'cudnn_compatible_gru_cell'

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units, depth = self._num_units, inputs_shape.as_list()[-1]
        if depth is None:
            raise ValueError(f'Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}')
        start, zeros = self._kernel_initializer, self._bias_initializer or init_ops.zeros_initializer(dtype=self._dtype)
        ones = self._bias_initializer or init_ops.constant_initializer(1.0, dtype=self._dtype)
        self._gate_kernel = self.add_variable('gates/kernel', [depth + units, 2 * units], start)
        self._gate_bias = self.add_variable('gates/bias', [2 * units], ones)
        kernels = [self.add_variable(f'candidate/{part}_projection/kernel', [size, units], start)
                   for part, size in (('input', depth), ('hidden', units))]
        biases = [self.add_variable(f'candidate/{part}_projection/bias', [units], zeros)
                  for part in ('input', 'hidden')]
        self._projections = list(zip(kernels, biases))

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns an output and the next state, which is the same."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._gate_kernel)
        gates = math_ops.sigmoid(nn_ops.bias_add(gates, self._gate_bias))
        forget, update = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        given, hidden = (nn_ops.bias_add(math_ops.matmul(value, kernel), bias)
                         for value, (kernel, bias) in zip((inputs, state), self._projections))
        new = (1 - update) * math_ops.tanh(given + forget * hidden) + update * state
        return new, new


def _by_blocks(initializer: Any, depth: int, units: int) -> Any:
    """Returns an initialiser that fills a kernel block by block: of inputs and of the state, for each gate."""
    if initializer is None:
        return None

    def make(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Any:
        columns = int(shape[1]) // units
        sizes = [depth, units] if int(shape[0]) == depth + units else [int(shape[0])]
        return array_ops.concat([array_ops.concat([initializer([size, units], dtype=dtype)
                                                   for _ in range(columns)], 1) for size in sizes], 0)

    return make


class _Getter:
    """Chooses how the variables of a layer start."""

    def __init__(self, kernel: Any, bias: Any, units: int) -> None:
        self._kernel, self._bias, self._units, self.depth = kernel, bias, units, 0

    def __call__(self, getter: Any, name: str, *values: Any, **options: Any) -> Any:
        if name.endswith('/kernel'):
            options['initializer'] = _by_blocks(self._kernel, self.depth, self._units)
        else:
            options['initializer'] = self._bias
        return getter(name, *values, **options)


class _CudnnRNN(Layer):
    """Layers of cells, one behind the other, in one direction or in both."""

    _is_lstm = False

    def __init__(self, num_layers: int, num_units: int, input_mode: str = CUDNN_INPUT_LINEAR_MODE,
                 direction: str = CUDNN_RNN_UNIDIRECTION, dropout: float = 0.0, seed: Any = None,
                 dtype: Any = dtypes.float32, kernel_initializer: Any = None, bias_initializer: Any = None,
                 name: Any = None) -> None:
        super().__init__(dtype=dtype, name=name)
        if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
            raise ValueError(f'Invalid direction: {direction}, expect {CUDNN_RNN_UNIDIRECTION} or '
                             f'{CUDNN_RNN_BIDIRECTION}')
        if input_mode not in (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE):
            raise ValueError(f'Invalid input_mode: {input_mode}')
        if input_mode != CUDNN_INPUT_LINEAR_MODE:
            raise NotImplementedError(f'tf.contrib.cudnn_rnn: Berth has no input_mode {input_mode!r}, only '
                                      f'{CUDNN_INPUT_LINEAR_MODE!r}')
        if dtypes.as_dtype(dtype) not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f'Only support float16, float32, float64, provided {dtype}')
        self._num_layers, self._num_units, self._dropout, self._seed = num_layers, num_units, dropout, seed
        self._direction, self._input_mode = direction, input_mode
        self._getter = _Getter(kernel_initializer or init_ops.glorot_uniform_initializer(seed, dtypes.as_dtype(dtype)),
                               bias_initializer or init_ops.zeros_initializer(dtypes.as_dtype(dtype)), num_units)

    num_layers = property(lambda self: self._num_layers)
    num_units = property(lambda self: self._num_units)
    direction = property(lambda self: self._direction)
    input_mode = property(lambda self: self._input_mode)
    num_dirs = property(lambda self: 2 if self._direction == CUDNN_RNN_BIDIRECTION else 1)

    def _cell(self) -> Any:
        """Returns a new cell."""
        raise NotImplementedError

    def state_shape(self, batch_size: Any) -> Any:
        """Returns the shapes of the parts of states."""
        return ([self._num_layers * self.num_dirs, batch_size, self._num_units],) * (2 if self._is_lstm else 1)

    def call(self, inputs: Any, initial_state: Any = None, sequence_lengths: Any = None,  # type: ignore[override]
             time_major: bool = True, training: bool = True) -> Any:
        """Returns all outputs, and the last state of each layer and direction."""
        if inputs.shape.rank != 3:
            raise ValueError(f'The inputs must be a 3-D Tensor: {inputs}')
        axis = 1 if time_major else 0
        starts = self._starts(initial_state, inputs.shape.as_list()[axis] or array_ops.shape(inputs)[axis], 1 - axis)
        given, ends = inputs, []
        for layer in range(self._num_layers):
            if layer > 0 and self._dropout and training:
                given = nn_ops.dropout(given, rate=self._dropout, seed=self._seed)
            at = layer * self.num_dirs
            given, states = self._layer(layer, given, starts[at:at + self.num_dirs], sequence_lengths, time_major)
            ends += states
        parts = zip(*ends) if self._is_lstm else [ends]
        return given, tuple(array_ops.stack(list(part), 1 - axis) for part in parts)

    def _starts(self, given: Any, batch: Any, axis: int) -> list[Any]:
        """Returns the first state of each cell; |axis| of what is given is that of cells."""
        count = self._num_layers * self.num_dirs
        if given is None:
            zeros = array_ops.zeros(array_ops.stack([batch, self._num_units]), self.dtype)
            return [LSTMStateTuple(zeros, zeros) if self._is_lstm else zeros] * count
        parts = given if isinstance(given, (list, tuple)) else (given,)
        if len(parts) != len(self.state_shape(None)):
            raise ValueError(f'Invalid initial_state: {given}')
        columns = [array_ops.unstack(convert.convert_to_tensor(part), count, axis) for part in parts]
        # TensorFlow's layers have outputs before memories, its cells the other way round.
        return [LSTMStateTuple(c, h) for h, c in zip(*columns)] if self._is_lstm else list(columns[0])

    def _layer(self, number: int, inputs: Any, starts: list[Any], lengths: Any, time_major: bool) -> Any:
        """Returns the outputs of one layer, and the last state of each direction."""
        self._getter.depth = inputs.shape.as_list()[2]
        place = 'rnn/multi_rnn_cell' if self.num_dirs == 1 else 'stack_bidirectional_rnn'
        with variable_scope.variable_scope(f'{place}/cell_{number}', custom_getter=self._noted) as opened:
            if self.num_dirs == 1:
                outputs, state = rnn.dynamic_rnn(self._cell(), inputs, lengths, starts[0], time_major=time_major,
                                                 scope=opened)
                states = [state]
            else:
                pair, ends = rnn.bidirectional_dynamic_rnn(self._cell(), self._cell(), inputs, lengths, *starts,
                                                           time_major=time_major)
                outputs, states = array_ops.concat(pair, 2), list(ends)
        return outputs, [(state.h, state.c) if self._is_lstm else state for state in states]

    def _noted(self, getter: Any, name: str, *values: Any, **options: Any) -> Any:
        """Makes a variable, and remembers that it belongs to the layer."""
        made = self._getter(getter, name, *values, **options)
        if all(made is not other for other in self._trained):
            self._trained.append(made)
        return made


class CudnnLSTM(_CudnnRNN):
    """Layers of LSTM cells; states are outputs and memories."""

    _is_lstm = True

    def _cell(self) -> Any:
        return CudnnCompatibleLSTMCell(self._num_units)


class CudnnGRU(_CudnnRNN):
    """Layers of GRU cells."""

    def _cell(self) -> Any:
        return CudnnCompatibleGRUCell(self._num_units)


class CudnnRNNTanh(_CudnnRNN):
    """Layers of plain cells."""

    def _cell(self) -> Any:
        return BasicRNNCell(self._num_units)


class CudnnRNNRelu(_CudnnRNN):
    """The same without values below zero."""

    def _cell(self) -> Any:
        return BasicRNNCell(self._num_units, nn_ops.relu)
