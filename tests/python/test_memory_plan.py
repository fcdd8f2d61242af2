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
