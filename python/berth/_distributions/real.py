"""real.py - Distributions of real numbers: normal, uniform, Laplace's, Student's."""

from __future__ import annotations

import math
from typing import Any

from berth._distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from berth._distributions.divergence import RegisterKL
from berth._distributions.seeds import other_seed
from berth.base import naming
from berth.framework import convert, scopes, static_value
from berth.ops import array_ops, check_ops, check_shapes, math_ops, order_ops, plain_ops, random_ops, special_ops

__all__ = ['Laplace', 'Normal', 'StudentT', 'Uniform']


class _ByPlaces(Distribution):
    """One whose parameters give the batch together; `_places` names them."""

    _places: tuple[str, ...] = ()

    def _set(self, values: dict[str, Any], checks: Any, parameters: Any, validate_args: bool, allow_nan_stats: bool,
             name: str) -> None:
        """Keeps the parameters as tensors in the scope of the distribution, once |checks| have passed."""
        with scopes.name_scope(name, values=list(values.values())) as name:
            with scopes.control_dependencies(checks() if validate_args else []):
                tensors = [array_ops.identity(value, name=key) for key, value in values.items()]
            check_shapes.assert_same_float_dtype(tensors)
        for key, tensor in zip(values, tensors):
            setattr(self, '_' + key, tensor)
        super().__init__(tensors[-1].dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         tensors, name)

    def _batch_shape(self) -> Any:
        shape = self._graph_parents[0].shape
        for tensor in self._graph_parents[1:]:
            shape = static_value.broadcast_static_shape(shape, tensor.shape)
        return shape

    def _batch_shape_tensor(self) -> Any:
        shape = array_ops.shape(self._graph_parents[0])
        for tensor in self._graph_parents[1:]:
            shape = static_value.broadcast_dynamic_shape(shape, array_ops.shape(tensor))
        return shape

    def _whole(self, value: Any) -> Any:
        """Returns a value in the shape of the batch."""
        return value * array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)


class _Located(_ByPlaces):
    """One that another is moved and stretched to."""

    loc = property(lambda self: self._loc, doc='Where it is.')
    scale = property(lambda self: self._scale, doc='How wide it is.')

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale


# ---- Normal ----


def _normal_cdf(x: Any) -> Any:
    """Returns how likely a normal value is below |x|: by erfc where erf has no digits left."""
    half = convert.constant(math.sqrt(0.5), dtype=x.dtype)
    w = x * half
    z = math_ops.abs(w)
    tail = math_ops.erfc(z)
    return 0.5 * array_ops.where_v2(z < half, 1.0 + math_ops.erf(w), array_ops.where_v2(w > 0.0, 2.0 - tail, tail))


def _log_normal_cdf(x: Any) -> Any:
    """Returns the logarithm of that: by a series far to the left, where it would be that of 0."""
    low, high = (-20.0, 8.0) if x.dtype.name == 'float64' else (-10.0, 5.0)
    far = math_ops.minimum(x, low)
    square = math_ops.square(far)
    series = 1.0 - 1.0 / square + 3.0 / math_ops.square(square) - 15.0 / (square * math_ops.square(square))
    left = -0.5 * square - math_ops.log(-far) - 0.5 * math.log(2.0 * math.pi) + math_ops.log(series)
    middle = math_ops.log(_normal_cdf(math_ops.maximum(x, low)))
    return array_ops.where_v2(x > high, -_normal_cdf(-x), array_ops.where_v2(x > low, middle, left))


@naming.public('ops.distributions.normal')
class Normal(_Located):
    """Normal distributions."""

    def _z(self, x: Any) -> Any:
        with scopes.name_scope('standardize', values=[x]):
            return super()._z(x)

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Normal') -> None:
        parameters = dict(locals())
        self._set({'loc': loc, 'scale': scale}, lambda: [check_ops.assert_positive(scale)], parameters, validate_args,
                  allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = random_ops.random_normal(self._drawn_shape(n), 0.0, 1.0, self.loc.dtype, seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        return -0.5 * math_ops.square(self._z(x)) - (0.5 * math.log(2.0 * math.pi) + math_ops.log(self.scale))

    def _cdf(self, x: Any) -> Any:
        return _normal_cdf(self._z(x))

    def _log_cdf(self, x: Any) -> Any:
        return _log_normal_cdf(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return _normal_cdf(-self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_normal_cdf(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return special_ops.ndtri(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        return 0.5 * math.log(2.0 * math.pi * math.e) + math_ops.log(self._stddev())

    def _mean(self) -> Any:
        return self.loc * array_ops.ones_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self.scale * array_ops.ones_like(self.loc)


@RegisterKL(Normal, Normal)
def _normals(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_normal_normal', [a.loc, b.loc]):
        wide = math_ops.square(b.scale)
        ratio = math_ops.square(a.scale) / wide
        return math_ops.squared_difference(a.loc, b.loc) / (2.0 * wide) + 0.5 * (ratio - 1.0 - math_ops.log(ratio))


# ---- Uniform ----


@naming.public('ops.distributions.uniform')
class Uniform(_ByPlaces):
    """Uniform distributions."""

    low = property(lambda self: self._low, doc='The least that is drawn.')
    high = property(lambda self: self._high, doc='What is above all that is drawn.')

    def __init__(self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Uniform') -> None:
        parameters = dict(locals())
        self._set({'low': low, 'high': high},
                  lambda: [check_ops.assert_less(low, high, message='uniform not defined when low >= high.')],
                  parameters, validate_args, allow_nan_stats, name)

    def range(self, name: str = 'range') -> Any:
        """Returns how far the ends are from each other."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = random_ops.random_uniform(self._drawn_shape(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x: Any) -> Any:
        x = self._whole(x)
        is_out = math_ops.logical_or(x < self.low, x >= self.high)
        inside = array_ops.where_v2(is_out, array_ops.zeros_like(x), array_ops.ones_like(x) / self.range())
        return array_ops.where_v2(math_ops.is_nan(x), x, inside)

    def _cdf(self, x: Any) -> Any:
        x = self._whole(x)
        inside = array_ops.where_v2(x >= self.high, array_ops.ones_like(x), (x - self.low) / self.range())
        return array_ops.where_v2(x < self.low, array_ops.zeros_like(x), inside)

    def _entropy(self) -> Any:
        return math_ops.log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return math_ops.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


# ---- Laplace's ----


@naming.public('ops.distributions.laplace')
class Laplace(_Located):
    """Laplace's distributions: two exponential ones, back to back."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Laplace') -> None:
        parameters = dict(locals())
        self._set({'loc': loc, 'scale': scale}, lambda: [check_ops.assert_positive(scale)], parameters, validate_args,
                  allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        import numpy as np

        kind = self.dtype.as_numpy_dtype
        least = np.nextafter(kind(-1.0), kind(0.0))  # Of -1 itself the logarithm would be infinite.
        drawn = random_ops.random_uniform(self._drawn_shape(n), least, 1.0, self.dtype, seed)
        return self.loc - self.scale * math_ops.sign(drawn) * math_ops.log1p(-math_ops.abs(drawn))

    def _log_prob(self, x: Any) -> Any:
        return -math_ops.abs(self._z(x)) - (math.log(2.0) + math_ops.log(self.scale))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * math_ops.sign(z) * (1.0 - math_ops.exp(-math_ops.abs(z)))

    def _log_cdf(self, x: Any) -> Any:
        return _log_laplace(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_laplace(-self._z(x))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + math_ops.log(self.scale + array_ops.zeros_like(self.loc))

    def _mean(self) -> Any:
        return self.loc + array_ops.zeros_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + array_ops.zeros_like(self.loc)


def _log_laplace(z: Any) -> Any:
    """Returns the logarithm of the part below |z|, with digits on both sides of 0."""
    right = math_ops.log1p(-0.5 * math_ops.exp(-math_ops.abs(z)))
    return array_ops.where_v2(z < 0.0, z - math.log(2.0), right)


# ---- Student's ----


@naming.public('ops.distributions.student_t')
class StudentT(_Located):
    """Student's distributions: normal ones whose width is drawn, too."""

    df = property(lambda self: self._df, doc='Degrees of freedom.')

    def __init__(self, df: Any, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'StudentT') -> None:
        parameters = dict(locals())
        self._set({'df': df, 'loc': loc, 'scale': scale}, lambda: [check_ops.assert_positive(df)], parameters,
                  validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        normal = random_ops.random_normal(self._drawn_shape(n), dtype=self.dtype, seed=seed)
        df = self._whole(self.df)
        gamma = random_ops.random_gamma([n], 0.5 * df, 0.5, self.dtype, other_seed(seed, 'student_t'))
        return normal * math_ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        return (-0.5 * (self.df + 1.0) * math_ops.log1p(math_ops.square(self._z(x)) / self.df)
                - (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) + 0.5 * math.log(math.pi)
                   + math_ops.lgamma(0.5 * self.df) - math_ops.lgamma(0.5 * (self.df + 1.0))))

    def _cdf(self, x: Any) -> Any:
        y = (x - self.loc) / math_ops.abs(self.scale)
        tail = 0.5 * plain_ops.Betainc(0.5 * self.df, 0.5, self.df / (math_ops.square(y) + self.df))
        return array_ops.where_v2(y < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> Any:
        ones = array_ops.expand_dims(self._whole(1.0), -1)
        both = array_ops.concat([ones * array_ops.expand_dims(self.df, -1), ones], -1) / 2.0
        more = 0.5 * (self.df + 1.0)
        return (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) + special_ops.lbeta(both)
                + more * (math_ops.digamma(more) - math_ops.digamma(0.5 * self.df)))

    def _mean(self) -> Any:
        return self._defined(self._whole(self.loc), 'mean')

    def _variance(self) -> Any:
        room = array_ops.where_v2(self.df > 2.0, self.df - 2.0, array_ops.ones_like(self.df))
        narrow = self._whole(math_ops.square(self.scale) * self.df / room)
        infinite = array_ops.fill(self.batch_shape_tensor(), convert.constant(math.inf, dtype=self.dtype))
        return self._defined(array_ops.where_v2(self.df > 2.0, narrow, infinite), 'variance')

    def _mode(self) -> Any:
        return array_ops.identity(self.loc)

    def _defined(self, value: Any, what: str) -> Any:
        """Returns a value that there is for more than one degree of freedom only."""
        if not self.allow_nan_stats:
            text = f'{what} not defined for components of df <= 1'
            return order_ops.with_dependencies(
                [check_ops.assert_less(array_ops.ones([], dtype=self.dtype), self.df, message=text)], value)
        nan = array_ops.fill(self.batch_shape_tensor(), convert.constant(math.nan, dtype=self.dtype))
        return array_ops.where_v2(self.df > 1.0, value, nan)
