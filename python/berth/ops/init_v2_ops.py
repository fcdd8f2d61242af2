"""init_v2_ops.py - tf.initializers of TF2, which are those of Keras: they take no type when made."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes
from berth.ops import array_ops, init_ops
from berth.ops.stateless_ops import Seeded


class Initializer:
    """A function from a shape to a tensor."""

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        raise NotImplementedError('Initializer subclasses must implement the `__call__()` method.')

    def get_config(self) -> dict:
        """Returns the settings."""
        return dict(self.__dict__)

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """Makes one from settings."""
        return cls(**config)


class Zeros(Initializer):
    """Zeros."""

    def __init__(self) -> None:
        pass

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return array_ops.zeros(shape, dtypes.float32 if dtype is None else dtype)


class Ones(Initializer):
    """Ones."""

    def __init__(self) -> None:
        pass

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return array_ops.ones(shape, dtypes.float32 if dtype is None else dtype)


class Constant(Initializer):
    """One value everywhere."""

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        return convert.convert_to_tensor(self.value, dtype=kind) * array_ops.ones(shape, kind)


class Identity(Initializer):
    """An identity matrix, times |gain|."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if len(shape) != 2:
            raise ValueError('Identity matrix initializer can only be used for 2D matrices. '
                             f'Received: shape={shape} of rank {len(shape)}.')
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        return array_ops.eye(shape[0], shape[1], dtype=kind) * convert.convert_to_tensor(self.gain, dtype=kind)


class RandomNormal(Initializer):
    """Normally distributed values."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        kind = dtypes.float32 if dtype is None else dtype
        return Seeded(self.seed).random_normal(shape, self.mean, self.stddev, kind)


class TruncatedNormal(RandomNormal):
    """Normally distributed values within two standard deviations."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        kind = dtypes.float32 if dtype is None else dtype
        return Seeded(self.seed).truncated_normal(shape, self.mean, self.stddev, kind)


class RandomUniform(Initializer):
    """Uniformly distributed values."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        kind = dtypes.float32 if dtype is None else dtype
        return Seeded(self.seed).random_uniform(shape, self.minval, self.maxval, kind)


class VarianceScaling(Initializer):
    """Random values whose variance goes by the number of inputs or outputs."""

    def __init__(self, scale: float = 1.0, mode: str = 'fan_in', distribution: str = 'truncated_normal',
                 seed: int | None = None, input_axes: Any = None, output_axes: Any = None) -> None:
        if scale <= 0.0:
            raise ValueError(f'Argument `scale` must be positive float. Received: scale={scale}')
        if mode not in ('fan_in', 'fan_out', 'fan_avg'):
            raise ValueError(f'Invalid `mode` argument: {mode}. Please use one of '
                             "{'fan_in', 'fan_out', 'fan_avg'}")
        if distribution not in ('uniform', 'truncated_normal', 'untruncated_normal'):
            raise ValueError(f'Invalid `distribution` argument: {distribution}. Please use one of '
                             "{'uniform', 'truncated_normal', 'untruncated_normal'}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.input_axes, self.output_axes = input_axes, output_axes

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        drawn = init_ops.variance_scaling_initializer(self.scale, self.mode, self.distribution, self.seed)
        drawn.fans = self._fans(list(shape))  # type: ignore[attr-defined]
        drawn.source = Seeded(self.seed)  # type: ignore[attr-defined]
        return drawn(shape, kind)

    def _fans(self, shape: list[int]) -> tuple[float, float]:
        """Returns how many inputs and outputs weights of |shape| have."""
        if self.input_axes is None and self.output_axes is None:
            return init_ops.fans(shape)
        inputs = self._axes(self.input_axes, -2, shape)
        outputs = self._axes(self.output_axes, -1, shape)
        rest = math.prod(size for axis, size in enumerate(shape) if axis not in inputs | outputs)
        return (rest * math.prod(shape[axis] for axis in inputs), rest * math.prod(shape[axis] for axis in outputs))

    @staticmethod
    def _axes(axes: Any, usual: int, shape: list[int]) -> set[int]:
        given = usual if axes is None else axes
        return {axis % len(shape) for axis in (given if isinstance(given, (list, tuple)) else [given])}


def _scaled(name: str, scale: float, mode: str, distribution: str) -> Any:
    """Makes the class of an initialiser with given settings."""
    def __init__(self: Any, seed: int | None = None, input_axes: Any = None, output_axes: Any = None) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed, input_axes, output_axes)

    def get_config(self: Any) -> dict:
        """Returns the settings."""
        return {'seed': self.seed, 'input_axes': self.input_axes, 'output_axes': self.output_axes}

    return type(name, (VarianceScaling,), {
        '__init__': __init__, 'get_config': get_config,
        '__doc__': f'Values of a {distribution} distribution, scaled by {mode} times {scale}.'})


GlorotUniform = _scaled('GlorotUniform', 1.0, 'fan_avg', 'uniform')
GlorotNormal = _scaled('GlorotNormal', 1.0, 'fan_avg', 'truncated_normal')
HeNormal = _scaled('HeNormal', 2.0, 'fan_in', 'truncated_normal')
HeUniform = _scaled('HeUniform', 2.0, 'fan_in', 'uniform')
LecunNormal = _scaled('LecunNormal', 1.0, 'fan_in', 'truncated_normal')
LecunUniform = _scaled('LecunUniform', 1.0, 'fan_in', 'uniform')
