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
try: tf.contrib.bayesflow
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
                         "module 'tensorflow.contrib' has no attribute 'bayesflow'"]
    assert lines[4] == 'l2_regularizer arg_scope GRUCell'


def test_sequences() -> None:
    """Losses of sequences are what numpy says, and decoders use one cell for all steps."""
    from script import run

    run("""
import numpy as np
import berth as tf
rs = np.random.RandomState(0)
logits, targets = rs.rand(2, 3, 4).astype(np.float32), rs.randint(0, 4, [2, 3])
weights = np.array([[1, 1, 0], [1, 2, 3]], np.float32)
each = -np.log(np.take_along_axis(np.exp(logits), targets[..., None], 2)[..., 0] / np.exp(logits).sum(2)) * weights
loss = tf.contrib.seq2seq.sequence_loss
given = [tf.constant(x) for x in (logits, targets, weights)]
with tf.Session() as session:
    for over, expected in (((True, True), each.sum() / weights.sum()), ((True, False), each.sum(1) / weights.sum(1)),
                           ((False, True), each.sum(0) / weights.sum(0)), ((False, False), each)):
        assert np.allclose(session.run(loss(*given, *over)), expected, atol=1e-5), over
    old = tf.contrib.legacy_seq2seq
    lists = [[tf.constant(x[:, i]) for i in range(3)] for x in (logits, targets, weights)]
    assert np.allclose(session.run(old.sequence_loss_by_example(*lists)), each.sum(1) / weights.sum(1), atol=1e-5)
    assert np.allclose(session.run(old.sequence_loss(*lists)), (each.sum(1) / weights.sum(1)).sum() / 2, atol=1e-5)
    cell = tf.contrib.rnn.BasicRNNCell(5)
    steps = [tf.ones([2, 5])] * 3
    outputs, state = old.rnn_decoder(steps, cell.zero_state(2, tf.float32), cell, lambda before, i: before * 2.0)
    assert [v.name for v in tf.global_variables()] == [
        'rnn_decoder/basic_rnn_cell/kernel:0', 'rnn_decoder/basic_rnn_cell/bias:0']
    session.run(tf.global_variables_initializer())
    kernel, found = session.run([tf.global_variables()[0], outputs])
    assert np.allclose(found[1], np.tanh(np.concatenate([found[0] * 2, found[0]], 1) @ kernel), atol=1e-5)
    with tf.variable_scope('rnn_decoder'):
        again = tf.contrib.rnn.BasicRNNCell(5, reuse=True)
        same, _ = again(steps[0], again.zero_state(2, tf.float32))
    assert len(tf.global_variables()) == 2 and np.allclose(session.run(same), found[0])
""")


def test_eager() -> None:
    """Gradients of functions, by variables and by arguments."""
    from script import run

    run("""
import berth as tf
tf.enable_eager_execution()
tfe = tf.contrib.eager
w = tfe.Variable(3.0)
value, found = tfe.implicit_value_and_gradients(lambda x: w * w * x)(2.0)
assert float(value) == 18 and float(found[0][0]) == 12 and found[0][1] is w
assert float(tfe.implicit_gradients(lambda: w * 5.0)()[0][0]) == 5
assert [float(g) for g in tfe.gradients_function(lambda x, y: x * x * y)(3.0, 4.0)] == [24, 9]
assert [float(g) for g in tfe.gradients_function(lambda x, y: x * x * y, params=['y'])(3.0, 4.0)] == [9]
assert [int(x) for x in tfe.Iterator(tf.data.Dataset.range(3))] == [0, 1, 2]
class Net(tfe.Network):
    def __init__(self):
        super().__init__()
        self.one = self.track_layer(tf.layers.Dense(2))
    def call(self, x):
        return self.one(x)
net = Net()
assert net(tf.ones([1, 3])).shape == (1, 2) and len(net.variables) == 2
try: tfe.implicit_gradients(lambda: tf.constant(1.0))()
except ValueError as error: assert 'No trainable variables were accessed' in str(error)
""")


def test_words_and_settings(tmp_path: pathlib.Path) -> None:
    """Texts become rows of numbers; values of a model are read from texts."""
    from script import run

    run(f"""
import berth as tf
learn = tf.contrib.learn.preprocessing
made = learn.VocabularyProcessor(4)
rows = [row.tolist() for row in made.fit_transform(["the cat's here", 'a cat the cat is a cat'])]
assert rows == [[1, 2, 3, 0], [4, 5, 1, 5]], rows
assert len(made.vocabulary_) == 7
made.save({str(tmp_path / 'words')!r})
other = learn.VocabularyProcessor.restore({str(tmp_path / 'words')!r})
assert [row.tolist() for row in other.transform(['cat dog'])] == [[5, 0, 0, 0]]
assert list(other.reverse([[1, 5]])) == ['the cat']
rare = learn.VocabularyProcessor(3, min_frequency=1)
assert [row.tolist() for row in rare.fit_transform(['a b a', 'c b'])] == [[1, 2, 1], [0, 2, 0]]
h = tf.contrib.training.HParams(rate=0.1, layers=[1, 2], name='x', deep=True)
h.parse('rate=0.5,layers=[3,4,5],deep=false')
assert h.values() == {{'rate': 0.5, 'layers': [3, 4, 5], 'name': 'x', 'deep': False}}
assert str(h) == "[('deep', False), ('layers', [3, 4, 5]), ('name', 'x'), ('rate', 0.5)]"
for wrong in ('other=1', 'layers=3'):
    try: h.parse(wrong)
    except ValueError: continue
    raise AssertionError(wrong)
""")
