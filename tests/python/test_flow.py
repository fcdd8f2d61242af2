"""test_flow.py - Conditionals and loops give what TensorFlow gives, however they are cut into blocks."""

from __future__ import annotations

import pathlib

import pytest
from script import run

FOLDER = pathlib.Path(__file__).parent
RECORDED = FOLDER.parent / "data" / "flow.txt"  # Lines of `random_flow.py`, from TensorFlow.
# Streams of these cards take their time, each its own.
GPUS = {"BERTH_SIMULATE_GPUS": "NVIDIA H200*2", "CUDA_VISIBLE_DEVICES": "0,1", "TF_CPP_MIN_LOG_LEVEL": "3", "BERTH_SOFTGPU_STRESS": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}

START = f"""
import os, sys, threading
sys.path.insert(0, {str(FOLDER)!r})
import berth, random_flow
tf = berth.compat.v1
tf.disable_v2_behavior()
config = tf.ConfigProto(allow_soft_placement=True)
"""

SAME = START + """
wanted = dict(line.rstrip("\\n").split(" ", 1) for line in open({recorded!r}))
for seed, texts in list(wanted.items())[{first}::4]:
    found = "|".join(random_flow.results_of(tf, int(seed), [], config))
    assert found == texts, (seed, found, texts)
print("right")
"""

DEVICES = START + """
for seed in range({first}, {first} + 25):
    results = []
    for blocks in "10":
        os.environ["BERTH_BLOCKS"] = blocks
        results.append(random_flow.results_of(tf, seed, ["/gpu:0", "/gpu:1", "/cpu:0"], config))
    assert results[0] == results[1], (seed, *results)
print("right")
"""

# One graph, many runs at once: each has frames of its own for its blocks.
THREADS = START + """
import numpy as np
with tf.Graph().as_default(), tf.Session(config=config) as session:
    n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [None])
    with tf.device({device!r}):
        def body(i, a, total):
            a = tf.cond(tf.equal(i % 3, 0), lambda: tf.abs(a) * 0.5 + 1.0, lambda: a - 1.0)
            return i + 1, a, total + tf.reduce_sum(a)
        loop = tf.while_loop(lambda i, a, t: i < n, body, [0, x, 0.0])
    def expect(count, a):
        a, total = a.copy(), np.float32(0)
        for i in range(count):
            a = np.abs(a) * np.float32(0.5) + np.float32(1) if i % 3 == 0 else a - np.float32(1)
            total += a.sum(dtype=np.float32)
        return a, total
    wrong = []
    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range({rounds}):
            count, a = int(rng.integers(0, 12)), rng.normal(size=int(rng.integers(0, 40))).astype(np.float32)
            found, wanted = session.run(loop, {{n: count, x: a}}), expect(count, a)
            if not (np.array_equal(found[1], wanted[0]) and np.allclose(found[2], wanted[1], rtol=1e-5, atol=1e-4)):
                wrong.append((count, a, found, wanted))
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert not wrong, wrong[0]
print("right")
"""

# One card goes ahead of another, which adds up what it sends: nothing may be written where it is still read.
AHEAD = START + """
import numpy as np
def place(op):
    return "/gpu:0" if op.name.endswith("_1") and "while/" in op.name else "/gpu:1"
with tf.Graph().as_default(), tf.Session(config=config) as session:
    n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [5000])
    def body(i, a, total):
        with tf.device("/gpu:1"):
            total = tf.sqrt(tf.square(tf.sqrt(tf.square(total + a))))
        with tf.device("/gpu:0"):
            return i + 1, a + 1.0, total
    with tf.device(place):
        loop = tf.while_loop(lambda i, *_: i < n, body, [0, x, tf.zeros([5000])], parallel_iterations=1)
    for _ in range(8):
        found = session.run(loop[2], {n: 25, x: np.zeros(5000, np.float32)})
        assert np.allclose(found, 300.0, rtol=1e-5), found
print("right")
"""

# What is fed is the caller's: a block neither keeps it nor hands it out.
FED = START + """
import numpy as np
with tf.Graph().as_default(), tf.Session(config=config) as session:
    taken, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [100000])
    v = tf.Variable(tf.zeros([100000]), use_resource=True)
    session.run(v.initializer)
    reshaped = tf.reshape(x, [-1, 1])
    with tf.control_dependencies([v.assign(x)]):
        y = tf.cond(taken, lambda: tf.identity(x), lambda: x * 2.0)
    fed = np.arange(100000, dtype=np.float32)
    wanted = fed.copy()
    results = session.run([y, reshaped], {taken: True, x: fed})
    fed[:] = -1
    assert np.array_equal(results[0], wanted) and np.array_equal(results[1].ravel(), wanted)
    assert np.array_equal(session.run(v), wanted)
print("right")
"""

# What touches state keeps the order that it has in the graph.
ORDER = START + """
with tf.Graph().as_default(), tf.Session(config=config) as session:
    taken = tf.placeholder(tf.bool, [])
    v = tf.Variable(1.0, use_resource=True)
    before = v.read_value() * 1.0
    changed = tf.cond(taken, lambda: v.assign_add(10.0), lambda: v.assign_add(100.0))
    after = v.read_value() * 1.0
    for way, amount in ((True, 10.0), (False, 100.0)):
        session.run(v.initializer)
        found = session.run([before, changed, after], {taken: way})
        assert found == [1.0, 1.0 + amount, 1.0 + amount], found
print("right")
"""

# A value that goes round only as long as i < 3, in a loop that goes on.
UNEVEN = START + """
with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
    raw = tf.raw_ops
    entered = [raw.Enter(data=tf.constant(n), frame_name="loop", is_constant=False, parallel_iterations=1)
               for n in (0, 100)]
    limit, three, one = [raw.Enter(data=tf.constant(n), frame_name="loop", is_constant=True, parallel_iterations=1)
                         for n in (6, 3, 1)]
    i, b = [raw.Merge(inputs=[value, value]).output for value in entered]
    goes = raw.LoopCond(input=tf.less(i, limit))
    out, inside = raw.Switch(data=i, pred=goes)
    _, b_inside = raw.Switch(data=b, pred=goes)
    _, b_kept = raw.Switch(data=b_inside + one, pred=tf.less(inside, three))
    for merge, value in ((i, inside + one), (b, b_kept)):
        end = raw.NextIteration(data=value)
        graph._core.close_loop(merge.op.node, (end.op.node, 0))
    assert session.run([raw.Exit(data=out), b_kept.op]) == [6, None]
print("right")
"""


@pytest.mark.parametrize("first", range(4))
def test_as_tensorflow(first: int) -> None:
    """Random graphs that TensorFlow has run."""
    assert run(SAME.format(recorded=str(RECORDED), first=first)).strip() == "right"


@pytest.mark.parametrize("first", [0, 100])
def test_across_devices(first: int) -> None:
    """Random graphs over three devices, in blocks and step by step."""
    assert run(DEVICES.format(first=first), **GPUS).strip() == "right"


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0"])
def test_in_threads(device: str) -> None:
    """Runs of one loop at once, with shapes that change."""
    code = THREADS.format(device=device, rounds=200 if device == "/cpu:0" else 60)
    assert run(code, **GPUS).strip() == "right"


def test_ahead_of_another() -> None:
    """What one card sends to another, round after round."""
    assert run(AHEAD, **GPUS).strip() == "right"


def test_fed_memory_stays_the_callers() -> None:
    """What a block hands on of a feed is copied."""
    assert run(FED).strip() == "right"


def test_order_of_state() -> None:
    """A read behind a conditional in the graph sees what that has changed."""
    assert run(ORDER).strip() == "right"


def test_uneven_loop() -> None:
    """A value that is dead in later iterations takes no other with it."""
    assert run(UNEVEN).strip() == "right"
