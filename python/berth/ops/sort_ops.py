"""sort_ops - Sorting, made of TopKV2 as in TensorFlow."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, scopes, static_value
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
