"""divergence.py - How far one distribution is from another, by a function for each pair of classes."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import scopes
from berth.ops import array_ops, flow_ops, math_ops, reduce_ops

_functions: dict[tuple[type, type], Any] = {}


@naming.public('ops.distributions.kullback_leibler')
class RegisterKL:
    """A decorator: the function gives the divergence of two classes."""

    def __init__(self, dist_cls_a: Any, dist_cls_b: Any) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Any) -> Any:
        """Keeps the function for both classes."""
        if not callable(kl_fn):
            raise TypeError(f'kl_fn must be callable, received: {kl_fn}')
        if self._key in _functions:
            first, second = self._key
            raise ValueError(f'KL({first.__name__} || {second.__name__}) has already been registered to: '
                             f'{_functions[self._key]}')
        _functions[self._key] = kl_fn
        return kl_fn


def _nearest(first: type, second: type) -> Any:
    """Returns the function of the classes that are the fewest steps above these, or None."""
    found = [(i + j, i, _functions[a, b]) for i, a in enumerate(first.__mro__) for j, b in enumerate(second.__mro__)
             if (a, b) in _functions]
    return min(found, key=lambda each: each[:2])[2] if found else None


def kl_divergence(distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True,
                  name: str | None = None) -> Any:
    """Returns the divergence of a distribution from another, for each of the batch."""
    function = _nearest(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError('No KL(distribution_a || distribution_b) registered for distribution_a type '
                                  f'{type(distribution_a).__name__} and distribution_b type '
                                  f'{type(distribution_b).__name__}')
    with scopes.name_scope('KullbackLeibler'):
        found = function(distribution_a, distribution_b, name=name)
        return found if allow_nan_stats else _checked(found, distribution_a, distribution_b)


def _checked(found: Any, first: Any, second: Any) -> Any:
    """Returns a divergence that is not NaN anywhere."""
    found = array_ops.identity(found, name='kl')
    text = (f'KL calculation between {first.name} and {second.name} returned NaN values '
            '(and was called with allow_nan_stats=False). Values:')
    is_right = math_ops.logical_not(reduce_ops.reduce_any(math_ops.is_nan(found)))
    with scopes.control_dependencies([flow_ops.Assert(is_right, [text, found])]):
        return array_ops.identity(found, name='checked_kl')


def cross_entropy(ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None) -> Any:
    """Returns the entropy of one distribution by the likelihoods of another."""
    with scopes.name_scope(name, 'cross_entropy'):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
