"""test_references.py - Random updates and reads of reference variables; random_references.py has them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from script import environment

PROGRAM = pathlib.Path(__file__).with_name("random_references.py")


def outcome(*arguments: str, **settings: str) -> str:
    """What the program prints."""
    command = [sys.executable, "-m", "berth", "run", str(PROGRAM), *arguments]
    done = subprocess.run(command, env=environment() | settings, capture_output=True, text=True, timeout=600,
                          check=False)
    return done.stdout or done.stderr


def test_host() -> None:
    """Variables in the host's memory."""
    assert outcome("0", "150") == "150 programs, 0 wrong\n"


def test_cards() -> None:
    """Variables on two cards, with pauses of the streams."""
    settings = {"BERTH_SIMULATE_GPUS": "Tesla K40c*2", "CUDA_VISIBLE_DEVICES": "0,1", "BERTH_SOFTGPU_STRESS": "3"}
    assert outcome("1000", "100", "/gpu:0", "/gpu:1", **settings) == "100 programs, 0 wrong\n"
