"""metrics.py - tf.metrics: means, accuracies and counts, summed up over steps."""

from __future__ import annotations

from typing import Any, Callable

from berth._layers.metric_parts import as_bools, collected, fitting, in_graphs_only, variable
from berth.framework import dtypes, scopes
from berth.ops import array_ops, check_shapes, count_ops, math_ops, reduce_ops, state_ops, weight_ops
from berth.variables.scope import variable_scope

# ---- Means ----


def _ratio(total: Any, count: Any, name: str | None) -> Any:
    """Returns |total| by |count|; 0 where there is nothing."""
    return math_ops.div_no_nan(total, math_ops.maximum(count, 0), name=name)


def _weighted(values: Any, weights: Any) -> tuple[Any, Any]:
    """Returns values times weights, and the weights in their shape."""
    values, _, weights = fitting(values, None, weights)
    weights = weight_ops.broadcast_weights(math_ops.cast(weights, dtypes.float32), values)
    return math_ops.multiply(values, weights), weights


def _mean(sums: tuple[Any, Any], amounts: Callable[[], tuple[Any, Any, Any]], metrics_collections: Any,
          updates_collections: Any) -> tuple[Any, Any]:
    """Returns the mean that is in two variables, and the op that adds what |amounts| gives."""
    values, amount, count = amounts()
    update_total = state_ops.assign_add(sums[0], amount())
    with scopes.control_dependencies([values]):
        update_count = state_ops.assign_add(sums[1], count)
    value = collected(metrics_collections, _ratio(*sums, 'value'))
    return value, collected(updates_collections, _ratio(update_total, update_count, 'update_op'))


@in_graphs_only('mean')
def mean(values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
         name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean of all values so far, and the op that adds some."""
    with variable_scope(name, 'mean', [values, weights]):
        values = math_ops.cast(values, dtypes.float32)
        sums = variable([], dtypes.float32, name='total'), variable([], dtypes.float32, name='count')

        def amounts() -> tuple[Any, Any, Any]:
            if weights is None:
                count = math_ops.cast(array_ops.size(values), dtypes.float32)
                return values, lambda: reduce_ops.reduce_sum(values), count
            products, each = _weighted(values, weights)
            return products, lambda: reduce_ops.reduce_sum(products), reduce_ops.reduce_sum(each)

        return _mean(sums, amounts, metrics_collections, updates_collections)


@in_graphs_only('mean_tensor')
def mean_tensor(values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
                name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean of tensors so far, element by element, and the op that adds one."""
    with variable_scope(name, 'mean', [values, weights]):
        values = math_ops.cast(values, dtypes.float32)
        sums = (variable(values.shape, dtypes.float32, name='total_tensor'),
                variable(values.shape, dtypes.float32, name='count_tensor'))

        def amounts() -> tuple[Any, Any, Any]:
            count = array_ops.ones_like(values)
            if weights is None:
                return values, lambda: values, count
            products, each = _weighted(values, weights)
            return products, lambda: products, math_ops.multiply(count, each)

        return _mean(sums, amounts, metrics_collections, updates_collections)


@in_graphs_only('accuracy')
def accuracy(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
             updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns how often predictions are the labels."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    is_right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
    return mean(is_right, weights, metrics_collections, updates_collections, name or 'accuracy')


@in_graphs_only('mean_absolute_error')
def mean_absolute_error(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
                        updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns how far predictions are off."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    errors = math_ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_absolute_error')


@in_graphs_only('mean_squared_error')
def mean_squared_error(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
                       updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean of the squares of errors."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    errors = math_ops.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_squared_error')


@in_graphs_only('root_mean_squared_error')
def root_mean_squared_error(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
                            updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the root of the mean of the squares of errors."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or 'root_mean_squared_error')
    root = collected(metrics_collections, math_ops.sqrt(value))
    return root, collected(updates_collections, math_ops.sqrt(update))


@in_graphs_only('mean_cosine_distance')
def mean_cosine_distance(labels: Any, predictions: Any, dim: int, weights: Any = None,
                         metrics_collections: Any = None, updates_collections: Any = None,
                         name: str | None = None) -> tuple[Any, Any]:
    """Returns 1 less the mean product of vectors of length 1."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    products = math_ops.multiply(predictions, labels)
    products = reduce_ops.reduce_sum(products, axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or 'mean_cosine_distance')
    distance, update = math_ops.subtract(1.0, value), math_ops.subtract(1.0, update)
    return collected(metrics_collections, distance), collected(updates_collections, update)


@in_graphs_only('mean_relative_error')
def mean_relative_error(labels: Any, predictions: Any, normalizer: Any, weights: Any = None,
                        metrics_collections: Any = None, updates_collections: Any = None,
                        name: str | None = None) -> tuple[Any, Any]:
    """Returns how far predictions are off, in parts of |normalizer|."""
    predictions, labels, weights = fitting(predictions, labels, weights)
    predictions, normalizer = weight_ops.remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    is_zero, zeros = math_ops.equal(normalizer, 0.0), array_ops.zeros_like(labels)
    errors = array_ops.where(is_zero, zeros, math_ops.divide(math_ops.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_relative_error')


@in_graphs_only('percentage_below')
def percentage_below(values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None,
                     updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of values that is below |threshold|."""
    is_below = math_ops.cast(math_ops.less(values, threshold), dtypes.float32)
    return mean(is_below, weights, metrics_collections, updates_collections, name or 'percentage_below_threshold')


# ---- Classes ----


def _flat(x: Any) -> Any:
    return array_ops.reshape(x, [-1]) if x.shape.rank > 1 else x


@in_graphs_only('mean_per_class_accuracy')
def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: int, weights: Any = None,
                            metrics_collections: Any = None, updates_collections: Any = None,
                            name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean over classes of how often each is recognised."""
    with variable_scope(name, 'mean_accuracy', [predictions, labels, weights]):
        labels = _flat(math_ops.cast(labels, dtypes.int64))
        predictions = _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = variable([num_classes], dtypes.float32, name='total')
        count = variable([num_classes], dtypes.float32, name='count')
        ones = array_ops.ones([array_ops.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = math_ops.cast(predictions, labels.dtype)
        is_right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = math_ops.cast(_flat(weights), dtypes.float32)
            is_right, ones = is_right * weights, ones * weights
        update_total = state_ops.scatter_add(total, labels, ones)
        update_count = state_ops.scatter_add(count, labels, is_right)
        value = reduce_ops.reduce_mean(_ratio(count, total, None), name='mean_accuracy')
        collected(metrics_collections, value)
        return value, collected(updates_collections, _ratio(update_count, update_total, 'update_op'))


@in_graphs_only('mean_iou')
def mean_iou(labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
             updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean over classes of what is both predicted and right by what is either."""
    with variable_scope(name, 'mean_iou', [predictions, labels, weights]):
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = variable([num_classes, num_classes], dtypes.float64, name='total_confusion_matrix')
        predictions = math_ops.cast(predictions, dtypes.int64)
        labels = math_ops.cast(labels, dtypes.int64)
        count = math_ops.cast(num_classes, dtypes.int64)
        predictions, labels = _flat(predictions), _flat(labels)
        weights = None if weights is None else _flat(weights)
        current = count_ops.confusion_matrix(labels, predictions, count, weights=weights, dtype=dtypes.float64)
        update = state_ops.assign_add(total, current)
        value = collected(metrics_collections, _mean_iou(total))
        return value, collected(updates_collections, update)


def _mean_iou(matrix: Any) -> Any:
    """Returns the mean of intersections by unions, of the classes that are there."""
    rows = math_ops.cast(reduce_ops.reduce_sum(matrix, 0), dtypes.float32)
    columns = math_ops.cast(reduce_ops.reduce_sum(matrix, 1), dtypes.float32)
    both = math_ops.cast(array_ops.diag_part(matrix), dtypes.float32)
    either = rows + columns - both
    count = reduce_ops.reduce_sum(math_ops.cast(math_ops.not_equal(either, 0), dtypes.float32))
    either = array_ops.where(math_ops.greater(either, 0), either, array_ops.ones_like(either))
    parts = math_ops.divide(both, either)
    is_some = math_ops.greater(count, 0)
    return array_ops.where(is_some, reduce_ops.reduce_sum(parts, name='mean_iou') / count, 0)


# ---- Counts ----


def _count(values: Any, weights: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    """Returns how often something held so far, and the op that adds what holds."""
    check_shapes.assert_type(values, dtypes.bool)
    count = variable([], dtypes.float32, name='count')
    values = math_ops.cast(values, dtypes.float32)
    if weights is not None:
        with scopes.control_dependencies([check_shapes.assert_rank_in(weights, (0, array_ops.rank(values)))]):
            weights = math_ops.cast(weights, dtypes.float32)
            values = math_ops.multiply(values, weights)
    value = collected(metrics_collections, array_ops.identity(count))
    update = state_ops.assign_add(count, reduce_ops.reduce_sum(values))
    return value, collected(updates_collections, update)


def _counter(name: str, label: bool, prediction: bool, what: str) -> Any:
    scope_name = name

    @in_graphs_only(name)
    def function(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
                 updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
        with variable_scope(name, scope_name, [predictions, labels, weights]):
            predictions, labels, weights = as_bools(predictions, labels, weights)
            holds = math_ops.logical_and(math_ops.equal(labels, label), math_ops.equal(predictions, prediction))
            return _count(holds, weights, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Returns how often {what}.'
    return function


true_positives = _counter('true_positives', True, True, 'true was predicted, and right')
false_negatives = _counter('false_negatives', True, False, 'false was predicted, and wrong')
true_negatives = _counter('true_negatives', False, False, 'false was predicted, and right')
false_positives = _counter('false_positives', False, True, 'true was predicted, and wrong')


def _part(right: Any, wrong: Any, name: str) -> Any:
    """Returns what is right of all; 0 where there is nothing."""
    return array_ops.where(math_ops.greater(right + wrong, 0), math_ops.divide(right, right + wrong), 0, name)


def _share(scope_name: str, others: Any, labels: Any, predictions: Any, weights: Any, metrics_collections: Any,
           updates_collections: Any, name: str | None) -> tuple[Any, Any]:
    """Returns the true positives by themselves and |others|."""
    with variable_scope(name, scope_name, [predictions, labels, weights]):
        predictions, labels, weights = as_bools(predictions, labels, weights)
        right, update_right = true_positives(labels, predictions, weights)
        wrong, update_wrong = others(labels, predictions, weights)
        value = collected(metrics_collections, _part(right, wrong, 'value'))
        return value, collected(updates_collections, _part(update_right, update_wrong, 'update_op'))


@in_graphs_only('precision')
def precision(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
              updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of what was predicted true that is true."""
    return _share('precision', false_positives, labels, predictions, weights, metrics_collections,
                  updates_collections, name)


@in_graphs_only('recall is not supported')
def recall(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
           updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of what is true that was predicted so."""
    return _share('recall', false_negatives, labels, predictions, weights, metrics_collections,
                  updates_collections, name)
