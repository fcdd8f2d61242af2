"""test_casts.py - Casts between all numbers give what numpy gives, in vectors and what they leave over."""

from __future__ import annotations

import berth as tf
import numpy as np
import pytest

WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REAL = ["float16", "float32", "float64"]
COUNTS = [0, 1, 7, 16, 33, 1000]


def numbers(dtype: str, count: int) -> np.ndarray:
    """Numbers of all magnitudes, and the outermost ones."""
    rng = np.random.default_rng([count, len(dtype)])
    if dtype in REAL:
        values = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(dtype)
        ends = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).smallest_subnormal]
    else:
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True) >> rng.integers(
            0, info.bits, count).astype(dtype)
        ends = [0, info.min, info.max, 1]
    where = rng.integers(0, 3, count) == 0
    return np.where(where, rng.choice(np.array(ends, dtype), count), values) if count else values


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("to", WHOLE + REAL + ["bool"])
@pytest.mark.parametrize("from_", WHOLE + ["bool"])
def test_whole_numbers(from_: str, to: str, count: int) -> None:
    x = numbers("uint8" if from_ == "bool" else from_, count).astype(from_)
    with np.errstate(over="ignore"):
        wide = x.astype("float32") if to == "float16" else x  # TensorFlow goes by way of float.
        expected = wide.astype(to)
    np.testing.assert_array_equal(tf.cast(tf.constant(x), to).numpy(), expected)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("to", REAL + ["bool"])
@pytest.mark.parametrize("from_", REAL)
def test_real_numbers(from_: str, to: str, count: int) -> None:
    x = numbers(from_, count)
    with np.errstate(over="ignore"):
        # What is too small to be normal counts as 0, as it does for TensorFlow.
        seen = np.where(np.abs(x) < np.finfo(from_).tiny, 0, x) if to != from_ and from_ != "float16" else x
        wide = seen.astype("float32") if to == "float16" else seen
        expected = wide.astype(to)
    np.testing.assert_array_equal(tf.cast(tf.constant(x), to).numpy(), expected)


@pytest.mark.parametrize("to", WHOLE)
@pytest.mark.parametrize("from_", REAL)
def test_real_numbers_that_fit(from_: str, to: str) -> None:
    low = 0 if to[0] == "u" else -100
    x = np.random.default_rng(5).uniform(low, 100, 333).astype(from_)
    np.testing.assert_array_equal(tf.cast(tf.constant(x), to).numpy(), np.trunc(x).astype(to))
