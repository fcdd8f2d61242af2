"""test_training.py - Schedules, averages, counters of steps: what programs print, and their nodes.

    test_training.py record PYTHON    records TensorFlow's
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import oracle
import pytest
import train_cases

RECORD = oracle.ORACLE / "train_results.json"
NAMES = [f"{kind}/{name}" for kind, cases in (
    ("graph", train_cases.GRAPH), ("saving", train_cases.SAVING), ("eager", train_cases.EAGER)) for name in cases]


@functools.cache
def results(python: str, is_berth: bool) -> dict:
    """What the programs print with the library of |python|."""
    program = pathlib.Path(train_cases.__file__)
    done = subprocess.run([python, str(program), *(["berth"] if is_berth else [])], capture_output=True, text=True,
                          env=oracle.base_environment())
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@functools.cache
def recorded() -> dict:
    return json.loads(RECORD.read_text())


def numbers(line: str) -> list | str:
    """The numbers of a line that has nothing else."""
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        return line


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    """The same lines; numbers to five digits."""
    found, expected = results(sys.executable, True)[name], recorded()[name]
    assert len(found) == len(expected), "\n".join(found)
    for line, right in zip(map(numbers, found), map(numbers, expected)):
        assert line == (right if isinstance(right, str) else pytest.approx(right, rel=2e-5))


if __name__ == "__main__":
    RECORD.write_text(json.dumps(results(sys.argv[2], False), indent=1) + "\n")
