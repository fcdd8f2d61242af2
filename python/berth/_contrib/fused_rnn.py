"""fused_rnn.py - tf.contrib.rnn: cells that are one op elsewhere, and what runs all steps of a sequence at once.

Cells are made of ordinary ops, which have slopes and any type; the layer over all steps is the op BlockLSTM.
"""

from __future__ import annotations

from typing import Any

from berth._layers.base import Layer
from berth.framework import convert, dtypes, gen
from berth.ops import array_ops, init_ops, math_ops, reduce_ops
from berth.variables import rnn
from berth.variables.rnn_cell import GRUCell, LSTMCell, LSTMStateTuple


class LSTMBlockCell(LSTMCell):
    """A cell with a memory; its variables are those of an LSTMCell."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: Any = None, use_peephole: bool = False,
                 dtype: Any = None, reuse: Any = None, name: str = 'lstm_cell') -> None:
        clip = cell_clip if cell_clip is not None and cell_clip > 0 else None
        super().__init__(num_units, use_peephole, clip, forget_bias=forget_bias, reuse=reuse, name=name, dtype=dtype)


class GRUBlockCellV2(GRUCell):
    """A cell with gates; its variables are those of a GRUCell."""

    def __init__(self, num_units: Any = None, cell_size: Any = None, reuse: Any = None, name: str = 'gru_cell') -> None:
        if (num_units is None) == (cell_size is None):
            raise ValueError('Exactly one of num_units or cell_size must be provided.')
        super().__init__(num_units or cell_size, reuse=reuse, name=name)


class GRUBlockCell(GRUBlockCellV2):
    """The same with other names."""

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units, depth = self._num_units, inputs_shape.as_list()[1]
        if depth is None:
            raise ValueError(f'Expecting inputs_shape[1] to be set: {inputs_shape}')
        for name, kind, size, start in (('ru', '_gate', 2 * units, 1.0), ('c', '_new', units, 0.0)):
            setattr(self, f'{kind}_kernel', self.add_variable(f'w_{name}', [depth + units, size]))
            setattr(self, f'{kind}_bias', self.add_variable(f'b_{name}', [size], init_ops.constant_initializer(
                start, dtype=self._dtype)))


# ---- All steps at once ----


class FusedRNNCell:
    """What runs all steps of a sequence, which is the first dimension of inputs, or a list."""

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
                 scope: Any = None) -> Any:
        """Returns all outputs, and the last state."""
        raise NotImplementedError


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell, called for each step."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._is_loop = cell, use_dynamic_rnn

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
                 scope: Any = None) -> Any:
        """Returns all outputs, and the last state."""
        is_list = isinstance(inputs, list)
        if self._is_loop:
            outputs, state = rnn.dynamic_rnn(self._cell, array_ops.stack(inputs) if is_list else inputs,
                                             sequence_length, initial_state, dtype, time_major=True, scope=scope)
            return array_ops.unstack(outputs, len(inputs)) if is_list else outputs, state
        outputs, state = rnn.static_rnn(self._cell, inputs if is_list else array_ops.unstack(inputs), initial_state,
                                        dtype, sequence_length, scope)
        return outputs if is_list else array_ops.stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """One that starts at the end."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def _turned(self, given: Any, lengths: Any) -> Any:
        if lengths is None:
            return list(reversed(given)) if isinstance(given, list) else array_ops.reverse(given, [0])
        made = array_ops.reverse_sequence(array_ops.stack(given) if isinstance(given, list) else given, lengths,
                                          seq_axis=0, batch_axis=1)
        return array_ops.unstack(made, len(given)) if isinstance(given, list) else made

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None,
                 scope: Any = None) -> Any:
        """Returns all outputs, in the order of inputs, and the state at the start of them."""
        outputs, state = self._cell(self._turned(inputs, sequence_length), initial_state, dtype, sequence_length,
                                    scope=scope)
        return self._turned(outputs, sequence_length), state


class LSTMBlockFusedCell(Layer):
    """An LSTM over all steps as one op, whose variables are those of an LSTMBlockCell."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: Any = None, use_peephole: bool = False,
                 reuse: Any = None, dtype: Any = None, name: str = 'lstm_fused_cell') -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units, self._forget_bias, self._peeps = num_units, forget_bias, use_peephole
        self._clip = -1 if cell_clip is None else cell_clip

    num_units = property(lambda self: self._num_units, doc='How large outputs are.')

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        units, depth = self._num_units, input_shape.as_list()[2]
        self._kernel = self.add_variable('kernel', [depth + units, 4 * units])
        self._bias = self.add_variable('bias', [4 * units], initializer=init_ops.zeros_initializer())
        self._diagonals = [self.add_variable(f'w_{gate}_diag', [units]) for gate in 'ifo'] if self._peeps else None
        self.built = True

    def __call__(self, inputs: Any, *values: Any, **options: Any) -> Any:
        """Returns all outputs, in a list where inputs are one, and the last state."""
        if not isinstance(inputs, list):
            return super().__call__(inputs, *values, **options)
        outputs, state = super().__call__(array_ops.stack(inputs), *values, **options)
        return array_ops.unstack(outputs, len(inputs)), state

    def call(self, inputs: Any, initial_state: Any = None, dtype: Any = None,  # type: ignore[override]
             sequence_length: Any = None) -> Any:
        """Returns all outputs, which are zeros behind the ends of rows, and the last state of each row."""
        shape = array_ops.shape(inputs)
        before = self._first(initial_state, dtype, inputs.shape.as_list()[1] or shape[1])
        longest = shape[0] if sequence_length is None else reduce_ops.reduce_max(sequence_length)
        diagonals = self._diagonals or [array_ops.zeros([self._num_units], inputs.dtype)] * 3
        _, memories, _, _, _, _, outputs = gen.apply('BlockLSTM', None, {
            'seq_len_max': math_ops.cast(longest, dtypes.int64), 'x': inputs, 'cs_prev': before[0],
            'h_prev': before[1], 'w': self._kernel, 'wci': diagonals[0], 'wcf': diagonals[1], 'wco': diagonals[2],
            'b': self._bias}, {'forget_bias': float(self._forget_bias), 'cell_clip': float(self._clip),
                               'use_peephole': self._peeps})
        if sequence_length is None:
            return outputs, LSTMStateTuple(memories[-1], outputs[-1])
        is_there = array_ops.sequence_mask(sequence_length, shape[0], inputs.dtype)
        outputs *= array_ops.expand_dims(array_ops.transpose(is_there), 2)
        return outputs, LSTMStateTuple(*[_last(start, steps, sequence_length, shape[1])
                                         for start, steps in zip(before, (memories, outputs))])

    def _first(self, state: Any, dtype: Any, batch: Any) -> Any:
        if state is not None:
            if len(state) != 2:
                raise ValueError('Expecting initial_state to be a tuple with length 2 or None')
            return LSTMStateTuple(*[convert.convert_to_tensor(part) for part in state])
        if dtype is None:
            raise ValueError('Either initial_state or dtype needs to be specified')
        zeros = array_ops.zeros(array_ops.stack([batch, self._num_units]), dtype)
        return LSTMStateTuple(zeros, zeros)


def _last(start: Any, steps: Any, lengths: Any, batch: Any) -> Any:
    """Returns of each row what |steps| has at its end, or |start| where it is empty."""
    steps = array_ops.concat([array_ops.expand_dims(start, 0), steps], 0)
    rows = math_ops.range(batch)
    return array_ops.gather_nd(steps, array_ops.stack([math_ops.cast(lengths, dtypes.int32), rows], 1))
