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


def test_shifts() -> None:
    x = np.arange(60.0).reshape(3, 4, 5)
    for axes in (None, 1, -1, (0, 2)):
        check(tf.signal.fftshift(x, axes), np.fft.fftshift(x, axes))
        check(tf.signal.ifftshift(x, axes), np.fft.ifftshift(x, axes))
