"""losses.py - tf.losses: functions that make a loss, weigh it, and remember it in a collection."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, entropy_ops, math_ops, nn_ops, reduce_ops, weight_ops


@naming.public('ops.losses.losses_impl')
class Reduction:
    """How weighted losses become one."""

    NONE = 'none'
    SUM = 'weighted_sum'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    MEAN = 'weighted_mean'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns every way."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS,
                cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raises for what is none of them."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key {key}. Key should be one of {cls.all()}.')


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS

# ---- Collections ----


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Remembers a loss."""
    if loss_collection and not scopes.executing_eagerly():
        scopes.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """Returns the losses that were remembered."""
    return scopes.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the losses of regularisers."""
    return scopes.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = 'total_regularization_loss') -> Any:
    """Returns the sum of the losses of regularisers."""
    losses = get_regularization_losses(scope)
    return math_ops.add_n(losses, name=name) if losses else convert.constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = 'total_loss', scope: str | None = None) -> Any:
    """Returns the sum of all losses."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope=scope)
    return math_ops.add_n(losses, name=name)


# ---- Weights ----


def _count(losses: Any) -> Any:
    """Returns how many losses there are."""
    with scopes.name_scope(None, 'num_elements', [losses]) as scope:
        return math_ops.cast(array_ops.size(losses, name=scope), losses.dtype)


def _count_present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """Returns how many losses have a weight that is not 0."""
    if isinstance(weights, float) and weights != 0.0:
        return _count(losses)
    with scopes.name_scope(None, 'num_present', [losses, weights]) as scope:
        weights = math_ops.cast(weights, dtypes.float32)
        present = array_ops.where(math_ops.equal(weights, 0.0), array_ops.zeros_like(weights),
                                  array_ops.ones_like(weights))
        present = weight_ops.broadcast_weights(present, losses)
        if not per_batch:
            return reduce_ops.reduce_sum(present, name=scope)
        axes = math_ops.range(1, array_ops.rank(present))
        return reduce_ops.reduce_sum(present, axis=axes, keepdims=True, name=scope)


def _divisor(losses: Any, weights: Any, reduction: str) -> Any:
    """Returns what the sum of losses is divided by; None where it is not."""
    if reduction == Reduction.MEAN:
        return reduce_ops.reduce_sum(array_ops.ones_like(losses) * weights)
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _count_present(losses, weights)
    return _count(losses) if reduction == Reduction.SUM_OVER_BATCH_SIZE else None


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None,
                          loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Weighs losses, makes one of them, and remembers it."""
    Reduction.validate(reduction)
    with scopes.name_scope(scope, 'weighted_loss', [losses, weights]), \
            scopes.control_dependencies([weight_ops.assert_broadcastable(weights, losses)]):
        losses = convert.convert_to_tensor(losses)
        kind = losses.dtype
        losses = math_ops.cast(losses, dtypes.float32)
        weights = math_ops.cast(weights, dtypes.float32)
        loss = math_ops.multiply(losses, weights)
        if reduction != Reduction.NONE:
            loss = reduce_ops.reduce_sum(loss)
            count = _divisor(losses, weights, reduction)
            if count is not None:
                loss = math_ops.div_no_nan(reduce_ops.reduce_sum(loss), count, name='value')
        loss = math_ops.cast(loss, kind)
        if not scopes.executing_eagerly():
            scopes.get_default_graph()._last_loss_reduction = reduction  # Strategies ask for it.
        add_loss(loss, loss_collection)
        return loss


# ---- Losses ----


def _check_given(**values: Any) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f'Argument `{name}` must not be None.')


def _as_floats(first: Any, second: Any) -> tuple[Any, Any]:
    """Returns predictions and labels as floats of one shape."""
    first, second = math_ops.cast(first, dtypes.float32), math_ops.cast(second, dtypes.float32)
    first.shape.assert_is_compatible_with(second.shape)
    return first, second


def absolute_difference(labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
                        loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns how far predictions are off."""
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'absolute_difference', [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(labels: Any, predictions: Any, axis: Any = None, weights: Any = 1.0, scope: str | None = None,
                    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS, dim: Any = None) -> Any:
    """Returns 1 less the product of vectors of length 1."""
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError('You must specify argument `axis`.')
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'cosine_distance_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        products = math_ops.multiply(predictions, labels)
        losses = 1 - reduce_ops.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
               loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns how far logits are from the right side of a margin of 1."""
    _check_given(labels=labels, logits=logits)
    with scopes.name_scope(scope, 'hinge_loss', [logits, labels, weights]) as scope:
        logits, labels = _as_floats(logits, labels)
        ones = array_ops.ones_like(labels)
        signs = math_ops.subtract(2 * labels, ones)
        losses = nn_ops.relu(math_ops.subtract(ones, math_ops.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: str | None = None,
               loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns half the square of errors up to |delta|, and beyond it a line."""
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'huber_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        error = math_ops.abs(math_ops.subtract(predictions, labels))
        near = math_ops.minimum(error, delta)
        beyond = math_ops.subtract(error, near)
        half = convert.convert_to_tensor(0.5, dtype=near.dtype)
        square = math_ops.multiply(half, math_ops.multiply(near, near))
        losses = math_ops.add(square, math_ops.multiply(delta, beyond))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None,
             loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns the negative logarithm of the probability that predictions give labels."""
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'log_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        right = -math_ops.multiply(labels, math_ops.log(predictions + epsilon))
        losses = right - math_ops.multiply(1 - labels, math_ops.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
                                loss_collection: Any = GraphKeys.LOSSES) -> Any:
    """Returns the squared differences between errors of pairs of one example."""
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'mean_pairwise_squared_error', [predictions, labels, weights]):
        weights = math_ops.cast(weights, dtypes.float32)
        labels = math_ops.cast(labels, dtypes.float32)
        with scopes.control_dependencies([weight_ops.assert_broadcastable(weights, labels)]):
            predictions = math_ops.cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            loss = _pairwise(math_ops.subtract(predictions, labels), weights)
            add_loss(loss, loss_collection)
            return loss


def _pairwise(errors: Any, weights: Any) -> Any:
    """Returns the loss of all pairs, from sums over each example."""
    axes = math_ops.range(1, array_ops.rank(errors))
    squares = reduce_ops.reduce_sum(math_ops.square(errors), axis=axes, keepdims=True)
    count = _count_present(errors, weights, per_batch=True)
    first = 2.0 * math_ops.div_no_nan(squares, math_ops.maximum(count - 1, 0), name='value')
    total = reduce_ops.reduce_sum(errors, axis=axes, keepdims=True)
    second = 2.0 * math_ops.div_no_nan(
        math_ops.square(total), math_ops.maximum(math_ops.multiply(count, count - 1), 0), name='value')
    loss = reduce_ops.reduce_sum(math_ops.multiply(first - second, weights))
    return array_ops.where(reduce_ops.reduce_sum(count) > 0, loss, array_ops.zeros_like(loss), name='value')


def mean_squared_error(labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
                       loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns the squares of errors."""
    _check_given(labels=labels, predictions=predictions)
    with scopes.name_scope(scope, 'mean_squared_error', [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


# ---- Cross entropies ----


def _of_type(logits: Any, labels: Any) -> tuple[Any, Any]:
    """Returns logits, and labels of their type and shape."""
    logits = convert.convert_to_tensor(logits)
    labels = math_ops.cast(labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    return logits, labels


def sigmoid_cross_entropy(multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
                          scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
                          reduction: str = _BY_WEIGHTS) -> Any:
    """Returns the cross entropy of classes that do not exclude each other."""
    _check_given(multi_class_labels=multi_class_labels, logits=logits)
    with scopes.name_scope(scope, 'sigmoid_cross_entropy_loss', [logits, multi_class_labels, weights]) as scope:
        logits, labels = _of_type(logits, multi_class_labels)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = entropy_ops.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
                          scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
                          reduction: str = _BY_WEIGHTS) -> Any:
    """Returns the cross entropy of classes of which one is right."""
    _check_given(onehot_labels=onehot_labels, logits=logits)
    with scopes.name_scope(scope, 'softmax_cross_entropy_loss', [logits, onehot_labels, weights]) as scope:
        logits, labels = _of_type(logits, onehot_labels)
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[-1], logits.dtype)
            floor = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + floor
        labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
        losses = entropy_ops.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
                                 loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS) -> Any:
    """Returns the cross entropy of classes given by their numbers."""
    _check_given(labels=labels, logits=logits)
    with scopes.name_scope(scope, 'sparse_softmax_cross_entropy_loss', [logits, labels, weights]) as scope:
        labels, logits = weight_ops.remove_squeezable_dimensions(labels, logits, 1)
        weights = None if weights is None else _weights_like(convert.convert_to_tensor(weights), labels)
        losses = entropy_ops.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _weights_like(weights: Any, labels: Any) -> Any:
    """Returns weights without a last dimension of 1 that labels do not have."""
    ranks = weights.shape.rank, labels.shape.rank
    if None not in ranks:
        return array_ops.squeeze(weights, [-1]) if ranks[0] - ranks[1] == 1 else weights
    difference = array_ops.rank(weights) - array_ops.rank(labels)
    if not weight_ops.last_may_be_one(weights):
        return weights
    return weight_ops.squeezed_where(math_ops.equal(1, difference), weights)
