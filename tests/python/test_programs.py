"""test_programs.py - Small programs of the kind users write do what they did on TensorFlow.

    test_programs.py PYTHON [NAME...]          what differs, for people
    test_programs.py record PYTHON [NAME...]   runs them on TensorFlow and keeps what they gave

A program is tests/data/programs/NAME.py, and NAME.txt what it gave on TensorFlow 2.21: what it
printed, and the exception it ended with. A program whose first line is `# TF1` is one of old: on
TensorFlow it runs with compat.v1 and disable_v2_behavior(), on Berth as it is. `# GPUs: Tesla
K40c x 2` in the first lines simulates cards on Berth; TensorFlow had none, so NAME.txt is written
by hand from its documents then. Names are patterns.
"""

from __future__ import annotations

import difflib
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import known
import normal
import oracle
import pytest

FOLDER = oracle.ROOT / "tests" / "data" / "programs"
TIMEOUT_SECONDS = 120


def programs(patterns: list[str] | None = None) -> list[str]:
    """The names of the programs, or of those that match."""
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    return [n for n in names if not patterns or any(fnmatch.fnmatchcase(n, p) for p in patterns)]


def heading(name: str) -> list[str]:
    """The comments that a program begins with."""
    lines = (FOLDER / f"{name}.py").read_text().splitlines()
    return [line[1:].strip() for line in lines[:3] if line.startswith("#")]


def plain(text: str, folder: str, package: str) -> str:
    """Drops what differs from run to run."""
    text = normal.without_noise(normal.scrub(text, folder, package))
    return re.sub(r"(__inference_[^\s\]'\"()]*?)_\d+", r"\1_<n>", text)


def outcome(command: list[str], source: str, settings: dict[str, str], package: str = "") -> str:
    """What a program prints, and the exception it ends with."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "hook").mkdir()
        (pathlib.Path(folder) / "hook" / "sitecustomize.py").write_text(oracle.HOOK)
        path = pathlib.Path(folder) / "program.py"
        path.write_text(source)
        report = pathlib.Path(folder) / "exception"
        done = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, cwd=folder,
            timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL,
            env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": ""} | settings | {
                "ORACLE_EXC": str(report), "TF_CPP_MIN_LOG_LEVEL": "1", "PYTHONHASHSEED": "0",
                "PYTHONPATH": os.pathsep.join([f"{folder}/hook", *filter(None, [os.environ.get("PYTHONPATH")])])})
        text = plain(done.stdout, folder, package)
        if done.returncode != 0:
            text += f"exit status {done.returncode}\n"
        if report.exists():
            error = json.loads(report.read_text())
            text += plain(f"{error['type']}: {error['message']}\n", folder, package)
        return text


def on_berth(python: str, name: str) -> str:
    """What a program gives on the Berth of |python|."""
    cards = [line[len("GPUs:"):].strip() for line in heading(name) if line.startswith("GPUs:")]
    settings = {"BERTH_SIMULATE_GPUS": cards[0], "CUDA_VISIBLE_DEVICES": "0,1,2,3"} if cards else {}
    return outcome([python, "-m", "berth", "run"], (FOLDER / f"{name}.py").read_text(), settings,
                   oracle.package_folder(python))


def on_tensorflow(python: str, name: str) -> str:
    """What a program gives on the TensorFlow of |python|."""
    source = (FOLDER / f"{name}.py").read_text()
    if "TF1" in heading(name):
        source = oracle.PRELUDE.rstrip("\n").replace("\n", "; ") + "  " + source  # Lines keep their numbers.
    return outcome([python], source, {"TF_ENABLE_ONEDNN_OPTS": "0"})


@pytest.mark.parametrize("name", [known.parameter(f"program/{n}", n) for n in programs()])
def test_program(name: str) -> None:
    """The same text, and the same end."""
    expected = (FOLDER / f"{name}.txt").read_text()
    found = on_berth(sys.executable, name)
    if not normal.matches(expected, found):
        assert found == expected


def names() -> list[str]:
    """The names of the tests of programs."""
    return [f"program/{name}" for name in programs()]


def show_differences(python: str, patterns: list[str]) -> None:
    """Prints how Berth differs."""
    python = os.path.abspath(python)
    wanted = programs(patterns)
    bad = 0
    for name in wanted:
        path = FOLDER / f"{name}.txt"
        expected = path.read_text() if path.exists() else "(not recorded)\n"
        found = on_berth(python, name)
        if normal.matches(expected, found):
            continue
        bad += 1
        lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "TensorFlow", "Berth",
                                     lineterm="", n=1)
        print(f"DIFFERS {name}", *lines, sep="\n")
    print(f"{len(wanted) - bad} of {len(wanted)} the same")


def record(python: str, patterns: list[str]) -> None:
    """Keeps what the programs give on TensorFlow."""
    for name in programs(patterns):
        if any(line.startswith("GPUs:") for line in heading(name)):
            continue
        text = on_tensorflow(python, name)
        (FOLDER / f"{name}.txt").write_text(text)
        print(f"# {name}\n{text}")


if __name__ == "__main__" and sys.argv[1] == "record":
    record(sys.argv[2], sys.argv[3:])
elif __name__ == "__main__":
    show_differences(sys.argv[1], sys.argv[2:])
