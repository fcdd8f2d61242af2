"""test_flows.py - Functions with branches, loops and jumps at random: numbers, Berth and TensorFlow agree.

    test_flows.py record PYTHON      runs the functions on TensorFlow and keeps what they gave

`random_flows.py` writes the functions. What they give as tensors has to be what they gave on TensorFlow, word by
word where they are refused; and where they give a value, what they give for numbers.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

import oracle
import pytest
import random_flows

RECORDS = oracle.ROOT / "tests" / "data" / "autograph" / "flows.json"
FIRST, COUNT = 0, 300
# More of them, for which numbers are the judge.
MORE_FIRST, MORE_COUNT = 100000, 300
ACTING_COUNT = 300


def results(command: list[str], first: int, count: int, settings: dict[str, str]) -> dict[str, list[str]]:
    """What functions give as tensors."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "results.json"
        script = pathlib.Path(random_flows.__file__)
        subprocess.run([*command, str(script), str(first), str(count), str(report)], check=True, cwd=folder,
                       timeout=1200, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "1"} | settings)
        return json.loads(report.read_text())


def wrong_values(found: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """The values that differ from those for numbers, as (function, value, value for numbers)."""
    wrong = []
    for name, values in found.items():
        source = random_flows.Writer(int(name[1:])).source(name)
        for given, value in zip(random_flows.INPUTS, values):
            number = random_flows.numbers(source, name, given)
            # A name without a value that nobody reads in the end is an error of Python's only.
            if value != number and not value.startswith("raised ") and number != "raised UnboundLocalError":
                wrong.append((name, value, number))
    return wrong


@pytest.mark.parametrize(("first", "count"), [
    (FIRST, COUNT), (MORE_FIRST, MORE_COUNT), (random_flows.ACTING, ACTING_COUNT)])
def test_flows(first: int, count: int) -> None:
    """The values for numbers, and what TensorFlow gave."""
    found = results([sys.executable, "-m", "berth", "run"], first, count, {})
    assert sum(not value.startswith("raised ") for values in found.values() for value in values) > count * 2
    assert not wrong_values(found)
    if first == FIRST:
        expected = json.loads(RECORDS.read_text())
        assert {name: found[name] for name in expected if found[name] != expected[name]} == {}


if __name__ == "__main__" and sys.argv[1] == "record":
    RECORDS.write_text(json.dumps(results([sys.argv[2]], FIRST, COUNT, {"TF_ENABLE_ONEDNN_OPTS": "0"}), indent=0) + "\n")
