"""losses.py - tf.contrib.losses, and slim.losses: what tf.losses has, with predictions before labels."""

from __future__ import annotations

from typing import Any

from berth._layers import losses as later
from berth.framework import scopes
from berth.ops import array_ops, math_ops, nn_ops


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the mean of losses, of which some may weigh nothing."""
    return later.compute_weighted_loss(losses, weights, scope)


def absolute_difference(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns how far predictions are off."""
    return later.absolute_difference(labels, predictions, weights, scope)


def sigmoid_cross_entropy(logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0,
                          scope: str | None = None) -> Any:
    """Returns the cross entropy of classes that do not exclude each other."""
    return later.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: float = 0,
                          scope: str | None = None) -> Any:
    """Returns the cross entropy of classes of which one is right."""
    return later.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the cross entropy of classes given by their numbers."""
    return later.sparse_softmax_cross_entropy(labels, logits, weights, scope)


def log_loss(predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7,
             scope: str | None = None) -> Any:
    """Returns the logarithms of likelihoods."""
    return later.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """Returns the loss of each value by its margin, which is neither added up nor remembered."""
    with scopes.name_scope(scope, 'hinge_loss', [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = math_ops.cast(labels, 'float32')
        ones = array_ops.ones_like(labels)
        return nn_ops.relu(math_ops.subtract(ones, math_ops.multiply(math_ops.subtract(2 * labels, ones), logits)))


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the squares of errors."""
    return later.mean_squared_error(labels, predictions, weights, scope)


def cosine_distance(predictions: Any, labels: Any = None, axis: Any = None, weights: Any = 1.0,
                    scope: str | None = None, dim: Any = None) -> Any:
    """Returns 1 less the product of vectors of length 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError('You must specify argument `axis`.')
    return later.cosine_distance(labels, predictions, axis, weights, scope)
