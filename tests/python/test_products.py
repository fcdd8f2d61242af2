"""test_products.py - Products of matrices of all types and shapes agree with numpy's."""

from __future__ import annotations

from typing import Any

import berth as tf
import ml_dtypes
import numpy as np
import pytest

TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int16, np.int32, np.int64, np.complex64,
         np.complex128]
# Rows, columns, and what is summed over: few and many of each.
SIZES = [(0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (1, 7, 300), (300, 1, 7), (1, 1, 1000), (2, 33, 129), (3, 5, 4),
         (4, 4, 4), (8, 8, 8), (16, 16, 16), (17, 15, 18), (9, 33, 40), (65, 16, 128), (40, 70, 131), (130, 66, 257)]
BATCHES = [((), ()), ((3,), (3,)), ((4,), (1,)), ((1,), (4,)), ((2, 3), (2, 3)), ((2, 1), (1, 3)), ((2, 3), (1, 1)),
           ((0,), (0,))]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers at random; integers so large that their products wrap."""
    if np.dtype(dtype).kind == "i":
        most = 2 ** (8 * np.dtype(dtype).itemsize - 2)
        return rng.integers(-most, most, shape).astype(dtype)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def widened(x: Any) -> Any:
    """As exact as numpy can compute."""
    kind = x.dtype.kind
    return x if kind == "i" else x.astype(np.complex128 if kind == "c" else np.float64)


def check(value: Any, a: Any, b: Any, dtype: Any) -> None:
    """Compares with the product of |a| and |b|: exactly, or within the rounding of every sum."""
    with np.errstate(over="ignore"):
        expected = a @ b
    assert value.dtype == dtype and value.shape == expected.shape
    if a.dtype.kind == "i":
        assert np.array_equal(value, expected)
        return
    result, part = {2: (2e-3, 1e-6), 4: (0, 5e-7), 8: (0, 1e-15)}[np.dtype(dtype).itemsize // (1 + (a.dtype.kind == "c"))]
    if np.dtype(dtype) == ml_dtypes.bfloat16:
        result = 8e-3
    bound = result * np.abs(expected) + part * (np.abs(a) @ np.abs(b)) + 1e-7 * result
    assert np.all(np.abs(value.astype(expected.dtype) - expected) <= bound)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_products(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    modes = ["", "t", "c"] if np.dtype(dtype).kind == "c" else ["", "t"]
    for m, n, k in SIZES:
        chosen = rng.choice(len(BATCHES), 2, replace=False) if m * n * k < 10000 else [0]
        for first, second in (BATCHES[i] for i in chosen):
            for left in modes:
                for right in modes:
                    a = numbers(rng, (*first, *((k, m) if left else (m, k))), dtype)
                    b = numbers(rng, (*second, *((n, k) if right else (k, n))), dtype)
                    x = np.swapaxes(widened(a), -1, -2) if left else widened(a)
                    y = np.swapaxes(widened(b), -1, -2) if right else widened(b)
                    value = tf.raw_ops.BatchMatMulV2(x=a if left != "t" or x.dtype.kind != "c" else a.conj(),
                                                     y=b if right != "t" or y.dtype.kind != "c" else b.conj(),
                                                     adj_x=bool(left), adj_y=bool(right))
                    check(value.numpy(), x.conj() if left == "c" else x, y.conj() if right == "c" else y, dtype)
