"""ctc_ops.py - Connectionist temporal classification: losses and decoding."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, functional_ops, math_ops, reduce_ops
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


def ctc_beam_search_decoder(inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1,
                            merge_repeated: bool = True) -> tuple[list[SparseTensor], Any]:
    """Looks for the likeliest rows of labels; returns these, and the logarithms of how likely they are."""
    *decoded, logs = gen.apply('CTCBeamSearchDecoder', None, {'inputs': inputs, 'sequence_length': sequence_length},
                               {'beam_width': beam_width, 'top_paths': top_paths, 'merge_repeated': merge_repeated})
    return [SparseTensor(*parts) for parts in zip(*decoded)], logs


def ctc_beam_search_decoder_v2(inputs: Any, sequence_length: Any, beam_width: int = 100,
                               top_paths: int = 1) -> tuple[list[SparseTensor], Any]:
    """Looks for the likeliest rows of labels; returns these, and the logarithms of how likely they are."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)


def _size(tensor: Any, axis: int) -> Any:
    """Returns a size, as a number where it is known."""
    return tensor.shape[axis] if tensor.shape.rank is not None and tensor.shape[axis] is not None else array_ops.shape(
        tensor)[axis]


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Makes one of equal labels that lie side by side; returns the labels, and how many each row has."""
    with scopes.name_scope(name, 'collapse_repeated_labels', [labels, seq_length]):
        labels = convert.convert_to_tensor(labels, name='labels')
        seq_length = convert.convert_to_tensor(seq_length, name='seq_length')
        is_new = array_ops.concat([array_ops.ones_like(labels[:, :1], dtypes.bool),
                                   math_ops.not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        is_new = math_ops.logical_and(is_new, array_ops.sequence_mask(seq_length, maxlen=_size(labels, 1)))
        counts = reduce_ops.reduce_sum(math_ops.cast(is_new, dtypes.int32), axis=1)
        longest = reduce_ops.reduce_max(counts)
        is_used = array_ops.reshape(array_ops.sequence_mask(counts, maxlen=longest), [-1])
        places = array_ops.boolean_mask(math_ops.range(_size(is_used, 0)), is_used)
        kept = array_ops.boolean_mask(array_ops.reshape(labels, [-1]), array_ops.reshape(is_new, [-1]))
        flat = gen.apply('ScatterNd', None, {
            'indices': array_ops.expand_dims(places, axis=1), 'updates': kept, 'shape': array_ops.shape(is_used)})
        return array_ops.reshape(flat, [_size(labels, 0), longest]), math_ops.cast(counts, seq_length.dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Returns the different labels of each row, filled up with zeros, and which of them each label is."""
    with scopes.name_scope(name, 'ctc_unique_labels', [labels]):
        labels = convert.convert_to_tensor(labels, name='labels')

        def distinct(row: Any) -> list:
            values, places = array_ops.unique(row)
            values = array_ops.pad(values, [[0, _size(places, 0) - _size(values, 0)]])
            return [math_ops.cast(values, dtypes.int64), places]

        return functional_ops.map_fn(distinct, labels, dtype=[dtypes.int64, dtypes.int32])
