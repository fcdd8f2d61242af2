"""test_heirs.py - Values that go round a loop in one place are what they would be in many."""

from __future__ import annotations

import pytest
from script import run

SUMS = '''
import numpy as np, berth as tf
x = tf.constant(np.arange(6.0, dtype="f").reshape(2, 3))
n = tf.placeholder(tf.int32, [])

def body(i, total, product, before):
    # What was before is read again behind what changes it.
    grown = total + x
    return i + 1, grown, product * 2.0 + total, tf.where(tf.equal(i, 3), total, before)

zeros = tf.zeros([2, 3])
loop = tf.while_loop(lambda i, *_: i < n, body, [0, zeros, zeros, zeros - 1.0])
with tf.Session() as session:
    for count in (0, 1, 2, 5, 9, 5):
        i, total, product, before = session.run(loop, {n: count})
        t, p, b = np.zeros([2, 3], "f"), np.zeros([2, 3], "f"), np.full([2, 3], -1.0, "f")
        for k in range(count):
            t, p, b = t + session.run(x), p * 2 + t, (t if k == 3 else b)
        assert np.array_equal(total, t) and np.array_equal(product, p) and np.array_equal(before, b), count
print("right")
'''

STACKED = '''
import numpy as np, berth as tf
w = tf.Variable(np.eye(4, dtype="f") * 0.5)
x = tf.constant(np.arange(12.0, dtype="f").reshape(3, 4) / 10)

def body(i, h, seen):
    h = tf.tanh(tf.matmul(h, w) + x)
    return i + 1, h, seen.write(i, h)

_, h, seen = tf.while_loop(lambda i, *_: i < 6, body, [0, tf.zeros([3, 4]), tf.TensorArray(tf.float32, 6)])
stacked = seen.stack()
loss = tf.reduce_sum(tf.square(h)) + tf.reduce_sum(stacked)
slope = tf.gradients(loss, [w, x])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in session.run([loss, *slope, stacked]) * 2:
        print(repr(np.asarray(value).tobytes()))
'''

KEPT = '''
import numpy as np, berth as tf
kept, copies = [], []

def keep(x):
    kept.append(x)
    copies.append(x.copy())
    made = x + 1.0
    kept.append(made)
    copies.append(made.copy())
    return made

def body(i, x, y):
    z = tf.py_func(keep, [x + 1.0], tf.float32)
    z.set_shape([4])
    return i + 1, z * 2.0, y + z

loop = tf.while_loop(lambda i, *_: i < 5, body, [0, tf.zeros([4]), tf.zeros([4])])
with tf.Session() as session:
    x, y = session.run(loop)[1:]
for one, other in zip(kept, copies):
    assert np.array_equal(one, other)
expected, total = np.zeros(4), np.zeros(4)
for _ in range(5):
    total = total + expected + 2
    expected = (expected + 2) * 2
assert np.array_equal(x, expected) and np.array_equal(y, total), (x, y)
print("right")
'''


def test_sums_in_loops() -> None:
    """Sums, and what still reads them when they change."""
    assert run(SUMS).strip() == "right"


def test_what_is_stacked_stays() -> None:
    """Values that stacks and arrays hold are not written over; blocks or none, fused or not, to the bit."""
    whole = run(STACKED)
    assert run(STACKED, BERTH_BLOCKS="0") == whole
    assert run(STACKED, BERTH_FUSE="0") == whole


@pytest.mark.parametrize("blocks", ["0", "1"])
def test_what_python_holds_stays(blocks: str) -> None:
    """Arrays of functions of Python are theirs."""
    assert run(KEPT, BERTH_BLOCKS=blocks).strip() == "right"
