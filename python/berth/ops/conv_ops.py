"""Convolutions: tf.nn.conv1d to conv3d, their transposes, depthwise and separable ones."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops


def _sequence(value: Any, count: int, is_first: bool, name: str) -> list:
    """Returns numbers for all dimensions of one number, or of those for the spatial ones."""
    values = [1] if value is None else list(value) if hasattr(value, '__iter__') else [value]
    if len(values) == count + 2:
        return values
    if len(values) not in (1, count):
        raise ValueError(f'{name} should be of length 1, {count} or {count + 2}. Received: {name}={value} of length '
                         f'{len(values)}')
    values = values * count if len(values) == 1 else values
    return [1, 1, *values] if is_first else [1, *values, 1]


def _padding(padding: Any) -> dict[str, Any]:
    """Returns the attributes that |padding| means: a word, or pairs of numbers."""
    if isinstance(padding, str):
        return {'padding': padding}
    if len(padding) != 4:
        raise ValueError('When padding is a list, it must be of size 4. Received: '
                         f'padding={padding} of size {len(padding)}')
    return {'padding': 'EXPLICIT', 'explicit_paddings': [number for pair in padding for number in pair]}


def _windows(strides: Any, dilations: Any, count: int, data_format: str | None, padding: Any) -> dict[str, Any]:
    """The attributes of a convolution over |count| dimensions."""
    is_first = data_format is not None and data_format.startswith('NC')
    known = {1: 'NHWC', 2: 'NHWC', 3: 'NDHWC'}[count]
    return {'strides': _sequence(strides, count, is_first, 'strides'),
            'dilations': _sequence(dilations, count, is_first, 'dilations'),
            'data_format': data_format or known, **_padding(padding)}


def _either(value: Any, other: Any, names: str) -> Any:
    """Returns the one of two arguments that is given: one has an old name."""
    if value is not None and other is not None:
        raise ValueError(f'Cannot specify both {names}')
    return other if value is None else value


def conv2d(input: Any, filter: Any = None, strides: Any = None,  # pylint: disable=redefined-builtin
           padding: Any = None, use_cudnn_on_gpu: bool = True, data_format: str = 'NHWC',
           dilations: Any = (1, 1, 1, 1), name: str | None = None, filters: Any = None) -> Any:
    """Convolves images with filters."""
    attrs = _windows(strides, dilations, 2, data_format, padding)
    return gen.apply('Conv2D', name, {'input': input, 'filter': _either(filter, filters, "'filter' and 'filters'")},
                     {**attrs, 'use_cudnn_on_gpu': use_cudnn_on_gpu})


def conv2d_v2(input: Any, filters: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
              data_format: str = 'NHWC', dilations: Any = None, name: str | None = None) -> Any:
    """Convolves images with filters."""
    return gen.apply('Conv2D', name, {'input': input, 'filter': filters},
                     _windows(strides, dilations, 2, data_format, padding))


def conv3d(input: Any, filter: Any = None, strides: Any = None,  # pylint: disable=redefined-builtin
           padding: Any = None, data_format: str = 'NDHWC', dilations: Any = (1, 1, 1, 1, 1),
           name: str | None = None, filters: Any = None) -> Any:
    """Convolves volumes with filters."""
    given = _either(filter, filters, "'filter' and 'filters'")
    return conv3d_v2(input, given, strides, padding, data_format, dilations, name)


def conv3d_v2(input: Any, filters: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
              data_format: str = 'NDHWC', dilations: Any = None, name: str | None = None) -> Any:
    """Convolves volumes with filters."""
    return gen.apply('Conv3D', name, {'input': input, 'filter': filters},
                     _windows(strides, dilations, 3, data_format, padding))


def conv1d(value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None,
           use_cudnn_on_gpu: bool | None = None, data_format: str | None = None, name: str | None = None,
           input: Any = None, dilations: Any = None) -> Any:  # pylint: disable=redefined-builtin
    """Convolves sequences with filters."""
    del use_cudnn_on_gpu
    value = _either(value, input, "'value' and 'input'")
    return conv1d_v2(value, filters, stride, padding, data_format or 'NWC', dilations, name)


def _flat(data_format: str) -> tuple[bool, str, int]:
    """Of a format of sequences: whether channels are first, that of images, and where a dimension of 1 goes."""
    if data_format in ('NCHW', 'NCW'):
        return True, 'NCHW', 2
    if data_format in ('NHWC', 'NWC'):
        return False, 'NHWC', 1
    raise ValueError('`data_format` must be "NWC" or "NCW". ' f'Received: data_format={data_format}')


def _lifted(data_format: str, strides: Any, dilations: Any, name: str) -> tuple[str, int, list, list]:
    """A convolution of sequences as one of images: their format, where a dimension of 1 goes, steps, gaps."""
    is_first, wide, at = _flat(data_format)
    steps = _sequence(strides, 1, is_first, name)
    gaps = _sequence(dilations, 1, is_first, 'dilations')
    return wide, at, [*steps[:at], 1, *steps[at:]], [*gaps[:at], 1, *gaps[at:]]


def conv1d_v2(input: Any, filters: Any, stride: Any, padding: Any,  # pylint: disable=redefined-builtin
              data_format: str = 'NWC', dilations: Any = None, name: str | None = None) -> Any:
    """Convolves sequences with filters."""
    with scopes.name_scope(name, 'conv1d', [input, filters]) as name:
        wide, at, steps, gaps = _lifted(data_format, stride, dilations, 'stride')
        images, matrix = array_ops.expand_dims(input, at), array_ops.expand_dims(filters, 0)
        if not isinstance(padding, str):
            padding = [*padding[:at], [0, 0], *padding[at:]]
        return array_ops.squeeze(conv2d_v2(images, matrix, steps, padding, wide, gaps, name), [at])


def conv2d_transpose(value: Any = None, filter: Any = None,  # pylint: disable=redefined-builtin
                     output_shape: Any = None, strides: Any = None, padding: Any = 'SAME', data_format: str = 'NHWC',
                     name: str | None = None, input: Any = None,  # pylint: disable=redefined-builtin
                     filters: Any = None, dilations: Any = None) -> Any:
    """The transpose of conv2d: what its gradient does."""
    return conv2d_transpose_v2(_either(value, input, "'value' and 'input'"),
                               _either(filter, filters, "'filter' and 'filters'"), output_shape, strides, padding,
                               data_format, dilations, name)


def conv2d_transpose_v2(input: Any, filters: Any, output_shape: Any,  # pylint: disable=redefined-builtin
                        strides: Any, padding: Any = 'SAME', data_format: str = 'NHWC', dilations: Any = None,
                        name: str | None = None) -> Any:
    """The transpose of conv2d: what its gradient does."""
    with scopes.name_scope(name, 'conv2d_transpose', [input, filters, output_shape]) as name:
        attrs = _windows(strides, dilations, 2, data_format or 'NHWC', padding)
        return gen.apply('Conv2DBackpropInput', name,
                         {'input_sizes': output_shape, 'filter': filters, 'out_backprop': input}, attrs)


def conv1d_transpose(input: Any, filters: Any, output_shape: Any,  # pylint: disable=redefined-builtin
                     strides: Any, padding: Any = 'SAME', data_format: str = 'NWC', dilations: Any = None,
                     name: str | None = None) -> Any:
    """The transpose of conv1d: what its gradient does."""
    with scopes.name_scope(name, 'conv1d_transpose', [input, filters, output_shape]) as name:
        wide, at, steps, gaps = _lifted(data_format, strides, dilations, 'strides')
        images = array_ops.expand_dims(convert.convert_to_tensor(input), at)
        matrix = array_ops.expand_dims(convert.convert_to_tensor(filters), 0)
        sizes = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
        sizes = ([*sizes[:at], 1, *sizes[at:]] if isinstance(sizes, list)
                 else array_ops.concat([sizes[:at], [1], sizes[at:]], 0))
        attrs = {'strides': steps, 'dilations': gaps, 'data_format': wide, 'padding': padding}
        found = gen.apply('Conv2DBackpropInput', None,
                          {'input_sizes': sizes, 'filter': matrix, 'out_backprop': images}, attrs)
        return array_ops.squeeze(found, [at], name=name)


def conv3d_transpose(value: Any, filter: Any = None,  # pylint: disable=redefined-builtin
                     output_shape: Any = None, strides: Any = None, padding: Any = 'SAME', data_format: str = 'NDHWC',
                     name: str | None = None, input: Any = None,  # pylint: disable=redefined-builtin
                     filters: Any = None, dilations: Any = None) -> Any:
    """The transpose of conv3d: what its gradient does."""
    return conv3d_transpose_v2(_either(value, input, "'value' and 'input'"),
                               _either(filter, filters, "'filter' and 'filters'"), output_shape, strides, padding,
                               data_format, dilations, name)


def conv3d_transpose_v2(input: Any, filters: Any, output_shape: Any,  # pylint: disable=redefined-builtin
                        strides: Any, padding: Any = 'SAME', data_format: str = 'NDHWC', dilations: Any = None,
                        name: str | None = None) -> Any:
    """The transpose of conv3d: what its gradient does."""
    with scopes.name_scope(name, 'conv3d_transpose', [input, filters, output_shape]) as name:
        attrs = _windows(strides, dilations, 3, data_format or 'NDHWC', padding)
        return gen.apply('Conv3DBackpropInputV2', name,
                         {'input_sizes': output_shape, 'filter': filters, 'out_backprop': input}, attrs)


# ---- Depthwise ----


def depthwise_conv2d_native(input: Any, filter: Any, strides: Any,  # pylint: disable=redefined-builtin
                            padding: Any, data_format: str = 'NHWC', dilations: Any = (1, 1, 1, 1),
                            name: str | None = None) -> Any:
    """Convolves each channel with filters of its own."""
    attrs = {'strides': list(strides), 'data_format': data_format, 'dilations': list(dilations), **_padding(padding)}
    return gen.apply('DepthwiseConv2dNative', name, {'input': input, 'filter': filter}, attrs)


def _note_rate(matrix: Any, rate: Any) -> None:
    """Makes the nodes that TensorFlow leaves behind when it looks for gaps between taps."""
    if not scopes.executing_eagerly():
        array_ops.shape(matrix)
        convert.convert_to_tensor([1, 1] if rate is None else list(rate), dtypes.int32, name='dilation_rate')


def depthwise_conv2d(input: Any, filter: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                     rate: Any = None, name: str | None = None, data_format: str | None = None,
                     dilations: Any = None) -> Any:
    """Convolves each channel with filters of its own."""
    rate = _either(rate, dilations, "'rate' and 'dilations'")
    with scopes.name_scope(name, 'depthwise', [input, filter]) as name:
        images = convert.convert_to_tensor(input, name='tensor_in')
        matrix = convert.convert_to_tensor(filter, name='filter_in')
        form = data_format or 'NHWC'
        _note_rate(matrix, rate)
        gaps = _sequence(rate, 2, form == 'NCHW', 'rate')
        return depthwise_conv2d_native(images, matrix, strides, padding, form, gaps, name)


def depthwise_conv2d_v2(input: Any, filter: Any, strides: Any, padding: Any,  # pylint: disable=redefined-builtin
                        data_format: str | None = None, dilations: Any = None, name: str | None = None) -> Any:
    """Convolves each channel with filters of its own."""
    return depthwise_conv2d(input, filter, strides, padding, dilations, name, data_format)


def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any,  # pylint: disable=redefined-builtin
                     strides: Any, padding: Any, rate: Any = None, name: str | None = None,
                     data_format: str | None = None, dilations: Any = None) -> Any:
    """Convolves each channel by itself, then mixes them."""
    rate = _either(rate, dilations, "'rate' and 'dilations'")
    with scopes.name_scope(name, 'separable_conv2d', [input, depthwise_filter, pointwise_filter]) as name:
        images = convert.convert_to_tensor(input, name='tensor_in')
        first = convert.convert_to_tensor(depthwise_filter, name='depthwise_filter')
        second = convert.convert_to_tensor(pointwise_filter, name='pointwise_filter')
        form = data_format or 'NHWC'
        _note_rate(first, rate)
        gaps = _sequence(rate, 2, form == 'NCHW', 'rate')
        deep = depthwise_conv2d_native(images, first, strides, padding, form, gaps, 'depthwise')
        return conv2d_v2(deep, second, [1, 1, 1, 1], 'VALID', form, name=name)


def separable_conv2d_v2(input: Any, depthwise_filter: Any,  # pylint: disable=redefined-builtin
                        pointwise_filter: Any, strides: Any, padding: Any, data_format: str | None = None,
                        dilations: Any = None, name: str | None = None) -> Any:
    """Convolves each channel by itself, then mixes them."""
    return separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, dilations, name, data_format)


# ---- Of any number of dimensions ----


def _last(data_format: str | None, count: int) -> str:
    """The format of images that |data_format|, of |count| dimensions, names."""
    known = {1: ('NWC', 'NCW'), 2: ('NHWC', 'NCHW'), 3: ('NDHWC', 'NCDHW')}[count]
    return known[data_format is not None and data_format.startswith('NC')]


def convolution(input: Any, filter: Any, padding: Any, strides: Any = None,  # pylint: disable=redefined-builtin
                dilation_rate: Any = None, name: str | None = None, data_format: str | None = None,
                filters: Any = None, dilations: Any = None) -> Any:
    """Convolves what has one, two or three dimensions beside batch and channels."""
    given = _either(filter, filters, "'filter' and 'filters'")
    return convolution_v2(input, given, strides, padding, data_format,
                          _either(dilation_rate, dilations, "'dilation_rate' and 'dilations'"), name)


def convolution_v2(input: Any, filters: Any, strides: Any = None,  # pylint: disable=redefined-builtin
                   padding: Any = 'VALID', data_format: str | None = None, dilations: Any = None,
                   name: str | None = None) -> Any:
    """Convolves what has one, two or three dimensions beside batch and channels."""
    images = convert.convert_to_tensor(input)
    matrix = convert.convert_to_tensor(filters)
    count = matrix.shape.rank - 2 if matrix.shape.rank is not None else images.shape.rank - 2
    if count not in (1, 2, 3):
        raise ValueError('`num_spatial_dims` must be 1, 2, or 3. ' f'Received: num_spatial_dims={count}.')
    work = {1: conv1d_v2, 2: conv2d_v2, 3: conv3d_v2}[count]
    with scopes.name_scope(name, 'convolution', [input, filters]) as name:
        return work(images, matrix, strides, padding, _last(data_format, count), dilations, name)


def conv_transpose(input: Any, filters: Any, output_shape: Any,  # pylint: disable=redefined-builtin
                   strides: Any, padding: Any = 'SAME', data_format: str | None = None, dilations: Any = None,
                   name: str | None = None) -> Any:
    """The transpose of convolution()."""
    count = len(output_shape) - 2 if isinstance(output_shape, (list, tuple)) else output_shape.shape[0] - 2
    if count not in (1, 2, 3):
        raise ValueError('`output_shape` must be of length 3, 4 or 5. ' f'Received: output_shape={output_shape} of '
                         f'length {count + 2}.')
    work = {1: conv1d_transpose, 2: conv2d_transpose_v2, 3: conv3d_transpose_v2}[count]
    with scopes.name_scope(name, 'conv_transpose', [input, filters, output_shape]) as name:
        return work(input, filters, output_shape, strides, padding, _last(data_format, count), dilations, name)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Any:
    """Convolves images with filters whose taps lie |rate| apart."""
    return convolution_v2(value, filters, None, padding, None, [rate, rate], name)


def atrous_conv2d_transpose(value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any,
                            name: str | None = None) -> Any:
    """The transpose of atrous_conv2d."""
    with scopes.name_scope(name, 'atrous_conv2d_transpose', [value, filters, output_shape]) as name:
        return conv2d_transpose_v2(value, filters, output_shape, 1, padding, 'NHWC', rate, name)


def conv2d_backprop_input(input_sizes: Any, filter: Any = None, out_backprop: Any = None,  # pylint: disable=redefined-builtin
                          strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
                          data_format: str = 'NHWC', dilations: Any = (1, 1, 1, 1), name: str | None = None,
                          filters: Any = None) -> Any:
    """Returns the gradient of a convolution by its input."""
    filter = _either(filter, filters, 'filter filters')
    return gen.apply('Conv2DBackpropInput', name, {
        'input_sizes': input_sizes, 'filter': filter, 'out_backprop': out_backprop}, {
        'strides': strides, **_padding(padding), 'use_cudnn_on_gpu': use_cudnn_on_gpu, 'data_format': data_format,
        'dilations': list(dilations)})


def conv2d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any,  # pylint: disable=redefined-builtin
                           padding: Any, use_cudnn_on_gpu: bool = True, data_format: str = 'NHWC',
                           dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Any:
    """Returns the gradient of a convolution by its filter."""
    return gen.apply('Conv2DBackpropFilter', name, {
        'input': input, 'filter_sizes': filter_sizes, 'out_backprop': out_backprop}, {
        'strides': strides, **_padding(padding), 'use_cudnn_on_gpu': use_cudnn_on_gpu, 'data_format': data_format,
        'dilations': list(dilations)})


def depthwise_conv2d_native_backprop_input(input_sizes: Any, filter: Any,  # pylint: disable=redefined-builtin
                                           out_backprop: Any, strides: Any, padding: Any, data_format: str = 'NHWC',
                                           dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Any:
    """Returns the gradient of a convolution of each channel by its input."""
    return gen.apply('DepthwiseConv2dNativeBackpropInput', name, {
        'input_sizes': input_sizes, 'filter': filter, 'out_backprop': out_backprop}, {
        'strides': strides, **_padding(padding), 'data_format': data_format, 'dilations': list(dilations)})


def depthwise_conv2d_native_backprop_filter(input: Any, filter_sizes: Any,  # pylint: disable=redefined-builtin
                                            out_backprop: Any, strides: Any, padding: Any, data_format: str = 'NHWC',
                                            dilations: Any = (1, 1, 1, 1), name: str | None = None) -> Any:
    """Returns the gradient of a convolution of each channel by its filter."""
    return gen.apply('DepthwiseConv2dNativeBackpropFilter', name, {
        'input': input, 'filter_sizes': filter_sizes, 'out_backprop': out_backprop}, {
        'strides': strides, **_padding(padding), 'data_format': data_format, 'dilations': list(dilations)})
