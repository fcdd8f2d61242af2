"""reduce_ops.py - Sums, means and the like over axes of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth import _core as core
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.ops import array_ops, math_ops


def reduction_dims(x: Any, axis: Any) -> Any:
    """Returns |axis|, or all axes of |x| when it is None."""
    if axis is not None:
        return axis
    rank = _rank(x)
    if rank or rank == 0 and scopes.executing_eagerly():  # In a graph TensorFlow asks a scalar for its rank.
        return convert.constant(list(range(rank)), dtypes.int32)
    return math_ops.range(0, array_ops.rank(x))


def _reducer(op: str, argument: str = 'input', kind: Any = None) -> Any:
    def function(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
                 reduction_indices: Any = None, keep_dims: Any = None) -> Any:
        axis = reduction_indices if axis is None else axis
        keep = bool(keepdims if keepdims is not None else keep_dims)
        if isinstance(input_tensor, Composite) and input_tensor._is_passed_on and axis is None:
            input_tensor = input_tensor._elements
            if op == 'Mean' and not input_tensor.dtype.is_floating and not input_tensor.dtype.is_complex:
                total = reduce_sum(input_tensor)  # Of whole numbers in rows a fraction, unlike those of tensors.
                return math_ops.divide(total, math_ops.cast(array_ops.size(input_tensor), total.dtype), name)
        x = input_tensor if axis is not None else _operand(input_tensor, kind)
        if isinstance(axis, float) and scopes.executing_eagerly():
            axis = convert.convert_to_tensor(axis, dtypes.int32)
        dims = reduction_dims(x, axis)
        # Errors of calls with lists read otherwise.
        given = input_tensor if scopes.executing_eagerly() and isinstance(input_tensor, (list, tuple, str)) else x
        result = gen.apply(op, name, {argument: given, 'reduction_indices': dims}, {'keep_dims': keep})
        if axis is None and not keep and not _rank(x) and not scopes.executing_eagerly():
            result.set_shape(())  # All axes go, however many there are.
        return result

    function.__name__ = 'reduce_' + op.lower()
    function.__doc__ = f'Makes the op {op} over the axes given, or all.'
    return gen.quick(op, f'input_tensor={argument} axis=reduction_indices keepdims=keep_dims name reduction_indices=- '
                     'keep_dims=-', reduction_indices=core.ALL_AXES)(function)


reduce_sum = _reducer('Sum')
reduce_mean = _reducer('Mean')
reduce_prod = _reducer('Prod')
reduce_max = _reducer('Max')
reduce_min = _reducer('Min')
reduce_all = _reducer('All', kind=dtypes.bool)
reduce_any = _reducer('Any', kind=dtypes.bool)


_euclidean_norm = _reducer('EuclideanNorm')


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Returns the root of the sum of squares over axes; of integers, without what is behind the point."""
    return _euclidean_norm(input_tensor, axis, bool(keepdims), name)


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
                     reduction_indices: Any = None, keep_dims: Any = None) -> Any:
    """Returns log(sum(exp(x))) over axes, without overflow."""
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with scopes.name_scope(name, 'ReduceLogSumExp', [input_tensor]) as name:
        x = convert.convert_to_tensor(input_tensor)
        top = reduce_max(x, axis, keepdims=True)
        finite = gen.apply('SelectV2', None, {'condition': math_ops.is_finite(top), 't': top, 'e': 0})
        shift = array_ops.stop_gradient(finite)
        result = math_ops.log(reduce_sum(math_ops.exp(math_ops.subtract(x, shift)), axis, keepdims=keep))
        if not keep:
            shift = array_ops.reshape(shift, gen.apply('Shape', None, {'input': result}))
        return math_ops.add(result, shift, name=name)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Returns the variance over axes."""
    with scopes.name_scope(name or 'reduce_variance'):
        x = convert.convert_to_tensor(input_tensor)
        if isinstance(x, Composite):
            return reduce_mean(math_ops.square(x), axis, keepdims) - math_ops.square(reduce_mean(x, axis, keepdims))
        means = reduce_mean(x, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(f'Input must be either real or complex. Received integer type {means.dtype}.')
        return reduce_mean(math_ops.square(x - means), axis=axis, keepdims=keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Returns the standard deviation over axes."""
    with scopes.name_scope(name or 'reduce_std'):
        return math_ops.sqrt(reduce_variance(convert.convert_to_tensor(input_tensor), axis, keepdims))


def count_nonzero(input_tensor: Any = None, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64,
                  name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None,
                  input: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Counts the elements that are not zero."""
    input_tensor = input if input_tensor is None else input_tensor
    axis = reduction_indices if axis is None else axis
    keepdims = keep_dims if keepdims is None else keepdims
    with scopes.name_scope(name, 'count_nonzero', [input_tensor]):
        x = convert.convert_to_tensor(input_tensor, name='input')
        zero = array_ops.zeros([], dtype=x.dtype.base_dtype)
        return math_ops.cast(reduce_sum(math_ops.cast(math_ops.not_equal(x, zero), dtypes.int64), axis=axis,
                                        keepdims=keepdims), dtype)


def norm(tensor: Any, ord: Any = 'euclidean', axis: Any = None,  # pylint: disable=redefined-builtin
         keepdims: Any = None, name: str | None = None, keep_dims: Any = None) -> Any:
    """Returns the Euclidean norm over axes."""
    keepdims = keep_dims if keepdims is None else keepdims
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    _check_norm(ord, axis, is_matrix)
    with scopes.name_scope(name, 'norm', [tensor]):
        x = convert.convert_to_tensor(tensor)
        result = _norm(x, ord, tuple(axis) if is_matrix else axis, is_matrix)
        return result if keepdims else array_ops.squeeze(result, axis)


def _operand(value: Any, kind: Any = None) -> Any:
    """Returns |value| as a tensor; a variable of a graph is read when the op is made."""
    if hasattr(value, '_dense_var_to_tensor') and not scopes.executing_eagerly():
        return value
    return convert.convert_to_tensor(value, None if convert.is_tensor(value) else kind)


def _rank(x: Any) -> int | None:
    """Returns how many axes a tensor or a variable has, or None."""
    return x.ndim if hasattr(x, 'ndim') else x.shape.rank


def _check_norm(ord: Any, axis: Any, is_matrix: bool) -> None:  # pylint: disable=redefined-builtin
    """Raises ValueError for a norm or axes that there are not."""
    if not is_matrix:
        if not (isinstance(axis, int) or axis is None):
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord not in ('euclidean', 1, 2, np.inf) and (not np.isreal(ord) or ord <= 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
        return
    if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {tuple(axis)}")
    supported = ['euclidean', 'fro', 1, 2, np.inf]
    if ord not in supported:
        raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {ord}")


def _largest_singular(x: Any, axis: tuple[int, int]) -> Any:
    """Returns the largest singular values of matrices that lie along |axis|, which is kept."""
    rank = x.shape.rank
    first, second = (a % rank for a in axis)
    order = [i for i in range(rank) if i not in (first, second)] + [first, second]
    values = gen.apply('Svd', None, {'input': array_ops.transpose(x, order)}, {'compute_uv': False})[0]
    largest = reduce_max(math_ops.abs(values), -1, keepdims=True)
    back = [order.index(i) for i in range(rank)]
    return array_ops.transpose(array_ops.expand_dims(largest, -1), back)


def _norm(x: Any, ord: Any, axis: Any, is_matrix: bool) -> Any:  # pylint: disable=redefined-builtin
    """Returns a norm over |axis|, which is kept with one element."""
    if is_matrix and ord in (2, 2.0):
        return _largest_singular(x, axis)
    if ord in ('euclidean', 'fro', 2):
        return math_ops.sqrt(reduce_sum(x * math_ops.conj(x), axis, keepdims=True))
    size = math_ops.abs(x)
    if ord == 1:
        total = reduce_sum(size, axis if axis is None or not is_matrix else axis[0], keepdims=True)
        return reduce_max(total, axis[-1], keepdims=True) if is_matrix else total
    if ord == np.inf:
        total = reduce_sum(size, axis[1], keepdims=True) if is_matrix else size
        return reduce_max(total, axis[0] if is_matrix else axis, keepdims=True)
    return math_ops.pow(reduce_sum(math_ops.pow(size, ord), axis, keepdims=True), 1.0 / ord)
