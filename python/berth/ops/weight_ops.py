"""weight_ops.py - Weights of values: whether they can be broadcast, and shapes that differ by a last 1."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, scopes
from berth.ops import array_ops, flow_ops, math_ops, order_ops, sets_ops

_REFUSED = 'weights can not be broadcast to values.'


def last_may_be_one(x: Any) -> bool:
    """True unless the last size of |x| is known to be another than 1."""
    return x.shape.rank is None or x.shape.rank > 0 and x.shape.as_list()[-1] in (1, None)


def squeezed_where(condition: Any, x: Any) -> Any:
    """Drops the last dimension where |condition| holds."""
    return flow_ops.cond(condition, lambda: array_ops.squeeze(x, [-1]), lambda: x)


def remove_squeezable_dimensions(labels: Any, predictions: Any, expected_rank_diff: int = 0,
                                 name: str | None = None) -> tuple[Any, Any]:
    """Drops a last dimension of 1 where labels and predictions otherwise differ in rank."""
    with scopes.name_scope(name, 'remove_squeezable_dimensions', [labels, predictions]):
        predictions, labels = convert.convert_to_tensor(predictions), convert.convert_to_tensor(labels)
        ranks = predictions.shape.rank, labels.shape.rank
        if None not in ranks:
            more = ranks[0] - ranks[1] - expected_rank_diff
            if more == 1 and last_may_be_one(predictions):
                predictions = array_ops.squeeze(predictions, [-1])
            elif more == -1 and last_may_be_one(labels):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        difference = array_ops.rank(predictions) - array_ops.rank(labels)
        if last_may_be_one(predictions):
            predictions = squeezed_where(math_ops.equal(expected_rank_diff + 1, difference), predictions)
        if last_may_be_one(labels):
            labels = squeezed_where(math_ops.equal(expected_rank_diff - 1, difference), labels)
        return labels, predictions


class _Measured:
    """A value with its shape and rank, as nodes and as far as they are known."""

    def __init__(self, value: Any, label: str) -> None:
        with scopes.name_scope(None, label, [value]) as scope:
            self.value = convert.convert_to_tensor(value, name=scope)
            self.shape = array_ops.shape(self.value, name='shape')
            self.rank = array_ops.rank(self.value, name='rank')
        self.known_rank = self.value.shape.rank
        self.known_shape = convert.constant_value(self.shape) if self.known_rank is not None else None


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """Returns an op that fails unless weights are one number, or have for each size of values that size or 1."""
    with scopes.name_scope(None, 'assert_broadcastable', [weights, values]) as scope:
        ours, theirs = _Measured(weights, 'weights'), _Measured(values, 'values')
        if ours.known_rank is not None and theirs.known_rank is not None:
            if ours.known_rank == 0:
                return order_ops.no_op(name='static_scalar_check_success')
            _check_known(ours, theirs)
            if ours.known_shape is not None and theirs.known_shape is not None:
                return order_ops.no_op(name='static_dims_check_success')
        is_scalar = math_ops.equal(0, ours.rank, name='is_scalar')
        shown = [_REFUSED, 'weights.shape=', ours.value.name, ours.shape, 'values.shape=', theirs.value.name,
                 theirs.shape, 'is_scalar=', is_scalar]
        holds = flow_ops.cond(is_scalar, lambda: is_scalar, lambda: _has_valid_shape(ours, theirs),
                              name='is_valid_shape')
        return flow_ops.Assert(holds, shown, name=scope)


def _check_known(ours: _Measured, theirs: _Measured) -> None:
    """Raises for what can never be broadcast."""
    received = f'Received weights={ours.value}, values={theirs.value}'
    if ours.known_rank != theirs.known_rank:
        raise ValueError(f'{_REFUSED} values.rank={theirs.known_rank}. weights.rank={ours.known_rank}. '
                         f'values.shape={theirs.value.shape}. weights.shape={ours.value.shape}. {received}')
    if ours.known_shape is None or theirs.known_shape is None:
        return
    for place, (size, wanted) in enumerate(zip(ours.known_shape, theirs.known_shape)):
        if size not in (1, wanted):
            raise ValueError(f'{_REFUSED} Mismatch at dim {place}. values.shape={theirs.known_shape}, '
                             f'weights.shape={ours.known_shape}. {received}')


def _has_valid_shape(ours: _Measured, theirs: _Measured) -> Any:
    """Tells whether the ranks are the same, and then the sizes fit."""
    given = [ours.rank, ours.shape, theirs.rank, theirs.shape]
    with scopes.name_scope(None, 'has_valid_nonscalar_shape', given) as scope:
        same = math_ops.equal(theirs.rank, ours.rank, name='is_same_rank')
        return flow_ops.cond(same, lambda: _has_valid_dims(ours.shape, theirs.shape), lambda: same, name=scope)


def _has_valid_dims(weights: Any, values: Any) -> Any:
    """Tells whether each size of weights is 1 or that of values."""
    with scopes.name_scope(None, 'has_invalid_dims', [weights, values]) as scope:
        column = array_ops.expand_dims(values, -1)
        allowed = array_ops.concat([column, array_ops.ones_like(column)], axis=1)
        others = sets_ops.difference(array_ops.expand_dims(weights, -1), allowed)
        count = array_ops.size(others.values, name='num_invalid_dims')
        return math_ops.equal(0, count, name=scope)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Returns weights in the shape of values."""
    with scopes.name_scope(None, 'broadcast_weights', [weights, values]) as scope:
        values = convert.convert_to_tensor(values, name='values')
        weights = convert.convert_to_tensor(weights, dtype=values.dtype.base_dtype, name='weights')
        shapes = weights.shape, values.shape
        if all(shape.is_fully_defined() for shape in shapes) and shapes[0].is_compatible_with(shapes[1]):
            return weights
        with scopes.control_dependencies([assert_broadcastable(weights, values)]):
            return math_ops.multiply(weights, array_ops.ones_like(values), name=scope)
