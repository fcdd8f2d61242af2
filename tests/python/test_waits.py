"""test_waits.py - What stands behind an op that waits does not run before it, whatever is between."""

from __future__ import annotations

import pytest
from script import run

CODE = """
import threading, time
import berth
tf = berth.compat.v1
tf.disable_v2_behavior()
queue = tf.FIFOQueue(4, [tf.int32], [[]])
v = tf.get_variable("v", initializer=0, use_resource={resource})
taken = queue.dequeue()

def constant():
    "TensorFlow's Python leaves the edge to the update out: the constant stands for it."
    return tf.constant(1)

def folded():
    return tf.constant(2) * tf.constant(3) - tf.constant(5)

def behind_a_gate():
    with tf.control_dependencies([tf.no_op()]):
        return tf.constant(1)

def behind_another():
    with tf.control_dependencies([tf.identity(tf.constant(3))]):
        return tf.reshape(tf.constant([1]), [])

def in_a_branch():
    return tf.cond(v.initialized_value() >= 0, lambda: tf.constant(1), lambda: tf.constant(7))

with tf.control_dependencies([taken]):
    update = tf.assign_add(v, {way}())
put, left = queue.enqueue(1), queue.size()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for turn in range(1, 4):
        runner = threading.Thread(target=lambda: session.run(update))
        runner.start()
        time.sleep(0.05)
        assert runner.is_alive() and session.run(v) == turn - 1, "it did not wait"
        session.run(put)
        runner.join()
        assert session.run([v, left]) == [turn, 0]
print("waited")
"""


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("way", ["constant", "folded", "behind_a_gate", "behind_another", "in_a_branch"])
def test_update_waits(way: str, resource: bool) -> None:
    """An update behind a dequeue is seen when something was taken, and not before."""
    assert run(CODE.format(way=way, resource=resource)) == "waited\n"
