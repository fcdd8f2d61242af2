"""early - Functions as they were before TensorFlow 1.0: other arguments, or another order of them.

For programs of that time alone (`_start.api_v0`). Each takes TF1's arguments, too, where these cannot be
mistaken for the old ones.
"""

from __future__ import annotations

from typing import Any

from berth.framework import gen, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, entropy_ops, image_resize, math_ops, sample_ops


def _is_number(value: Any) -> bool:
    """True for what can be the number of an axis and no list of tensors."""
    return not isinstance(value, (list, tuple)) and not hasattr(value, 'dtype') or getattr(value, 'shape', None) == ()


# ---- Arrays ----


def concat(concat_dim: Any = None, values: Any = None, name: str = 'concat', axis: Any = None) -> Any:
    """Joins |values| along an axis, which came first then."""
    axis = concat_dim if axis is None else axis
    if not _is_number(axis):  # As TF1 has it.
        values, axis = axis, values
    return array_ops.concat(values, axis, name)


def split(split_dim: Any = None, num_split: Any = None, value: Any = None, name: str = 'split', **others: Any) -> Any:
    """Cuts |value| into parts along an axis, which came first then."""
    if split_dim is not None and _is_number(split_dim) and not others:
        return array_ops.split(value, num_split, split_dim, name=name)
    # As TF1 has it.
    value, axis = (value, 0) if split_dim is None else (split_dim, 0 if value is None else value)
    sizes = others.pop('num_or_size_splits', num_split)
    return array_ops.split(value, sizes, others.pop('axis', axis), name=name, **others)


def reverse(tensor: Any, dims: Any = None, name: Any = None, axis: Any = None) -> Any:
    """Turns axes round; which ones was said by truths then."""
    dims = dims if axis is None else axis
    if isinstance(dims, (list, tuple)) and dims and all(isinstance(item, bool) for item in dims):
        dims = [i for i, is_turned in enumerate(dims) if is_turned]
    return array_ops.reverse(tensor, dims, name)


def batch_matmul(x: Any, y: Any, adj_x: bool = False, adj_y: bool = False, name: Any = None) -> Any:
    """Multiplies matrices, many at a time."""
    return math_ops.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y, name=name)


def resize_images(images: Any, new_height: Any = None, new_width: Any = None, method: Any = 0,
                  align_corners: bool = False, **others: Any) -> Any:
    """Resizes images; height and width were two arguments then."""
    if 'size' in others or isinstance(new_height, (list, tuple)) or getattr(new_height, 'shape', None) == (2,):
        size = others.pop('size', new_height)
        method = method if new_width is None else new_width
    else:
        size = [new_height, new_width]
    return image_resize.resize_images(images, size, method, align_corners, **others)


# ---- Losses ----


def softmax_cross_entropy_with_logits(logits: Any = None, labels: Any = None, dim: int = -1, name: Any = None) -> Any:
    """The loss of each row; logits came first then."""
    return entropy_ops.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def sparse_softmax_cross_entropy_with_logits(logits: Any = None, labels: Any = None, name: Any = None) -> Any:
    """The loss of each row whose class is a number; logits came first then."""
    return entropy_ops.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def sigmoid_cross_entropy_with_logits(logits: Any = None, targets: Any = None, name: Any = None,
                                      labels: Any = None) -> Any:
    """The loss of each number; logits came first then, and labels were targets."""
    return entropy_ops.sigmoid_cross_entropy_with_logits(labels=targets if labels is None else labels, logits=logits,
                                                         name=name)


def _in_order(inputs: Any, labels: Any) -> dict[str, Any]:
    """Returns the two by name: classes are whole numbers."""
    is_swapped = getattr(inputs, 'dtype', None) is not None and inputs.dtype.is_integer
    return {'inputs': labels, 'labels': inputs} if is_swapped else {'inputs': inputs, 'labels': labels}


def nce_loss(weights: Any, biases: Any, inputs: Any, labels: Any, *args: Any, **keywords: Any) -> Any:
    """The loss of chosen classes; inputs came before labels then."""
    return sample_ops.nce_loss(weights, biases, *_ordered(inputs, labels), *args, **keywords)


def sampled_softmax_loss(weights: Any, biases: Any, inputs: Any, labels: Any, *args: Any, **keywords: Any) -> Any:
    """The loss of chosen classes; inputs came before labels then."""
    return sample_ops.sampled_softmax_loss(weights, biases, *_ordered(inputs, labels), *args, **keywords)


def _ordered(inputs: Any, labels: Any) -> tuple[Any, Any]:
    given = _in_order(inputs, labels)
    return given['labels'], given['inputs']


# ---- Summaries ----


def _noted(summary: Any, collections: Any) -> Any:
    """Puts a summary into collections, as all of them were."""
    scopes.add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    """A summary of numbers, called |tags|."""
    return _noted(gen.apply('ScalarSummary', name, {'tags': tags, 'values': values}), collections)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: Any = None) -> Any:
    """A summary of how numbers are spread, called |tag|."""
    return _noted(gen.apply('HistogramSummary', name, {'tag': tag, 'values': values}), collections)


def image_summary(tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: Any = None) -> Any:
    """A summary of images, called |tag|."""
    return _noted(gen.apply('ImageSummary', name, {'tag': tag, 'tensor': tensor}, {'max_images': max_images}),
                  collections)


def audio_summary(tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None,
                  name: Any = None) -> Any:
    """A summary of sounds, called |tag|."""
    return _noted(gen.apply('AudioSummaryV2', name, {'tag': tag, 'tensor': tensor, 'sample_rate': sample_rate},
                            {'max_outputs': max_outputs}), collections)
