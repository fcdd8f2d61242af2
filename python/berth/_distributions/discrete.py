"""discrete.py - Distributions of whole numbers: Bernoulli's, categorical, multinomial."""

from __future__ import annotations

from typing import Any

from berth._distributions.distribution import NOT_REPARAMETERIZED, Distribution
from berth._distributions.divergence import RegisterKL
from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.ops import (array_ops, check_ops, entropy_ops, functional_ops, linalg_ops, math_ops, nn_ops,
                       order_ops, plain_ops, random_ops, reduce_ops)

__all__ = ['Bernoulli', 'Categorical', 'Multinomial']


def _both(logits: Any, probs: Any, is_vector: bool, validate_args: bool) -> tuple[Any, Any]:
    """Returns the logits and the likelihoods, of which one is given."""
    if (probs is None) == (logits is None):
        raise ValueError('Must pass probs or logits, but not both.')
    if probs is None:
        logits = convert.convert_to_tensor(logits, name='logits')
        if not logits.dtype.is_floating:
            raise TypeError('logits must having floating type.')
        return logits, nn_ops.softmax(logits, name='probs') if is_vector else math_ops.sigmoid(logits, name='probs')
    probs = convert.convert_to_tensor(probs, name='probs')
    if not probs.dtype.is_floating:
        raise TypeError('probs must having floating type.')
    if validate_args:
        probs = _likely(probs, is_vector)
    with scopes.name_scope('logits'):
        logits = math_ops.log(probs)
        return (logits if is_vector else logits - math_ops.log1p(-1.0 * probs)), probs


def _likely(probs: Any, is_vector: bool) -> Any:
    """Returns likelihoods once they are seen to be some."""
    with scopes.name_scope('validate_probs'):
        one = convert.constant(1.0, dtype=probs.dtype)
        if is_vector:
            whole = check_ops.assert_near(reduce_ops.reduce_sum(probs, -1), one, message='probs does not sum to 1.')
        else:
            whole = check_ops.assert_less_equal(probs, one, message='probs has components greater than 1.')
        return order_ops.with_dependencies([check_ops.assert_non_negative(probs), whole], probs)


class _ByLogits(Distribution):
    """One that is given by logits or likelihoods."""

    logits = property(lambda self: self._logits, doc='Logarithms of likelihoods, up to a constant.')
    probs = property(lambda self: self._probs, doc='Likelihoods.')


# ---- Bernoulli's ----


@naming.public('ops.distributions.bernoulli')
class Bernoulli(_ByLogits):
    """Distributions of 0 and 1."""

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = 'Bernoulli') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name) as name:
            self._logits, self._probs = _both(logits, probs, False, validate_args)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    def _batch_shape(self) -> Any:
        return self._logits.shape

    def _batch_shape_tensor(self) -> Any:
        return array_ops.shape(self._logits)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = random_ops.random_uniform(self._drawn_shape(n), seed=seed, dtype=self.probs.dtype)
        return math_ops.cast(drawn < self.probs, self.dtype)

    def _log_prob(self, event: Any) -> Any:
        event, logits = math_ops.cast(event, self.logits.dtype), self.logits
        if not (event.shape.is_fully_defined() and event.shape == logits.shape):
            logits, event = array_ops.ones_like(event) * logits, array_ops.ones_like(logits) * event
        return -entropy_ops.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self) -> Any:
        return -self.logits * (math_ops.sigmoid(self.logits) - 1.0) + plain_ops.Softplus(-self.logits)

    def _mean(self) -> Any:
        return array_ops.identity(self.probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return math_ops.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_bernoulli_bernoulli', [a.logits, b.logits]):
        on = plain_ops.Softplus(-b.logits) - plain_ops.Softplus(-a.logits)
        off = plain_ops.Softplus(b.logits) - plain_ops.Softplus(a.logits)
        return math_ops.sigmoid(a.logits) * on + math_ops.sigmoid(-a.logits) * off


# ---- Categorical ----


@naming.public('ops.distributions.categorical')
class Categorical(_ByLogits):
    """Distributions of the numbers of classes."""

    event_size = property(lambda self: self._event_size, doc='How many classes there are.')

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = 'Categorical') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = _both(logits, probs, True, validate_args)
            self._logits.shape.with_rank_at_least(1)
            self._event_size = _classes(self._logits)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    def _batch_shape(self) -> Any:
        return self._logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return array_ops.shape(self._logits)[:-1]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        rows = self.logits if self.logits.shape.rank == 2 else array_ops.reshape(self.logits, [-1, self.event_size])
        kind = dtypes.int64 if dtypes.as_dtype(self.dtype).size > 4 else dtypes.int32
        drawn = random_ops.multinomial(rows, n, seed=seed, output_dtype=kind)
        return math_ops.cast(array_ops.reshape(array_ops.transpose(drawn), self._drawn_shape(n)), self.dtype)

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._together(k, self.logits)
        return -entropy_ops.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Any:
        k, probs = self._together(k, self.probs)
        below = array_ops.sequence_mask(k, self.event_size, dtype=probs.dtype)
        return reduce_ops.reduce_sum(below * probs, axis=-1)

    def _together(self, k: Any, values: Any) -> tuple[Any, Any]:
        """Returns numbers of classes and values of all classes in the shape that both give."""
        if k.dtype.is_floating:
            k = math_ops.cast(k, dtypes.int32)
        elif not k.dtype.is_integer:
            raise TypeError(f'`value` should have integer `dtype` or `self.dtype` '
                            f'({dtypes.as_dtype(self.dtype).base_dtype})')
        batch = values.shape[:-1]
        if k.shape.is_fully_defined() and batch.is_fully_defined() and batch == k.shape:
            return k, values
        values *= array_ops.ones_like(array_ops.expand_dims(k, -1), dtype=values.dtype)
        k *= array_ops.ones(array_ops.shape(values)[:-1], dtype=k.dtype)
        if values.shape.rank is not None:
            k.set_shape(values.shape[:-1])
        return k, values

    def _entropy(self) -> Any:
        return -reduce_ops.reduce_sum(nn_ops.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Any:
        found = math_ops.cast(math_ops.argmax(self.logits, axis=-1), self.dtype)
        found.set_shape(self.batch_shape)
        return found


def _classes(logits: Any) -> Any:
    """Returns how many classes there are."""
    known = logits.shape[-1] if logits.shape.rank is not None else None
    known = getattr(known, 'value', known)
    if known is None:
        return array_ops.shape(logits)[-1]
    return convert.convert_to_tensor(known, dtype=dtypes.int32, name='event_size')


@RegisterKL(Categorical, Categorical)
def _categoricals(a: Any, b: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'kl_categorical_categorical', [a.logits, b.logits]):
        apart = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return reduce_ops.reduce_sum(nn_ops.softmax(a.logits) * apart, axis=-1)


# ---- Multinomial ----


@naming.public('ops.distributions.multinomial')
class Multinomial(_ByLogits):
    """Distributions of how often each class is drawn."""

    total_count = property(lambda self: self._total_count, doc='How often is drawn.')

    def __init__(self, total_count: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = 'Multinomial') -> None:
        parameters = dict(locals())
        with scopes.name_scope(name, values=[total_count, logits, probs]) as name:
            count = convert.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                count = order_ops.with_dependencies(
                    [check_ops.assert_non_negative(count, message='total_count must be non-negative.')], count)
            self._total_count = count
            self._logits, self._probs = _both(logits, probs, True, validate_args)
            self._mean_value = array_ops.expand_dims(count, -1) * self._probs
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [count, self._logits, self._probs], name)

    def _batch_shape(self) -> Any:
        return self._mean_value.shape.with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> Any:
        return array_ops.shape(self._mean_value)[:-1]

    def _event_shape(self) -> Any:
        return self._mean_value.shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        return array_ops.shape(self._mean_value)[-1:]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        classes = self.event_shape_tensor()[0]
        counts = array_ops.ones_like(self.logits[..., 0], dtype=dtypes.int32) * math_ops.cast(self.total_count,
                                                                                               dtypes.int32)
        rows = array_ops.ones_like(array_ops.expand_dims(counts, -1), dtype=self.logits.dtype) * self.logits

        def draw(given: Any) -> Any:
            logits, count = given
            drawn = random_ops.multinomial(array_ops.expand_dims(logits, 0), count, seed)
            return reduce_ops.reduce_sum(array_ops.one_hot(array_ops.reshape(drawn, [n, -1]), depth=classes,
                                                           dtype=self.dtype), axis=-2)

        drawn = functional_ops.map_fn(draw, [array_ops.reshape(rows, [-1, classes]),
                                             n * array_ops.reshape(counts, [-1])], dtype=self.dtype)
        shape = array_ops.concat([self._drawn_shape(n), [classes]], 0)
        return array_ops.reshape(array_ops.transpose(drawn, perm=[1, 0, 2]), shape)

    def _log_prob(self, counts: Any) -> Any:
        if self.validate_args:
            counts = order_ops.with_dependencies(
                [check_ops.assert_equal(self.total_count, reduce_ops.reduce_sum(counts, -1),
                                        message='counts must sum to `self.total_count`')], counts)
        orders = (math_ops.lgamma(self.total_count + 1.0)
                  - reduce_ops.reduce_sum(math_ops.lgamma(counts + 1.0), axis=-1))
        return reduce_ops.reduce_sum(counts * nn_ops.log_softmax(self.logits), -1) + orders

    def _mean(self) -> Any:
        return array_ops.identity(self._mean_value)

    def _likelihoods(self) -> Any:
        return self.probs * array_ops.expand_dims(array_ops.ones_like(self.total_count), -1)

    def _variance(self) -> Any:
        return self._mean_value - self._mean_value * self._likelihoods()

    def _covariance(self) -> Any:
        outer = math_ops.matmul(array_ops.expand_dims(self._mean_value, -1),
                                array_ops.expand_dims(self._likelihoods(), -2))
        return linalg_ops.matrix_set_diag(-outer, self._variance())
