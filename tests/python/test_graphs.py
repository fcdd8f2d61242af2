"""test_graphs.py - Wrappers make the nodes that TensorFlow's make.

    test_graphs.py PYTHON [NAME...]    what differs, for people
    test_graphs.py record PYTHON       records TensorFlow's graphs
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import graph_cases
import known
import oracle
import pytest

SHOW = pathlib.Path(__file__).resolve().parent / "graph_show.py"
RECORD = oracle.ORACLE / "graph_results.json"


def names() -> list[str]:
    """The names of the tests of graphs."""
    return [f"graph/{name}" for name in graph_cases.CASES]


@functools.cache
def recorded() -> dict[str, list[str]]:
    return json.loads(RECORD.read_text())


@functools.cache
def graphs(python: str, is_berth: bool) -> dict[str, list[str]]:
    """The graphs that the library of |python| makes."""
    done = subprocess.run(
        [python, str(SHOW), *(["berth"] if is_berth else [])],
        capture_output=True, text=True, env=oracle.base_environment())
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [known.parameter(f"graph/{name}", name)
                                  for name in graph_cases.CASES])
def test_graph(name: str) -> None:
    """The same nodes in the same order, with the same attributes."""
    assert graphs(sys.executable, True)[name] == recorded()[name]


def show_differences(python: str, names: list[str]) -> None:
    import difflib
    bad = 0
    for name, found in graphs(python, True).items():
        if (names and name not in names) or found == recorded()[name]:
            continue
        bad += 1
        print(f"FAIL {name}")
        print("\n".join("    " + line[:300] for line in difflib.unified_diff(
            recorded()[name], found, "expected", "found", lineterm="", n=0)))
    print(f"{len(recorded()) - bad} of {len(recorded())} the same")


if __name__ == "__main__":
    if sys.argv[1] == "record":
        RECORD.write_text(json.dumps(graphs(sys.argv[2], False), indent=1) + "\n")
    else:
        show_differences(sys.argv[1], sys.argv[2:])
