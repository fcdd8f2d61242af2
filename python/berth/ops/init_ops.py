"""init_ops.py - Initialisers: functions from a shape to the first value of a variable."""

from __future__ import annotations

import math
from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen
from berth.ops import array_ops, math_ops, random_ops


@naming.public('ops.init_ops')
class Initializer:
    """A function from a shape to a tensor."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        raise NotImplementedError

    _untold: tuple[str, ...] = ('_verify_shape',)  # What the settings do not show.

    def get_config(self) -> dict:
        """Returns the settings."""
        return {k: v.name if isinstance(v, dtypes.DType) else v for k, v in self.__dict__.items()
                if k not in self._untold}

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """Makes one from settings."""
        return cls(**config)


@naming.public('ops.init_ops', 'Zeros')
class zeros_initializer(Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return array_ops.zeros(shape, self.dtype if dtype is None else dtype)


@naming.public('ops.init_ops', 'Ones')
class ones_initializer(Initializer):
    """Ones."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return array_ops.ones(shape, self.dtype if dtype is None else dtype)


@naming.public('ops.init_ops', 'Constant')
class constant_initializer(Initializer):
    """One value everywhere, or values given."""

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False) -> None:
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None,
                 verify_shape: bool | None = None) -> Any:
        check = self._verify_shape if verify_shape is None else verify_shape
        return convert.constant(self.value, dtype=self.dtype if dtype is None else dtype, shape=shape,
                                verify_shape=check)


@naming.public('ops.init_ops', 'RandomUniform')
class random_uniform_initializer(Initializer):
    """Uniformly distributed values."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return random_ops.random_uniform(shape, self.minval, self.maxval, self.dtype if dtype is None else dtype,
                                         seed=self.seed)


@naming.public('ops.init_ops', 'RandomNormal')
class random_normal_initializer(Initializer):
    """Normally distributed values."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return random_ops.random_normal(shape, self.mean, self.stddev, self.dtype if dtype is None else dtype,
                                        seed=self.seed)


@naming.public('ops.init_ops', 'TruncatedNormal')
class truncated_normal_initializer(random_normal_initializer):
    """Normally distributed values within two standard deviations."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return random_ops.truncated_normal(shape, self.mean, self.stddev, self.dtype if dtype is None else dtype,
                                           seed=self.seed)


def _whole(shape: Any, partition_info: Any) -> Any:
    """Returns the shape of the variable that a part of |shape| is of."""
    return shape if partition_info is None else partition_info.full_shape


# The standard deviation of a normal distribution that is cut at two of them.
_CUT_STDDEV = 0.87962566103423978


@naming.public('ops.init_ops', 'VarianceScaling')
class variance_scaling_initializer(Initializer):
    """Random values whose variance goes by the number of inputs or outputs."""

    fans: Any = None  # Inputs and outputs, where the shape does not tell them.
    source: Any = random_ops  # What draws.

    def __init__(self, scale: float = 1.0, mode: str = 'fan_in', distribution: str = 'truncated_normal',
                 seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        if scale <= 0.0:
            raise ValueError(f'Argument `scale` must be a positive float. Received: {scale}')
        if mode not in ('fan_in', 'fan_out', 'fan_avg'):
            raise ValueError("Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                             f'Received: {mode}')
        if distribution not in ('normal', 'uniform', 'truncated_normal', 'untruncated_normal'):
            raise ValueError("Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                             f"'untruncated_normal'). Received: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        dtype = self.dtype if dtype is None else dtype
        variance = self.scale / max(1.0, self._fan(_whole(shape, partition_info)))
        if self.distribution in ('normal', 'truncated_normal'):
            stddev = math.sqrt(variance) / _CUT_STDDEV
            return self.source.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == 'untruncated_normal':
            return self.source.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * variance)
        return self.source.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

    def _fan(self, shape: Any) -> float:
        inputs, outputs = self.fans or fans(list(shape))
        return {'fan_in': inputs, 'fan_out': outputs, 'fan_avg': (inputs + outputs) / 2.0}[self.mode]


def fans(shape: list[int]) -> tuple[float, float]:
    """Returns how many inputs and outputs weights of |shape| have."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


@naming.public('ops.init_ops', 'GlorotUniform')
class glorot_uniform_initializer(variance_scaling_initializer):
    """Uniform values, scaled by the mean of inputs and outputs."""

    _untold = ('scale', 'mode', 'distribution')

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, 'fan_avg', 'uniform', seed, dtype)


@naming.public('ops.init_ops', 'GlorotNormal')
class glorot_normal_initializer(variance_scaling_initializer):
    """Normal values, scaled by the mean of inputs and outputs."""

    _untold = ('scale', 'mode', 'distribution')

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, 'fan_avg', 'truncated_normal', seed, dtype)


def _scaled(scale: float, distribution: str) -> Any:
    def function(seed: int | None = None) -> variance_scaling_initializer:
        return variance_scaling_initializer(scale, 'fan_in', distribution, seed)

    function.__doc__ = f'Makes an initialiser of {distribution} values, scaled by the inputs times {scale}.'
    return function


he_normal = _scaled(2.0, 'truncated_normal')
he_uniform = _scaled(2.0, 'uniform')
lecun_normal = _scaled(1.0, 'truncated_normal')
lecun_uniform = _scaled(1.0, 'uniform')


@naming.public('ops.init_ops', 'Orthogonal')
class orthogonal_initializer(Initializer):
    """A matrix whose columns, or rows, are of length 1 and at right angles."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.gain, self.seed = gain, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        sizes = [int(size) for size in shape]
        if len(sizes) < 2:
            raise ValueError('The tensor to initialize, specified by argument `shape` must be at least '
                             f'two-dimensional. Received shape={shape}')
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        square = (max(rows, columns), min(rows, columns))
        drawn = random_ops.random_normal(square, dtype=self.dtype if dtype is None else dtype, seed=self.seed)
        basis, rest = gen.apply('Qr', None, {'input': drawn}, {'full_matrices': False})
        basis = basis * math_ops.sign(array_ops.diag_part(rest))
        if rows < columns:
            basis = array_ops.matrix_transpose(basis)
        return self.gain * array_ops.reshape(basis, sizes)


class uniform_unit_scaling_initializer(Initializer):
    """Uniformly distributed values that keep the scale of what is multiplied by them."""

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.factor, self.seed = factor, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        inputs = math.prod(float(size) for size in list(_whole(shape, partition_info))[:-1])
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return random_ops.random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)


class identity_initializer(Initializer):
    """An identity matrix, times |gain|."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        whole = _whole(shape, partition_info)
        if len(whole) != 2:
            raise ValueError('The tensor to initialize, specified by argument `shape` must be at least '
                             f'two-dimensional. Received shape={shape}')
        made = array_ops.eye(*[int(size) for size in whole], dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            made = array_ops.slice(made, partition_info.var_offset, shape)
        return self.gain * made
