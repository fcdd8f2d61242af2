"""test_parts.py - Slices that are parts of their tensors: values stay what they were, whatever follows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import random, sys
sys.path.insert(0, {folder!r})
import test_parts
import berth as tf
print(test_parts.try_many(tf, {seed}))
"""
TYPES = ["float32", "float64", "int32", "int8", "complex64", "bool", "uint16"]


def some_index(rng: random.Random, size: int) -> Any:
    """A number, or a slice, of a dimension of |size|."""
    if size > 0 and rng.random() < 0.4:
        return rng.randrange(-size, size)
    ends = [None, *range(-size - 1, size + 2)]
    return slice(rng.choice(ends), rng.choice(ends), rng.choice([None, None, 1, 2, -1]))


def slice_of(rng: random.Random, tensor: Any, values: np.ndarray) -> tuple[Any, np.ndarray]:
    """A slice of |tensor|, and of |values|, which are its values."""
    index = tuple(some_index(rng, size) for size in values.shape[:rng.randint(1, values.ndim)])
    return tensor[index], values[index].copy()


def check_uses(tf: Any, part: Any, values: np.ndarray) -> None:
    """Kernels of several kinds take a part, at whatever address it begins."""
    assert np.array_equal(tf.concat([part, part], 0).numpy(), np.concatenate([values, values]))
    assert np.array_equal(tf.transpose(part).numpy(), values.T)
    assert np.array_equal(tf.gather(part, [0]).numpy(), values[:1])
    assert np.array_equal(tf.argmax(part, -1).numpy(), values.argmax(-1))
    assert np.array_equal(tf.where(part > 2.0, part, 0.0).numpy(), np.where(values > 2, values, 0))
    assert np.array_equal(tf.math.top_k(part).values.numpy()[..., 0], values.max(-1))
    np.testing.assert_allclose(tf.reduce_sum(part, 0).numpy(), values.sum(0), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(part).numpy(), values.sum(), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(tf.nn.softmax(part), -1).numpy(), np.ones(values.shape[:-1]), rtol=1e-5)
    if values.ndim == 2:
        np.testing.assert_allclose(tf.matmul(part, part, transpose_b=True).numpy(), values @ values.T, rtol=1e-6)


def pieces_of(rng: random.Random, tf: Any, tensor: Any, values: np.ndarray) -> list[tuple[Any, np.ndarray]]:
    """What |tensor| is cut into along one of its axes, or its bytes, beside what numpy gives."""
    axis = rng.randrange(values.ndim)
    size = values.shape[axis]
    if rng.random() < 0.2:
        return [(tf.bitcast(tensor, tf.int8), values[..., None].view("int8"))] if values.dtype == "int32" else []
    if rng.random() < 0.4 and 0 < size <= 6:
        return list(zip(tf.unstack(tensor, axis=axis), np.moveaxis(values, axis, 0).copy()))
    if rng.random() < 0.4 and size > 0 and size % 2 == 0:
        return list(zip(tf.split(tensor, 2, axis), [part.copy() for part in np.split(values, 2, axis)]))
    cut = rng.randint(0, size)
    parts = np.split(values, [cut], axis)
    return list(zip(tf.split(tensor, [cut, size - cut], axis), [part.copy() for part in parts]))


def try_many(tf: Any, seed: int) -> int:
    """Slices, slices of slices, updates of what was sliced; returns how many slices were right."""
    rng = random.Random(seed)
    kept: list[tuple[Any, np.ndarray]] = []
    for _ in range(400):
        shape = [rng.randint(0, 6) for _ in range(rng.randint(1, 4))]
        # Some are too large for a part of them to keep them.
        if rng.random() < 0.02:
            shape[0] = 300000
        values = np.arange(int(np.prod(shape))).astype(rng.choice(TYPES)).reshape(shape)
        is_variable = values.dtype != "bool" and rng.random() < 0.4
        tensor = tf.Variable(values) if is_variable else tf.constant(values)
        part, expected = slice_of(rng, tensor, values)
        kept.append((part, expected))
        if expected.ndim > 0 and rng.random() < 0.5:
            kept.append(slice_of(rng, part, expected))
        kept += pieces_of(rng, tf, tensor, values)
        if is_variable:
            tensor.assign_add(tf.ones_like(tensor))
            kept.append(slice_of(rng, tensor, values + np.ones_like(values)))
        if expected.dtype not in ("bool", "uint16"):
            kept.append((part + part, expected + expected))
        if expected.dtype == "float32" and expected.ndim > 0 and 0 < expected.size < 10000:
            check_uses(tf, part, expected)
        array = part.numpy()  # It is the caller's.
        if expected.ndim > 0:
            array[...] = 0
        kept[:-40] = []
        for found, wanted in kept:
            assert found.shape == wanted.shape
            assert np.array_equal(found.numpy(), wanted)
    return len(kept)


@pytest.mark.parametrize("cards", ["", "Tesla K40c"])
@pytest.mark.parametrize("seed", range(3))
def test_parts_keep_their_values(seed: int, cards: str) -> None:
    """On the host and on a card."""
    folder = __file__.rpartition("/")[0]
    assert run(CODE.format(folder=folder, seed=seed), "2", BERTH_SIMULATE_GPUS=cards, CUDA_VISIBLE_DEVICES="0") == "40\n"


def test_a_small_part_does_not_keep_a_large_whole() -> None:
    """What is left of a big tensor is small; half of it is the half that it was."""
    assert run("""
import berth as tf
used = lambda: tf.config.experimental.get_memory_info('GPU:0')['current'] >> 20
x = tf.zeros([64, 1024, 1024])
y = x[0, :64]
del x
print(used())
x = tf.zeros([64, 1024, 1024])
y = x[:32]
z = y[3:]
print(used() == 256)
del x, y
print(used() == 256, float(tf.reduce_sum(z)))
""", "2", BERTH_SIMULATE_GPUS="NVIDIA H200", CUDA_VISIBLE_DEVICES="0") == "0\nTrue\nTrue 0.0\n"
