"""test_gradients.py - Gradients have TensorFlow's values, and their nodes its names."""

from __future__ import annotations

import importlib
import json
import pathlib
import subprocess

import gradient_modes
import numpy as np
import pytest

import berth as tf
from berth import _core as core

FOLDER = pathlib.Path(__file__).parent
DATA = FOLDER.parent / 'data' / 'gradients'
FAMILIES = sorted(path.stem for path in DATA.glob('*.json'))


RECORDED = {family: json.loads((DATA / f'{family}.json').read_text()) for family in FAMILIES}
GAPS = (DATA / 'gaps.txt').read_text().split()
ALL = [(family, case) for family in FAMILIES for case in RECORDED[family]]


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


def case_of(family: str, case: str) -> tuple:
    """Returns the module of a family, a case of it and what TensorFlow made of that."""
    module = importlib.import_module(f'gradient_cases.{family}')
    return module, module.CASES[case], RECORDED[family][case]


@pytest.mark.parametrize('family,case', ALL)
def test_graph(family: str, case: str) -> None:
    """tf.gradients: with shapes known, in part, and not at all."""
    module, function, expected = case_of(family, case)
    for mode in gradient_modes.modes(module, case):
        values, nodes = gradient_modes.in_graph(tf, function, mode)
        check(values, expected.get(f'{mode} values', expected['values']))
        if mode != 'rank' and case not in getattr(module, 'RENAMED', ()):
            assert nodes == expected[mode].split(), mode


@pytest.mark.parametrize('family,case', ALL)
def test_tape(family: str, case: str) -> None:
    """tf.GradientTape, and the slope that differences show."""
    module, function, expected = case_of(family, case)
    if case in getattr(module, 'GRAPH_ONLY', ()):
        return
    values = gradient_modes.by_tape(tf, function)
    check(values, expected.get('tape values', expected['values']))
    if case in getattr(module, 'ROUGH', ()):
        return
    found = gradient_modes.slope_by_differences(tf, function)
    if found is not None:
        parts = [np.asarray(v, 'float64') * way for v, way in zip(values, found[1]) if v is not None]
        scale = 1 + sum(float(np.sum(np.abs(part))) for part in parts)
        assert abs(sum(float(np.sum(part)) for part in parts) - found[0]) < 0.01 * scale


@pytest.mark.parametrize('family,case', [key for key in ALL if 'twice' in RECORDED[key[0]][key[1]]])
def test_twice(family: str, case: str) -> None:
    """Gradients of gradients, where no known gap is on the way."""
    module, function, expected = case_of(family, case)
    try:
        values, nodes = gradient_modes.twice(tf, function)
    except LookupError as error:
        if str(error).partition('(op type: ')[2].partition(')')[0] in GAPS:
            pytest.skip('a known gap')
        raise
    check(values, expected['twice values'])
    if case not in (*getattr(module, 'UNNAMED', ()), *getattr(module, 'RENAMED', ())):
        assert nodes == expected['twice'].split()


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    for path in (FOLDER / 'gradient_cases').glob('*.py'):
        if path.stem != '__init__':
            cases = importlib.import_module(f'gradient_cases.{path.stem}').CASES
            assert set(cases) == set(RECORDED[path.stem]), path.stem


def gaps() -> tuple[list, dict]:
    """Returns the ops that TensorFlow differentiates and Berth runs but does not, and where both say something else."""
    lines = (DATA / 'registry.txt').read_text().split()
    expected = {line.lstrip('-'): -1 if line.startswith('-') else 1 for line in lines}
    program = pathlib.Path(tf.__file__).parent / 'bin' / 'berth'
    run = subprocess.run([str(program), 'ops', '--json'], check=True, capture_output=True, text=True)
    ops = [op['name'] for op in json.loads(run.stdout)['ops'] if op['berth_cpu'] or op['berth_gpu']]
    found = {name: core.op_gradient(name) for name in ops}
    missing = sorted(name for name in ops if found[name] == 0 and name in expected)
    return missing, {name: found[name] for name in ops if found[name] not in (0, expected.get(name, -1))}


def test_ops() -> None:
    """The ops that TensorFlow differentiates are differentiated, but for those in a list that may only shrink."""
    missing, other = gaps()
    assert sorted(set(missing) - set(GAPS)) == [], 'no longer differentiated'
    assert sorted(set(GAPS) - set(missing)) == [], 'no gaps any more: run this file, which takes them from the list'
    assert other == {}


if __name__ == '__main__':
    (DATA / 'gaps.txt').write_text(''.join(f'{name}\n' for name in gaps()[0]))
