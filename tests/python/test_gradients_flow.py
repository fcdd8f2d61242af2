"""test_gradients_flow.py - Gradients through branches and loops have TensorFlow's values; calls its texts."""

from __future__ import annotations

import json
import pathlib

import gradient_call_cases
import gradient_flow_cases
import gradient_second_cases
import numpy as np
import pytest
import random_gradients

import berth as tf

DATA = pathlib.Path(__file__).parent.parent / 'data' / 'gradient_flows' / 'cases.json'
RECORDED = json.loads(DATA.read_text())
RANDOM = json.loads(DATA.with_name('random.json').read_text())
CALLS = json.loads(DATA.with_name('calls.json').read_text())
SECOND = json.loads(DATA.with_name('second.json').read_text())


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    assert set(RECORDED) == set(gradient_flow_cases.CASES)
    assert set(CALLS) == set(gradient_call_cases.CASES)
    assert set(SECOND) == {f'{name} {start}' for name in gradient_second_cases.CASES
                           for start in gradient_second_cases.STARTS}


@pytest.mark.parametrize('name', CALLS)
def test_call(name: str) -> None:
    """The same values, and the same errors."""
    assert json.loads(json.dumps(gradient_call_cases.run(tf, gradient_call_cases.CASES[name]))) == CALLS[name]


@pytest.mark.parametrize('name', RECORDED)
def test_values(name: str) -> None:
    """tf.gradients gives what TensorFlow's gives, wherever slopes are computed and whatever they wait for."""
    for options in ({}, {'colocate_gradients_with_ops': True, 'gate_gradients': True, 'aggregation_method': 1}):
        found = gradient_flow_cases.run(tf, gradient_flow_cases.CASES[name], **options)
        assert len(found) == len(RECORDED[name])
        for value, wanted in zip(found, RECORDED[name]):
            assert (value is None) == (wanted is None)
            if value is not None:
                np.testing.assert_allclose(value, np.reshape(wanted['numbers'], wanted['shape']), 2e-5, 2e-5)


@pytest.mark.parametrize('seed', RANDOM)
def test_random(seed: str) -> None:
    """Programs that nobody wrote, against TensorFlow, and along a way against differences."""
    found = random_gradients.gradients(tf, int(seed))
    np.testing.assert_allclose(found, RANDOM[seed], 1e-4, 1e-5)
    slope, way = random_gradients.by_differences(tf, int(seed))
    assert abs(slope - float(np.dot(found[1:], way))) < 0.02 * (1 + abs(slope))


@pytest.mark.parametrize('inside', [True, False])
@pytest.mark.parametrize('name', SECOND)
def test_slopes_of_slopes(name: str, inside: bool) -> None:
    """A loop that goes back is gone back through, too, in a function and by tapes around one."""
    case, start = name.split(' ')
    found = gradient_second_cases.run(tf, gradient_second_cases.CASES[case], float(start), inside)
    np.testing.assert_allclose(found, SECOND[name], 1e-4, 1e-5)


def test_several_uses_in_a_loop() -> None:
    """What goes round in a loop may be used several times where it enters a turn."""
    with tf.Graph().as_default():
        x, w = tf.compat.v1.placeholder(tf.float32, []), tf.constant(3)
        raw = tf.raw_ops
        starts = [raw.Enter(data=value, frame_name='f', is_constant=False) for value in (tf.constant(0), x)]
        merges = [raw.Merge(inputs=[start, start]) for start in starts]
        limit = raw.Enter(data=w, frame_name='f', is_constant=True)
        goes_on = raw.LoopCond(input=raw.Less(x=merges[0][0], y=limit))
        switches = [raw.Switch(data=merge[0], pred=goes_on) for merge in merges]
        y = switches[1][1]
        ends = [switches[0][1] + raw.Enter(data=tf.constant(1), frame_name='f', is_constant=True), y * y + tf.sin(y)]
        for merge, end in zip(merges, ends):
            tf.compat.v1.get_default_graph()._core.close_loop(merge[0].op.node, raw.NextIteration(data=end))
        result = raw.Exit(data=switches[1][0])
        slope, = tf.compat.v1.gradients(result, x)
        unrolled = x
        for _ in range(3):
            unrolled = unrolled * unrolled + tf.sin(unrolled)
        wanted, = tf.compat.v1.gradients(unrolled, x)
        with tf.compat.v1.Session() as session:
            found = session.run([result, unrolled, slope, wanted], {x: 0.3})
    np.testing.assert_allclose(found[::2], found[1::2], 1e-5)


def test_pops_elsewhere() -> None:
    """What is popped where no loop that goes back pops it is refused."""
    raw = tf.raw_ops
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        stack = raw.StackV2(max_size=-1, elem_type=tf.float32)
        with tf.control_dependencies([raw.StackPushV2(handle=stack, elem=x)]):
            y = raw.StackPopV2(handle=stack, elem_type=tf.float32)
        with pytest.raises(TypeError, match='it cannot be differentiated'):
            tf.compat.v1.gradients(y, x)


def _train(cell: str, lengths: object) -> None:
    """Holds the gradients of a recurrent network against differences."""
    v1 = tf.compat.v1
    random = np.random.RandomState(0)
    values = random.randn(2, 4, 3).astype('float32')
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, None, 3])
        with v1.variable_scope('net', initializer=v1.random_uniform_initializer(-0.5, 0.5, seed=1)):
            y, state = v1.nn.dynamic_rnn(getattr(v1.nn.rnn_cell, cell)(2), x, dtype=tf.float32, sequence_length=lengths)
        loss = tf.reduce_sum(y * y) + tf.add_n([tf.reduce_sum(part) for part in tf.nest.flatten(state)])
        variables = v1.trainable_variables()
        slopes = v1.gradients(loss, variables)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = session.run(slopes, {x: values})
            for variable, slope in zip(variables, found):
                start, ends = session.run(variable), []
                way = random.randn(*start.shape).astype('float32')
                for step in (1e-2, -1e-2, 0):
                    variable.load(start + step * way, session)
                    ends.append(session.run(loss, {x: values}))
                assert abs((ends[0] - ends[1]) / 2e-2 - np.sum(slope * way)) < 0.02


@pytest.mark.parametrize('cell', ['BasicRNNCell', 'GRUCell', 'LSTMCell'])
def test_recurrent(cell: str) -> None:
    """dynamic_rnn trains, with lengths and without."""
    _train(cell, None)
    _train(cell, [2, 4])
