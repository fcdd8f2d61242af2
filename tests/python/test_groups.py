"""test_groups.py - Segments and pools of every width and type give what numpy does, one group after the other."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

FLOATS = ["float32", "float64"]
WHOLE = ["int32", "int64"]
# Columns around those that are joined at once, and none.
WIDTHS = [0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 100]
ROWS, GROUPS = 61, 20


def values(dtype: str, shape: tuple[int, ...], seed: int = 1) -> Any:
    """Numbers whose sums and products are exact in any order."""
    rng = np.random.default_rng([seed, *shape])
    if dtype in WHOLE:
        return rng.integers(-3, 4, shape).astype(dtype)
    return rng.choice([-2.0, -1.0, -0.5, 0.25, 1.0, 2.0], shape).astype(dtype)


JOINS = {"sum": (np.add, 0), "prod": (np.multiply, 1), "max": (np.maximum, None), "min": (np.minimum, None)}


def joined(x: Any, rows: list[Any], how: str, empty: Any) -> Any:
    """The groups of |rows|."""
    function = JOINS[how][0]
    return np.stack([function.reduce(x[list(row)], axis=0) if len(row) else np.full(x.shape[1:], empty, x.dtype)
                     for row in rows])


def limit(dtype: str, how: str) -> Any:
    """What an empty group of UnsortedSegment is."""
    info = np.finfo(dtype) if dtype in FLOATS else np.iinfo(dtype)
    return {"sum": 0, "prod": 1, "max": info.min, "min": info.max}[how]


@pytest.mark.parametrize("how", JOINS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
@pytest.mark.parametrize("index", WHOLE)
def test_segments(index: str, dtype: str, width: int, how: str) -> None:
    rng = np.random.default_rng(width)
    x = values(dtype, (ROWS, width))
    ids = rng.integers(0, GROUPS, ROWS).astype(index)
    groups = [np.flatnonzero(ids == g) for g in range(GROUPS)]
    found = getattr(tf.math, "unsorted_segment_" + how)(x, ids, GROUPS).numpy()
    np.testing.assert_array_equal(found, joined(x, groups, how, limit(dtype, how)))
    ids.sort()
    groups = [np.flatnonzero(ids == g) for g in range(int(ids[-1]) + 1)]
    found = getattr(tf.math, "segment_" + how)(x, ids).numpy()
    np.testing.assert_array_equal(found, joined(x, groups, how, 1 if how == "prod" else 0))


@pytest.mark.parametrize("index", WHOLE)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_that_are_named(dtype: str, width: int, index: str) -> None:
    rng = np.random.default_rng(width)
    x = values(dtype, (ROWS, width))
    ids = np.sort(rng.integers(0, GROUPS, 150)).astype(index)
    places = rng.integers(0, ROWS, 150).astype(index)
    groups = [places[ids == g] for g in range(GROUPS)]
    expected = joined(x, groups, "sum", 0)
    counts = np.array([max(1, len(group)) for group in groups]).reshape(-1, 1)
    given = {"data": x, "indices": places, "segment_ids": ids, "num_segments": GROUPS}
    sums = tf.raw_ops.SparseSegmentSumWithNumSegments(**given).numpy()
    np.testing.assert_array_equal(sums, expected)
    means = tf.raw_ops.SparseSegmentMeanWithNumSegments(**given).numpy()
    np.testing.assert_allclose(means, expected / counts, rtol=1e-6, atol=1e-7)
    roots = tf.raw_ops.SparseSegmentSqrtNWithNumSegments(**given).numpy()
    np.testing.assert_allclose(roots, expected / np.sqrt(counts), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("places", "ids", "text"), [
    ([0, 3], [0, 1], r"indices\[1\] == 3 out of range \[0, 3\)"), ([-1, 0], [0, 1], r"indices\[0\] == -1 out of range"),
    ([0, 1, 0, 1], [0, 1, 0, 1], "segment ids are not increasing"),
    ([0, 1], [-1, 0], r"Segment id -1 out of range \[0, 1\)")])
def test_wrong_rows_are_named(places: list[int], ids: list[int], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.raw_ops.SparseSegmentSum(data=np.ones((3, 8), np.float32), indices=places, segment_ids=ids)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("width", [1, 3, 4, 7, 8, 9, 16, 32, 33])
def test_nan_among_the_largest(width: int, dtype: str) -> None:
    """As TensorFlow has it: what comes later stays, but for sorted ids in the columns of whole vectors."""
    nan, lanes = np.nan, 8 if dtype == "float32" else 4
    pairs = np.array([[nan, 2], [2, nan], [nan, nan], [1, 2], [nan, 1]])
    x = np.repeat(pairs.reshape(-1, 1), width, axis=1).astype(dtype)
    ids = np.repeat(np.arange(5), 2)
    later = {"max": [2, nan, nan, 2, 1], "min": [2, nan, nan, 1, 1]}
    without = {"max": [2, 2, -np.inf, 2, 1], "min": [2, 2, np.inf, 1, 1]}
    for how, expected in later.items():
        found = getattr(tf.math, "unsorted_segment_" + how)(x, ids, 5).numpy()
        np.testing.assert_array_equal(found, np.repeat(np.array([expected]).T, width, axis=1))
        found = getattr(tf.math, "segment_" + how)(x, ids).numpy()
        whole = width // lanes * lanes
        np.testing.assert_array_equal(found[:, :whole], np.repeat(np.array([without[how]]).T, whole, axis=1))
        np.testing.assert_array_equal(found[:, whole:], np.repeat(np.array([expected]).T, width - whole, axis=1))
    alone = getattr(tf.math, "segment_max")(x[:1], ids[:1]).numpy()
    assert np.isnan(alone).all()


# ---- Ragged rows ----

ROWS_OF = [[0, 2, 3, 3, 6], [0, 0, 0], [0], [0, 9]]


@pytest.mark.parametrize("splits", ROWS_OF)
@pytest.mark.parametrize("dtype", FLOATS + WHOLE)
def test_ragged_rows(dtype: str, splits: list[int]) -> None:
    flat = values(dtype, (splits[-1],))
    x = tf.RaggedTensor.from_row_splits(tf.constant(flat), splits)
    rows = [flat[a:b] for a, b in zip(splits, splits[1:])]
    most = max((len(row) for row in rows), default=0)
    columns = [np.array([row[c] for row in rows if len(row) > c], dtype) for c in range(most)]
    for how, (function, _) in JOINS.items():
        for axis, groups in ((1, rows), (0, columns)):
            expected = [function.reduce(group) if len(group) else limit(dtype, how) for group in groups]
            found = getattr(tf, "reduce_" + how)(x, axis).numpy()
            np.testing.assert_array_equal(found, np.array(expected, dtype))
    means = tf.reduce_mean(x, 1).numpy()
    np.testing.assert_allclose(means, [row.mean() if len(row) else np.nan for row in rows], rtol=1e-6)
    if len(flat):
        np.testing.assert_allclose(tf.reduce_mean(x).numpy(), flat.mean(), rtol=1e-6)


def test_slopes_go_through_ragged_rows() -> None:
    flat = tf.constant([1.0, 5.0, 2.0, 7.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(flat)
        x = tf.RaggedTensor.from_row_splits(flat, [0, 2, 2, 5])
        total = tf.reduce_sum(tf.reduce_sum(x, 1) ** 2)
        largest = tf.reduce_sum(tf.reduce_max(x, 0) * [1.0, 10.0, 100.0])
    np.testing.assert_array_equal(tape.gradient(total, flat).numpy(), [12.0, 12.0, 24.0, 24.0, 24.0])
    np.testing.assert_array_equal(tape.gradient(largest, flat).numpy(), [0.0, 0.0, 1.0, 10.0, 100.0])


# ---- Pools ----

POOLED = ["float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8"]


def windows(size: int, window: int, stride: int, padding: str) -> list[tuple[int, int]]:
    """Where each window begins and ends along an axis."""
    if padding == "VALID":
        starts = [o * stride for o in range(max(0, (size - window) // stride + 1))]
    else:
        count = -(-size // stride)
        before = max(0, (count - 1) * stride + window - size) // 2
        starts = [o * stride - before for o in range(count)]
    return [(max(0, start), min(size, start + window)) for start in starts]


def pooled(x: Any, window: tuple[int, int], stride: tuple[int, int], padding: str, function: Any) -> Any:
    """A pool of the last three axes, one window after the other."""
    high, wide = (windows(x.shape[i + 1], window[i], stride[i], padding) for i in range(2))
    return np.stack([np.stack([function(x[:, a:b, c:d]) for c, d in wide], 1) for a, b in high], 1)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("window", "stride"), [((3, 3), (1, 1)), ((2, 2), (2, 2)), ((3, 3), (2, 2)), ((1, 4), (1, 1)),
                                                ((5, 2), (1, 3)), ((7, 7), (1, 1)), ((1, 1), (2, 2))])
@pytest.mark.parametrize("channels", [1, 3, 4, 8, 17, 70])
@pytest.mark.parametrize("dtype", POOLED)
def test_pools(dtype: str, channels: int, window: tuple[int, int], stride: tuple[int, int], padding: str) -> None:
    rng = np.random.default_rng([channels, *window])
    x = rng.integers(0, 100, (2, 7, 11, channels))  # Sums of a window are exact in half, as steps of an eighth.
    x = x % 8 if dtype in ("float16", "bfloat16") else x
    given = tf.cast(tf.constant(x), dtype)
    largest = tf.nn.max_pool2d(given, window, stride, padding)
    np.testing.assert_array_equal(tf.cast(largest, tf.int64).numpy(),
                                  pooled(x, window, stride, padding, lambda part: part.max((1, 2))))
    if given.dtype.is_floating:
        slack = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 1e-6)
        mean = tf.cast(tf.nn.avg_pool2d(given, window, stride, padding), tf.float64).numpy()
        expected = pooled(x, window, stride, padding, lambda part: part.mean((1, 2)))
        np.testing.assert_allclose(mean, expected, rtol=slack)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("channels", [1, 5, 33])
def test_pools_of_volumes(channels: int, stride: int, padding: str) -> None:
    x = np.random.default_rng(channels).integers(0, 100, (2, 4, 5, 6, channels)).astype(np.float32)
    deep = windows(4, 3, stride, padding)
    flat = lambda function: np.stack([pooled(x[:, a:b].transpose(0, 2, 3, 1, 4), (3, 3), (stride, stride), padding,
                                             lambda part: function(part, (1, 2, 3))) for a, b in deep], 1)
    np.testing.assert_array_equal(tf.nn.max_pool3d(x, 3, stride, padding).numpy(), flat(np.max))
    np.testing.assert_allclose(tf.nn.avg_pool3d(x, 3, stride, padding).numpy(), flat(np.mean), rtol=1e-6)


@pytest.mark.parametrize(("ends", "dtype", "rows"), [
    (([3, 0, 2],), "int32", [[0, 1, 2], [], [0, 1]]), (([0, 5, 8], [3, 3, 12], 2), "int32", [[0, 2], [], [8, 10]]),
    (([5, 0], [0, 5], [-2, 1]), "int32", [[5, 3, 1], [0, 1, 2, 3, 4]]),
    ((np.array([2, 3]),), "int64", [[0, 1], [0, 1, 2]]),
    (([0, 1], [2, 3.0], 0.5), "float32", [[0, 0.5, 1, 1.5], [1, 1.5, 2, 2.5]])])
def test_ranges_of_rows(ends: Any, dtype: str, rows: Any) -> None:
    for function in (tf.ragged.range, tf.function(tf.ragged.range)):
        found = function(*ends)
        assert found.dtype == dtype
        assert found.row_splits.dtype == tf.int64
        assert found.to_list() == rows
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires delta != 0"):
        tf.ragged.range([0, 1], [2, 3], 0)
