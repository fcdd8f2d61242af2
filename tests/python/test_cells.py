"""test_cells.py - Recurrent cells that lose values at random: which, and what is said of arguments that do not fit."""

from __future__ import annotations

from typing import Any

import berth
import numpy as np
import pytest

TF = berth.compat.v1
R = TF.nn.rnn_cell

# What TensorFlow 2.21 and tf_keras give: outputs of two steps, then the state.
RECORDED: list[tuple[Any, list[float]]] = [
    (lambda tf, R, W: W(R.GRUCell(3), .5, .6, .7, seed=3), [
        0.03058, 0.0, 0.092952, 0.101, 0.0, 0.0, 0.061536, 0.0, 0.016659, 0.26523, 0.0, 0.0, 0.052745, 0.0, 0.0,
        0.22734, 0.0, -0.11287]),
    (lambda tf, R, W: W(R.LSTMCell(3), .5, .6, .7, seed=3), [
        -0.14389, 0.0, -0.14978, 0.024124, 0.0, 0.0, -0.23821, 0.0, -0.24115, 0.4021, 0.0, 0.0, -0.39239, -0.50465,
        -0.36162, 0.30504, 0.48469, 0.19162, -0.20418, -0.39793, -0.2067, 0.34466, 0.2842, 0.18064]),
    (lambda tf, R, W: W(R.LSTMCell(3), .5, .6, .7), [
        0.0, 0.0, -0.023477, 0.027323, 0.0, 0.0, 0.0, -0.28472, -0.023907, 0.12308, 0.0, -0.068853, 0.028721,
        -0.34303, -0.031802, 0.090127, 0.4795, -0.066541, 0.015471, -0.24405, -0.020491, 0.0, 0.22351, -0.059017]),
    (lambda tf, R, W: W(R.GRUCell(3), .5, .6, .7, variational_recurrent=True, input_size=4, dtype=tf.float32, seed=3), [
        0.03058, -0.0, 0.092952, 0.030074, 0.0, -0.072058, 0.061536, -0.0, 0.016659, 0.060989, 0.0, -0.18189,
        0.052745, -0.0, 0.0, 0.052276, 0.0, -0.0]),
    (lambda tf, R, W: W(R.LSTMCell(3), .5, .6, .7, variational_recurrent=True, input_size=tf.TensorShape([4]), dtype=tf.float32), [
        0.0, -0.22474, -0.023477, -0.0, 0.1069, 0.057854, 0.0, -0.28598, -0.02315, -0.0, 0.27569, 0.14034, 0.029566,
        -0.34466, -0.030777, -0.05831, 0.31562, 0.13102, 0.0, -0.24512, -0.019843, -0.0, 0.23631, 0.12029]),
    (lambda tf, R, W: W(R.MultiRNNCell([R.LSTMCell(3), R.GRUCell(2)]), state_keep_prob=.5, seed=3), [
        -0.0020693, -0.02747, 0.00019954, 0.0087264, -0.0042583, -0.082303, -0.0009017, 0.04264, -0.25334, -0.44852,
        -0.063624, 0.18197, 0.49177, 0.021088, -0.18467, -0.49238, -0.056388, 0.26181, 0.3308, 0.024659, -0.0085166,
        -0.16461, -0.0018034, 0.08528]),
    (lambda tf, R, W: W(R.LSTMCell(3), state_keep_prob=.5, seed=3, dropout_state_filter_visitor=lambda s: True), [
        -0.061812, -0.17466, -0.014687, 0.019365, 0.05858, 0.00017236, -0.029407, -0.13439, -0.016188, 0.11571,
        0.13674, 0.012208, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.058813, -0.26878, -0.032377, 0.23141, 0.27348, 0.024417]),
    (lambda tf, R, W: W(R.LSTMCell(3), state_keep_prob=.5, seed=3, dropout_state_filter_visitor=lambda s: False), [
        -0.061812, -0.17466, -0.014687, 0.019365, 0.05858, 0.00017236, -0.10266, -0.21132, -0.024353, 0.133,
        0.16557, 0.010576, -0.26731, -0.39456, -0.052872, 0.18649, 0.48214, 0.018262, -0.10266, -0.21132, -0.024353,
        0.133, 0.16557, 0.010576]),
]


@pytest.mark.parametrize('case', range(len(RECORDED)))
def test_values_that_are_lost(case: int) -> None:
    make, expected = RECORDED[case]
    with berth.Graph().as_default(), TF.Session() as session:
        TF.set_random_seed(5)
        x = TF.constant(np.linspace(-1, 1, 16).reshape(2, 2, 4).astype(np.float32))
        with TF.variable_scope('v', initializer=TF.random_uniform_initializer(-.5, .5, seed=1)):
            made = TF.nn.static_rnn(make(TF, R, R.DropoutWrapper), TF.unstack(x, axis=1), dtype=TF.float32)
        session.run(TF.global_variables_initializer())
        found = [np.ravel(value) for value in TF.nest.flatten(session.run(made))]
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=1e-4, atol=1e-6)


def test_the_same_in_every_step() -> None:
    """What is lost recurrently is lost in all steps."""
    with berth.Graph().as_default(), TF.Session() as session:
        cell = R.DropoutWrapper(R.GRUCell(8), output_keep_prob=.5, variational_recurrent=True, dtype=TF.float32, seed=1)
        outputs, _ = TF.nn.dynamic_rnn(cell, TF.ones([3, 6, 2]), dtype=TF.float32)
        session.run(TF.global_variables_initializer())
        lost = session.run(outputs) == 0
    assert lost.any() and not lost.all() and (lost == lost[:1, :1]).all()


@pytest.mark.parametrize('call, kind, text', [
    (lambda: R.DropoutWrapper(R.GRUCell(3), 2.), ValueError,
     'Parameter input_keep_prob must be between 0 and 1. Received 2.0'),
    (lambda: R.DropoutWrapper(R.GRUCell(3), dropout_state_filter_visitor=1), TypeError,
     'dropout_state_filter_visitor must be callable. Received: 1'),
    (lambda: R.DropoutWrapper(R.GRUCell(3), .5, variational_recurrent=True), ValueError,
     'When variational_recurrent=True, dtype must be provided'),
    (lambda: R.DropoutWrapper(R.GRUCell(3), .5, variational_recurrent=True, dtype=TF.float32), ValueError,
     'When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided'),
    (lambda: R.MultiRNNCell(3), TypeError, 'cells must be a list or tuple, but received: 3.')])
def test_what_does_not_fit(call: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text
