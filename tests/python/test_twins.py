"""test_twins.py - Nodes that compute the same are one step, and nothing else changes."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_twins
import berth
print(test_twins.{what}(berth.compat.v1, {arguments}))
"""
CARD = {"BERTH_SIMULATE_GPUS": "H200", "CUDA_VISIBLE_DEVICES": "0", "NVIDIA_TF32_OVERRIDE": "0"}


def call(what: str, *arguments: Any, **settings: str) -> str:
    """Calls a function of this file in a process of its own."""
    folder = __file__.rpartition("/")[0]
    return run(CODE.format(folder=folder, what=what, arguments=", ".join(map(repr, arguments))), **settings).strip()


class Builder:
    """Grows a random graph in which much is written twice, between updates of variables."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.rng = tf, random.Random(seed)
        numbers = np.random.default_rng(seed)
        fed = tf.placeholder(tf.float32, [None, 12])
        self.feeds = {fed: numbers.normal(0, 1, [12, 12]).astype("float32")}
        self.variables = [tf.Variable(numbers.normal(0, 1, [12, 12]).astype("float32"), use_resource=bool(i % 2))
                          for i in range(2)]
        self.values, self.made, self.updates = [fed], [], []
        self.uses = 0

    def ops(self) -> list[Any]:
        """Ways to make a value of two, by themselves the same each time."""
        tf, number = self.tf, self.rng.choice([0.0, -0.0, 0.5, 2.0])
        axis = self.rng.randint(0, 1)
        return [lambda a, b: a * number + b, lambda a, b: tf.exp(-tf.abs(a)), lambda a, b: tf.tanh(a) / (1.0 + b * b),
                lambda a, b: tf.matmul(a, b) * 0.1, lambda a, b: tf.reduce_mean(a, axis, keepdims=True) + b,
                lambda a, b: tf.transpose(a) - b, lambda a, b: tf.concat([a, b], 0)[6:18] * number,
                lambda a, b: tf.cast(tf.cast(a, tf.int32), tf.float32) - b, lambda a, b: tf.nn.softmax(a, axis) + b,
                lambda a, b: tf.where(tf.less(a, b), a, b), lambda a, b: tf.cumsum(a, axis) * 0.2 + b]

    def pick(self) -> Any:
        """A value, or what a variable holds here."""
        return self.rng.choice([*self.values[-6:], self.rng.choice(self.variables)])

    def update(self) -> None:
        """Changes a variable, behind what was made last or read from it."""
        before = self.rng.sample(self.values, min(2, len(self.values))) + self.updates[-1:]
        with self.tf.control_dependencies(before):
            self.updates.append(self.rng.choice(self.variables).assign_add(self.tf.tanh(self.values[-1]) * 0.1))

    def grow(self) -> None:
        """Adds a value: something new, or what was made before from the same values."""
        if self.made and self.rng.random() < 0.5:
            made, a, b, waits = self.rng.choice(self.made)
        else:
            a, b, waits = self.pick(), self.pick(), self.updates[-1:] if self.rng.random() < 0.3 else []
            made = self.rng.choice(self.ops())
            self.made.append((made, a, b, waits))
        with self.tf.control_dependencies(waits):
            self.values.append(made(a, b))
        if self.rng.random() < 0.2:
            self.update()


def run_with(tf: Any, graph: Any, fetches: Any, feeds: Any, twins: str) -> list[Any]:
    """Runs three times on a new session; returns all results."""
    os.environ["BERTH_TWINS"] = twins
    with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run([v.initializer for v in graph.get_collection("variables")])
        return [session.run(fetches, feeds) for _ in range(3)]


def count_twins(tf: Any, graph: Any, fetches: Any, feeds: Any) -> int:
    """How many nodes a trace says have no step of their own."""
    os.environ["BERTH_TWINS"] = "1"
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([v.initializer for v in graph.get_collection("variables")])
        session.run(fetches, feeds, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
    # A copy to another memory has the name of whom it is for.
    names = [node.node_name for node in nodes if "MEMCPY" not in node.timeline_label]
    assert len(set(names)) == len(names)
    return sum("[same as " in node.timeline_label for node in nodes)


def try_many(tf: Any, seed: int, device: str) -> int:
    """Random graphs give the same bits with a step for every node; returns how many nodes had none."""
    tf.disable_eager_execution()
    shared = 0
    for index in range(25):
        with tf.Graph().as_default() as graph, tf.device(device):
            builder = Builder(tf, seed * 1000 + index)
            for _ in range(builder.rng.randint(5, 30)):
                builder.grow()
            # What waits for nothing may see a variable before or after an update.
            with tf.control_dependencies([*builder.updates, *builder.values]):
                last = [v.read_value() for v in builder.variables]
            waits = builder.updates[-1:] + [builder.values[-1]]
            with tf.control_dependencies(waits):
                fetches = [*builder.values[-8:], *last, tf.constant(1.0)]
            with np.errstate(all="ignore"):
                joined, single = (run_with(tf, graph, fetches, builder.feeds, twins) for twins in "10")
            for a, b in zip(joined, single, strict=True):
                for x, y, fetch in zip(a, b, fetches, strict=True):
                    assert np.array_equal(x, y, equal_nan=True), (seed, index, fetch)
            shared += count_twins(tf, graph, fetches, builder.feeds)
    assert shared > 100
    return 25


@pytest.mark.parametrize("seed", range(3))
def test_same_bits(seed: int) -> None:
    """Between updates of both kinds of variables."""
    assert call("try_many", seed, "/cpu:0") == "25"


def test_same_bits_on_a_gpu() -> None:
    """The same on a simulated card."""
    assert call("try_many", 7, "/gpu:0", **CARD) == "25"


FLOW = """
import berth as tf
import numpy as np
x = tf.placeholder(tf.float32, [4])
p = tf.placeholder(tf.bool, [])
def branch(k):
    return lambda: tf.exp(x * k) + tf.exp(x * k) * 2.0
a = tf.cond(p, branch(1.0), branch(2.0))
b = tf.cond(p, branch(1.0), branch(2.0))
def turn(i, y):
    return i + 1, tf.tanh(y * 0.5) + tf.tanh(y * 0.5) * tf.exp(x * 1.0)
_, c = tf.while_loop(lambda i, y: i < 5, turn, [0, x])
_, d = tf.while_loop(lambda i, y: i < 5, turn, [0, a])
slopes = tf.gradients(c + d, x)[0]
with tf.Session() as session:
    for way in (True, False):
        for value in session.run([a, b, c, d, slopes], {x: np.linspace(-1, 1, 4), p: way}):
            print(value.tobytes().hex())
"""


def test_conditionals_and_loops() -> None:
    """What is written in both branches, or inside and outside of a loop, is not the same."""
    outputs = {run(FLOW, "1", BERTH_TWINS=twins, BERTH_BLOCKS=blocks) for twins in "01" for blocks in "01"}
    assert len(outputs) == 1


STATE = """
import berth as tf
import numpy as np
calls = []
def twice(a):
    calls.append(1)
    return a * 2
x = tf.placeholder(tf.float32, [2])
r, s = tf.random_uniform([1000]), tf.random_uniform([1000])
q = tf.FIFOQueue(10, tf.float32)
fill = q.enqueue_many([[1.0, 2.0, 3.0]])
first, second = q.dequeue(), q.dequeue()
m = tf.reshape(tf.range(1.0, 5.0), [2, 2]) * x
plain, turned = tf.matmul(m, m), tf.matmul(m, m, transpose_b=True)
f, g = tf.py_func(twice, [x], tf.float32), tf.py_func(twice, [x], tf.float32)
v = tf.Variable(1.0)
before = v + 1.0
with tf.control_dependencies([before]):
    up = v.assign_add(10.0)
with tf.control_dependencies([up]):
    after = v + 1.0
e = tf.random.stateless_uniform([3], [1, 2])
h = tf.random.stateless_uniform([3], [1, 2])
with tf.Session() as session:
    session.run([v.initializer, fill])
    r, s, first, second, f, g, before, after, e, h, plain, turned = session.run(
        [r, s, first, second, f, g, before, after, e, h, plain, turned], {x: [1, 2]})
    assert plain.tolist() == [[13, 36], [27, 76]] and turned.tolist() == [[17, 35], [35, 73]]
    print((r == s).any(), *sorted([first, second]), len(calls), f, g, before, after, (e == h).all())
    zero, minus = session.run([1.0 / (x * 0.0), 1.0 / (x * -0.0)], {x: [1, 2]})
    print(zero, minus)
"""


def test_what_has_state_is_done_each_time() -> None:
    """Random numbers, queues, functions of Python, variables; and zeros have signs."""
    expected = "False 1.0 2.0 2 [2. 4.] [2. 4.] 2.0 12.0 True\n[inf inf] [-inf -inf]\n"
    assert run(STATE, "1", BERTH_TWINS="1") == expected


WAITS = """
import berth as tf
import numpy as np
# Whoever waits for a node that has no step of its own waits for the one that stands for it.
for turn in range(20):
    with tf.Graph().as_default(), tf.Session() as session:
        q = tf.FIFOQueue(10, tf.float32)
        fill = q.enqueue_many([[1.0, 2.0, 3.0]])
        v = tf.Variable(0.0, use_resource=bool(turn % 2))
        taken = q.dequeue()
        one, two = tf.exp(taken * 0.5), tf.exp(taken * 0.5)
        with tf.control_dependencies([two]):
            up = v.assign_add(1.0)
        with tf.control_dependencies([two]):
            size = q.size()
        session.run([v.initializer, fill])
        got = session.run([up, size, one])
        assert got[0] == 1.0 and got[1] == 2, got
        # Those that wait for different nodes are not the same.
        x = tf.placeholder(tf.float32, [])
        early = tf.exp(x)
        with tf.control_dependencies([q.dequeue()]):
            late = tf.exp(x)
        with tf.control_dependencies([late]):
            left = q.size()
        print(*session.run([early, left], {x: 0.0}))
"""


def test_who_waits_for_a_twin() -> None:
    """Updates and looks at queues behind nodes that have no step."""
    assert run(WAITS, "1") == "1.0 1\n" * 20


LABELS = """
import berth as tf
import numpy as np
x = tf.placeholder(tf.float32, [None, 128])
a = tf.exp(x * 2.0, name='a')
b = tf.exp(x * 2.0, name='b')
c = tf.nn.relu(a + b * 3.0, name='c')
d = tf.exp(x * 3.0, name='d')
metadata = tf.RunMetadata()
with tf.Session() as session:
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    session.run([b, c, d], {x: np.ones([4, 128])}, options, metadata)
for device in metadata.step_stats.dev_stats:
    for node in device.node_stats:
        print(node.timeline_label, node.all_end_rel_nanos > 0)
print(sorted(node.name for graph in metadata.partition_graphs for node in graph.node if '/' not in node.name))
"""


def test_traces_tell() -> None:
    """Which node is computed by another, and which are one step."""
    lines = run(LABELS, "1").splitlines()
    assert "b = Exp(mul_1) [same as a] False" in lines
    assert "mul_1/y = Const() [same as mul/y] False" in lines
    assert "mul = Mul(_arg_Placeholder_0_0, mul/y) [done by c] False" in lines
    assert "c = Mul+Exp+Mul+AddV2+Relu(_arg_Placeholder_0_0, mul/y, b, mul_2/y) True" in lines
    assert "d = Mul+Exp(_arg_Placeholder_0_0, mul_3/y) True" in lines
    assert lines[-1] == str(sorted(["_arg_Placeholder_0_0", "mul", "a", "mul_1", "b", "mul_2", "add", "c", "mul_3", "d",
                                    "_retval_b_0_0", "_retval_c_0_1", "_retval_d_0_2"]))


def wrong_sums(tf: Any, seed: int) -> list:
    """Returns what stands in sums of values, some of them several times, that come out wrong."""
    dice, wrong = random.Random(seed), []
    for _ in range(40):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [2])
            made = [x * float(i + 2) for i in range(4)]
            picked = [dice.randrange(4) for _ in range(dice.randint(2, 9))]
            found = session.run(tf.add_n([made[i] for i in picked]) + 1.0, {x: [1.0, 10.0]})
        total = sum(i + 2 for i in picked)
        if list(found) != [total + 1.0, 10.0 * total + 1.0]:
            wrong.append(picked)
    return wrong


def test_inputs_that_stand_twice_are_not_overwritten_early() -> None:
    """A sum is written over an input only where no later input is the same value."""
    assert call("wrong_sums", 7) == "[]"
