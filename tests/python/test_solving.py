"""test_solving.py - Triangles, factors and solutions of all types and sizes satisfy what defines them."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
# On both sides of what is halved, and of what products are made for.
SIZES = [0, 1, 2, 7, 8, 9, 16, 17, 31, 65, 130]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers at random."""
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def wide(x: Any) -> Any:
    """In double precision."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def most(x: Any) -> float:
    """The largest number."""
    return float(np.abs(x).max()) if x.size else 0.0


def check(product: Any, expected: Any, scale: float, dtype: Any) -> None:
    """Compares within what rounding may do to sums of |scale|."""
    assert product.shape == expected.shape
    assert most(product - expected) <= 20 * np.finfo(dtype).eps * scale


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("n", SIZES)
def test_solutions(n: int, dtype: Any) -> None:
    rng = np.random.default_rng([n, TYPES.index(dtype)])
    for columns in (0, 1, 5, 40):
        a, b = numbers(rng, (2, n, n), dtype), numbers(rng, (2, n, columns), dtype)
        for turned in (False, True):
            matrix = adjoint(wide(a)) if turned else wide(a)
            x = tf.linalg.solve(a, b, adjoint=turned).numpy()
            check(matrix @ wide(x), wide(b), n * most(a) * most(x) + most(b), dtype)
    inverse = tf.linalg.inv(a, adjoint=True).numpy()
    check(adjoint(wide(a)) @ wide(inverse), np.broadcast_to(np.eye(n), a.shape), n * most(a) * most(inverse) + 1, dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("n", SIZES)
def test_triangles(n: int, dtype: Any) -> None:
    rng = np.random.default_rng([n, TYPES.index(dtype)])
    a = (numbers(rng, (n, n), dtype) + 3 * np.sqrt(n + 1) * np.eye(n)).astype(dtype)
    for columns in (0, 1, 5, 40):
        b = numbers(rng, (n, columns), dtype)
        for is_lower in (False, True):
            for turned in (False, True):
                triangle = wide(np.tril(a) if is_lower else np.triu(a))
                x = tf.linalg.triangular_solve(a, b, lower=is_lower, adjoint=turned).numpy()
                check((adjoint(triangle) if turned else triangle) @ wide(x), wide(b),
                      n * most(a) * most(x) + most(b), dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("n", SIZES[1:])
def test_factors(n: int, dtype: Any) -> None:
    rng = np.random.default_rng([n, TYPES.index(dtype)])
    a = numbers(rng, (3, n, n), dtype)
    both, order = (x.numpy() for x in tf.linalg.lu(a))
    assert most(np.tril(both, -1)) <= 1 + 8 * np.finfo(dtype).eps
    product = (np.tril(wide(both), -1) + np.eye(n)) @ np.triu(wide(both))
    check(product, np.take_along_axis(wide(a), order[..., None], axis=-2), n * most(a), dtype)
    sign, size = (x.numpy() for x in tf.linalg.slogdet(a))
    expected = np.linalg.slogdet(wide(a))
    np.testing.assert_allclose(sign, expected[0], atol=500 * n * np.finfo(dtype).eps)
    np.testing.assert_allclose(size, expected[1], atol=500 * n * np.finfo(dtype).eps)
    positive = (a @ adjoint(a) + np.eye(n)).astype(dtype)
    root = tf.linalg.cholesky(positive).numpy()
    assert most(np.triu(root, 1)) == 0
    check(wide(root) @ adjoint(wide(root)), wide(positive), n * most(positive), dtype)


@pytest.mark.parametrize("n", [1, 3, 9, 40])
def test_what_has_none(n: int) -> None:
    for dtype in TYPES:
        nothing = np.zeros((n, n), dtype)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible."):
            tf.linalg.solve(nothing, np.ones((n, 2), dtype))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible."):
            tf.linalg.inv(nothing)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible."):
            tf.linalg.lu(nothing)
        assert tf.linalg.det(nothing).numpy() == 0
        negative = np.eye(n, dtype=dtype)
        negative[-1, -1] = -1
        assert np.isnan(tf.linalg.cholesky(negative).numpy()[np.tril_indices(n)]).all()
