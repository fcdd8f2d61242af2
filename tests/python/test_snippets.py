"""test_snippets.py - What people try gives what TensorFlow gives.

    test_snippets.py PYTHON [NAME...]   what differs, for people
    test_snippets.py record PYTHON [BEGIN]   records TensorFlow's results, or
                                             those of names that begin so
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import api
import known
import oracle
import pytest
import snippet_cases

SHOW = pathlib.Path(__file__).resolve().parent / "snippet_show.py"
RECORD = oracle.ORACLE / "snippet_results.json"
CASES = [("v1", name) for name in snippet_cases.TF1] + \
    [("v2", name) for name in snippet_cases.TF2]


def names() -> list[str]:
    """The names of the tests of snippets."""
    return [f"snippet/{mode}/{name}" for mode, name in CASES]


@functools.cache
def recorded() -> dict[str, dict[str, str]]:
    return json.loads(RECORD.read_text())


@functools.cache
def results(python: str, mode: str, is_berth: bool = True) -> dict[str, str]:
    """What the snippets give on the library of |python|."""
    done = subprocess.run(
        [python, str(SHOW), mode, *(["berth"] if is_berth else [])],
        capture_output=True, text=True,
        env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("mode, name", [
    known.parameter(f"snippet/{mode}/{name}", mode, name)
    for mode, name in CASES])
def test_snippet(mode: str, name: str) -> None:
    """The same value, or the same exception and text."""
    found, expected = results(sys.executable, mode)[name], recorded()[mode][name]
    if not api.is_close(expected, found):
        assert found == expected


def show_differences(python: str, wanted: list[str]) -> None:
    bad = 0
    for mode, name in CASES:
        expected, found = recorded()[mode][name], results(python, mode)[name]
        if api.is_close(expected, found) or (wanted and name not in wanted):
            continue
        bad += 1
        print(f"FAIL {mode} {name}\n  expected {expected}\n  found    {found}")
    print(f"{len(CASES) - bad} of {len(CASES)} the same")


def record(python: str, begin: str = "") -> None:
    found = recorded()
    for mode in ("v1", "v2"):
        found[mode] = {
            name: text if name.startswith(begin) else found[mode].get(name, text)
            for name, text in results(python, mode, False).items()}
    RECORD.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__" and sys.argv[1] == "record":
    record(*sys.argv[2:])
elif __name__ == "__main__":
    show_differences(sys.argv[1], sys.argv[2:])
