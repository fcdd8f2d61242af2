"""test_random.py - A few random programs; random_programs.py runs more of them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("random_programs.py")


def test_random_programs() -> None:
    """Some episodes, with and without pauses of the streams."""
    command = [sys.executable, str(PROGRAM), "--rounds", "4", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
