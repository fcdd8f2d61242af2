"""metric_parts.py - What metrics are made of: their variables, shapes that fit, what is added to collections."""

from __future__ import annotations

import functools
from typing import Any, Callable

from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, flow_ops, math_ops, state_ops, weight_ops
from berth.variables.graph_variable import VariableV1
from berth.variables.replicas import VariableAggregation, VariableSynchronization


def in_graphs_only(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a metric refuse, by |name|, where ops run at once."""
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(*values: Any, **options: Any) -> Any:
            if scopes.executing_eagerly():
                raise RuntimeError(f'tf.metrics.{name} is not supported when eager execution is enabled.')
            return function(*values, **options)
        return checked
    return decorate


def variable(shape: Any, dtype: Any, validate_shape: bool = True, name: str | None = None) -> Any:
    """Returns a local variable that a metric sums up in."""
    return VariableV1(  # type: ignore[call-arg]
        lambda: array_ops.zeros(shape, dtype), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], validate_shape=validate_shape,
        synchronization=VariableSynchronization.ON_READ, aggregation=VariableAggregation.SUM, name=name)


def collected(collections: Any, value: Any) -> Any:
    """Returns |value|, once it is in |collections|."""
    if collections:
        scopes.add_to_collections(collections, value)
    return value


def summed(amount: Any, dtype: Any, name: str) -> tuple[Any, Any]:
    """Returns a variable, and the op that adds to it."""
    total = variable([], dtype, name=name)
    return total, state_ops.assign_add(total, amount, name='update')


# ---- Shapes ----


def fitting(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Returns the three without a last dimension of 1 that the others do not have."""
    predictions = convert.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = weight_ops.remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert.convert_to_tensor(weights)
    ranks = weights.shape.rank, predictions.shape.rank
    if ranks[0] == 0:
        return predictions, labels, weights
    if None in ranks:
        return predictions, labels, _fitting_weights(weights, predictions)
    if ranks[0] - ranks[1] == 1:
        weights = array_ops.squeeze(weights, [-1])
    elif ranks[1] - ranks[0] == 1:
        weights = array_ops.expand_dims(weights, [-1])
    return predictions, labels, weights


def _fitting_weights(weights: Any, predictions: Any) -> Any:
    """The same for weights, where a rank is known only while running."""
    rank = array_ops.rank(weights)
    more = rank - array_ops.rank(predictions)

    def expanded() -> Any:
        return flow_ops.cond(math_ops.equal(more, -1), lambda: array_ops.expand_dims(weights, [-1]), lambda: weights)

    def squeezed() -> Any:
        return array_ops.squeeze(weights, [-1]) if weight_ops.last_may_be_one(weights) else weights

    def adjusted() -> Any:
        return flow_ops.cond(math_ops.equal(more, 1), squeezed, expanded)

    return flow_ops.cond(math_ops.equal(rank, 0), lambda: weights, adjusted)


def as_bools(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Returns predictions and labels as true and false, and all three fitting."""
    predictions = math_ops.cast(predictions, dtypes.bool)
    return fitting(predictions, math_ops.cast(labels, dtypes.bool), weights)
