"""test_views.py - Groups on cards that read parts of values where they lie give the bits of single steps.

By itself it tries them on the machine's own card:  BERTH_CUDA_TEXT=1 python tests/python/test_views.py
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
from script import run
from test_fuse import are_same, run_twice

FOLDER = __file__.rpartition("/")[0]
CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_views
import berth
print(test_views.{call})
"""
CARD = {"BERTH_SIMULATE_GPUS": "H200", "CUDA_VISIBLE_DEVICES": "0", "NVIDIA_TF32_OVERRIDE": "0"}


class Cutter:
    """Grows a random graph in which values are cut into parts that functions of elements read."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.rng, self.numbers = tf, random.Random(seed), np.random.default_rng(seed)
        self.dtype = tf.as_dtype(self.rng.choice(["float32"] * 4 + ["float16", "bfloat16"]))
        self.feeds: dict[Any, Any] = {}
        self.fetches: list[Any] = []

    def numbers_of(self, shape: list[int]) -> Any:
        """Numbers, among them some that are none."""
        values = self.numbers.normal(0, 2, shape)
        if self.rng.random() < 0.3 and values.size > 3:
            values.flat[self.rng.randrange(values.size)] = self.rng.choice([np.nan, np.inf, -0.0])
        return values.astype(self.dtype.as_numpy_dtype)

    def source(self, shape: list[int]) -> Any:
        """A constant or what is fed."""
        values = self.numbers_of(shape)
        if self.rng.random() < 0.3:
            return self.tf.constant(values, self.dtype)
        fed = self.tf.placeholder(self.dtype, shape)
        self.feeds[fed] = values
        return fed

    def applied(self, value: Any, others: list[Any]) -> Any:
        """A function of |value|, perhaps with a row, a number, or one of |others|, of its shape."""
        tf, kind = self.tf, self.rng.random()
        if kind < 0.35:
            return self.rng.choice([tf.sigmoid, tf.tanh, tf.nn.relu, tf.negative, tf.square, tf.exp])(value)
        if kind < 0.5 and value.shape.rank > 1:
            return tf.nn.bias_add(value, self.source([int(value.shape[-1])]))
        if kind < 0.6:
            return tf.reshape(-tf.reshape(value, [-1]), value.shape) if kind < 0.55 else tf.identity(value)
        shape = value.shape.as_list()
        other = self.source(self.rng.choice([[], shape, shape[-1:]])) if kind < 0.75 or not others else self.rng.choice(others)
        pair = (value, other) if self.rng.random() < 0.5 else (other, value)
        return self.rng.choice([tf.add, tf.subtract, tf.multiply, tf.maximum])(*pair)

    def whole(self) -> Any:
        """What is to be cut: fed, or a product, and some functions behind it."""
        shape = [self.rng.choice([1, 2, 4, 6, 12]) for _ in range(self.rng.randint(1, 3))]
        shape[-1] *= self.rng.choice([1, 4, 8])
        if self.rng.random() < 0.15:
            shape = self.rng.choice([[3000, 24], [96, 1200], [700, 400], [3, 100, 1200]])
        value = self.source(shape)
        if len(shape) == 2 and self.rng.random() < 0.6:
            value = self.tf.matmul(self.source([shape[0], 5]), self.source([5, shape[1]]))
        for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3])):
            value = self.applied(value, [])
        return value

    def parts(self, value: Any) -> list[Any]:
        """Parts of |value|."""
        tf, shape = self.tf, value.shape.as_list()
        axis, kind = self.rng.randrange(len(shape)), self.rng.random()
        size = shape[axis]
        if kind < 0.4:
            counts = [count for count in (1, 2, 3, 4) if size % count == 0]
            return tf.split(value, counts[-1], axis)
        if kind < 0.55 and size > 2:
            return tf.split(value, [size // 3, size // 3, size - 2 * (size // 3)], axis)
        if kind < 0.7 and size <= 12:
            return tf.unstack(value, axis=axis)
        made = []
        for _ in range(self.rng.randint(1, 3)):
            begin = [self.rng.randrange(length) if self.rng.random() < 0.5 else 0 for length in shape]
            count = [self.rng.randint(1, length - first) for length, first in zip(shape, begin)]
            if self.rng.random() < 0.5:
                count = [length - first for length, first in zip(shape, begin)]
            if kind < 0.85:
                made.append(tf.slice(value, begin, count))
            else:
                steps = [self.rng.choice([1, 1, 2]) for _ in shape]
                made.append(value[tuple(slice(first, first + length, step)
                                        for first, length, step in zip(begin, count, steps))])
        return made

    def grow(self) -> None:
        """Cuts a value and reads the parts; fetches some of what comes of them."""
        whole = self.whole()
        pool = list(self.parts(whole))
        if self.rng.random() < 0.25:
            pool += self.parts(whole)
        made = []
        for _ in range(self.rng.randint(1, 2 * len(pool) + 2)):
            value = self.rng.choice(pool if self.rng.random() < 0.7 or not made else made)
            likes = [other for other in [*pool, *made] if other.shape.as_list() == value.shape.as_list()]
            value = self.applied(value, likes)
            if self.rng.random() < 0.2:
                # What is not read element by element ends a group, and begins another.
                value = self.tf.reverse(value, [0]) if value.shape.rank else value
            made.append(value)
        self.fetches += self.rng.sample(made, min(len(made), self.rng.choice([1, 2, 4])))
        if self.rng.random() < 0.2:
            self.fetches.append(self.rng.choice([whole, *pool]))


def try_many(tf: Any, seed: int, count: int, device: str = "/gpu:0") -> int:
    """Random graphs; returns how many were right."""
    tf.disable_eager_execution()
    for index in range(seed * count, seed * count + count):
        with tf.Graph().as_default() as graph, tf.device(device):
            cutter = Cutter(tf, index)
            for _ in range(cutter.rng.choice([1, 1, 2])):
                cutter.grow()
            with np.errstate(all="ignore"):
                fused, single = run_twice(tf, graph, cutter.fetches, cutter.feeds)
            for a, b, fetch in zip(fused, single, cutter.fetches, strict=True):
                assert are_same(a, b, False), (index, fetch)
    return count


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("text", ["-1", "1"])
def test_same_bits(seed: int, text: str) -> None:
    """Whatever is cut, however, and read by whom."""
    code = CODE.format(folder=FOLDER, call=f"try_many(berth.compat.v1, {seed}, 60)")
    assert run(code, **CARD, BERTH_CUDA_TEXT=text).strip() == "60"


MIXED = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np, berth
from test_fuse import run_twice
tf = berth.compat.v1
tf.disable_eager_execution()
rng = np.random.default_rng(4)
with tf.Graph().as_default() as graph, tf.device("/gpu:0"):
    x, b = tf.placeholder(tf.float32, [600, 1000]), tf.placeholder(tf.float32, [1000])
    fetches = []
    for whole in (x, tf.nn.bias_add(x, b), tf.nn.bias_add(tf.square(x), b)):
        narrow, wide = tf.split(whole, [10, 990], 1)
        top, rest = tf.split(whole, [2, 598], 0)
        fetches += [tf.reverse(tf.tanh(narrow) * 2.0 - 1.0, [0]), tf.reverse(tf.sigmoid(wide) * 2.0 - 1.0, [0])]
        fetches += [tf.reverse(tf.nn.relu(top) * 0.5 + 1.0, [0]), tf.reverse(tf.square(rest) * 3.0 + 0.5, [0])]
    # A part gets another name behind its first reader.
    part = tf.split(tf.tanh(x[:20, :40]), 2, 1)[0]
    fetches.append(tf.reverse(tf.nn.relu(part) + 1.0, [0]))
    fetches.append(tf.reverse(tf.reshape(part, [40, 10]) * 2.0 - 1.0, [0]))
    feeds = {{x: rng.normal(0, 1, [600, 1000]), b: rng.normal(0, 1, [1000])}}
for chosen in (fetches, fetches[:2], fetches[4:6], fetches[6:8], fetches[1::2], fetches[::2], fetches[-2:]):
    fused, single = run_twice(tf, graph, chosen, feeds)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(fused, single, strict=True))
print("right")
"""


@pytest.mark.parametrize("text", ["-1", "1"])
def test_what_one_reader_cannot_see_is_made_for_all(text: str) -> None:
    """Where no text can be had large parts are not copied one by one: the split runs, for small ones too."""
    assert run(MIXED.format(folder=FOLDER), **CARD, BERTH_CUDA_TEXT=text).strip() == "right"


LATE = """
import numpy as np, berth
tf = berth.compat.v1
tf.disable_eager_execution()
with tf.device("/gpu:0"):
    x = tf.placeholder(tf.float32, [6, 8])
    v = tf.Variable(np.ones([4], np.float32), use_resource=True, shape=tf.TensorShape(None))
    fed = tf.placeholder(tf.float32, None)
    change = v.assign(fed)
    a, b, c, d = tf.split(tf.nn.bias_add(tf.abs(x), tf.constant(np.arange(8, dtype="f"))), 4, 1)
    first = tf.reverse(a * 2.0 - 1.0, [0])
    begun, other = tf.square(b) + 0.5, tf.reshape(d, [12]) * 4.0
    named = tf.reshape(c, [4, 3])
    with tf.control_dependencies([named, other, begun]):
        read = v.read_value()
    z = tf.nn.relu(begun - tf.reduce_sum(read))
    w = tf.reverse(tf.square(b) + c, [0])
    late = tf.reverse(tf.concat([tf.reshape(other - 1.0, [6, 2]), tf.reshape(-named, [6, 2]) * 3.0], 1), [1])
def expected(x, r):
    e = np.abs(x) + np.arange(8, dtype="f")
    a, b, c, d = np.split(e, 4, 1)
    h = np.float32(0.5)
    end = np.concatenate([d * 4 - 1, -c * 3], 1)[:, ::-1]
    return {{first: (a * 2 - 1)[::-1], z: np.maximum(b * b + h - r.sum(), 0), w: (b * b + c)[::-1], late: end}}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(5)
    for turn, shape in enumerate(([4], [4], [2, 4], [1], [3, 1], [4]) * 2):
        r, e = rng.integers(0, 4, shape).astype("f"), rng.integers(-3, 4, [6, 8]).astype("f")
        right = expected(e, r)
        for fetches in ([z], [first, z], [late, z, first, w], [w, z], [late, z]):
            session.run(change, {{fed: r}})
            for fetch, value in zip(fetches, session.run(fetches, {{x: e}}), strict=True):
                assert np.array_equal(value, right[fetch]), (turn, fetches, fetch)
            session.run(change, {{fed: np.ones([4], np.float32)}})
            session.run(fetches, {{x: e}})
print("right")
"""


@pytest.mark.parametrize("text", ["0", "1"])
def test_a_variable_changes_its_shape_between_readers(text: str) -> None:
    """What several groups would have done of a split is caught up with, by each when it is late."""
    assert run(LATE.format(), **CARD, BERTH_CUDA_TEXT=text).strip() == "right"


# ---- Cells of recurrent networks ----


def lstm(tf: Any, state: Any, x: Any, weights: list[Any]) -> Any:
    """A cell whose four parts one group reads."""
    c, h = state
    i, j, f, o = tf.split(tf.nn.bias_add(tf.concat([x, h], 1) @ weights[0], weights[1]), 4, 1)
    c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.tanh(c) * tf.sigmoid(o)


def kept(tf: Any, state: Any, x: Any, weights: list[Any]) -> Any:
    """The same, all of whose gates leave it, as where it is trained."""
    c, h = state
    i, j, f, o = tf.split(tf.nn.bias_add(tf.concat([x, h], 1) @ weights[0], weights[1]), 4, 1)
    gates = [tf.sigmoid(f + 1.0), tf.sigmoid(i), tf.tanh(j), tf.sigmoid(o)]
    c = c * gates[0] + gates[1] * gates[2]
    wave = tf.tanh(c)
    h = wave * gates[3]
    return c + tf.reverse(gates[0] + gates[2], [0]), h + tf.reverse(gates[1] * wave - gates[3], [0])


def gru(tf: Any, state: Any, x: Any, weights: list[Any]) -> Any:
    """A cell whose two parts two groups read, of which the second begins with a product."""
    c, h = state
    r, u = tf.split(tf.sigmoid(tf.nn.bias_add(tf.concat([x, h], 1) @ weights[0][:, 16:], weights[1][16:])), 2, 1)
    new = tf.tanh(tf.nn.bias_add(tf.concat([x, r * h], 1) @ weights[0][:, :8], weights[1][:8]))
    return c * 0.5, u * h + (1.0 - u) * new


def cells(tf: Any, cell: Any, turns: int) -> tuple[Any, Any]:
    """The graph of a loop of |turns| over |cell|, with weights by resource; fetches and what is fed."""
    rng = np.random.default_rng(1)
    weights = [tf.Variable(rng.normal(0, 0.3, shape).astype("f"), use_resource=True) for shape in ([16, 32], [32])]
    x = tf.placeholder(tf.float32, [None, 8])
    first = (x * 0.5, x * 0.25)
    if turns == 0:
        return cell(tf, first, x, weights), x
    end = tf.while_loop(lambda i, s: i < turns, lambda i, s: (i + 1, cell(tf, s, x, weights)), [0, first])
    return end[1], x


def try_cells(tf: Any, device: str = "/gpu:0") -> str:
    """Cells alone and in loops, before and behind a change of their weights and of the batch."""
    tf.disable_eager_execution()
    rng = np.random.default_rng(2)
    for cell in (lstm, kept, gru):
        for turns in (0, 1, 5):
            with tf.Graph().as_default() as graph, tf.device(device):
                fetches, x = cells(tf, cell, turns)
                with tf.device("/cpu:0"):
                    changes = [v.assign(v * 0.5) for v in tf.global_variables()]
                results = {}
                for fuse in "10":
                    os.environ["BERTH_FUSE"] = fuse
                    with tf.Session(graph=graph) as session:
                        session.run(tf.global_variables_initializer())
                        rng = np.random.default_rng(2)
                        made = []
                        for size in (4, 4, 3, 9, 4):
                            made += session.run(fetches, {x: rng.normal(0, 1, [size, 8])})
                            session.run(changes)
                        results[fuse] = [value.tobytes() for value in made]
                assert results["1"] == results["0"], (cell, turns)
    return "right"


@pytest.mark.parametrize("text", ["-1", "0", "1"])
def test_cells_of_recurrent_networks(text: str) -> None:
    """LSTM and GRU, whose parts are read by one group and by two."""
    code = CODE.format(folder=FOLDER, call="try_cells(berth.compat.v1)")
    slow = {"BERTH_SOFTGPU_STRESS": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}
    assert run(code, **CARD, **slow, BERTH_CUDA_TEXT=text).strip() == "right"


def run_traced(tf: Any, graph: Any, fetches: Any, feeds: Any) -> list[str]:
    """Runs, and returns the ops of steps, those that are done as one joined by "+"."""
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        if tf.global_variables():
            session.run(tf.global_variables_initializer())
        session.run(fetches, feeds, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
    labels = [node.timeline_label for node in nodes if "[" not in node.timeline_label]
    return [label.partition(" = ")[2].partition("(")[0] for label in labels]


def try_steps(tf: Any) -> str:
    """Neither the bias nor the split of a cell is a step of its own."""
    tf.disable_eager_execution()
    for cell, products in ((lstm, 1), (kept, 1), (gru, 2)):
        with tf.Graph().as_default() as graph, tf.device("/gpu:0"):
            fetches, x = cells(tf, cell, 0)
            steps = run_traced(tf, graph, tf.concat(fetches, 0), {x: np.ones([4, 8], np.float32)})
        assert sum("MatMul" in step for step in steps) == products, steps
        for op in ("BiasAdd", "Split", "Sigmoid"):
            assert not any(step == op for step in steps), (op, steps)
        assert any("Split" in step.split("+") for step in steps), steps
        assert sum("Split" in step for step in steps) == products, steps
    # A large value does not stay for what little is read of it, nor do two for their sum.
    with tf.Graph().as_default() as graph, tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [600, 1000])
        little = tf.reverse(tf.tanh(tf.slice(tf.reverse(x, [0]), [0, 0], [50, 1000])) * 2.0, [0])
        glued = [tf.square(part) * 2.0 for part in tf.split(tf.reverse(x, [1]) + tf.reverse(x, [0]), 2, 0)]
        steps = run_traced(tf, graph, [little, tf.concat(glued, 0)], {x: np.ones([600, 1000], np.float32)})
    assert "Slice" in steps and any(step in ("Add", "AddV2") for step in steps), steps
    return "right"


def test_what_is_cut_is_no_step() -> None:
    """The split, and what stands between the product and it, are done by who reads the parts."""
    assert run(CODE.format(folder=FOLDER, call="try_steps(berth.compat.v1)"), **CARD, BERTH_CUDA_TEXT="1").strip() == "right"


def main() -> None:
    """All of it on a real card, where texts are compiled."""
    import time

    import berth

    tf = berth.compat.v1
    for name, call in (("steps", lambda: try_steps(tf)), ("cells", lambda: try_cells(tf)),
                       ("mixed", lambda: exec(MIXED.format(folder=FOLDER), {})), ("late", lambda: exec(LATE.format(), {})),
                       ("random", lambda: try_many(tf, 0, 150))):
        started = time.perf_counter()
        print(name, call(), f"{time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
