"""math_more.py - Functions of numbers that other ops make up."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, math_ops, reduce_ops

div_no_nan = math_ops.div_no_nan


def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Returns 1 / x, and 0 where x is 0."""
    with scopes.name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = convert.convert_to_tensor(x, name='x')
        one = convert.constant(1, dtype=x.dtype.base_dtype, name='one')
        return math_ops.div_no_nan(one, x, name=scope)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Returns the value of a polynomial; the first coefficient is that of the highest power."""
    if not isinstance(coeffs, list):
        raise ValueError(f'Argument coeffs must be list type. Received type {type(coeffs)}.')
    with scopes.name_scope(name, 'polyval', [*coeffs, x]):
        x = convert.convert_to_tensor(x, name='x')
        if not coeffs:
            return array_ops.zeros_like(x, name=name)
        values = [convert.convert_to_tensor(c, name='coeff' if i == 0 else 'coeff')
                  for i, c in enumerate(coeffs)]
        result = values[0]
        for value in values[1:]:
            result = value + result * x
        return result


def _steps(x: Any) -> Any:
    """Returns how much each element is above the one before it."""
    x = array_ops.reshape(x, [-1])
    return x[1:] - x[:-1]


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Tells whether no element is below the one before it."""
    with scopes.name_scope(name, 'is_non_decreasing', [x]):
        step = _steps(convert.convert_to_tensor(x))
        return reduce_ops.reduce_all(math_ops.less_equal(convert.convert_to_tensor(0, dtype=step.dtype), step))


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Tells whether each element is above the one before it."""
    with scopes.name_scope(name, 'is_strictly_increasing', [x]):
        step = _steps(convert.convert_to_tensor(x))
        return reduce_ops.reduce_all(math_ops.less(convert.convert_to_tensor(0, dtype=step.dtype), step))


def lbeta(x: Any, name: str | None = None) -> Any:
    """Returns the logarithm of the beta function of the last dimension."""
    with scopes.name_scope(name, 'lbeta', [x]):
        x = convert.convert_to_tensor(x, name='x')
        parts = reduce_ops.reduce_sum(math_ops.lgamma(x), axis=[-1])
        total = math_ops.lgamma(reduce_ops.reduce_sum(x, axis=[-1]))
        return math_ops.subtract(parts, total)


def to_complex64(x: Any, name: str = 'ToComplex64') -> Any:
    """Casts to complex64."""
    return math_ops.cast(x, dtypes.complex64, name=name)


def to_complex128(x: Any, name: str = 'ToComplex128') -> Any:
    """Casts to complex128."""
    return math_ops.cast(x, dtypes.complex128, name=name)
