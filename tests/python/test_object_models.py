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


ON_A_CARD = '''
import tensorflow as tf
class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.], [2.]])
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def twice(self, x):
        y = x @ self.w
        return y * 2, y
tf.saved_model.save(Model(), 'model')
model = tf.saved_model.load('model')
print(model.w.device[-5:])
@tf.function
def within(x):
    return model.twice(x)[0] + 1
for x in (tf.ones([1, 2]), tf.ones([2, 2])):
    print(*(t.numpy().tolist() for t in model.twice(x)), within(x).numpy().tolist())
'''


def test_models_run_on_cards(tmp_path: pathlib.Path) -> None:
    """With arguments and variables that are there."""
    (tmp_path / "script.py").write_text(ON_A_CARD)
    command = [sys.executable, "-m", "berth", "run", "--tf2", "--simulate", "Tesla K40c", "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=oracle.base_environment())
    assert done.stdout.splitlines() == [
        "GPU:0", "[[6.0]] [[3.0]] [[7.0]]", "[[6.0], [6.0]] [[3.0], [3.0]] [[7.0], [7.0]]"], done.stderr[-2000:]
