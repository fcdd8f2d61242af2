"""test_expect.py - Shapes that only a step knows are expected, and may be others all the same."""

from __future__ import annotations

import pytest
from script import run

START = """
import numpy as np, berth
tf = berth.compat.v1
tf.disable_v2_behavior()
"""

# How many are found changes as it likes; what follows computes with the shapes, too.
CHANGING = START + """
x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
with tf.device({device!r}):
    found = tf.boolean_mask(x, x > 0)
    wide = tf.reshape(found * 2.0 + 1.0, [-1, 1]) * tf.ones([1, 3])
    total = tf.reduce_sum(wide, 0) + tf.cast(tf.size(found), tf.float32)
    both = tf.tanh(found + y) - found
rng = np.random.default_rng({seed})
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    for turn in range(60):
        length = int(rng.choice([6, 6, 6, 9]))
        values = rng.normal(size=length).astype(np.float32)
        if turn % 4:  # Mostly as many as before.
            values = np.where(np.arange(length) < 4, np.abs(values), -np.abs(values))
        few = values[values > 0]
        others = rng.normal(size=len(few)).astype(np.float32)
        sums, sides = session.run([total, both], {{x: values, y: others}})
        assert np.allclose(sums, (few * 2 + 1).sum() + len(few), rtol=1e-4), (turn, sums)
        assert np.allclose(sides, np.tanh(few + others) - few, rtol=1e-4, atol=1e-6), (turn, sides)
print("right")
"""

# Arrays whose elements have other shapes from turn to turn.
ELEMENTS = START + """
sizes = tf.placeholder(tf.int32, [None])
def body(i, array, total):
    array = array.write(i, tf.ones([sizes[i]]) * tf.cast(i + 1, tf.float32))
    return i + 1, array, total + tf.reduce_sum(array.read(i) * 2.0 + 1.0)
array = tf.TensorArray(tf.float32, tf.size(sizes), infer_shape=False, clear_after_read=False, element_shape=[None])
_, _, total = tf.while_loop(lambda i, *_: i < tf.size(sizes), body, [0, array, 0.0])
rng = np.random.default_rng(3)
with tf.Session() as session:
    for turn in range(40):
        lengths = [5] * 8 if turn % 3 else [int(n) for n in rng.integers(0, 7, 8)]
        wanted = sum(n * ((i + 1) * 2 + 1) for i, n in enumerate(lengths))
        assert session.run(total, {sizes: lengths}) == wanted, (turn, lengths)
print("right")
"""


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0"])
def test_numbers_that_change(device: str) -> None:
    """Values found in others, mostly as many as the last time."""
    cards = {"BERTH_SIMULATE_GPUS": "NVIDIA H200", "CUDA_VISIBLE_DEVICES": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    for seed in range(3):
        assert run(CHANGING.format(device=device, seed=seed), **cards).strip() == "right"


def test_elements_that_change() -> None:
    """Elements of an array in a loop."""
    assert run(ELEMENTS).strip() == "right"
