"""convolutional.py - Layers that convolve: sequences, images, volumes; transposed and separable ones."""

from __future__ import annotations

from typing import Any

from berth._layers import choices
from berth._layers.base import InputSpec, Layer
from berth.framework import scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, conv_ops, init_ops, nn_ops

_ZEROS = init_ops.zeros_initializer()


class _Conv(Layer):
    """A kernel that moves over |rank| dimensions, and a bias."""

    rank = 2

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', dilation_rate: Any = 1, activation: Any = None,
                 use_bias: bool = True, kernel_initializer: Any = None, bias_initializer: Any = _ZEROS,
                 kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: Any = None,
                 **options: Any) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **options)
        self.filters = int(filters)
        if self.filters <= 0:
            raise ValueError('Invalid value for argument `filters`. Expected a strictly positive value. Received '
                             f'filters={filters}.')
        self.kernel_size = choices.numbers(kernel_size, self.rank, 'kernel_size')
        self.strides = choices.numbers(strides, self.rank, 'strides')
        self.padding = choices.padding(padding)
        self.data_format = choices.data_format(data_format)
        self.dilation_rate = choices.numbers(dilation_rate, self.rank, 'dilation_rate')
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError('`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: '
                             f'strides={self.strides} and dilation_rate={self.dilation_rate}')
        self.activation, self.use_bias = choices.activation(activation), use_bias
        self.kernel_initializer = choices.initializer(kernel_initializer)
        self.bias_initializer = choices.initializer(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec: Any = InputSpec(min_ndim=self.rank + 2)
        self.kernel: Any = None
        self.bias: Any = None
        self._layout = choices.op_format(self.data_format, self.rank + 2)

    @property
    def _is_first(self) -> bool:
        return self.data_format == 'channels_first'

    def _channels(self, input_shape: Any) -> int:
        """Returns how many channels inputs have, and expects as many from now on."""
        axis = -1 - self.rank if self._is_first else -1
        shape = TensorShape(input_shape)
        count = shape.as_list()[axis] if shape.rank is not None else None
        if count is None:
            raise ValueError('The channel dimension of the inputs should be defined. The input_shape received is '
                             f'{shape}, where axis {axis} (0-based) is the channel dimension, which found to be '
                             '`None`.')
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: count})
        return count

    def _add_kernel(self, name: str, shape: Any, initializer: Any, regularizer: Any, constraint: Any) -> Any:
        return self.add_weight(name, shape, initializer=initializer, regularizer=regularizer, constraint=constraint)

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self._add_kernel('bias', [self.filters], self.bias_initializer, self.bias_regularizer,
                                         self.bias_constraint)

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias."""
        shape = self._kernel_shape(self._channels(input_shape))
        self.kernel = self._add_kernel('kernel', shape, self.kernel_initializer, self.kernel_regularizer,
                                       self.kernel_constraint)
        self._add_bias()

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Convolves."""
        padding = self.padding
        if padding == 'causal':
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            sides = [[0, 0], [0, 0], [left, 0]] if self._is_first else [[0, 0], [left, 0], [0, 0]]
            inputs, padding = array_ops.pad(inputs, sides), 'valid'
        outputs = conv_ops.convolution_v2(inputs, self.kernel, list(self.strides), padding.upper(), self._layout,
                                          list(self.dilation_rate), type(self).__name__)
        return self._finished(outputs)

    def _finished(self, outputs: Any, is_sequence: bool = False) -> Any:
        """Adds the bias, and calls the activation."""
        if self.use_bias:
            if self.rank == 1 and self._is_first and not is_sequence:
                outputs = outputs + array_ops.reshape(self.bias, (1, self.filters, 1))
            else:
                layout = 'NCHW' if self._is_first else 'NHWC'
                outputs = nn_ops.bias_add(outputs, self.bias, data_format=layout)
        if is_sequence:
            outputs = array_ops.squeeze(outputs, [2 if self._is_first else 1])
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of what comes out."""
        sizes = TensorShape(input_shape).as_list()
        inner = sizes[2:] if self._is_first else sizes[1:-1]
        found = [self._length(size, place) for place, size in enumerate(inner)]
        return TensorShape([sizes[0], self.filters, *found] if self._is_first else [sizes[0], *found, self.filters])

    def _length(self, size: Any, place: int) -> Any:
        """Returns how many places a window has along one dimension."""
        if size is None:
            return None
        window = (self.kernel_size[place] - 1) * self.dilation_rate[place] + 1
        count = size if self.padding in ('same', 'causal') else size - window + 1
        return (count + self.strides[place] - 1) // self.strides[place]


class Conv1D(_Conv):
    """A convolution of sequences."""

    rank = 1


class Conv2D(_Conv):
    """A convolution of images."""

    rank = 2


class Conv3D(_Conv):
    """A convolution of volumes."""

    rank = 3


# ---- Transposed ----


class _Transposed(_Conv):
    """The transpose of a convolution: what it gives is larger."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = None, bias_initializer: Any = _ZEROS, kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
                 bias_constraint: Any = None, trainable: bool = True, name: Any = None, **options: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
                         kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                         activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **options)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _length(self, size: Any, place: int) -> Any:
        """Returns the size before the convolution."""
        if size is None:
            return None
        size = size * self.strides[place]
        more = max(self.kernel_size[place] - self.strides[place], 0)
        # Nothing is added where nothing is missing: TensorFlow makes no node then.
        return size + more if self.padding == 'valid' and (more or not isinstance(size, int)) else size

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Convolves backwards."""
        shape = array_ops.shape(inputs)
        batch = shape[0]
        first = 2 if self._is_first else 1
        known = inputs.shape.as_list() if inputs.shape.rank is not None and self.rank == 2 else [None] * 5
        inner = [shape[first + i] if known[first + i] is None else known[first + i] for i in range(self.rank)]
        sizes = [self._length(size, place) for place, size in enumerate(inner)]
        whole = (batch, self.filters, *sizes) if self._is_first else (batch, *sizes, self.filters)
        strides = (1, 1, *self.strides) if self._is_first else (1, *self.strides, 1)
        function = conv_ops.conv2d_transpose if self.rank == 2 else conv_ops.conv3d_transpose
        wanted = array_ops.stack(whole)
        if self.rank == 2 and not scopes.executing_eagerly():
            wanted[0]  # TensorFlow looks at it, and leaves a node behind.
        outputs = function(inputs, self.kernel, wanted, strides, padding=self.padding.upper(),
                           data_format=self._layout)
        if not scopes.executing_eagerly() and inputs.shape.rank:
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._finished(outputs)


class Conv2DTranspose(_Transposed):
    """The transpose of a convolution of images."""

    rank = 2


class Conv3DTranspose(_Transposed):
    """The transpose of a convolution of volumes."""

    rank = 3


# ---- Separable ----


class _Separable(_Conv):
    """A convolution of each channel by itself, and then of the channels at each place."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', dilation_rate: Any = 1, depth_multiplier: int = 1,
                 activation: Any = None, use_bias: bool = True, depthwise_initializer: Any = None,
                 pointwise_initializer: Any = None, bias_initializer: Any = _ZEROS, depthwise_regularizer: Any = None,
                 pointwise_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                 depthwise_constraint: Any = None, pointwise_constraint: Any = None, bias_constraint: Any = None,
                 trainable: bool = True, name: Any = None, **options: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                         None, bias_initializer, None, bias_regularizer, activity_regularizer, None, bias_constraint,
                         trainable, name, **options)
        self.depth_multiplier = depth_multiplier
        self._parts = ((depthwise_initializer, depthwise_regularizer, depthwise_constraint),
                       (pointwise_initializer, pointwise_regularizer, pointwise_constraint))
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes both kernels and the bias."""
        channels = self._channels(input_shape)
        first = [*self.kernel_size, channels, self.depth_multiplier]
        second = [*([1] * self.rank), self.depth_multiplier * channels, self.filters]
        self.depthwise_kernel = self._add_kernel('depthwise_kernel', first, *self._parts[0])
        self.pointwise_kernel = self._add_kernel('pointwise_kernel', second, *self._parts[1])
        self._add_bias()

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Convolves; what is a sequence as an image."""
        kernels = [self.depthwise_kernel, self.pointwise_kernel]
        strides, rates, is_line = self.strides, self.dilation_rate, self.rank == 1
        if is_line:
            inputs = array_ops.expand_dims(inputs, 2 if self._is_first else 1)
            kernels = [array_ops.expand_dims(kernel, 0) for kernel in kernels]
            strides, rates = strides * 2, (1, *rates)
        strides = (1, 1, *strides) if self._is_first else (1, *strides, 1)
        outputs = conv_ops.separable_conv2d(
            inputs, *kernels, strides=strides, padding=self.padding.upper(), rate=rates,
            data_format='NCHW' if self._is_first else 'NHWC')
        return self._finished(outputs, is_line)


class SeparableConv1D(_Separable):
    """A separable convolution of sequences."""

    rank = 1


class SeparableConv2D(_Separable):
    """A separable convolution of images."""

    rank = 2


# ---- Functions ----


def _conv(kind: Any, name: str) -> Any:
    def function(inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', dilation_rate: Any = 1, activation: Any = None,
                 use_bias: bool = True, kernel_initializer: Any = None, bias_initializer: Any = _ZEROS,
                 kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: Any = None,
                 reuse: Any = None) -> Any:
        return kind(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                    kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
                    kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name)(inputs)

    return _named(function, kind, name)


def _transposed(kind: Any, name: str) -> Any:
    def function(inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = None, bias_initializer: Any = _ZEROS, kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
                 bias_constraint: Any = None, trainable: bool = True, name: Any = None, reuse: Any = None) -> Any:
        return kind(filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
                    bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
                    bias_constraint, trainable, name, _reuse=reuse, _scope=name)(inputs)

    return _named(function, kind, name)


def _separable(kind: Any, name: str) -> Any:
    def function(inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = 'valid',
                 data_format: Any = 'channels_last', dilation_rate: Any = 1, depth_multiplier: int = 1,
                 activation: Any = None, use_bias: bool = True, depthwise_initializer: Any = None,
                 pointwise_initializer: Any = None, bias_initializer: Any = _ZEROS, depthwise_regularizer: Any = None,
                 pointwise_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                 depthwise_constraint: Any = None, pointwise_constraint: Any = None, bias_constraint: Any = None,
                 trainable: bool = True, name: Any = None, reuse: Any = None) -> Any:
        return kind(filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
                    use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
                    pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint,
                    pointwise_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name)(inputs)

    return _named(function, kind, name)


def _named(function: Any, kind: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Makes {kind.__doc__[0].lower()}{kind.__doc__[1:]}'
    return function


conv1d = _conv(Conv1D, 'conv1d')
conv2d = _conv(Conv2D, 'conv2d')
conv3d = _conv(Conv3D, 'conv3d')
conv2d_transpose = _transposed(Conv2DTranspose, 'conv2d_transpose')
conv3d_transpose = _transposed(Conv3DTranspose, 'conv3d_transpose')
separable_conv1d = _separable(SeparableConv1D, 'separable_conv1d')
separable_conv2d = _separable(SeparableConv2D, 'separable_conv2d')
