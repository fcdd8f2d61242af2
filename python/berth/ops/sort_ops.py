"""sort_ops - Sorting, made of TopKV2 as in TensorFlow."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, gen, scopes, static_value
from berth.ops import array_ops, math_ops, nn_ops


def sort(values: Any, axis: Any = -1, direction: str = 'ASCENDING', name: str | None = None) -> Any:
    """Sorts along one axis."""
    if scopes.executing_eagerly():
        return _sort(values, axis, direction, False)
    with scopes.name_scope(name, 'sort'):
        return _sort(values, axis, direction, False)


def argsort(values: Any, axis: Any = -1, direction: str = 'ASCENDING', stable: bool = False,
            name: str | None = None) -> Any:
    """Returns the indices that would sort along one axis."""
    del stable  # It always is.
    if scopes.executing_eagerly():
        return _sort(values, axis, direction, True)
    with scopes.name_scope(name, 'argsort'):
        return _sort(values, axis, direction, True)


def _sort(values: Any, axis: Any, direction: str, wants_indices: bool) -> Any:
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise ValueError('Argument `direction` should be one of ASCENDING, DESCENDING. '
                         f'Received: direction={direction}')
    fixed = static_value.get_static_value(axis) if convert.is_tensor(axis) else axis
    if fixed is None:
        raise ValueError('`axis` must be constant.')
    values = convert.convert_to_tensor(values)
    if direction == 'DESCENDING':
        return _descending(values, int(fixed), wants_indices)
    # The largest of the mirrored values are the smallest; integers are mirrored so that none overflows.
    if values.dtype.is_unsigned:
        mirror = _mirror_of(values.dtype.max)
    elif values.dtype.is_integer:
        mirror = _mirror_of(-1)
    else:
        mirror = math_ops.negative
    found = _descending(mirror(values), int(fixed), wants_indices)
    return found if wants_indices else mirror(found)


def _mirror_of(offset: int) -> Any:
    return lambda values: math_ops.subtract(convert.convert_to_tensor(offset, values.dtype), values)


def _descending(values: Any, axis: int, wants_indices: bool) -> Any:
    """Sorts along |axis|, which changes places with the last one meanwhile."""
    count = array_ops.shape(values)[axis]
    rank = values.shape.rank
    if rank is None and axis != -1:
        raise ValueError('Sorting along another axis than the last needs values of known rank.')
    if axis == -1 or axis % rank == rank - 1:
        return _top(values, count, wants_indices)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return array_ops.transpose(_top(array_ops.transpose(values, order), count, wants_indices), order)


def _top(values: Any, count: Any, wants_indices: bool) -> Any:
    best = nn_ops.top_k(values, count)
    return best.indices if wants_indices else best.values


def approx_max_k(operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
                 reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
                 name: str | None = None) -> Any:
    """Returns the |k| largest values along one axis, and where they are: all of them, not most."""
    if reduction_dimension == -1:
        return gen.apply('ApproxTopK', name, {'input': operand}, {
            'k': k, 'reduction_dimension': -1, 'recall_target': recall_target, 'is_max_k': True,
            'reduction_input_size_override': reduction_input_size_override, 'aggregate_to_topk': aggregate_to_topk})
    return _best(operand, k, reduction_dimension, aggregate_to_topk, name, True)


def approx_min_k(operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
                 reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
                 name: str | None = None) -> Any:
    """Returns the |k| smallest values along one axis, and where they are: all of them, not most."""
    del recall_target, reduction_input_size_override
    return _best(operand, k, reduction_dimension, aggregate_to_topk, name, False)


def _best(operand: Any, k: int, axis: int, aggregates: bool, name: Any, is_max: bool) -> Any:
    if not aggregates:
        raise NotImplementedError('tf.math.approx_max_k: Berth gives the k values, without more beside them.')
    with scopes.name_scope(name, 'ApproxTopK', [operand]):
        x = convert.convert_to_tensor(operand)
        if not x.dtype.is_floating:
            raise TypeError(f'tf.math.approx_max_k takes floating-point numbers, not {x.dtype.name}')
        order = _order_with_last(x, axis)
        swapped = x if order is None else array_ops.transpose(x, order)
        values, places = nn_ops.top_k(swapped if is_max else -swapped, k)
        values = values if is_max else -values
        if order is not None:
            values, places = array_ops.transpose(values, order), array_ops.transpose(places, order)
        return gen.tuple_named('ApproxTopK')(values, places)


def _order_with_last(x: Any, axis: int) -> Any:
    """Returns an order of axes that swaps |axis| with the last one; None where it is that."""
    rank = x.shape.rank
    if axis == -1:
        return None
    if rank is None:
        raise NotImplementedError('tf.math.approx_max_k: Berth needs the number of dimensions.')
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return None if order == sorted(order) else order
