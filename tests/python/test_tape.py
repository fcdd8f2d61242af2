"""test_tape.py - tf.GradientTape does what TensorFlow's does."""

from __future__ import annotations

import json
import pathlib

import pytest
import tape_cases

import berth as tf

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / 'data' / 'tapes' / 'tape.json').read_text())


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    assert set(RECORDED) == set(tape_cases.TAPE)


@pytest.mark.parametrize('name', RECORDED)
def test_case(name: str) -> None:
    """The same values, and the same errors."""
    assert tape_cases.run(tf, tape_cases.TAPE[name]) == RECORDED[name]
