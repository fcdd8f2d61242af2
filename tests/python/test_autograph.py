"""test_autograph.py - Python that tf.function converts does what it does on TensorFlow: values, texts, errors.

    test_autograph.py PYTHON [FILE...]          what differs, for people
    test_autograph.py record PYTHON [FILE...]   runs the cases on TensorFlow and keeps what they gave

The cases are in tests/data/autograph/FILE.py, many to a file (`autograph_run.py`), and FILE.json has what each
gave on TensorFlow 2.21.
"""

from __future__ import annotations

import difflib
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import autograph_run
import known
import oracle
import pytest

FOLDER = oracle.ROOT / "tests" / "data" / "autograph"
TIMEOUT_SECONDS = 900


def files(wanted: list[str] | None = None) -> list[str]:
    """The names of the files of cases."""
    return [path.stem for path in sorted(FOLDER.glob("*.py")) if not wanted or path.stem in wanted]


def outcomes(command: list[str], names: list[str], settings: dict[str, str]) -> dict[str, str]:
    """What the cases of files give."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(__file__).with_name("autograph_run.py")
        done = subprocess.run(
            [*command, str(script), folder, *[str(FOLDER / f"{name}.py") for name in names]],
            capture_output=True, text=True, cwd=folder, timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL, check=False,
            env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "1",
                                             "PYTHONHASHSEED": "0"} | settings)
        report = pathlib.Path(folder) / "results.json"
        assert report.exists(), done.stdout + done.stderr
        return json.loads(report.read_text())


@functools.lru_cache(maxsize=None)
def on_berth(python: str, name: str) -> dict[str, str]:
    """What the cases of a file give on the Berth of |python|."""
    return outcomes([python, "-m", "berth", "run"], [name], {})


def expected(name: str) -> dict[str, str]:
    """What the cases of a file gave on TensorFlow."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def every_case() -> list[tuple[str, str]]:
    """The cases, as (file, name)."""
    return [(name, case) for name in files() for case, _ in autograph_run.cases(FOLDER / f"{name}.py")]


@pytest.mark.parametrize(("name", "case"), [
    pytest.param(n, c, id=f"{n}/{c}", marks=known.parameter(f"autograph/{n}/{c}", c).marks) for n, c in every_case()])
def test_case(name: str, case: str) -> None:
    """The same text, and the same end."""
    assert on_berth(sys.executable, name)[case] == expected(name)[case]


def names() -> list[str]:
    """The names of the tests of cases."""
    return [f"autograph/{name}/{case}" for name, case in every_case()]


def show_differences(python: str, wanted: list[str]) -> None:
    """Prints how Berth differs."""
    python = os.path.abspath(python)
    total = bad = 0
    for name in files(wanted):
        recorded = expected(name)
        for case, found in on_berth(python, name).items():
            total += 1
            if recorded.get(case) != found:
                bad += 1
                lines = difflib.unified_diff(recorded.get(case, "(not recorded)\n").splitlines(), found.splitlines(),
                                             "TensorFlow", "Berth", lineterm="", n=1)
                print(f"DIFFERS {name}/{case}", *lines, sep="\n")
    print(f"{total - bad} of {total} the same")


def record(python: str, wanted: list[str]) -> None:
    """Keeps what the cases give on TensorFlow."""
    for name in files(wanted):
        found = outcomes([python], [name], {"TF_ENABLE_ONEDNN_OPTS": "0"})
        (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        print(f"{name}: {len(found)} cases")


if __name__ == "__main__" and sys.argv[1] == "record":
    record(sys.argv[2], sys.argv[3:])
elif __name__ == "__main__":
    show_differences(sys.argv[1], sys.argv[2:])
