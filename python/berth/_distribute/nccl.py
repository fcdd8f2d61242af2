"""nccl - Values of several GPUs put together: tf.contrib.nccl, and what strategies use of it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, Callable

from berth.eager import function
from berth.framework import gen, scopes
from berth.ops import array_ops, order_ops

_numbers = itertools.count()


def all_sum(tensors: Sequence[Any]) -> list[Any]:
    """Returns the sum of |tensors| where each of them is."""
    return _all_reduced('sum', tensors)


def all_prod(tensors: Sequence[Any]) -> list[Any]:
    """Returns the product of |tensors| where each of them is."""
    return _all_reduced('prod', tensors)


def all_min(tensors: Sequence[Any]) -> list[Any]:
    """Returns the least of |tensors|, element by element, where each of them is."""
    return _all_reduced('min', tensors)


def all_max(tensors: Sequence[Any]) -> list[Any]:
    """Returns the largest of |tensors|, element by element, where each of them is."""
    return _all_reduced('max', tensors)


def reduce_sum(tensors: Sequence[Any]) -> Any:
    """Returns the sum of |tensors| on the device in force, which has to be that of one of them."""
    if not tensors:
        raise ValueError('Must pass >0 tensors to reduce operations')
    for tensor in tensors:
        _check_device(tensor)
    total = gen.apply('NcclReduce', None, {'input': list(tensors)}, {'reduction': 'sum'})
    if all(tensor.device != total.device for tensor in tensors):
        raise ValueError('One input tensor must be assigned to current device')
    return total


def broadcast(tensor: Any) -> Any:
    """Returns |tensor| for other devices to read."""
    _check_device(tensor)
    with scopes.device(tensor.device):
        return gen.apply('NcclBroadcast', None, {'input': tensor}, {'shape': tensor.shape})


def _check_device(tensor: Any) -> None:
    if not tensor.device:
        raise ValueError(f'Device assignment for tensor={tensor} required for nccl collective ops')


def _all_reduced(reduction: str, tensors: Sequence[Any]) -> list[Any]:
    if not tensors:
        raise ValueError('Must pass >0 tensors to all reduce operations')
    for tensor in tensors:
        _check_device(tensor)
    places = tuple(tensor.device for tensor in tensors)
    if scopes.executing_eagerly():
        return list(_at_once(reduction, places)(list(tensors)))
    return _nodes(reduction, tensors, places)


def _nodes(reduction: str, tensors: Sequence[Any], places: Sequence[str]) -> list[Any]:
    """Makes a node on each of |places|; they belong together by their name."""
    name, made = f'c{next(_numbers)}', []
    for tensor, place in zip(tensors, places):
        with scopes.device(place):
            made.append(gen.apply('NcclAllReduce', None, {'input': tensor}, {
                'reduction': reduction, 'num_devices': len(tensors), 'shared_name': name}))
    return made


@functools.lru_cache(maxsize=None)
def _at_once(reduction: str, places: tuple[str, ...]) -> Callable[[list[Any]], list[Any]]:
    """Returns a function that does it in one call: a node alone would wait for the others."""
    return function.function(lambda tensors: _nodes(reduction, tensors, places), autograph=False)


# ---- For strategies ----


def sums(rows: Sequence[Sequence[Any]], places: Sequence[str]) -> list[list[Any]]:
    """Returns the sum of each of |rows|, whose values are on |places|, on all of them."""
    if scopes.executing_eagerly():
        return [list(row) for row in _rows_at_once(tuple(places))([list(row) for row in rows])]
    return _rows(rows, places)


def _rows(rows: Sequence[Sequence[Any]], places: Sequence[str]) -> list[list[Any]]:
    made = [_nodes('sum', row, places) for row in rows]
    return made if len(made) == 1 else _joined(made, places)


def _joined(rows: list[list[Any]], places: Sequence[str]) -> list[list[Any]]:
    """Makes whoever reads one of |rows| come after all: changes of variables are then made together."""
    barrier = order_ops.group(*[tensor for row in rows for tensor in row])
    with scopes.control_dependencies([barrier]):
        found = []
        for row in rows:
            passed = []
            for tensor, place in zip(row, places):
                with scopes.device(place):
                    passed.append(array_ops.identity(tensor))
            found.append(passed)
        return found


@functools.lru_cache(maxsize=None)
def _rows_at_once(places: tuple[str, ...]) -> Callable[[list[list[Any]]], list[list[Any]]]:
    return function.function(lambda rows: _rows(rows, places), autograph=False)
