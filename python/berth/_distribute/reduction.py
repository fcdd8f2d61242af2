"""reduction - Sums and means of what replicas have, and where the result goes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from berth._distribute import values
from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, math_ops, reduce_ops


@naming.public('distribute.reduce_util')
class ReduceOp(enum.Enum):
    """What becomes of the values of several replicas."""

    SUM = 'SUM'
    MEAN = 'MEAN'

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> 'ReduceOp':
        """Returns what stands for a way in which copies of a variable become one."""
        found = {1: ReduceOp.SUM, 2: ReduceOp.MEAN}.get(aggregation.value)
        if found is None:
            raise ValueError(f'Could not convert from `tf.VariableAggregation` {aggregation} to'
                             '`tf.distribute.ReduceOp` type')
        return found


def as_op(reduce_op: Any) -> ReduceOp:
    """Returns |reduce_op|, which may be its name."""
    return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op


def combine(op: ReduceOp, parts: Sequence[Any], device: str) -> Any:
    """Returns the sum or mean of |parts| on |device|."""
    with scopes.device(device):
        if any(isinstance(part, IndexedSlices) for part in parts):
            return _combine_rows(op, parts)
        total = parts[0] if len(parts) == 1 else math_ops.add_n(list(parts))
        total = convert.convert_to_tensor(total)
        return total / _count(len(parts), total) if op is ReduceOp.MEAN and len(parts) > 1 else array_ops.identity(total)


def _count(count: int, like: Any) -> Any:
    return math_ops.cast(count, like.dtype) if like.dtype.is_floating or like.dtype.is_complex else count


def _combine_rows(op: ReduceOp, parts: Sequence[Any]) -> IndexedSlices:
    """Puts rows of several replicas one after the other."""
    rows = [part for part in parts if isinstance(part, IndexedSlices)]
    if len(rows) != len(parts):
        raise ValueError('IndexedSlices and tensors cannot be reduced together.')
    numbers = array_ops.concat([row.values for row in rows], 0)
    if op is ReduceOp.MEAN:
        numbers = numbers / _count(len(rows), numbers)
    return IndexedSlices(numbers, array_ops.concat([row.indices for row in rows], 0), rows[0].dense_shape)


def spread(value: Any, devices: Sequence[str]) -> Any:
    """Returns |value| on each of |devices|."""
    made = []
    for device in devices:
        with scopes.device(device):
            made.append(_copied(value))
    return values.regroup(made, values.Mirrored)


def _copied(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return IndexedSlices(array_ops.identity(value.values), array_ops.identity(value.indices), value.dense_shape)
    return array_ops.identity(value)


def along(op: ReduceOp, part: Any, axis: Any) -> Any:
    """Returns the sum of one replica's value along |axis|; for a mean, with how many there are."""
    part = convert.convert_to_tensor(part)
    total = reduce_ops.reduce_sum(part, axis)
    if op is ReduceOp.SUM:
        return total
    sizes = array_ops.shape(part, out_type=dtypes.int64)
    count = reduce_ops.reduce_prod(array_ops.gather(sizes, axis))
    return total, math_ops.cast(count, dtypes.float32 if not part.dtype.is_floating else part.dtype)


class CrossDeviceOps:
    """How values of several devices are put together."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None) -> Any:
        """Returns the sum or mean of |per_replica_value| where |destinations| are."""
        devices = devices_of(destinations)
        parts = per_replica_value.values if isinstance(per_replica_value, values.DistributedValues) else (
            per_replica_value,)
        total = combine(as_op(reduce_op), parts, devices[0])
        return spread(total, devices) if len(devices) > 1 else total

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values."""
        return [self.reduce(reduce_op, value, where) for value, where in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Returns |tensor| where |destinations| are."""
        devices = devices_of(destinations)
        return spread(tensor, devices)


@naming.public('distribute.cross_device_ops')
class ReductionToOneDevice(CrossDeviceOps):
    """Sums on one device, and copies."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


class _AllReduce(CrossDeviceOps):
    """Sums between devices."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f'num_packs must be greater than or equal to zero, got {num_packs}.')
        self._num_packs = num_packs


@naming.public('distribute.cross_device_ops')
class NcclAllReduce(_AllReduce):
    """Sums between devices."""


@naming.public('distribute.cross_device_ops')
class HierarchicalCopyAllReduce(_AllReduce):
    """Sums between devices."""


def devices_of(destinations: Any) -> tuple[str, ...]:
    """Returns the devices that |destinations| (names, values, a variable) are on."""
    if isinstance(destinations, str):
        return (destinations,)
    if isinstance(destinations, values.DistributedValues):
        return tuple(item.device for item in destinations.values)
    if isinstance(destinations, (list, tuple)):
        return tuple(destinations)
    return (destinations.device,)
