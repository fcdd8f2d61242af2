"""test_fuse.py - Steps that are done as one give the bits that they give one by one."""

from __future__ import annotations

import operator
import os
import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_fuse
import berth
print(test_fuse.try_many(berth.compat.v1, {seed}, {device!r}))
"""
# Factors that are part of a filter are rounded with it to TF32, which would show.
CARD = {"BERTH_SIMULATE_GPUS": "H200", "CUDA_VISIBLE_DEVICES": "0", "NVIDIA_TF32_OVERRIDE": "0"}
TYPES = ["float32", "float32", "float32", "float64", "float16", "bfloat16", "int32", "complex64", "int64"]


def some_values(rng: np.random.Generator, dtype: Any, shape: list[int]) -> Any:
    """Small numbers of a type."""
    return rng.normal(0, 2, shape).astype(dtype.as_numpy_dtype)


def unary_ops(tf: Any, dtype: Any) -> list[Any]:
    """Functions of one tensor."""
    ops = [tf.negative, tf.square, tf.identity]
    if dtype.is_complex:
        return [*ops, tf.math.conj, tf.exp]
    ops += [tf.abs, tf.nn.relu, tf.nn.relu6, tf.sign]
    if dtype.is_floating:
        ops += [tf.tanh, tf.sigmoid, tf.exp, tf.nn.leaky_relu, tf.nn.elu, tf.floor]
    return ops


def binary_ops(tf: Any, dtype: Any) -> list[Any]:
    """Functions of two tensors."""
    ops = [tf.add, tf.subtract, tf.multiply]
    if not dtype.is_complex:
        ops += [tf.maximum, tf.minimum, tf.math.squared_difference]
    if dtype.is_floating or dtype.is_complex:
        ops += [tf.divide]
    return ops


class Builder:
    """Grows a random graph of element-wise ops, with inputs that broadcast."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.rng = tf, random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.dtype = tf.as_dtype(self.rng.choice(TYPES))
        rank = self.rng.randint(0, 4)
        self.shape = [self.rng.choice([1, 2, 3, 5, 16, 33]) for _ in range(rank)]
        if rank < 4 and self.rng.random() < 0.6:
            self.shape = [self.rng.choice([17, 64, 100]), *self.shape]
        if self.rng.random() < 0.15:
            self.shape = self.rng.choice([[30000, 3], [1000, 24], [20, 2100], [70000], [9, 9, 9, 40]])
        self.feeds: dict[Any, Any] = {}
        self.values = [self.source()]
        self.is_folded = False

    def source(self) -> Any:
        """A constant, or what is fed, of the whole shape or of one that broadcasts to it."""
        shape = list(self.shape)
        kind = self.rng.random()
        if kind < 0.2:
            shape = []
        elif kind < 0.45:
            shape = shape[self.rng.randint(0, len(shape)):]
        elif kind < 0.55:
            shape = [size if self.rng.random() < 0.5 else 1 for size in shape]
        values = some_values(self.numbers, self.dtype, shape)
        if self.rng.random() < 0.4:
            return self.tf.constant(values, self.dtype)
        fed = self.tf.placeholder(self.dtype, shape)
        self.feeds[fed] = values
        return fed

    def head(self, value: Any) -> Any:
        """A product or a convolution of |value|, where its shape allows one."""
        tf, depth = self.tf, self.rng.choice([1, 3, 8, 40])
        if not self.dtype.is_floating or len(self.shape) not in (2, 4) or value.shape.as_list() != self.shape:
            return value
        last = self.shape[-1]
        # Constant rows that follow may be multiplied with the filter in advance.
        self.is_folded = self.is_folded or (len(self.shape) == 4 and self.dtype.name == "float32")
        if len(self.shape) == 2:
            weights = some_values(self.numbers, self.dtype, [last, last])
            return tf.matmul(value, tf.constant(weights, self.dtype))
        if self.rng.random() < 0.5:
            weights = some_values(self.numbers, self.dtype, [2, 3, last, 1])
            return tf.nn.depthwise_conv2d(value, tf.constant(weights, self.dtype), [1, 1, 1, 1], "SAME")
        weights = some_values(self.numbers, self.dtype, [3, 2, last, depth])
        self.shape[-1] = depth
        made = tf.nn.conv2d(value, tf.constant(weights, self.dtype), [1, 1, 1, 1], "SAME")
        self.values = [made]
        return made

    def normalised(self, value: Any) -> Any:
        """|value| after a batch normalisation with constants."""
        if self.dtype.name != "float32" or value.shape.rank != 4:
            return value
        rows = [np.abs(some_values(self.numbers, self.dtype, [value.shape[-1]])) + 0.5 for _ in range(4)]
        return self.tf.nn.fused_batch_norm(value, *rows, is_training=False)[0]

    def turned(self, value: Any) -> Any:
        """|value| in another shape, and back."""
        return self.tf.reshape(-self.tf.reshape(value, [-1]), value.shape)

    def grow(self) -> None:
        """Adds one op."""
        value = self.rng.choice(self.values[-3:])
        kind = self.rng.random()
        if kind < 0.08:
            value = self.head(value)
        elif kind < 0.13:
            value = self.normalised(value)
        elif kind < 0.2 and value.shape.rank and value.shape.rank > 1 and not self.dtype.is_complex:
            bias = some_values(self.numbers, self.dtype, [int(value.shape[-1])])
            value = self.tf.nn.bias_add(value, self.tf.constant(bias, self.dtype))
        elif kind < 0.5:
            value = self.rng.choice(unary_ops(self.tf, self.dtype))(value)
        elif kind < 0.58:
            value = self.tf.identity(value) if self.rng.random() < 0.5 else self.turned(value)
        else:
            other = self.rng.choice([*self.values[-4:], self.source()])
            pair = (value, other) if self.rng.random() < 0.5 else (other, value)
            value = self.rng.choice(binary_ops(self.tf, self.dtype))(*pair)
        self.values.append(value)


def run_twice(tf: Any, graph: Any, fetches: Any, feeds: Any) -> list[Any]:
    """Runs with steps fused and one by one, each twice; returns the second results."""
    results = []
    is_on_card = any("GPU" in op.device for op in graph.get_operations())
    assert not is_on_card or tf.test.is_gpu_available(), "there is no card"
    for fuse in "10":
        os.environ["BERTH_FUSE"] = fuse
        with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as session:
            first = session.run(fetches, feeds)
            results.append(session.run(fetches, feeds))
            for a, b in zip(first, results[-1], strict=True):
                assert a.tobytes() == b.tobytes()
    return results


def are_same(a: Any, b: Any, is_folded: bool) -> bool:
    """Whether results are the same: to the bit, unless factors were multiplied in advance."""
    if not is_folded:
        return a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=True)
    scale = np.abs(b[np.isfinite(b)]).max(initial=1.0)
    return np.allclose(a, b, rtol=1e-4, atol=1e-5 * scale, equal_nan=True)


def try_many(tf: Any, seed: int, device: str) -> int:
    """Random graphs; returns how many were right."""
    tf.disable_eager_execution()
    for index in range(60):
        with tf.Graph().as_default() as graph, tf.device(device):
            builder = Builder(tf, seed * 1000 + index)
            for _ in range(builder.rng.randint(2, 25)):
                builder.grow()
            fetches = [builder.values[-1], *builder.rng.sample(builder.values, min(2, len(builder.values)))]
            with np.errstate(all="ignore"):
                fused, single = run_twice(tf, graph, fetches, builder.feeds)
            for a, b in zip(fused, single, strict=True):
                assert are_same(a, b, builder.is_folded), (seed, index, [v.op.type for v in builder.values])
    return 60


@pytest.mark.parametrize("seed", range(4))
def test_same_bits_on_the_cpu(seed: int) -> None:
    """Chains, trees, broadcasts, products, convolutions, of all types."""
    folder = __file__.rpartition("/")[0]
    assert run(CODE.format(folder=folder, seed=seed, device="/cpu:0")).strip() == "60"


# Whether kernels are written for all groups. A simulated card takes no texts: what is tried then is going on without.
@pytest.mark.parametrize("text", ["0", "1"])
def test_same_bits_on_a_gpu(text: str) -> None:
    """The same on a simulated card."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=9, device="/gpu:0")
    assert run(code, **CARD, BERTH_CUDA_TEXT=text).strip() == "60"


def some_bits(rng: np.random.Generator, dtype: Any, count: int) -> Any:
    """Numbers of all kinds, among them every kind of NaN, infinities, zeros and denormal ones."""
    if dtype.size == 2:
        return rng.integers(0, 1 << 16, count).astype(np.uint16).view(dtype.as_numpy_dtype)
    bits = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
    bits[:8] = [0, 0x80000000, 1, 0x807FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345]
    bits[count // 2:] = rng.normal(0, 3, count - count // 2).astype(np.float32).view(np.uint32)
    return bits.view(np.float32)


def groups_of(tf: Any, a: Any, y: Any) -> list[Any]:
    """Ops behind |y|, made of |a|: what looks at signs and NaNs, uses values twice, and casts."""
    wide = tf.cast(y, tf.float32)
    return [tf.nn.relu(y), tf.nn.relu(y + a), tf.maximum(tf.negative(y), tf.minimum(tf.abs(a), y)),
            tf.cast(tf.cast(wide * 2.0, tf.float16) + 1.0, tf.float32), tf.cast(wide - 1.0, tf.bfloat16) * 3.0]


def try_all(tf: Any, device: str) -> int:
    """Every function that is fused over all kinds of numbers: the same bits, of NaNs too; returns how many."""
    tf.disable_eager_execution()
    names = ["reciprocal", "sqrt", "math.rsqrt", "math.ceil", "round", "math.expm1", "math.log", "math.log1p",
             "math.erf", "math.erfc", "nn.selu", "nn.softplus", "nn.softsign", "math.divide_no_nan", "math.xdivy",
             "floor_div"]
    found, rng = 0, np.random.default_rng(7)
    for dtype in (tf.float32, tf.float16, tf.bfloat16):
        ops = [operator.attrgetter(name)(tf) for name in names]
        for op in [*unary_ops(tf, dtype), *binary_ops(tf, dtype), *ops]:
            if dtype == tf.bfloat16 and op in (tf.nn.softplus, tf.nn.softsign):  # TensorFlow has none on cards.
                continue
            with tf.Graph().as_default() as graph, tf.device(device):
                a, b = (tf.placeholder(dtype, [None]) for _ in range(2))
                is_binary = op in binary_ops(tf, dtype) or op in ops[-3:]
                fetches = groups_of(tf, a, op(a, b) if is_binary else op(a))
                feeds = {value: some_bits(rng, dtype, 4099) for value in (a, b)}
            for fetch in fetches:
                fused, single = run_twice(tf, graph, [fetch], feeds)
                assert fused[0].tobytes() == single[0].tobytes(), (dtype, op, fetch)
                found += 1
    return found


def test_every_function_keeps_its_bits_on_a_gpu() -> None:
    """Also those of NaNs."""
    folder = __file__.rpartition("/")[0]
    code = CODE.format(folder=folder, seed=0, device="/gpu:0").replace("try_many(berth.compat.v1, 0", "try_all(berth.compat.v1")
    assert run(code, **CARD, BERTH_CUDA_TEXT="1").strip() == "530"


LATE = """
import numpy as np, berth
tf = berth.compat.v1
tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [30, 4])
v = tf.Variable(np.ones([4], np.float32), validate_shape=False, use_resource={resource}, shape={shape})
fed = tf.placeholder(tf.float32, None)
change = v.assign(fed) if {resource} else tf.assign(v, fed, validate_shape=False)
y = x * 2.0 + 1.0
read = v.read_value() if {resource} else tf.identity(v)
z = tf.nn.relu(tf.abs(y) - read)
late = tf.reverse(y, [0]) + z
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    a = np.arange(120, dtype=np.float32).reshape(30, 4) - 60
    for shape in ([4], [4], [30, 4], [1], [30, 1], [4]):
        w = np.random.rand(*shape).astype(np.float32)
        session.run(change, {{fed: w}})
        for fetches in (z, [z, y], [late, y, z], late):
            first = a * np.float32(2) + np.float32(1)
            expected = {{z.name: np.maximum(np.abs(first) - w, 0), y.name: first}}
            expected[late.name] = first[::-1] + expected[z.name]
            results = session.run(fetches, {{x: a}})
            if not isinstance(fetches, list):
                fetches, results = [fetches], [results]
            for fetch, result in zip(fetches, results):
                assert np.array_equal(result, expected[fetch.name]), (shape, fetch)
            session.run(change, {{fed: np.ones([4], np.float32)}})
            session.run(late, {{x: a}})
            session.run(change, {{fed: w}})
print("right")
"""


@pytest.mark.parametrize("resource", [False, True])
def test_a_variable_changes_its_shape_between_steps_of_a_group(resource: bool) -> None:
    """What was skipped is caught up with."""
    shape = "tf.TensorShape(None)" if resource else "None"
    assert run(LATE.format(resource=resource, shape=shape)).strip() == "right"


HEADS = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np, berth, test_fuse
tf = berth.compat.v1
tf.disable_eager_execution()
rng = np.random.default_rng(1)
with tf.Graph().as_default() as graph, tf.device("/gpu:0"):
    x = tf.placeholder(tf.float32, [3, 8, 8, 16])
    filters = rng.normal(0, 1, [3, 3, 16, 16]).astype(np.float32)
    # What is added lies in the arena, ends here and is as large as the output.
    added = tf.reverse(x, [1])
    made = [tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME"), tf.reshape(x, [192, 16]) @ filters[0, 0]]
    other = [added, tf.reverse(tf.reshape(x, [192, 16]), [0])]
    fetches = [tf.nn.relu(a + b) * 0.5 - 1.0 for a, b in zip(made, other)]
    row = [rng.uniform(0.5, 1.5, 16).astype(np.float32) for _ in range(4)]
    norm = tf.nn.fused_batch_norm(made[0], *row, is_training=False)[0]
    fetches.append(tf.nn.relu(tf.nn.bias_add(norm, row[0]) + added))
    biased = tf.nn.bias_add(made[0], row[1])
    norm = tf.nn.fused_batch_norm(biased, *row, epsilon=0.1, is_training=False)[0]
    fetches += [biased, tf.nn.relu(biased), norm, norm + added, tf.nn.relu(added + norm), tf.nn.relu6(biased + added)]
    # Some kernels of the library lose NaNs.
    narrow = tf.nn.conv2d(tf.tile(x, [1, 1, 1, 8]), np.ones([1, 1, 128, 16], np.float32), [1, 1, 1, 1], "SAME")
    fetches += [tf.nn.relu(tf.nn.bias_add(narrow, row[1])), tf.nn.relu(narrow + added)]
    fed = rng.normal(0, 1, [3, 8, 8, 16]).astype(np.float32)
    fed[0, 3, 3, 3] = np.nan
    # And so does the output.
    fetches = [tf.reverse(fetch, [0]) for fetch in fetches]
for fetch in fetches:
    fused, single = test_fuse.run_twice(tf, graph, [fetch], {{x: fed}})
    assert test_fuse.are_same(fused[0], single[0], True), fetch
print("right")
"""


@pytest.mark.parametrize("text", ["0", "1"])
def test_what_is_added_to_a_head_is_there_until_then(text: str) -> None:
    """A product or a convolution writes the output before the rest of its group has read."""
    folder = __file__.rpartition("/")[0]
    assert run(HEADS.format(folder=folder), **CARD, BERTH_CUDA_TEXT=text).strip() == "right"


FIXED = """
import numpy as np, berth
tf = berth.compat.v1
tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None])
n = tf.cast(tf.shape(x)[0], tf.float32)
image = tf.ones([1, 2, 2, 1])
z = tf.nn.conv2d(image, tf.reshape(tf.stack([n, 2 * n]), [1, 1, 1, 2]), [1, 1, 1, 1], "SAME")
row = tf.fill([2], n)
z = tf.nn.fused_batch_norm(z, row, row, row, row, epsilon=0.0001, is_training=False)[0]
with tf.Session() as session:
    for size in (3, 5, 9, 5):
        values = session.run(z, {x: np.zeros(size)})[0, 0, 0]
        expected = (np.array([size, 2 * size]) - size) / np.sqrt(size + 0.0001) * size + size
        assert np.allclose(values, expected, rtol=1e-5), (size, values, expected)
print("right")
"""


def test_what_depends_on_shapes_is_no_constant() -> None:
    """Plans of steps that are computed with a layout are not made for their values."""
    assert run(FIXED).strip() == "right"


PARTS = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np, berth, test_fuse
tf = berth.compat.v1
tf.disable_eager_execution()
rng = np.random.RandomState(5)
for index in range(60):
    m, k, n = (int(size) for size in rng.randint(1, 90, 3))
    turn_a, turn_b = bool(rng.randint(2)), bool(rng.randint(2))
    begin = [rng.randint(m), rng.randint(n)]
    size = [rng.randint(1, m - begin[0] + 1), rng.randint(1, n - begin[1] + 1)]
    a, b = (rng.randn(*shape).astype("f") for shape in ([k, m] if turn_a else [m, k], [n, k] if turn_b else [k, n]))
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, a.shape)
        whole = tf.matmul(x, tf.constant(b), turn_a, turn_b)
        named = tf.identity(whole) if index % 2 else whole
        part = tf.slice(named, begin, size)
        last = tf.nn.relu(tf.identity(part) + 1.0) if index % 3 else part
        fetches = [last, whole] if index % 5 == 0 else [last]
        fused, single = test_fuse.run_twice(tf, graph, fetches, {{x: a}})
    for one, other in zip(fused, single):
        assert one.tobytes() == other.tobytes(), (index, m, k, n, turn_a, turn_b, begin, size)
    full = (a.T if turn_a else a) @ (b.T if turn_b else b)
    expected = full[begin[0]:begin[0] + size[0], begin[1]:begin[1] + size[1]]
    expected = np.maximum(expected + 1, 0) if index % 3 else expected
    assert np.allclose(fused[0], expected, rtol=1e-4, atol=1e-4), index
print("right")
"""


def test_parts_of_products_are_what_the_whole_has_there() -> None:
    """A product of which only a slice is read is computed in that slice, to the same bits."""
    assert run(PARTS.format(folder=__file__.rpartition("/")[0])).strip() == "right"


OUTPUTS = """
import sys
sys.path.insert(0, {folder!r})
import os
import numpy as np, berth, test_fuse
tf = berth.compat.v1
tf.disable_eager_execution()
rng = np.random.default_rng(2)

def ways(x, y):
    "What is read twice, inside and outside of its group; in pieces of another order; kept; of several types."
    t = tf.exp(x * 0.5)
    a, b = tf.nn.relu(t * 1.5 + y), tf.tanh(t - 0.25)
    c, d = tf.square(a) + b, tf.cast(t * 4.0, tf.int32)
    e = tf.cast(d, tf.float32) * 0.5 + a
    early = tf.reverse(b, [0])
    return [c + early, tf.reduce_sum(a), e - t, tf.reverse(d * 2, [0]), tf.concat([a, b], 0), c]

def cell(state, x):
    "Both c and h of a cell leave it."
    i, j, f, o = tf.split(tf.concat([x, state[1]], 1) @ (np.ones([16, 32], np.float32) * 0.1), 4, 1)
    c = state[0] * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.tanh(c) * tf.sigmoid(o)

for shape in ([64], [300, 40], [7, 9, 33], [2000000]):
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [None] * len(shape)), tf.placeholder(tf.float32, [None])
        fetches = ways(x, y)
        feeds = {{x: rng.normal(0, 1, shape).astype(np.float32), y: rng.normal(0, 1, shape[-1:]).astype(np.float32)}}
        for chosen in (fetches, fetches[:2], fetches[4:], fetches[2:3]):
            fused, single = test_fuse.run_twice(tf, graph, chosen, feeds)
            for a, b in zip(fused, single, strict=True):
                assert a.tobytes() == b.tobytes(), shape
        metadata = tf.RunMetadata()
        os.environ["BERTH_FUSE"] = "1"
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads={threads})) as session:
            again = session.run(fetches, feeds, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
        fused, single = test_fuse.run_twice(tf, graph, fetches, feeds)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(again, single, strict=True)), shape
        nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
        # Another group or step would read t, or a, once more.
        steps = [node.timeline_label for node in nodes if "[" not in node.timeline_label]
        ops = [label.partition(" = ")[2].partition("(")[0].split("+") for label in steps]
        assert sum("Exp" in op and "Relu" in op and "Sub" in op for op in ops) == 1, steps
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [256, 256])
    towers, t = [], tf.exp(x * 0.125)
    for begin in (lambda: tf.nn.relu(t - 1.0), lambda: tf.tanh(t - 0.5), lambda: t * 0.25):
        start = begin()
        for _ in range(3):
            start = start @ (np.eye(256, dtype=np.float32) * 0.5 + 0.001)
        towers.append(start)
    for turn in range(3):
        feeds = {{x: rng.normal(0, 1, [256, 256]).astype(np.float32)}}
        fused, single = test_fuse.run_twice(tf, graph, towers, feeds)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(fused, single, strict=True))
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [10, 8])
    first = (tf.zeros([10, 8]), tf.zeros([10, 8]))
    _, (c, h) = tf.while_loop(lambda i, s: i < 7, lambda i, s: (i + 1, cell(s, x)), [0, first])
    fused, single = test_fuse.run_twice(tf, graph, [c, h], {{x: rng.normal(0, 1, [10, 8]).astype(np.float32)}})
    for a, b in zip(fused, single, strict=True):
        assert a.tobytes() == b.tobytes()
print("right")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_several_outputs(threads: str) -> None:
    """What steps behind a group read too is made by it, once."""
    folder = __file__.rpartition("/")[0]
    assert run(OUTPUTS.format(folder=folder, threads=threads)).strip() == "right"


CARD_OUTPUTS = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np, berth, test_fuse
tf = berth.compat.v1
tf.disable_eager_execution()
rng = np.random.default_rng(3)

def ways(x, y):
    "What a group makes for others is read on the card, on another one, on the host, and fetched."
    with tf.device("/gpu:0"):
        t = tf.exp(x * 0.5)
        a, b = tf.nn.relu(t * 1.5 + y), tf.tanh(t - 0.25)
        c = tf.square(a) + b
        h = tf.cast(tf.cast(t * 0.25, tf.float16) + 1.0, tf.float32) - b
    with tf.device("/cpu:0"):
        host = tf.reverse(a, [0]) * 2.0 + tf.reverse(c, [0])
    with tf.device("/gpu:1"):
        other = tf.sqrt(t) * 3.0 + b
    with tf.device("/gpu:0"):
        return [host, other, tf.reduce_sum(a), h, tf.reverse(t, [0]) + host, c]

for turn, shape in enumerate(([64], [30, 40], [7, 9, 33], [300, 1000]) * {rounds}):
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [None] * len(shape)), tf.placeholder(tf.float32, [None])
        fetches = ways(x, y)
        feeds = {{x: rng.normal(0, 1, shape).astype(np.float32), y: rng.normal(0, 1, shape[-1:]).astype(np.float32)}}
        for chosen in (fetches, fetches[:2], fetches[1:4], [fetches[turn % 6]]):
            fused, single = test_fuse.run_twice(tf, graph, chosen, feeds)
            for a, b in zip(fused, single, strict=True):
                assert a.tobytes() == b.tobytes(), (turn, shape)
print("right")
"""


@pytest.mark.parametrize("text", ["-1", "0"])
def test_several_outputs_on_cards(text: str) -> None:
    """The same on cards whose streams take their time: who reads an output waits for the group."""
    cards = {"BERTH_SIMULATE_GPUS": "NVIDIA H200*2", "CUDA_VISIBLE_DEVICES": "0,1", "BERTH_SOFTGPU_STRESS": "1",
             "TF_FORCE_GPU_ALLOW_GROWTH": "true", "NVIDIA_TF32_OVERRIDE": "0", "BERTH_CUDA_TEXT": text}
    code = CARD_OUTPUTS.format(folder=__file__.rpartition("/")[0], rounds=4)
    assert run(code, **cards).strip() == "right"
