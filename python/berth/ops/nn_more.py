"""nn_more.py - Losses and statistics that other ops make up; dilations."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, nn_ops, reduce_ops
from berth.ops.signature import reordered


# ---- Losses ----

def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Any:
    """Returns the sum of losses over the number of examples of all replicas: here is one."""
    loss = convert.convert_to_tensor(per_example_loss)
    kind = loss.dtype
    with scopes.name_scope(None, 'weighted_loss', []):
        if sample_weight is not None:
            weight = convert.convert_to_tensor(sample_weight)
            if weight.shape.rank is not None and loss.shape.rank is not None and weight.shape.rank > loss.shape.rank:
                weight = array_ops.squeeze(weight, [-1])
            loss = math_ops.multiply(math_ops.cast(loss, dtypes.float32), math_ops.cast(weight, dtypes.float32))
        loss = math_ops.cast(loss, kind)
        if global_batch_size is None:
            if loss.shape.rank == 0:
                raise ValueError('Please do not pass a scalar `per_example_loss` to `compute_average_loss` without '
                                 '`global_batch_size`')
            global_batch_size = array_ops.shape(loss)[0]
        else:
            _check_batch_size(global_batch_size)
        return reduce_ops.reduce_sum(loss) / math_ops.cast(global_batch_size, kind)


def _check_batch_size(size: Any) -> None:
    """Raises for what is no count of examples."""
    value = convert.convert_to_tensor(size)
    if value.shape.rank not in (0, None):
        raise ValueError('global_batch_size must be scalar, but got ' + str(size))
    if not value.dtype.is_integer:
        raise TypeError(f'global_batch_size must be an int, got {value.dtype}.')
    if scopes.executing_eagerly() and value < 0:
        raise ValueError('global_batch_size must be non-negative.')


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """Returns a sum of losses divided by the number of replicas: here is one."""
    total = reduce_ops.reduce_sum(convert.convert_to_tensor(regularization_loss))
    return math_ops.cast(total, dtypes.float32) / 1.0


# ---- Statistics ----

def _keep(keepdims: Any, keep_dims: Any) -> bool:
    return bool(keepdims if keepdims is not None else keep_dims)


def weighted_moments(x: Any, axes: Any, frequency_weights: Any, name: str | None = None, keep_dims: Any = None,
                     keepdims: Any = None) -> Any:
    """Returns mean and variance over axes where each value counts as often as its weight says."""
    with scopes.name_scope(name, 'weighted_moments', [x, frequency_weights, axes]):
        x = convert.convert_to_tensor(x, name='x')
        weights = convert.convert_to_tensor(frequency_weights, name='frequency_weights')
        is_half = x.dtype == dtypes.float16
        x = math_ops.cast(x, dtypes.float32) if is_half else x
        weights = math_ops.cast(weights, x.dtype)
        total = reduce_ops.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        count = reduce_ops.reduce_sum(weights + array_ops.zeros_like(x), axes, name='sum_of_weights', keepdims=True)
        mean = math_ops.div_no_nan(total, count)
        squares = reduce_ops.reduce_sum(weights * math_ops.squared_difference(x, mean), axes,
                                        name='weighted_distsq', keepdims=True)
        results = [mean, math_ops.div_no_nan(squares, count)]
        if not _keep(keepdims, keep_dims):
            results = [array_ops.squeeze(r, axis=axes) for r in results]
        return tuple(math_ops.cast(r, dtypes.float16) if is_half else r for r in results)


def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keep_dims: Any = None, name: str | None = None,
                          keepdims: Any = None) -> Any:
    """Returns the count, the sum and the sum of squares over axes, and the shift they were taken around."""
    axes = list(set(axes))
    keep = _keep(keepdims, keep_dims)
    with scopes.name_scope(name, 'sufficient_statistics', [x, shift]):
        x = convert.convert_to_tensor(x, name='x')
        known = x.shape.as_list() if x.shape.rank is not None else None
        if known is not None and None not in [known[axis] for axis in axes]:
            count: Any = convert.constant(math.prod(known[axis] for axis in axes), dtype=x.dtype)
        else:
            rank = array_ops.rank(x)
            places = [axis + rank if axis < 0 else axis for axis in axes]
            count = reduce_ops.reduce_prod(
                array_ops.gather(math_ops.cast(array_ops.shape(x), x.dtype), places), name='count')
        values, squares = x, None
        if shift is not None:
            shift = convert.convert_to_tensor(shift, name='shift')
            values, squares = math_ops.subtract(x, shift), math_ops.squared_difference(x, shift)
        squares = math_ops.square(x) if squares is None else squares
        return (count, reduce_ops.reduce_sum(values, axes, keepdims=keep, name='mean_ss'),
                reduce_ops.reduce_sum(squares, axes, keepdims=keep, name='var_ss'), shift)


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Returns mean and variance of what sufficient_statistics gave."""
    with scopes.name_scope(name, 'normalize', [counts, mean_ss, variance_ss, shift]):
        divisor = math_ops.reciprocal(counts, name='divisor')
        shifted = math_ops.multiply(mean_ss, divisor, name='mean' if shift is None else 'shifted_mean')
        mean = shifted if shift is None else math_ops.add(shifted, shift, name='mean')
        variance = math_ops.subtract(math_ops.multiply(variance_ss, divisor), math_ops.square(shifted),
                                     name='variance')
        return mean, variance


def batch_norm_with_global_normalization(t: Any = None, m: Any = None, v: Any = None, beta: Any = None,
                                         gamma: Any = None, variance_epsilon: Any = None,
                                         scale_after_normalization: Any = None, name: str | None = None,
                                         input: Any = None,  # pylint: disable=redefined-builtin
                                         mean: Any = None, variance: Any = None) -> Any:
    """Brings values to another mean and variance; |gamma| counts if asked for."""
    t, m, v = (input if t is None else t), (mean if m is None else m), (variance if v is None else v)
    return nn_ops.batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None,
                                      variance_epsilon, name)


# ---- Counts ----

# ---- The parameters of TensorFlow 2 ----

weighted_moments_v2 = reordered(weighted_moments, 'x axes frequency_weights keepdims name')
sufficient_statistics_v2 = reordered(sufficient_statistics, 'x axes shift keepdims name')
batch_norm_with_global_normalization_v2 = reordered(
    batch_norm_with_global_normalization,
    'input mean variance beta gamma variance_epsilon scale_after_normalization name',
    input='t', mean='m', variance='v')


# ---- Dilations ----


def dilation2d(input: Any, filter: Any = None, strides: Any = None, rates: Any = None,  # pylint: disable=redefined-builtin
               padding: Any = None, name: str | None = None, filters: Any = None, dilations: Any = None) -> Any:
    """Returns the largest sums of windows and a filter."""
    given = {'input': input, 'filter': filter if filters is None else filters}
    attrs = {'strides': strides, 'rates': rates if dilations is None else dilations, 'padding': padding}
    return gen.apply('Dilation2D', name, given, attrs)


def dilation2d_v2(input: Any, filters: Any, strides: Any, padding: Any, data_format: str,  # pylint: disable=redefined-builtin
                  dilations: Any, name: str | None = None) -> Any:
    """Returns the largest sums of windows and a filter."""
    if data_format != 'NHWC':
        raise ValueError("`data_format` values other  than 'NHWC' are not supported. "
                         f'Received: data_format={data_format}')
    return dilation2d(input, filters, strides, dilations, padding, name)


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Any:
    """Returns the least differences of windows and a filter."""
    with scopes.name_scope(name, 'erosion2d', [value, kernel]) as name:
        opposite, turned = math_ops.negative(value), array_ops.reverse(kernel, [0, 1])
        return math_ops.negative(dilation2d(opposite, turned, strides, rates, padding, name))


def erosion2d_v2(value: Any, filters: Any, strides: Any, padding: Any, data_format: str, dilations: Any,
                 name: str | None = None) -> Any:
    """Returns the least differences of windows and a filter."""
    if data_format != 'NHWC':
        raise ValueError("`data_format` values other  than 'NHWC' are not supported. "
                         f'Received: data_format={data_format}')
    return erosion2d(value, filters, strides, dilations, padding, name)


# ---- Rows that never rise ----


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: Any = -1) -> Any:
    """Returns the nearest numbers that never rise, or never fall, and which of them are one."""
    inputs = convert.convert_to_tensor(inputs)
    kind = inputs.dtype
    if kind in (dtypes.int8, dtypes.int16):
        kind = dtypes.float32
    elif kind not in (dtypes.float32, dtypes.half, dtypes.bfloat16):
        kind = dtypes.float64

    def solve(x: Any, name: Any) -> Any:
        x = x if decreasing else -x
        values, segments = gen.apply('IsotonicRegression', name, {'input': x}, {'output_dtype': kind})
        return values if decreasing else -values, segments

    return nn_ops.along(solve, inputs, axis, None)
