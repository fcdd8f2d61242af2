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


def test_buckets() -> None:
    """Batches are of sequences of about one length, padded to the longest, and all of them come out."""
    run("""
import numpy as np
import berth as tf
training = tf.contrib.training
n = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue() + 1
row = tf.fill([n], n)
lengths, found = training.bucket_by_sequence_length(n, {'x': row, 'n': n}, 3, [4, 9], dynamic_pad=True,
                                                    allow_smaller_final_batch=True)
assert found['x'].shape.as_list() == [None, None] and set(found) == {'x', 'n'}, found
m = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
which, (batch,) = training.bucket([m], m % 2, [2, 4], 2, keep_input=tf.not_equal(m, 6))
def all_of(fetches):
    rows = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True: rows.append(session.run(fetches))
        except tf.errors.OutOfRangeError: pass
        coordinator.request_stop(); coordinator.join(threads)
    return rows
seen = []
for at, got in all_of([lengths, found]):
    assert at.tolist() == got['n'].tolist() and got['x'].shape == (len(at), at.max()), (at, got)
    assert len({np.searchsorted([4, 9], length, side='right') for length in at}) == 1 and len(at) <= 3
    for length, values in zip(at, got['x']): assert values.tolist() == [length] * length + [0] * (at.max() - length)
    seen += at.tolist()
assert sorted(seen) == list(range(1, 13)), seen
pairs = sorted((int(w), b.tolist()) for w, b in all_of([which, batch]))
assert pairs == [(0, [0, 2]), (1, [1, 3, 5, 7])], pairs  # 4 is left without a partner: 6 was not kept.
for wrong, text in (([], 'must not be empty'), ([4, 3], 'sequential increasing lengths')):
    try: training.bucket_by_sequence_length(n, [row], 3, wrong)
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""")
