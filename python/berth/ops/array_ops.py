"""array_ops.py - Shapes, joining, slicing and filling of tensors."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from berth import _core as core
from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework.composite import Composite
from berth.framework.gen import wrapper
from berth.framework.graph import shape_attr
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape

newaxis = None

reshape = wrapper('Reshape')
tile = wrapper('Tile')
slice = wrapper('Slice', 'input_', 'begin', 'size')  # pylint: disable=redefined-builtin
stop_gradient = wrapper('StopGradient')
invert_permutation = wrapper('InvertPermutation')
broadcast_to = wrapper('BroadcastTo')
bitcast = wrapper('Bitcast')
diag = wrapper('Diag')
diag_part = wrapper('DiagPart')
matrix_band_part = wrapper('MatrixBandPart')
unique = wrapper('Unique')
dynamic_partition = wrapper('DynamicPartition')
dynamic_stitch = wrapper('DynamicStitch')
scatter_nd = wrapper('ScatterNd')
reverse = wrapper('ReverseV2')
check_numerics = wrapper('CheckNumerics')
roll = wrapper('Roll')
guarantee_const = wrapper('GuaranteeConst')


def _no_layout(layout: Any) -> None:
    if layout is not None:
        raise NotImplementedError('Berth does not have layouts.')


@gen.quick('Fill', 'dims value name layout=-')
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor of one value."""
    _no_layout(layout)
    return gen.apply('Fill', name, {'dims': dims, 'value': value})


def depth_to_space(input: Any, block_size: int, name: str | None = None,  # pylint: disable=redefined-builtin
                   data_format: str = 'NHWC') -> Any:
    """Moves channels into blocks of pixels."""
    return gen.apply('DepthToSpace', name, {'input': input}, {'block_size': block_size, 'data_format': data_format})


def space_to_depth(input: Any, block_size: int, name: str | None = None,  # pylint: disable=redefined-builtin
                   data_format: str = 'NHWC') -> Any:
    """Moves blocks of pixels into channels."""
    return gen.apply('SpaceToDepth', name, {'input': input}, {'block_size': block_size, 'data_format': data_format})


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Checks, when it runs, that a tensor has a shape."""
    return gen.apply('EnsureShape', name, {'input': x}, {'shape': shape})


def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: Any = None,  # pylint: disable=redefined-builtin
                     batch_axis: Any = None, name: str | None = None, seq_dim: Any = None,
                     batch_dim: Any = None) -> Any:
    """Reverses the first elements of each row."""
    axis = seq_dim if seq_axis is None else seq_axis
    batch = batch_dim if batch_axis is None else batch_axis
    return gen.apply('ReverseSequence', name, {'input': input, 'seq_lengths': seq_lengths},
                     {'seq_dim': axis, 'batch_dim': 0 if batch is None else batch})


@gen.quick('GatherNd', 'params indices name batch_dims=- bad_indices_policy', refuses_variables=True)
def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0,
              bad_indices_policy: str = '') -> Any:
    """Picks elements or slices of a tensor by coordinates."""
    from berth.ops import scatter_ops

    return scatter_ops.gather_nd(params, indices, name, batch_dims, bad_indices_policy)


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Makes a tensor that is fed."""
    if scopes.executing_eagerly():
        raise RuntimeError('tf.placeholder() is not compatible with eager execution.')
    if dtype is None:
        raise TypeError("Expected DataType for argument 'dtype' not None.")
    return gen.apply('Placeholder', name, {}, {'dtype': dtype, 'shape': shape_attr(None) if shape is None else shape})


def placeholder_with_default(input: Any, shape: Any,  # pylint: disable=redefined-builtin
                             name: str | None = None) -> Any:
    """Makes a tensor that has a value unless it is fed."""
    return gen.apply('PlaceholderWithDefault', name, {'input': input}, {
        'shape': shape_attr(None) if shape is None else shape})


@gen.quick('Identity', 'input name')
def identity(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns a tensor with the same values."""
    return gen.apply('Identity', name, {'input': input})


def parallel_stack(values: Any, name: str = 'parallel_stack') -> Any:
    """Stacks tensors whose shapes are known, each put where it belongs as soon as it is there."""
    if scopes.executing_eagerly():
        raise RuntimeError('tf.parallel_stack() is not compatible with eager execution.')
    with scopes.name_scope(name):
        known = convert.convert_to_tensor(values[0]).shape
        shape = TensorShape([len(values)]).concatenate(known)
        return gen.apply('ParallelConcat', None, {'values': [expand_dims(value, 0) for value in values]}, {'shape': shape})


def identity_n(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns tensors with the same values."""
    return gen.apply('IdentityN', name, {'input': input})


@gen.quick('Shape', 'input name out_type')
def shape(input: Any, name: str | None = None, out_type: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns the shape; a constant when it is known."""
    out_type = dtypes.as_dtype('int32' if out_type is None else out_type)
    with scopes.name_scope(name, 'Shape', [input]) as name:
        if isinstance(input, Composite) and hasattr(input, 'dense_shape'):
            return gen.apply('Cast', None, {'x': input.dense_shape}, {'DstT': out_type})
        input = convert.convert_to_tensor(input)
        known = input.shape
        if not scopes.executing_eagerly() and known.is_fully_defined():
            return convert.constant(known.as_list(), out_type, name=name)
        return gen.apply('Shape', name, {'input': input}, {'out_type': out_type})


def shape_n(input: Any, out_type: Any = dtypes.int32,  # pylint: disable=redefined-builtin
            name: str | None = None) -> Any:
    """Returns the shapes of several tensors."""
    return gen.apply('ShapeN', name, {'input': input}, {'out_type': out_type})


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns the number of elements; a constant when it is known."""
    if isinstance(input, core.Tensor) and core.calls_shortly():
        return convert.constant(math.prod(input._dims), dtypes.int32 if out_type is None else out_type)
    out_type = dtypes.as_dtype('int32' if out_type is None else out_type)
    with scopes.name_scope(name, 'Size', [input]) as name:
        if isinstance(input, Composite) and hasattr(input, 'dense_shape'):
            return gen.apply('Prod', name, {'input': shape(input, out_type=out_type), 'reduction_indices': 0})
        input = convert.convert_to_tensor(input)
        known = input.shape
        if known.is_fully_defined():
            return convert.constant(known.num_elements(), out_type, name=name)
        return gen.apply('Size', name, {'input': input}, {'out_type': out_type})


def rank(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns the number of dimensions; a constant when it is known."""
    if isinstance(input, core.Tensor) and core.calls_shortly():
        return convert.constant(input.ndim, dtypes.int32)
    with scopes.name_scope(name, 'Rank', [input]) as name:
        if isinstance(input, Composite) and hasattr(input, 'dense_shape'):
            return size(input.dense_shape, name=name)
        input = convert.convert_to_tensor(input)
        if input.shape.rank is not None:
            return convert.constant(input.shape.rank, dtypes.int32, name=name)
        return gen.apply('Rank', name, {'input': input})


def _filled(dims: Any, dtype: Any, name: Any, value: Any) -> Any:
    """Makes a constant, or a Fill where the shape is large or not known."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    if dtype == dtypes.bool:
        value = bool(value)
    elif dtype == dtypes.string and value == 0:
        value = ''
    known = None if isinstance(dims, Tensor) else _known_dims(dims)
    if known is not None:
        if int(np.prod(known, dtype=object)) < 1000 and not scopes.executing_eagerly():
            return convert.constant(value, shape=known, dtype=dtype, name=name)
        dims = convert.convert_to_tensor(TensorShape(known))
    if not isinstance(dims, Tensor):
        dims = convert.convert_to_tensor(dims, dtype=dtypes.int32)
    if dims.shape.rank != 1 and dims.shape.rank is not None:
        dims = reshape(dims, [-1])
    return fill(dims, convert.constant(value, dtype=dtype), name=name)


def _known_dims(dims: Any) -> list[int] | None:
    """Returns the sizes that |dims| is a list of; None where it is not."""
    if isinstance(dims, (list, builtins.tuple)) and any(convert.is_tensor(d) for d in dims):
        return None
    try:
        shape = TensorShape(dims)
    except (TypeError, ValueError):
        return None
    return [int(d) for d in shape.as_list()] if shape.is_fully_defined() else None


def _filled_at_once(dims: Any, dtype: Any, value: Any) -> Any:
    """The same where ops run at once and the sizes are listed."""
    kind = dtype if isinstance(dtype, dtypes.DType) else dtypes.as_dtype(dtype)
    if kind is dtypes.bool:
        value = bool(value)
    elif kind is dtypes.string and value == 0:
        value = ''
    is_large = any(type(d) is int and d > 0x7FFFFFFF for d in dims)
    dims = convert.convert_to_tensor(dims, dtypes.int64 if is_large else dtypes.int32)
    return fill(dims if dims.ndim == 1 else reshape(dims, [-1]), convert.constant(value, kind))


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor of zeros."""
    _no_layout(layout)
    if isinstance(shape, (list, builtins.tuple)) and core.calls_shortly():
        return _filled_at_once(shape, dtype, 0)
    with scopes.name_scope(name, 'zeros', [shape]) as name:
        return _filled(shape, dtype, name, 0)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor of ones."""
    _no_layout(layout)
    if isinstance(shape, (list, builtins.tuple)) and core.calls_shortly():
        return _filled_at_once(shape, dtype, 1)
    with scopes.name_scope(name, 'ones', [shape]) as name:
        return _filled(shape, dtype, name, 1)


@gen.quick('ZerosLike', 'tensor=x dtype=- name optimize=-')
def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Makes zeros in the shape of another tensor."""
    with scopes.name_scope(name, 'zeros_like', [tensor]) as name:
        tensor = convert.convert_to_tensor(tensor, name='tensor')
        kind = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        if optimize and tensor.shape.is_fully_defined() and not scopes.executing_eagerly():
            return zeros(tensor.shape, dtype=kind, name=name)
        if kind != tensor.dtype.base_dtype:
            return zeros(_shape_inside(tensor, optimize), dtype=kind, name=name)
        return gen.apply('ZerosLike', name, {'x': tensor})


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Makes ones in the shape of another tensor."""
    if isinstance(tensor, core.Tensor) and core.calls_shortly():
        return _filled_at_once(shape(tensor), tensor.dtype if dtype is None else dtype, 1)
    with scopes.name_scope(name, 'ones_like', [tensor]) as name:
        tensor = convert.convert_to_tensor(tensor, name='tensor')
        if isinstance(tensor, Composite):
            return tensor.with_flat_values(ones_like(tensor.flat_values, dtype))
        kind = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        one = True if kind == dtypes.bool else 1
        return fill(_shape_inside(tensor, optimize), convert.constant(one, kind), name=name)


def _shape_inside(tensor: Any, optimize: bool) -> Any:
    """Returns the shape as the functions *_like make it: a constant in a scope of its own."""
    with scopes.name_scope(None, 'Shape', [tensor]) as name:
        if optimize and tensor.shape.is_fully_defined() and not scopes.executing_eagerly():
            return convert.convert_to_tensor(tensor.shape)
        return gen.apply('Shape', name, {'input': tensor})


@gen.quick('ExpandDims', 'input axis=dim name dim=-')
def expand_dims(input: Any, axis: Any = None, name: str | None = None,  # pylint: disable=redefined-builtin
                dim: Any = None) -> Any:
    """Adds a dimension of size 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError('Must specify an axis argument to tf.expand_dims()')
    return gen.apply('ExpandDims', name, {'input': input, 'dim': axis})


@gen.quick('Squeeze', 'input axis=squeeze_dims* name squeeze_dims=-')
def squeeze(input: Any, axis: Any = None, name: str | None = None,  # pylint: disable=redefined-builtin
            squeeze_dims: Any = None) -> Any:
    """Removes dimensions of size 1."""
    axis = squeeze_dims if axis is None else axis
    dims = [] if axis is None else ([axis] if np.isscalar(axis) else list(axis))
    return gen.apply('Squeeze', name, {'input': input}, {'squeeze_dims': dims})


@gen.quick('Transpose', 'a=x perm name conjugate=-', perm=core.REVERSED_AXES)
def transpose(a: Any, perm: Any = None, name: str = 'transpose', conjugate: bool = False) -> Any:
    """Changes the order of dimensions; reverses it without |perm|."""
    from berth.ops import math_ops

    with scopes.name_scope(name, 'transpose', [a]) as name:
        a = a if isinstance(a, Tensor) else convert.convert_to_tensor(a, name='a')
        if perm is None and a.shape.rank is not None:
            perm = np.arange(a.shape.rank, dtype=np.int32)[::-1]
        elif perm is None:
            last = math_ops.subtract(rank(a), 1, name='sub')
            perm = gen.apply('Range', 'Range', {'start': last, 'limit': -1, 'delta': -1})
        op = 'ConjugateTranspose' if conjugate and a.dtype.is_complex else 'Transpose'
        return gen.apply(op, name, {'x': a, 'perm': perm})


def matrix_transpose(a: Any, name: str = 'matrix_transpose', conjugate: bool = False) -> Any:
    """Exchanges the last two dimensions."""
    from berth.ops import math_ops

    with scopes.name_scope(name, 'matrix_transpose', [a]):
        a = convert.convert_to_tensor(a, name='a')
        count = a.shape.rank
        if count is not None and count < 2:
            raise ValueError(f'Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: '
                             f'{a.shape}')
        if count is None:
            last = rank(a)
            perm = concat((math_ops.range(last - 2), [last - 1, last - 2]), 0)
        else:
            perm = list(range(count - 2)) + [count - 1, count - 2]
        return transpose(a, perm=perm, conjugate=conjugate)


@gen.quick('ConcatV2', 'values axis name')
def concat(values: Any, axis: Any, name: str = 'concat') -> Any:
    """Joins tensors along a dimension."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values and scopes.executing_eagerly():
        raise errors.InvalidArgumentError(
            None, None, "OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]', KernelDef: "
            '\'op: "ConcatV2" device_type: "CPU" constraint { name: "T" allowed_values { list { type: DT_QINT32 } } } '
            f'host_memory_arg: "axis"\' [Op:ConcatV2] name: {name}')
    if len(values) == 1:
        with scopes.name_scope(name):
            dim = convert.convert_to_tensor(axis, name='concat_dim', dtype=dtypes.int32)
            dim.shape.assert_has_rank(0)
            return identity(values[0], name=name)
    return gen.apply('ConcatV2', name, {'values': list(values), 'axis': axis})


@gen.quick('Pack', 'values axis name', takes_tensors=True)
def stack(values: Any, axis: int = 0, name: str = 'stack') -> Any:
    """Joins tensors along a new dimension."""
    if axis == 0:
        try:
            return convert.convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # The op says what is wrong.
    else:
        dims = convert.convert_to_tensor(values[0]).shape if len(values) else TensorShape(None)
        if dims.rank is not None and not -dims.rank - 1 <= axis <= dims.rank:
            raise ValueError(f'Argument `axis` = {axis} not in range [{-dims.rank - 1}, {dims.rank + 1})')
    return gen.apply('Pack', name, {'values': list(values)}, {'axis': axis})


@gen.quick('Unpack', 'value num axis name')
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = 'unstack') -> Any:
    """Splits a tensor along a dimension, which goes away."""
    if num is None:
        value = convert.convert_to_tensor(value)
        if isinstance(value, core.Tensor) and 0 <= axis < value.ndim:
            return gen.apply('Unpack', name, {'value': value}, {'num': value._dims[axis], 'axis': axis})
        dims = value.shape
        if dims.rank is not None:
            if axis < -dims.rank or axis >= dims.rank:
                raise ValueError(f'Argument `axis` = {axis} not in range [{-dims.rank}, {dims.rank})')
            num = dims.as_list()[axis]
        if num is None:
            raise ValueError(f'Cannot infer argument `num` from shape {dims}')
    return gen.apply('Unpack', name, {'value': value}, {'num': num, 'axis': axis})


@gen.quick('Split', 'value num_or_size_splits=num_split axis=split_dim num=- name', split_dim=0)
def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = 'split') -> Any:
    """Cuts a tensor along a dimension: into equal parts, or parts of given sizes."""
    if isinstance(num_or_size_splits, (int, np.integer)):
        return gen.apply('Split', name, {'split_dim': axis, 'value': value}, {'num_split': int(num_or_size_splits)})
    sizes = convert.convert_to_tensor(num_or_size_splits)
    if sizes.shape.rank == 0:
        raise ValueError('Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument '
                         f'provided: {num_or_size_splits}')
    if num is None:
        num = sizes.shape.as_list()[0] if sizes.shape.rank else None
        if num is None:
            raise ValueError(f'Cannot infer argument `num` from shape {num_or_size_splits}')
    return gen.apply('SplitV', name, {'value': value, 'size_splits': sizes, 'split_dim': axis}, {'num_split': num})


@gen.quick('GatherV2', 'params indices validate_indices=- name axis batch_dims=-', refuses_variables=True, axis=0)
def gather(params: Any, indices: Any, validate_indices: Any = None, name: str | None = None,
           axis: Any = None, batch_dims: int = 0) -> Any:
    """Picks slices of a tensor by number."""
    axis = batch_dims if axis is None else axis
    if type(axis) is int and axis == 0 and getattr(params, '_is_resource', False):
        return params.sparse_read(indices, name=name)
    return gen.apply('GatherV2', name, {'params': params, 'indices': indices, 'axis': axis},
                     {'batch_dims': batch_dims})


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Chooses between two tensors, or tells where a condition holds."""
    if x is None and y is None:
        with scopes.name_scope(name, 'Where', [condition]) as name:
            condition = convert.convert_to_tensor(condition, preferred_dtype=dtypes.bool, name='condition')
            return gen.apply('Where', name, {'input': condition})
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return gen.apply('Select', name, {'condition': condition, 't': x, 'e': y})


@gen.quick('SelectV2', 'condition x=t y=e name')
def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Chooses between two tensors, with broadcasting, or tells where a condition holds."""
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return gen.apply('SelectV2', name, {'condition': condition, 't': x, 'e': y})


@gen.quick('Pad', 'tensor=input paddings mode=- name constant_values=-')
def pad(tensor: Any, paddings: Any, mode: str = 'CONSTANT', name: str | None = None,
        constant_values: Any = 0) -> Any:
    """Adds elements around a tensor."""
    mode = mode.upper()
    if mode == 'CONSTANT':
        if not isinstance(constant_values, Tensor) and np.ndim(constant_values) == 0 and constant_values == 0:
            return gen.apply('Pad', name, {'input': tensor, 'paddings': paddings})
        return gen.apply('PadV2', name, {'input': tensor, 'paddings': paddings, 'constant_values': constant_values})
    if mode in ('REFLECT', 'SYMMETRIC'):
        return gen.apply('MirrorPad', name, {'input': tensor, 'paddings': paddings}, {'mode': mode})
    raise ValueError('Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
                     f'Received `mode` = {mode}')


@gen.quick('OneHot', 'indices depth on_value=! off_value=! axis dtype=! name', on_value=1.0, off_value=0.0)
def one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None,
            dtype: Any = None, name: str | None = None) -> Any:
    """Turns numbers into vectors with a one at that place."""
    with scopes.name_scope(name, 'one_hot', [indices, depth, on_value, off_value, axis, dtype]) as name:
        kind = None if dtype is None else dtypes.as_dtype(dtype)
        values = [None if v is None else convert.convert_to_tensor(v, dtype=kind) for v in (on_value, off_value)]
        _check_one_hot(values, kind)
        given = next((v for v in values if v is not None), None)
        if kind is None:
            kind = dtypes.float32 if given is None else given.dtype
        on = convert.convert_to_tensor(1, kind, name='on_value') if values[0] is None else values[0]
        off = convert.convert_to_tensor(0, kind, name='off_value') if values[1] is None else values[1]
        attrs = {'axis': -1 if axis is None else axis, 'TI': _index_type(indices)}
        return gen.apply('OneHot', name, {'indices': indices, 'depth': depth, 'on_value': on, 'off_value': off}, attrs)


def _index_type(indices: Any) -> Any:
    """Returns the type of indices of Python's; None where they say it, or are none."""
    if hasattr(indices, 'dtype') or np.asarray(indices).dtype.kind in 'fSUO':
        return None
    return dtypes.int32


def _check_one_hot(values: list[Any], kind: Any) -> None:
    """Raises TypeError when what stands for on and off is of two types."""
    for label, value in zip(('on_value', 'off_value'), values):
        if kind is not None and value is not None and value.dtype.base_dtype != kind:
            raise TypeError(f'dtype {value.dtype.base_dtype!s} of {label} does not match dtype parameter {kind!s}')
    if None not in values and values[0].dtype.base_dtype != values[1].dtype.base_dtype:
        raise TypeError(f'dtype {values[0].dtype.base_dtype!s} of on_value does not match dtype '
                        f'{values[1].dtype.base_dtype!s} of off_value')


@gen.quick('StridedSlice', 'input_=input begin end strides begin_mask end_mask ellipsis_mask new_axis_mask '
           'shrink_axis_mask var=- name')
def strided_slice(input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
                  ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
                  name: str | None = None) -> Any:
    """Cuts a part out of a tensor, as Python's slices do."""
    if strides is None:
        strides = ones_like(begin)
    masks = {'begin_mask': begin_mask, 'end_mask': end_mask, 'ellipsis_mask': ellipsis_mask,
             'new_axis_mask': new_axis_mask, 'shrink_axis_mask': shrink_axis_mask}
    return gen.apply('StridedSlice', name, {'input': input_, 'begin': begin, 'end': end, 'strides': strides}, masks)


def boolean_mask(tensor: Any, mask: Any, name: str = 'boolean_mask', axis: Any = None) -> Any:
    """Keeps the slices where a mask is true."""
    from berth.ops import reduce_ops

    with scopes.name_scope(name, values=[tensor, mask]):
        tensor = convert.convert_to_tensor(tensor, name='tensor')
        mask = convert.convert_to_tensor(mask, name='mask')
        axis = 0 if axis is None else axis
        ndims = mask.shape.rank
        if not ndims:
            raise ValueError('mask cannot be scalar.' if ndims == 0 else
                             'Number of mask dimensions must be specified, even if some dimensions are None.  '
                             'E.g. shape=[None] is ok, but shape=None is not.')
        if not isinstance(axis, Tensor):
            tensor.shape[axis:axis + ndims].assert_is_compatible_with(mask.shape)
        count = reduce_ops.reduce_prod(shape(tensor)[axis:axis + ndims], [0])
        dims = concat([shape(tensor)[:axis], [count], shape(tensor)[axis + ndims:]], 0)
        flat = reshape(tensor, dims)
        return gather(flat, squeeze(where(reshape(mask, [-1])), axis=[1]), axis=axis)


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32,
        name: str | None = None) -> Any:
    """Makes an identity matrix."""
    known = [convert.constant_value(v) if isinstance(v, Tensor) else v for v in (num_rows, num_columns, batch_shape)]
    if any(k is None and v is not None for k, v in zip(known, (num_rows, num_columns, batch_shape))):
        return _eye_of_tensors(num_rows, num_columns, batch_shape, dtype, name)
    with scopes.name_scope(name, 'eye'):
        sides = [known[0], known[0] if known[1] is None else known[1]]
        if not all(isinstance(side, (int, np.integer, np.ndarray)) for side in sides):
            raise TypeError('Arguments `num_rows` and `num_columns` must be positive integer values. Received: '
                            f'num_rows={sides[0]}, num_columns={sides[1]}')
        if min(sides) < 0:
            return ones([min(sides)], dtype)  # Which says so.
        batch = [] if known[2] is None else [int(size) for size in TensorShape(known[2]).as_list()]
        if not scopes.executing_eagerly():
            return _eye_in_graph(batch, sides, dtype)
        matrix = np.eye(*sides)
        return convert.constant(np.broadcast_to(matrix, (*batch, *matrix.shape)), dtype=dtype)


def _eye_in_graph(batch: list[int], sides: list[int], dtype: Any) -> Any:
    """Makes an identity matrix of the nodes that TensorFlow makes it of."""
    from berth.ops import linalg_ops

    diagonal = ones([*batch, min(sides)], dtype)
    if sides[0] == sides[1]:
        return linalg_ops.matrix_diag(diagonal)
    return linalg_ops.matrix_set_diag(zeros([*batch, *sides], dtype), diagonal)


def _eye_of_tensors(num_rows: Any, num_columns: Any, batch_shape: Any, dtype: Any, name: Any) -> Any:
    """Makes an identity matrix whose size only a run can tell."""
    from berth.ops import linalg_ops, math_ops

    with scopes.name_scope(name, 'eye', [num_rows, num_columns, batch_shape]):
        batch = convert.convert_to_tensor([] if batch_shape is None else batch_shape, dtypes.int32, name='shape')
        columns = num_rows if num_columns is None else num_columns
        diagonal = ones(concat([batch, stack([math_ops.minimum(num_rows, columns)])], 0), dtype)
        if num_columns is None:
            return linalg_ops.matrix_diag(diagonal)
        return linalg_ops.matrix_set_diag(zeros(concat([batch, stack([num_rows, columns])], 0), dtype), diagonal)


def meshgrid(*args: Any, **kwargs: Any) -> Any:
    """Returns grids of the coordinates in each of the vectors."""
    indexing = kwargs.pop('indexing', 'xy')
    name = kwargs.pop('name', 'meshgrid')
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ('xy', 'ij'):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    if not args:
        return []
    with scopes.name_scope(name, 'meshgrid', args):
        count = len(args)
        parts = [reshape(stack(x), (1,) * i + (-1,) + (1,) * (count - i - 1)) for i, x in enumerate(args)]
        sizes = [size(x) for x in args]
        kind = convert.convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == 'xy' and count > 1:
            parts[0] = reshape(parts[0], (1, -1) + (1,) * (count - 2))
            parts[1] = reshape(parts[1], (-1, 1) + (1,) * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        whole = ones(sizes, kind)
        return [part * whole for part in parts]


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None) -> Any:
    """Makes rows that are true up to a length each."""
    from berth.ops import math_ops, reduce_ops

    with scopes.name_scope(name, 'SequenceMask', [lengths, maxlen]):
        lengths = convert.convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = math_ops.maximum(convert.constant(0, lengths.dtype.base_dtype), reduce_ops.reduce_max(lengths))
        else:
            maxlen = convert.convert_to_tensor(maxlen)
        row = gen.apply('Range', None, {'start': convert.constant(0, maxlen.dtype.base_dtype), 'limit': maxlen,
                                        'delta': convert.constant(1, maxlen.dtype.base_dtype)})
        ends = gen.apply('Cast', None, {'x': expand_dims(lengths, -1)}, {'DstT': maxlen.dtype.base_dtype})
        result = row < ends
        kind = dtypes.as_dtype(dtype)
        return result if kind == dtypes.bool else math_ops.cast(result, kind)


def repeat(input: Any, repeats: Any, axis: int | None = None,  # pylint: disable=redefined-builtin
           name: str | None = None) -> Any:
    """Repeats elements, or slices along an axis, so many times each."""
    with scopes.name_scope(name, 'Repeat', [input, repeats]):
        data = convert.convert_to_tensor(input)
        if axis is None:
            data, axis = reshape(data, [-1]), 0
        repeats = convert.convert_to_tensor(repeats)
        repeats.shape.with_rank_at_most(1)
        rank = data.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f'axis={axis} out of bounds: expected {-rank}<=axis<{rank}')
        counts = convert.constant_value(repeats)
        size = data.shape.as_list()[axis] if rank is not None else None
        if counts is None or size is None or (counts < 0).any():
            return _repeated(data, repeats, axis)
        if counts.size not in (1, size):
            raise ValueError(f'Dimensions {size} and {counts.size} are not compatible')
        places = np.repeat(np.arange(size, dtype=np.int32), counts if counts.size == size else int(counts.reshape(-1)[0]))
        return gather(data, convert.constant(places, dtypes.int32), axis=axis % rank)


def _repeated(data: Any, repeats: Any, axis: int) -> Any:
    """The same for numbers or sizes that are known when it runs."""
    from berth.ops import math_ops

    known, count = data.shape, convert.constant_value(repeats)
    size = shape(data)[axis]
    if repeats.shape.num_elements() == 1:
        each = tile(expand_dims(math_ops.range(size), 1), stack([1, math_ops.cast(reshape(repeats, []), dtypes.int32)]))
        places = reshape(each, [-1])
    else:
        ends = math_ops.cumsum(broadcast_to(math_ops.cast(repeats, dtypes.int32), [size]))
        total = concat([[0], ends], 0)[-1]
        # The place of each is how many end before it.
        places = gen.apply('UpperBound', None, {'sorted_inputs': expand_dims(ends, 0),
                                                'values': expand_dims(math_ops.range(total), 0)})[0]
    found = gather(data, places, axis=axis)
    if known.rank is not None:
        sizes = known.as_list()
        is_one = count is not None and count.size == 1 and sizes[axis] is not None
        sizes[axis] = sizes[axis] * int(count.reshape(-1)[0]) if is_one else None
        found.set_shape(sizes)
    return found
