"""test_object_models.py - tf.saved_model.load: models that TensorFlow 2 has written, with their objects.

    test_object_models.py record PYTHON    writes the models, and what TensorFlow reads of them
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import oracle

FOLDER = oracle.ROOT / "tests" / "data" / "models"
PROGRAM = pathlib.Path(__file__).with_name("object_models.py")


def printed(command: list[str], kind: str) -> str:
    """What the program prints."""
    done = subprocess.run([*command, str(PROGRAM), kind, str(FOLDER)], capture_output=True, text=True, timeout=300,
                          env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_models_are_read() -> None:
    """Functions, objects, slopes, signatures and mistakes: to the letter."""
    found = printed([sys.executable, "-m", "berth", "run", "--tf2"], "read").splitlines()
    expected = (FOLDER / "read.txt").read_text().splitlines()
    for line, right in zip(found, expected):
        assert line == right
    assert len(found) == len(expected)


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    printed([sys.argv[2]], "make")
    (FOLDER / "read.txt").write_text(printed([sys.argv[2]], "read"))
