"""test_factors.py - Decompositions of matrices satisfy what defines them, and agree with numpy where they are unique."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(1, 1), (2, 2), (5, 3), (3, 5), (7, 7), (1, 4), (4, 1), (20, 13), (13, 20), (33, 33), (2, 6, 4), (2, 3, 5, 5)]
RANKS = [None, 0, 1, 2]
SLACK = 20  # Roundings of the size of a matrix that an element may be off; three or so are seen.


def matrix(dtype: Any, shape: tuple[int, ...], rank: int | None = None, seed: int = 1) -> Any:
    """Numbers at random; with |rank| a product of two narrow matrices."""
    rng = np.random.default_rng([seed, *shape])
    def draw(size: tuple[int, ...]) -> Any:
        values = rng.standard_normal(size)
        return values + 1j * rng.standard_normal(size) if np.dtype(dtype).kind == "c" else values
    if rank is None:
        return draw(shape).astype(dtype)
    return (draw((*shape[:-1], rank)) @ draw((*shape[:-2], rank, shape[-1]))).astype(dtype)


def adjoint(a: Any) -> Any:
    """Rows and columns exchanged, conjugated."""
    return np.conj(np.swapaxes(a, -1, -2))


def check(value: Any, expected: Any, like: Any) -> None:
    """Compares within what rounding may do to a matrix |like| this."""
    size = max(1.0, float(np.abs(like).max(initial=0))) * max(like.shape[-2:])
    assert value.shape == np.broadcast_shapes(value.shape, np.shape(expected))
    assert float(np.abs(value - expected).max(initial=0)) <= SLACK * size * np.finfo(like.dtype).eps


def in_order_of(values: Any, order: Any) -> Any:
    """Returns |values|, each row with the nearest to each of |order| in its place: adjoint ones tell no order."""
    rows = values.reshape(-1, values.shape[-1]).copy()
    for row, wanted in zip(rows, order.reshape(rows.shape)):
        for i, number in enumerate(wanted):
            nearest = i + np.abs(row[i:] - number).argmin()
            row[[i, nearest]] = row[[nearest, i]]
    return rows.reshape(values.shape)


def check_unitary(q: Any) -> None:
    """Checks that columns are at right angles and of length 1."""
    check(adjoint(q) @ q, np.eye(q.shape[-1]), q)


def cases(shape: tuple[int, ...]) -> list[int | None]:
    """The ranks that a matrix of |shape| may have."""
    return [rank for rank in RANKS if rank is None or rank <= min(shape[-2:])]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_qr(dtype: Any, shape: tuple[int, ...], full: bool) -> None:
    for rank in cases(shape):
        a = matrix(dtype, shape, rank)
        q, r = (x.numpy() for x in tf.linalg.qr(a, full_matrices=full))
        check(q @ r, a, a)
        check_unitary(q)
        assert not np.tril(r, -1).any()
        if rank is None:  # With real signs on its diagonal, which LAPACK has too, it is unique.
            check(r, np.linalg.qr(a, "complete" if full else "reduced")[1], a)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_svd(dtype: Any, shape: tuple[int, ...], full: bool) -> None:
    for rank in cases(shape):
        a = matrix(dtype, shape, rank)
        s, u, v = (x.numpy() for x in tf.linalg.svd(a, full_matrices=full))
        least = min(shape[-2:])
        check((u[..., :least] * s[..., None, :]) @ adjoint(v[..., :least]), a, a)
        check_unitary(u)
        check_unitary(v)
        assert (s >= 0).all() and (np.diff(s) <= 0).all()
        check(s, np.linalg.svd(a, compute_uv=False), a)
        check(tf.linalg.svd(a, compute_uv=False).numpy(), s, a)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s[-1] == s[-2]])
@pytest.mark.parametrize("dtype", TYPES)
def test_eigh(dtype: Any, shape: tuple[int, ...]) -> None:
    for rank in cases(shape):
        a = matrix(dtype, shape, rank)
        a = (a + adjoint(a)) / 2
        e, v = (x.numpy() for x in tf.linalg.eigh(np.tril(a)))
        check((v * e[..., None, :]) @ adjoint(v), a, a)
        check_unitary(v)
        check(e, np.linalg.eigvalsh(a), a)
        check(tf.linalg.eigvalsh(a).numpy(), e, a)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s[-1] == s[-2]])
@pytest.mark.parametrize("dtype", TYPES)
def test_eig(dtype: Any, shape: tuple[int, ...]) -> None:
    a = matrix(dtype, shape)
    e, v = (x.numpy() for x in tf.linalg.eig(a))
    check(a @ v, v * e[..., None, :], a)
    check(np.linalg.norm(v, axis=-2)[..., None], 1, a)
    check(in_order_of(tf.linalg.eigvals(a).numpy(), e), e, a)
    if np.dtype(dtype).kind == "f":  # Vectors of real values are real.
        real = np.broadcast_to((e.imag == 0)[..., None, :], v.shape)
        assert np.abs(v.imag[real]).max(initial=0) <= SLACK * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", TYPES)
def test_eig_of_zeros(dtype: Any) -> None:
    e, v = (x.numpy() for x in tf.linalg.eig(np.zeros((2, 3, 3), dtype)))
    assert not e.any()
    np.testing.assert_array_equal(v, np.broadcast_to(np.eye(3), v.shape))


@pytest.mark.parametrize("dtype", TYPES)
def test_functions(dtype: Any) -> None:
    a = matrix(dtype, (2, 6, 6))
    a = (a @ adjoint(a) + np.eye(6)).astype(dtype)
    root = tf.linalg.sqrtm(a).numpy()
    check(root @ root, a, a)
    small = (matrix(dtype, (2, 4, 4)) / 2).astype(dtype)
    power = tf.linalg.expm(small).numpy()
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    series, term = np.zeros((2, 4, 4), wide), np.broadcast_to(np.eye(4, dtype=wide), (2, 4, 4))
    for k in range(1, 60):
        series, term = series + term, term @ small.astype(wide) / k
    check(power, series, a)
    if np.dtype(dtype).kind == "c":
        check(tf.linalg.expm(tf.linalg.logm(a)).numpy(), a, a)
    check(tf.linalg.pinv(matrix(np.float64, (5, 3))).numpy(), np.linalg.pinv(matrix(np.float64, (5, 3))), np.eye(5))
    assert tf.linalg.matrix_rank(matrix(dtype, (6, 5), 2)).numpy() == 2


@pytest.mark.parametrize("dtype", TYPES)
def test_solutions(dtype: Any) -> None:
    a, b = matrix(dtype, (2, 5, 5)), matrix(dtype, (2, 5, 3), seed=2)
    lower_upper, order = tf.linalg.lu(a)
    check(tf.linalg.lu_reconstruct(lower_upper, order).numpy(), a, a)
    check(a @ tf.linalg.lu_solve(lower_upper, order, b).numpy(), b, 10 * a)
    check(a @ tf.linalg.lu_matrix_inverse(lower_upper, order).numpy(), np.eye(5), 10 * a)
    deficient = matrix(dtype, (7, 4), 2)
    right = matrix(dtype, (7, 2), seed=3)
    best = tf.linalg.lstsq(deficient, right, fast=False).numpy()
    check(best, np.linalg.lstsq(deficient.astype(np.complex128), right, rcond=1e-5)[0], 10 * deficient)
    three = np.stack([np.diag(matrix(dtype, (6, 6)), 0) for _ in range(3)]) + np.array([[0], [4], [0]], dtype)
    whole = np.diag(three[1]) + np.diag(three[0, :-1], 1) + np.diag(three[2, 1:], -1)
    right = matrix(dtype, (6, 2), seed=4)
    check(whole @ tf.linalg.tridiagonal_solve(three.astype(dtype), right).numpy(), right, whole)
    check(tf.linalg.tridiagonal_matmul(three.astype(dtype), right).numpy(), whole @ right, whole)


def test_not_numbers() -> None:
    for kind in (np.nan, np.inf):
        a = np.full((3, 3), kind)
        for result in (*tf.linalg.svd(a), *tf.linalg.eigh(a), *tf.linalg.eig(a), *tf.linalg.qr(a)):
            assert not np.isfinite(result.numpy()).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_many_rows(dtype: Any) -> None:
    """Reflections are done in groups there."""
    rng = np.random.default_rng(9)
    for m, n in ((150, 101), (97, 140), (131, 131)):
        a = rng.standard_normal((m, n))
        a = (a + 1j * rng.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else a).astype(dtype)
        bound = 20 * np.finfo(dtype).eps * np.sqrt(m * n)
        q, r = (x.numpy() for x in tf.linalg.qr(a))
        s, u, v = (x.numpy() for x in tf.linalg.svd(a))
        assert np.abs(q @ r - a).max() < bound and np.abs(np.tril(r, -1)).max() == 0
        assert np.abs((u * s) @ v.conj().T - a).max() < bound
        for vectors in (q, u, v):
            assert np.abs(vectors.conj().T @ vectors - np.eye(vectors.shape[1])).max() < bound
    square = a + a.conj().T
    e, v = (x.numpy() for x in tf.linalg.eigh(square))
    assert np.abs((v * e.real) @ v.conj().T - square).max() < 2 * bound
    np.testing.assert_allclose(tf.linalg.eigvalsh(square).numpy().real, e.real, atol=bound)
    positive = a @ a.conj().T / n + np.eye(n, dtype=dtype)
    root = tf.linalg.sqrtm(positive.astype(dtype)).numpy()
    assert np.abs(root @ root - positive).max() < bound
