"""known.py - What is known to differ from TensorFlow: the list known.txt.

A line is `PATTERN: reason`; patterns are those of shells, `#` starts a comment.
What is listed has to fail: a line that is no longer needed is an error.
"""

from __future__ import annotations

import fnmatch
import functools
import pathlib

import pytest

FILE = pathlib.Path(__file__).resolve().parent / "known.txt"


@functools.cache
def entries() -> list[tuple[str, str]]:
    """The patterns and their reasons."""
    lines = [line for line in FILE.read_text().splitlines()
             if line and not line.startswith("#")]
    return [(pattern, reason.strip()) for pattern, _, reason in
            (line.partition(": ") for line in lines)]


def reason_of(name: str) -> str | None:
    """Why |name| may fail, or None if it may not."""
    return next((reason for pattern, reason in entries()
                 if fnmatch.fnmatchcase(name, pattern)), None)


def parameter(name: str, *values: object) -> object:
    """A case for pytest; it has to fail if its name is listed."""
    reason = reason_of(name)
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
    return pytest.param(*values, id=name, marks=marks)
