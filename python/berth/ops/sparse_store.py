"""sparse_store - Sparse tensors as strings, or under numbers, so that queues and records take them."""

from __future__ import annotations

from typing import Any

from berth.framework import dtypes, gen, scopes
from berth.framework.node import Operation
from berth.ops import sparse_ops
from berth.ops.sparse_tensor import SparseTensor

_STORING = ('AddSparseToTensorsMap', 'AddManySparseToTensorsMap')


def _parts(sp_input: Any) -> dict[str, Any]:
    given = sparse_ops._sparse(sp_input)
    return {'sparse_indices': given.indices, 'sparse_values': given.values, 'sparse_shape': given.dense_shape}


def _sparse(found: Any, rank: int | None) -> SparseTensor:
    """Returns the sparse tensor that an op gave in parts, of a rank that the caller knows."""
    indices, values, shape = found
    if not scopes.executing_eagerly():
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


# ---- As strings ----


def serialize_sparse_v2(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Any:
    """Returns a sparse tensor as three strings."""
    return gen.apply('SerializeSparse', name, _parts(sp_input), {'out_type': out_type})


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Any:
    """Returns a sparse tensor as three strings."""
    return serialize_sparse_v2(sp_input, out_type, name)


def serialize_many_sparse_v2(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Any:
    """Returns each row of a sparse tensor as three strings."""
    return gen.apply('SerializeManySparse', name, _parts(sp_input), {'out_type': out_type})


def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Any:
    """Returns each row of a sparse tensor as three strings."""
    return serialize_many_sparse_v2(sp_input, out_type, name)


def deserialize_many_sparse(serialized_sparse: Any, dtype: Any, rank: int | None = None,
                            name: str | None = None) -> Any:
    """Makes one sparse tensor of those that the rows of a matrix of strings stand for."""
    found = gen.apply('DeserializeManySparse', name, {'serialized_sparse': serialized_sparse}, {'dtype': dtype})
    return _sparse(found, rank)


# ---- Under numbers ----


def store(sp_input: Any, shared_name: str | None = None, name: str | None = None) -> Any:
    """Puts a sparse tensor away, and returns the number that it is under."""
    return gen.apply(_STORING[0], name, _parts(sp_input), {'container': '', 'shared_name': shared_name or ''})


def store_rows(sp_input: Any, shared_name: str | None = None, name: str | None = None) -> Any:
    """Puts each row of a sparse tensor away, and returns the numbers."""
    return gen.apply(_STORING[1], name, _parts(sp_input), {'container': '', 'shared_name': shared_name or ''})


def is_storing(op: Any) -> bool:
    """True for the operations of store() and store_rows()."""
    return op.type in _STORING


def restore(sparse_map_op: Any, sparse_handles: Any, rank: int | None = None, name: str | None = None) -> Any:
    """Takes what is under some numbers, and makes one sparse tensor of it."""
    if not isinstance(sparse_map_op, Operation):
        raise TypeError('sparse_map_op be an Operation')
    if not is_storing(sparse_map_op):
        raise TypeError('sparse_map_op must be one of AddSparseToTensorsMap or AddSparseToTensorsMap. Instead, found '
                        f'`{sparse_map_op.type}`.')
    with scopes.colocate(sparse_map_op):
        shared = sparse_map_op.get_attr('shared_name') or sparse_map_op.name.encode()
        found = gen.apply('TakeManySparseFromTensorsMap', name, {'sparse_handles': sparse_handles}, {
            'dtype': sparse_map_op.get_attr('T'), 'container': sparse_map_op.get_attr('container'),
            'shared_name': shared})
    return _sparse(found, rank)
