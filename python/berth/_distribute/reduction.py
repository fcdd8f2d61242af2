"""reduction - Sums and means of what replicas have, and where the result goes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from berth import _core as core
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


def combine(op: ReduceOp, parts: Sequence[Any], device: str, add: Any = math_ops.add_n) -> Any:
    """Returns the sum, as |add| makes it, or mean of |parts| on |device|."""
    with scopes.device(device):
        if any(isinstance(part, IndexedSlices) for part in parts):
            return _combine_rows(op, parts)
        total = parts[0] if len(parts) == 1 else add(list(parts))
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


def _parts_of(value: Any) -> Sequence[Any]:
    """Returns what replicas have of |value|."""
    return value.values if isinstance(value, values.DistributedValues) else (value,)


class CrossDeviceOps:
    """How values of several devices are put together: on one of them, and copied."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None) -> Any:
        """Returns the sum or mean of |per_replica_value| where |destinations| are."""
        return self.batch_reduce(reduce_op, [(per_replica_value, destinations)])[0]

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values."""
        op = as_op(reduce_op)
        return [self._reduced(op, _parts_of(value), devices_of(where), i)
                for i, (value, where) in enumerate(value_destination_pairs)]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Returns |tensor| where |destinations| are."""
        devices = devices_of(destinations)
        return spread(tensor, devices)

    def _reduced(self, op: ReduceOp, parts: Sequence[Any], devices: Sequence[str], number: int) -> Any:
        """Reduces value |number| of several."""
        total = combine(op, parts, devices[0])
        return spread(total, devices) if len(devices) > 1 else total


@naming.public('distribute.cross_device_ops')
class ReductionToOneDevice(CrossDeviceOps):
    """Sums on one device, and copies."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn or math_ops.add_n

    def _reduced(self, op: ReduceOp, parts: Sequence[Any], devices: Sequence[str], number: int) -> Any:
        place = self.reduce_to_device or devices[0]
        total = combine(op, parts, place, self.accumulation_fn)
        return total if devices == (place,) else spread(total, devices)


class _AllReduce(CrossDeviceOps):
    """Sums between devices."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f'num_packs must be greater than or equal to zero, got {num_packs}.')
        self._num_packs = num_packs


@naming.public('distribute.cross_device_ops')
class NcclAllReduce(_AllReduce):
    """Sums between the cards of a machine, each value as soon as it is there."""

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """Returns the sums or means of several values where their destinations are."""
        from berth._distribute import nccl

        op, pairs = as_op(reduce_op), list(value_destination_pairs)
        found: list[Any] = [None] * len(pairs)
        by_places: dict[tuple[str, ...], list[int]] = {}
        for i, (value, where) in enumerate(pairs):
            devices = devices_of(where)
            if _is_direct(_parts_of(value), devices):
                by_places.setdefault(devices, []).append(i)
            else:
                found[i] = self._reduced(op, _parts_of(value), devices, i)
        for devices, numbers in by_places.items():
            rows = nccl.sums([_parts_of(pairs[i][0]) for i in numbers], devices)
            for i, row in zip(numbers, rows):
                found[i] = _shared(op, row, devices)
        return found


@naming.public('distribute.cross_device_ops')
class HierarchicalCopyAllReduce(_AllReduce):
    """Sums by copies between devices: of several values each is summed on another device than the one before."""

    def _reduced(self, op: ReduceOp, parts: Sequence[Any], devices: Sequence[str], number: int) -> Any:
        total = combine(op, parts, devices[number % len(devices)])
        return spread(total, devices) if len(devices) > 1 else total


def _shared(op: ReduceOp, sums: Sequence[Any], devices: Sequence[str]) -> Any:
    """Returns sums that all devices have as one value, or means."""
    made = []
    for total, device in zip(sums, devices):
        with scopes.device(device):
            made.append(total / _count(len(sums), total) if op is ReduceOp.MEAN else total)
    return values.regroup(made, values.Mirrored)


_NCCL_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def _is_direct(parts: Sequence[Any], devices: Sequence[str]) -> bool:
    """True when |parts| are tensors on the cards |devices|, one on each."""
    return (len(parts) == len(devices) > 1 and all(hasattr(part, 'dtype') and not isinstance(part, IndexedSlices)
                                                   and part.dtype in _NCCL_TYPES for part in parts)
            and have_cards(devices))


def have_cards(devices: Sequence[str]) -> bool:
    """True when each of |devices| is a GPU on a card of its own."""
    if not all(':GPU:' in device.upper() for device in devices):
        return False
    cards = [core.device_card(core.complete_name(device)) for device in devices]
    return len(set(cards)) == len(cards)


def usual(devices: Sequence[str]) -> CrossDeviceOps:
    """Returns how a strategy sums on |devices| unless it is told."""
    return NcclAllReduce() if len(devices) > 1 and have_cards(devices) else ReductionToOneDevice()


def devices_of(destinations: Any) -> tuple[str, ...]:
    """Returns the devices that |destinations| (names, values, a variable) are on."""
    if isinstance(destinations, str):
        return (destinations,)
    if isinstance(destinations, values.DistributedValues):
        return tuple(item.device for item in destinations.values)
    if isinstance(destinations, (list, tuple)):
        return tuple(destinations)
    return (destinations.device,)
