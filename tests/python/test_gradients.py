"""test_gradients.py - Gradients have TensorFlow's values, and their nodes its names."""

from __future__ import annotations

import importlib
import json
import pathlib

import gradient_modes
import numpy as np
import pytest

import berth as tf

FOLDER = pathlib.Path(__file__).parent
DATA = FOLDER.parent / 'data' / 'gradients'
FAMILIES = sorted(path.stem for path in DATA.glob('*.json'))


def recorded(family: str) -> dict:
    """What TensorFlow made of the cases of |family|."""
    return json.loads((DATA / f'{family}.json').read_text())


ALL = [(family, case) for family in FAMILIES for case in recorded(family)]


def array(value: dict) -> np.ndarray:
    """Returns a recorded value."""
    numbers = np.array(value['numbers'])
    if value['type'].startswith('complex'):
        numbers = numbers[::2] + 1j * numbers[1::2]
    return numbers.reshape(value['shape'])


def check(values: list, expected: list, dtype_matters: bool = True) -> None:
    """Holds gradients against what TensorFlow gave."""
    assert len(values) == len(expected)
    for value, wanted in zip(values, expected):
        assert (value is None) == (wanted is None)
        if value is None:
            continue
        value = np.asarray(value)
        assert not dtype_matters or tf.as_dtype(value.dtype).name == wanted['type']
        tolerance = 1e-2 if wanted['type'] in ('half', 'float16', 'bfloat16') else 2e-5
        np.testing.assert_allclose(value.astype(array(wanted).dtype), array(wanted), tolerance, tolerance)


@pytest.mark.parametrize('family,case', ALL)
def test_graph(family: str, case: str) -> None:
    """tf.gradients: with shapes known, in part, and not at all."""
    function = importlib.import_module(f'gradient_cases.{family}').CASES[case]
    expected = recorded(family)[case]
    for mode in gradient_modes.GRAPH_MODES:
        values, nodes = gradient_modes.in_graph(tf, function, mode)
        check(values, expected[mode]['values'])
        if mode != 'rank':
            assert [n for n in nodes if n.startswith('gradients/')] == expected[mode]['nodes'], mode


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    for path in (FOLDER / 'gradient_cases').glob('*.py'):
        if path.stem != '__init__':
            cases = importlib.import_module(f'gradient_cases.{path.stem}').CASES
            assert set(cases) == set(recorded(path.stem)), path.stem
