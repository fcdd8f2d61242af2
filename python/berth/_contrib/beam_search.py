"""beam_search.py - tf.contrib.seq2seq: a decoder that follows the best few sequences at once.

Tensors of the cell have a row for each beam of each batch; those of the search have both dimensions.
"""

from __future__ import annotations

import collections
from typing import Any

from berth._contrib.attention_wrapper import AttentionWrapperState
from berth._contrib.decoders import Decoder, check_layer
from berth._contrib.helpers import of_table, start_and_end, unless_over, with_shape
from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, math_ops, nn_ops, reduce_ops
from berth.ops.tensor_array_ops import TensorArray
from berth.variables import rnn_cell


class BeamSearchDecoderState(collections.namedtuple('BeamSearchDecoderState', (
        'cell_state', 'log_probs', 'finished', 'lengths', 'accumulated_attention_probs'))):
    """Where the search is."""

    __slots__ = ()


class BeamSearchDecoderOutput(collections.namedtuple('BeamSearchDecoderOutput', (
        'scores', 'predicted_ids', 'parent_ids'))):
    """What a step gives: of each beam its score, its number, and the beam that it goes on from."""

    __slots__ = ()


class FinalBeamSearchDecoderOutput(collections.namedtuple('FinalBeamDecoderOutput', (
        'predicted_ids', 'beam_search_decoder_output'))):
    """The sequences that were found, best first, and what the steps gave."""

    __slots__ = ()


def tile_batch(t: Any, multiplier: Any, name: str | None = None) -> Any:
    """Returns tensors with each row |multiplier| times."""
    with scopes.name_scope(name, 'tile_batch', [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda one: _tiled(one, multiplier), t)


def _tiled(tensor: Any, multiplier: Any) -> Any:
    tensor = convert.convert_to_tensor(tensor, name='t')
    if tensor.shape.rank is None:
        raise ValueError('t must have statically known rank')
    sizes = array_ops.shape(tensor)
    made = array_ops.tile(array_ops.expand_dims(tensor, 1), [1, multiplier] + [1] * (tensor.shape.rank - 1))
    made = array_ops.reshape(made, array_ops.concat([array_ops.stack([sizes[0] * multiplier]), sizes[1:]], 0))
    first = tensor.shape.as_list()[0]
    known = None if first is None else convert.constant_value(convert.convert_to_tensor(multiplier))
    return with_shape(made, TensorShape([None if known is None else first * int(known)]).concatenate(tensor.shape[1:]))


# ---- Going back ----


def _picked(values: Any, beams: Any) -> Any:
    """Returns what lies at some beams: the last dimension of |beams| is that of |values| behind the batch."""
    return array_ops.gather(values, beams, axis=beams.shape.rank - 1, batch_dims=beams.shape.rank - 1)


def gather_tree(step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any,
                name: str | None = None) -> Any:
    """Returns whole sequences, [steps, batch, beams]: each goes back by its parents, and ends with |end_token|."""
    with scopes.name_scope(name, 'GatherTree', [step_ids, parent_ids]):
        steps = convert.convert_to_tensor(step_ids, dtype=dtypes.int32)
        parents = convert.convert_to_tensor(parent_ids, dtype=dtypes.int32)
        lengths = convert.convert_to_tensor(max_sequence_lengths, dtype=dtypes.int32)
        end = convert.convert_to_tensor(end_token, dtype=dtypes.int32)
        shape = array_ops.shape(steps)
        at = array_ops.tile(math_ops.range(shape[2])[None, :], array_ops.stack([shape[1], 1]))
        at = with_shape(at, steps.shape[1:])
        array = TensorArray(dtypes.int32, shape[0], element_shape=steps.shape[1:])

        def back(time: Any, at: Any, array: Any) -> Any:
            is_there = array_ops.tile((time < lengths)[:, None], array_ops.stack([1, shape[2]]))
            ids = array_ops.where(is_there, _picked(steps[time], at), array_ops.fill(array_ops.shape(at), end))
            return time - 1, array_ops.where(is_there, _picked(parents[time], at), at), array.write(time, ids)

        _, _, array = flow_ops.while_loop(lambda time, at, array: time >= 0, back, (shape[0] - 1, at, array),
                                          back_prop=False)
        found = array.stack()
        is_over = math_ops.cumsum(math_ops.cast(math_ops.equal(found, end), dtypes.int32), exclusive=True) > 0
        return array_ops.where(is_over, array_ops.fill(shape, end), found)


def _sorted_array(values: Any, parent_ids: Any, lengths: Any) -> Any:
    """Returns what an array of the cell's state has for the sequences that were found."""
    if not isinstance(values, TensorArray):
        return values
    stacked = values.stack()
    shape = array_ops.shape(parent_ids)
    beams = array_ops.tile(math_ops.range(shape[2])[None, None, :], array_ops.stack([shape[0], shape[1], 1]))
    longest = math_ops.cast(reduce_ops.reduce_max(lengths, axis=1), dtypes.int32)
    found = gather_tree(beams, parent_ids, longest, shape[2] + 1)
    is_there = array_ops.transpose(array_ops.sequence_mask(lengths, maxlen=shape[0]), [2, 0, 1])
    found = with_shape(array_ops.where(is_there, found, beams), [None, None, None])
    parts = array_ops.reshape(stacked, array_ops.concat([shape, [-1]], 0))
    return array_ops.reshape(_picked(parts, found), array_ops.shape(stacked))


# ---- Scores ----


def _is_zero(weight: Any) -> bool:
    known = convert.constant_value(weight) if convert.is_tensor(weight) else weight
    return known is not None and known == 0


def _length_penalty(lengths: Any, weight: Any) -> Any:
    """Returns what scores are divided by, or 1."""
    weight = convert.convert_to_tensor(weight, name='penalty_factor')
    if weight.shape.rank != 0:
        raise ValueError('penalty_weight should be a scalar')
    if _is_zero(weight):
        return 1.0
    return ((5.0 + math_ops.cast(lengths, dtypes.float32)) ** weight) / ((5.0 + 1.0) ** weight)


def _coverage_penalty(attention: Any, finished: Any, weight: Any) -> Any:
    """Returns what is added for rows of the memory that a finished beam hardly looked at."""
    attention = array_ops.where(math_ops.equal(attention, 0.0), array_ops.ones_like(attention), attention)
    missed = reduce_ops.reduce_sum(math_ops.log(math_ops.minimum(attention, 1.0)), 2)
    return array_ops.expand_dims(missed * math_ops.cast(finished, missed.dtype) * weight, 2)


def _attention_of(state: Any, weight: Any) -> Any:
    """Returns the weights of rows in the mean of mechanisms and layers; None where nobody asks for them."""
    if _is_zero(weight):
        return None
    layers = [state] if isinstance(state, AttentionWrapperState) else state if isinstance(state, tuple) else ()
    found = [layer.alignments for layer in layers if isinstance(layer, AttentionWrapperState)]
    if not found:
        raise ValueError('coverage_penalty_weight must be 0.0 when no cell in the state is an AttentionWrapper.')
    means = [reduce_ops.reduce_mean(array_ops.stack(one), axis=0) if isinstance(one, tuple) else one for one in found]
    return reduce_ops.reduce_mean(array_ops.stack(means), axis=0) if len(means) > 1 else means[0]


# ---- The decoder ----


class BeamSearchDecoder(Decoder):
    """Follows the best few sequences of each row."""

    tracks_own_finished = True

    def __init__(self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any,
                 beam_width: Any, output_layer: Any = None, length_penalty_weight: Any = 0.0,
                 coverage_penalty_weight: Any = 0.0, reorder_tensor_arrays: bool = True) -> None:
        rnn_cell.assert_like_cell('cell', cell)
        check_layer('output_layer', output_layer)
        self._cell, self._output_layer, self._sorts = cell, output_layer, reorder_tensor_arrays
        self._embedding = of_table(embedding)
        start, self._end = start_and_end(start_tokens, end_token)
        self._width, self._batch = beam_width, start.shape.as_list()[0] or array_ops.size(start)
        self._length_weight, self._coverage_weight = length_penalty_weight, coverage_penalty_weight
        self._state = nest.map_structure(self._split, initial_state)
        self._first = self._embedding(array_ops.tile(array_ops.expand_dims(start, 1), [1, beam_width]))

    @property
    def batch_size(self) -> Any:
        """How many rows there are, each with its beams."""
        return self._batch

    @property
    def output_size(self) -> Any:
        """How large outputs are."""
        return BeamSearchDecoderOutput(*[TensorShape([self._width])] * 3)

    @property
    def output_dtype(self) -> Any:
        """Of what types outputs are."""
        return BeamSearchDecoderOutput(nest.flatten(self._state)[0].dtype, dtypes.int32, dtypes.int32)

    def _split(self, tensor: Any) -> Any:
        """Returns a tensor with a dimension for beams; arrays and single numbers as they are."""
        if isinstance(tensor, TensorArray) or convert.convert_to_tensor(tensor).shape.rank == 0:
            return tensor
        return self._shaped(tensor, [self._batch, self._width], 1)

    def _merge(self, tensor: Any) -> Any:
        """Returns a tensor whose beams are rows of the batch."""
        if isinstance(tensor, TensorArray) or tensor.shape.rank == 0:
            return tensor
        return self._shaped(tensor, [self._batch * self._width], 2)

    def _shaped(self, tensor: Any, first: list[Any], behind: int) -> Any:
        """Returns a tensor with other sizes for the first |behind| dimensions."""
        tensor = convert.convert_to_tensor(tensor)
        made = array_ops.reshape(tensor, array_ops.concat(
            [array_ops.stack(first), array_ops.shape(tensor)[behind:]], 0))
        known = [None if convert.is_tensor(size) else size for size in first]
        return with_shape(made, TensorShape(known).concatenate(tensor.shape[behind:]))

    def initialize(self, name: str | None = None) -> Any:
        """Returns one live beam for each row: the others would all be the same."""
        with scopes.name_scope(name, 'BeamSearchDecoderInitialize'):
            zeros = array_ops.zeros(array_ops.stack([self._batch]), dtypes.int32)
            kind = nest.flatten(self._state)[0].dtype
            log_probs = array_ops.one_hot(zeros, self._width, convert.constant(0.0, dtype=kind),
                                          convert.constant(-float('inf'), dtype=kind), dtype=kind)
            finished = array_ops.one_hot(zeros, self._width, False, True, dtype=dtypes.bool)
            attention = _attention_of(self._state, self._coverage_weight)
            state = BeamSearchDecoderState(
                self._state, log_probs, finished, array_ops.zeros_like(finished, dtype=dtypes.int64),
                () if attention is None else array_ops.zeros_like(attention))
            return finished, self._first, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Calls the cell for all beams, and keeps the best of what follows."""
        with scopes.name_scope(name, 'BeamSearchDecoderStep', [time]):
            outputs, cell_state = self._cell(nest.map_structure(self._merge, inputs),
                                             nest.map_structure(self._merge, state.cell_state))
            outputs = self._split(outputs)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, state = self._search(outputs, nest.map_structure(self._split, cell_state), state)
            inputs = unless_over(state.finished, self._first, lambda: self._embedding(output.predicted_ids))
        return output, state, inputs, state.finished

    def _search(self, logits: Any, cell_state: Any, state: Any) -> tuple[Any, Any]:
        """Returns the best beams behind a step, and the state there."""
        size = logits.shape.as_list()[-1] or array_ops.shape(logits)[-1]
        total = array_ops.expand_dims(state.log_probs, 2) + self._log_probs(logits, state.finished, size)
        attention = _attention_of(cell_state, self._coverage_weight)
        attention = () if attention is None else state.accumulated_attention_probs + attention
        scores = array_ops.reshape(self._scores(total, state, attention, size), array_ops.stack([self._batch, -1]))
        known = [None if convert.is_tensor(self._batch) else self._batch, self._width]
        scores, words = (with_shape(made, known) for made in nn_ops.top_k(scores, k=self._width))
        parents, ids = words // size, words % size
        log_probs = _picked(array_ops.reshape(total, array_ops.stack([self._batch, -1])), words)
        was_over = _picked(state.finished, parents)
        return BeamSearchDecoderOutput(scores, ids, parents), BeamSearchDecoderState(
            nest.map_structure(lambda t: self._moved(t, parents), cell_state), log_probs,
            math_ops.logical_or(was_over, math_ops.equal(ids, self._end)),
            _picked(state.lengths, parents) + math_ops.cast(math_ops.logical_not(was_over), dtypes.int64),
            nest.map_structure(lambda t: self._moved(t, parents), attention))

    def _moved(self, tensor: Any, parents: Any) -> Any:
        """Returns what a tensor has for the beams that live on."""
        if isinstance(tensor, TensorArray) or tensor.shape.rank == 0:
            return tensor
        return with_shape(_picked(tensor, parents), tensor.shape)

    def _log_probs(self, logits: Any, finished: Any, size: Any) -> Any:
        """Returns logarithms of probabilities; a beam that is over goes on with the last number alone."""
        found = nn_ops.log_softmax(logits)
        row = array_ops.one_hot(self._end, size, convert.constant(0.0, dtype=found.dtype),
                                convert.constant(found.dtype.min, dtype=found.dtype), dtype=found.dtype)
        over = array_ops.zeros_like(found) + row
        return array_ops.where(_wide(finished, size), over, found)

    def _scores(self, total: Any, state: Any, attention: Any, size: Any) -> Any:
        """Returns what beams are compared by: numbers behind the end do not make a sequence longer."""
        if _is_zero(self._length_weight):
            scores = total
        else:
            grows = array_ops.one_hot(self._end, size, 0, 1, dtype=dtypes.int64)
            lengths = array_ops.expand_dims(state.lengths, 2) + grows * array_ops.expand_dims(
                math_ops.cast(math_ops.logical_not(state.finished), dtypes.int64), 2)
            scores = total / math_ops.cast(_length_penalty(lengths, self._length_weight), total.dtype)
        if _is_zero(self._coverage_weight):
            return scores
        return scores + _coverage_penalty(attention, state.finished, self._coverage_weight)

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Returns the sequences that were found."""
        longest = math_ops.cast(reduce_ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end)
        if self._sorts:
            final_state = final_state._replace(cell_state=nest.map_structure(
                lambda t: _sorted_array(t, outputs.parent_ids, final_state.lengths), final_state.cell_state))
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state


def _wide(mask: Any, size: Any) -> Any:
    """Returns a mask with |size| columns for each element."""
    return array_ops.tile(array_ops.expand_dims(mask, 2), array_ops.stack([1, 1, size]))
