"""api.py - The symbols of api_surface.txt, and what a library makes of them.

    api.py record PYTHON     records TensorFlow's results (a developer's tool)

The recorded results are in tests/data/oracle/api_results.json.
"""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import re
import subprocess
import sys

import oracle

SURFACE = oracle.ORACLE / "api_surface.txt"
RECORD = oracle.ORACLE / "api_results.json"
SHOW = pathlib.Path(__file__).resolve().parent / "api_show.py"
MODES = ("v1", "v2")


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A row of api_surface.txt."""

    name: str
    section: str
    modes: tuple[str, ...]
    what: str


def symbols() -> list[Symbol]:
    """All symbols, in the order of the table."""
    found = []
    section = ""
    for line in SURFACE.read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        match = re.match(r"\| `([^`]*)` \| ([^|]*) \|.*\| ([^|]*) \|$", line)
        if match and "absent" not in section:
            modes = tuple(mode for mode in MODES if mode in match[2])
            found.append(Symbol(match[1], section, modes, match[3]))
    return found


def show(python: str, mode: str, is_berth: bool) -> dict[str, dict]:
    """What the library of |python| makes of the symbols of |mode|."""
    names = [each.name for each in symbols() if mode in each.modes]
    done = subprocess.run(
        [python, str(SHOW), mode, *(["berth"] if is_berth else [])],
        input=json.dumps(names), capture_output=True, text=True,
        env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": ""})
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout)


def recorded() -> dict[str, dict[str, dict]]:
    """What TensorFlow made of them, by mode."""
    return json.loads(RECORD.read_text())


def is_close(expected: str, found: str) -> bool:
    """Tells whether two texts are equal but for the last bits of numbers."""
    number = r"-?\d+\.\d+(?:e-?\d+)?"
    if re.sub(number, "<>", expected) != re.sub(number, "<>", found):
        return False
    pairs = zip(re.findall(number, expected), re.findall(number, found))
    return all(math.isclose(float(a), float(b), rel_tol=1e-5, abs_tol=1e-6)
               for a, b in pairs)


def problem(expected: dict, found: dict) -> str:
    """Says how Berth's symbol differs from TensorFlow's; "" if it does not."""
    if "absent" in found:
        return f"absent: {found['absent']}"
    if not is_close(expected.get("result", ""), found.get("result", "")):
        return (f"gives {found.get('result')}, "
                f"TensorFlow {expected.get('result')}")
    if expected["parameters"] != found["parameters"]:
        return (f"parameters {found['parameters']}, "
                f"TensorFlow's {expected['parameters']}")
    return ""


def main() -> None:
    _, _, python = sys.argv
    found = {mode: show(python, mode, False) for mode in MODES}
    RECORD.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
