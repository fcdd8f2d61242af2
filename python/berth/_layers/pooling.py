"""pooling.py - Layers that take the largest or the mean of windows."""

from __future__ import annotations

from typing import Any

from berth._layers import choices
from berth._layers.base import InputSpec, Layer
from berth.ops import array_ops, pool_ops


class _Pooling(Layer):
    """Windows over some dimensions."""

    rank = 2
    function: Any = None

    def __init__(self, pool_size: Any, strides: Any, padding: Any = 'valid', data_format: Any = 'channels_last',
                 name: Any = None, **options: Any) -> None:
        super().__init__(name=name, **options)
        self.pool_size = choices.numbers(pool_size, self.rank, 'pool_size')
        self.strides = choices.numbers(pool_size if strides is None else strides, self.rank, 'strides')
        self.padding = choices.padding(padding)
        self.data_format = choices.data_format(data_format)
        self.input_spec: Any = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Pools; what is a sequence as an image."""
        is_first = self.data_format == 'channels_first'
        if self.rank == 1:
            at = 3 if is_first else 2
            wide = self._pooled(array_ops.expand_dims(inputs, at), (*self.pool_size, 1), (*self.strides, 1))
            return array_ops.squeeze(wide, [at])
        if self.rank == 3 and is_first:
            last = array_ops.transpose(inputs, (0, 2, 3, 4, 1))
            pooled = type(self).function(last, (1, *self.pool_size, 1), (1, *self.strides, 1), self.padding.upper())
            return array_ops.transpose(pooled, (0, 4, 1, 2, 3))
        return self._pooled(inputs, self.pool_size, self.strides)

    def _pooled(self, inputs: Any, sizes: Any, strides: Any) -> Any:
        """Makes the op."""
        if self.data_format == 'channels_first':
            sizes, strides = (1, 1, *sizes), (1, 1, *strides)
        else:
            sizes, strides = (1, *sizes, 1), (1, *strides, 1)
        layout = choices.op_format(self.data_format, len(sizes))
        return type(self).function(inputs, sizes, strides, self.padding.upper(), layout)


class MaxPooling1D(_Pooling):
    """The largest of windows of sequences."""

    rank, function = 1, staticmethod(pool_ops.max_pool)


class AveragePooling1D(_Pooling):
    """The mean of windows of sequences."""

    rank, function = 1, staticmethod(pool_ops.avg_pool)


class MaxPooling2D(_Pooling):
    """The largest of windows of images."""

    rank, function = 2, staticmethod(pool_ops.max_pool)


class AveragePooling2D(_Pooling):
    """The mean of windows of images."""

    rank, function = 2, staticmethod(pool_ops.avg_pool)


class MaxPooling3D(_Pooling):
    """The largest of windows of volumes."""

    rank, function = 3, staticmethod(pool_ops.max_pool3d)


class AveragePooling3D(_Pooling):
    """The mean of windows of volumes."""

    rank, function = 3, staticmethod(pool_ops.avg_pool3d)


def _as_function(kind: Any, name: str) -> Any:
    def function(inputs: Any, pool_size: Any, strides: Any, padding: Any = 'valid',
                 data_format: Any = 'channels_last', name: Any = None) -> Any:
        return kind(pool_size, strides, padding, data_format, name)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Takes {kind.__doc__[0].lower()}{kind.__doc__[1:]}'
    return function


max_pooling1d = _as_function(MaxPooling1D, 'max_pooling1d')
average_pooling1d = _as_function(AveragePooling1D, 'average_pooling1d')
max_pooling2d = _as_function(MaxPooling2D, 'max_pooling2d')
average_pooling2d = _as_function(AveragePooling2D, 'average_pooling2d')
max_pooling3d = _as_function(MaxPooling3D, 'max_pooling3d')
average_pooling3d = _as_function(AveragePooling3D, 'average_pooling3d')
