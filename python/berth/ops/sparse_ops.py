"""sparse_ops.py - Ops on SparseTensor: its places, its values and its shape."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from berth.base import devices
from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.ops import array_ops, math_ops, reduce_ops
from berth.ops.sparse_tensor import SparseTensor, SparseTensorValue


def _sparse(value: Any) -> SparseTensor:
    """Returns |value| if it is sparse; TypeError, as TensorFlow's, for anything else."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return value


def _parts(sp: SparseTensor, names: str) -> dict[str, Any]:
    """Returns the parts of |sp| as inputs called |names|."""
    return dict(zip(names.split(), (sp.indices, sp.values, sp.dense_shape)))


def _numbers(indices: Any, dense_shape: Any) -> Any:
    """Returns the number of each place: that of the element in the whole tensor, row by row."""
    steps = gen.apply('Cumprod', None, {'x': dense_shape, 'axis': 0}, {'exclusive': True, 'reverse': True})
    return reduce_ops.reduce_sum(indices * steps, axis=1)


def _chosen(sp: SparseTensor, which: Any, dense_shape: Any = None) -> SparseTensor:
    """Returns the elements that |which| numbers."""
    return SparseTensor(array_ops.gather(sp.indices, which), array_ops.gather(sp.values, which),
                        sp.dense_shape if dense_shape is None else dense_shape)


def _where(condition: Any) -> Any:
    return array_ops.reshape(array_ops.where_v2(condition), [-1])


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
    places, values = gen.apply('SparseReorder', name, _parts(sp, 'input_indices input_values input_shape'), {})
    if sp.shape.is_fully_defined():
        return SparseTensor(places, values, sp.shape.as_list())
    return _like(SparseTensor(places, values, array_ops.identity(sp.dense_shape)), sp)


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


def _known_shape(sp: SparseTensor, shape: Any) -> list[int] | None:
    """Returns the sizes of |sp| in another shape, where all are known; ValueError for another number of elements."""
    wanted = static_value.get_static_value(shape)
    if wanted is None or not sp.shape.is_fully_defined():
        return None
    sizes = [None if n == -1 else int(n) for n in wanted]
    if sizes.count(None) > 1:
        raise ValueError(f'At most one dimension can be inferred (-1). Found: {wanted}')
    total, asked = int(np.prod(sp.shape.as_list())), list(sizes)
    if None in sizes:
        if 0 in sizes:
            return None
        sizes[sizes.index(None)] = int(total // np.prod([n for n in sizes if n is not None]))
    if total != np.prod(sizes):
        raise ValueError(f'Cannot reshape a tensor with {total} elements to shape {asked} '
                         f'({int(np.prod(sizes))} elements).')
    return sizes


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Returns the same elements in another shape."""
    sp = _sparse(sp_input)
    shape = math_ops.cast(shape, dtypes.int64)
    with scopes.name_scope(name, 'SparseReshape', [sp_input]) as scope:
        places, made = gen.apply('SparseReshape', scope, {
            'input_indices': sp.indices, 'input_shape': sp.dense_shape, 'new_shape': shape}, {})
        known = _known_shape(sp, shape)
        if known is not None:
            made = convert.constant(known, dtypes.int64)
        return SparseTensor(places, array_ops.identity(sp.values), made)


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
    start, size = (convert.convert_to_tensor(v, dtypes.int64) for v in (start, size))
    with scopes.name_scope(name, 'SparseSlice', [sp_input]) as scope:
        return SparseTensor(*gen.apply('SparseSlice', scope, {
            **_parts(sp, 'indices values shape'), 'start': start, 'size': size}, {}))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Cuts a tensor into parts along an axis."""
    if num_split is None:
        raise ValueError('num_split is required')
    if axis is None:
        raise ValueError('axis is required')
    sp = _sparse(sp_input)
    parts = gen.apply('SparseSplit', name, {'split_dim': axis, **_parts(sp, 'indices values shape')},
                      {'num_split': num_split})
    return [SparseTensor(*part) for part in zip(*parts)]


# What stands for arguments that may not be given by their places.
_KEYWORDS = object()


def split_v1(keyword_required: Any = _KEYWORDS, sp_input: Any = None, num_split: Any = None, axis: Any = None,
             name: str | None = None, split_dim: Any = None) -> list[SparseTensor]:
    """Cuts a tensor into parts along an axis; arguments have to be named."""
    if keyword_required is not _KEYWORDS:
        raise ValueError('Keyword arguments are required for this function.')
    if sp_input is None:
        raise ValueError('sp_input is required')
    del split_dim  # TensorFlow does not look at it either.
    return split(sp_input, num_split, axis, name)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keeps some of the elements."""
    sp = _sparse(sp_input)
    to_retain = convert.convert_to_tensor(to_retain)
    sp.values.shape[0:1].assert_is_compatible_with(to_retain.shape[0:1])
    kept = _chosen(sp, _where(to_retain))
    kept = SparseTensor(kept.indices, kept.values, array_ops.identity(sp.dense_shape))
    return _like(kept, sp)


def concat(axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Joins tensors along an axis."""
    inputs = [_sparse(sp) for sp in ([sp_inputs] if isinstance(sp_inputs, SparseTensor) else sp_inputs)]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [sp.dense_shape for sp in inputs]
    if expand_nonconcat_dims:
        largest = reduce_ops.reduce_max(array_ops.concat([array_ops.reshape(s, [1, -1]) for s in shapes], 0), 0)
        shapes = [_with_size(largest, axis, shape) for shape in shapes]
    places, values, shape = gen.apply('SparseConcat', name, {
        'indices': [sp.indices for sp in inputs], 'values': [sp.values for sp in inputs], 'shapes': shapes},
        {'concat_dim': axis})
    known = [sp.shape for sp in inputs]
    if not all(s.is_fully_defined() for s in known):
        return SparseTensor(places, values, shape)
    sizes = np.max([s.as_list() for s in known], axis=0) if expand_nonconcat_dims else np.array(known[0].as_list())
    sizes[axis] = sum(s.as_list()[axis] for s in known)
    return SparseTensor(places, values, convert.constant(sizes.tolist(), dtypes.int64))


def _with_size(largest: Any, axis: int, shape: Any) -> Any:
    """Returns |largest| with the size along |axis| that |shape| has."""
    own = shape[-1:] if axis == -1 else shape[axis:axis + 1]
    rest = [] if axis == -1 else [largest[axis + 1:]]
    return array_ops.concat([largest[:axis], own, *rest], 0)


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
        places, values, empty, _ = gen.apply('SparseFillEmptyRows', None, {
            **_parts(sp, 'indices values dense_shape'), 'default_value': default_value}, {})
        return SparseTensor(places, values, sp.dense_shape), empty


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

def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Adds two tensors, of which one may be dense; sums whose size is below |threshold| are left out."""
    kinds = (SparseTensor, SparseTensorValue)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if not (isinstance(a, kinds) and isinstance(b, kinds)):
        a, b = (a, b) if isinstance(a, kinds) else (b, a)
        return gen.apply('SparseTensorDenseAdd', None, {**_parts(_sparse(a), 'a_indices a_values a_shape'), 'b': b}, {})
    a, b = _sparse(a), _sparse(b)
    least = convert.convert_to_tensor(threshold, dtype=a.dtype.real_dtype, name='threshold')
    places, values, shape = gen.apply('SparseAdd', None, {
        **_parts(a, 'a_indices a_values a_shape'), **_parts(b, 'b_indices b_values b_shape'), 'thresh': least}, {})
    a.shape.assert_is_compatible_with(b.shape)
    if a.shape.is_fully_defined():
        shape = a.shape.as_list()
    return SparseTensor(places, values, shape)


def add_v1(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Adds two tensors, of which one may be dense."""
    chosen = threshold if threshold is not None else thresh
    return add(a, b, 0 if chosen is None else chosen)


def sparse_dense_matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
                        name: str | None = None) -> Any:
    """Multiplies a sparse matrix by a dense one, or a dense one by a sparse one."""
    if isinstance(b, (SparseTensor, SparseTensorValue)):
        turns = (adjoint_a, adjoint_b) if adjoint_a != adjoint_b else (not adjoint_a, not adjoint_b)
        return array_ops.transpose(sparse_dense_matmul(b, sp_a, *turns))
    sp = _sparse(sp_a)
    with scopes.name_scope(name, 'SparseTensorDenseMatMul', [sp.indices, sp.values, b]):
        b = convert.convert_to_tensor(b, name='b')
        return gen.apply('SparseTensorDenseMatMul', None, {**_parts(sp, 'a_indices a_values a_shape'), 'b': b},
                         {'adjoint_a': adjoint_a, 'adjoint_b': adjoint_b})


def _axes(sp: SparseTensor, axis: Any) -> Any:
    """Returns |axis|, or all axes of |sp| when it is None."""
    if axis is not None or sp.shape.rank is not None:
        return reduce_ops.reduction_dims(sp, axis)
    return math_ops.range(0, gen.apply('Size', 'Rank', {'input': sp.dense_shape}, {}))


def _reduced(sp_input: Any, op: str, axis: Any, keepdims: Any, is_sparse: bool, name: str | None) -> Any:
    """Reduces over axes, to a dense tensor or a sparse one."""
    sp = _sparse(sp_input)
    result = gen.apply(op + 'Sparse' if is_sparse else op, name, {
        **_parts(sp, 'input_indices input_values input_shape'), 'reduction_axes': _axes(sp, axis)},
        {'keep_dims': bool(keepdims)})
    return SparseTensor(*result) if is_sparse else result


def reduce_sum(sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
               name: str | None = None) -> Any:
    """Adds elements over axes."""
    return _reduced(sp_input, 'SparseReduceSum', axis, keepdims, output_is_sparse, name)


def reduce_max(sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
               name: str | None = None) -> Any:
    """Returns the largest elements over axes; 0 where there are none."""
    return _reduced(sp_input, 'SparseReduceMax', axis, keepdims, output_is_sparse, name)


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Applies softmax to the elements of each row of the last dimension."""
    with scopes.name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]):
        values = gen.apply('SparseSoftmax', None, _parts(sp_input, 'sp_indices sp_values sp_shape'), {})
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(op: str, sp_a: Any, sp_b: Any, name: str | None) -> SparseTensor:
    with scopes.name_scope(name, op, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as scope:
        places, values = gen.apply(op, scope, {
            **_parts(sp_a, 'a_indices a_values a_shape'), **_parts(sp_b, 'b_indices b_values b_shape')}, {})
    return SparseTensor(places, values, sp_a.dense_shape)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the larger of two, element by element; what is not there counts as 0."""
    return _extreme('SparseSparseMaximum', sp_a, sp_b, name)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the smaller of two, element by element; what is not there counts as 0."""
    return _extreme('SparseSparseMinimum', sp_a, sp_b, name)


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
