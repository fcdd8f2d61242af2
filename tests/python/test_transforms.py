"""test_transforms.py - Fourier transforms of any length agree with numpy's."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

SHAPES = [(1, 1, 1), (2, 3, 4), (3, 5, 7), (2, 1, 4, 6), (2, 2, 3, 9, 8)]
LENGTHS = [None, (2, 3, 5), (4, 6, 8), (1, 2, 1)]


def numbers(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Complex numbers at random."""
    rng = np.random.default_rng([seed, *shape])
    return tf.constant(rng.standard_normal(shape) + 1j * rng.standard_normal(shape), tf.complex128)


def check(value: Any, expected: Any) -> None:
    """Compares within what rounding may do."""
    assert value.shape == expected.shape
    np.testing.assert_allclose(value.numpy(), expected, rtol=0, atol=1e-13 * expected.size)


@pytest.mark.parametrize("shape", SHAPES)
def test_whole(shape: tuple[int, ...]) -> None:
    x = numbers(shape)
    for rank in (1, 2, 3):
        axes = tuple(range(-rank, 0))
        suffix = "" if rank == 1 else f"{rank}d"
        check(getattr(tf.signal, f"fft{suffix}")(x), np.fft.fftn(x.numpy(), axes=axes))
        check(getattr(tf.signal, f"ifft{suffix}")(x), np.fft.ifftn(x.numpy(), axes=axes))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_real(shape: tuple[int, ...], lengths: tuple[int, ...] | None) -> None:
    spectrum, x = numbers(shape, 1), tf.math.real(numbers(shape))
    for rank in (1, 2, 3):
        axes = tuple(range(-rank, 0))
        sizes = None if lengths is None else list(lengths[3 - rank:])
        suffix = "" if rank == 1 else f"{rank}d"
        check(getattr(tf.signal, f"rfft{suffix}")(x, sizes), np.fft.rfftn(x.numpy(), sizes, axes=axes))
        if lengths is None and shape[-1] == 1:
            continue  # Of which numpy makes no numbers at all.
        check(getattr(tf.signal, f"irfft{suffix}")(spectrum, sizes),
              np.fft.irfftn(spectrum.numpy(), sizes, axes=axes))


# Ones with code of their own, products of them, primes on both sides of what is
# a factor, and those of short and long rows, of few and of many.
FACTORED = [1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 31, 64, 100, 210, 360, 512, 600, 1000, 1024, 1155, 2187, 4096]
CONVOLVED = [37, 41, 74, 127, 251, 509, 521, 1009, 2003]
BATCHES = [1, 3, 16, 17]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("n", FACTORED + CONVOLVED)
def test_lengths(n: int, wide: bool) -> None:
    complex_type, real_type = (np.complex128, np.float64) if wide else (np.complex64, np.float32)
    for count in BATCHES:
        x = numbers((count, n)).numpy().astype(complex_type)
        real, half = x.real.astype(real_type), x[:, :n // 2 + 1]
        wide_x, wide_half = x.astype(np.complex128), half.astype(np.complex128)
        pairs = [(tf.signal.fft(tf.constant(x)), np.fft.fft(wide_x)),
                 (tf.signal.ifft(tf.constant(x)), np.fft.ifft(wide_x)),
                 (tf.signal.rfft(tf.constant(real)), np.fft.rfft(real.astype(np.float64))),
                 (tf.signal.irfft(tf.constant(half), [n]), np.fft.irfft(wide_half, n))]
        for value, expected in pairs:
            assert value.numpy().dtype == (complex_type if value.dtype.is_complex else real_type)
            size = np.sqrt(np.mean(np.abs(expected) ** 2))
            worst = np.max(np.abs(value.numpy() - expected))
            assert worst <= (1e-14 if wide else 4e-6) * size, (count, worst / size)


def test_columns_of_any_length() -> None:
    for shape in [(2, 37, 41), (1, 127, 64), (3, 40, 100), (2, 64, 17), (41, 3, 37)]:
        x = numbers(shape)
        check(tf.signal.fft2d(x), np.fft.fft2(x.numpy()))
        check(tf.signal.ifft3d(x), np.fft.ifftn(x.numpy()))
        check(tf.signal.rfft2d(tf.math.real(x)), np.fft.rfft2(x.numpy().real))
        check(tf.signal.irfft2d(x, [shape[1], 2 * shape[2] - 1]),
              np.fft.irfft2(x.numpy(), (shape[1], 2 * shape[2] - 1)))


def test_parts_of_an_array() -> None:
    """More may be there than is transformed."""
    x = numbers((5, 6, 7, 9))
    real = tf.math.real(x)
    for lengths in ([4, 5, 6], [5, 3, 9], [1, 7, 5]):
        part = tuple(slice(0, n) for n in lengths)
        value = tf.raw_ops.RFFT3D(input=real, fft_length=lengths, Tcomplex=tf.complex128)
        check(value, np.fft.rfftn(real.numpy()[(slice(None), *part)], axes=(1, 2, 3)))
        half = (slice(None), *part[:2], slice(0, lengths[2] // 2 + 1))
        value = tf.raw_ops.IRFFT3D(input=x, fft_length=lengths, Treal=tf.float64)
        check(value, np.fft.irfftn(x.numpy()[half], lengths, axes=(1, 2, 3)))


def test_types_that_do_not_go_together() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong types for forward real FFT: in=1 out=18"):
        tf.raw_ops.RFFT(input=tf.ones([8]), fft_length=[8], Tcomplex=tf.complex128)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong types for backward real FFT: in=18 out=1"):
        tf.raw_ops.IRFFT(input=tf.ones([5], tf.complex128), fft_length=[8], Treal=tf.float32)


def test_shifts() -> None:
    x = np.arange(60.0).reshape(3, 4, 5)
    for axes in (None, 1, -1, (0, 2)):
        check(tf.signal.fftshift(x, axes), np.fft.fftshift(x, axes))
        check(tf.signal.ifftshift(x, axes), np.fft.ifftshift(x, axes))
