"""sparse_merge.py - tf.sparse_merge: a sparse tensor whose last places are the values of another."""

from __future__ import annotations

from typing import Any

from berth.framework import dtypes, scopes
from berth.ops import array_ops, math_ops, sparse_ops
from berth.ops.sparse_tensor import SparseTensor


def sparse_merge(sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None,
                 already_sorted: bool = False) -> SparseTensor:
    """Returns the values of |sp_values| at the places that |sp_ids|, or several of them, say."""
    ids, sizes = _as_lists(sp_ids, vocab_size)
    with scopes.name_scope(name, 'SparseMerge', [*ids, sp_values]):
        columns = [array_ops.expand_dims(math_ops.cast(one.values, dtypes.int64), axis=1) for one in ids]
        sizes = [math_ops.cast(size, dtypes.int64) for size in sizes]
        places = array_ops.concat([ids[0].indices[:, :-1], *columns], axis=1)
        shape = array_ops.concat([ids[0].dense_shape[:-1], sizes], axis=0)
        found = SparseTensor(places, sp_values.values, shape)
        if already_sorted:
            return found
        ordered = sparse_ops.reorder(found)
        return SparseTensor(ordered.indices, ordered.values, shape)


def _as_lists(sp_ids: Any, vocab_size: Any) -> tuple[list[Any], list[Any]]:
    """Checks ids and their sizes."""
    if isinstance(sp_ids, SparseTensor):
        return [sp_ids], [vocab_size]
    if not isinstance(sp_ids, (list, tuple)):
        raise TypeError('sp_ids has to be a SparseTensor or list thereof. Found %s' % type(sp_ids))
    if not isinstance(vocab_size, (list, tuple)):
        raise TypeError('vocab_size has to be a list of Tensors or Python ints. Found %s' % type(vocab_size))
    if len(sp_ids) != len(vocab_size):
        raise ValueError('sp_ids and vocab_size have to have equal lengths.')
    return list(sp_ids), list(vocab_size)
