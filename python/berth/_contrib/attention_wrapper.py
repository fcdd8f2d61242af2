"""attention_wrapper.py - tf.contrib.seq2seq: a cell that looks at memories."""

from __future__ import annotations

import collections
from typing import Any

from berth._contrib.attention import AttentionMechanism
from berth._contrib.helpers import with_shape
from berth._layers.core import Dense
from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, check_ops, math_ops
from berth.ops.tensor_array_ops import TensorArray
from berth.variables import rnn_cell

_TILES = ('Are you using the BeamSearchDecoder?  You may need to tile your {} via the tf.contrib.seq2seq.tile_batch '
          'function with argument multiple=beam_width.')


def _fitting(old: Any, new: Any) -> Any:
    """Returns |new| with what is known of the shape of |old|."""
    return with_shape(new, old.shape) if convert.is_tensor(old) and convert.is_tensor(new) else new


class AttentionWrapperState(collections.namedtuple('AttentionWrapperState', (
        'cell_state', 'attention', 'time', 'alignments', 'alignment_history', 'attention_state'))):
    """The state of a cell, and what it looked at."""

    __slots__ = ()

    def clone(self, **kwargs: Any) -> 'AttentionWrapperState':
        """Returns one with other parts, which must have the same shapes."""
        return nest.map_structure(_fitting, self, self._replace(**kwargs))


def _check_callable(name: str, function: Any) -> Any:
    if not callable(function):
        raise TypeError(f'{name} must be callable, saw type: {type(function).__name__}')
    return function


def compute_attention(mechanism: Any, output: Any, state: Any, layer: Any) -> tuple[Any, Any, Any]:
    """Returns what is seen of a memory, by which weights, and the next state of the mechanism."""
    weights, state = mechanism(output, state=state)
    seen = array_ops.squeeze(math_ops.matmul(array_ops.expand_dims(weights, 1), mechanism.values), [1])
    return seen if layer is None else layer(array_ops.concat([output, seen], 1)), weights, state


class AttentionWrapper(rnn_cell.RNNCell):
    """A cell that is also given what it looked at last, and whose outputs are what it looks at now."""

    def __init__(self, cell: Any, attention_mechanism: Any, attention_layer_size: Any = None,
                 alignment_history: bool = False, cell_input_fn: Any = None, output_attention: bool = True,
                 initial_cell_state: Any = None, name: str | None = None, attention_layer: Any = None,
                 attention_fn: Any = None) -> None:
        super().__init__(name=name)
        rnn_cell.assert_like_cell('cell', cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError('attention_mechanism must be an AttentionMechanism or list of multiple '
                                f'AttentionMechanism instances, instead got: {type(mechanism).__name__}')
        self._cell, self._keeps_history, self._output_attention = cell, alignment_history, output_attention
        self._input = _check_callable('cell_input_fn', cell_input_fn or (
            lambda inputs, attention: array_ops.concat([inputs, attention], -1)))
        self._look = _check_callable('attention_fn', attention_fn or compute_attention)
        self._layers = self._made_layers(attention_layer_size, attention_layer)
        self._attention_size = sum(self._sizes(attention_layer_size))
        with scopes.name_scope(name, 'AttentionWrapperInit'):
            self._initial_cell_state = None if initial_cell_state is None else self._matching(
                initial_cell_state, self._batch_of(initial_cell_state),
                f'When constructing AttentionWrapper {self.name}: Non-matching batch sizes between the memory '
                '(encoder output) and initial_cell_state. ' + _TILES.format('initial state'))

    def _made_layers(self, sizes: Any, layers: Any) -> tuple[Any, ...]:
        """Returns the layer behind each mechanism, or None."""
        if sizes is not None and layers is not None:
            raise ValueError('Only one of attention_layer_size and attention_layer should be set')
        count = len(self._mechanisms)
        given = sizes if layers is None else layers
        if given is None:
            return (None,) * count
        made = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if len(made) != count:
            what = ('attention_layer_size must contain exactly one integer' if layers is None
                    else 'attention_layer must contain exactly one layer')
            raise ValueError(f'If provided, {what} per attention_mechanism, saw: {len(made)} vs {count}')
        if layers is not None:
            return made
        return tuple(Dense(size, name='attention_layer', use_bias=False, dtype=mechanism.dtype)
                     for size, mechanism in zip(made, self._mechanisms))

    def _sizes(self, sizes: Any) -> list[int]:
        """Returns how much is seen of each memory."""
        if sizes is not None:
            return list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
        depths = [mechanism.values.shape.as_list()[-1] for mechanism in self._mechanisms]
        return [depth if layer is None else TensorShape(layer.compute_output_shape(
            TensorShape([None, self._cell.output_size + depth]))).as_list()[-1]
            for layer, depth in zip(self._layers, depths)]

    def _batch_of(self, state: Any) -> Any:
        last = nest.flatten(state)[-1]
        return last.shape.as_list()[0] or array_ops.shape(last)[0]

    def _matching(self, values: Any, batch: Any, message: str) -> Any:
        """Returns |values|, which a run refuses where |batch| is not that of the memories."""
        checks = [check_ops.assert_equal(mechanism.batch_size, batch, message=message)
                  for mechanism in self._mechanisms]
        with scopes.control_dependencies([check for check in checks if check is not None]):
            return nest.map_structure(lambda t: array_ops.identity(t, name='checked'), values)

    def _item_or_tuple(self, values: Any) -> Any:
        made = tuple(values)
        return made if self._is_multi else made[0]

    @property
    def output_size(self) -> Any:
        """How large outputs are."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """How large the parts of states are."""
        sizes = [mechanism.alignments_size for mechanism in self._mechanisms]
        return AttentionWrapperState(
            self._cell.state_size, self._attention_size, TensorShape([]), self._item_or_tuple(sizes),
            self._item_or_tuple(size if self._keeps_history else () for size in sizes),
            self._item_or_tuple(mechanism.state_size for mechanism in self._mechanisms))

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the first state, with zeros or what was given for the cell."""
        with scopes.name_scope(f'{type(self).__name__}ZeroState'):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = self._matching(
                cell_state, batch_size, f'When calling zero_state of AttentionWrapper {self.name}: Non-matching batch '
                'sizes between the memory (encoder output) and the requested batch size. '
                + _TILES.format('encoder output'))
            alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in self._mechanisms]
            attention = array_ops.zeros(rnn_cell.shape_of(batch_size, self._attention_size), dtype)
            return AttentionWrapperState(
                cell_state, with_shape(attention, rnn_cell.static_shape(batch_size, self._attention_size)),
                array_ops.zeros([], dtypes.int32), self._item_or_tuple(alignments),
                self._item_or_tuple(TensorArray(dtype, 0, dynamic_size=True, element_shape=part.shape)
                                    if self._keeps_history else () for part in alignments),
                self._item_or_tuple(m.initial_state(batch_size, dtype) for m in self._mechanisms))

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the cell, looks at the memories, and returns what was seen."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f'Expected state to be instance of AttentionWrapperState. Received type {type(state)} '
                            'instead.')
        output, cell_state = self._cell(self._input(inputs, state.attention), state.cell_state)
        output = self._matching(
            output, self._batch_of(output), f'When applying AttentionWrapper {self.name}: Non-matching batch sizes '
            'between the memory (encoder output) and the query (decoder output).  ' + _TILES.format('memory input'))
        befores = state.attention_state if self._is_multi else [state.attention_state]
        histories = state.alignment_history if self._is_multi else [state.alignment_history]
        seen, weights, states = zip(*[self._look(mechanism, output, before, layer) for mechanism, before, layer in zip(
            self._mechanisms, befores, self._layers)])
        attention = array_ops.concat(seen, 1)
        new = AttentionWrapperState(
            cell_state, attention, state.time + 1, self._item_or_tuple(weights),
            self._item_or_tuple(history.write(state.time, part) if self._keeps_history else ()
                                for history, part in zip(histories, weights)), self._item_or_tuple(states))
        return attention if self._output_attention else output, new
