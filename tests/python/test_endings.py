"""test_endings.py - Convolutions and products with what is done to their results at once, beside numpy."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_endings
import berth
berth.compat.v1.disable_eager_execution()
print(test_endings.{name}(berth.compat.v1))
"""
TAILS = [["bias"], ["bias", "relu"], ["fed", "relu6"], ["norm", "relu6"], ["bias", "norm", "other", "relu"],
         ["factor", "less", "relu"], ["other"], ["other", "bias"], ["bias", "factor", "other", "relu", "less"]]
PADS = [None, [[0, 1], [0, 1]], [[1, 2], [3, 0]]]
RNG = np.random.default_rng(7)


def numbers(*shape: int) -> Any:
    """Some floats."""
    return RNG.normal(0, 1, shape).astype(np.float32)


@dataclass
class Value:
    """A tensor, and what it has to be, in double precision."""
    tensor: Any
    expected: Any
    feeds: dict[Any, Any] = field(default_factory=dict)
    is_folded: bool = False  # Factors may have been multiplied in advance.


def image_of(tf: Any, *shape: int) -> Value:
    """An image that is fed."""
    fed, value = tf.placeholder(tf.float32, shape), numbers(*shape)
    return Value(fed, value.astype(np.float64), {fed: value})


def pad(tf: Any, x: Value, pads: Any) -> Value:
    """|x| among zeros; itself where |pads| is None."""
    if pads is None:
        return x
    pads = [[0, 0], *pads, [0, 0]]
    return Value(tf.pad(x.tensor, pads), np.pad(x.expected, pads), x.feeds, x.is_folded)


def same_edges(size: int, window: int, stride: int) -> tuple[int, int]:
    """What the padding SAME adds before and after."""
    more = max((-(-size // stride) - 1) * stride + window - size, 0)
    return more // 2, more - more // 2


def sums(x: Any, w: Any, stride: int, is_depthwise: bool) -> Any:
    """A convolution without padding, tap by tap."""
    rows, cols = ((n - w.shape[0]) // stride + 1 for n in x.shape[1:3])
    y = 0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            part = x[:, i:i + (rows - 1) * stride + 1:stride, j:j + (cols - 1) * stride + 1:stride]
            y = y + (part * w[i, j, :, 0] if is_depthwise else part @ w[i, j])
    return y


def conv(tf: Any, x: Value, window: int, stride: int, out: int, padding: str) -> Value:
    """A convolution with constants; each channel by itself where |out| is 0."""
    channels = x.expected.shape[-1]
    w = numbers(window, window, channels, out or 1) / np.float32(window * np.sqrt(channels if out else 1))
    function = tf.nn.conv2d if out else tf.nn.depthwise_conv2d
    tensor = function(x.tensor, tf.constant(w), [1, stride, stride, 1], padding)
    image = x.expected
    if padding == "SAME":
        edges = [same_edges(size, window, stride) for size in image.shape[1:3]]
        image = np.pad(image, [(0, 0), *edges, (0, 0)])
    return Value(tensor, sums(image, w.astype(np.float64), stride, out == 0), x.feeds, x.is_folded)


def normalised(tf: Any, x: Value) -> Value:
    """|x| after a batch normalisation with constants."""
    scale, offset, mean, variance = (numbers(x.expected.shape[-1]) for _ in range(4))
    variance = np.abs(variance) + 1
    tensor = tf.nn.fused_batch_norm(x.tensor, scale, offset, mean, variance, epsilon=0.001, is_training=False)[0]
    expected = (x.expected - mean) / np.sqrt(variance + 0.001) * scale + offset
    return Value(tensor, expected, x.feeds, True)


def added(tf: Any, x: Value, shape: list[int]) -> Value:
    """|x| and something that is fed."""
    fed, value = tf.placeholder(tf.float32, shape), numbers(*shape)
    return Value(fed + x.tensor, x.expected + value, x.feeds | {fed: value}, x.is_folded)


def follow(tf: Any, x: Value, step: str) -> Value:
    """|x| after one of the steps of TAILS."""
    row = numbers(x.expected.shape[-1])
    simple = {"bias": (lambda: tf.nn.bias_add(x.tensor, tf.constant(row)), lambda: x.expected + row),
              "less": (lambda: x.tensor - tf.constant(row), lambda: x.expected - row),
              "factor": (lambda: tf.constant(row) * x.tensor, lambda: x.expected * row),
              "third": (lambda: x.tensor / 3.0, lambda: x.expected / 3),
              "relu": (lambda: tf.nn.relu(x.tensor), lambda: np.maximum(x.expected, 0)),
              "relu6": (lambda: tf.nn.relu6(x.tensor), lambda: np.clip(x.expected, 0, 6))}
    if step == "norm":
        return normalised(tf, x)
    if step in ("fed", "other"):
        return added(tf, x, list(row.shape if step == "fed" else x.expected.shape))
    make, expect = simple[step]
    return Value(make(), expect(), x.feeds, x.is_folded or step == "factor")


def run_with(tf: Any, value: Value, fuse: str) -> Any:
    """The result of a second run."""
    os.environ["BERTH_FUSE"] = fuse
    with tf.Session(graph=value.tensor.graph) as session:
        session.run(value.tensor, value.feeds)
        return session.run(value.tensor, value.feeds)


def check(tf: Any, value: Value, about: Any) -> None:
    """Fails unless results are right, and the same without fusing."""
    fused, single = run_with(tf, value, "1"), run_with(tf, value, "0")
    off = np.abs(fused - value.expected).max() / (np.abs(value.expected).max() + 1)
    assert off < 1e-5, (about, off)
    assert value.is_folded or np.array_equal(fused, single), about


def try_convs(tf: Any) -> str:
    """Windows, strides, paddings, channels, and all that may follow."""
    index = 0
    for image in ([1, 9, 15, 40], [2, 13, 8, 16], [3, 7, 7, 33]):
        for window, stride in ((1, 1), (3, 1), (3, 2), (2, 1), (5, 2)):
            for out in (0, [24, 64, 33, 300][index % 4], 48):
                about = (image, window, stride, out, PADS[index % 3], index % 2, TAILS[index % len(TAILS)])
                with tf.Graph().as_default():
                    x = pad(tf, image_of(tf, *image), PADS[index % 3])
                    x = conv(tf, x, window, stride, out, ["SAME", "VALID"][index % 2])
                    for step in TAILS[index % len(TAILS)]:
                        x = follow(tf, x, step)
                    check(tf, x, about)
                index += 1
    return "right"


def try_columns(tf: Any) -> str:
    """Few places and many columns: those are cut."""
    for tail in [*TAILS, ["bias", "third"]]:
        for window in (1, 3):
            with tf.Graph().as_default():
                x = conv(tf, image_of(tf, 1, 7, 7, 100), window, 1, 960, "SAME")
                for step in tail:
                    x = follow(tf, x, step)
                check(tf, x, (window, tail))
    return "right"


def try_panels(tf: Any) -> str:
    """Rows and columns in all numbers, of which panels of products are full or not."""
    choice = random.Random(11)
    for index in range(90):
        image = [1, choice.choice([13, 49, choice.randint(1, 60)]), 1, choice.randint(1, 300)]
        out, tail = choice.choice([choice.randint(1, 70), 24, 40, 64]), TAILS[index % len(TAILS)]
        with tf.Graph().as_default():
            x = conv(tf, image_of(tf, *image), 1, 1, out, "SAME")
            for step in tail:
                x = follow(tf, x, step)
            check(tf, x, (image, out, tail))
    return "right"


def expand(tf: Any, x: Value, window: int, pads: Any, tail: list[str]) -> Value:
    """Channels of |x| and what follows them, among zeros where |pads| says so."""
    x = conv(tf, x, window, 1, 96, "SAME")
    for step in tail:
        x = follow(tf, x, step)
    return pad(tf, x, pads)


def try_feeding(tf: Any) -> str:
    """Depthwise convolutions of images that are made a few rows at a time, and some that are not."""
    index = 0
    for image in ([1, 60, 57, 8], [3, 25, 31, 16], [2, 12, 200, 5]):
        for window, stride in ((3, 1), (3, 2), (5, 1), (2, 3)):
            tail = [["norm", "relu6"], ["bias", "other", "relu"], [], ["fed", "other", "third"]][index % 4]
            about = (image, window, stride, PADS[index % 3], tail)
            with tf.Graph().as_default():
                x = expand(tf, image_of(tf, *image), [1, 3][index % 2], PADS[index % 3], tail)
                x = conv(tf, x, window, stride, 0, ["SAME", "VALID"][index // 2 % 2])
                for step in TAILS[index % len(TAILS)]:
                    x = follow(tf, x, step)
                check(tf, x, about)
            index += 1
    return "right"


def try_squares(tf: Any) -> str:
    """Windows of three by three over images of all sizes, at their edges and within, fed or not."""
    choice = random.Random(3)
    for index in range(120):
        image = [choice.randint(1, 3), choice.randint(3, 19), choice.randint(3, 19), choice.choice([5, 16, 17, 40, 64])]
        stride, padding = choice.choice([1, 2]), choice.choice(["SAME", "SAME", "VALID"])
        pads, is_fed, tail = choice.choice(PADS), index % 3 == 0, TAILS[index % len(TAILS)]
        with tf.Graph().as_default():
            x = image_of(tf, *image)
            x = expand(tf, x, 1, pads, ["bias", "relu"]) if is_fed else pad(tf, x, pads)
            x = conv(tf, x, 3, stride, 0, padding)
            for step in tail:
                x = follow(tf, x, step)
            check(tf, x, (image, stride, padding, pads, is_fed, tail))
    return "right"


def try_read_by_others(tf: Any) -> str:
    """What makes an image for a depthwise convolution, and for somebody else."""
    for shows in ("values", "pads", "sums"):
        with tf.Graph().as_default():
            made = expand(tf, image_of(tf, 2, 40, 40, 8), 1, None, ["bias", "relu"])
            around = pad(tf, made, PADS[1])
            x = conv(tf, around, 3, 2, 0, "VALID")
            more = {"values": made, "pads": around, "sums": conv(tf, made, 1, 1, 8, "SAME")}[shows]
            both = Value(tf.reduce_sum(x.tensor) + tf.reduce_sum(tf.abs(more.tensor)),
                         x.expected.sum() + np.abs(more.expected).sum(), x.feeds)
            fused = run_with(tf, both, "1")
            assert abs(fused - both.expected) < 1e-4 * abs(both.expected), (shows, fused, both.expected)
    return "right"


def try_no_numbers(tf: Any) -> str:
    """Infinite factors meet the sum, not the filter."""
    row = np.array([np.inf, 2, 0, -np.inf], np.float32)
    w = np.zeros([1, 1, 2, 4], np.float32)
    w[0, 0, 0] = 1
    fed, value = tf.placeholder(tf.float32, [1, 4, 4, 2]), np.ones([1, 4, 4, 2], np.float32)
    value[0, 0, 0] = np.inf
    y = Value(tf.nn.conv2d(fed, tf.constant(w), [1, 1, 1, 1], "SAME") * tf.constant(row), None, {fed: value})
    with np.errstate(all="ignore"):
        expected = (value @ w[0, 0]) * row
    assert np.array_equal(run_with(tf, y, "1")[0, 1:], expected[0, 1:], equal_nan=True)
    return "right"


def try_products(tf: Any) -> str:
    """Tiles of products, one that sums nothing, rows and columns."""
    for m, k, n in ((40, 70, 90), (600, 300, 700), (33, 0, 45), (5, 400, 1), (1, 64, 100)):
        with tf.Graph().as_default():
            x, b = image_of(tf, m, k), numbers(k, n) / np.float32(np.sqrt(k + 1))
            y = Value(tf.matmul(x.tensor, tf.constant(b)), x.expected @ b, x.feeds)
            for step in ("bias", "other", "relu6"):
                y = follow(tf, y, step)
            check(tf, y, (m, k, n))
    return "right"


@pytest.mark.parametrize("name", ["try_convs", "try_columns", "try_feeding", "try_read_by_others", "try_no_numbers",
                                  "try_products", "try_panels", "try_squares"])
def test_results_and_what_is_done_to_them(name: str) -> None:
    """Rows, other outputs and clamps are as numpy has them, and as without fusing."""
    folder = __file__.rpartition("/")[0]
    assert run(CODE.format(folder=folder, name=name)).strip() == "right"
