"""test_long.py - Ops whose loops take pieces, over more than one piece, beside numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from script import run

import berth as tf

INTEGERS = ["int8", "uint8", "int16", "int32", "int64"]
FLOATS = ["float32", "float64"]


def some(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    """Numbers at random, a third of them zeros, of both signs where there are."""
    rng = np.random.RandomState(seed)
    values = rng.randint(-60, 60, shape) * (rng.rand(*shape) > 0.33)
    return np.abs(values).astype(dtype) if dtype.startswith("u") else values.astype(dtype)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "complex64", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(5000,), (3, 1025), (7, 1, 300), (2, 3, 4, 100), (1,), (0, 3)])
def test_where(dtype: str, shape: tuple[int, ...]) -> None:
    values = some(dtype, *shape)
    if dtype.startswith(("float", "complex")) and values.size:
        values.flat[0], values.flat[-1] = -0.0, np.nan
    assert np.array_equal(tf.where(tf.constant(values)).numpy(), np.argwhere(values))


@pytest.mark.parametrize("ones", [0, 1])
def test_where_all_are_alike(ones: int) -> None:
    values = np.full([3, 999], ones, np.float32)
    assert np.array_equal(tf.where(tf.constant(values)).numpy(), np.argwhere(values))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("most", [3, 100, 20000])
def test_unique(dtype: str, most: int) -> None:
    """First come first; the table grows several times."""
    rng = np.random.RandomState(most)
    values = rng.randint(0, most, 30000).astype(dtype)
    found, places, counts = (t.numpy() for t in tf.unique_with_counts(tf.constant(values)))
    wanted, firsts, times = np.unique(values, return_index=True, return_counts=True)
    order = np.argsort(firsts)
    assert np.array_equal(found, wanted[order])
    assert np.array_equal(found[places], values)
    assert np.array_equal(counts, times[order])


def test_unique_of_what_equals_nothing() -> None:
    values = np.array([np.nan, -0.0, 0.0, 1.0, np.nan, 1.0], np.float32)
    found, places = (t.numpy() for t in tf.unique(tf.constant(np.tile(values, 100))))
    assert len(found) == 202
    assert np.array_equal(places[:6], [0, 1, 1, 2, 3, 2])
    assert np.array_equal(np.sort(places[np.isnan(np.tile(values, 100))])[:3], [0, 3, 4])


def scanned(values: np.ndarray, axis: int, exclusive: bool, reverse: bool, function: Any) -> np.ndarray:
    """The sums or products along |axis|, in the precision of the type."""
    values = np.moveaxis(values, axis, 0)
    values = values[::-1] if reverse else values
    made = np.empty_like(values)
    start = np.zeros_like(values[0]) if function is np.add else np.ones_like(values[0])
    for i, value in enumerate(values):
        made[i] = (start if i == 0 else function(made[i - 1], values[i - 1])) if exclusive else (
            value if i == 0 else function(made[i - 1], value))
    return np.moveaxis(made[::-1] if reverse else made, 0, axis)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape, axis", [((700,), 0), ((50, 70), 1), ((50, 70), 0), ((4, 30, 5), 1), ((300, 200), 1)])
def test_scans(dtype: str, shape: tuple[int, ...], axis: int) -> None:
    """To the bit: each sum goes on from the one before."""
    values = some(dtype, *shape) if dtype.startswith("int") else (
        1 + np.random.RandomState(1).randn(*shape) / 20).astype(dtype)
    for exclusive, reverse in itertools.product([False, True], repeat=2):
        with np.errstate(over="ignore"):
            wanted = scanned(values, axis, exclusive, reverse, np.add)
            product = scanned(values, axis, exclusive, reverse, np.multiply)
        found = tf.cumsum(tf.constant(values), axis, exclusive, reverse).numpy()
        assert np.array_equal(found, wanted)
        found = tf.math.cumprod(tf.constant(values), axis, exclusive, reverse).numpy()
        assert np.array_equal(found, product) or (
            dtype.startswith("complex") and np.allclose(found, product, 1e-5, 0))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_counts(dtype: str, index: str) -> None:
    rng = np.random.RandomState(2)
    numbers, weights = rng.randint(0, 40, 200000), rng.randint(0, 9, 200000).astype(dtype)
    raw, none = tf.raw_ops.DenseBincount, tf.zeros([0], dtype)
    kept = numbers < 30
    size, given = tf.constant(30, index), tf.constant(numbers.astype(index))
    found = raw(input=given, size=size, weights=none).numpy()
    assert found.dtype == dtype and np.array_equal(found, np.bincount(numbers[kept], minlength=30))
    found = raw(input=given, size=size, weights=tf.constant(weights)).numpy()
    assert np.array_equal(found, np.bincount(numbers[kept], weights[kept], 30).astype(dtype))
    table = tf.reshape(given, [100, 2000])
    found = raw(input=table, size=size, weights=none, binary_output=True).numpy()
    assert np.array_equal(found, [np.bincount(row[row < 30], minlength=30) > 0 for row in numbers.reshape(100, 2000)])
    numbers[150000] = -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input arr must be non-negative!"):
        raw(input=tf.constant(numbers.astype(index)), size=size, weights=none)


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex128", "string"])
@pytest.mark.parametrize("row", [(), (3,)])
def test_gather_nd(dtype: str, index: str, row: tuple[int, ...]) -> None:
    rng = np.random.RandomState(3)
    values = rng.randint(0, 99, (20, 30, *row))
    values = values.astype(str).astype(object) if dtype == "string" else values.astype(dtype)
    places = np.stack([rng.randint(0, 20, 9000), rng.randint(0, 30, 9000)], 1).astype(index)
    found = tf.gather_nd(tf.constant(values), tf.constant(places)).numpy()
    wanted = values[places[:, 0], places[:, 1]]
    assert np.array_equal(found.astype(str) if dtype == "string" else found,
                          wanted.astype(str) if dtype == "string" else wanted)


def test_gather_nd_names_the_first_that_is_outside() -> None:
    places = np.zeros([50000, 1], np.int32)
    places[[49999, 30000, 31000]] = 7
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[30000\] = \[7\] does not index into"):
        tf.gather_nd(tf.zeros([5, 2]), tf.constant(places))


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_rows_of_one_element(dtype: str) -> None:
    """More than the caches hold, in rows that begin anywhere."""
    column = np.arange(4001).astype(dtype)
    found = tf.broadcast_to(tf.constant(column[:, None]), [4001, 4321]).numpy()
    assert (found == column[:, None]).all()


def test_half_the_sum_of_squares() -> None:
    values = np.random.RandomState(4).randn(100003).astype(np.float32)
    wanted = (values.astype(np.float64) ** 2).sum() / 2
    assert abs(float(tf.nn.l2_loss(tf.constant(values))) / wanted - 1) < 1e-7


def test_threads_change_nothing() -> None:
    code = """
import hashlib, numpy as np, berth as tf
rng = np.random.RandomState(0)
x = rng.randn(400, 3000).astype(np.float32)
places = rng.randint(0, 400, [90000, 1]).astype(np.int32)
found = [tf.cumsum(x, 1), tf.cumsum(x, 0), tf.math.cumprod(x, 1), tf.gather_nd(x[:, :8], places), tf.nn.l2_loss(x)]
print(hashlib.sha256(b''.join(t.numpy().tobytes() for t in found)).hexdigest())
"""
    texts = [f"import berth as t\nt.config.threading.set_intra_op_parallelism_threads({n})\n" + code for n in (1, 2, 5)]
    assert len({run(text, "2") for text in texts}) == 1


@pytest.mark.parametrize("length", [1, 2, 3, 4, 8, 12, 100, 256, 1000, 2048])
def test_fourier_transforms(length: int) -> None:
    """Of powers of two and others, forth and back."""
    rng = np.random.RandomState(length)
    values = rng.randn(3, length) + 1j * rng.randn(3, length)
    for dtype, most in (("complex64", 3e-6), ("complex128", 1e-13)):
        given = values.astype(dtype)
        for ours, theirs in ((tf.signal.fft, np.fft.fft), (tf.signal.ifft, np.fft.ifft)):
            wanted = theirs(given.astype(np.complex128))
            assert np.abs(ours(tf.constant(given)).numpy() - wanted).max() <= most * max(np.abs(wanted).max(), 1)
    real = rng.randn(3, length).astype(np.float32)
    half, wanted = tf.signal.rfft(tf.constant(real)), np.fft.rfft(real.astype(np.float64))
    assert np.abs(half.numpy() - wanted).max() <= 3e-6 * max(np.abs(wanted).max(), 1)
    assert np.abs(tf.signal.irfft(half, [length]).numpy() - real).max() < 1e-5


def test_fourier_transforms_of_several_dimensions() -> None:
    rng = np.random.RandomState(0)
    values = rng.randn(2, 12, 16, 10) + 1j * rng.randn(2, 12, 16, 10)
    assert np.allclose(tf.signal.fft3d(tf.constant(values)).numpy(), np.fft.fftn(values, axes=(1, 2, 3)), 0, 1e-11)
    assert np.allclose(tf.signal.ifft2d(tf.constant(values)).numpy(), np.fft.ifft2(values), 0, 1e-12)
