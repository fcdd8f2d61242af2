"""test_streams.py - What cards and the host make for one another in loops stays until it was used."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from script import run

# Streams of these cards take their time, each its own.
GPUS = {'BERTH_SIMULATE_GPUS': 'NVIDIA H200*2', 'CUDA_VISIBLE_DEVICES': '0,1', 'TF_CPP_MIN_LOG_LEVEL': '3',
        'BERTH_SOFTGPU_STRESS': '1', 'TF_FORCE_GPU_ALLOW_GROWTH': 'true'}
STEPS = 20


def host_value_loop(tf, size):
    """A loop whose card adds what the host has made in the same iteration."""
    x = tf.placeholder(tf.float32, [size])

    def body(i, total):
        with tf.device('/cpu:0'):
            value = x * tf.cast(i, tf.float32) + 1.0
        with tf.device('/gpu:0'):
            for _ in range(4):
                total = tf.tanh(total) * 0.0 + total
            return i + 1, total * 0.5 + value

    with tf.device('/gpu:0'):
        begin = tf.zeros([size])
    return x, tf.while_loop(lambda i, total: i < STEPS, body, [0, begin])[1]


def peer_loop(tf, size):
    """A loop in which each card takes what the other has made, under another name."""
    x = tf.placeholder(tf.float32, [size])

    def body(i, near, far):
        with tf.device('/gpu:1'):
            taken = tf.reshape(tf.identity(far), [1, size])
        with tf.device('/gpu:0'):
            near = near * 0.5 + tf.reshape(taken, [size])
            handed = tf.reshape(tf.identity(near), [size, 1])
        with tf.device('/gpu:1'):
            far = far * 0.25 + tf.reshape(handed, [size])
        return i + 1, near, far

    with tf.device('/gpu:0'):
        near = x * 1.0
    with tf.device('/gpu:1'):
        far = x * 2.0
    return x, tf.while_loop(lambda i, near, far: i < STEPS, body, [0, near, far])[2]


def state_loop(tf, size):
    """A loop whose card reads a variable, changes it, and only then uses what it has read."""
    x = tf.placeholder(tf.float32, [size])
    with tf.device('/gpu:0'):
        counts = tf.get_local_variable('counts', initializer=np.zeros(size, np.float32), use_resource=True)

    def body(i, total):
        with tf.device('/gpu:0'):
            before = counts.read_value()
            with tf.control_dependencies([before, total]):
                changed = counts.assign_add(x, read_value=False)
            with tf.control_dependencies([changed]):
                after = counts.read_value()
            return i + 1, total * 0.5 + before * 0.25 + after * 0.125

    with tf.device('/gpu:0'), tf.control_dependencies([counts.assign(tf.zeros([size]))]):
        begin = tf.zeros([size])
    return x, tf.while_loop(lambda i, total: i < STEPS, body, [0, begin], parallel_iterations=1)[1]


def state_by_numpy(values):
    count, total = np.zeros_like(values), np.zeros_like(values)
    for _ in range(STEPS):
        before, count = count, count + values
        total = total * np.float32(0.5) + before * np.float32(0.25) + count * np.float32(0.125)
    return total


def host_value_by_numpy(values):
    total = np.zeros_like(values)
    for i in range(STEPS):
        total = total * np.float32(0.5) + (values * np.float32(i) + np.float32(1.0))
    return total


def peer_by_numpy(values):
    near, far = values, values * np.float32(2.0)
    for _ in range(STEPS):
        near = near * np.float32(0.5) + far
        far = far * np.float32(0.25) + near
    return far


LOOPS = {'host_value': (host_value_loop, host_value_by_numpy), 'peer': (peer_loop, peer_by_numpy),
         'state': (state_loop, state_by_numpy)}


def errors_of(name: str, size: int, runs: int) -> list[float]:
    """Runs a loop many times and returns how far it is off."""
    import berth

    tf = berth.compat.v1
    tf.disable_v2_behavior()
    build, expected = LOOPS[name]
    x, result = build(tf, size)
    values = np.arange(size, dtype=np.float32) / size
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        return [float(np.abs(session.run(result, {x: values}) - expected(values)).max()) for _ in range(runs)]


@pytest.mark.parametrize('size', [4, 3000])
@pytest.mark.parametrize('name', LOOPS)
def test_loop(name: str, size: int) -> None:
    """Every run gives what numpy gives."""
    text = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_streams
print(max(test_streams.errors_of({name!r}, {size}, 20)) < 1e-4)
"""
    assert run(text, **GPUS) == 'True\n'
