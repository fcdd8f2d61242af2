"""test_memory_plan.py - Plans of memory are what runs really take."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import berth.compat.v1 as tf

_CASES = os.path.join(os.path.dirname(__file__), 'memory_plan_cases.py')
_CPU = '/job:localhost/replica:0/task:0/device:CPU:0'


def _measured(device: str, cards: str) -> list[dict]:
    environment = dict(os.environ, BERTH_SIMULATE_GPUS=cards, TF_CPP_MIN_LOG_LEVEL='3')
    done = subprocess.run([sys.executable, _CASES, device], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize('device, cards', [('/cpu:0', ''), ('/gpu:0', 'Tesla K40c*2')])
def test_plan_is_what_a_run_takes(device: str, cards: str) -> None:
    measured = _measured(device, cards)
    assert len(measured) > 20
    for case in measured:
        assert case['exact'] and not case['unknown'], case
        assert case['plan'] == case['taken'], case
        assert all(live <= plan for live, plan in zip(case['live'], case['plan'])), case


def _network() -> tuple:
    x = tf.placeholder(tf.float32, [None, 1000], name='x')
    hidden = tf.nn.relu(tf.matmul(x, tf.Variable(tf.ones([1000, 2000]), name='w')), name='hidden')
    return x, tf.reduce_sum(hidden, 1, name='y')


def test_values_at_the_peak_have_names_and_lines() -> None:
    with tf.Graph().as_default():
        x, y = _network()
        plan = tf.Session().memory_plan(y, {x: (64, 1000)})
    first = plan.at_peak('CPU:0')[0]
    assert first.name == 'hidden:0' and first.op == 'Relu' and first.shape == (64, 2000)
    assert first.bytes == 64 * 2000 * 4 and first.dtype == 'float'
    assert first.line.startswith(__file__ + ':')
    memory = plan['CPU:0']
    assert memory.held_bytes == 1000 * 2000 * 4
    assert memory.timeline[memory.peak_step] == memory.live_bytes == max(memory.timeline)
    assert plan.peak_bytes == {_CPU: memory.peak_bytes}
    assert len(memory.timeline) == len(plan.steps)


def test_largest_batch_fits_and_one_more_does_not() -> None:
    with tf.Graph().as_default():
        x, y = _network()
        session = tf.Session()
        plan = session.memory_plan(y, {x: (None, 1000)}, batch=8)
        limit = 20 << 20
        batch = plan.largest_batch('20MiB')
        sizes = [session.memory_plan(y, {x: (n, 1000)})['CPU:0'] for n in (batch, batch + 1)]
        assert sizes[0].peak_bytes + sizes[0].held_bytes <= limit < sizes[1].peak_bytes + sizes[1].held_bytes
        assert plan.largest_batch(1000) == 0
        with pytest.raises(ValueError, match='No shape has a None'):
            session.memory_plan(y, {x: (4, 1000)}).largest_batch('1GiB')
        with pytest.raises(ValueError, match="'much' is no size"):
            plan.largest_batch('much')


def test_any_batch_fits_what_does_not_grow() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        plan = tf.Session().memory_plan(tf.shape(x), {x: (None, 3)}, batch=2)
        assert plan.largest_batch('1KiB') is None


def test_unknown_steps_are_listed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name='x')
        found = tf.boolean_mask(x, x > 0, name='found')
        plan = tf.Session().memory_plan(tf.exp(found, name='power'), {x: (10000,)})
        assert not plan.is_exact
        assert 'power' in [name for name, _, _ in plan.unknown]
        assert {why for _, _, why in plan.unknown} == {'its shape is known when it has run'}


def test_a_conditional_is_a_bound() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 100])
        p = tf.placeholder(tf.bool, [])
        y = tf.cond(p, lambda: tf.matmul(x, x, transpose_b=True), lambda: tf.exp(tf.matmul(x, x, transpose_b=True)))
        session = tf.Session()
        plan = session.memory_plan(y, {x: (200, 100), p: ()})
        assert not plan.is_exact and not plan.unknown
        from berth import _core

        for way in (True, False):
            before = _core.memory_stats('CPU:0')['bytes_in_use']
            _core.reset_memory_stats('CPU:0')
            session.run(y, {x: np.ones((200, 100)), p: way})
            assert 160000 <= _core.memory_stats('CPU:0')['peak_bytes_in_use'] - before <= plan['CPU:0'].peak_bytes


def test_mistakes_are_told() -> None:
    with tf.Graph().as_default():
        x, y = _network()
        session = tf.Session()
        with pytest.raises(tf.errors.InvalidArgumentError, match='dimension 0 of feed 0 is not known'):
            session.memory_plan(y, {x: (None, 1000)})
        with pytest.raises(tf.errors.InvalidArgumentError, match='Matrix size-incompatible'):
            session.memory_plan(y, {x: (4, 999)})
        session.close()
        with pytest.raises(RuntimeError, match='closed Session'):
            session.memory_plan(y, {x: (4, 1000)})


def test_planning_does_not_disturb_runs() -> None:
    with tf.Graph().as_default():
        x, y = _network()
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        for n in range(1, 40):
            session.memory_plan(y, {x: (n, 1000)})
        assert session.run(y, {x: np.ones((2, 1000))}).tolist() == [2000000.0, 2000000.0]


# ---- Functions ----


def test_plans_of_functions_are_what_runs_take() -> None:
    import berth as tf2
    from berth import _core

    weights = tf2.Variable(tf2.ones([1000, 2000]))

    @tf2.function
    def f(x):
        hidden = tf2.nn.relu(x @ weights, name='hidden')
        return tf2.reduce_sum(hidden, 1)

    plan = tf2.memory.plan(f, tf2.TensorSpec([None, 1000], tf2.float32), batch=640)
    assert not plan.is_exact and not plan.unknown and plan['CPU:0'].held_bytes == 8000000 - 8000000 % -256
    first = plan.at_peak('CPU:0')[0]
    assert (first.name, first.shape, first.bytes) == ('hidden:0', (640, 2000), 640 * 2000 * 4)
    assert first.line.startswith(__file__ + ':')
    x = tf2.ones([640, 1000])
    f(x)  # Knows the shapes of variables from now on.
    _core.trim_memory('CPU:0')
    before = _core.memory_stats('CPU:0')['bytes_in_use']
    _core.reset_memory_stats('CPU:0')
    f(x)
    assert _core.memory_stats('CPU:0')['peak_bytes_in_use'] - before == plan['CPU:0'].peak_bytes


def test_the_largest_batch_of_a_function() -> None:
    import berth as tf2

    weights = tf2.Variable(tf2.ones([1000, 2000]))

    @tf2.function
    def f(x):
        return tf2.reduce_sum(tf2.nn.relu(x @ weights), 1)

    traced = f.get_concrete_function(tf2.TensorSpec([None, 1000], tf2.float32))
    batch = traced.memory_plan(batch=1).largest_batch('20MiB')
    sizes = [tf2.memory.plan(f, tf2.TensorSpec([n, 1000], tf2.float32))['CPU:0'] for n in (batch, batch + 1)]
    assert sizes[0].peak_bytes + sizes[0].held_bytes <= 20 << 20 < sizes[1].peak_bytes + sizes[1].held_bytes
    with pytest.raises(ValueError, match='say batch=N'):
        traced.memory_plan()
    with pytest.raises(ValueError, match='Only the first dimension of .* may be unknown'):
        tf2.memory.plan(f, tf2.TensorSpec([None, None], tf2.float32), batch=2)
    with pytest.raises(ValueError, match='The rank of .* is not known'):
        tf2.memory.plan(f, tf2.TensorSpec(None, tf2.float32), batch=2)


def test_plans_of_functions_on_cards() -> None:
    script = '''
import berth as tf
from berth import _core
with tf.device('GPU:0'):
    weights = tf.Variable(tf.ones([1000, 2000]))

    @tf.function
    def f(x):
        weights.assign_sub(weights * 0.5)
        return tf.reduce_sum(tf.nn.relu(x @ weights), 1)

    plan = tf.memory.plan(f, tf.TensorSpec([640, 1000], tf.float32))
    f(tf.ones([640, 1000]))
    x = tf.ones([640, 1000])
    tf.memory.trim()
    _core.reset_memory_stats('GPU:0')
    before = _core.memory_stats('GPU:0')['bytes_in_use']
    f(x)
    taken = _core.memory_stats('GPU:0')['peak_bytes_in_use'] - before
    print(plan.is_exact, plan.unknown, 0 < taken <= plan['GPU:0'].peak_bytes, plan['GPU:0'].held_bytes >= 8000000)
'''
    environment = dict(os.environ, BERTH_SIMULATE_GPUS='Tesla K40c', TF_CPP_MIN_LOG_LEVEL='3',
                       TF_FORCE_GPU_ALLOW_GROWTH='true')
    done = subprocess.run([sys.executable, '-c', script], env=environment, capture_output=True, text=True)
    assert done.stdout == 'False [] True True\n', done.stdout + done.stderr
