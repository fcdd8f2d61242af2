"""count_ops.py - Functions that count, look up and group: tf.math.bincount, tf.searchsorted and others."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, check_ops, flow_ops, math_ops, order_ops, reduce_ops, weight_ops


def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
             dtype: Any = dtypes.int32, name: str | None = None, axis: Any = None,
             binary_output: bool = False) -> Any:
    """Counts how often each number is there."""
    with scopes.name_scope('bincount' if name is None else name):
        arr = convert.convert_to_tensor(arr, name='arr')
        weights = None if weights is None else convert.convert_to_tensor(weights, name='weights')
        if weights is not None and binary_output:
            raise ValueError('Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.')
        arr = arr if arr.dtype.is_integer else math_ops.cast(arr, dtypes.int32)
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(f'Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.')
        size = _bins(arr, minlength, maxlength)
        if axis == 0:
            weights = None if weights is None else array_ops.reshape(weights, [-1])
            arr = array_ops.reshape(arr, [-1])
        if weights is None:
            weights = convert.constant([], dtype=dtype)
        return gen.apply('DenseBincount', None, {'input': arr, 'size': size, 'weights': weights},
                         {'binary_output': binary_output})


def _bins(arr: Any, minlength: Any, maxlength: Any) -> Any:
    """Returns how many bins there are: one more than the largest number, within limits."""
    is_there = array_ops.size(arr) > 0
    size = math_ops.cast(is_there, arr.dtype) * (reduce_ops.reduce_max(arr) + 1)
    if minlength is not None:
        size = math_ops.maximum(convert.convert_to_tensor(minlength, name='minlength', dtype=arr.dtype), size)
    if maxlength is not None:
        size = math_ops.minimum(convert.convert_to_tensor(maxlength, name='maxlength', dtype=arr.dtype), size)
    return size


def bincount_v1(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
                dtype: Any = dtypes.int32) -> Any:
    """Counts how often each number is there."""
    return bincount(arr, weights, minlength, maxlength, dtype)


def confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None,
                     dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """Counts how often each class is taken for each."""
    with scopes.name_scope(name, 'confusion_matrix', [predictions, labels, num_classes, weights]):
        labels, predictions = weight_ops.remove_squeezable_dimensions(
            convert.convert_to_tensor(labels, name='labels'), convert.convert_to_tensor(predictions, name='predictions'))
        predictions, labels = math_ops.cast(predictions, dtypes.int64), math_ops.cast(labels, dtypes.int64)
        labels = _not_negative(labels, 'labels')
        predictions = _not_negative(predictions, 'predictions')
        if num_classes is None:
            num_classes = math_ops.maximum(reduce_ops.reduce_max(predictions), reduce_ops.reduce_max(labels)) + 1
        else:
            count = math_ops.cast(num_classes, dtypes.int64)
            labels = _in_bounds(labels, 'labels', count)
            predictions = _in_bounds(predictions, 'predictions', count)
        if weights is not None:
            weights = convert.convert_to_tensor(weights, name='weights')
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = math_ops.cast(weights, dtype)
        sides = array_ops.stack([num_classes, num_classes])
        places = array_ops.stack([labels, predictions], axis=1)
        values = array_ops.ones_like(predictions, dtype) if weights is None else weights
        return array_ops.scatter_nd(places, values, math_ops.cast(sides, dtypes.int64))


def _not_negative(classes: Any, what: str) -> Any:
    """Returns the classes once they are seen not to be negative."""
    check = check_ops.assert_non_negative(classes, message=f'`{what}` contains negative values')
    return order_ops.with_dependencies([check], classes)


def _in_bounds(classes: Any, what: str, count: Any) -> Any:
    """Returns the classes once they are seen to be fewer than |count|."""
    check = check_ops.assert_less(classes, count, message=f'`{what}` out of bound')
    return order_ops.with_dependencies([check], classes)


def confusion_matrix_v1(labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = dtypes.int32,
                        name: str | None = None, weights: Any = None) -> Any:
    """Counts how often each class is taken for each."""
    return confusion_matrix(labels, predictions, num_classes, weights, dtype, name)


def histogram_fixed_width(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
                          name: str | None = None) -> Any:
    """Counts numbers in bins of one width."""
    with scopes.name_scope(name, 'histogram_fixed_width', [values, value_range, nbins]) as name:
        return gen.apply('HistogramFixedWidth', name, {
            'values': values, 'value_range': value_range, 'nbins': nbins}, {'dtype': dtype})


def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
                               name: str | None = None) -> Any:
    """Returns the bin of each number."""
    with scopes.name_scope(name, 'histogram_fixed_width_bins', [values, value_range, nbins]):
        values = convert.convert_to_tensor(values, name='values')
        shape = array_ops.shape(values)
        values = array_ops.reshape(values, [-1])
        value_range = convert.convert_to_tensor(value_range, name='value_range')
        nbins = convert.convert_to_tensor(nbins, dtype=dtypes.int32, name='nbins')
        check = flow_ops.Assert(math_ops.greater(nbins, 0), [f'nbins {nbins} must > 0'])
        with scopes.control_dependencies([] if check is None else [check]):
            count = math_ops.cast(array_ops.identity(nbins), values.dtype)
        width = value_range[1] - value_range[0]
        scaled = math_ops.truediv(values - value_range[0], width, name='scaled_values')
        bins = math_ops.floor(count * scaled, name='indices')
        bins = math_ops.cast(math_ops.clip_by_value(bins, 0, count - 1), dtypes.int32)
        return array_ops.reshape(bins, shape)


def searchsorted(sorted_sequence: Any, values: Any, side: str = 'left', out_type: Any = dtypes.int32,
                 name: str | None = None) -> Any:
    """Returns where values belong in a sequence."""
    sequence, wanted = convert.convert_to_tensor(sorted_sequence), values
    wanted = convert.convert_to_tensor(values, dtype_hint=sequence.dtype) if not hasattr(values, 'dtype') else values
    rows = array_ops.reshape(sequence, [-1, array_ops.shape(sequence)[-1]])
    columns = array_ops.reshape(wanted, [-1, array_ops.shape(wanted)[-1]])
    if side not in ('left', 'right'):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    found = gen.apply('UpperBound' if side == 'right' else 'LowerBound', name,
                      {'sorted_inputs': rows, 'values': columns}, {'out_type': out_type})
    return array_ops.reshape(found, array_ops.shape(wanted))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """Returns the different elements, which of them each is, and how often they are there."""
    return gen.apply('UniqueWithCounts', name, {'x': x}, {'out_idx': out_idx})


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """Returns the elements of one list that are not in another, and their places."""
    return gen.apply('ListDiff', name, {'x': x, 'y': y}, {'out_idx': index_dtype})


# ---- Segments ----


def _segment_sizes(data: Any, ids: Any, count: Any) -> Any:
    """Returns the number of rows of each segment, 1 at least, in a shape that divides the sums."""
    count = convert.convert_to_tensor(count)
    ones = array_ops.ones(array_ops.shape(ids), dtype=data.dtype)
    sizes = gen.apply('UnsortedSegmentSum', None, {'data': ones, 'segment_ids': ids, 'num_segments': count})
    rest = array_ops.ones([array_ops.rank(data) - array_ops.rank(ids)], dtype=count.dtype)
    sizes = array_ops.reshape(sizes, array_ops.concat([count[array_ops.newaxis], rest], axis=0))
    return math_ops.maximum(sizes, 1)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Returns the mean of each segment."""
    with scopes.name_scope(name, 'UnsortedSegmentMean'):
        data, ids = convert.convert_to_tensor(data), convert.convert_to_tensor(segment_ids)
        sizes = _segment_sizes(data, ids, num_segments)
        return gen.apply('UnsortedSegmentSum', None, {
            'data': data, 'segment_ids': ids, 'num_segments': num_segments}) / sizes


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Returns the sum of each segment by the root of its size."""
    with scopes.name_scope(name, 'UnsortedSegmentSqrtN'):
        data, ids = convert.convert_to_tensor(data), convert.convert_to_tensor(segment_ids)
        sizes = _segment_sizes(data, ids, num_segments)
        return gen.apply('UnsortedSegmentSum', None, {
            'data': data, 'segment_ids': ids, 'num_segments': num_segments}) / math_ops.sqrt(sizes)


# ---- Blocks ----


def _square(block_size: Any, block_shape: Any) -> Any:
    """Returns the blocks of the functions of TF1: one size for two dimensions."""
    import numpy

    size = block_size if block_shape is None else block_shape
    return numpy.array([size, size], dtype=numpy.int64)


def space_to_batch(input: Any, paddings: Any, block_size: Any = None,  # pylint: disable=redefined-builtin
                   name: str | None = None, block_shape: Any = None) -> Any:
    """Puts blocks of a picture into the batch."""
    return gen.apply('SpaceToBatchND', name, {
        'input': input, 'block_shape': _square(block_size, block_shape), 'paddings': paddings})


def space_to_batch_v2(input: Any, block_shape: Any, paddings: Any,  # pylint: disable=redefined-builtin
                      name: str | None = None) -> Any:
    """Puts blocks of some dimensions into the batch."""
    return gen.apply('SpaceToBatchND', name, {'input': input, 'block_shape': block_shape, 'paddings': paddings})


def batch_to_space(input: Any, crops: Any, block_size: Any, name: str | None = None,  # pylint: disable=redefined-builtin
                   block_shape: Any = None) -> Any:
    """Puts blocks of the batch back into a picture."""
    return gen.apply('BatchToSpaceND', name, {
        'input': input, 'block_shape': _square(block_size, block_shape), 'crops': crops})


def batch_to_space_v2(input: Any, block_shape: Any, crops: Any,  # pylint: disable=redefined-builtin
                      name: str | None = None) -> Any:
    """Puts blocks of the batch back into some dimensions."""
    if isinstance(block_shape, int):
        block_shape = _square(block_shape, None)
    return gen.apply('BatchToSpaceND', name, {'input': input, 'block_shape': block_shape, 'crops': crops})


# ---- Repeating, and order ----


def _is_ordered(x: Any, name: str | None, default: str, compare: Any) -> Any:
    """Tells whether each element and the one before it are as |compare| says."""
    with scopes.name_scope(name, default, [x]):
        flat = array_ops.reshape(convert.convert_to_tensor(x, name='x'), [-1])
        return reduce_ops.reduce_all(compare(flat[:-1], flat[1:]))


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Tells whether no element is less than the one before it."""
    return _is_ordered(x, name, 'is_non_decreasing', math_ops.less_equal)


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Tells whether each element is more than the one before it."""
    return _is_ordered(x, name, 'is_strictly_increasing', math_ops.less)
