"""test_convs.py - Convolutions beside plain sums in double precision, at random, on the host and on a card."""

from __future__ import annotations

import hashlib
import itertools
import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_convs
import berth as tf
print(test_convs.try_many(tf, {seed}))
"""
TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "float16": 4e-3, "bfloat16": 4e-3, "int32": 0}
COUNT = 60


class Conv:
    """A convolution at random: sizes, and what it makes of them."""

    def __init__(self, rng: random.Random) -> None:
        self.axes = rng.choice([2, 2, 3])
        self.is_depthwise = self.axes == 2 and rng.random() < 0.3
        sizes = range(self.axes)
        self.strides = [rng.randint(1, 3) for _ in sizes]
        self.gaps = [rng.choice([1, 1, 2, 3]) for _ in sizes]
        self.window = [rng.randint(1, 4 if self.axes == 2 else 2) for _ in sizes]
        if rng.random() < 0.2:
            self.window = [1] * self.axes
        self.groups = rng.choice([1, 1, 2, 3]) if self.axes == 2 else 1
        depth, times = rng.choice([1, 2, 3, 17]), rng.choice([1, 2, 20])
        self.channels, self.outputs = depth * self.groups, times * self.groups
        if self.is_depthwise:
            self.groups, self.outputs = self.channels, self.channels * rng.randint(1, 3)
        self.padding = rng.choice(["SAME", "VALID", "EXPLICIT"] if self.axes == 2 else ["SAME", "VALID"])
        self.batch = rng.choice([1, 2, 3, 9])
        self.size = [rng.randint(1, 9) for _ in sizes]
        self.before, self.after, self.out = [], [], []
        for i in sizes:
            self.place(rng, i)
        self.first = rng.random() < 0.4
        self.dtype = rng.choice(["float32", "float32", "float64", "float16"])

    def place(self, rng: random.Random, i: int) -> None:
        """Settles padding and output along an axis."""
        reach = (self.window[i] - 1) * self.gaps[i] + 1
        before = after = 0
        if self.padding == "SAME":
            missing = max((-(-self.size[i] // self.strides[i]) - 1) * self.strides[i] + reach - self.size[i], 0)
            before, after = missing // 2, missing - missing // 2
        if self.padding == "EXPLICIT":
            before, after = rng.randint(0, 3), rng.randint(0, 3)
        self.size[i] = max(self.size[i], reach - before - after, 1)
        if self.padding == "SAME":
            missing = max((-(-self.size[i] // self.strides[i]) - 1) * self.strides[i] + reach - self.size[i], 0)
            before, after = missing // 2, missing - missing // 2
        self.before.append(before)
        self.after.append(after)
        self.out.append((self.size[i] + before + after - reach) // self.strides[i] + 1)

    def meetings(self) -> Any:
        """Each tap, with the places of the (padded) image and of the output that meet through it."""
        for tap in itertools.product(*[range(n) for n in self.window]):
            reads = tuple(slice(t * g, t * g + (o - 1) * s + 1, s)
                          for t, g, o, s in zip(tap, self.gaps, self.out, self.strides))
            yield tap, (slice(None), *reads)

    def padded(self, image: np.ndarray) -> np.ndarray:
        return np.pad(image, [(0, 0), *zip(self.before, self.after), (0, 0)])

    def results(self, x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The output and both gradients; |w| has the channels of a group and all of the output."""
        wide, y = self.padded(x), np.zeros(dy.shape)
        dx, dw = np.zeros(wide.shape), np.zeros(w.shape)
        depth, outputs = self.channels // self.groups, self.outputs // self.groups
        for (tap, reads), g in itertools.product(self.meetings(), range(self.groups)):
            ins, outs = slice(g * depth, (g + 1) * depth), slice(g * outputs, (g + 1) * outputs)
            seen = wide[(*reads, ins)]
            y[..., outs] += seen @ w[tap][:, outs]
            dx[(*reads, ins)] += dy[..., outs] @ w[tap][:, outs].T
            dw[(*tap, slice(None), outs)] += np.tensordot(seen, dy[..., outs], (range(self.axes + 1),) * 2)
        inner = tuple(slice(b, b + n) for b, n in zip(self.before, self.size))
        return y, dx[(slice(None), *inner)], dw


class Tiled(Conv):
    """One that tiles can do: a square window that moves by one place, many channels."""

    def __init__(self, rng: random.Random) -> None:  # pylint: disable=super-init-not-called
        self.axes, self.is_depthwise, self.groups, self.first = 2, False, 1, False
        self.window = [rng.choice([3, 5])] * 2
        self.strides, self.dtype = [1, 1], "float32"
        self.gaps = rng.choice([[1, 1], [1, 1], [2, 2], [1, 2], [4, 3]])
        self.channels, self.outputs = rng.choice([16, 32, 80]), rng.choice([16, 48, 64])
        self.padding = rng.choice(["SAME", "VALID", "EXPLICIT"])
        self.batch = rng.choice([1, 2, 13])
        self.size = [rng.randint(7, 40) for _ in range(2)]
        self.before, self.after, self.out = [], [], []
        for i in range(2):
            self.place(rng, i)


class Few(Conv):
    """One of an image of few channels: any window without gaps, any step."""

    def __init__(self, rng: random.Random) -> None:  # pylint: disable=super-init-not-called
        self.axes, self.is_depthwise, self.groups, self.first = 2, False, 1, False
        self.window = [rng.randint(2, 7), rng.randint(1, 7)]
        self.strides, self.gaps, self.dtype = [rng.randint(1, 4) for _ in range(2)], [1, 1], "float32"
        self.channels, self.outputs = rng.choice([1, 3, 4, 8]), rng.choice([5, 64, 300])
        self.padding = rng.choice(["SAME", "VALID", "EXPLICIT"])
        self.batch = rng.choice([1, 2, 13])
        self.size = [rng.choice([2, 9, 33, 90]), rng.randint(1, 25)]
        self.before, self.after, self.out = [], [], []
        for i in range(2):
            self.place(rng, i)


class Wide(Conv):
    """One whose window is nearly as large as the image, or long: most of what a place of the image sees lies outside."""

    def __init__(self, rng: random.Random) -> None:  # pylint: disable=super-init-not-called
        self.axes, self.is_depthwise, self.groups, self.first = rng.choice([2, 2, 3]), False, 1, False
        sizes = range(self.axes)
        self.size = [rng.randint(4, 14 if self.axes == 2 else 7) for _ in sizes]
        self.window = [max(1, size - rng.randint(-2, 4)) for size in self.size]
        self.gaps = [rng.choice([1, 1, 1, 2]) for _ in sizes]
        self.strides = [rng.choice([1, 1, 2]) for _ in sizes]
        self.channels, self.outputs = rng.choice([1, 2, 5, 16, 40]), rng.choice([3, 20, 130])
        if rng.random() < 0.15:  # More channels than a tile has columns.
            self.size, self.window, self.channels = [3] * self.axes, [2] * self.axes, 600
        self.padding = rng.choice(["SAME", "VALID", "VALID", "EXPLICIT"] if self.axes == 2 else ["SAME", "VALID"])
        self.batch = rng.choice([1, 2, 7, 20])
        if rng.random() < 0.1:  # Rows that are made in parts.
            self.size, self.window = [1] * (self.axes - 1) + [1200], [1] * (self.axes - 1) + [500]
            self.gaps, self.channels, self.outputs, self.batch = [1] * self.axes, 16, 64, 1
        self.before, self.after, self.out = [], [], []
        for i in sizes:
            self.place(rng, i)
        self.dtype = rng.choice(["float32", "float32", "float64", "float16", "bfloat16"])


class Grouped(Conv):
    """One of many small groups, of one size or of two, that vectors hold some of or none."""

    def __init__(self, rng: random.Random) -> None:  # pylint: disable=super-init-not-called
        self.axes, self.first = 2, rng.random() < 0.2
        self.is_depthwise = rng.random() < 0.3
        self.window = [rng.randint(1, 4), rng.randint(1, 7)]
        self.strides, self.gaps = [rng.randint(1, 3) for _ in range(2)], [rng.choice([1, 1, 2]) for _ in range(2)]
        self.dtype = rng.choice(["float32", "float32", "float16"])
        self.groups = rng.choice([2, 5, 8, 33])
        depth, times = rng.choice([1, 2, 3, 4, 7, 8, 12, 20]), rng.choice([1, 2, 4, 5, 8, 13, 16])
        depth = 1 if self.is_depthwise else depth
        self.channels, self.outputs = depth * self.groups, times * self.groups
        self.padding = rng.choice(["SAME", "VALID", "EXPLICIT"])
        self.batch = rng.choice([1, 2, 5])
        self.size = [rng.choice([1, 5, 20]), rng.choice([2, 7, 14, 31])]
        self.before, self.after, self.out = [], [], []
        for i in range(2):
            self.place(rng, i)


class Alone(Conv):
    """One of each channel alone, of vectors of them or fewer, by squares most of the time."""

    def __init__(self, rng: random.Random) -> None:  # pylint: disable=super-init-not-called
        self.axes, self.is_depthwise, self.first = 2, True, False
        self.window = [rng.choice([3, 3, 3, 5])] * 2
        self.strides, self.gaps, self.dtype = [rng.choice([1, 1, 2])] * 2, [1, 1], "float32"
        self.channels = self.groups = rng.choice([3, 8, 16, 21, 40])
        self.outputs = self.channels * rng.choice([1, 1, 3, 8])
        self.padding = rng.choice(["SAME", "SAME", "VALID", "EXPLICIT"])
        self.batch = rng.choice([1, 3])
        self.size = [rng.choice([1, 2, 7, 14]), rng.randint(1, 15)]
        self.before, self.after, self.out = [], [], []
        for i in range(2):
            self.place(rng, i)


def laid(conv: Conv, image: np.ndarray) -> np.ndarray:
    return np.moveaxis(image, -1, 1) if conv.first else image


def attributes(conv: Conv) -> dict[str, Any]:
    """What ops are told."""
    spread = [(1, 1, *numbers) if conv.first else (1, *numbers, 1) for numbers in (conv.strides, conv.gaps)]
    pads = [pad for pair in zip(conv.before, conv.after) for pad in pair]
    found = {"strides": list(spread[0]), "dilations": list(spread[1]), "padding": conv.padding,
             "data_format": ("NC" + "DHW"[3 - conv.axes:]) if conv.first else "N" + "DHW"[3 - conv.axes:] + "C"}
    if conv.padding == "EXPLICIT":
        found["explicit_paddings"] = [0, 0, 0, 0, *pads] if conv.first else [0, 0, *pads, 0, 0]
    return found


def of_constant(tf: Any, conv: Conv, x: np.ndarray, w: np.ndarray) -> Any:
    """What a session makes with a filter that is a constant."""
    tf1 = tf.compat.v1
    with tf1.Graph().as_default(), tf1.Session() as session:
        image = tf1.placeholder(conv.dtype, x.shape)
        y = tf1.raw_ops.Conv2D(input=image, filter=tf1.constant(w, conv.dtype), **attributes(conv))
        made = session.run(y, {image: x})
    return tf.constant(made)


def check(tf: Any, conv: Conv, numbers: np.random.RandomState) -> None:
    shape = (conv.batch, *conv.size, conv.channels)
    x = numbers.randint(-4, 5, shape) / 4
    w = numbers.randint(-4, 5, (*conv.window, conv.channels // conv.groups, conv.outputs)) / 4
    dy = numbers.randint(-4, 5, (conv.batch, *conv.out, conv.outputs)) / 4
    wanted = conv.results(x, w, dy)
    kind = "DepthwiseConv2dNative" if conv.is_depthwise else f"Conv{conv.axes}D"
    last = "V2" if conv.axes == 3 else ""
    given = w.reshape(*conv.window, conv.channels, -1) if conv.is_depthwise else w
    args = attributes(conv)
    image, weights, output = (tf.constant(v, conv.dtype) for v in (laid(conv, x), given, laid(conv, dy)))
    raw = tf.raw_ops
    found = (getattr(raw, kind)(input=image, filter=weights, **args),
             getattr(raw, kind + "BackpropInput" + last)(
                 input_sizes=image.shape, filter=weights, out_backprop=output, **args),
             getattr(raw, kind + "BackpropFilter" + last)(
                 input=image, filter_sizes=weights.shape, out_backprop=output, **args))
    if isinstance(conv, Tiled):
        found, wanted = (*found, of_constant(tf, conv, x, w)), (*wanted, wanted[0])
    for made, expected, is_image in zip(found, wanted, (True, True, False, True)):
        expected = laid(conv, expected) if is_image else expected.reshape(given.shape)
        assert made.shape == expected.shape, vars(conv)
        most = max(np.abs(expected).max(), 1)
        assert np.abs(made.numpy().astype(np.float64) - expected).max() <= TOLERANCE[conv.dtype] * most, vars(conv)


def try_many(tf: Any, seed: int, kind: type = Conv) -> int:
    """Convolutions at random; returns how many were right."""
    rng, numbers = random.Random(seed), np.random.RandomState(seed)
    count = {Conv: COUNT, Few: 40, Wide: 50, Grouped: 40, Alone: 40}.get(kind, 32)
    for _ in range(count):
        check(tf, kind(rng), numbers)
    return count


def ended(tf: Any, seed: int, threads: int) -> str:
    """The bits of convolutions of constants with what follows them, as one step or one by one."""
    rng, numbers = random.Random(seed), np.random.RandomState(seed)
    tf1, found = tf.compat.v1, hashlib.sha256()
    for _ in range(8):
        conv = Tiled(rng)
        x = numbers.randn(conv.batch, *conv.size, conv.channels).astype(np.float32)
        more = numbers.randn(conv.batch, *conv.out, conv.outputs).astype(np.float32)
        config = tf1.ConfigProto(intra_op_parallelism_threads=threads)
        with tf1.Graph().as_default(), tf1.Session(config=config) as session:
            image, other = tf1.placeholder(tf.float32, x.shape), tf1.placeholder(tf.float32, more.shape)
            w = tf1.constant(numbers.randn(*conv.window, conv.channels, conv.outputs).astype(np.float32))
            y = tf1.raw_ops.Conv2D(input=image, filter=w, **attributes(conv))
            y = tf1.nn.bias_add(y, tf1.constant(numbers.randn(conv.outputs).astype(np.float32)))
            y = {0: tf1.nn.relu6, 1: tf1.nn.relu, 2: tf1.tanh}[rng.randint(0, 2)](y + other)
            for _ in range(2):
                found.update(session.run(y, {image: x, other: more}).tobytes())
    return found.hexdigest()


def slopes(tf: Any, seed: int, threads: int) -> str:
    """The bits of gradients of images of few channels, and of those that windows hardly fit in."""
    rng, numbers = random.Random(seed), np.random.RandomState(seed)
    tf1, found = tf.compat.v1, hashlib.sha256()
    for i in range(20):
        conv = Few(rng) if i % 2 else Wide(rng)
        if conv.axes == 3:
            continue
        dy = numbers.randn(conv.batch, *conv.out, conv.outputs).astype(np.float32)
        config = tf1.ConfigProto(intra_op_parallelism_threads=threads)
        with tf1.Graph().as_default(), tf1.Session(config=config) as session:
            given = tf1.placeholder(tf.float32, dy.shape)
            w = tf1.constant(numbers.randn(*conv.window, conv.channels, conv.outputs).astype(np.float32))
            dx = tf1.raw_ops.Conv2DBackpropInput(
                input_sizes=[conv.batch, *conv.size, conv.channels], filter=w, out_backprop=given, **attributes(conv))
            for _ in range(2):
                found.update(session.run(dx, {given: dy}).tobytes())
    return found.hexdigest()


@pytest.mark.parametrize("cards", ["", "Tesla K40c"])
@pytest.mark.parametrize("seed", range(3))
def test_convolutions_are_sums(seed: int, cards: str) -> None:
    """In both layouts, with groups, dilations and every padding, forth and back."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=seed)
    assert run(code, "2", BERTH_SIMULATE_GPUS=cards, CUDA_VISIBLE_DEVICES="0") == f"{COUNT}\n"


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
def test_wide_windows_are_sums(isa: str) -> None:
    """Windows about as large as the image, in blocks of taps, of all types."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=11).replace("11))", "11, test_convs.Wide))")
    assert run(code, "2", **({"BERTH_CPU_ISA": isa} if isa else {})) == "50\n"


@pytest.mark.parametrize("isa", ["", "baseline"])
def test_tiles_are_sums(isa: str) -> None:
    """Windows of 3 and 5, whatever is left over at the edges."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=7).replace("7))", "7, test_convs.Tiled))")
    assert run(code, "2", **({"BERTH_CPU_ISA": isa} if isa else {})) == "32\n"


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
def test_few_channels_are_sums(isa: str) -> None:
    """Steps and edges of all kinds; images in bands, and whole."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=5).replace("5))", "5, test_convs.Few))")
    assert run(code, "2", **({"BERTH_CPU_ISA": isa} if isa else {})) == "40\n"


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
def test_small_groups_are_sums(isa: str) -> None:
    """Groups in lanes, whole vectors of them and not."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=9).replace("9))", "9, test_convs.Grouped))")
    assert run(code, "2", **({"BERTH_CPU_ISA": isa} if isa else {})) == "40\n"


@pytest.mark.parametrize("isa", ["", "avx2", "baseline"])
def test_single_channels_are_sums(isa: str) -> None:
    """Whole rows of windows, forth and back, and channels that are repeated for them."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=13).replace("13))", "13, test_convs.Alone))")
    assert run(code, "2", **({"BERTH_CPU_ISA": isa} if isa else {})) == "40\n"


def test_few_channels_have_the_same_bits_on_any_threads() -> None:
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=3)
    found = {run(code.replace("try_many(tf, 3)", f"slopes(tf, 3, {threads})"), "1") for threads in (1, 2, 7)}
    assert len(found) == 1


def test_tiles_end_with_the_same_bits() -> None:
    """Fused or not, on one thread or two."""
    folder = __file__.rpartition("/")[0]
    found = set()
    for threads in (1, 2):
        code = CODE.format(folder=folder, seed=11).replace("try_many(tf, 11)", f"ended(tf, 11, {threads})")
        found |= {run(code, "1", BERTH_FUSE=fuse) for fuse in "01"}
    assert len(found) == 1
