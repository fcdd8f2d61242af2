"""test_distribute.py - Strategies give what TensorFlow's give, on two logical CPUs; and the same on simulated GPUs."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import distribute_cases
import oracle
import pytest

FOLDER = pathlib.Path(__file__).parent
RECORDED = json.loads((FOLDER.parent / 'data' / 'distribute.json').read_text())
PROGRAM = '''
import json, sys
import berth as tf
import distribute_cases as cases
if sys.argv[1] == 'cpu':
    cases.prepare(tf)
strategy = tf.distribute.MirroredStrategy(cases.DEVICES if sys.argv[1] == 'cpu' else None)
found = {}
for name, case in cases.CASES.items():
    try:
        found[name] = case(tf, strategy)
    except Exception as error:
        import traceback
        found[name] = traceback.format_exc()
print(json.dumps(found))
'''


def run(kind: str) -> dict:
    """Returns what all cases give on CPUs or GPUs."""
    environment = dict(oracle.base_environment(), BERTH_TF='2', PYTHONPATH=str(FOLDER))
    if kind == 'gpu':
        environment['BERTH_SIMULATE_GPUS'] = 'Tesla K20m*2'
    done = subprocess.run([sys.executable, '-c', PROGRAM, kind], capture_output=True, text=True, env=environment,
                          check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def equal(found: object, wanted: object) -> bool:
    """Compares structures; numbers to a few last bits."""
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(equal, found, wanted))
    if isinstance(wanted, dict):
        return isinstance(found, dict) and found.keys() == wanted.keys() and all(equal(found[k], wanted[k]) for k in wanted)
    return found == pytest.approx(wanted, rel=1e-5) if isinstance(wanted, float) else found == wanted


@pytest.fixture(scope='module')
def cpus() -> dict:
    """What they give on two CPUs."""
    return run('cpu')


@pytest.fixture(scope='module')
def gpus() -> dict:
    """What they give on two simulated GPUs."""
    return run('gpu')


@pytest.mark.parametrize('name', distribute_cases.CASES)
def test_on_cpus(cpus: dict, name: str) -> None:
    """As TensorFlow."""
    assert equal(cpus[name], RECORDED[name]), (cpus[name], RECORDED[name])


@pytest.mark.parametrize('name', [name for name in distribute_cases.CASES if name not in ('contexts',)])
def test_on_gpus(gpus: dict, name: str) -> None:
    """The same numbers."""
    assert equal(gpus[name], RECORDED[name]), (gpus[name], RECORDED[name])
