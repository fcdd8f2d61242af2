"""test_custom_gradient.py - Gradients that a program gives are used as TensorFlow uses them."""

from __future__ import annotations

import json
import pathlib

import pytest
import tape_cases

import berth as tf

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / 'data' / 'tapes' / 'custom.json').read_text())


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    assert set(RECORDED) == set(tape_cases.CUSTOM)


@pytest.mark.parametrize('name', RECORDED)
def test_case(name: str) -> None:
    """The same values, and the same errors."""
    assert tape_cases.run(tf, tape_cases.CUSTOM[name]) == RECORDED[name]
