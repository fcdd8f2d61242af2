"""grid_cells.py - tf.contrib.rnn: LSTM cells along time and along frequency.

Inputs are cut into bands. A band has a memory and an output that go on to its next step of time, and others that go on
to the next band of the same step; each step of a band computes both from the same inputs.
"""

from __future__ import annotations

import collections
from typing import Any

from berth._contrib.rnn_cells import PlainCell, sharded
from berth.ops import array_ops, init_ops, math_ops, nn_ops
from berth.variables import scope as variable_scope


class GridLSTMCell(PlainCell):
    """An LSTM over time and frequency."""

    _directions: tuple[str, ...] = ('state',)

    def __init__(self, num_units: int, use_peepholes: bool = False, share_time_frequency_weights: bool = False,
                 cell_clip: Any = None, initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
                 feature_size: Any = None, frequency_skip: Any = None, num_frequency_blocks: Any = None,
                 start_freqindex_list: Any = None, end_freqindex_list: Any = None,
                 couple_input_forget_gates: bool = False, state_is_tuple: bool = True, reuse: Any = None) -> None:
        super().__init__(num_units, None, reuse)
        if num_frequency_blocks is None:
            raise ValueError('Must specify num_frequency_blocks')
        self._peeps, self._shares, self._clip = use_peepholes, share_time_frequency_weights, cell_clip
        self._initializer, self._shards, self._forget_bias = initializer, num_unit_shards, forget_bias
        self._width, self._skip, self._counts = feature_size, frequency_skip, list(num_frequency_blocks)
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        self._couples, self._is_tuple = couple_input_forget_gates, state_is_tuple
        self._names = [f'{direction}_f{band:02d}_b{block:02d}_{part}' for direction in self._directions
                       for block, count in enumerate(self._counts) for band in range(count) for part in 'cm']
        self._state = collections.namedtuple('GridLSTMStateTuple', self._names)  # type: ignore[misc]

    output_size = property(lambda self: len(self._names) * self._num_units)
    state_tuple_type = property(lambda self: self._state)

    @property
    def state_size(self) -> Any:
        """How large memories and outputs of bands are."""
        return self._state(*[self._num_units] * len(self._names)) if self._is_tuple else self.output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the outputs of all bands, and the next state."""
        outputs, states = self._run('state', self._bands(inputs), self._named(state))
        return array_ops.concat(outputs, 1), self._state(*states) if self._is_tuple else array_ops.concat(states, 1)

    def _named(self, state: Any) -> dict[str, Any]:
        parts = state if self._is_tuple else array_ops.split(state, len(self._names), 1)
        return dict(zip(self._names, parts))

    # ---- Bands ----

    def _bands(self, inputs: Any, offset: int = 0) -> list[list[Any]]:
        """Returns the bands of each block, |offset| further on; there are zeros where inputs end."""
        size = inputs.shape.with_rank(2).as_list()[1]
        if size is None:
            raise ValueError('Cannot infer input_size from static shape inference.')
        if offset:
            inputs = array_ops.pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
        starts, ends = self._starts or [0], self._ends or [size]
        for label, given in (('start_freqindex_list', starts), ('end_freqindex_list', ends)):
            if len(given) != len(self._counts):
                raise ValueError(f'Length of num_frequency_blocks and {label} must be the same: {len(self._counts)}, '
                                 f'{len(given)}')
        blocks = []
        for start, end, wanted in zip(starts, ends, self._counts):
            count = int((end - start - self._width) / self._skip) + 1
            if count != wanted:
                raise ValueError(f'Invalid num_frequency_blocks, requires {wanted} but gets {count}, please check the '
                                 'input size and filter config are correct.')
            firsts = [start + max(offset, 0) + band * self._skip for band in range(count)]
            blocks.append([inputs[:, first:first + self._width] for first in firsts])
        return blocks

    def _run(self, direction: str, blocks: list[list[Any]], before: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """Returns the outputs of all bands, and the parts of the next state."""
        outputs, states = [], []
        for number, bands in enumerate(blocks):
            with self._settings():
                along = [_Along(self, kind, number, bands[0]) for kind in (('f',) if self._shares else ('f', 't'))]
            zeros = array_ops.zeros_like(before[f'{direction}_f00_b{number:02d}_c'])
            lower = (zeros, zeros)
            for band, given in enumerate(bands):
                earlier = [before[f'{direction}_f{band:02d}_b{number:02d}_{part}'] for part in 'cm']
                lower, later = self._step(along, given, lower, earlier)
                states += later
                outputs += [later[1], lower[1]]
        return outputs, states

    def _step(self, along: list[Any], given: Any, lower: Any, earlier: Any) -> tuple[Any, Any]:
        """Returns memory and output for the next band, and for the next step."""
        given = array_ops.concat([given, earlier[1], lower[1]], 1)
        both = [one.gates(given) for one in along] * (2 if self._shares else 1)
        # The same diagonals serve both where weights are shared.
        diagonals = [one.diagonals for one in along] * (2 if self._shares else 1)
        memories = [self._memory(gates, peeps, before, lower[0], earlier[0])
                    for gates, peeps, before in zip(both, diagonals, (lower[0], earlier[0]))]
        made = []
        for gates, peeps, memory in zip(both, diagonals, memories):
            gate = gates[-1] + (peeps['O'][0] * memories[0] + peeps['O'][1] * memories[1] if peeps else 0.0)
            made.append([memory, math_ops.sigmoid(gate) * math_ops.tanh(memory)])
        return made[0], made[1]

    def _memory(self, gates: Any, peeps: Any, before: Any, lower: Any, earlier: Any) -> Any:
        takes = math_ops.sigmoid(gates[0] + (peeps['I'][0] * lower + peeps['I'][1] * earlier if peeps else 0.0))
        keeps = 1 - takes if self._couples else math_ops.sigmoid(
            gates[2] + self._forget_bias + (peeps['F'][0] * lower + peeps['F'][1] * earlier if peeps else 0.0))
        memory = keeps * before + takes * math_ops.tanh(gates[1])
        return memory if self._clip is None else math_ops.clip_by_value(memory, -self._clip, self._clip)


class _Along:
    """The variables of one block along frequency, 'f', or along time, 't'."""

    def __init__(self, cell: Any, kind: str, block: int, band: Any) -> None:
        units, dtype = cell._num_units, band.dtype
        self._count = 3 if cell._couples else 4
        self._kernel = sharded(f'W_{kind}_{block}', [band.shape.as_list()[1] + 2 * units, self._count * units], dtype,
                               cell._shards)
        self._bias = variable_scope.get_variable(f'B_{kind}_{block}', [self._count * units], dtype,
                                                 init_ops.zeros_initializer(dtype=dtype))
        word = {'f': 'freq', 't': 'time'}[kind]
        self.diagonals = {gate: [variable_scope.get_variable(f'W_{gate}_diag_{word}{other}_{block}', [units], dtype)
                                 for other in 'ft'] for gate in ('IO' if cell._couples else 'FIO')
                          } if cell._peeps else None

    def gates(self, given: Any) -> list[Any]:
        """Returns the gates of inputs: input, new, perhaps forget, output."""
        product = nn_ops.bias_add(math_ops.matmul(given, self._kernel), self._bias)
        return list(array_ops.split(value=product, num_or_size_splits=self._count, axis=1))


class BidirectionalGridLSTMCell(GridLSTMCell):
    """The same from the lowest band to the highest, and back."""

    _directions = ('fwd_state', 'bwd_state')

    def __init__(self, num_units: int, use_peepholes: bool = False, share_time_frequency_weights: bool = False,
                 cell_clip: Any = None, initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
                 feature_size: Any = None, frequency_skip: Any = None, num_frequency_blocks: Any = None,
                 start_freqindex_list: Any = None, end_freqindex_list: Any = None,
                 couple_input_forget_gates: bool = False, backward_slice_offset: int = 0, reuse: Any = None) -> None:
        super().__init__(num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer,
                         num_unit_shards, forget_bias, feature_size, frequency_skip, num_frequency_blocks,
                         start_freqindex_list, end_freqindex_list, couple_input_forget_gates, True, reuse)
        self._offset = int(backward_slice_offset)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the outputs of all bands, and the next state."""
        before, outputs, states = self._named(state), [], []
        back = [bands[::-1] for bands in self._bands(inputs, self._offset)]
        for scope, blocks in (('fwd', self._bands(inputs)), ('bwd', back)):
            with variable_scope.variable_scope(scope):
                made, after = self._run(f'{scope}_state', blocks, before)
            outputs += made
            states += after
        return array_ops.concat(outputs, 1), self._state(*states)
