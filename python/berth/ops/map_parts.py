"""map_parts - What map_fn goes through, and what it puts together: tensors, sparse and ragged ones.

All is kept in TensorArrays, at once and in graphs: of a ragged result its values and the lengths of its rows, of a
sparse one where elements are, what they are, and the shape.
"""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, ragged_tensor, reduce_ops, sparse_tensor
from berth.ops.tensor_array_ops import TensorArray

Arrays = list  # The TensorArrays of one result, as far as they are filled.

# ---- What is gone through ----


def elements_of(value: Any, name: str) -> Any:
    """Returns |value| as it is gone through: sparse and ragged tensors as they are."""
    is_compound = isinstance(value, (ragged_tensor.RaggedTensor, sparse_tensor.SparseTensor))
    return value if is_compound else convert.convert_to_tensor(value, name=name)


def count_of(value: Any) -> Any:
    """Returns how many elements there are."""
    if isinstance(value, ragged_tensor.RaggedTensor):
        return math_ops.cast(value.nrows(), dtypes.int32)
    if isinstance(value, sparse_tensor.SparseTensor):
        return math_ops.cast(value.dense_shape[0], dtypes.int32)
    return array_ops.shape(value)[0]


def reader_of(value: Any, count: Any) -> Any:
    """Returns a function that gives the element of a number."""
    if isinstance(value, ragged_tensor.RaggedTensor):
        return lambda index: value[index]
    if isinstance(value, sparse_tensor.SparseTensor):
        return lambda index: _sparse_element(value, index)
    return TensorArray(value.dtype, count, dynamic_size=False, infer_shape=True).unstack(value).read


def _sparse_element(value: Any, index: Any) -> Any:
    is_in = math_ops.equal(value.indices[:, 0], math_ops.cast(index, dtypes.int64))
    return sparse_tensor.SparseTensor(array_ops.boolean_mask(value.indices, is_in)[:, 1:],
                                      array_ops.boolean_mask(value.values, is_in), value.dense_shape[1:])


# ---- What is put together ----


class _Dense:
    """Results that are tensors of one shape."""

    def __init__(self, dtype: Any, shape: Any, infer_shape: bool) -> None:
        self._dtype, self._shape, self._infer = dtype, shape, infer_shape

    def arrays(self, count: Any) -> Arrays:
        """Returns what results are written to."""
        return [TensorArray(self._dtype, count, dynamic_size=False, infer_shape=self._infer, element_shape=self._shape)]

    def written(self, arrays: Arrays, index: Any, value: Any) -> Arrays:
        """Returns |arrays| with the result |value|."""
        return [arrays[0].write(index, value)]

    def stacked(self, arrays: Arrays, size: Any) -> Any:
        """Returns the results as one; |size| is how many there are, if that is known."""
        result = arrays[0].stack()
        if result.shape.rank is not None:
            result.set_shape([size, *result.shape.as_list()[1:]])
        return result


class _Ragged:
    """Results that are ragged, or rows of any length."""

    def __init__(self, spec: Any) -> None:
        self._dtype, self._rank, self._lengths_type = spec.dtype, spec.ragged_rank, spec.row_splits_dtype
        dims = None if spec.shape.rank is None else spec.shape.as_list()[spec.ragged_rank + 1:]
        self._shape = TensorShape(None if dims is None else [None, *dims])

    def arrays(self, count: Any) -> Arrays:
        """Returns what results are written to: values, the number of rows, lengths of rows."""
        rows = [TensorArray(self._lengths_type, count, infer_shape=False, element_shape=[None]) for _ in range(self._rank)]
        return [TensorArray(self._dtype, count, infer_shape=False, element_shape=self._shape),
                TensorArray(self._lengths_type, count, element_shape=[]), *rows]

    def written(self, arrays: Arrays, index: Any, value: Any) -> Arrays:
        """Returns |arrays| with the result |value|."""
        value = ragged_tensor.to_tensor_or_ragged(value, self._dtype)
        is_ragged = isinstance(value, ragged_tensor.RaggedTensor)
        if (value.ragged_rank if is_ragged else 0) != self._rank:
            raise ValueError(f'Expected a value of ragged rank {self._rank}, but the function gave {value}.')
        if value.shape.rank == 0:
            raise ValueError(f'Ragged values must have rank >= 1, but the function gave {value}.')
        count = value.nrows() if is_ragged else array_ops.shape(value)[0]
        parts = [value.flat_values if is_ragged else value, math_ops.cast(count, self._lengths_type)]
        parts += [math_ops.cast(row, self._lengths_type) for row in value.nested_row_lengths()] if is_ragged else []
        return [array.write(index, part) for array, part in zip(arrays, parts)]

    def stacked(self, arrays: Arrays, size: Any) -> Any:
        """Returns the results as one."""
        counts = arrays[1].stack()
        if size is not None:
            counts.set_shape([size])
        rows = [counts, *[array.concat() for array in arrays[2:]]]
        return ragged_tensor.RaggedTensor.from_nested_row_lengths(arrays[0].concat(), rows, validate=False)


class _Sparse:
    """Results that are sparse."""

    def __init__(self, spec: Any) -> None:
        self._dtype, self._rank = spec.dtype, spec.shape.rank

    def arrays(self, count: Any) -> Arrays:
        """Returns what results are written to."""
        rank = None if self._rank is None else self._rank + 1
        return [TensorArray(dtypes.int64, count, infer_shape=False, element_shape=[None, rank]),
                TensorArray(self._dtype, count, infer_shape=False, element_shape=[None]),
                TensorArray(dtypes.int64, count, element_shape=[self._rank])]

    def written(self, arrays: Arrays, index: Any, value: Any) -> Arrays:
        """Returns |arrays| with the result |value|."""
        count = array_ops.shape(value.indices)[0]
        first = array_ops.fill([count, 1], math_ops.cast(index, dtypes.int64))
        parts = (array_ops.concat([first, value.indices], 1), value.values, value.dense_shape)
        return [array.write(index, part) for array, part in zip(arrays, parts)]

    def stacked(self, arrays: Arrays, size: Any) -> Any:
        """Returns the results as one."""
        shapes = arrays[2].stack()
        count = array_ops.shape(shapes, out_type=dtypes.int64)[:1]
        whole = array_ops.concat([count, reduce_ops.reduce_max(shapes, 0)], 0)
        return sparse_tensor.SparseTensor(arrays[0].concat(), arrays[1].concat(), whole)


def _result_of(spec: Any, infer_shape: bool) -> Any:
    """Returns what puts results together of which |spec|, or a type, says what they are."""
    from berth.ops import ragged_ops

    if isinstance(spec, ragged_ops.RaggedTensorSpec):
        return _Ragged(spec)
    if isinstance(spec, sparse_tensor.SparseTensorSpec):
        return _Sparse(spec)
    if hasattr(spec, 'shape') and hasattr(spec, 'dtype'):
        return _Dense(spec.dtype, spec.shape, infer_shape)
    return _Dense(dtypes.as_dtype(spec), None, infer_shape)


def _like_element(value: Any) -> Any:
    """Returns what is known of a result that is like an element of |value|."""
    from berth.ops import ragged_ops

    if isinstance(value, ragged_tensor.RaggedTensor):
        return ragged_ops.RaggedTensorSpec(value.shape[1:], value.dtype, value.ragged_rank - 1, value.row_splits.dtype)
    if isinstance(value, sparse_tensor.SparseTensor):
        return sparse_tensor.SparseTensorSpec(value.shape[1:], value.dtype)
    return value.dtype


def results_of(elements: list[Any], signature: Any, infer_shape: bool) -> list[Any]:
    """Returns what puts the results together: of a signature, or like |elements| where that is None."""
    specs = [_like_element(value) for value in elements] if signature is None else signature
    return [_result_of(spec, infer_shape) for spec in specs]
