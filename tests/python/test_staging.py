"""test_staging.py - StagingArea puts tensors by: in order, on cards, with room for so many."""

from __future__ import annotations

import subprocess
import sys

import oracle
import pytest

PROGRAM = '''
import sys, threading
import numpy as np
import berth
berth.mode(1)
import berth as tf

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None])
    with tf.device(sys.argv[1]):
        area = tf.contrib.staging.StagingArea([tf.float32, tf.int32], shapes=[[None], []], capacity=2)
        put = area.put([x * 2.0, tf.cast(tf.size(x), tf.int32)])
        value, count = area.get()
        named = tf.contrib.staging.StagingArea([tf.float32], names=['a'])
        put_named = named.put({'a': x})
        taken = named.get()
        total = tf.reduce_sum(value)
    size, clear = area.size(), area.clear()
    print(put.name, put.type, value.op.name if sys.argv[1] == '/cpu:0' else 'StagingArea_get', value.shape, sorted(taken))
    with tf.Session() as session:
        assert session.run(size) == 0
        session.run(put, {x: [1.0, 2.0]})
        # As training does it: one step takes what the last one has put in.
        for i in range(5):
            found = session.run([value, count, total, put], {x: np.full(i + 1, i, np.float32)})
            wanted = [2.0, 4.0] if i == 0 else [2.0 * (i - 1)] * i
            assert found[0].tolist() == wanted and found[1] == len(wanted) and found[2] == sum(wanted), (i, found)
        session.run(put, {x: [1.0]})
        assert session.run(size) == 2
        for act, fed in ((put, {x: [1.0]}),):
            try:
                session.run(act, fed, options=tf.RunOptions(timeout_in_ms=100))
                raise SystemExit('there was room')
            except tf.errors.DeadlineExceededError:
                pass
        session.run(clear)
        assert session.run(size) == 0
        waiting = []
        thread = threading.Thread(target=lambda: waiting.append(session.run(taken)['a'].tolist()))
        thread.start()
        session.run(put_named, {x: [7.0]})
        thread.join()
        assert waiting == [[7.0]], waiting
    for wrong in (lambda: area.put([x]), lambda: area.put([x, x]), lambda: area.put({'a': x}), lambda: named.put([x])):
        try:
            session.run(wrong(), {x: [1.0]})
            print('went')
        except (ValueError, tf.errors.OpError, RuntimeError) as error:
            print(type(error).__name__)
    limited = tf.contrib.staging.StagingArea([tf.float32], memory_limit=100)
    with tf.Session() as session:
        try:
            session.run(limited.put(x), {x: [1.0]})
        except tf.errors.UnimplementedError as error:
            print('memory_limit' in str(error))
'''


def _run(program: str, device: str) -> list[str]:
    """Runs a program that takes a device, where there is a card, and returns the lines it printed."""
    environment = dict(oracle.base_environment(), BERTH_SIMULATE_GPUS='Tesla K20m', TF_CPP_MIN_LOG_LEVEL='3')
    done = subprocess.run([sys.executable, '-c', program, device], capture_output=True, text=True, env=environment,
                          check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize('device', ['/cpu:0', '/gpu:0'])
def test_staging_area(device: str) -> None:
    """Between steps, on either kind of device."""
    lines = _run(PROGRAM, device)
    assert lines[0] == "StagingArea_put Stage StagingArea_get (?,) ['a']"
    assert 'went' not in lines and lines[-1] == 'True', lines


PEEK = '''
import sys, threading
import numpy as np
import berth
berth.mode(1)
import berth as tf

with tf.device(sys.argv[1]):
    x = tf.placeholder(tf.float32, [None])
    area = tf.contrib.staging.StagingArea([tf.float32, tf.int64], names=['a', 'b'])
    put = area.put({'a': x, 'b': tf.constant([5, 6], tf.int64)})
    at = tf.placeholder(tf.int32, [])
    peek, get, size = area.peek(at), area.get(), area.size()
with tf.Session() as session:
    for i in range(3):
        session.run(put, {x: np.full(2 + i, i)})
    seen = [session.run(peek, {at: i})['a'].tolist() for i in (2, 0, 1, 0)]
    assert seen == [[2, 2, 2, 2], [0, 0], [1, 1, 1], [0, 0]], seen
    assert session.run(peek, {at: 1})['b'].tolist() == [5, 6] and session.run(size) == 3
    session.run(get)
    assert session.run(peek, {at: 0})['a'].tolist() == [1, 1, 1]
    later = threading.Thread(target=session.run, args=(put, {x: [9.0]}))
    later.start()
    assert session.run(peek, {at: 2})['a'].tolist() == [9]
    later.join()
    for options, index, kind in ((None, -1, tf.errors.InvalidArgumentError),
                                 (tf.RunOptions(timeout_in_ms=50), 7, tf.errors.DeadlineExceededError)):
        try:
            session.run(peek, {at: index}, options)
        except kind as error:
            continue
        raise AssertionError(kind)
    assert session.run(size) == 3
'''


@pytest.mark.parametrize('device', ['/cpu:0', '/gpu:0'])
def test_peek(device: str) -> None:
    """What is looked at stays; what is not there yet is waited for."""
    _run(PEEK, device)


MAPS = '''
import sys, threading
import berth
berth.mode(1)
import berth as tf
R = tf.raw_ops

with tf.device(sys.argv[1]):
    x, at = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [])
    area = dict(shared_name='m', capacity=2)
    put = R.OrderedMapStage(key=at, indices=[0, 1], values=[x * 2.0, tf.reduce_sum(x)], dtypes=[tf.float32] * 2, **area)
    take = R.OrderedMapUnstage(key=at, indices=[0, 1], dtypes=[tf.float32] * 2, **area)
    first = R.OrderedMapUnstageNoKey(indices=[0, 1], dtypes=[tf.float32] * 2, **area)
    size = R.OrderedMapSize(dtypes=[tf.float32] * 2, **area)
    found = tf.reduce_sum(take[0]) + take[1]
other = '/cpu:0' if 'gpu' in sys.argv[1] else '/gpu:0'
with tf.device(other):
    size_there = R.OrderedMapSize(dtypes=[tf.float32] * 2, **area)
with tf.Session() as session:
    soon = tf.RunOptions(timeout_in_ms=100)
    session.run(put, {at: 7, x: [1.0, 2.0]})
    session.run(put, {at: 5, x: [4.0]})
    # Each device has an area of its own.
    assert session.run([size, size_there]) == [2, 0]
    for act in (put, take):
        try:
            session.run(act, {at: 9, x: [1.0]}, soon)
            raise SystemExit('nobody waited')
        except tf.errors.DeadlineExceededError:
            pass
    assert session.run(size) == 2
    waiting = [threading.Thread(target=session.run, args=(put, {at: i, x: [float(i)]})) for i in (1, 2)]
    for thread in waiting:
        thread.start()
    assert session.run(found, {at: 7}) == 9.0
    assert session.run(first).values[0].tolist() in ([8.0], [2.0], [4.0])
    for thread in waiting:
        thread.join()
    assert session.run(size) == 2
    keys = [int(session.run(first).key) for _ in range(2)]
    assert keys == sorted(keys) and session.run(size) == 0, keys
'''


@pytest.mark.parametrize('device', ['/cpu:0', '/gpu:0'])
def test_maps(device: str) -> None:
    """Tuples under keys, on either kind of device; who waits can be given up."""
    _run(MAPS, device)
