"""test_cudnn_rnn.py - tf.contrib.cudnn_rnn on any device, states that are saved, and modules by their old places."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from script import run

START = """
import numpy as np
import berth as tf
cudnn, rnn = tf.contrib.cudnn_rnn, tf.contrib.rnn
T, B, D, U = 5, 3, 4, 6
rs = np.random.RandomState(0)
x, lengths = rs.randn(T, B, D).astype(np.float32), [5, 2, 3]
def draw(session):
    session.run(tf.global_variables_initializer())
    for v in tf.global_variables(): v.load(np.float32(rs.randn(*v.shape.as_list())), session)
"""


def test_layers(tmp_path: pathlib.Path) -> None:
    """Layers give what compatible cells do that read their checkpoint, forwards and in both directions."""
    run(START + f"PLACE = {str(tmp_path)!r}" + """
for kind, make in (('LSTM', cudnn.CudnnCompatibleLSTMCell), ('GRU', cudnn.CudnnCompatibleGRUCell),
                   ('RNNTanh', rnn.BasicRNNCell), ('RNNRelu', lambda n: rnn.BasicRNNCell(n, tf.nn.relu))):
    for both in (False, True):
        tf.reset_default_graph()
        layer = getattr(cudnn, 'Cudnn' + kind)(2, U, direction='bidirectional' if both else 'unidirectional')
        rows = 4 if both else 2
        starts = tuple(rs.randn(rows, B, U).astype(np.float32) for _ in range(2 if kind == 'LSTM' else 1))
        outputs, state = layer(x, initial_state=starts, sequence_lengths=lengths, training=False)
        swapped = layer(x.swapaxes(0, 1), initial_state=tuple(s.swapaxes(0, 1) for s in starts), time_major=False,
                        sequence_lengths=lengths)
        scope = tf.trainable_variables()[0].op.name.split('/')[0]
        assert scope == {'LSTM': 'cudnn_lstm', 'GRU': 'cudnn_gru', 'RNNTanh': 'cudnn_rnn_tanh',
                         'RNNRelu': 'cudnn_rnn_relu'}[kind]
        assert layer.trainable_variables == tf.trainable_variables() and outputs.shape == (T, B, U * (1 + both))
        with tf.Session() as session:
            draw(session)
            saved = tf.train.Saver().save(session, f'{PLACE}/{kind}{both}')
            found, ends, other, turned = session.run([outputs, state, *swapped])
        assert np.allclose(found, other.swapaxes(0, 1)), kind
        assert all(np.allclose(one, two.swapaxes(0, 1)) for one, two in zip(ends, turned))
        names = [v.op.name for v in tf.global_variables()]
        tf.reset_default_graph()
        parts = [rnn.LSTMStateTuple(c, h) for h, c in zip(*starts)] if kind == 'LSTM' else list(starts[0])
        with tf.variable_scope(scope):
            if both:
                wanted, fw, bw = rnn.stack_bidirectional_dynamic_rnn(
                    [make(U) for _ in range(2)], [make(U) for _ in range(2)], x, parts[::2], parts[1::2],
                    sequence_length=lengths, time_major=True)
                last = [fw[0], bw[0], fw[1], bw[1]]
            else:
                cells = rnn.MultiRNNCell([make(U) for _ in range(2)])
                wanted, last = tf.nn.dynamic_rnn(cells, x, lengths, tuple(parts), time_major=True)
        assert names == [v.op.name for v in tf.global_variables()], names
        with tf.Session() as session:
            tf.train.Saver().restore(session, saved)
            wanted, last = session.run([wanted, list(last)])
        assert np.allclose(found, wanted, atol=1e-4), (kind, both)
        last = [[s.h for s in last], [s.c for s in last]] if kind == 'LSTM' else [last]
        assert len(ends) == len(last)
        for one, two in zip(ends, last): assert np.allclose(one, two, atol=1e-4), (kind, both)
        assert (found[2:, 1] == 0).all()
""")


def test_cells_and_starts() -> None:
    """The cell of a GRU is what numpy says; kernels start block by block; values are lost in training alone."""
    run(START + """
def sigmoid(x): return 1 / (1 + np.exp(-x))
cell = cudnn.CudnnCompatibleGRUCell(U)
h = rs.randn(B, U).astype(np.float32)
output, _ = cell(tf.constant(x[0]), tf.constant(h))
names = [v.op.name for v in tf.global_variables()]
assert names == ['cudnn_compatible_gru_cell/' + n for n in (
    'gates/kernel', 'gates/bias', 'candidate/input_projection/kernel', 'candidate/hidden_projection/kernel',
    'candidate/input_projection/bias', 'candidate/hidden_projection/bias')], names
with tf.Session() as session:
    draw(session)
    g, b, ki, kh, bi, bh = session.run(tf.global_variables())
    r, u = np.split(sigmoid(np.concatenate([x[0], h], 1) @ g + b), 2, 1)
    new = np.tanh(x[0] @ ki + bi + r * (h @ kh + bh))
    assert np.allclose(session.run(output), u * h + (1 - u) * new, atol=1e-4)
lstm = cudnn.CudnnLSTM(1, 40)
lstm(tf.zeros([T, B, 200]))
one = tf.ones_initializer()
ones = cudnn.CudnnGRU(2, U, kernel_initializer=one, bias_initializer=one)
ones(x)
lossy = cudnn.CudnnRNNRelu(2, U, dropout=.5)
calm, wild = (lossy(x, training=training)[0] for training in (False, True))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    kernel, bias = session.run(lstm.trainable_variables)
    upper, lower = kernel[:200], kernel[200:]
    assert (bias == 0).all() and kernel.shape == (240, 160)
    for block, bound in ((upper, np.sqrt(6 / 240)), (lower, np.sqrt(6 / 80))):
        assert .98 * bound < abs(block).max() < 1.0001 * bound, (abs(block).max(), bound)
    assert not np.allclose(upper[:, :40], upper[:, 40:80])
    assert all((session.run(v) == 1).all() for v in ones.trainable_variables)
    assert np.array_equal(session.run(calm), session.run(calm))
    assert not np.allclose(session.run(wild), session.run(wild))
    assert not np.allclose(*session.run([calm, wild]))
for wrong, kind, text in ((dict(direction='up'), ValueError, 'Invalid direction: up'),
                          (dict(input_mode='skip_input'), NotImplementedError, "has no input_mode 'skip_input'"),
                          (dict(dtype=tf.int32), ValueError, 'Only support float16, float32, float64')):
    try: cudnn.CudnnLSTM(1, U, **wrong)
    except kind as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


def test_saved_states() -> None:
    """A run goes on where the last one stopped: states are read and saved by name."""
    run(START + """
class Saver:
    def __init__(self): self.made = {name: tf.get_variable(name, [B, U], initializer=tf.zeros_initializer(),
                                                           trainable=False) for name in 'ch'}
    def state(self, name): return self.made[name] + 0
    def save_state(self, name, value): return self.made[name].assign(value)
saver, cell = Saver(), rnn.LSTMCell(U)
given = tf.placeholder(tf.float32, [2, B, D])
outputs, state = tf.nn.static_state_saving_rnn(cell, tf.unstack(given), saver, ('c', 'h'))
whole, _ = tf.nn.static_rnn(cell, tf.unstack(tf.constant(x[:4])), dtype=tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first = session.run(outputs[-1], {given: x[:2]})
    second, last = session.run([outputs[-1], state], {given: x[2:4]})
    wanted = session.run(whole)
    assert np.allclose(first, wanted[1], atol=1e-5) and np.allclose(second, wanted[3], atol=1e-5)
    assert np.allclose(session.run(saver.made['c']), last.c) and np.allclose(last.h, wanted[3], atol=1e-5)
for names, text in (('c', 'should be the same type as `cell.state_size`'), (('c',), 'with 1 elements and cell.state')):
    try: tf.nn.static_state_saving_rnn(cell, tf.unstack(given), saver, names)
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


PROGRAM = """
import tensorflow as tf
from tensorflow.contrib.cudnn_rnn.python.layers import cudnn_rnn
from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq
from tensorflow.contrib.rnn.python.ops import core_rnn_cell, lstm_ops
from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _Linear
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import BahdanauAttention
from tensorflow.contrib.seq2seq.python.ops import decoder
from tensorflow.python.layers import base, convolutional, core as layers_core
from tensorflow.python.layers.core import Dense
from tensorflow.python.ops.rnn_cell_impl import LSTMStateTuple
assert layers_core.Dense is Dense is tf.layers.Dense and base.Layer is tf.layers.Layer
assert convolutional.conv2d is tf.layers.conv2d and LSTMStateTuple is tf.nn.rnn_cell.LSTMStateTuple
s2s = tf.contrib.seq2seq
assert s2s.BahdanauAttention is BahdanauAttention and decoder.dynamic_decode is s2s.dynamic_decode
assert cudnn_rnn.CudnnLSTM is tf.contrib.cudnn_rnn.CudnnLSTM and lstm_ops.LSTMBlockCell is tf.contrib.rnn.LSTMBlockCell
assert seq2seq.model_with_buckets is tf.contrib.legacy_seq2seq.model_with_buckets
given = [tf.ones([2, 3]), tf.ones([2, 2])]
with tf.variable_scope('a'): product = core_rnn_cell._Linear(given, 4, True)
made = product(given)
assert made.shape == (2, 4) and [v.op.name for v in tf.global_variables()] == ['a/kernel', 'a/bias']
try: decoder.nothing
except AttributeError as error: print(error)
"""


def test_old_places() -> None:
    """Programs import modules that tensorflow.contrib had below python.ops, and layers below tensorflow.python."""
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf1', '-c', PROGRAM], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "module 'tensorflow.contrib.seq2seq' has no attribute 'nothing'\n"
