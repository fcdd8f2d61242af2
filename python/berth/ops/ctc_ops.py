"""ctc_ops.py - Connectionist temporal classification: losses and decoding."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen
from berth.ops import array_ops, math_ops
from berth.ops.sparse_tensor import SparseTensor


def _loss(labels: SparseTensor, logits: Any, lengths: Any, name: str | None = None, **attrs: bool) -> Any:
    """Makes the op, whose first output is the loss of each row."""
    return gen.apply('CTCLoss', name, {
        'inputs': logits, 'labels_indices': labels.indices, 'labels_values': labels.values, 'sequence_length': lengths},
        attrs)[0]


def ctc_loss(labels: Any, inputs: Any = None, sequence_length: Any = None, preprocess_collapse_repeated: bool = False,
             ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True,
             logits: Any = None) -> Any:
    """Returns the loss of each row of labels; the last class is the blank."""
    if not isinstance(labels, SparseTensor):
        raise TypeError('Expected argument `labels` to be a SparseTensor. Received labels='
                        f'{labels} of type: {type(labels).__name__}')
    inputs = logits if inputs is None else inputs
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    return _loss(labels, inputs, sequence_length, preprocess_collapse_repeated=preprocess_collapse_repeated,
                 ctc_merge_repeated=ctc_merge_repeated,
                 ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)


def _sparse_labels(labels: Any, lengths: Any) -> SparseTensor:
    """Returns the first of each row of dense |labels|, as many as |lengths| says."""
    labels = convert.convert_to_tensor(labels)
    shape = array_ops.shape(labels, out_type=dtypes.int64)
    used = array_ops.sequence_mask(lengths, array_ops.shape(labels)[1])
    return SparseTensor(array_ops.where_v2(used), array_ops.boolean_mask(labels, used), shape)


def _blank_last(labels: SparseTensor, logits: Any, blank: int) -> tuple[SparseTensor, Any]:
    """Moves class |blank| behind all others."""
    classes = logits.shape.as_list()[2]
    blank = blank + classes if blank < 0 else blank
    if blank == classes - 1:
        return labels, logits
    logits = array_ops.concat([logits[:, :, :blank], logits[:, :, blank + 1:], logits[:, :, blank:blank + 1]], 2)
    values = array_ops.where_v2(labels.values < blank, labels.values, labels.values - 1)
    return labels.with_values(values), logits


def ctc_loss_v2(labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
                unique: Any = None, blank_index: int | None = None, name: str | None = None) -> Any:
    """Returns the loss of each row of labels, which are sparse, or dense with lengths."""
    del unique  # It makes TensorFlow faster, and changes nothing.
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError('Argument `blank_index` must be provided when `labels` is a `SparseTensor`.')
    else:
        labels = _sparse_labels(labels, label_length)
        blank_index = 0 if blank_index is None else blank_index
    logits = convert.convert_to_tensor(logits)
    if not logits_time_major:
        logits = array_ops.transpose(logits, [1, 0, 2])
    labels, logits = _blank_last(labels, logits, blank_index)
    labels = labels.with_values(math_ops.cast(labels.values, dtypes.int32))
    return _loss(labels, logits, math_ops.cast(logit_length, dtypes.int32), name)


def ctc_greedy_decoder(inputs: Any, sequence_length: Any, merge_repeated: bool = True,
                       blank_index: int | None = None) -> tuple[list[SparseTensor], Any]:
    """Takes the likeliest class of each step; returns the labels, and minus the sum of their logits."""
    *decoded, logs = gen.apply('CTCGreedyDecoder', None, {'inputs': inputs, 'sequence_length': sequence_length},
                               {'merge_repeated': merge_repeated, 'blank_index': -1 if blank_index is None else blank_index})
    return [SparseTensor(*decoded)], logs
