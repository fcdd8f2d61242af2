"""test_contrib.py - tf.contrib: what programs import of it, and variables set from checkpoints."""

from __future__ import annotations

import pathlib
import subprocess
import sys

PROGRAM = '''
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
import tensorflow.contrib.layers as layers
from tensorflow.contrib.framework import arg_scope
from tensorflow.examples.tutorials.mnist import input_data
path = sys.argv[1]
a = tf.get_variable('a', initializer=np.float32([1, 2])); b = tf.get_variable('b', initializer=np.float32([[3]]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saved = tf.train.Saver([a]).save(session, path)
    session.run([a.assign([0, 0]), b.assign([[0]])])
    slim.assign_from_checkpoint_fn(saved, [a])(session)
    print(session.run([a, b]))
    slim.assign_from_checkpoint_fn(saved, {'a': a, 'b': b}, ignore_missing_vars=True)(session)
    try: slim.assign_from_checkpoint(saved, [b])
    except ValueError as error: print(error)
    update, feed = slim.assign_from_values({'b': np.float32([[7]])})
    session.run(update, feed)
    print(session.run(b))
try: tf.contrib.seq2seq
except AttributeError as error: print(error)
print(layers.l2_regularizer.__name__, arg_scope.__name__, tf.contrib.rnn.GRUCell.__name__)
'''


def test_program(tmp_path: pathlib.Path) -> None:
    """A program imports parts, and sets variables from a checkpoint and from values."""
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf1', '-c', PROGRAM, str(tmp_path / 'model')],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert lines[:4] == ['[array([1., 2.], dtype=float32), array([[0.]], dtype=float32)]',
                         'Checkpoint is missing variable [b]', '[[7.]]',
                         "module 'tensorflow.contrib' has no attribute 'seq2seq'"]
    assert lines[4] == 'l2_regularizer arg_scope GRUCell'
