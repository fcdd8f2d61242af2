"""test_fuse_ends.py - Reductions that end a group give the bits that they give alone."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_fuse_ends
import berth
print(test_fuse_ends.bits_of(berth.compat.v1, {seed}, {threads}))
"""
COUNT = 20


class Ended:
    """A chain at random, reductions of what it makes, and others that read some of that."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.rng, self.numbers = tf, random.Random(seed), np.random.RandomState(seed)
        rng = self.rng
        self.dtype = rng.choice(["float32", "float32", "float64"])
        self.shape = rng.choice([[rng.randint(10000, 400000)], [rng.randint(1, 40), rng.randint(300, 40000)],
                                 [rng.randint(300, 5000), rng.randint(2, 300)],
                                 [rng.randint(2, 20), rng.randint(2, 60), rng.randint(20, 900)]])
        shapes = [self.shape, self.shape, self.shape[-1:]]
        self.inputs = [tf.placeholder(self.dtype, shape) for shape in shapes]
        self.arrays = [self.numbers.randn(*shape).astype(self.dtype) for shape in shapes]
        if rng.random() < 0.2:
            self.arrays[0].flat[rng.randrange(self.arrays[0].size)] = np.nan
        if rng.random() < 0.2:
            self.arrays[0][...] = -0.0

    def grown(self, x: Any) -> Any:
        """One function more."""
        tf, (_, other, row) = self.tf, self.inputs
        return self.rng.choice([lambda: x * other, lambda: tf.square(x - other), lambda: tf.nn.relu(x), lambda: x + row,
                                lambda: tf.tanh(x), lambda: x * 0.5, lambda: tf.abs(x) + 1.0, lambda: row - x,
                                lambda: tf.exp(-tf.abs(x))])()

    def reduced(self, x: Any) -> Any:
        tf = self.tf
        function = self.rng.choice([tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod])
        last = len(self.shape) - 1
        return function(x, self.rng.choice([None, -1, [*{0, last}], [*{max(last - 1, 0), last}], 0]))

    def fetches(self) -> list[Any]:
        """Values between are fetched, read before and behind the reduction, or by nobody else."""
        tf, rng, x, found, values = self.tf, self.rng, self.inputs[0], [], []
        for _ in range(rng.randint(1, 5)):
            values.append(x)
            x = self.grown(x)
            if rng.random() < 0.2:
                found.append(rng.choice([x, self.reduced(x * 2.0), tf.cumsum(x)]))
        if rng.random() < 0.4:
            found.append(tf.cumsum(rng.choice(values)))
        y = self.reduced(x)
        found.append(tf.sqrt(tf.abs(y)) * 2.0 if rng.random() < 0.5 else y)
        if rng.random() < 0.3:
            found.append(self.reduced(self.grown(x)))
        return found


def bits_of(tf: Any, seed: int, threads: int) -> str:
    found = hashlib.sha256()
    for i in range(COUNT):
        with tf.Graph().as_default():
            ended = Ended(tf, seed * COUNT + i)
            fetches = ended.fetches()
            with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as session:
                feeds = dict(zip(ended.inputs, ended.arrays))
                for _ in range(2):
                    for value in session.run(fetches, feeds):
                        found.update(value.tobytes())
    return found.hexdigest()


@pytest.mark.parametrize("seed", range(2))
def test_same_bits(seed: int) -> None:
    """One by one and as one, on one thread and several."""
    folder = __file__.rpartition("/")[0]
    found = {run(CODE.format(folder=folder, seed=seed, threads=threads), "1", BERTH_FUSE=fuse)
             for threads, fuse in ((1, "0"), (1, "1"), (2, "1"), (5, "1"))}
    assert len(found) == 1


GROUPS = """
import numpy as np
import berth.compat.v1 as tf
x, y = tf.placeholder(tf.float32, [50000]), tf.placeholder(tf.float32, [50000])
difference = x - y
loss = tf.reduce_mean(tf.square(difference))
slope = tf.gradients(loss, x)[0]
ways = {"alone": loss, "with its slope": [loss, slope], "kept": [loss, difference]}
feeds = {x: np.arange(50000), y: np.ones(50000)}
with tf.Session() as session:
    for name, fetches in ways.items():
        options, found = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        session.run(fetches, feeds, options=options, run_metadata=found)
        labels = [n.timeline_label for d in found.step_stats.dev_stats for n in d.node_stats]
        print(name, [label.split(" = ")[1].split("(")[0] for label in labels if label.startswith("Mean =")])
"""


def test_a_loss_is_one_step() -> None:
    """Also where others read a value between, behind it."""
    assert run(GROUPS, "1") == ("alone ['Sub+Square+Mean']\n" "with its slope ['Sub+Square+Mean']\n"
                                "kept ['Sub+Square+Mean']\n")
