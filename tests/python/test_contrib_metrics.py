"""test_contrib_metrics.py - Metrics of tf.contrib over two batches: what numpy says of both together."""

from __future__ import annotations

from script import run


def test_streams() -> None:
    """Counts, rates, ranks, rows and covariances add up."""
    run("""
import numpy as np
import berth as tf
m = tf.contrib.slim.metrics
rs = np.random.RandomState(0)
labels, guesses = rs.rand(2, 6) > .4, rs.rand(2, 6) > .5
x, y, w = rs.randn(2, 6), rs.randn(2, 6), rs.rand(2, 6)
scores, classes = rs.rand(2, 4, 5).astype(np.float32), rs.randint(0, 5, [2, 4])
feeds = {name: tf.placeholder(value.dtype, value.shape[1:]) for name, value in (
    ('labels', labels), ('guesses', guesses), ('x', x), ('y', y), ('w', w), ('scores', scores), ('classes', classes))}
f = type('F', (), feeds)
right = np.stack([scores[i, j].argsort()[::-1][:2].tolist().__contains__(classes[i, j]) for i in (0, 1) for j in range(4)])
tp, fp = (labels & guesses).sum(), (~labels & guesses).sum()
fn, tn = (labels & ~guesses).sum(), (~labels & ~guesses).sum()
cov = np.cov(x.ravel(), y.ravel(), aweights=None)
wide = w.ravel()
def weighted(a, b):
    a, b = a.ravel(), b.ravel()
    return (wide * (a - np.average(a, weights=wide)) * (b - np.average(b, weights=wide))).sum() / (wide.sum() - 1)
cases = {
    'tp': (m.streaming_true_positives(f.guesses, f.labels), tp), 'fp': (m.streaming_false_positives(f.guesses, f.labels), fp),
    'fn': (m.streaming_false_negatives(f.guesses, f.labels), fn), 'tn': (m.streaming_true_negatives(f.guesses, f.labels), tn),
    'fpr': (m.streaming_false_positive_rate(f.guesses, f.labels), fp / (fp + tn)),
    'fnr': (m.streaming_false_negative_rate(f.guesses, f.labels), fn / (fn + tp)),
    'at': (m.streaming_true_positives_at_thresholds(tf.sigmoid(f.x), f.labels, [.5]), [(labels & (x > 0)).sum()]),
    'recall': (m.streaming_recall_at_k(f.scores, f.classes, 2), right.mean()),
    'sparse': (m.streaming_sparse_recall_at_k(f.scores, f.classes[:, None], 2), right.mean()),
    'precision': (m.streaming_sparse_precision_at_k(f.scores, f.classes[:, None], 2), right.mean() / 2),
    'top': (m.streaming_sparse_precision_at_top_k(tf.nn.top_k(f.scores, 2)[1], f.classes[:, None]), right.mean() / 2),
    'count': (m.count(f.x), 12), 'weights': (m.count(f.x, f.w), w.sum()),
    'rows': (m.streaming_concat(f.scores), scores.reshape(8, 5)),
    'some': (m.streaming_concat(f.scores, max_size=5), scores.reshape(8, 5)[:5]),
    'side': (m.streaming_concat(f.scores, axis=1), np.concatenate(list(scores), 1)),
    'cov': (m.streaming_covariance(f.x, f.y), cov[0, 1]), 'wcov': (m.streaming_covariance(f.x, f.y, f.w), weighted(x, y)),
    'pearson': (m.streaming_pearson_correlation(f.x, f.y), np.corrcoef(x.ravel(), y.ravel())[0, 1]),
    'wpearson': (m.streaming_pearson_correlation(f.x, f.y, f.w),
                 weighted(x, y) / np.sqrt(weighted(x, x) * weighted(y, y)))}
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    assert np.isnan(session.run(cases['cov'][0][0]))
    for i in (0, 1):
        given = {'labels': labels, 'guesses': guesses, 'x': x, 'y': y, 'w': w, 'scores': scores, 'classes': classes}
        updates = session.run({name: pair[0][1] for name, pair in cases.items()},
                              {feeds[name]: value[i] for name, value in given.items()})
    for name, (pair, expected) in cases.items():
        for found in (session.run(pair[0]), updates[name]):
            assert np.shape(found) == np.shape(expected) and np.allclose(found, expected, atol=1e-5), (name, found, expected)
""")
