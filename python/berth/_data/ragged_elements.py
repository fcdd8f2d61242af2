"""ragged_elements - Ragged tensors as elements of datasets: each is one variant, so that it is batched and cut like others.

    element   a scalar                  what RaggedTensorToVariant gives of it whole
    rows      a vector, one per row     what it gives of a batch
    batch     a vector again            taken apart by RaggedTensorFromVariant
"""

from __future__ import annotations

from typing import Any

from berth.eager.spec import TensorSpec
from berth.framework import gen


def encoded(value: Any, is_batch: bool) -> Any:
    """Returns the variant that stands for |value|, or a vector of those of its rows."""
    splits = list(value.nested_row_splits) if hasattr(value, 'nested_row_splits') else []
    values = value.flat_values if splits else value
    return gen.apply('RaggedTensorToVariant', None, {'rt_nested_splits': splits, 'rt_dense_values': values},
                     {'batched_input': is_batch})


def decoded(spec: Any, variant: Any) -> Any:
    """Returns the ragged tensor, or the tensor where |spec| has no ragged dimension, that |variant| stands for."""
    from berth.ops.ragged_tensor import RaggedTensor

    depth, rank = spec.ragged_rank, variant.shape.rank
    splits, values = gen.apply('RaggedTensorFromVariant', None, {'encoded_ragged': variant}, {
        'input_ragged_rank': -1 if rank is None else depth - rank, 'output_ragged_rank': depth, 'Tvalues': spec.dtype,
        'Tsplits': spec.row_splits_dtype})
    parts = [values, *splits]
    for part, known in zip(parts, part_specs(spec)):
        part.set_shape(known.shape)
    return RaggedTensor._of_parts(parts, _lengths(spec))


def _lengths(spec: Any) -> list[Any]:
    return [None] * spec.ragged_rank if spec.shape.rank is None else spec.shape.as_list()[1:spec.ragged_rank + 1]


def part_specs(spec: Any) -> list[Any]:
    """Returns what is known of the innermost values, and of the splits of each ragged dimension."""
    dims, depth = None if spec.shape.rank is None else spec.shape.as_list(), spec.ragged_rank
    if not depth:
        return [TensorSpec(dims, spec.dtype)]
    rows = None if dims is None or dims[0] is None else dims[0] + 1
    return [TensorSpec(None if dims is None else [None, *dims[depth + 1:]], spec.dtype),
            *(TensorSpec([size], spec.row_splits_dtype) for size in [rows] + [None] * (depth - 1))]


def from_parts(spec: Any, tensors: Any) -> Any:
    """Returns what the next of |tensors|, parts of it, make."""
    from berth.ops.ragged_tensor import RaggedTensor

    return RaggedTensor._of_parts([next(tensors) for _ in range(spec.ragged_rank + 1)], _lengths(spec))


def row_spec(spec: Any) -> Any:
    """Returns what is known of the rows of what |spec| is of."""
    return type(spec)(None if spec.shape.rank is None else spec.shape[1:], spec.dtype, spec.ragged_rank - 1,
                      spec.row_splits_dtype)


def batch_spec(spec: Any, dims: list[Any]) -> Any:
    """Returns what is known of batches of what |spec| is of."""
    return type(spec)(spec.shape.__class__(dims).concatenate(spec.shape), spec.dtype, spec.ragged_rank + 1,
                      spec.row_splits_dtype)


def with_rows(dataset: Any) -> Any:
    """Returns a dataset whose ragged elements are vectors of their rows; others as they are."""
    from berth._data import structure

    spec = dataset.element_spec
    if not any(map(structure.is_ragged, structure.flatten(spec))):
        return dataset

    def rows(*element: Any) -> Any:
        value = element if type(spec) is tuple else element[0]
        leaves = [encoded(leaf, True) if structure.is_ragged(part) else leaf
                  for part, leaf in zip(structure.flatten(spec), structure.flatten(value))]
        return structure.pack(spec, iter(leaves))

    return dataset.map(rows)
