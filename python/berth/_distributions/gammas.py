"""gammas.py - Distributions of positive numbers, and of parts of a whole: gamma, exponential, beta, Dirichlet's."""

from __future__ import annotations

import math
from typing import Any

from berth._distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from berth._distributions.divergence import RegisterKL
from berth._distributions.real import _ByPlaces
from berth._distributions.seeds import other_seed
from berth.base import naming
from berth.framework import convert, scopes
from berth.ops import (array_ops, check_ops, check_shapes, linalg_ops, math_ops, order_ops, plain_ops, random_ops,
                       reduce_ops, special_ops)

__all__ = ['Beta', 'Dirichlet', 'Exponential', 'Gamma']


def _checked(distribution: Any, value: Any, checks: Any) -> Any:
    """Returns a value once what is said of it is so, where arguments are looked at."""
    return order_ops.with_dependencies(checks(value), value) if distribution.validate_args else value


def _mode_or(distribution: Any, mode: Any, is_defined: Any, concentrations: Any, text: str) -> Any:
    """Returns the mode where there is one, and NaN or an error elsewhere."""
    one = array_ops.ones([], dtype=distribution.dtype)
    if not distribution.allow_nan_stats:
        return order_ops.with_dependencies(
            [check_ops.assert_less(one, each, message=text.format(i)) for i, each in concentrations], mode)
    nan = array_ops.fill(array_ops.shape(mode), convert.constant(math.nan, dtype=distribution.dtype))
    return array_ops.where_v2(is_defined, mode, nan)


@naming.public('ops.distributions.gamma')
class Gamma(_ByPlaces):
    """Gamma distributions."""

    concentration = property(lambda self: self._concentration, doc='The shape of the curve.')
    rate = property(lambda self: self._rate, doc='One over the width.')

    def __init__(self, concentration: Any, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Gamma') -> None:
        parameters = dict(locals())
        self._set({'concentration': concentration, 'rate': rate},
                  lambda: [check_ops.assert_positive(concentration), check_ops.assert_positive(rate)], parameters,
                  validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return random_ops.random_gamma([n], self.concentration, self.rate, self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        x = self._positive(x)
        return (math_ops.xlogy(self.concentration - 1.0, x) - self.rate * x
                - (math_ops.lgamma(self.concentration) - self.concentration * math_ops.log(self.rate)))

    def _cdf(self, x: Any) -> Any:
        return plain_ops.Igamma(self.concentration, self.rate * self._positive(x))

    def _positive(self, x: Any) -> Any:
        check_shapes.assert_same_float_dtype([x], self.dtype)
        return _checked(self, x, lambda value: [check_ops.assert_positive(value)])

    def _entropy(self) -> Any:
        return (self.concentration - math_ops.log(self.rate) + math_ops.lgamma(self.concentration)
                + (1.0 - self.concentration) * math_ops.digamma(self.concentration))

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / math_ops.square(self.rate)

    def _stddev(self) -> Any:
        return math_ops.sqrt(self.concentration) / self.rate

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / self.rate
        return _mode_or(self, mode, self.concentration > 1.0, [('', self.concentration)],
                        'mode not defined when any concentration <= 1')


@RegisterKL(Gamma, Gamma)
def _gammas(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_gamma_gamma', [a.concentration, a.rate, b.concentration, b.rate]):
        return ((a.concentration - b.concentration) * math_ops.digamma(a.concentration)
                + math_ops.lgamma(b.concentration) - math_ops.lgamma(a.concentration)
                + b.concentration * math_ops.log(a.rate) - b.concentration * math_ops.log(b.rate)
                + a.concentration * (b.rate / a.rate - 1.0))


@naming.public('ops.distributions.exponential')
class Exponential(Gamma):
    """Exponential distributions: gamma ones of concentration 1."""

    def __init__(self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Exponential') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name, values=[rate]) as name:
            rate = convert.convert_to_tensor(rate, name='rate')
        super().__init__(array_ops.ones([], dtype=rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        import numpy as np

        least = np.finfo(self.dtype.as_numpy_dtype).tiny  # The logarithm of 0 is infinite.
        shape = array_ops.concat([[n], array_ops.shape(self.rate)], 0)
        return -math_ops.log(random_ops.random_uniform(shape, least, 1.0, self.dtype, seed)) / self.rate

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - math_ops.log(self.rate)


@naming.public('ops.distributions.beta')
class Beta(Distribution):
    """Beta distributions, of numbers between 0 and 1."""

    concentration1 = property(lambda self: self._concentration1, doc='How much is near 1.')
    concentration0 = property(lambda self: self._concentration0, doc='How much is near 0.')
    total_concentration = property(lambda self: self._total, doc='Their sum.')

    def __init__(self, concentration1: Any = None, concentration0: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = 'Beta') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name, values=[concentration1, concentration0]) as name:
            both = []
            for key, value in (('concentration1', concentration1), ('concentration0', concentration0)):
                value = convert.convert_to_tensor(value, name=key)
                both.append(_positive_concentration(value, validate_args))
            check_shapes.assert_same_float_dtype(both)
            self._concentration1, self._concentration0 = both
            self._total = both[0] + both[1]
        super().__init__(self._total.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [*both, self._total], name)

    def _batch_shape(self) -> Any:
        return self._total.shape

    def _batch_shape_tensor(self) -> Any:
        return array_ops.shape(self._total)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        ones = array_ops.ones_like(self._total, dtype=self.dtype)
        first = random_ops.random_gamma([n], ones * self.concentration1, dtype=self.dtype, seed=seed)
        second = random_ops.random_gamma([n], ones * self.concentration0, dtype=self.dtype,
                                         seed=other_seed(seed, 'beta'))
        return first / (first + second)

    def _log_prob(self, x: Any) -> Any:
        x = _checked(self, x, lambda value: [
            check_ops.assert_positive(value, message='sample must be positive'),
            check_ops.assert_less(value, array_ops.ones([], self.dtype), message='sample must be less than `1`.')])
        return (math_ops.xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * math_ops.log1p(-x)
                - self._log_normalization())

    def _log_normalization(self) -> Any:
        return (math_ops.lgamma(self.concentration1) + math_ops.lgamma(self.concentration0)
                - math_ops.lgamma(self._total))

    def _cdf(self, x: Any) -> Any:
        return plain_ops.Betainc(self.concentration1, self.concentration0, x)

    def _entropy(self) -> Any:
        return (self._log_normalization() - (self.concentration1 - 1.0) * math_ops.digamma(self.concentration1)
                - (self.concentration0 - 1.0) * math_ops.digamma(self.concentration0)
                + (self._total - 2.0) * math_ops.digamma(self._total))

    def _mean(self) -> Any:
        return self.concentration1 / self._total

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total)

    def _mode(self) -> Any:
        mode = (self.concentration1 - 1.0) / (self._total - 2.0)
        is_defined = math_ops.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return _mode_or(self, mode, is_defined, [(1, self.concentration1), (0, self.concentration0)],
                        'Mode undefined for concentration{} <= 1.')


def _positive_concentration(value: Any, validate_args: bool, more: Any = ()) -> Any:
    if not validate_args:
        return value
    text = 'Concentration parameter must be positive.'
    return order_ops.with_dependencies([check_ops.assert_positive(value, message=text), *more], value)


@RegisterKL(Beta, Beta)
def _betas(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_beta_beta', [*a._graph_parents, *b._graph_parents]):
        return (b._log_normalization() - a._log_normalization()
                - math_ops.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
                - math_ops.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
                + math_ops.digamma(a.total_concentration) * (b.total_concentration - a.total_concentration))


@naming.public('ops.distributions.dirichlet')
class Dirichlet(Distribution):
    """Dirichlet's distributions, of parts of a whole."""

    concentration = property(lambda self: self._concentration, doc='How much of each part.')
    total_concentration = property(lambda self: self._total, doc='Their sum.')

    def __init__(self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = 'Dirichlet') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name, values=[concentration]) as name:
            value = convert.convert_to_tensor(concentration, name='concentration')
            self._concentration = _positive_concentration(value, validate_args, self._checks(value, validate_args))
            self._total = reduce_ops.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._concentration, self._total], name)

    def _checks(self, value: Any, validate_args: bool) -> list[Any]:
        if not validate_args:
            return []
        return [check_shapes.assert_rank_at_least(value, 1,
                                                  message='Concentration parameter must have >=1 dimensions.'),
                check_ops.assert_less(1, array_ops.shape(value)[-1],
                                      message='Concentration parameter must have event_size >= 2.')]

    def _batch_shape(self) -> Any:
        return self._total.shape

    def _batch_shape_tensor(self) -> Any:
        return array_ops.shape(self._total)

    def _event_shape(self) -> Any:
        return self._concentration.shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        return array_ops.shape(self._concentration)[-1:]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = random_ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_ops.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        x = _checked(self, x, lambda value: [
            check_ops.assert_positive(value, message='samples must be positive'),
            check_ops.assert_near(array_ops.ones([], dtype=self.dtype), reduce_ops.reduce_sum(value, -1),
                                  message='sample last-dimension must sum to `1`')])
        return (reduce_ops.reduce_sum(math_ops.xlogy(self.concentration - 1.0, x), -1)
                - special_ops.lbeta(self.concentration))

    def _entropy(self) -> Any:
        terms = (self.concentration - 1.0) * math_ops.digamma(self.concentration)
        return (special_ops.lbeta(self.concentration) + (self._total - self._parts()) * math_ops.digamma(self._total)
                - reduce_ops.reduce_sum(terms, axis=-1))

    def _parts(self) -> Any:
        return math_ops.cast(self.event_shape_tensor()[0], self.dtype)

    def _mean(self) -> Any:
        return self.concentration / array_ops.expand_dims(self._total, -1)

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + array_ops.expand_dims(self._total, -1))

    def _covariance(self) -> Any:
        x = math_ops.rsqrt(1.0 + array_ops.expand_dims(self._total, -1)) * self._mean()
        outer = math_ops.matmul(array_ops.expand_dims(x, -1), array_ops.expand_dims(x, -2))
        return linalg_ops.matrix_set_diag(-outer, self._variance())

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / (array_ops.expand_dims(self._total, -1) - self._parts())
        is_defined = reduce_ops.reduce_all(self.concentration > 1.0, axis=-1, keepdims=True)
        return _mode_or(self, mode, is_defined, [('', self.concentration)],
                        'Mode undefined when any concentration <= 1')


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlets(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_dirichlet_dirichlet', [a.concentration, b.concentration]):
        whole = math_ops.digamma(reduce_ops.reduce_sum(a.concentration, axis=-1, keepdims=True))
        terms = (a.concentration - b.concentration) * (math_ops.digamma(a.concentration) - whole)
        return (reduce_ops.reduce_sum(terms, axis=-1) - special_ops.lbeta(a.concentration)
                + special_ops.lbeta(b.concentration))
