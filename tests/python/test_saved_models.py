"""test_saved_models.py - tf.saved_model.save: what it writes is read as what TensorFlow writes.

    test_saved_models.py record PYTHON    what TensorFlow prints when it writes and reads the models
    test_saved_models.py PYTHON           whether TensorFlow reads what Berth writes, for people
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

import oracle

FILE = oracle.ROOT / "tests" / "data" / "oracle" / "saved_models.txt"
PROGRAM = pathlib.Path(__file__).with_name("saved_models.py")
BERTH = [sys.executable, "-m", "berth", "run", "--tf2"]


def printed(command: list[str], kind: str, folder: str) -> str:
    """What the program prints."""
    done = subprocess.run([*command, str(PROGRAM), kind, folder], capture_output=True, text=True, timeout=300,
                          env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def both(writer: list[str], reader: list[str]) -> str:
    """What is printed when one writes the models and another one reads them."""
    with tempfile.TemporaryDirectory() as folder:
        return printed(writer, "make", folder) + printed(reader, "read", folder)


def test_models_are_written() -> None:
    """Objects, functions, slopes, signatures and mistakes: to the letter."""
    assert both(BERTH, BERTH).splitlines() == FILE.read_text().splitlines()


if __name__ == "__main__":
    if sys.argv[1] == "record":
        FILE.write_text(both([sys.argv[2]], [sys.argv[2]]))
    else:
        assert both([str(oracle.ROOT / ".venv" / "bin" / "python"), *BERTH[1:]], [sys.argv[1]]) == FILE.read_text()
