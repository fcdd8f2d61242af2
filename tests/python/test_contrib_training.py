"""test_contrib_training.py - slim.learning.train, slim.evaluation and tf.contrib.training: until the end, and again."""

from __future__ import annotations

import pathlib

from script import run


def test_slim(tmp_path: pathlib.Path) -> None:
    """A model is trained, saved and evaluated; a second program goes on where the first one ended."""
    program = f"""
import glob, os
import numpy as np
import berth as tf
slim, folder = tf.contrib.slim, {str(tmp_path)!r}
""" + """
lines = []
tf.logging.info = lambda text, *values: lines.append(text % values if values else text)
import berth.base.logging as log
log.info = tf.logging.info
def model():
    x = tf.constant(np.random.RandomState(0).randn(20, 3).astype(np.float32))
    y = slim.fully_connected(x, 1, activation_fn=None)
    return tf.losses.mean_squared_error(tf.reduce_sum(x, 1, keepdims=True) + 1, y)
loss = model()
tf.summary.scalar('loss', loss)
op = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(.2), summarize_gradients=True)
assert {v.op.name for v in tf.get_collection(tf.GraphKeys.SUMMARIES)} >= {
    'summarize_grads/fully_connected/weights_gradient', 'summarize_grads/fully_connected/biases_gradient_norm'}
seen = []
last = slim.learning.train(op, folder, number_of_steps=STEPS, log_every_n_steps=50, save_summaries_secs=1000,
                           init_fn=lambda session: seen.append(1))
assert os.path.exists(f'{folder}/model.ckpt-{STEPS}.index') and glob.glob(folder + '/events*'), os.listdir(folder)
steps = [line for line in lines if line.startswith('global step')]
assert [line.split(':')[0] for line in steps] == [f'global step {n}' for n in EXPECTED], lines
assert 'loss = ' in steps[0] and 'Finished training! Saving model to disk.' in lines
assert len(seen) == STARTS and last < LOSS, (seen, last)
if STARTS == 0:
    with tf.Graph().as_default():
        loss = model()
        mean, update = slim.metrics.streaming_mean(loss)
        tf.summary.scalar('average', mean)

        found = slim.evaluation.evaluate_once('', tf.train.latest_checkpoint(folder), folder + '/eval', num_evals=3,
                                              eval_op=update, final_op=[mean, tf.contrib.training.get_or_create_eval_step()])
        assert found[0] < LOSS and found[1] == 3, found
    with tf.Graph().as_default():
        mean, update = slim.metrics.streaming_mean(model())
        found = slim.evaluation.evaluation_loop('', folder, folder + '/eval', num_evals=2, eval_op=update, final_op=mean,
                                                eval_interval_secs=0, max_number_of_evaluations=1)
        assert found < LOSS
    events = [e for path in glob.glob(folder + '/eval/events*') for e in tf.train.summary_iterator(path)]
    found = [(e.step, [v.tag for v in e.summary.value]) for e in events]
    assert (250, ['average']) in found, found
"""
    run('STEPS, EXPECTED, STARTS, LOSS = 120, (50, 100), 1, .5\n' + program)
    run('STEPS, EXPECTED, STARTS, LOSS = 250, (150, 200, 250), 0, 1e-3\n' + program)


def test_training(tmp_path: pathlib.Path) -> None:
    """tf.contrib.training takes steps until a hook ends them, with gradients changed on the way."""
    run(f"""
folder = {str(tmp_path)!r}
""" + """
import numpy as np
import berth as tf
training = tf.contrib.training
x = tf.get_variable('x', initializer=np.float32([30, 40]))
seen = []
def transform(grads):
    seen.append(len(grads))
    return training.clip_gradient_norms_fn(1.)(grads)
op = training.create_train_op(tf.reduce_sum(tf.square(x)), tf.train.GradientDescentOptimizer(1.), transform_grads_fn=transform)
loss = training.train(op, folder, hooks=[tf.train.StopAtStepHook(5)])
assert seen == [1] and np.isclose(loss, 46. ** 2), loss  # Of length 50, and one shorter after each step.
with tf.Graph().as_default():
    x = tf.get_variable('x', [2])
    tf.train.get_or_create_global_step()
    found = training.evaluate_once(tf.train.latest_checkpoint(folder), eval_ops={'x': x}, final_ops=tf.norm(x),
                                   hooks=[training.StopAfterNEvalsHook(2)])
    assert np.isclose(found, 45.), found
for wrong in (dict(logdir=None), dict(logdir=None, save_summaries_steps=None)):
    try: training.train(op, **wrong)
    except ValueError as error: assert 'logdir cannot be None' in str(error)
    else: raise AssertionError(wrong)
assert next(training.checkpoints_iterator(folder)).endswith('model.ckpt-5')
assert training.wait_for_new_checkpoint(folder, tf.train.latest_checkpoint(folder), .01, .02) is None
""")
