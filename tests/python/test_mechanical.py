"""test_mechanical.py - Functions that only make an op are there for every op that Berth knows.

    test_mechanical.py PYTHON           what is missing, for people
    test_mechanical.py record PYTHON    records which of TensorFlow's functions these are

A name that is missing belongs into `OPS` of `berth/_start/api_both.py`.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import oracle
import pytest
import test_signatures

SHOW = pathlib.Path(__file__).resolve().parent / "mechanical_show.py"
RECORD = oracle.ORACLE / "mechanical.json"


def missing(python: str, mode: str) -> dict[str, str]:
    """The functions that Berth does not have though it knows their ops."""
    from berth import _core
    ops = set(_core.ops())
    have = test_signatures.found(python, mode)
    return {name: op for name, op in json.loads(RECORD.read_text())[mode].items()
            if op in ops and name not in have}


@pytest.mark.parametrize("mode", test_signatures.MODES)
def test_mechanical(mode: str) -> None:
    """Every op is reachable by its public names; test_signatures.py compares the parameters."""
    assert not missing(sys.executable, mode)


def test_raw_ops() -> None:
    """tf.raw_ops has every op that is registered."""
    from berth import _core
    from berth.ops import raw_ops
    assert sorted(_core.ops()) == dir(raw_ops)
    assert all(callable(getattr(raw_ops, name)) for name in _core.ops())


def record(python: str) -> None:
    done = subprocess.run([python, str(SHOW), str(test_signatures.RECORD)],
                          capture_output=True, text=True, check=True)
    RECORD.write_text(done.stdout + "\n")


if __name__ == "__main__" and sys.argv[1] == "record":
    record(sys.argv[2])
elif __name__ == "__main__":
    for each in test_signatures.MODES:
        print(each, missing(sys.argv[1], each))
