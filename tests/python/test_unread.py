"""test_unread.py - What is only waited for is left out, and what it waits for is still waited for."""

from __future__ import annotations

import pytest
from script import run

ORDER = '''
import berth as tf
import random
rng = random.Random(3)
for turn in range(30):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(0.0, use_resource=bool(turn % 2))
        made, total = [], 0.0
        for i in range(6):
            with tf.control_dependencies(made[-1:]):
                step = v.assign_add(1.0 + i, read_value=False)
            total += 1.0 + i
            # Nothing reads these: they stand between the updates.
            with tf.control_dependencies([step]):
                x = tf.constant([1.0, 2.0]) * float(i)
                for _ in range(rng.randint(1, 4)):
                    x = rng.choice([tf.exp, tf.square, lambda y: tf.matmul(y[None], y[:, None])[0]])(x)
            made.append(x)
        with tf.control_dependencies([made[-1]]):
            last = v.read_value()
        session.run(tf.global_variables_initializer())
        assert session.run(last) == total, (session.run(last), total)
print('ok')
'''

LEFT_OUT = '''
import berth as tf
with tf.Session() as session:
    x = tf.placeholder(tf.int32, [])
    bad = tf.gather([1.0, 2.0], x)
    with tf.control_dependencies([bad]):
        y = tf.identity(3.0)
    with tf.control_dependencies([tf.ensure_shape(tf.fill([x], 1.0), [2])]):
        z = tf.identity(4.0)
    print(session.run(y, {x: 7}))
    for what in (bad, z):
        try:
            session.run(what, {x: 7})
        except tf.errors.InvalidArgumentError:
            print('refused')
'''


@pytest.mark.parametrize('skips', '01')
def test_order_stays(skips: str) -> None:
    """Updates between which only values stand that nobody reads."""
    assert run(ORDER, '1', BERTH_SKIP_UNREAD=skips) == 'ok\n'


def test_what_nobody_reads_does_not_run() -> None:
    """As in TensorFlow: an index out of range is found where it is read; checks are always done."""
    assert run(LEFT_OUT, '1') == '3.0\nrefused\nrefused\n'
