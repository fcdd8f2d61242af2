"""test_moves.py - Elements that are moved, looked for, grouped and rounded, beside numpy, at random sizes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_moves
import berth as tf
print(test_moves.{name}(tf, {seed}))
"""
TYPES = ["float32", "float64", "int8", "int16", "complex64", "complex128", "bool"]
SIZES = [1, 2, 3, 4, 5, 7, 8, 16, 17, 33]


def some_array(rng: random.Random, numbers: np.random.RandomState) -> np.ndarray:
    """Numbers of some type and shape, 40,000 at most."""
    shape = [rng.choice(SIZES) for _ in range(rng.randint(1, 5))]
    while np.prod(shape) > 40000:
        shape[shape.index(max(shape))] = 2
    return (numbers.rand(*shape) * 100).astype(rng.choice(TYPES))


def moved(tf: Any, rng: random.Random, x: np.ndarray) -> list[tuple[Any, np.ndarray]]:
    """What moves the elements of |x|, beside what numpy makes of it."""
    axes, shape = list(range(x.ndim)), list(x.shape)
    order = rng.sample(axes, x.ndim)
    some = rng.sample(axes, rng.randint(1, x.ndim))
    times = [rng.randint(1, 3) for _ in axes]
    steps = tuple(slice(None, None, rng.choice([1, 2, 3, -1, -2])) for _ in axes)
    column = x[tuple(slice(0, rng.choice([1, size])) for size in shape)]
    wide = [rng.randint(1, 3), *shape]
    axis = rng.choice(axes)
    cut = rng.randint(0, shape[axis])
    return [
        (tf.transpose(x, order), x.transpose(order)),
        (tf.reverse(x, some), np.flip(x, some)),
        (tf.tile(x, times), np.tile(x, times)),
        (tf.constant(x)[steps], x[steps]),
        (tf.broadcast_to(column, wide), np.broadcast_to(column, wide)),
        (tf.concat([x, column[..., :1] if column.shape[:-1] == x.shape[:-1] else x], x.ndim - 1),
         np.concatenate([x, column[..., :1] if column.shape[:-1] == x.shape[:-1] else x], -1)),
        (tf.roll(x, cut, axis), np.roll(x, cut, axis)),
        *zip(tf.split(x, [cut, shape[axis] - cut], axis), np.split(x, [cut], axis)),
    ]


def try_moves(tf: Any, seed: int) -> int:
    """Returns how many results were right."""
    rng, numbers, count = random.Random(seed), np.random.RandomState(seed), 0
    for _ in range(150):
        for found, wanted in moved(tf, rng, some_array(rng, numbers)):
            assert np.array_equal(found.numpy(), wanted)
            count += 1
    return count


def searched(tf: Any, rng: random.Random, numbers: np.random.RandomState) -> list[tuple[Any, np.ndarray]]:
    """What looks for numbers and groups them, beside what numpy makes of it."""
    rows, columns = rng.choice([1, 2, 5, 40]), rng.choice([1, 3, 16, 100, 700])
    x = (numbers.rand(rows, columns) * 50).astype(rng.choice(["float32", "float64", "int32", "int64", "uint8"]))
    row, limits = np.sort(x[0]), sorted(float(limit) for limit in numbers.rand(rng.choice([0, 1, 4, 30])) * 50)
    ids, parts = np.sort(numbers.randint(0, rows, rows)), numbers.randint(0, 3, rows)
    nth, depth = rng.randrange(columns), rng.choice([1, 4, 9])
    hot = numbers.randint(-1, depth, rows)
    order = numbers.permutation(columns)
    sums = np.zeros((ids[-1] + 1, columns), x.dtype)
    for i, number in enumerate(ids):
        sums[number] += x[i]
    return [
        (tf.searchsorted(row, x[-1]), np.searchsorted(row, x[-1])),
        (tf.searchsorted(row, x[-1], "right"), np.searchsorted(row, x[-1], "right")),
        (tf.raw_ops.NthElement(input=x, n=nth), np.sort(x, -1)[:, nth]),
        (tf.raw_ops.Bucketize(input=x.astype("float64"), boundaries=limits),
         np.searchsorted(np.float32(limits), x.astype("float64"), "right")),
        (tf.math.segment_sum(x, ids), sums),
        (tf.one_hot(hot, depth, 7, 2), np.where(hot[:, None] == np.arange(depth), 7, 2)),
        (tf.math.invert_permutation(order), np.argsort(order)),
        (tf.dynamic_stitch([order], [row]), row[np.argsort(order)]),
        (tf.sort(tf.random.shuffle(x[0])), row),
        *zip(tf.dynamic_partition(x, parts, 3), [x[parts == k] for k in range(3)]),
    ]


def try_searches(tf: Any, seed: int) -> int:
    """Returns how many results were right."""
    rng, numbers, count = random.Random(seed), np.random.RandomState(seed), 0
    for _ in range(60):
        for found, wanted in searched(tf, rng, numbers):
            assert np.array_equal(found.numpy(), wanted)
            count += 1
    return count


def nudged(low: Any, high: Any) -> tuple[Any, Any, Any]:
    """The limits of FakeQuant of eight bits, moved so that 0 is a step, and the step."""
    step = (high - low) / np.float32(255)
    zero = np.clip(np.floor(-low / step + np.float32(0.5)), 0, 255).astype("float32")
    return -zero * step, (255 - zero) * step, step


def try_rounding(tf: Any, seed: int) -> int:
    """Returns how many columns were right, to the step."""
    rng, numbers, count = random.Random(seed), np.random.RandomState(seed), 0
    for _ in range(40):
        columns = rng.choice([1, 3, 64, 65, 100, 200])
        x = (numbers.randn(rng.choice([1, 7, 90]), columns) * 3).astype("float32")
        low, high = -1 - numbers.rand(columns).astype("float32"), 1 + numbers.rand(columns).astype("float32")
        found = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high).numpy()
        least, most, step = nudged(low, high)
        wanted = np.clip(x, least, most)
        assert np.all(np.abs(found - wanted) <= step * 0.5001)
        assert np.allclose(found / step, np.rint(found / step), atol=1e-3)
        one = tf.quantization.fake_quant_with_min_max_vars(x[:, 0], low[0], high[0]).numpy()
        assert np.array_equal(one, found[:, 0])
        count += columns
    return count


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
@pytest.mark.parametrize("name", ["try_moves", "try_searches", "try_rounding"])
def test_moves(name: str, isa: str) -> None:
    """On every instruction set."""
    folder = __file__.rpartition("/")[0]
    assert int(run(CODE.format(folder=folder, name=name, seed=len(isa)), "2", BERTH_CPU_ISA=isa)) > 100
