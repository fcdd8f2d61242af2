"""test_early.py - Programs for TensorFlow before 1.0 run with its names and arguments; others see nothing of it."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import oracle

OLD = '''
import glob, sys
import numpy as np
import tensorflow as tf
import beside

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.int64, [None])
a, b = tf.split(1, 2, x)
h = tf.concat(1, [beside.twice(a), tf.sub(b, 1.0), tf.neg(a)])
w = tf.Variable(tf.zeros([6, 3]))
logits = tf.matmul(h, w)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, y))
same = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits, tf.one_hot(y, 3)))
sigmoid = tf.nn.sigmoid_cross_entropy_with_logits(logits, tf.ones_like(logits))
tf.scalar_summary('loss', loss)
tf.histogram_summary('w', w)
tf.image_summary('images', tf.zeros([1, 2, 2, 3]))
merged = tf.merge_all_summaries()
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
one, two = tf.unpack(tf.pack([loss, loss * 2.0]))
others = [tf.select(tf.greater(a, 0), a, b), tf.reverse(a, [False, True]), tf.inv(a), tf.complex_abs(a),
          tf.concat_v2([a, b], 1), tf.image.resize_images(tf.ones([1, 2, 2, 1]), 4, 6),
          tf.batch_matmul(tf.ones([2, 3, 4]), tf.ones([2, 3, 4]), adj_y=True)]

rng = np.random.RandomState(0)
given = {x: rng.randn(8, 4).astype(np.float32), y: rng.randint(0, 3, 8)}
fa, fb = given[x][:, :2], given[x][:, 2:]
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    writer = tf.train.SummaryWriter(sys.argv[1], session.graph)
    weights = np.zeros([6, 3])
    fh = np.concatenate([2 * fa, fb - 1, -fa], 1)
    for i in range(4):
        summary, found, other, _ = session.run([merged, loss, same, step], given)
        writer.add_summary(summary, i)
        e = np.exp(fh @ weights)
        p = e / e.sum(1, keepdims=True)
        wanted = -np.log(p[np.arange(8), given[y]]).mean()
        assert abs(found - wanted) < 1e-5 and abs(other - wanted) < 1e-5, (found, other, wanted)
        weights -= 0.5 * fh.T @ (p - np.eye(3)[given[y]]) / 8
    writer.close()
    values = session.run(others, given)
    pair = session.run([one, two], given)
    assert abs(pair[1] - 2 * pair[0]) < 1e-6
    assert session.run(sigmoid, given).shape == (8, 3)
wanted = [np.where(fa > 0, fa, fb), fa[:, ::-1], 1 / fa, abs(fa), given[x], np.ones([1, 4, 6, 1]),
          np.full([2, 3, 3], 4.0)]
for found, value in zip(values, wanted):
    np.testing.assert_allclose(found, value, rtol=1e-6)
events = [v for e in tf.train.summary_iterator(glob.glob(sys.argv[1] + '/*')[0]) for v in e.summary.value]
assert [v.tag for v in events[:3]] == ['loss', 'w', 'images/image/0'] and len(events) == 12, events
print('done')
'''
BESIDE = '''
import tensorflow as tf

def twice(value):
    return tf.mul(value, 2.0)
'''
NEW = '''
import tensorflow as tf

with tf.Session() as session:
    print(session.run(tf.concat([[1], [2]], 0)).tolist())
for wrong in (lambda: tf.concat(0, [[1], [2]]), lambda: tf.mul(1, 2) if False else getattr(tf, 'mu' + 'l'),
              lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[1.0]], [0])):
    try:
        wrong()
        print('went')
    except (ValueError, TypeError, AttributeError) as error:
        print(type(error).__name__)
'''


def run(folder: pathlib.Path, program: str, *args: str) -> subprocess.CompletedProcess:
    """Runs a program as users do."""
    (folder / 'program.py').write_text(program)
    (folder / 'beside.py').write_text(BESIDE)
    return subprocess.run([sys.executable, '-m', 'berth', 'run', str(folder / 'program.py'), *args],
                          capture_output=True, text=True, env=oracle.base_environment(), check=False)


def test_program_of_2016(tmp_path: pathlib.Path) -> None:
    """Its names, its orders of arguments, its summaries."""
    done = run(tmp_path, OLD, str(tmp_path / 'logs'))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == 'done\n'
    assert 'with the names and arguments of TensorFlow before 1.0 (tf.' in done.stderr


def test_sign_beside_the_program(tmp_path: pathlib.Path) -> None:
    """One of its modules says enough."""
    done = run(tmp_path, 'import tensorflow as tf\nimport beside\n'
                         'with tf.Session() as s:\n    print(s.run(tf.concat(0, [beside.twice([1.0]), [3.0]])))\n')
    assert done.stdout == '[2. 3.]\n', done.stderr[-2000:]


def test_other_programs(tmp_path: pathlib.Path) -> None:
    """What TF1 refuses is refused."""
    done = run(tmp_path, NEW.replace("tf.mul(1, 2) if False else ", ''))
    assert done.stdout.splitlines()[0] == '[1, 2]', done.stderr[-2000:]
    assert done.stdout.splitlines()[2] == 'AttributeError'
    assert 'went' not in done.stdout
    assert 'before 1.0' not in done.stderr


def test_axis_before_tensors(tmp_path: pathlib.Path) -> None:
    """A number where TF1 has tensors says enough; a name or a list there says nothing, nor does a lambda."""
    start = 'import tensorflow as tf\nx = tf.placeholder_with_default([[1, 2, 3, 4]], [1, 4])\n'
    end = 'print(tf.Session().run(y).tolist())\n'
    done = run(tmp_path, start + 'y = tf.concat(-1, [tf.split(1, 2, x)[1], x])\n' + end)
    assert done.stdout == '[[3, 4, 1, 2, 3, 4]]\n', done.stderr[-2000:]
    assert 'before 1.0 (tf.concat(axis, …) in' in done.stderr
    done = run(tmp_path, start + 'wrong = lambda: tf.concat(0, [x])\na = x\ny = tf.concat([tf.split(a, 2, 1)[1], x], -1)\n' + end)
    assert done.stdout == '[[3, 4, 1, 2, 3, 4]]\n', done.stderr[-2000:]
    assert 'before 1.0' not in done.stderr


def test_places(tmp_path: pathlib.Path) -> None:
    """Logits and labels without names come in the order of that time; decoders of sequences are where they were."""
    done = run(tmp_path, 'import tensorflow as tf\nx, y = tf.constant([[1.0, 3.0]]), tf.constant([[1.0, 0.0]])\n'
                         'train = tf.train.GradientDescentOptimizer(0.1).minimize\n'
                         'losses = [tf.nn.softmax_cross_entropy_with_logits(x, y), tf.gradients(\n'
                         '    tf.nn.sparse_softmax_cross_entropy_with_logits(x, [1]), x)[0],\n'
                         '    tf.nn.seq2seq.sequence_loss([x], [tf.constant([0])], [tf.ones([1])])]\n'
                         'print(*[(1000 * v).round().astype(int).tolist() for v in tf.Session().run(losses)])\n')
    assert done.stdout == '[2127] [[119, -119]] 2127\n', done.stderr[-2000:]
    assert 'before 1.0 (tf.nn.softmax_cross_entropy_with_logits(logits, labels) in' in done.stderr
