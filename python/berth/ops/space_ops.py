"""space_ops - tf.nn.with_space_to_batch: an op on every n-th place, by moving the places between into the batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.ops import array_ops


def _widened(values: Any, fill: int, dims: list[int]) -> Any:
    """Returns what there is for |dims| as a row for all dimensions up to the last of them."""
    if dims == list(range(1, dims[-1] + 1)):
        return values
    like = array_ops.zeros_like(values[0]) if not isinstance(values, np.ndarray) else np.zeros_like(values[0])
    rows = [values[dims.index(dim)] if dim in dims else like + fill for dim in range(1, dims[-1] + 1)]
    return np.stack(rows) if isinstance(values, np.ndarray) else array_ops.stack(rows)


def required_space_to_batch_paddings(input_shape: Any, block_shape: Any, base_paddings: Any = None,
                                     name: str | None = None) -> tuple[Any, Any]:
    """Returns what is to be added so that blocks fit, and what of it is to be cut off at the end."""
    with scopes.name_scope(name, 'required_space_to_batch_paddings', [input_shape, block_shape]):
        base = None
        if base_paddings is not None:
            base = convert.convert_to_tensor(base_paddings, dtypes.int32, name='base_paddings')
            known = static_value.get_static_value(base)
            base = base if known is None else known
        paddings, crops = _required(input_shape, block_shape, base)
        return (convert.convert_to_tensor(paddings, name='paddings'), convert.convert_to_tensor(crops, name='crops'))


def _required(input_shape: Any, block_shape: Any, base_paddings: Any) -> tuple[Any, Any]:
    known = [value if isinstance(value, np.ndarray) else static_value.get_static_value(
        convert.convert_to_tensor(value, dtypes.int32)) for value in (input_shape, block_shape)]
    sizes, block = (convert.convert_to_tensor(each, dtypes.int32) if found is None else np.asarray(found, np.int32)
                    for each, found in zip((input_shape, block_shape), known))
    base = np.zeros([len(known[1]) if known[1] is not None else block.shape[0], 2], np.int32) \
        if base_paddings is None else base_paddings
    start, end = base[:, 0], base[:, 1]
    extra = (block - (sizes + start + end) % block) % block
    if all(isinstance(each, np.ndarray) for each in (sizes, block, base)):
        return np.stack([start, end + extra], 1), np.stack([np.zeros_like(extra), extra], 1)
    extra = convert.convert_to_tensor(extra, dtypes.int32)
    return (array_ops.stack([convert.convert_to_tensor(start, dtypes.int32), end + extra], 1),
            array_ops.stack([array_ops.zeros_like(extra), extra], 1))


def _spatial(dilation_rate: Any, spatial_dims: Any, data_format: Any) -> list[int]:
    """Returns the dimensions that an op goes along."""
    if dilation_rate.shape.rank not in (None, 1):
        raise ValueError(f'`dilation_rate.shape.rank` must be 1. Received: dilation_rate={dilation_rate} of rank '
                         f'{dilation_rate.shape.rank}')
    if not dilation_rate.shape.is_fully_defined():
        raise ValueError(f'`dilation_rate.shape` must be fully defined. Received: dilation_rate={dilation_rate} with '
                         f'shape {dilation_rate.shape}')
    first = 2 if data_format is not None and data_format.startswith('NC') else 1
    given = list(range(first, first + dilation_rate.shape.as_list()[0]) if spatial_dims is None else spatial_dims)
    dims = sorted({int(dim) for dim in given})
    if dims != given or any(dim < 1 for dim in dims):
        raise ValueError('`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: '
                         f'spatial_dims={given}')
    return dims


def with_space_to_batch(input: Any, dilation_rate: Any, padding: str, op: Any,  # pylint: disable=redefined-builtin
                        filter_shape: Any = None, spatial_dims: Any = None, data_format: Any = None) -> Any:
    """Calls |op| on every n-th place, for each place to begin with."""
    input = convert.convert_to_tensor(input, name='input')
    rates = convert.convert_to_tensor(dilation_rate, dtypes.int32, name='dilation_rate')
    dims = _spatial(rates, spatial_dims, data_format)
    rank = dims[-1] + (0 if data_format is not None and data_format.startswith('NC') else 1)
    if input.shape.rank is not None and input.shape.rank < rank:
        raise ValueError(f'`input.shape.rank` must be at least {rank}. Received: input.shape={input.shape} with rank '
                         f'{input.shape.rank}')
    known = static_value.get_static_value(rates)
    if known is not None and np.any(known < 1):
        raise ValueError(f'`dilation_rate` must be positive. Received: dilation_rate={known}')
    if known is not None and np.all(known == 1):
        return op(input, len(dims), padding)
    rates = rates if known is None else known
    sizes = input.shape.as_list() if input.shape.rank is not None else [None] * rank
    if any(sizes[dim] is None for dim in dims):
        shape = array_ops.shape(input)
        inner: Any = array_ops.stack([shape[dim] for dim in dims])
    else:
        inner = np.array([sizes[dim] for dim in dims], np.int32)
    paddings, crops = _required(inner, rates, _base(padding, filter_shape, len(dims), rates))
    block = _widened(rates, 1, dims)
    moved = gen.apply('SpaceToBatchND', None, {'input': input, 'block_shape': block,
                                               'paddings': _widened(paddings, 0, dims)})
    return gen.apply('BatchToSpaceND', None, {'input': op(moved, len(dims), 'VALID'), 'block_shape': block,
                                              'crops': _widened(crops, 0, dims)})


def _base(padding: str, filter_shape: Any, count: int, rates: Any) -> Any:
    """Returns what is added so that windows that reach over the ends fit."""
    if padding.upper() == 'VALID':
        return np.zeros([count, 2], np.int32)
    if padding.upper() != 'SAME':
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError("`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None and "
                         f'padding={padding}')
    shape = convert.convert_to_tensor(filter_shape, dtypes.int32, name='filter_shape')
    known = static_value.get_static_value(shape)
    more = ((shape if known is None else known)[:count] - 1) * rates
    start = more // 2
    return (np if isinstance(more, np.ndarray) else array_ops).stack([start, more - start], 1)
