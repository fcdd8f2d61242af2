"""test_hogwild.py - Several threads train one model at once: nothing is lost, nothing hangs, nothing is copied."""

from __future__ import annotations

import pytest
from script import run

# Whole numbers add up to the same whatever the order.
SPARSE_AND_DENSE = '''
import threading
import numpy as np, berth as tf
threads, steps, rows = 6, 150, 40
with tf.Graph().as_default():
    table = tf.get_variable('table', [rows, 8], initializer=tf.zeros_initializer(), use_resource={resource})
    dense = tf.get_variable('dense', [8], initializer=tf.zeros_initializer(), use_resource={resource})
    ids = tf.placeholder(tf.int32, [None])
    # Slopes are ones, for each time that a row is looked up, and for all of |dense|.
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids)) + tf.reduce_sum(dense)
    optimizer = tf.train.{optimizer}
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(loss, global_step=step)
    config = tf.ConfigProto(intra_op_parallelism_threads=1)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        wrong, expected = [], np.zeros([rows, 8])
        dice = np.random.RandomState(3)
        batches = [[dice.randint(0, rows, 5) for _ in range(steps)] for _ in range(threads)]

        def work(mine):
            try:
                call = session.make_callable(train, [ids])
                for batch in mine:
                    call(batch)
            except Exception as error:
                wrong.append(repr(error))

        crowd = [threading.Thread(target=work, args=(mine,)) for mine in batches]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join(300)
            assert not thread.is_alive(), 'a thread hangs'
        assert not wrong, wrong
        for mine in batches:
            for batch in mine:
                np.subtract.at(expected, batch, 1.0)
        found = session.run([table, dense, step])
assert np.array_equal(found[0], expected), np.abs(found[0] - expected).max()
{dense_check}
print('right')
'''

SEVERAL_SESSIONS = '''
import threading
import numpy as np, berth as tf
weights = tf.Variable(np.zeros([64], 'f'))
calls = 200

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weights * x)
    weights.assign_sub(tape.gradient(loss, weights))
    return loss

step(tf.ones([64]))
start = weights.numpy()
def work():
    for _ in range(calls):
        step(tf.ones([64]))
crowd = [threading.Thread(target=work) for _ in range(5)]
for thread in crowd:
    thread.start()
for thread in crowd:
    thread.join(300)
    assert not thread.is_alive(), 'a thread hangs'
assert np.array_equal(weights.numpy(), start - 5 * calls), weights.numpy()[0]
print('right')
'''

MEMORY = '''
import resource, threading
import numpy as np, berth as tf
megabytes, threads, calls = 64, 8, 1000
table = tf.get_variable('table', [megabytes << 12, 64], initializer=tf.zeros_initializer(), use_resource={resource})
ids = tf.placeholder(tf.int32, [None])
loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    call = session.make_callable(train, [ids])
    call([1, 2])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    def work(number):
        for i in range(calls):
            call([number, 100 + i % 100])
    crowd = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join(300)
        assert not thread.is_alive()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rows = session.run(tf.gather(table, [0, 1, 2, 3, 150]))[:, 0]
    times = calls // 100
assert list(rows) == [-calls, -calls - 1, -calls - 1, -calls, -threads * times], rows
assert grown < megabytes / 2, f'{{grown}} MB more for a table of {{megabytes}} MB'
print('right')
'''

DENSE = "assert np.array_equal(found[1], np.full([8], -float(threads * steps))) and found[2] == threads * steps, found[1:]"


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("locking", [False, True])
def test_descent(resource: bool, locking: bool) -> None:
    """Gradient descent on rows and on whole variables: each step counts once, for both kinds of variables."""
    code = SPARSE_AND_DENSE.format(resource=resource, dense_check=DENSE,
                                   optimizer=f"GradientDescentOptimizer(1.0, use_locking={locking})")
    assert run(code).strip() == "right"


def test_functions() -> None:
    """The same by functions of TF2."""
    assert run(SEVERAL_SESSIONS, "2").strip() == "right"


@pytest.mark.parametrize("resource", [False, True])
def test_rows_are_changed_in_place(resource: bool) -> None:
    """Steps that change a few rows beside each other make no copy of the table."""
    assert run(MEMORY.format(resource=resource)).strip() == "right"
