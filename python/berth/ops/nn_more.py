"""nn_more.py - Activations, losses and statistics that other ops make up."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, check_ops, math_ops, nn_ops, order_ops, reduce_ops
from berth.ops.signature import reordered


# ---- Activations ----

def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    """Returns the positive part of values beside that of their negatives."""
    with scopes.name_scope(name, 'CRelu', [features]) as name:
        features = convert.convert_to_tensor(features, name='features')
        return nn_ops.relu(array_ops.concat([features, -features], axis, name=name))


def silu(features: Any, beta: Any = 1.0) -> Any:
    """Returns x * sigmoid(beta * x)."""
    features = convert.convert_to_tensor(features, name='features')
    beta = math_ops.cast(convert.convert_to_tensor(beta, name='beta'), features.dtype)
    if scopes.executing_eagerly():
        return features * math_ops.sigmoid(beta * features)
    # TensorFlow hangs its gradient on the node that hands everything on.
    inputs = [array_ops.identity(features), array_ops.identity(beta)]
    return array_ops.identity_n([inputs[0] * math_ops.sigmoid(inputs[1] * inputs[0]), *inputs])[0]


swish = silu


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Returns x times the probability that a normal variable is below x."""
    with scopes.name_scope(name, 'Gelu', [features]):
        features = convert.convert_to_tensor(features, name='features')
        if not features.dtype.is_floating:
            raise ValueError('`features.dtype` must be a floating point tensor.'
                             f'Received:features.dtype={features.dtype}')
        if approximate:
            cubic = math_ops.cast(0.044715, features.dtype) * math_ops.pow(features, 3)
            return 0.5 * features * (1.0 + math_ops.tanh(0.7978845608028654 * (features + cubic)))
        root = math_ops.cast(0.7071067811865476, features.dtype)
        return 0.5 * features * math_ops.erfc(-features * root)


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Returns log(sigmoid(x)) without overflow."""
    with scopes.name_scope(name, 'LogSigmoid', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return math_ops.negative(nn_ops.softplus(-x), name=name)


# ---- Losses ----

def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """Returns exp(log_input) - log_input * targets, and Stirling's approximation on top."""
    with scopes.name_scope(name, 'log_poisson_loss', [log_input, targets]):
        log_input = convert.convert_to_tensor(log_input, name='log_input')
        targets = convert.convert_to_tensor(targets, name='targets')
        if not targets.shape.is_compatible_with(log_input.shape):
            raise ValueError('`log_input` and `targets` must have the same shape, received '
                             f'({log_input.shape} vs {targets.shape}).')
        result = math_ops.exp(log_input) - log_input * targets
        if not compute_full_loss:
            return result
        half = convert.constant(0.5, dtype=targets.dtype)
        circle = convert.constant(2 * math.pi, dtype=targets.dtype)
        stirling = targets * math_ops.log(targets) - targets + half * math_ops.log(circle * targets)
        zeros = array_ops.zeros_like(targets, dtype=targets.dtype)
        ones = array_ops.ones_like(targets, dtype=targets.dtype)
        return result + array_ops.where(math_ops.logical_and(targets >= zeros, targets <= ones), zeros, stirling)


def weighted_cross_entropy_with_logits(labels: Any = None, logits: Any = None, pos_weight: Any = None,
                                       name: str | None = None, targets: Any = None) -> Any:
    """Returns the cross entropy of logits and independent labels, of which those that hold weigh more."""
    labels = targets if labels is None else labels
    with scopes.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = convert.convert_to_tensor(logits, name='logits')
        labels = convert.convert_to_tensor(labels, name='labels')
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(f'`logits` and `labels` must have the same shape, received ({logits.shape} vs '
                             f'{labels.shape}).')
        weight = 1 + (pos_weight - 1) * labels
        rest = math_ops.log1p(math_ops.exp(-math_ops.abs(logits))) + nn_ops.relu(-logits)
        return math_ops.add((1 - labels) * logits, weight * rest, name=name)


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Any:
    """Returns the sum of losses over the number of examples of all replicas: here is one."""
    loss = convert.convert_to_tensor(per_example_loss)
    kind = loss.dtype
    with scopes.name_scope(None, 'weighted_loss', []):
        if sample_weight is not None:
            weight = convert.convert_to_tensor(sample_weight)
            if weight.shape.rank is not None and loss.shape.rank is not None and weight.shape.rank > loss.shape.rank:
                weight = array_ops.squeeze(weight, [-1])
            loss = math_ops.multiply(math_ops.cast(loss, dtypes.float32), math_ops.cast(weight, dtypes.float32))
        loss = math_ops.cast(loss, kind)
        if global_batch_size is None:
            if loss.shape.rank == 0:
                raise ValueError('Please do not pass a scalar `per_example_loss` to `compute_average_loss` without '
                                 '`global_batch_size`')
            global_batch_size = array_ops.shape(loss)[0]
        else:
            _check_batch_size(global_batch_size)
        return reduce_ops.reduce_sum(loss) / math_ops.cast(global_batch_size, kind)


def _check_batch_size(size: Any) -> None:
    """Raises for what is no count of examples."""
    value = convert.convert_to_tensor(size)
    if value.shape.rank not in (0, None):
        raise ValueError('global_batch_size must be scalar, but got ' + str(size))
    if not value.dtype.is_integer:
        raise TypeError(f'global_batch_size must be an int, got {value.dtype}.')
    if scopes.executing_eagerly() and value < 0:
        raise ValueError('global_batch_size must be non-negative.')


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Returns a sum of losses divided by the number of replicas: here is one."""
    total = reduce_ops.reduce_sum(convert.convert_to_tensor(regularization_loss))
    return math_ops.cast(total, dtypes.float32) / 1.0


# ---- Statistics ----

def _keep(keepdims: Any, keep_dims: Any) -> bool:
    return bool(keepdims if keepdims is not None else keep_dims)


def weighted_moments(x: Any, axes: Any, frequency_weights: Any, name: str | None = None, keep_dims: Any = None,
                     keepdims: Any = None) -> Any:
    """Returns mean and variance over axes where each value counts as often as its weight says."""
    with scopes.name_scope(name, 'weighted_moments', [x, frequency_weights, axes]):
        x = convert.convert_to_tensor(x, name='x')
        weights = convert.convert_to_tensor(frequency_weights, name='frequency_weights')
        is_half = x.dtype == dtypes.float16
        x = math_ops.cast(x, dtypes.float32) if is_half else x
        weights = math_ops.cast(weights, x.dtype)
        total = reduce_ops.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        count = reduce_ops.reduce_sum(weights + array_ops.zeros_like(x), axes, name='sum_of_weights', keepdims=True)
        mean = math_ops.div_no_nan(total, count)
        squares = reduce_ops.reduce_sum(weights * math_ops.squared_difference(x, mean), axes,
                                        name='weighted_distsq', keepdims=True)
        results = [mean, math_ops.div_no_nan(squares, count)]
        if not _keep(keepdims, keep_dims):
            results = [array_ops.squeeze(r, axis=axes) for r in results]
        return tuple(math_ops.cast(r, dtypes.float16) if is_half else r for r in results)


def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keep_dims: Any = None, name: str | None = None,
                          keepdims: Any = None) -> Any:
    """Returns the count, the sum and the sum of squares over axes, and the shift they were taken around."""
    axes = list(set(axes))
    keep = _keep(keepdims, keep_dims)
    with scopes.name_scope(name, 'sufficient_statistics', [x, shift]):
        x = convert.convert_to_tensor(x, name='x')
        known = x.shape.as_list() if x.shape.rank is not None else None
        if known is not None and None not in [known[axis] for axis in axes]:
            count: Any = convert.constant(math.prod(known[axis] for axis in axes), dtype=x.dtype)
        else:
            rank = array_ops.rank(x)
            places = [axis + rank if axis < 0 else axis for axis in axes]
            count = reduce_ops.reduce_prod(
                array_ops.gather(math_ops.cast(array_ops.shape(x), x.dtype), places), name='count')
        values, squares = x, None
        if shift is not None:
            shift = convert.convert_to_tensor(shift, name='shift')
            values, squares = math_ops.subtract(x, shift), math_ops.squared_difference(x, shift)
        squares = math_ops.square(x) if squares is None else squares
        return (count, reduce_ops.reduce_sum(values, axes, keepdims=keep, name='mean_ss'),
                reduce_ops.reduce_sum(squares, axes, keepdims=keep, name='var_ss'), shift)


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Returns mean and variance of what sufficient_statistics gave."""
    with scopes.name_scope(name, 'normalize', [counts, mean_ss, variance_ss, shift]):
        divisor = math_ops.reciprocal(counts, name='divisor')
        shifted = math_ops.multiply(mean_ss, divisor, name='mean' if shift is None else 'shifted_mean')
        mean = shifted if shift is None else math_ops.add(shifted, shift, name='mean')
        variance = math_ops.subtract(math_ops.multiply(variance_ss, divisor), math_ops.square(shifted),
                                     name='variance')
        return mean, variance


def batch_norm_with_global_normalization(t: Any = None, m: Any = None, v: Any = None, beta: Any = None,
                                         gamma: Any = None, variance_epsilon: Any = None,
                                         scale_after_normalization: Any = None, name: str | None = None,
                                         input: Any = None,  # pylint: disable=redefined-builtin
                                         mean: Any = None, variance: Any = None) -> Any:
    """Brings values to another mean and variance; |gamma| counts if asked for."""
    t, m, v = (input if t is None else t), (mean if m is None else m), (variance if v is None else v)
    return nn_ops.batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None,
                                      variance_epsilon, name)


# ---- Counts ----

def _squeezed(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Drops a last dimension of one that only one of both has."""
    if labels.shape.rank is None or predictions.shape.rank is None:
        return labels, predictions
    more = predictions.shape.rank - labels.shape.rank
    if more == 1 and predictions.shape[-1:].is_compatible_with([1]):
        return labels, array_ops.squeeze(predictions, [-1])
    if more == -1 and labels.shape[-1:].is_compatible_with([1]):
        return array_ops.squeeze(labels, [-1]), predictions
    return labels, predictions


def _bounded(values: Any, what: str, num_classes: Any) -> Any:
    """Returns classes behind the checks that there are such classes."""
    check = check_ops.assert_non_negative(values, message=f'`{what}` contains negative values')
    values = order_ops.with_dependencies([check], values)
    if num_classes is None:
        return values
    limit = math_ops.cast(num_classes, dtypes.int64)
    check = check_ops.assert_less(values, limit, message=f'`{what}` out of bound')
    return order_ops.with_dependencies([check], values)


def confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None,
                     dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """Counts how often each class was predicted for each."""
    with scopes.name_scope(name, 'confusion_matrix', (predictions, labels, num_classes, weights)):
        labels, predictions = _squeezed(convert.convert_to_tensor(labels, name='labels'),
                                        convert.convert_to_tensor(predictions, name='predictions'))
        predictions, labels = math_ops.cast(predictions, dtypes.int64), math_ops.cast(labels, dtypes.int64)
        labels = _bounded(labels, 'labels', num_classes)
        predictions = _bounded(predictions, 'predictions', num_classes)
        if num_classes is None:
            num_classes = math_ops.maximum(reduce_ops.reduce_max(predictions), reduce_ops.reduce_max(labels)) + 1
        if weights is not None:
            weights = convert.convert_to_tensor(weights, name='weights')
            predictions.shape.assert_is_compatible_with(weights.shape)
        values = array_ops.ones_like(predictions, dtype) if weights is None else math_ops.cast(weights, dtype)
        shape = array_ops.stack([num_classes, num_classes])
        return gen.apply('ScatterNd', None, {'indices': array_ops.stack([labels, predictions], axis=1),
                                             'updates': values, 'shape': math_ops.cast(shape, dtypes.int64)})


confusion_matrix_v1 = reordered(confusion_matrix, 'labels predictions num_classes dtype name weights')


# ---- The parameters of TensorFlow 2 ----

crelu_v2 = reordered(crelu, 'features axis name')
weighted_cross_entropy_with_logits_v2 = reordered(
    weighted_cross_entropy_with_logits, 'labels logits pos_weight name')
weighted_moments_v2 = reordered(weighted_moments, 'x axes frequency_weights keepdims name')
sufficient_statistics_v2 = reordered(sufficient_statistics, 'x axes shift keepdims name')
batch_norm_with_global_normalization_v2 = reordered(
    batch_norm_with_global_normalization,
    'input mean variance beta gamma variance_epsilon scale_after_normalization name',
    input='t', mean='m', variance='v')
