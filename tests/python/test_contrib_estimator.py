"""test_contrib_estimator.py - tf.contrib.estimator: training that ends early, and estimators around others."""

from __future__ import annotations

import pathlib

from script import run

MODEL = '''
import numpy as np
import berth as tf
tf.logging.set_verbosity(tf.logging.ERROR)
e = tf.contrib.estimator
def model_fn(features, labels, mode):
    w = tf.get_variable('w', initializer=0.)
    loss = tf.square(w - 10.) if labels is not None else None
    step = tf.train.GradientDescentOptimizer(.05).minimize(loss, tf.train.get_global_step()) if labels is not None else None
    return tf.estimator.EstimatorSpec(mode, {'y': features['x'] * w}, loss, step)
def input_fn(): return tf.data.Dataset.from_tensors(({'x': [1., 2.]}, [0., 0.])).repeat()
def once(): return tf.data.Dataset.from_tensors(({'x': [1., 2.]}, [0., 0.]))
'''


def test_stopping(tmp_path: pathlib.Path) -> None:
    """Training ends once a metric is where it should be, or has got no better for so many steps."""
    run(MODEL + f"""
folder = {str(tmp_path)!r}
""" + """
def written(name, values):
    writer = tf.summary.FileWriter(folder + '/' + name)
    for step, value in values:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=value)]), step)
    writer.close()
    return folder + '/' + name
falls = written('falls', [(10, 5.), (20, 3.), (30, 3.5), (40, 3.)])
assert dict(e.read_eval_metrics(falls)) == {10: {'loss': 5.}, 20: {'loss': 3.}, 30: {'loss': 3.5}, 40: {'loss': 3.}}
def steps_with(make, *args, **named):
    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(dir=folder))
    hook = make(estimator, 'loss', *args, eval_dir=falls, run_every_secs=None, run_every_steps=2, **named)
    estimator.train(input_fn, hooks=[hook], steps=7)
    return estimator.get_variable_value('global_step'), estimator.get_variable_value('signal_early_stopping/STOP')
import tempfile
early, whole = (1, True), (7, False)
for expected, found in (
        (early, steps_with(e.stop_if_no_decrease_hook, 20)), (whole, steps_with(e.stop_if_no_decrease_hook, 21)),
        (early, steps_with(e.stop_if_no_increase_hook, 30)), (whole, steps_with(e.stop_if_no_increase_hook, 30, min_steps=15)),
        (early, steps_with(e.stop_if_lower_hook, 3.1)), (whole, steps_with(e.stop_if_lower_hook, 3.)),
        (early, steps_with(e.stop_if_higher_hook, 4.)), (whole, steps_with(e.stop_if_higher_hook, 4., min_steps=11))):
    assert found == expected, (found, expected)
estimator = tf.estimator.Estimator(model_fn, folder + '/own')
asked = []
hook = tf.estimator.experimental.make_early_stopping_hook(
    estimator, lambda: asked.append(1) or len(asked) > 2, run_every_secs=None, run_every_steps=2)
estimator.train(input_fn, hooks=[hook], steps=20)
assert len(asked) == 3 and estimator.get_variable_value('global_step') == 5
for wrong, kind in ((dict(should_stop_fn=3), TypeError), (dict(should_stop_fn=len, run_every_steps=3), ValueError)):
    try: e.make_early_stopping_hook(estimator, **wrong)
    except kind: continue
    raise AssertionError(wrong)
""")


def test_in_memory(tmp_path: pathlib.Path) -> None:
    """A model is evaluated while it is trained, with its variables as they are."""
    run(MODEL + f"""
folder = {str(tmp_path)!r}
""" + """
estimator = tf.estimator.Estimator(model_fn, folder)
hook = e.InMemoryEvaluatorHook(estimator, input_fn, steps=3, name='mine', every_n_iter=2)
estimator.train(input_fn, hooks=[hook], steps=5)
found = e.read_eval_metrics(estimator.eval_dir('mine'))
w, expected = 0., {}
for step in range(6):
    expected[step] = (w - 10) ** 2
    w += .1 * (10 - w)
assert set(found) == {0, 2, 4, 5}, found
assert all(np.isclose(found[step]['loss'], expected[step]) for step in found), (found, expected)
try: e.InMemoryEvaluatorHook(estimator, once, every_n_iter=0)
except ValueError as error: assert 'invalid every_n_iter=0' in str(error)
else: raise AssertionError
""")


def test_around(tmp_path: pathlib.Path) -> None:
    """Estimators report more, predict more, and take shorter steps; heads make losses and predictions."""
    run(MODEL + f"""
folder = {str(tmp_path)!r}
""" + """
base = tf.estimator.Estimator(model_fn, folder)
base.train(input_fn, steps=2)
more = e.add_metrics(base, lambda predictions, labels: {'mean': tf.metrics.mean(predictions['y'] - labels)})
found = more.evaluate(once)
assert np.isclose(found['mean'], 1.9 * 1.5) and 'loss' in found, found
assert tf.estimator.add_metrics is e.add_metrics
forward = e.forward_features(base, 'x')
assert [(float(each['x']), round(float(each['y']), 4)) for each in forward.predict(once)] == [(1., 1.9), (2., 3.8)]
for call, text in ((lambda: e.add_metrics(base, lambda other: 1), 'not expected args'),
                   (lambda: list(e.forward_features(base, 'z').predict(once)), 'Key "z" is not in features'),
                   (lambda: e.forward_features(base, [1]), 'a string or a list of strings')):
    try: call()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
x = tf.get_variable('x', initializer=np.float32([3, 4]))
short = e.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.), 1.)
assert short.get_name() == 'ClipByNormGradientDescent'
step = short.minimize(tf.reduce_sum(x * [3., 4.]))
logits = np.float32([[1, 2, 0], [0, 1, 3]])
head = e.multi_class_head(3)
spec = head.create_estimator_spec({}, 'eval', tf.constant(logits), tf.constant([[1], [0]]))
two = e.binary_classification_head().create_estimator_spec({}, 'infer', tf.constant([[-1.], [2.]]))
line = e.regression_head().create_estimator_spec({}, 'eval', tf.constant([[1.], [2.]]), tf.constant([[2.], [4.]]))
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(step)
    assert np.allclose(session.run(x), [3 - .6, 4 - .8])
    losses = np.log(np.exp(logits).sum(1)) - logits[[0, 1], [1, 0]]
    assert np.isclose(session.run(spec.loss), losses.mean())
    assert np.allclose(session.run(two.predictions['logistic']), 1 / (1 + np.exp([[1.], [-2.]])))
    assert np.isclose(session.run(line.loss), 2.5)
""")
