"""input_sparse - Sparse tensors on their way through the queues of tf.train.batch and its kin.

What a queue gets of a sparse tensor is a number; the tensor waits in a map that the operation of
the first source names. What is taken out is made of all that a batch has numbers of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

from berth.framework import convert, dtypes
from berth.ops import array_ops, flow_ops, order_ops, sparse_ops, sparse_store
from berth.ops.sparse_tensor import SparseTensor


class Stored(NamedTuple):
    """Where a sparse tensor was put away, and its rank; of a dense one, nothing."""

    op: Any = None
    rank: Optional[int] = None


def when(keep: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Does one of two things: at once, where it is known which, and else in a run."""
    known = convert.constant_value(keep)
    if known is not None:
        return yes() if known else no()
    return flow_ops.cond(keep, yes, no)


def _numbers(value: Any, keep: Any, many: bool, shared: Optional[str]) -> Any:
    """Returns the number, or numbers, that a sparse tensor is put away under; -1 for what is not kept."""
    if keep.shape.ndims == 1:
        rows = array_ops.gather(keep, value.indices[:, 0])
        return sparse_store.store_rows(sparse_ops.retain(value, rows), shared)
    if not many:
        return when(keep, lambda: sparse_store.store(value, shared), lambda: convert.constant(-1, dtypes.int64))
    found = when(keep, lambda: sparse_store.store_rows(value, shared),
                 lambda: -1 * array_ops.ones(array_ops.shape(value)[0:1], dtypes.int64))
    found.set_shape([None])
    return found


def _storing(number: Any) -> Any:
    """Returns the operation that put something away: behind a branch, or the tensor's own."""
    return next((each.op for each in number.op.inputs if sparse_store.is_storing(each.op)), number.op)


def store(examples: list[list[Any]], keep: Any, many: bool) -> tuple[list[list[Any]], list[Stored]]:
    """Returns examples with numbers in the place of sparse tensors, and where those are; all use the first's maps."""
    first: list[Stored] = []
    made = []
    for example in examples:
        shared = [each.op for each in first] or [None] * len(example)
        numbers = [_numbers(value, keep, many, op and op.name) if isinstance(value, SparseTensor) else value
                   for value, op in zip(example, shared)]
        own = [Stored(op or _storing(number), _rank(value, many)) if isinstance(value, SparseTensor) else Stored()
               for value, number, op in zip(example, numbers, shared)]
        first = first or own
        if not _are_alike(first, own):
            raise ValueError(f'Inconsistent SparseTensors list: {examples[0]} vs. {example}')
        made.append([array_ops.expand_dims(number, [-1]) if where.op is not None else number
                     for number, where in zip(numbers, own)])
    return made, first


def _rank(value: Any, many: bool) -> Optional[int]:
    rank = value.dense_shape.shape.with_rank(1).as_list()[0]
    return rank - 1 if many and rank is not None else rank


def _are_alike(first: list[Stored], other: list[Stored]) -> bool:
    return len(first) == len(other) and all(
        (a.op is None) == (b.op is None) and (a.rank == b.rank or None in (a.rank, b.rank))
        for a, b in zip(first, other))


def restore(found: Any, stored: list[Stored]) -> Any:
    """Returns what a queue gave with sparse tensors where they were; each is there only when all are."""
    if not any(each.op is not None for each in stored):
        return found
    is_list = isinstance(found, Sequence)
    parts = [sparse_store.restore(where.op, array_ops.squeeze(part, [1]),
                                  None if where.rank is None else where.rank + 1) if where.op is not None else part
             for part, where in zip(found if is_list else (found,), stored)]
    all_values = [part.values if isinstance(part, SparseTensor) else part for part in parts]
    after = [_after(all_values, part) for part in parts]
    return after if is_list else parts[0]  # As TensorFlow does: one alone need not wait for itself.


def _after(all_values: list[Any], part: Any) -> Any:
    if not isinstance(part, SparseTensor):
        return order_ops.with_dependencies(all_values, part)
    return SparseTensor(*(order_ops.with_dependencies(all_values, each)
                          for each in (part.indices, part.values, part.dense_shape)))
