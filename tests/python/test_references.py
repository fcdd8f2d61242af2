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


ALIKE = """
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x, training = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.bool, [])
scale = tf.get_variable('scale', [4], initializer=tf.ones_initializer())
moving = tf.get_variable('moving', [4], initializer=tf.ones_initializer(), trainable=False)

def train():
    with tf.control_dependencies([tf.assign(moving, 0.9 * moving + 0.1 * x)]):
        return tf.identity(x)

y = tf.cond(training, train, lambda: moving) * scale
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        print(session.run(y, {x: [0, 1, 2, 3], training: True}).tolist())
"""


def test_alike() -> None:
    """A variable is not taken for one that starts with the same numbers and is changed in a branch."""
    command = [sys.executable, "-m", "berth", "run", "-c", ALIKE]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout == "[0.0, 1.0, 2.0, 3.0]\n" * 2, done.stderr
