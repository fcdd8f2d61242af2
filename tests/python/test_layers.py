"""test_layers.py - Layers, losses, metrics and their kin make TensorFlow's nodes and values.

    test_layers.py record PYTHON [FAMILY...]    records TensorFlow's
    test_layers.py show [FAMILY [CASE]]         what differs, for people
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
DATA = FOLDER.parent / 'data' / 'layers'
FAMILIES = sorted(path.stem for path in (FOLDER / 'layer_cases').glob('*.py') if path.stem != '__init__')


def cases(family: str) -> dict[str, str]:
    """The programs of a family."""
    return importlib.import_module(f'layer_cases.{family}').CASES


@functools.cache
def recorded(family: str) -> dict:
    """What TensorFlow made of a family."""
    return json.loads((DATA / f'{family}.json').read_text())


@functools.cache
def shown(python: str, family: str, *words: str) -> dict:
    """What the library of |python| makes of a family."""
    environment = {**os.environ, 'CUDA_VISIBLE_DEVICES': '-1'}
    done = subprocess.run([python, str(FOLDER / 'layer_show.py'), family, *words], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def differ(found, wanted, path: str = '') -> list[str]:
    """Where two values of fetches are not the same."""
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return [f'{path}: {found} for {wanted}']
        return [text for i, (a, b) in enumerate(zip(found, wanted)) for text in differ(a, b, f'{path}/{i}')]
    if 'numbers' not in wanted:
        return [text for key in wanted for text in differ(found[key], wanted[key], f'{path}/{key}')]
    if (found['type'], found['shape']) != (wanted['type'], wanted['shape']):
        return [f'{path}: {found} for {wanted}']
    if wanted['type'] == 'string':
        return [] if found == wanted else [f'{path}: {found} for {wanted}']
    tolerance = 1e-3 if wanted['type'] == 'float16' else 1e-5
    near = np.allclose(found['numbers'], wanted['numbers'], tolerance, tolerance / 5, equal_nan=True)
    return [] if near else [f'{path}: {found["numbers"][:8]} for {wanted["numbers"][:8]}']


ALL = [(family, case) for family in FAMILIES for case in cases(family)]


@pytest.mark.parametrize('family,case', ALL)
def test_case(family: str, case: str) -> None:
    """The same nodes in the same order, the same collections, the same values."""
    found, wanted = shown(sys.executable, family, 'berth')[case], recorded(family)[case]
    assert found['error'] == wanted['error']
    assert found['nodes'] == wanted['nodes'] or '# values only' in cases(family)[case]
    assert found['collections'] == wanted['collections']
    assert found['text'] == wanted['text']
    assert differ(found['values'], wanted['values']) == []


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    for family in FAMILIES:
        assert set(cases(family)) == set(recorded(family))


def record(python: str, families: list[str]) -> None:
    """Writes what TensorFlow makes of |families|."""
    DATA.mkdir(exist_ok=True)
    for family in families or FAMILIES:
        (DATA / f'{family}.json').write_text(json.dumps(shown(python, family), indent=0) + '\n')


def show(family: str, names: list[str]) -> None:
    """Prints what differs."""
    import difflib
    found = shown(sys.executable, family, 'berth')
    for case in names or cases(family):
        ours, wanted = found[case], recorded(family)[case]
        lines = [line for key in ('error', 'nodes', 'text') for line in difflib.unified_diff(
            wanted[key], ours[key], lineterm='', n=0) if line[:3] not in ('---', '+++', '@@ ')]
        if ours['collections'] != wanted['collections']:
            lines.append(f'collections {ours["collections"]} for {wanted["collections"]}')
        lines += differ(ours['values'], wanted['values']) if not ours['error'] else []
        print(f'{"FAIL" if lines else "ok"} {family}/{case}')
        print(''.join(f'    {line[:400]}\n' for line in lines[:24]), end='')


if __name__ == '__main__':
    if sys.argv[1] == 'record':
        record(sys.argv[2], sys.argv[3:])
    else:
        for one in sys.argv[2:3] or FAMILIES:
            show(one, sys.argv[3:])
