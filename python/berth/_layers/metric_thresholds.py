"""metric_thresholds.py - Metrics of predictions that are cut at thresholds: tf.metrics.auc and its kin."""

from __future__ import annotations

from typing import Any, Callable

from berth._layers.metric_parts import collected, fitting, in_graphs_only, variable
from berth.base import logging
from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, check_ops, math_ops, reduce_ops, state_ops, weight_ops
from berth.variables.scope import variable_scope

_TINY = 1e-7
# What is counted: the name of the variable, and whether labels and predictions are true.
_KINDS = {'tp': ('true_positives', True, True), 'fn': ('false_negatives', True, False),
          'tn': ('true_negatives', False, False), 'fp': ('false_positives', False, True)}


def _thresholds(count: int, last: float = 1.0 + _TINY) -> list[float]:
    """Returns |count| thresholds, evenly spread, the outer ones outside of what can be predicted."""
    return [0.0 - _TINY] + [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)] + [last]


def _in_range(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Returns predictions once they are seen to be in [0, 1], with labels and weights that fit."""
    message = 'predictions must be in [0, 1]'
    low = check_ops.assert_greater_equal(predictions, math_ops.cast(0.0, predictions.dtype), message=message)
    high = check_ops.assert_less_equal(predictions, math_ops.cast(1.0, predictions.dtype), message=message)
    with scopes.control_dependencies([low, high]):
        numbers = math_ops.cast(predictions, dtypes.float32)
        return fitting(numbers, math_ops.cast(labels, dtypes.bool), weights)


def _confusion(labels: Any, predictions: Any, thresholds: list[float], weights: Any = None,
               kinds: tuple[str, ...] = tuple(_KINDS)) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns by kind how often it happened at each threshold, and the ops that add to that."""
    predictions, labels, weights = _in_range(predictions, labels, weights)
    count = len(thresholds)
    column = array_ops.reshape(predictions, [-1, 1])
    row = array_ops.reshape(math_ops.cast(labels, dtypes.bool), [1, -1])
    examples = column.shape.as_list()[0]
    if examples is None:
        examples = array_ops.shape(column)[0]
    limits = array_ops.tile(array_ops.expand_dims(convert.constant(thresholds), [1]),
                            array_ops.stack([1, examples]))
    predicted: dict[bool, Any] = {}
    wanted: dict[bool, Any] = {}
    predicted[True] = math_ops.greater(array_ops.tile(array_ops.transpose(column), [count, 1]), limits)
    if 'fn' in kinds or 'tn' in kinds:
        predicted[False] = math_ops.logical_not(predicted[True])
    wanted[True] = array_ops.tile(row, [count, 1])
    if 'fp' in kinds or 'tn' in kinds:
        wanted[False] = math_ops.logical_not(wanted[True])
    if weights is not None:
        weights = weight_ops.broadcast_weights(math_ops.cast(weights, dtypes.float32), predictions)
        weights = array_ops.tile(array_ops.reshape(weights, [1, -1]), [count, 1])
        limits.shape.assert_is_compatible_with(weights.shape)
    values, updates = {}, {}
    for kind, (name, label, prediction) in _KINDS.items():
        if kind in kinds:
            values[kind] = variable([count], dtypes.float32, name=name)
            holds = math_ops.cast(math_ops.logical_and(wanted[label], predicted[prediction]), dtypes.float32)
            holds = holds if weights is None else holds * weights
            updates[kind] = state_ops.assign_add(values[kind], reduce_ops.reduce_sum(holds, 1))
    return values, updates


# ---- Counts ----


def _counter(kind: str) -> Any:
    scope_name = _KINDS[kind][0]
    public = f'{scope_name}_at_thresholds'

    @in_graphs_only(public)
    def function(labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
                 updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
        with variable_scope(name, scope_name, [predictions, labels, weights]):
            values, updates = _confusion(labels, predictions, thresholds, weights, (kind,))
            value = collected(metrics_collections, array_ops.identity(values[kind]))
            return value, collected(updates_collections, updates[kind])

    function.__name__ = function.__qualname__ = public
    function.__doc__ = f'Returns the {scope_name.replace("_", " ")} at each threshold.'
    return function


true_positives_at_thresholds = _counter('tp')
false_negatives_at_thresholds = _counter('fn')
true_negatives_at_thresholds = _counter('tn')
false_positives_at_thresholds = _counter('fp')


def _share(public: str, other: str, labels: Any, predictions: Any, thresholds: Any, weights: Any,
           metrics_collections: Any, updates_collections: Any, name: str | None) -> tuple[Any, Any]:
    """Returns the true positives at each threshold by themselves and another kind."""
    with variable_scope(name, f'{public}_at_thresholds', [predictions, labels, weights]):
        values, updates = _confusion(labels, predictions, thresholds, weights, ('tp', other))

        def part(found: dict[str, Any], suffix: str) -> Any:
            return math_ops.divide(found['tp'], _TINY + found['tp'] + found[other], name=f'{public}_{suffix}')

        value = collected(metrics_collections, part(values, 'value'))
        return value, collected(updates_collections, part(updates, 'update_op'))


@in_graphs_only('precision_at_thresholds')
def precision_at_thresholds(labels: Any, predictions: Any, thresholds: Any, weights: Any = None,
                            metrics_collections: Any = None, updates_collections: Any = None,
                            name: str | None = None) -> tuple[Any, Any]:
    """Returns for each threshold the part of what was predicted true that is true."""
    return _share('precision', 'fp', labels, predictions, thresholds, weights, metrics_collections,
                  updates_collections, name)


@in_graphs_only('recall_at_thresholds')
def recall_at_thresholds(labels: Any, predictions: Any, thresholds: Any, weights: Any = None,
                         metrics_collections: Any = None, updates_collections: Any = None,
                         name: str | None = None) -> tuple[Any, Any]:
    """Returns for each threshold the part of what is true that was predicted so."""
    return _share('recall', 'fn', labels, predictions, thresholds, weights, metrics_collections,
                  updates_collections, name)


# ---- Areas under curves ----


@in_graphs_only('auc')
def auc(labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200,
        metrics_collections: Any = None, updates_collections: Any = None, curve: str = 'ROC',
        name: str | None = None, summation_method: str = 'trapezoidal', thresholds: Any = None) -> tuple[Any, Any]:
    """Returns the area under a curve of two shares, over all thresholds."""
    with variable_scope(name, 'auc', [labels, predictions, weights]):
        if curve not in ('ROC', 'PR'):
            raise ValueError(f'Curve must be either ROC or PR. Curve {curve} is unknown.')
        limits = _thresholds(num_thresholds)
        if thresholds is not None:
            limits = [limits[0], *sorted(thresholds), limits[-1]]
        values, updates = _confusion(labels, predictions, limits, weights)
        value = collected(metrics_collections, _area(values, curve, summation_method, len(limits), 'value'))
        update = _area(updates, curve, summation_method, len(limits), 'update_op')
        return value, collected(updates_collections, update)


def _area(found: dict[str, Any], curve: str, method: str, count: int, name: str) -> Any:
    """Returns the area under a curve by counts at each threshold."""
    tp, fn, tn, fp = (found[kind] for kind in ('tp', 'fn', 'tn', 'fp'))
    if curve == 'PR' and method == 'careful_interpolation':
        return _interpolated(tp, fp, fn, count)
    if curve == 'PR' and method == 'trapezoidal':
        logging.warning('Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to '
                        '"careful_interpolation" instead.')
    tiny = 1e-6
    recall = math_ops.divide(tp + tiny, tp + fn + tiny)
    if curve == 'ROC':
        x, y = math_ops.divide(fp, fp + tn + tiny), recall
    else:
        x, y = recall, math_ops.divide(tp + tiny, tp + fp + tiny)
    heights: dict[str, Callable[[], Any]] = {
        'trapezoidal': lambda: (y[:count - 1] + y[1:]) / 2.0,
        'minoring': lambda: math_ops.minimum(y[:count - 1], y[1:]),
        'majoring': lambda: math_ops.maximum(y[:count - 1], y[1:])}
    heights['careful_interpolation'] = heights['trapezoidal']
    if method not in heights:
        raise ValueError(f"Invalid summation_method: {method} summation_method should be 'trapezoidal', "
                         "'careful_interpolation', 'minoring', or 'majoring'.")
    return reduce_ops.reduce_sum(math_ops.multiply(x[:count - 1] - x[1:], heights[method]()), name=name)


def _interpolated(tp: Any, fp: Any, fn: Any, count: int) -> Any:
    """Returns the area under precision and recall, where counts between thresholds lie on lines."""
    step = tp[:count - 1] - tp[1:]
    positives = tp + fp
    slope = math_ops.div_no_nan(step, math_ops.maximum(positives[:count - 1] - positives[1:], 0), name='prec_slope')
    start = tp[1:] - math_ops.multiply(slope, positives[1:])
    is_there = math_ops.logical_and(positives[:count - 1] > 0, positives[1:] > 0)
    ratio = math_ops.div_no_nan(positives[:count - 1], math_ops.maximum(positives[1:], 0),
                                name='recall_relative_ratio')
    ratio = array_ops.where(is_there, ratio, array_ops.ones_like(positives[1:]))
    parts = math_ops.div_no_nan(slope * (step + start * math_ops.log(ratio)),
                                math_ops.maximum(tp[1:] + fn[1:], 0), name='pr_auc_increment')
    return reduce_ops.reduce_sum(parts, name='interpolate_pr_auc')


# ---- One share where another has a value ----


def _at(scope_name: str, share: Callable[[dict[str, Any], str], Any], limits: list[float], labels: Any,
        predictions: Any, weights: Any, metrics_collections: Any, updates_collections: Any,
        name: str | None) -> tuple[Any, Any]:
    with variable_scope(name, scope_name, [predictions, labels, weights]):
        values, updates = _confusion(labels, predictions, limits, weights)
        value = collected(metrics_collections, share(values, 'value'))
        return value, collected(updates_collections, share(updates, 'update_op'))


@in_graphs_only('sensitivity_at_specificity')
def sensitivity_at_specificity(labels: Any, predictions: Any, specificity: float, weights: Any = None,
                               num_thresholds: int = 200, metrics_collections: Any = None,
                               updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the sensitivity at the threshold whose specificity is nearest."""
    if specificity < 0 or specificity > 1:
        raise ValueError(f'`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.')

    def share(found: dict[str, Any], label: str) -> Any:
        tp, tn, fp, fn = (found[kind] for kind in ('tp', 'tn', 'fp', 'fn'))
        reached = math_ops.divide(tn, tn + fp + _TINY)
        place = math_ops.argmin(math_ops.abs(reached - specificity), 0)
        place = math_ops.cast(place, dtypes.int32)
        return math_ops.divide(tp[place], tp[place] + fn[place] + _TINY, label)

    return _at('sensitivity_at_specificity', share, _thresholds(num_thresholds), labels, predictions, weights,
               metrics_collections, updates_collections, name)


@in_graphs_only('specificity_at_sensitivity')
def specificity_at_sensitivity(labels: Any, predictions: Any, sensitivity: float, weights: Any = None,
                               num_thresholds: int = 200, metrics_collections: Any = None,
                               updates_collections: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """Returns the specificity at the last threshold whose sensitivity is nearest."""
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(f'`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.')

    def share(found: dict[str, Any], label: str) -> Any:
        tp, tn, fp, fn = (found[kind] for kind in ('tp', 'tn', 'fp', 'fn'))
        reached = math_ops.divide(tp, tp + fn + _TINY)
        least = reduce_ops.reduce_min(math_ops.abs(reached - sensitivity))
        is_least = math_ops.cast(math_ops.equal(math_ops.abs(reached - sensitivity), least), dtypes.int64)
        place = math_ops.cast(math_ops.argmax(math_ops.cumsum(is_least), 0), dtypes.int32)
        return math_ops.divide(tn[place], tn[place] + fp[place] + _TINY, label)

    limits = _thresholds(num_thresholds, 1.0 - _TINY)
    return _at('specificity_at_sensitivity', share, limits, labels, predictions, weights, metrics_collections,
               updates_collections, name)
