"""test_signatures.py - Public functions take what TensorFlow's take.

    test_signatures.py PYTHON    what differs, for people
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys

import known
import oracle
import pytest

SHOW = pathlib.Path(__file__).resolve().parent / "signature_show.py"
RECORD = oracle.ORACLE / "signatures.json"
MODES = ("v1", "v2")


@functools.cache
def recorded() -> dict[str, dict[str, str]]:
    return json.loads(RECORD.read_text())


@functools.cache
def found(python: str, mode: str) -> dict[str, list[str] | str | None]:
    """The parameters of Berth's functions."""
    def show(*options: str, text: str = "") -> str:
        done = subprocess.run([python, str(SHOW), mode, "berth", *options],
                              input=text, capture_output=True, text=True,
                              env=oracle.base_environment())
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return json.loads(show(text=show("list")))


def problems(python: str, mode: str) -> dict[str, str]:
    """What is wrong with the functions that both libraries have."""
    wrong = {}
    for name, ours in found(python, mode).items():
        theirs = recorded()[mode].get(name)
        if isinstance(ours, str):
            wrong[name] = ours
        elif theirs is not None and ours is not None and \
                " ".join(ours) != theirs:
            wrong[name] = f"({' '.join(ours)}), TensorFlow's ({theirs})"
    return wrong


def names() -> list[str]:
    """The names by which known.txt lists functions."""
    return [f"signature/{mode}/{name}" for mode in MODES
            for name in recorded()[mode]]


@pytest.mark.parametrize("mode", MODES)
def test_signatures(mode: str) -> None:
    """The same parameters in the same order, but for what is known."""
    wrong = problems(sys.executable, mode)
    news = {name: text for name, text in wrong.items()
            if not known.reason_of(f"signature/{mode}/{name}")}
    assert not news
    listed = {name for name in recorded()[mode]
              if name in found(sys.executable, mode) and
              known.reason_of(f"signature/{mode}/{name}")}
    assert listed <= set(wrong), "listed in known.txt, but right"


if __name__ == "__main__":
    for each in MODES:
        wrong = problems(sys.argv[1], each)
        print(f"{each}: {len(wrong)} of {len(found(sys.argv[1], each))} differ")
        print("\n".join(f"  {name} {text}" for name, text in wrong.items()))
