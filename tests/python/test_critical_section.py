"""test_critical_section.py - CriticalSection: one function at a time, whatever ends it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import berth as tf

tf1 = tf.compat.v1


def counter(variable: Any) -> Any:
    """Returns a function that gives what |variable| was, and adds one."""
    def count() -> Any:
        before = variable.read_value()
        with tf.control_dependencies([before]):
            with tf.control_dependencies([variable.assign_add(1.0)]):
                return tf.identity(before)
    return count


def test_threads_see_each_value_once() -> None:
    """A count that several threads take is never the same."""
    section, variable = tf.CriticalSection(), tf.Variable(0.0)
    count = tf.function(lambda: section.execute(counter(variable)))
    seen: list[float] = []

    def work() -> None:
        for _ in range(100):
            seen.append(float(count()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(400))


def test_graph_runs_one_after_another() -> None:
    """Executions of one run; the last needs what the others give."""
    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable('v', initializer=0.0, use_resource=True)
        section = tf.CriticalSection(name='section')
        counts = [section.execute(counter(variable)) for _ in range(5)]
        last = section.execute(lambda: tf.add_n(counts) + variable)
        session.run(variable.initializer)
        assert sorted(session.run(counts)) == [0, 1, 2, 3, 4]
        assert session.run(last) == 5 + 6 + 7 + 8 + 9 + 10
        assert section.name == 'section'


def test_what_is_closed_over_comes_first() -> None:
    """A section whose function takes a value of the same section enters after it, whatever holds that up."""
    with tf.Graph().as_default(), tf1.Session() as session:
        section = tf.CriticalSection()
        queue = tf1.FIFOQueue(1, tf.float32, [[]])
        with tf.control_dependencies([queue.dequeue()]):
            first = section.execute(lambda: tf.constant(2.0))
        second = section.execute(lambda: first * 3)
        add = queue.enqueue(1.0)
        thread = threading.Thread(target=session.run, args=(add,))
        thread.start()
        assert session.run(second) == 6
        thread.join()


def test_failure_leaves_the_section() -> None:
    """What fails inside does not keep others out."""
    with tf.Graph().as_default(), tf1.Session() as session:
        section, value = tf.CriticalSection(), tf1.placeholder(tf.float32, [])
        checked = section.execute(lambda: tf.debugging.check_numerics(value, 'here'))
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match='here'):
                session.run(checked, {value: np.nan})
            assert session.run(checked, {value: 3.0}) == 3


def test_wait_ends_with_the_run() -> None:
    """A lock that is never given back ends with the run that took it; who waits for it has a deadline."""
    with tf.Graph().as_default(), tf1.Session() as session:
        mutex = tf.raw_ops.MutexV2(shared_name='held')
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            again = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([again]):
            done = tf.constant(1)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(done, options=tf1.RunOptions(timeout_in_ms=50))
        with tf.control_dependencies([tf.raw_ops.ConsumeMutexLock(mutex_lock=tf.raw_ops.MutexLock(mutex=mutex))]):
            after = tf.constant(2)
        assert session.run(after) == 2


def test_eager_lock_is_held_until_it_is_consumed() -> None:
    """A second lock waits for the first, in another thread."""
    mutex = tf.raw_ops.MutexV2(shared_name='eager')
    lock = tf.raw_ops.MutexLock(mutex=mutex)
    order: list[str] = []

    def wait() -> None:
        other = tf.raw_ops.MutexLock(mutex=mutex)
        order.append('second')
        tf.raw_ops.ConsumeMutexLock(mutex_lock=other)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(0.05)
    order.append('first')
    tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
    tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)  # Nothing is given back twice.
    thread.join()
    assert order == ['first', 'second']


def test_mistakes() -> None:
    """A section in itself, resources of two sections, what is no lock."""
    section, variable = tf.CriticalSection(), tf.Variable(0.0)
    with pytest.raises(ValueError, match='in which we are already running'):
        section.execute(lambda: section.execute(counter(variable)))
    other = tf.CriticalSection()
    assert float(section.execute(lambda: other.execute(counter(variable)))) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match='Expected input to contain a SharedLockReleaser'):
        tf.raw_ops.ConsumeMutexLock(mutex_lock=tf.raw_ops.OptionalNone())
    with tf.Graph().as_default():
        variable = tf1.get_variable('v', initializer=0.0, use_resource=True)
        tf.CriticalSection().execute(lambda: variable.assign_add(1.0))
        with pytest.raises(ValueError, match='exclusive resource access'):
            tf.CriticalSection().execute(lambda: variable.assign_add(1.0))
        tf.CriticalSection().execute(lambda: tf.constant(1.0), exclusive_resource_access=False)
