"""test_contrib_crf.py - tf.contrib.crf: beside sums over all rows of tags."""

from __future__ import annotations

from script import run


def test_sums() -> None:
    """Scores, their sums, the best rows and slopes are what going through all rows gives."""
    run("""
import itertools
import numpy as np
import berth as tf
crf = tf.contrib.crf
rs = np.random.RandomState(0)
lengths = [4, 1, 3, 0]
scores, between = rs.randn(4, 4, 3).astype(np.float32), rs.randn(3, 3).astype(np.float32)
tags = rs.randint(0, 3, [4, 4])
allowed = rs.rand(4, 4, 3) > .4
allowed[:, :, 0] = True

def of(row, example):
    return (sum(scores[example, i, tag] for i, tag in enumerate(row))
            + sum(between[a, b] for a, b in zip(row, row[1:])))
def rows(example, bitmap=None):
    return [row for row in itertools.product(range(3), repeat=lengths[example])
            if bitmap is None or all(bitmap[example, i, tag] for i, tag in enumerate(row))]
def together(bitmap=None):
    return [np.log(sum(np.exp(of(row, i)) for row in rows(i, bitmap))) for i in range(4)]

plain = [of(tags[i, :n], i) for i, n in enumerate(lengths)]
best = [max(rows(i), key=lambda row: of(row, i)) for i in range(4)]
for kind in (np.int32, np.int64):
    x, t = tf.constant(scores), tf.constant(tags.astype(kind))
    p = tf.get_variable(f'p{kind.__name__}', initializer=between)
    n = tf.constant(np.array(lengths, kind))
    likely, same = crf.crf_log_likelihood(x, t, n, p)
    assert same is p
    found = {'score': (crf.crf_sequence_score(x, t, n, p), plain), 'norm': (crf.crf_log_norm(x, n, p), together()),
             'likely': (likely, np.subtract(plain, together())),
             'unary': (crf.crf_unary_score(t, n, x),
                       [sum(scores[i, j, tags[i, j]] for j in range(m)) for i, m in enumerate(lengths)]),
             'binary': (crf.crf_binary_score(t, n, p),
                        [sum(between[tags[i, j], tags[i, j + 1]] for j in range(m - 1)) for i, m in enumerate(lengths)]),
             'several': (crf.crf_multitag_sequence_score(x, tf.constant(allowed), n, p), together(allowed))}
    decoded, top = crf.crf_decode(x, p, n)
    slope_x, slope_p = tf.gradients(crf.crf_log_norm(x, n, p), [x, p])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name, (tensor, expected) in found.items():
            value = session.run(tensor)
            assert value.dtype == np.float32 and np.allclose(value, expected, atol=1e-5), (name, value, expected)
        row, value = session.run([decoded, top])
        assert row.dtype == np.int32 and row.shape == (4, 4)
        for i, m in enumerate(lengths[:3]):
            assert tuple(row[i, :m]) == best[i] and not row[i, m:].any(), (i, row[i])
            assert np.isclose(value[i], of(best[i], i), atol=1e-5)
            one, its = crf.viterbi_decode(scores[i, :m], between)
            assert tuple(one) == best[i] and np.isclose(its, value[i], atol=1e-5)
        # The slope of the norm is how likely each tag, and each pair of tags, is.
        x_slope, p_slope = session.run([slope_x, slope_p])
    expected_x, expected_p = np.zeros([4, 4, 3]), np.zeros([3, 3])
    for i, norm in enumerate(together()):
        for row in rows(i):
            part = np.exp(of(row, i) - norm)
            for j, tag in enumerate(row): expected_x[i, j, tag] += part
            for a, b in zip(row, row[1:]): expected_p[a, b] += part
    assert np.allclose(x_slope, expected_x, atol=1e-5) and np.allclose(p_slope, expected_p, atol=1e-5)
""")


def test_training() -> None:
    """The scores between tags are a variable of TensorFlow's name; sequences of one step and unknown lengths do."""
    run("""
import numpy as np
import berth as tf
from berth.contrib.crf import crf_log_likelihood, crf_decode
x, t = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int32, [None, None])
n = tf.placeholder(tf.int32, [None])
with tf.variable_scope('top'):
    likely, between = crf_log_likelihood(x, t, n)
assert [v.name for v in tf.global_variables()] == ['top/transitions:0'] and between.shape.as_list() == [3, 3]
tags, _ = crf_decode(x, between, n)
train = tf.train.AdamOptimizer(.1).minimize(-tf.reduce_mean(likely))
first = np.zeros([2, 5, 3])
first[0, 0, 0] = first[1, 0, 2] = 1
feed = {x: first, t: [[0, 1, 2, 0, 1], [2, 0, 1, 0, 0]], n: [5, 3]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(200): session.run(train, feed)
    assert session.run(tags, feed).tolist() == [[0, 1, 2, 0, 1], [2, 0, 1, 0, 0]]
    short = {x: [[[1., 3., 2.]]], t: [[2]], n: [1]}
    value, row, slope = session.run([likely, tags, tf.gradients(likely, x)[0]], short)
    assert np.allclose(slope, [[np.array([0, 0, 1]) - np.exp([1, 3, 2]) / np.exp([1, 2, 3]).sum()]], atol=1e-6)
    assert row.tolist() == [[1]] and np.allclose(value, 2 - np.log(np.exp([1, 2, 3]).sum()), atol=1e-6)
""")
