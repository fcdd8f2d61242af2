"""distribution.py - What all distributions have: names, shapes, samples, and one quantity by another.

A class says some of `_log_prob`, `_prob`, `_cdf` and so on; the public functions ask for them in
scopes of the distribution's name, and derive what a class does not say from what it does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from berth._distributions import divergence
from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops, reduce_ops


@naming.public('ops.distributions.distribution')
class ReparameterizationType:
    """Whether samples have gradients by what the distribution was made of."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f'<Reparameterization Type: {self._rep_type}>'

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


FULLY_REPARAMETERIZED = ReparameterizationType('FULLY_REPARAMETERIZED')
NOT_REPARAMETERIZED = ReparameterizationType('NOT_REPARAMETERIZED')

# What a class may leave out: the function that it is made of, and how.
_DERIVED = {
    'log_prob': ('_prob', math_ops.log),
    'prob': ('_log_prob', math_ops.exp),
    'log_cdf': ('_cdf', math_ops.log),
    'cdf': ('_log_cdf', math_ops.exp),
    'log_survival_function': ('cdf', lambda x: math_ops.log1p(-x)),
    'survival_function': ('cdf', lambda x: 1.0 - x),
    'variance': ('_stddev', math_ops.square),
    'stddev': ('_variance', math_ops.sqrt),
}


def sizes(shape: Any) -> Any:
    """Returns a shape that is known as a constant."""
    return convert.constant(shape, dtype=dtypes.int32)


def _count(shape: Any) -> Any:
    """Returns how many samples a shape asks for."""
    import numpy as np

    known = convert.constant_value(shape)
    return reduce_ops.reduce_prod(shape) if known is None else np.prod(known, dtype=np.int32)


def _vector(shape: Any) -> Any:
    """Returns a shape as a list of sizes; one number is a list of it."""
    if shape.shape.rank is None:
        return array_ops.reshape(shape, [-1])
    if shape.shape.rank == 0:
        known = convert.constant_value(shape)
        return array_ops.reshape(shape, [1]) if known is None else convert.convert_to_tensor(
            [int(known)], dtype=dtypes.int32, name='sample_shape')
    if shape.shape.rank != 1:
        raise ValueError('Input is neither scalar nor vector.')
    return shape


def _property(name: str, text: str) -> Any:
    return property(lambda self: getattr(self, name), doc=text)


@naming.public('ops.distributions.distribution')
class Distribution:
    """A batch of distributions of one kind."""

    def __init__(self, dtype: Any, reparameterization_type: Any, validate_args: bool, allow_nan_stats: bool,
                 parameters: Any = None, graph_parents: Any = None, name: str | None = None) -> None:
        self._graph_parents = list(graph_parents or [])
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = parameters or {}
        self._name = name if name and name.endswith('/') else scopes.get_default_graph().unique_name(
            name or type(self).__name__) + '/'

    name = _property('_name', 'What its ops are called by.')
    dtype = _property('_dtype', 'The type of samples.')
    reparameterization_type = _property('_reparameterization_type', 'Whether samples have gradients.')
    allow_nan_stats = _property('_allow_nan_stats', 'Whether what is not defined is NaN.')
    validate_args = _property('_validate_args', 'Whether arguments are looked at.')

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return {key: value for key, value in self._parameters.items() if not key.startswith('__') and key != 'self'}

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Makes one like it, but for what is given."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # ---- Shapes ----

    @property
    def batch_shape(self) -> Any:
        """The shape of the batch, as far as it is known."""
        return self._batch_shape()

    @property
    def event_shape(self) -> Any:
        """The shape of one sample, as far as it is known."""
        return self._event_shape()

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return sizes([])

    def batch_shape_tensor(self, name: str = 'batch_shape_tensor') -> Any:
        """Returns the shape of the batch."""
        return self._shape_tensor(name, self.batch_shape, self._batch_shape_tensor)

    def event_shape_tensor(self, name: str = 'event_shape_tensor') -> Any:
        """Returns the shape of one sample."""
        return self._shape_tensor(name, self.event_shape, self._event_shape_tensor)

    def _shape_tensor(self, name: str, known: Any, otherwise: Any) -> Any:
        with self._name_scope(name):
            if known.is_fully_defined():
                return convert.convert_to_tensor(known.as_list(), dtype=dtypes.int32, name=name[:-len('_tensor')])
            return otherwise()

    def is_scalar_batch(self, name: str = 'is_scalar_batch') -> Any:
        """Returns whether it is one distribution."""
        with self._name_scope(name):
            return convert.convert_to_tensor(_is_scalar(self.batch_shape, self.batch_shape_tensor), name=name)

    def is_scalar_event(self, name: str = 'is_scalar_event') -> Any:
        """Returns whether a sample is one number."""
        with self._name_scope(name):
            return convert.convert_to_tensor(_is_scalar(self.event_shape, self.event_shape_tensor), name=name)

    # ---- Samples ----

    def sample(self, sample_shape: Any = (), seed: Any = None, name: str = 'sample') -> Any:
        """Draws samples, a shape of them from each of the batch."""
        with self._name_scope(name):
            shape = convert.convert_to_tensor(sample_shape, dtype=dtypes.int32, name='sample_shape')
            count, shape = _count(shape), _vector(shape)
            drawn = self._sample_n(count, seed)
            drawn = array_ops.reshape(drawn, array_ops.concat([shape, array_ops.shape(drawn)[1:]], 0))
            known = convert.constant_value(shape)
            if known is not None:
                drawn.set_shape(TensorShape(list(known)).concatenate(self.batch_shape).concatenate(self.event_shape))
            return drawn

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        raise NotImplementedError(f'sample_n is not implemented: {type(self).__name__}')

    def _drawn_shape(self, n: Any) -> Any:
        """Returns the shape of |n| samples of everything in the batch."""
        return array_ops.concat([[n], self.batch_shape_tensor()], 0)

    # ---- Quantities ----

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[Any]:
        """Enters the scope of a function, below that of the distribution."""
        with scopes.name_scope(self._name), scopes.name_scope(name) as inner:
            yield inner

    def _ask(self, what: str, *value: Any) -> Any:
        """Returns a quantity, by what the class has or by what that is made of."""
        own = getattr(self, '_' + what, None)
        if own is not None:
            return own(*value)
        other, function = _DERIVED.get(what, ('', None))
        source = getattr(self, other, None)
        if function is not None and source is not None:
            with contextlib.suppress(NotImplementedError):
                return function(source(*value))
        raise NotImplementedError(f'{what} is not implemented: {type(self).__name__}')

    def _at(self, what: str, value: Any, name: str) -> Any:
        with self._name_scope(name):
            return self._ask(what, convert.convert_to_tensor(value, name='value', preferred_dtype=self.dtype))

    def _of(self, what: str, name: str) -> Any:
        with self._name_scope(name):
            return self._ask(what)

    def log_prob(self, value: Any, name: str = 'log_prob') -> Any:
        """Returns the logarithm of how likely a value is."""
        return self._at('log_prob', value, name)

    def prob(self, value: Any, name: str = 'prob') -> Any:
        """Returns how likely a value is."""
        return self._at('prob', value, name)

    def log_cdf(self, value: Any, name: str = 'log_cdf') -> Any:
        """Returns the logarithm of how likely it is to draw no more than a value."""
        return self._at('log_cdf', value, name)

    def cdf(self, value: Any, name: str = 'cdf') -> Any:
        """Returns how likely it is to draw no more than a value."""
        return self._at('cdf', value, name)

    def log_survival_function(self, value: Any, name: str = 'log_survival_function') -> Any:
        """Returns the logarithm of how likely it is to draw more than a value."""
        return self._at('log_survival_function', value, name)

    def survival_function(self, value: Any, name: str = 'survival_function') -> Any:
        """Returns how likely it is to draw more than a value."""
        return self._at('survival_function', value, name)

    def quantile(self, value: Any, name: str = 'quantile') -> Any:
        """Returns what is not exceeded with a likelihood."""
        return self._at('quantile', value, name)

    def entropy(self, name: str = 'entropy') -> Any:
        """Returns the entropy."""
        return self._of('entropy', name)

    def mean(self, name: str = 'mean') -> Any:
        """Returns the mean."""
        return self._of('mean', name)

    def variance(self, name: str = 'variance') -> Any:
        """Returns the variance."""
        return self._of('variance', name)

    def stddev(self, name: str = 'stddev') -> Any:
        """Returns the standard deviation."""
        return self._of('stddev', name)

    def covariance(self, name: str = 'covariance') -> Any:
        """Returns the covariance."""
        return self._of('covariance', name)

    def mode(self, name: str = 'mode') -> Any:
        """Returns what is most likely."""
        return self._of('mode', name)

    def cross_entropy(self, other: Any, name: str = 'cross_entropy') -> Any:
        """Returns the entropy by the likelihoods of another distribution."""
        with self._name_scope(name):
            return divergence.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = 'kl_divergence') -> Any:
        """Returns how far it is from another distribution."""
        with self._name_scope(name):
            return divergence.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    # ---- Texts ----

    def __str__(self) -> str:
        known = (('batch', self.batch_shape), ('event', self.event_shape))
        shapes = [f', {kind}_shape={shape}' for kind, shape in known if shape.rank is not None]
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{"".join(shapes)}, dtype={self._type_name()})'

    def __repr__(self) -> str:
        return (f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
                f'event_shape={self.event_shape} dtype={self._type_name()}>')

    def _type_name(self) -> str:
        return dtypes.as_dtype(self.dtype).name


def _is_scalar(known: Any, shape: Any) -> Any:
    if known.rank is not None:
        return known.rank == 0
    return math_ops.equal(array_ops.shape(shape())[0], 0)
