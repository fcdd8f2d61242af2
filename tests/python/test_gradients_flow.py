"""test_gradients_flow.py - Gradients through branches and loops have TensorFlow's values; calls its texts."""

from __future__ import annotations

import json
import pathlib

import gradient_call_cases
import gradient_flow_cases
import numpy as np
import pytest

import berth as tf

DATA = pathlib.Path(__file__).parent.parent / 'data' / 'gradient_flows' / 'cases.json'
RECORDED = json.loads(DATA.read_text())
CALLS = json.loads(DATA.with_name('calls.json').read_text())


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    assert set(RECORDED) == set(gradient_flow_cases.CASES)
    assert set(CALLS) == set(gradient_call_cases.CASES)


@pytest.mark.parametrize('name', CALLS)
def test_call(name: str) -> None:
    """The same values, and the same errors."""
    assert json.loads(json.dumps(gradient_call_cases.run(tf, gradient_call_cases.CASES[name]))) == CALLS[name]


@pytest.mark.parametrize('name', RECORDED)
def test_values(name: str) -> None:
    """tf.gradients gives what TensorFlow's gives."""
    found = gradient_flow_cases.run(tf, gradient_flow_cases.CASES[name])
    assert len(found) == len(RECORDED[name])
    for value, wanted in zip(found, RECORDED[name]):
        assert (value is None) == (wanted is None)
        if value is not None:
            np.testing.assert_allclose(value, np.reshape(wanted['numbers'], wanted['shape']), 2e-5, 2e-5)
