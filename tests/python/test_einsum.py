"""test_einsum.py - Sums over labels at random agree with numpy's."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

TYPES = [np.float32, np.float64, np.float16, np.int32, np.int64, np.complex64, np.complex128]


def equation(rng: np.random.Generator) -> tuple[str, dict[str, int]]:
    """Labels at random, each in one input or in both, kept or summed over; and their sizes."""
    labels = list("abcdefg"[:rng.integers(1, 7)])
    sizes = {label: int(rng.integers(1, rng.choice([4, 8, 20]))) for label in labels}
    while np.prod(list(sizes.values())) > 100000:
        label = rng.choice(labels)
        sizes[label] = max(1, sizes[label] // 2)
    if rng.random() < 0.03:
        sizes[labels[0]] = 0
    first = [label for label in labels if rng.random() < 0.65]
    second = [label for label in labels if label not in first or rng.random() < 0.5]
    kept = [label for label in labels if rng.random() < 0.55]
    for term in (first, second, kept):
        rng.shuffle(term)
    return f"{''.join(first)},{''.join(second)}->{''.join(kept)}", sizes


def numbers(rng: np.random.Generator, shape: list[int], dtype: Any) -> Any:
    """Numbers at random."""
    if np.dtype(dtype).kind == "i":
        return np.asarray(rng.integers(-5, 5, shape)).astype(dtype)
    x = np.asarray(rng.standard_normal(shape))
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_random_equations(dtype: Any) -> None:
    rng = np.random.default_rng(5)
    wide = {"i": np.int64, "f": np.float64, "c": np.complex128}[np.dtype(dtype).kind]
    epsilon = 0 if wide is np.int64 else np.finfo(dtype).eps
    for _ in range(150):
        text, sizes = equation(rng)
        a, b = (numbers(rng, [sizes[label] for label in term], dtype) for term in text.split("->")[0].split(","))
        value = tf.einsum(text, a, b).numpy()
        expected = np.einsum(text, a.astype(wide), b.astype(wide))
        terms = np.einsum(text, np.abs(a).astype(float), np.abs(b).astype(float))
        assert value.dtype == dtype and value.shape == expected.shape, text
        # Halves are summed as floats, and rounded once.
        bound = np.abs(expected) + 1e-2 * terms if dtype is np.float16 else terms
        assert np.all(np.abs(value - expected) <= 4 * epsilon * bound), (text, sizes)
