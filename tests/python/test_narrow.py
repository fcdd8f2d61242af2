"""test_narrow.py - Sums of many numbers of 16 bits are sums, and what is no number stays where TensorFlow leaves it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import berth as tf
import numpy as np
import pytest
from script import environment

NARROW = ["float16", "bfloat16"]


def losses(dtype: str, columns: int) -> list[Any]:
    """Losses and slopes of rows whose classes are all as likely."""
    logits = tf.zeros([2, columns], dtype)
    labels = tf.one_hot([3, 3], columns, dtype=dtype)
    dense = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)
    sparse = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=tf.constant([3, 3]))
    return [tf.cast(value, tf.float64).numpy() for value in (*dense, *sparse)]


@pytest.mark.parametrize("columns", [9, 300, 1000, 5000])
@pytest.mark.parametrize("dtype", NARROW)
def test_losses_of_many_classes(dtype: str, columns: int) -> None:
    for loss, slope in zip(*[iter(losses(dtype, columns))] * 2):
        assert np.allclose(loss, np.log(columns), 1e-2)
        assert np.allclose(slope[:, 4:], 1 / columns, 1e-2)


@pytest.mark.parametrize("count", [300, 1000, 5000])
@pytest.mark.parametrize("dtype", NARROW)
def test_means_of_many(dtype: str, count: int) -> None:
    image = tf.ones([1, count, 2, 3], dtype)
    for value in (tf.nn.avg_pool2d(image, [count, 2], 1, "VALID"), tf.reduce_mean(image, [1, 2])):
        assert np.all(tf.cast(value, tf.float32).numpy() == 1)


@pytest.mark.parametrize("count", [300, 1000, 5000])
@pytest.mark.parametrize("dtype", NARROW)
def test_slopes_of_many_rows(dtype: str, count: int) -> None:
    given = {"grad": tf.ones([1, 2], dtype), "indices": tf.zeros([count], tf.int32),
             "segment_ids": tf.zeros([count], tf.int32)}
    for join, wanted in (("Sum", count), ("Mean", 1), ("SqrtN", np.sqrt(count))):
        found = [getattr(tf.raw_ops, f"SparseSegment{join}Grad")(**given, output_dim0=1),
                 getattr(tf.raw_ops, f"SparseSegment{join}GradV2")(
                     grad=given["grad"], indices=given["indices"], segment_ids=given["segment_ids"],
                     dense_output_dim0=1)[0]]
        for value in found:
            assert np.allclose(tf.cast(value, tf.float64).numpy(), wanted, 1e-2), (join, value)


def test_cards_add_up_as_many() -> None:
    script = """if True:
        import berth as tf
        for dtype in ("float16", "bfloat16"):
            mean = tf.nn.avg_pool2d(tf.ones([1, 5000, 1, 1], dtype), [5000, 1], 1, "VALID")
            slope = tf.raw_ops.SparseSegmentMeanGrad(grad=tf.ones([1, 1], dtype), indices=tf.zeros([5000], tf.int32),
                                                     segment_ids=tf.zeros([5000], tf.int32), output_dim0=1)
            assert "GPU" in mean.device and "GPU" in slope.device
            assert float(mean[0, 0, 0, 0]) == 1 and float(slope[0, 0]) == 1, (mean, slope)
    """
    settings = {"BERTH_SIMULATE_GPUS": "H100", "BERTH_TF": "2", "CUDA_VISIBLE_DEVICES": "0"}
    done = subprocess.run([sys.executable, "-c", script], env=environment() | settings, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stderr


# Rows of one segment, what columns that are not eight together give, and what eight do.
NAN = float("nan")
ROWS = [([1, NAN, 2], 2, 2), ([NAN, 1, 2], 2, 2), ([1, 2, NAN], NAN, 2), ([NAN, NAN], NAN, -np.inf), ([NAN], NAN, NAN)]


@pytest.mark.parametrize("dtype", [*NARROW, "float32"])
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 17, 24, 40])
def test_largest_of_segments_with_no_numbers(dtype: str, columns: int) -> None:
    for rows, single, eight in ROWS:
        for sign in (1, -1):
            data = tf.cast(np.outer(rows, np.full(columns, sign, np.float32)), dtype)
            ids = tf.zeros([len(rows)], tf.int32)
            sort = tf.math.segment_max if sign > 0 else tf.math.segment_min
            free = tf.math.unsorted_segment_max if sign > 0 else tf.math.unsorted_segment_min
            whole = columns // 8 * 8
            wanted = sign * np.array([eight] * whole + [single] * (columns - whole))
            assert np.array_equal(tf.cast(sort(data, ids)[0], tf.float32).numpy(), wanted, equal_nan=True)
            wanted = np.full(columns, sign * single)
            assert np.array_equal(tf.cast(free(data, ids, 1)[0], tf.float32).numpy(), wanted, equal_nan=True)


def test_ids_are_looked_at_where_there_are_no_segments() -> None:
    for op in ("Sum", "Prod", "Max", "Min"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"segment_ids\[1\] = 0 is out of range \[0, 0\)"):
            getattr(tf.raw_ops, f"UnsortedSegment{op}")(data=[1.0, 2.0], segment_ids=[-1, 0], num_segments=0)
        empty = getattr(tf.raw_ops, f"UnsortedSegment{op}")(data=[1.0, 2.0], segment_ids=[-1, -1], num_segments=0)
        assert empty.shape == (0,)
        empty = getattr(tf.raw_ops, f"UnsortedSegment{op}")(data=np.zeros((2, 0)), segment_ids=[5, 5], num_segments=2)
        assert empty.shape == (2, 0)
