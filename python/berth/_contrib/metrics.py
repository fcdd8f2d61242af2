"""metrics.py - tf.contrib.metrics: what tf.metrics has, as streaming_*, with predictions before labels."""

from __future__ import annotations

from typing import Any, Callable

from berth._layers import metric_ranks, metric_thresholds
from berth._layers import metrics as later
from berth._layers.metric_parts import collected, fitting, summed, variable
from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, math_ops, nn_ops, reduce_ops, state_ops, weight_ops


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """Returns the part of predictions that are the labels."""
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f'Labels should have bool, integer, or string dtype, not {labels.dtype!r}')
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError('Dtypes of predictions and labels should match. '
                         f'Given: predictions ({predictions.dtype!r}) and labels ({labels.dtype!r})')
    with scopes.name_scope(name, 'accuracy', [predictions, labels]):
        is_right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_ops.reduce_mean(is_right)
        is_right = math_ops.multiply(is_right, weights)
        count = math_ops.multiply(weights, array_ops.ones_like(is_right))
        return math_ops.div(reduce_ops.reduce_sum(is_right), reduce_ops.reduce_sum(count))


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the same function with predictions before labels."""
    def streaming(predictions: Any, labels: Any, *arguments: Any, **named: Any) -> Any:
        """Returns a metric and the op that adds to it."""
        return function(labels, predictions, *arguments, **named)

    streaming.__name__ = streaming.__qualname__ = f'streaming_{function.__name__}'
    return streaming


def _found(name: str) -> Callable[..., Any]:
    return next(getattr(module, name) for module in (later, metric_thresholds, metric_ranks) if hasattr(module, name))


streaming_mean = later.mean
streaming_mean_tensor = later.mean_tensor
streaming_percentage_less = later.percentage_below

for _name in '''
        accuracy auc mean_absolute_error mean_cosine_distance mean_iou mean_relative_error mean_squared_error
        precision precision_at_thresholds recall recall_at_thresholds root_mean_squared_error
        sensitivity_at_specificity specificity_at_sensitivity'''.split():
    globals()[f'streaming_{_name}'] = _swapped(_found(_name))


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """Returns the values of several metrics, and their updates."""
    if not value_update_tuples:
        raise ValueError('Expected at least one value_tensor/update_op pair')
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the values of several metrics by their names, and their updates."""
    names = list(names_to_tuples)
    values, updates = zip(*names_to_tuples.values())
    return dict(zip(names, values)), dict(zip(names, updates))


# ---- The rest ----

for _name in '''
        average_precision_at_k false_negatives false_negatives_at_thresholds false_positives
        false_positives_at_thresholds precision_at_k recall_at_k true_negatives true_negatives_at_thresholds
        true_positives true_positives_at_thresholds'''.split():
    _sparse = 'sparse_' if _name.endswith('_at_k') else ''
    globals()[f'streaming_{_sparse}{_name}'] = _swapped(_found(_name))


def streaming_sparse_precision_at_top_k(top_k_predictions: Any, labels: Any, class_id: Any = None, weights: Any = None,
                                        metrics_collections: Any = None, updates_collections: Any = None,
                                        name: str | None = None) -> Any:
    """Returns the part of given classes that are labels."""
    return metric_ranks.precision_at_top_k(labels, top_k_predictions, None, class_id, weights, metrics_collections,
                                           updates_collections, name)


def streaming_recall_at_k(predictions: Any, labels: Any, k: int, weights: Any = None, metrics_collections: Any = None,
                          updates_collections: Any = None, name: str | None = None) -> Any:
    """Returns the part of examples whose label is among the k best predictions."""
    is_in = math_ops.cast(nn_ops.in_top_k(predictions, labels, k), dtypes.float32)
    return later.mean(is_in, weights, metrics_collections, updates_collections, name or f'recall_at_{k}')


def _rate(name: str, wrong: Any, right: Any) -> Callable[..., Any]:
    """Makes a metric: a part of those that should have been something else."""
    def streaming(predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
                  updates_collections: Any = None, name: str | None = name) -> Any:
        """Returns a metric and the op that adds to it."""
        with scopes.name_scope(name):
            (bad, update_bad), (good, update_good) = (each(labels, predictions, weights) for each in (wrong, right))
            value = math_ops.div_no_nan(bad, bad + good, name='value')
            update = math_ops.div_no_nan(update_bad, update_bad + update_good, name='update_op')
            return collected(metrics_collections, value), collected(updates_collections, update)

    streaming.__name__ = streaming.__qualname__ = f'streaming_{name}'
    return streaming


streaming_false_positive_rate = _rate('false_positive_rate', later.false_positives, later.true_negatives)
streaming_false_negative_rate = _rate('false_negative_rate', later.false_negatives, later.true_positives)


def count(values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
          name: str | None = None) -> Any:
    """Returns how many values there were, or their weights together."""
    with scopes.name_scope(name, 'count', [values, weights]):
        if weights is None:
            amount: Any = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            _, _, weights = fitting(values, None, weights)
            amount = reduce_ops.reduce_sum(weight_ops.broadcast_weights(
                math_ops.cast(weights, dtypes.float32), array_ops.ones_like(values, dtype=dtypes.float32)))
        total, update = summed(amount, dtypes.float32, 'count')
        return (collected(metrics_collections, array_ops.identity(total)), collected(updates_collections, update))


def streaming_concat(values: Any, axis: int = 0, max_size: Any = None, metrics_collections: Any = None,
                     updates_collections: Any = None, name: str | None = None) -> Any:
    """Returns all values so far behind each other, no more than |max_size|."""
    with scopes.name_scope(name, 'streaming_concat', [values]):
        sizes = values.shape.as_list()
        axis %= len(sizes)
        if any(size is None for i, size in enumerate(sizes) if i != axis):
            raise ValueError('fully defined shape required except in the axis dimension')
        array = variable([0 if i == axis else size for i, size in enumerate(sizes)], values.dtype, False, 'array')
        whole = array_ops.concat([array, values], axis)
        if max_size is not None:
            part: list[Any] = [slice(None)] * len(sizes)
            part[axis] = slice(None, max_size)
            whole = whole[tuple(part)]
        update = state_ops.assign(array, whole, validate_shape=False)
        value = array_ops.identity(array)
        for each in (value, update):
            each.set_shape([None if i == axis else size for i, size in enumerate(sizes)])
        return collected(metrics_collections, value), collected(updates_collections, update)


def streaming_covariance(predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
                         updates_collections: Any = None, name: str | None = None) -> Any:
    """Returns how two values change together; with the sums of a batch moved to the new means."""
    with scopes.name_scope(name, 'covariance', [predictions, labels, weights]):
        predictions, labels, weights = fitting(predictions, labels, weights)
        kind = predictions.dtype
        each = (array_ops.ones_like(predictions) if weights is None
                else weight_ops.broadcast_weights(math_ops.cast(weights, kind), predictions))
        number, mean_x, mean_y, moment = (variable([], kind, name=label) for label in (
            'count', 'mean_prediction', 'mean_label', 'comoment'))
        more = reduce_ops.reduce_sum(each)
        batch_x, batch_y = (math_ops.div_no_nan(reduce_ops.reduce_sum(side * each), more)
                            for side in (predictions, labels))
        known = [array_ops.identity(kept) for kept in (number, mean_x, mean_y, moment)]
        together = known[0] + more
        share = math_ops.div_no_nan(more, together)
        inner = reduce_ops.reduce_sum((predictions - batch_x) * (labels - batch_y) * each)
        new = [together, known[1] + (batch_x - known[1]) * share, known[2] + (batch_y - known[2]) * share,
               known[3] + inner + (known[1] - batch_x) * (known[2] - batch_y) * known[0] * share]
        with scopes.control_dependencies(new):
            updates = [state_ops.assign(kept, value) for kept, value in zip((number, mean_x, mean_y, moment), new)]
        value = _covariance(array_ops.identity(moment), array_ops.identity(number), 'covariance')
        with scopes.control_dependencies(updates):
            update = _covariance(updates[3], updates[0], 'update_op')
        return collected(metrics_collections, value), collected(updates_collections, update)


def _covariance(moment: Any, number: Any, name: str) -> Any:
    nothing = array_ops.fill([], convert.constant(float('nan'), moment.dtype))
    return array_ops.where(math_ops.less_equal(number, 1.0), nothing, math_ops.truediv(moment, number - 1), name=name)


def streaming_pearson_correlation(predictions: Any, labels: Any, weights: Any = None, metrics_collections: Any = None,
                                  updates_collections: Any = None, name: str | None = None) -> Any:
    """Returns how much two values are in line, from -1 to 1."""
    with scopes.name_scope(name, 'pearson_r', [predictions, labels, weights]):
        pairs = [streaming_covariance(first, second, weights, name=label) for first, second, label in (
            (predictions, labels, 'covariance'), (predictions, predictions, 'variance_predictions'),
            (labels, labels, 'variance_labels'))]
        found = [math_ops.truediv(both, math_ops.sqrt(x) * math_ops.sqrt(y), name=label)
                 for (both, x, y), label in zip(zip(*pairs), ('pearson_r', 'update_op'))]
        return collected(metrics_collections, found[0]), collected(updates_collections, found[1])
