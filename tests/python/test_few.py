"""test_few.py - Norms of few channels, sparse products, different numbers and samples give what numpy does."""

from __future__ import annotations

import io
import struct
from typing import Any

import berth as tf
import numpy as np
import pytest

# Channels that are seen several rows as one, and some that are not.
CHANNELS = [1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 70]
ROWS = [(1, 1, 1), (1, 2, 3), (1, 5, 13), (2, 9, 31), (4, 40, 41)]
SLACK = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


@pytest.mark.parametrize("shape", ROWS)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("dtype", SLACK)
def test_norms_of_a_batch(dtype: str, channels: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng([channels, *shape])
    x = tf.cast(tf.constant(rng.standard_normal((*shape, channels)) + 3), dtype)
    g = tf.cast(tf.constant(rng.standard_normal((*shape, channels))), dtype)
    scale, offset = (rng.standard_normal(channels).astype(np.float32) for _ in range(2))
    found = tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=[], variance=[], epsilon=0.01)
    wide = tf.cast(x, tf.float64).numpy()
    mean, variance = wide.mean((0, 1, 2)), wide.var((0, 1, 2))
    count = wide.size // channels
    slack = SLACK[dtype]
    np.testing.assert_allclose(found.batch_mean.numpy(), mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.batch_variance.numpy(), variance * count / max(count - 1, 1), rtol=1e-4, atol=1e-6)
    expected = (wide - mean) / np.sqrt(variance + 0.01) * scale + offset
    np.testing.assert_allclose(tf.cast(found.y, tf.float64).numpy(), expected, rtol=slack, atol=slack * 4)
    inferred = tf.raw_ops.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=scale, variance=offset ** 2,
                                           epsilon=0.5, is_training=False)
    expected = (wide - scale) / np.sqrt(offset ** 2 + 0.5) * scale + offset
    np.testing.assert_allclose(tf.cast(inferred.y, tf.float64).numpy(), expected, rtol=slack, atol=slack * 8)
    back = tf.raw_ops.FusedBatchNormGradV3(
        y_backprop=g, x=x, scale=scale, reserve_space_1=mean.astype(np.float32),
        reserve_space_2=variance.astype(np.float32), reserve_space_3=[0.0], epsilon=0.01)
    wide_g, root = tf.cast(g, tf.float64).numpy(), np.sqrt(variance + 0.01)
    centred = wide - mean
    products = (wide_g * centred).sum((0, 1, 2))
    np.testing.assert_allclose(back.offset_backprop.numpy(), wide_g.sum((0, 1, 2)), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(back.scale_backprop.numpy(), products / root, rtol=1e-4, atol=1e-3)
    expected = scale / root * (wide_g - wide_g.mean((0, 1, 2)) - centred * products / count / root ** 2)
    np.testing.assert_allclose(tf.cast(back.x_backprop, tf.float64).numpy(), expected, rtol=slack, atol=slack * 20)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize("columns", [0, 1, 7, 16, 33])
@pytest.mark.parametrize("turned", [False, True])
def test_sparse_products(turned: bool, columns: int, dtype: str) -> None:
    rng = np.random.default_rng(columns)
    dense = np.where(rng.random((19, 23)) < 0.2, rng.integers(-5, 6, (19, 23)), 0).astype(dtype)
    b = rng.integers(-5, 6, (19 if turned else 23, columns)).astype(dtype)
    found = tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(dense), b, adjoint_a=turned).numpy()
    np.testing.assert_array_equal(found, (dense.T if turned else dense) @ b)


@pytest.mark.parametrize(("row", "column"), [(3, 0), (-1, 0), (0, 4), (0, -1)])
def test_places_outside_of_a_matrix_fail(row: int, column: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.raw_ops.SparseTensorDenseMatMul(a_indices=[[0, 0], [row, column]], a_values=[1.0, 2.0], a_shape=[3, 4],
                                           b=np.ones((4, 5), np.float32))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64", "float16"])
@pytest.mark.parametrize(("count", "kinds"), [(0, 1), (1, 1), (100, 3), (5000, 100), (5000, 4000), (70000, 60000)])
def test_different_numbers(count: int, kinds: int, dtype: str) -> None:
    most = min(kinds, 100) if dtype in ("int8", "float16") else kinds
    x = np.random.default_rng(count).integers(0, most, count).astype(dtype)
    values, index, counts = (part.numpy() for part in tf.unique_with_counts(x))
    kept = list(dict.fromkeys(x.tolist()))
    place = {value: i for i, value in enumerate(kept)}
    assert values.tolist() == kept
    np.testing.assert_array_equal(index, np.array([place[value] for value in x.tolist()], np.int32))
    np.testing.assert_array_equal(counts, np.bincount(index, minlength=len(kept)))


def test_every_nan_is_different_and_zeros_are_not() -> None:
    values, index = tf.unique([np.nan, 0.0, -0.0, np.nan, 1.0, 0.0])
    np.testing.assert_array_equal(index.numpy(), [0, 1, 1, 2, 3, 1])
    assert len(values) == 4


def samples(wav: Any) -> Any:
    """The numbers of a WAV file of 16 bits."""
    stream = io.BytesIO(wav)
    assert stream.read(4) == b"RIFF"
    size = struct.unpack("<I", wav[40:44])[0]
    return np.frombuffer(wav[44:44 + size], "<i2")


def test_samples_are_rounded_away_from_zero() -> None:
    halves = np.arange(-32768, 32768, dtype=np.float64) + 0.5
    below = np.nextafter(halves.astype(np.float32), np.float32(0))
    given = np.concatenate([halves, below, np.random.default_rng(6).uniform(-40000, 40000, 5000),
                            [0, -0.0, 1e30, -1e30, np.inf, -np.inf, np.nan, 0.49999997, 1e-40]]).astype(np.float32)
    found = samples(tf.audio.encode_wav((given / 32768)[:, None], 16000).numpy())
    wide = given.astype(np.float64)
    expected = np.where(np.isnan(wide), 0, np.clip(np.trunc(wide + np.copysign(0.5, wide)), -32768, 32767))
    np.testing.assert_array_equal(found, expected.astype(np.int16))


@pytest.mark.parametrize("pivoting", [False, True])
@pytest.mark.parametrize("columns", [0, 1, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_three_diagonals(dtype: str, n: int, columns: int, pivoting: bool) -> None:
    rng = np.random.default_rng([n, columns])
    draw = lambda *shape: (rng.standard_normal((2, *shape)) + (1j * rng.standard_normal((2, *shape))
                                                               if dtype[0] == "c" else 0)).astype(dtype)
    three, right = draw(3, n), draw(n, columns)
    three[:, 1] += 0 if pivoting and n > 2 else 5
    found = tf.linalg.tridiagonal_solve(three, right, "compact", partial_pivoting=pivoting).numpy()
    full = np.stack([np.diag(d[1]) + np.diag(d[0, :-1], 1) + np.diag(d[2, 1:], -1) for d in three])
    slack = 1e-3 if dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(found, np.linalg.solve(full.astype("complex128"), right), rtol=slack, atol=slack * 10)


def test_long_diagonals_take_little_memory() -> None:
    n = 200000
    three = np.ones((3, n), np.float32) * np.array([[1], [4], [1]], np.float32)
    found = tf.linalg.tridiagonal_solve(three, np.full((n, 1), 6, np.float32), "compact").numpy()
    np.testing.assert_allclose(found[100:-100], 1, rtol=1e-5)


def test_singular_diagonals_give_nan() -> None:
    assert np.isnan(tf.linalg.tridiagonal_solve(np.zeros((3, 4)), np.ones((4, 2)), "compact").numpy()).all()
