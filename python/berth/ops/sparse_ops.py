"""sparse_ops.py - Ops on SparseTensor, made of ops on its places and elements.

Places count as one number each, that of the element in the whole tensor, row by row.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from berth.base import devices
from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.ops import array_ops, math_ops, reduce_ops, sort_ops
from berth.ops.sparse_tensor import SparseTensor, SparseTensorValue


def _sparse(value: Any) -> SparseTensor:
    """Returns |value| if it is sparse; TypeError, as TensorFlow's, for anything else."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return value


def _steps(dense_shape: Any) -> Any:
    """Returns how many elements of the whole tensor one step along each dimension is."""
    known = static_value.get_static_value(dense_shape)
    if known is not None:
        return convert.constant(np.append(np.cumprod(known[:0:-1])[::-1], 1)[:len(known)].astype(np.int64))
    return gen.apply('Cumprod', None, {'x': dense_shape, 'axis': 0}, {'exclusive': True, 'reverse': True})


def _numbers(indices: Any, dense_shape: Any) -> Any:
    """Returns the number of each place."""
    return reduce_ops.reduce_sum(indices * _steps(dense_shape), axis=1)


def _places(numbers: Any, dense_shape: Any) -> Any:
    """Returns the place of each number."""
    steps = _steps(dense_shape)
    return math_ops.floormod(math_ops.floordiv(array_ops.expand_dims(numbers, 1), steps), dense_shape)


def _chosen(sp: SparseTensor, which: Any, dense_shape: Any = None) -> SparseTensor:
    """Returns the elements that |which| numbers."""
    return SparseTensor(array_ops.gather(sp.indices, which), array_ops.gather(sp.values, which),
                        sp.dense_shape if dense_shape is None else dense_shape)


def _where(condition: Any) -> Any:
    return array_ops.reshape(array_ops.where_v2(condition), [-1])


def dense_at(sp: SparseTensor, dense: Any) -> Any:
    """Returns the elements of |dense|, repeated to the shape of |sp|, at its places."""
    whole = array_ops.broadcast_to(dense, sp.dense_shape)
    return array_ops.gather(array_ops.reshape(whole, [-1]), _numbers(sp.indices, sp.dense_shape))


# ---- Dense and back ----

def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0,
                    validate_indices: bool = True, name: str | None = None) -> Any:
    """Makes a tensor of some elements and a value for all others."""
    # Places are checked one after the other, which is the host's affair: cards have no kernel.
    with scopes.device('/device:CPU:0') if len(devices.settings.physical()) > 1 else contextlib.nullcontext():
        return gen.apply('SparseToDense', name, {
            'sparse_indices': sparse_indices, 'output_shape': output_shape, 'sparse_values': sparse_values,
            'default_value': default_value}, {'validate_indices': validate_indices})


def to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None) -> Any:
    """Returns the whole tensor."""
    sp = _sparse(sp_input)
    if default_value is None:
        default_value = array_ops.zeros([], dtype=sp.dtype)
    default_value = convert.convert_to_tensor(default_value, dtype=sp.dtype)
    result = sparse_to_dense(sp.indices, sp.dense_shape, sp.values, default_value, validate_indices, name)
    result.set_shape(sp.shape)
    return result


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Returns the elements of a tensor that are not zero."""
    with scopes.name_scope(name, 'dense_to_sparse'):
        tensor = convert.convert_to_tensor(tensor)
        places = array_ops.where_v2(math_ops.not_equal(tensor, array_ops.zeros_like(tensor)))
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        numbers = _numbers(places, shape)
        return SparseTensor(places, array_ops.gather(array_ops.reshape(tensor, [-1]), numbers), shape)


def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    """Returns a tensor that is True where the elements, taken as the last index, point to."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseToIndicator', [sp_input]):
        last = array_ops.expand_dims(math_ops.cast(sp.values, dtypes.int64), 1)
        places = array_ops.concat([sp.indices[:, :-1], last], 1)
        shape = array_ops.concat([sp.dense_shape[:-1], [convert.constant(vocab_size, dtypes.int64)]], 0)
        ordered = reorder(SparseTensor(places, math_ops.not_equal(last[:, 0], -1), shape))
        return to_dense(ordered, False, validate_indices=False, name=name)


# ---- Places ----

def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Brings elements into the order of their places."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseReorder', [sp_input]):
        order = sort_ops.argsort(_numbers(sp.indices, sp.dense_shape), stable=True)
        return _like(_chosen(sp, order), sp)


def _like(result: SparseTensor, sp: SparseTensor) -> SparseTensor:
    """Says of |result| what is known of the shape of |sp|."""
    result.set_shape(sp.shape)
    return result


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Returns the same elements in a larger shape, or in the least that holds them."""
    sp = _sparse(sp_input)
    if new_shape is None:
        return SparseTensor(sp.indices, sp.values, math_ops.maximum(
            reduce_ops.reduce_max(sp.indices, axis=0) + 1, 0))
    new_shape = math_ops.cast(convert.convert_to_tensor(new_shape), dtypes.int64)
    known, wanted = static_value.get_static_value(sp.dense_shape), static_value.get_static_value(new_shape)
    if known is not None and wanted is not None:
        if len(known) != len(wanted):
            raise ValueError(f'Shapes ({len(known)},) and ({len(wanted)},) are incompatible')
        if (known > wanted).any():
            raise ValueError(f'Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape '
                             f'{[int(n) for n in wanted]}, sp_input.shape {[int(n) for n in known]}.')
    return SparseTensor(sp.indices, sp.values, new_shape)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Returns the same elements in another shape."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseReshape', [sp_input]):
        shape = math_ops.cast(shape, dtypes.int64)
        total = reduce_ops.reduce_prod(sp.dense_shape)
        others = reduce_ops.reduce_prod(array_ops.where_v2(shape < 0, array_ops.ones_like(shape), shape))
        shape = array_ops.where_v2(shape < 0, math_ops.floordiv(total, math_ops.maximum(others, 1)), shape)
        if scopes.executing_eagerly() and int(total) != int(reduce_ops.reduce_prod(shape)):
            from berth.framework import errors

            raise errors.InvalidArgumentError(
                None, None, f'Input to reshape is a tensor with {int(total)} dense values, but the requested shape has '
                f'{int(reduce_ops.reduce_prod(shape))}')
        return SparseTensor(_places(_numbers(sp.indices, sp.dense_shape), shape), sp.values, shape)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Changes the order of dimensions."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseTranspose', [sp_input]):
        if perm is None:
            if sp.shape.rank is None:
                raise NotImplementedError('tf.sparse.transpose: Berth needs the number of dimensions.')
            perm = list(range(sp.shape.rank))[::-1]
        return reorder(SparseTensor(array_ops.gather(sp.indices, perm, axis=1), sp.values,
                                    array_ops.gather(sp.dense_shape, perm)))


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Adds a dimension of one."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'expand_dims', [sp_input]):
        rank = sp.dense_shape.shape.as_list()[0]
        axis = -1 if axis is None else axis
        axis = axis + rank + 1 if axis < 0 else axis
        zeros = array_ops.zeros_like(sp.indices[:, :1])
        places = array_ops.concat([sp.indices[:, :axis], zeros, sp.indices[:, axis:]], 1)
        one = convert.constant([1], dtypes.int64)
        return SparseTensor(places, sp.values, array_ops.concat([sp.dense_shape[:axis], one, sp.dense_shape[axis:]], 0))


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:  # pylint: disable=redefined-builtin
    """Returns a part of a tensor."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseSlice', [sp_input]):
        start, size = (convert.convert_to_tensor(v, dtypes.int64) for v in (start, size))
        end = math_ops.minimum(start + size, sp.dense_shape)
        inside = math_ops.logical_and(sp.indices >= start, sp.indices < end)
        part = _chosen(sp, _where(reduce_ops.reduce_all(inside, axis=1)))
        return SparseTensor(part.indices - start, part.values, math_ops.maximum(end - start, 0))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Cuts a tensor into parts along an axis."""
    sp = _sparse(sp_input)
    sizes = sp.shape.as_list() if sp.shape.rank is not None else [None]
    if None in sizes:
        raise NotImplementedError('tf.sparse.split: Berth needs to know the shape.')
    axis = axis + len(sizes) if axis < 0 else axis
    least, more = divmod(sizes[axis], num_split)
    parts, at = [], 0
    for i in range(num_split):
        size = least + (1 if i < more else 0)
        begin = [at if k == axis else 0 for k in range(len(sizes))]
        parts.append(slice(sp, begin, [size if k == axis else n for k, n in enumerate(sizes)], name))
        at += size
    return parts


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keeps some of the elements."""
    sp = _sparse(sp_input)
    to_retain = convert.convert_to_tensor(to_retain)
    sp.values.shape[0:1].assert_is_compatible_with(to_retain.shape[0:1])
    return _like(_chosen(sp, _where(to_retain)), sp)


def concat(axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Joins tensors along an axis."""
    inputs = [_sparse(sp) for sp in ([sp_inputs] if isinstance(sp_inputs, SparseTensor) else sp_inputs)]
    if len(inputs) == 1:
        return inputs[0]
    with scopes.name_scope(name, 'SparseConcat', inputs):
        rank = inputs[0].dense_shape.shape.as_list()[0]
        axis = axis + rank if axis < 0 else axis
        along = convert.constant([int(i == axis) for i in range(rank)], dtypes.int64)
        _check_concat(inputs, axis, expand_nonconcat_dims)
        offset: Any = convert.constant(0, dtypes.int64)
        places = []
        for sp in inputs:
            places.append(sp.indices + along * offset)
            offset = offset + sp.dense_shape[axis]
        largest = inputs[0].dense_shape
        for sp in inputs[1:]:
            largest = math_ops.maximum(largest, sp.dense_shape)
        shape = largest * (1 - along) + along * offset
        return reorder(SparseTensor(array_ops.concat(places, 0), array_ops.concat([s.values for s in inputs], 0), shape))


def _check_concat(inputs: list[SparseTensor], axis: int, may_grow: bool) -> None:
    """Raises, where shapes are known, when only one dimension may differ and others do."""
    from berth.framework import errors

    if may_grow or not scopes.executing_eagerly():
        return
    first = inputs[0].shape.as_list()
    for place, sp in enumerate(inputs[1:], 1):
        sizes = sp.shape.as_list()
        for k in range(len(first)):
            if k != axis and sizes[k] != first[k]:
                raise errors.InvalidArgumentError(
                    None, None, f'Input shapes must match: expected {first[k]} for dimension {k} but got {sizes[k]} at '
                    f'position {place}')


def concat_v1(axis: int, sp_inputs: Any, name: str | None = None, expand_nonconcat_dim: bool = False,
              concat_dim: Any = None, expand_nonconcat_dims: Any = None) -> SparseTensor:
    """Joins tensors along an axis."""
    grows = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return concat(axis if concat_dim is None else concat_dim, sp_inputs, grows, name)


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Any]:
    """Puts an element into each row that has none; returns which rows those were."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseFillEmptyRows', [sp_input]):
        default_value = convert.convert_to_tensor(default_value, dtype=sp.dtype)
        rows = math_ops.range(sp.dense_shape[0])
        found = math_ops.equal(array_ops.expand_dims(rows, 1), array_ops.expand_dims(sp.indices[:, 0], 0))
        empty = math_ops.logical_not(reduce_ops.reduce_any(found, axis=1))
        missing = array_ops.expand_dims(_where(empty), 1)
        rank = sp.dense_shape.shape.as_list()[0]
        places = array_ops.concat([missing] + [array_ops.zeros_like(missing)] * (rank - 1), 1)
        filler = array_ops.fill(array_ops.shape(missing)[:1], default_value)
        both = SparseTensor(array_ops.concat([sp.indices, places], 0),
                            array_ops.concat([sp.values, filler], 0), sp.dense_shape)
        return _like(reorder(both), sp), empty


def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """Leaves out some rows of IndexedSlices."""
    from berth.framework.indexed_slices import IndexedSlices

    with scopes.name_scope(name, 'sparse_mask', [a, mask_indices]):
        hidden = convert.convert_to_tensor(mask_indices, dtype=a.indices.dtype)
        here = math_ops.equal(array_ops.expand_dims(a.indices, 1), array_ops.expand_dims(hidden, 0))
        kept = _where(math_ops.logical_not(reduce_ops.reduce_any(here, axis=1)))
        return IndexedSlices(array_ops.gather(a.values, kept), array_ops.gather(a.indices, kept), a.dense_shape)


def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Calls |op| with the elements of sparse arguments, and puts the result where they were."""
    found = [a for a in (*args, *kwargs.values()) if isinstance(a, SparseTensor)]
    if not found:
        raise ValueError('No SparseTensor in argument list of map_values')
    inner = [a.values if isinstance(a, SparseTensor) else a for a in args]
    named = {k: a.values if isinstance(a, SparseTensor) else a for k, a in kwargs.items()}
    return found[0].with_values(op(*inner, **named))


# ---- Sums and products ----

def _sums(numbers: Any, values: Any) -> tuple[Any, Any]:
    """Adds values of the same number; returns the numbers in order, and the sums."""
    unique, place = gen.apply('Unique', None, {'x': numbers}, {'out_idx': dtypes.int64})
    count = array_ops.size(unique, out_type=dtypes.int64)
    return unique, gen.apply('UnsortedSegmentSum', None, {
        'data': values, 'segment_ids': place, 'num_segments': count})


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Adds two tensors, of which one may be dense; sums whose size is below |threshold| are left out."""
    if not isinstance(a, (SparseTensor, SparseTensorValue)) and not isinstance(b, (SparseTensor, SparseTensorValue)):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if not isinstance(b, (SparseTensor, SparseTensorValue)):
        return to_dense(a) + b
    if not isinstance(a, (SparseTensor, SparseTensorValue)):
        return to_dense(b) + a
    a, b = _sparse(a), _sparse(b)
    with scopes.name_scope(None, 'SparseAdd', [a, b]):
        both = reorder(SparseTensor(array_ops.concat([a.indices, b.indices], 0),
                                    array_ops.concat([a.values, b.values], 0), a.dense_shape))
        numbers, sums = _sums(_numbers(both.indices, both.dense_shape), both.values)
        result = SparseTensor(_places(numbers, a.dense_shape), sums, a.dense_shape)
        known = static_value.get_static_value(threshold) if convert.is_tensor(threshold) else threshold
        if known is None or known > 0:
            size = math_ops.abs(sums)
            result = _chosen(result, _where(size >= math_ops.cast(threshold, size.dtype)))
        return _like(result, a)


def add_v1(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Adds two tensors, of which one may be dense."""
    chosen = threshold if threshold is not None else thresh
    return add(a, b, 0 if chosen is None else chosen)


def sparse_dense_matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
                        name: str | None = None) -> Any:
    """Multiplies a sparse matrix by a dense one."""
    sp = _sparse(sp_a)
    with scopes.name_scope(name, 'SparseTensorDenseMatMul', [sp.indices, sp.values, b]):
        b = convert.convert_to_tensor(b, name='b')
        b = array_ops.matrix_transpose(b, conjugate=adjoint_b and b.dtype.is_complex) if adjoint_b else b
        row, column = (1, 0) if adjoint_a else (0, 1)
        values = math_ops.conj(sp.values) if adjoint_a and sp.dtype.is_complex else sp.values
        rows = array_ops.gather(b, sp.indices[:, column]) * array_ops.expand_dims(values, 1)
        return gen.apply('UnsortedSegmentSum', None, {
            'data': rows, 'segment_ids': sp.indices[:, row], 'num_segments': sp.dense_shape[row]})


def _reduced(sp: SparseTensor, op: str, axis: Any, keepdims: Any, empty: Any) -> Any:
    """Reduces over axes; what has no elements becomes |empty|."""
    rank = sp.shape.rank
    if rank is None and axis is None and not keepdims:
        return gen.apply(op, None, {'input': sp.values, 'reduction_indices': [0]}, {'keep_dims': False})
    if rank is None:
        raise NotImplementedError('tf.sparse: Berth needs the number of dimensions to reduce over some.')
    axes = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    dense = to_dense(sp, empty, validate_indices=False)
    return gen.apply(op, None, {'input': dense, 'reduction_indices': axes}, {'keep_dims': bool(keepdims)})


def reduce_sum(sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
               name: str | None = None) -> Any:
    """Adds elements over axes."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseReduceSum', [sp_input]):
        result = _reduced(sp, 'Sum', axis, keepdims, 0)
    return from_dense(result) if output_is_sparse else result


def reduce_max(sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
               name: str | None = None) -> Any:
    """Returns the largest elements over axes; 0 where there are none."""
    sp = _sparse(sp_input)
    with scopes.name_scope(name, 'SparseReduceMax', [sp_input]):
        least = sp.dtype.min
        result = _reduced(sp, 'Max', axis, keepdims, least)
        result = array_ops.where_v2(math_ops.equal(result, math_ops.cast(least, sp.dtype)),
                                    array_ops.zeros_like(result), result)
    return from_dense(result) if output_is_sparse else result


def _reducer_v1(function: Any, name: str, is_sparse: bool) -> Any:
    def reducer(sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None,
                keep_dims: Any = None) -> Any:
        return function(sp_input, reduction_axes if axis is None else axis, keep_dims if keepdims is None else keepdims,
                        is_sparse)

    reducer.__name__ = reducer.__qualname__ = name
    reducer.__doc__ = function.__doc__
    return reducer


reduce_sum_v1 = _reducer_v1(reduce_sum, 'sparse_reduce_sum', False)
reduce_sum_sparse = _reducer_v1(reduce_sum, 'sparse_reduce_sum_sparse', True)
reduce_max_v1 = _reducer_v1(reduce_max, 'sparse_reduce_max', False)
reduce_max_sparse = _reducer_v1(reduce_max, 'sparse_reduce_max_sparse', True)


def eye(num_rows: int, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> SparseTensor:
    """Returns a matrix with ones on its diagonal."""
    with scopes.name_scope(name, 'eye', []):
        columns = num_rows if num_columns is None else num_columns
        count = min(num_rows, columns)
        places = np.stack([np.arange(count)] * 2, axis=1).astype(np.int64)
        return SparseTensor(places, array_ops.ones([count], dtype=dtype), [num_rows, columns])


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor that is fed."""
    if scopes.executing_eagerly():
        raise RuntimeError('`sparse_placeholder` is not compatible with eager execution.')

    def part(kind: Any, sizes: Any, suffix: str) -> Any:
        return array_ops.placeholder(kind, shape=sizes, name=None if name is None else f'{name}/{suffix}')

    if shape is None:
        sizes = part(dtypes.int64, [None], 'shape')
        known = None
    else:
        known = [None if n in (None, -1) else int(n) for n in shape]
        sizes = array_ops.placeholder_with_default(
            convert.constant([-1 if n is None else n for n in known], dtypes.int64),
            shape=[len(known)], name=None if name is None else f'{name}/shape')
    values = part(dtype, [None], 'values')
    indices = part(dtypes.int64, [None, None if known is None else len(known)], 'indices')
    result = SparseTensor(indices, values, sizes)
    if known is not None:
        result.set_shape(known)
    return result
