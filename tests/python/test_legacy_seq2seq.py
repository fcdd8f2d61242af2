"""test_legacy_seq2seq.py - tf.contrib.legacy_seq2seq: models of sequences whose steps are in lists."""

from __future__ import annotations

import subprocess
import sys

from script import run

START = """
import numpy as np
import berth as tf
old, rnn = tf.contrib.legacy_seq2seq, tf.contrib.rnn
B, U, V, W = 2, 5, 4, 6
rs = np.random.RandomState(0)
def lists(steps, count): return [tf.constant(rs.randint(0, count, [B])) for _ in range(steps)]
def names(): return [v.op.name for v in tf.global_variables()]
def values(session):
    session.run(tf.global_variables_initializer())
    draw = np.random.RandomState(1)
    for v in tf.trainable_variables(): v.load(np.float32(draw.randn(*v.shape.as_list())), session)
    return {v.op.name: session.run(v) for v in tf.global_variables()}
def cell(w, scope, x, h): return np.tanh(np.concatenate([x, h], 1) @ w[scope + '/kernel'] + w[scope + '/bias'])
def product(w, scope, *x): return np.concatenate(x, 1) @ w[scope + '/kernel'] + w[scope + '/bias']
"""


def test_names() -> None:
    """Variables are called what TensorFlow 1.15 calls them."""
    run(START + """
def check(expected, function, values):
    tf.reset_default_graph()
    function(*values())
    assert names() == expected.split(), names()
made = lambda: [rnn.BasicRNNCell(U)]
steps = lambda: [[tf.ones([B, U])] * 3, [tf.ones([B, U])] * 2]
check('basic_rnn_seq2seq/rnn/basic_rnn_cell/kernel basic_rnn_seq2seq/rnn/basic_rnn_cell/bias '
      'basic_rnn_seq2seq/rnn_decoder/basic_rnn_cell/kernel basic_rnn_seq2seq/rnn_decoder/basic_rnn_cell/bias',
      old.basic_rnn_seq2seq, lambda: steps() + made())
tied = 'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/'
check(f'{tied}basic_rnn_cell/kernel {tied}basic_rnn_cell/bias', old.tied_rnn_seq2seq, lambda: steps() + made())
words = lambda *more: lambda: [lists(3, V), lists(2, W), *made(), *more]
a = 'embedding_rnn_seq2seq/'
b, c = f'{a}rnn/embedding_wrapper/', f'{a}embedding_rnn_decoder/'
d = f'{c}rnn_decoder/output_projection_wrapper/'
check(f'{b}embedding {b}basic_rnn_cell/kernel {b}basic_rnn_cell/bias {c}embedding {d}basic_rnn_cell/kernel '
      f'{d}basic_rnn_cell/bias {d}kernel {d}bias', old.embedding_rnn_seq2seq, words(V, W, 3))
a = 'embedding_tied_rnn_seq2seq/'
b = a + tied + 'output_projection_wrapper/'
check(f'{a}embedding {b}basic_rnn_cell/kernel {b}basic_rnn_cell/bias {b}kernel {b}bias',
      old.embedding_tied_rnn_seq2seq, words(W, 3))
a = 'embedding_attention_seq2seq/'
b, c = f'{a}rnn/embedding_wrapper/', f'{a}embedding_attention_decoder/'
d = f'{c}attention_decoder/'
e = f'{d}output_projection_wrapper/'
check(f'{b}embedding {b}basic_rnn_cell/kernel {b}basic_rnn_cell/bias {c}embedding {d}AttnW_0 {d}AttnV_0 {d}kernel '
      f'{d}bias {e}basic_rnn_cell/kernel {e}basic_rnn_cell/bias {e}kernel {e}bias {d}Attention_0/kernel '
      f'{d}Attention_0/bias {d}AttnOutputProjection/kernel {d}AttnOutputProjection/bias',
      old.embedding_attention_seq2seq, words(V, W, 3))
""")


def test_values() -> None:
    """Outputs of models, with and without feeding their own, are what numpy says."""
    run(START + """
read, written = lists(3, V), lists(3, W)
with tf.variable_scope('m'):
    plain, state = old.embedding_rnn_seq2seq(read, written, rnn.BasicRNNCell(U), V, W, 3)
def again(feeds):
    with tf.variable_scope('m', reuse=True):
        return old.embedding_rnn_seq2seq(read, written, rnn.BasicRNNCell(U), V, W, 3, feed_previous=feeds)
fed, _ = again(True)
flag = tf.placeholder(tf.bool, [])
both, last = again(flag)
with tf.Session() as session:
    w = values(session)
    steps = [session.run(x) for x in (read, written)]
    h = np.zeros([B, U])
    for x in steps[0]:
        h = cell(w, 'm/embedding_rnn_seq2seq/rnn/embedding_wrapper/basic_rnn_cell',
                 w['m/embedding_rnn_seq2seq/rnn/embedding_wrapper/embedding'][x], h)
    base = 'm/embedding_rnn_seq2seq/embedding_rnn_decoder/'
    def walk(feeds):
        at, out = h, []
        for i, x in enumerate(steps[1]):
            x = out[-1].argmax(1) if feeds and i else x
            at = cell(w, base + 'rnn_decoder/output_projection_wrapper/basic_rnn_cell', w[base + 'embedding'][x], at)
            out.append(product(w, base + 'rnn_decoder/output_projection_wrapper', at))
        return out, at
    for feeds, found in ((False, plain), (True, fed)):
        assert np.allclose(session.run(found), walk(feeds)[0], atol=1e-3), feeds
        assert np.allclose(session.run(both, {flag: feeds}), walk(feeds)[0], atol=1e-3), feeds
        assert np.allclose(session.run(last, {flag: feeds}), walk(feeds)[1], atol=1e-4), feeds
    assert not np.allclose(walk(True)[0], walk(False)[0])
    # Vectors of what was fed are learned only if that is asked for.
    touched = []
    for learns in (True, False):
        with tf.variable_scope(f'd{learns}'):
            made, _ = old.embedding_rnn_decoder([tf.constant([0, 0])] * 3, tf.ones([B, U]), rnn.OutputProjectionWrapper(
                rnn.BasicRNNCell(U), W), W, 3, feed_previous=True, update_embedding_for_previous=learns)
        table = tf.global_variables(f'd{learns}')[0]
        slope = tf.convert_to_tensor(tf.gradients(made[-1], table)[0])
        session.run(tf.variables_initializer(tf.global_variables(f'd{learns}')))
        tf.global_variables(f'd{learns}')[-1].load(np.float32([-9, 9, 0, 0, 0, 0]), session)
        touched.append((session.run(slope) != 0).any(1).tolist())
    assert touched == [[True, True] + [False] * 4, [True] + [False] * 5], touched
""")


def test_attention() -> None:
    """Steps look back by two heads, at the start already if that is asked for."""
    run(START + """
memory = tf.constant(rs.randn(B, 7, 3), tf.float32)
steps = [tf.constant(rs.randn(B, 4), tf.float32) for _ in range(3)]
start = tf.constant(rs.randn(B, U), tf.float32)
made = [old.attention_decoder(steps, start, memory, rnn.BasicRNNCell(U), 6, 2, initial_state_attention=early,
                              scope=f'm{early:d}') for early in (False, True)]
with tf.Session() as session:
    w = values(session)
    m, xs, h0 = session.run([memory, steps, start])
    for early in (False, True):
        base = f'm{early:d}/'
        def look(h):
            seen = []
            for head in '01':
                y = product(w, f'{base}Attention_{head}', h)
                s = (w[f'{base}AttnV_{head}'] * np.tanh(m @ w[f'{base}AttnW_{head}'][0, 0] + y[:, None])).sum(2)
                a = np.exp(s) / np.exp(s).sum(1, keepdims=True)
                seen.append(np.einsum('bt,btd->bd', a, m))
            return seen
        h, seen, out = h0, look(h0) if early else [np.zeros([B, 3])] * 2, []
        for x in xs:
            h = cell(w, base + 'basic_rnn_cell', product(w, base[:-1], x, *seen), h)
            seen = look(h)
            out.append(product(w, base + 'AttnOutputProjection', h, *seen))
        outputs, state = session.run(made[early])
        assert np.allclose(outputs, out, atol=1e-3) and np.allclose(state, h, atol=1e-4), early
for values, text in ((([], start, memory, None), 'Must provide at least 1 input to attention decoder.'),
                     ((steps, start, memory, rnn.BasicRNNCell(U), 6, 0), 'With less than 1 heads')):
    try: old.attention_decoder(*values)
    except ValueError as error: assert text in str(error)
    else: raise AssertionError(text)
""")


def test_buckets_learn() -> None:
    """One cell in models of two lengths, whose variables are shared: reading and writing keep their own."""
    run(START + """
tf.set_random_seed(0)
V, N, U = 6, 3, 24
read = [tf.placeholder(tf.int32, [None]) for _ in range(N)]
wanted = [*read, tf.ones_like(read[0])]
written = [tf.zeros_like(read[0]), *read]
weights = [tf.ones_like(x, tf.float32) for x in wanted]
cell = rnn.MultiRNNCell([rnn.GRUCell(U), rnn.GRUCell(U)])
def model(x, y): return old.embedding_attention_seq2seq(x, y, cell, V, V, 12)
outputs, losses = old.model_with_buckets(read, written, wanted, weights, [(2, 2), (N, N + 1)], model)
count = len(names())
assert [len(x) for x in outputs] == [2, 4] and count == 2 + 8 + 8 + 2 + 8, names()
train = tf.train.AdamOptimizer(.01).minimize(losses[1])
session = tf.Session()
session.run(tf.global_variables_initializer())
draw = lambda: dict(zip(read, rs.randint(2, V, [N, 32])))
first = session.run(losses, draw())
for _ in range(250): session.run(train, draw())
last = session.run(losses, draw())
assert first[1] > 1.5 and last[1] < .1 and last[0] < .1, (first, last)
try: old.model_with_buckets(read[:1], written, wanted, weights, [(2, 2)], model)
except ValueError as error:
    assert str(error) == 'Length of encoder_inputs (1) must be at least that of last bucket (2).'
else: raise AssertionError
""")


def test_cells_know_their_variables() -> None:
    """A copy of a cell that was called has none of its variables; getters of scopes go through one another."""
    run(START + """
import copy
asked = []
def getter(getter, name, *values, **more):
    asked.append(name)
    return getter(name, *values, **more)
cell = rnn.LSTMCell(U, use_peepholes=True)
with tf.variable_scope('a', custom_getter=getter):
    with tf.variable_scope('b', custom_getter=lambda getter, name, *v, **m: getter(name + '_', *v, **m)):
        outputs, _ = tf.nn.static_rnn(cell, [tf.ones([B, 3])] * 2, dtype=tf.float32)
    mine = rnn.EmbeddingWrapper(rnn.BasicRNNCell(U), V, 3)
    mine(tf.constant([1, 2]), tf.zeros([2, U]))
made = [f'a/b/rnn/lstm_cell/{x}_' for x in ('kernel', 'bias', 'w_f_diag', 'w_i_diag', 'w_o_diag')]
assert [v.op.name for v in cell.variables] == made and asked[:5] == made, (cell.variables, asked)
assert [v.op.name for v in mine.trainable_variables] == ['a/embedding_wrapper/' + x for x in (
    'embedding', 'basic_rnn_cell/kernel', 'basic_rnn_cell/bias')]
other = copy.deepcopy(cell)
assert other.variables == [] and not other.built and len(cell.variables) == 5
with tf.variable_scope('c'): other(tf.ones([B, 2]), other.zero_state(B, tf.float32))
assert other.variables[0].op.name == 'c/lstm_cell/kernel' and cell.variables[0].op.name == made[0]
""")


EARLY = """
import tensorflow as tf
given = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
cell = tf.nn.rnn_cell.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(4), 2)
def model(x, y): return tf.nn.seq2seq.embedding_attention_seq2seq(x, y, cell, 5, 2, 4)
out, losses = tf.nn.seq2seq.model_with_buckets(given, given, given, [tf.ones([2])] * 3, [(1, 1), (3, 3)], model)
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    print(all(x > 0 for x in session.run(losses, {x: [1, 0] for x in given})), tf.trainable_variables()[0].name)
"""


def test_early_names() -> None:
    """Before 1.0 these models were in tf.nn.seq2seq, and cells around cells in tf.nn.rnn_cell."""
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '-c', EARLY], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == 'True embedding_attention_seq2seq/rnn/embedding_wrapper/embedding:0\n'
