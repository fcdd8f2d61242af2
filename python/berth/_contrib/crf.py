"""crf.py - tf.contrib.crf: how likely rows of tags are, where each tag depends on the one before it."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes
from berth.ops import array_ops, math_ops, reduce_ops
from berth.variables import rnn
from berth.variables import scope as variable_scope
from berth.variables.rnn_cell import RNNCell

# ---- Scores ----


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Returns the sums of the scores of tags by themselves."""
    tags, inputs = convert.convert_to_tensor(tag_indices), convert.convert_to_tensor(inputs)
    each = array_ops.gather(inputs, tags, batch_dims=2, axis=2)
    mask = array_ops.sequence_mask(sequence_lengths, array_ops.shape(tags)[1], inputs.dtype)
    return reduce_ops.reduce_sum(each * mask, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the sums of the scores of one tag behind another."""
    tags, params = convert.convert_to_tensor(tag_indices), convert.convert_to_tensor(transition_params)
    each = array_ops.gather_nd(params, array_ops.stack([tags[:, :-1], tags[:, 1:]], axis=2))
    mask = array_ops.sequence_mask(sequence_lengths, array_ops.shape(tags)[1], params.dtype)
    return reduce_ops.reduce_sum(each * mask[:, 1:], 1)


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the scores of rows of tags."""
    return (crf_unary_score(tag_indices, sequence_lengths, inputs)
            + crf_binary_score(tag_indices, sequence_lengths, transition_params))


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the scores of all rows that a bitmap of tags allows, together."""
    inputs = convert.convert_to_tensor(inputs)
    barred = array_ops.fill(array_ops.shape(inputs), convert.constant(float('-inf'), inputs.dtype))
    return crf_log_norm(array_ops.where(convert.convert_to_tensor(tag_bitmap, dtypes.bool), inputs, barred),
                        sequence_lengths, transition_params)


# ---- Sums over all rows ----


class CrfForwardRnnCell(RNNCell):
    """Adds one step to the scores of all rows that end with each tag."""

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        self._params = array_ops.expand_dims(transition_params, 0)
        self._num_tags = self._params.shape.as_list()[1]

    @property
    def state_size(self) -> Any:
        return self._num_tags

    @property
    def output_size(self) -> Any:
        return self._num_tags

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:  # type: ignore[override]
        scores = inputs + reduce_ops.reduce_logsumexp(array_ops.expand_dims(state, 2) + self._params, [1])
        return scores, scores


def _steps(inputs: Any) -> tuple[Any, Any]:
    """Returns the first step, and those behind it with one more: loops of no steps could not stack what they give."""
    inputs = convert.convert_to_tensor(inputs)
    first = inputs[:, 0]
    return first, array_ops.concat([inputs[:, 1:], array_ops.expand_dims(array_ops.zeros_like(first), 1)], 1)


def _less_one(lengths: Any) -> Any:
    return math_ops.maximum(lengths - 1, math_ops.cast(0, lengths.dtype))


def crf_forward(inputs: Any, state: Any, transition_params: Any, sequence_lengths: Any) -> Any:
    """Returns the scores by last tag, once |inputs|, the steps behind the first one, were added to |state|."""
    lengths = convert.convert_to_tensor(sequence_lengths)
    _, scores = rnn.dynamic_rnn(CrfForwardRnnCell(transition_params), inputs, _less_one(lengths), state)
    return scores


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the logarithms of the sums over all rows of tags."""
    lengths = convert.convert_to_tensor(sequence_lengths)
    first, rest = _steps(inputs)
    scores = crf_forward(rest, first, transition_params, lengths)
    found = reduce_ops.reduce_logsumexp(scores, [1])
    return array_ops.where(math_ops.less_equal(lengths, 0), array_ops.zeros_like(found), found)


def crf_log_likelihood(inputs: Any, tag_indices: Any, sequence_lengths: Any,
                       transition_params: Any = None) -> tuple[Any, Any]:
    """Returns the logarithms of how likely rows of tags are, and the scores of one tag behind another."""
    inputs = convert.convert_to_tensor(inputs)
    if transition_params is None:
        count = inputs.shape.as_list()[2]
        transition_params = variable_scope.get_variable('transitions', [count, count])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


# ---- The best row ----


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """Returns the row of tags with the highest score, and that, of an array of one sequence."""
    import numpy as np

    best, before = score[0], []
    for step in score[1:]:
        through = np.expand_dims(best, 1) + transition_params
        before.append(np.argmax(through, 0))
        best = step + np.max(through, 0)
    tags = [int(np.argmax(best))]
    for back in reversed(before):
        tags.append(int(back[tags[-1]]))
    return tags[::-1], np.max(best)


class CrfDecodeForwardRnnCell(CrfForwardRnnCell):
    """Adds one step to the best score by last tag; gives the tags before it."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        through = array_ops.expand_dims(state, 2) + self._params
        return (math_ops.cast(math_ops.argmax(through, 1), dtypes.int32),
                inputs + reduce_ops.reduce_max(through, [1]))


class CrfDecodeBackwardRnnCell(RNNCell):
    """Goes from a tag to the one before it."""

    def __init__(self, num_tags: Any) -> None:
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> Any:
        return 1

    @property
    def output_size(self) -> Any:
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:  # type: ignore[override]
        tags = array_ops.gather(inputs, state, batch_dims=1, axis=1)
        return tags, tags


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """Returns the rows of tags with the highest scores, zeros behind their ends, and these scores."""
    lengths = convert.convert_to_tensor(sequence_length)
    first, rest = _steps(potentials)
    more = _less_one(lengths)
    before, best = rnn.dynamic_rnn(CrfDecodeForwardRnnCell(transition_params), rest, more, first, dtypes.int32)
    last = array_ops.expand_dims(math_ops.cast(math_ops.argmax(best, 1), dtypes.int32), 1)
    before = array_ops.reverse_sequence(before, more, seq_axis=1)
    tags, _ = rnn.dynamic_rnn(CrfDecodeBackwardRnnCell(first.shape.as_list()[1]), before, more, last, dtypes.int32)
    tags = array_ops.concat([last, array_ops.squeeze(tags, [2])], 1)
    return array_ops.reverse_sequence(tags, lengths, seq_axis=1)[:, :-1], reduce_ops.reduce_max(best, 1)
