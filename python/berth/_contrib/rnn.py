"""rnn.py - tf.contrib.rnn: layers of cells in both directions."""

from __future__ import annotations

from typing import Any

from berth.ops import array_ops
from berth.variables import rnn
from berth.variables import scope as variable_scope


def _check(cells_fw: Any, cells_bw: Any, states: tuple[Any, ...]) -> None:
    """Raises ValueError unless there is a cell of each direction for each layer, and a state for each cell."""
    for label, cells in (('fw', cells_fw), ('bw', cells_bw)):
        if cells is None:
            raise ValueError(f'Must specify at least one {label} cell for BidirectionalRNN.')
        if not isinstance(cells, list):
            raise ValueError(f'cells_{label} must be a list of RNNCells (one per layer).')
    if len(cells_fw) != len(cells_bw):
        raise ValueError('Forward and Backward cells must have the same depth.')
    for label, state in zip(('fw', 'bw'), states):
        if state is not None and (not isinstance(state, list) or len(state) != len(cells_fw)):
            raise ValueError(f'initial_states_{label} must be a list of state tensors (one per layer).')


def stack_bidirectional_dynamic_rnn(cells_fw: Any, cells_bw: Any, inputs: Any, initial_states_fw: Any = None,
                                    initial_states_bw: Any = None, dtype: Any = None, sequence_length: Any = None,
                                    parallel_iterations: Any = None, time_major: bool = False, scope: Any = None,
                                    swap_memory: bool = False) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Runs layers, each of which sees the outputs of both directions of the one below; returns outputs and states."""
    _check(cells_fw, cells_bw, (initial_states_fw, initial_states_bw))
    states: list[tuple[Any, Any]] = []
    with variable_scope.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope.variable_scope(f'cell_{i}'):
                outputs, state = rnn.bidirectional_dynamic_rnn(
                    forward, backward, inputs, sequence_length,
                    initial_states_fw[i] if initial_states_fw else None,
                    initial_states_bw[i] if initial_states_bw else None, dtype, parallel_iterations, swap_memory,
                    time_major)
            inputs = array_ops.concat(outputs, 2)
            states.append(state)
    return inputs, tuple(state[0] for state in states), tuple(state[1] for state in states)


def stack_bidirectional_rnn(cells_fw: Any, cells_bw: Any, inputs: Any, initial_states_fw: Any = None,
                            initial_states_bw: Any = None, dtype: Any = None, sequence_length: Any = None,
                            scope: Any = None) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """The same with lists of steps."""
    _check(cells_fw, cells_bw, (initial_states_fw, initial_states_bw))
    states: list[tuple[Any, Any]] = []
    with variable_scope.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope.variable_scope(f'cell_{i}') as inner:
                inputs, *state = rnn.static_bidirectional_rnn(
                    forward, backward, inputs, initial_states_fw[i] if initial_states_fw else None,
                    initial_states_bw[i] if initial_states_bw else None, dtype, sequence_length, inner)
            states.append((state[0], state[1]))
    return inputs, tuple(state[0] for state in states), tuple(state[1] for state in states)
