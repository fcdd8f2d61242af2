"""test_estimator_together.py - Estimators whose models are trained by several replicas, on simulated cards."""

from __future__ import annotations

import pytest
from script import run

HEAD = """
import tempfile
import numpy as np
import berth as tf

x = np.random.RandomState(0).rand(64, 2).astype(np.float32)
y = (x @ np.array([[2.0], [-1.0]]) + 0.5).astype(np.float32)
strategy = tf.distribute.MirroredStrategy()
assert strategy.num_replicas_in_sync == 2

def model(features, labels, mode, params):
    w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    found = tf.matmul(features, w) + b
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'y': found})
    loss = tf.losses.mean_squared_error(labels, found, reduction=params['reduction']) \\
        if params['reduction'] else tf.reduce_mean(tf.square(found - labels))
    step = params['optimizer'].minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

def estimator(params, **config):
    config = tf.estimator.RunConfig(tempfile.mkdtemp(), save_checkpoints_steps=5, **config)
    return tf.estimator.Estimator(model, config=config, params=params)

def batches(size, asked=None):
    def input_fn(input_context=None):
        if asked is not None:
            asked.append(input_context and input_context.num_replicas_in_sync)
        return tf.data.Dataset.from_tensor_slices((x, y)).batch(size).repeat()
    return input_fn

def attempt(function):
    try:
        function()
    except Exception as error:
        return f'{type(error).__name__}: {error}'
"""
CARDS = {'BERTH_SIMULATE_GPUS': 'Tesla K40c*2', 'CUDA_VISIBLE_DEVICES': '0,1'}


@pytest.mark.parametrize('optimizer', ['GradientDescentOptimizer(0.01)', 'MomentumOptimizer(0.01, 0.5)',
                                       'AdamOptimizer(0.05)'])
@pytest.mark.parametrize('reduction', [None, 'weighted_sum', 'weighted_mean'])
def test_two_replicas_learn_what_one_does(optimizer: str, reduction: str) -> None:
    """With halves of its batches, and after a checkpoint, too."""
    run(HEAD + f"""
params = {{'optimizer': tf.train.{optimizer}, 'reduction': {reduction!r}}}
asked = []
two, one = estimator(params, train_distribute=strategy), estimator(params)
for steps in (7, 6):
    two.train(batches(8, asked), steps=steps)
    one.train(batches(16), steps=steps)
    assert two.get_variable_names() == one.get_variable_names()
    for name in one.get_variable_names():
        np.testing.assert_allclose(two.get_variable_value(name), one.get_variable_value(name), rtol=1e-5, atol=1e-6)
assert asked == [2, 2] and one.get_variable_value('global_step') == 13
np.testing.assert_allclose(two.evaluate(batches(16), steps=2)['loss'], one.evaluate(batches(16), steps=2)['loss'], 1e-5)
row = next(two.predict(lambda: tf.data.Dataset.from_tensors(x[:2])))['y']
np.testing.assert_allclose(row, x[0] @ two.get_variable_value('w') + two.get_variable_value('b'), 1e-5)
""", **CARDS)


def test_what_is_refused() -> None:
    """Input that is no dataset; evaluation by several replicas."""
    run(HEAD + """
params = {'optimizer': tf.train.GradientDescentOptimizer(0.01), 'reduction': None}
text = attempt(lambda: estimator(params, train_distribute=strategy).train(lambda: (tf.constant(x), tf.constant(y)), steps=1))
assert text == 'ValueError: dataset_fn() must return a tf.data.Dataset when using a tf.distribute.Strategy.', text
assert 'train_distribute' in attempt(lambda: tf.estimator.RunConfig(eval_distribute=strategy))
""", **CARDS)


def test_savers_restore_every_copy() -> None:
    """Of variables that are the same everywhere, and of sums that are divided."""
    run("""
import os, tempfile
import berth as tf
path = os.path.join(tempfile.mkdtemp(), 'model')
strategy = tf.distribute.MirroredStrategy()
with tf.Graph().as_default(), strategy.scope():
    v = tf.get_variable('v', [], initializer=tf.constant_initializer(3.0))
    total = tf.get_variable('total', [], initializer=tf.constant_initializer(4.0), aggregation=tf.VariableAggregation.SUM,
                            synchronization=tf.VariableSynchronization.ON_READ)
    copies = [list(strategy.experimental_local_results(each)) for each in (v, total)]
    for sharded in (False, True):
        saver = tf.train.Saver(sharded=sharded)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, path)
        assert dict(tf.train.list_variables(path)) == {'v': [], 'total': []}
        assert tf.train.load_variable(path, 'total') == 8.0
        with tf.Session() as session:
            saver.restore(session, path)
            assert session.run(copies) == [[3.0, 3.0], [4.0, 4.0]]
    again = tf.train.import_meta_graph(path + '.meta', import_scope='again')
    assert [each.name for each in tf.global_variables('again')] == ['again/v:0', 'again/total:0']
""", **CARDS)
