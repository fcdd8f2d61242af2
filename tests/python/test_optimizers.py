"""test_optimizers.py - Optimisers of TF1: values after steps, names, and the nodes of updates.

    test_optimizers.py record PYTHON    records TensorFlow's
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import optimizer_cases
import oracle
import pytest

RECORD = oracle.ORACLE / "optimizer_results.json"
KINDS = ("ref", "resource", "double", "eager", "function")


@functools.cache
def results(python: str, is_berth: bool) -> dict:
    """What the library of |python| does."""
    program = pathlib.Path(optimizer_cases.__file__)
    done = subprocess.run([python, str(program), *(["berth"] if is_berth else [])], capture_output=True, text=True,
                          env=oracle.base_environment())
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@functools.cache
def recorded() -> dict:
    return json.loads(RECORD.read_text())


def flat(values) -> list:
    return [x for value in values for x in flat(value)] if isinstance(values, list) else [values]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", optimizer_cases.OPTIMIZERS)
def test_optimizer(name: str, kind: str) -> None:
    """The same nodes and names; values to five digits."""
    found, expected = (table[f"{name}/{kind}"] for table in (results(sys.executable, True), recorded()))
    if isinstance(expected, str):
        assert found == expected
        return
    assert flat(found.pop("values")) == pytest.approx(flat(expected["values"]), rel=1e-5, abs=1e-8)
    assert found == {key: value for key, value in expected.items() if key != "values"}


if __name__ == "__main__":
    RECORD.write_text(json.dumps(results(sys.argv[2], False), indent=1) + "\n")
