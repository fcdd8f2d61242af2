"""metrics.py - tf.contrib.metrics: what tf.metrics has, as streaming_*, with predictions before labels."""

from __future__ import annotations

from typing import Any, Callable

from berth._layers import metric_ranks, metric_thresholds
from berth._layers import metrics as later
from berth.framework import dtypes, scopes
from berth.ops import array_ops, math_ops, reduce_ops


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
