"""composite_spec - Specs of sparse and ragged tensors and of rows, as arguments: values made of the specs of their parts."""

from __future__ import annotations

from typing import Any

from berth.eager import structure
from berth.eager.spec import TensorSpec
from berth.framework import dtypes
from berth.framework.composite import Composite
from berth.framework.indexed_slices import IndexedSlices, IndexedSlicesSpec
from berth.framework.trace_type import TypeSpec


def opened(value: Any) -> Any:
    """Returns |value|, any structure of arguments, with values of specs in the place of specs of several tensors."""
    leaves = structure.flatten(value)
    if not any(_is_whole(leaf) for leaf in leaves):
        return value
    return structure.pack(value, iter([_value_of(leaf) if _is_whole(leaf) else leaf for leaf in leaves]))


def closed(value: Any) -> Any:
    """Returns |value| with the specs of its sparse and ragged tensors and rows in their places.

    Values of replicas, which have no spec of their own, stay what they are made of.
    """
    return structure.with_composites(value, lambda whole: getattr(whole, '_type_spec', whole))


def is_spec(leaf: Any) -> bool:
    """True for what says of an argument what it is."""
    return isinstance(leaf, TensorSpec) or _is_whole(leaf)


def _is_whole(leaf: Any) -> bool:
    return isinstance(leaf, TypeSpec) and issubclass(leaf.value_type, Composite)


def _value_of(spec: Any) -> Any:
    if isinstance(spec, IndexedSlicesSpec):
        return _rows_of(spec)
    return _ragged_of(spec) if hasattr(spec, 'ragged_rank') else _sparse_of(spec)


def _sparse_of(spec: Any) -> Any:
    made = spec.value_type.__new__(spec.value_type)
    made._shape, rank = spec.shape, spec.shape.rank
    return made._with_parts([TensorSpec([None, rank], dtypes.int64), TensorSpec([None], spec.dtype),
                             TensorSpec([rank], dtypes.int64)])


def _ragged_of(spec: Any) -> Any:
    dims = None if spec.shape.rank is None else spec.shape.as_list()
    depth, splits = spec.ragged_rank, spec.row_splits_dtype
    if depth == 0:
        return TensorSpec(spec.shape, spec.dtype)
    first = None if dims is None or dims[0] is None else dims[0] + 1
    values = TensorSpec(None if dims is None else [None, *dims[depth + 1:]], spec.dtype)
    partitions = [TensorSpec([first if i == 0 else None], splits) for i in range(depth)]
    lengths = [None] * depth if dims is None else dims[1:depth + 1]
    return spec.value_type._of_parts([values, *partitions], lengths)


def _rows_of(spec: Any) -> Any:
    dims = None if spec._shape.rank is None else [None, *spec._shape.as_list()[1:]]
    values = TensorSpec(dims, spec._values_dtype)
    parts = [values, TensorSpec(spec._indices_shape, spec._indices_dtype)]
    if spec._dense_shape_dtype is not None:
        parts.append(TensorSpec([spec._shape.rank], spec._dense_shape_dtype))
    return IndexedSlices(*parts)
