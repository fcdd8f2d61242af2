"""test_estimator.py - tf.estimator: training, evaluation, predictions, and what they log.

TensorFlow has no tf.estimator since version 2.16: the texts are those of 2.15.
"""

from __future__ import annotations

from script import run

HEAD = """
import logging, re, sys, tempfile
import numpy as np
import berth as tf

folder = tempfile.mkdtemp()
x = np.random.RandomState(0).rand(64, 2).astype(np.float32)
y = (x @ np.array([[2.0], [-1.0]]) + 0.5).astype(np.float32)

def model(features, labels, mode, params):
    x = features['x'] if isinstance(features, dict) else features
    w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    found = tf.matmul(x, w) + b
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'y': found, 'twice': found * 2.0})
    loss = tf.reduce_mean(tf.square(found - labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={'error': tf.metrics.mean(tf.abs(found - labels))})
    step = tf.train.GradientDescentOptimizer(params['rate']).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

def estimator(**config):
    config = tf.estimator.RunConfig(folder, save_checkpoints_steps=100, **config)
    return tf.estimator.Estimator(model, config=config, params={'rate': 0.3})

def batches(epochs=1, shuffle=False, size=16):
    return tf.estimator.inputs.numpy_input_fn({'x': x}, y, size, epochs, shuffle)

def lines():
    out = []
    handler = logging.Handler()
    handler.emit = lambda record: out.append(re.sub(
        r'[0-9.]+ sec|(?<=/sec: )\\S+|(?<=at )2\\S+|[0-9.]+s$', 'N', record.getMessage()).replace(folder, 'FOLDER'))
    logging.getLogger('tensorflow').addHandler(handler)
    tf.logging.set_verbosity(tf.logging.INFO)
    return out

def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f'{type(error).__name__}: {error}')
"""


def check(code: str) -> None:
    """Runs |code|, which asserts, as TF1."""
    run(HEAD + code)


def test_train_evaluate_predict() -> None:
    """What one of them learns, the others use."""
    check("""
whole = estimator()
assert whole.latest_checkpoint() is None
assert whole.train(batches(None, True), steps=250) is whole
assert whole.latest_checkpoint().endswith('model.ckpt-250')
found = whole.evaluate(batches())
assert found['global_step'] == 250 and found['loss'] < 1e-4 and found['error'] < 0.01, found
again = estimator()
rows = list(again.predict(tf.estimator.inputs.numpy_input_fn({'x': x[:5]}, shuffle=False), predict_keys=['y']))
assert [list(row) for row in rows] == [['y']] * 5
assert np.allclose([row['y'] for row in rows], y[:5], atol=0.01)
whole = list(again.predict(tf.estimator.inputs.numpy_input_fn(x[:5], shuffle=False), yield_single_examples=False))
assert len(whole) == 1 and whole[0]['twice'].shape == (5, 1)
assert sorted(again.get_variable_names()) == ['b', 'global_step', 'w']
assert np.allclose(again.get_variable_value('w').ravel(), [2.0, -1.0], atol=0.02)
again.train(batches(None), max_steps=260)
assert again.get_variable_value('global_step') == 260
""")


def test_log() -> None:
    """The lines that people look for."""
    check("""
told = lines()
one = estimator(log_step_count_steps=2)
del told[:]
one.train(batches(None), steps=4)
seen = [line for line in told if 'FileWriter' not in line]
assert seen[:3] == ['Calling model_fn.', 'Done calling model_fn.', 'Create CheckpointSaverHook.'], seen
for line in ('Graph was finalized.', 'Running local_init_op.', 'Done running local_init_op.',
             'Saving checkpoints for 0 into FOLDER/model.ckpt.', 'global_step/sec: N',
             'Saving checkpoints for 4 into FOLDER/model.ckpt.'):
    assert line in seen, (line, seen)
steps = [line for line in seen if line.startswith('loss = ')]
assert [re.sub(r'[0-9.e-]+,', 'L,', line) for line in steps] == ['loss = L, step = 1', 'loss = L, step = 3 (N)'], steps
assert re.fullmatch(r'Loss for final step: \\S+\\.', seen[-1])
del told[:]
found = one.evaluate(batches(), steps=2, name='again')
assert 'Starting evaluation at N' in told and 'Finished evaluation at N' in told, told
assert 'Evaluation [1/2]' in told and 'Evaluation [2/2]' in told
text = f"error = {found['error']!s}, global_step = 4, loss = {found['loss']!s}"
assert f'Saving dict for global step 4: {text}' in told, told
assert told[-1] == "Saving 'checkpoint_path' summary for global step 4: FOLDER/model.ckpt-4"
assert one.eval_dir('again').endswith('/eval_again') and one.eval_dir().endswith('/eval')
""")


def test_train_and_evaluate() -> None:
    """Evaluates after checkpoints; goes on where it was; takes datasets."""
    check("""
told = lines()
def dataset():
    return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(16)
def once():
    return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).batch(16)
found, exported = tf.estimator.train_and_evaluate(
    estimator(), tf.estimator.TrainSpec(dataset, max_steps=250),
    tf.estimator.EvalSpec(once, steps=None, throttle_secs=0))
assert found['global_step'] == 250 and found['loss'] < 1e-3 and exported == []
steps = [line.split(':')[0] for line in told if line.startswith('Saving dict')]
assert steps == [f'Saving dict for global step {n}' for n in (100, 200, 250)], steps
assert 'Running training and evaluation locally (non-distributed).' in told
estimator().train(dataset, max_steps=250)
assert told[-1] == 'Skipping training since max_steps has already saved.'
""")


def test_version_2() -> None:
    """The same in a program of TF2."""
    run("""
import tempfile
import numpy as np
import berth as tf

x = np.random.RandomState(0).rand(64, 2).astype(np.float32)
y = (x @ np.array([[2.0], [-1.0]]) + 0.5).astype(np.float32)

def model(features, labels, mode):
    found = tf.compat.v1.layers.dense(features, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=found)
    loss = tf.reduce_mean(tf.square(found - labels))
    step = tf.compat.v1.train.get_global_step()
    train = None if mode == tf.estimator.ModeKeys.EVAL else tf.compat.v1.train.AdamOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

whole = tf.estimator.Estimator(model, tempfile.mkdtemp(), tf.estimator.RunConfig(tf_random_seed=1))
whole.train(lambda: tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16), steps=200)
found = whole.evaluate(lambda: tf.data.Dataset.from_tensor_slices((x, y)).batch(16))
assert found['global_step'] == 200 and found['loss'] < 1e-4, found
rows = list(whole.predict(lambda: tf.data.Dataset.from_tensor_slices(x[:3]).batch(2)))
assert np.allclose(rows, y[:3], atol=0.02), rows
assert tf.executing_eagerly()
""", "2")


def test_specs() -> None:
    """What is refused, in words."""
    check("""
import contextlib, io
out = io.StringIO()
keys = tf.estimator.ModeKeys
one = tf.constant(1.0)
with contextlib.redirect_stdout(out):
    attempt(lambda: tf.estimator.EstimatorSpec(keys.TRAIN, loss=one))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.TRAIN, loss=one, train_op=3))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.EVAL))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.PREDICT))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.EVAL, loss=2.0))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.EVAL, loss=one, eval_metric_ops=[1]))
    attempt(lambda: tf.estimator.EstimatorSpec(keys.EVAL, loss=one, eval_metric_ops={'a': one}))
    attempt(lambda: tf.estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1))
    attempt(lambda: tf.estimator.inputs.numpy_input_fn(x))
    attempt(lambda: tf.estimator.inputs.numpy_input_fn({}, shuffle=True)())
    attempt(lambda: tf.estimator.inputs.numpy_input_fn(3, shuffle=True)())
    attempt(lambda: tf.estimator.TrainSpec(3))
    attempt(lambda: tf.estimator.TrainSpec(print, max_steps=0))
    attempt(lambda: tf.estimator.EvalSpec(print, steps=0))
    attempt(lambda: tf.estimator.EvalSpec(print, name=3))
    attempt(lambda: tf.estimator.EvalSpec(print, throttle_secs=-1))
assert out.getvalue().splitlines() == [
    'ValueError: Missing train_op.',
    'TypeError: train_op must be Operation or Tensor, given: 3',
    'ValueError: Missing loss.',
    'ValueError: Missing predictions.',
    'TypeError: loss must be Tensor, given: 2.0',
    'TypeError: eval_metric_ops must be a dict, given: [1]',
    'TypeError: Values of eval_metric_ops must be (metric_value, update_op) tuples, given: '
    'Tensor("Const:0", shape=(), dtype=float32) for key: a',
    'ValueError: `save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.',
    'ValueError: shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for '
    'training); got None',
    'ValueError: x cannot be an empty dict',
    'TypeError: x must be a dict or array; got int',
    'TypeError: `input_fn` must be callable, given: 3',
    'ValueError: Must specify max_steps > 0, given: 0',
    'ValueError: Must specify steps > 0, given: 0',
    'TypeError: `name` must be string, given: 3',
    'ValueError: Must specify throttle_secs >= 0, given: -1',
], out.getvalue()
assert tf.estimator.EstimatorSpec(keys.EVAL, loss=tf.ones([1])).loss.shape == []
config = tf.estimator.RunConfig('a').replace(model_dir='b', save_checkpoints_steps=5)
assert (config.model_dir, config.save_checkpoints_steps, config.save_checkpoints_secs) == ('b', 5, None)
assert (config.is_chief, config.master, config.num_worker_replicas) == (True, '', 1)
""")


def test_batches() -> None:
    """Batches of arrays: all rows, as often as asked for, in order unless shuffled."""
    check("""
def read(function, limit=100):
    with tf.Graph().as_default():
        features, labels = function()
        with tf.train.MonitoredSession() as session:
            found = []
            while not session.should_stop() and len(found) < limit:
                found.append(session.run([features['x'], labels]))
    return found
found = read(batches(2, size=48))
assert [len(part[0]) for part in found] == [48, 48, 32]
assert np.array_equal(np.concatenate([part[0] for part in found]), np.concatenate([x, x]))
assert np.array_equal(np.concatenate([part[1] for part in found]), np.concatenate([y, y]))
found = np.concatenate([part[0] for part in read(batches(1, True))])
assert not np.array_equal(found, x)
assert np.array_equal(np.sort(found[:, 0]), np.sort(x[:, 0]))
assert len(read(batches(None), 20)) == 20
""")


def test_warm_start() -> None:
    """Training begins with the values of another folder, of all variables or of some."""
    assert run(HEAD + """
tf.logging.set_verbosity(tf.logging.ERROR)
estimator().train(batches(4), steps=4)
before = estimator().get_variable_value('w')

def start(settings):
    config = tf.estimator.RunConfig(tempfile.mkdtemp())
    made = tf.estimator.Estimator(model, config=config, params={'rate': 0.0}, warm_start_from=settings)
    made.train(batches(), steps=1)
    return [bool(np.any(made.get_variable_value(name))) for name in ('w', 'b')], made.get_variable_value('w')

print(np.array_equal(start(folder)[1], before), start(None)[0])
print(start(tf.estimator.WarmStartSettings(folder, vars_to_warm_start='b'))[0])
print(start(tf.estimator.WarmStartSettings(folder, 'w', var_name_to_prev_var_name={'w': 'w'}))[0])
attempt(lambda: start(3))
attempt(lambda: tf.estimator.WarmStartSettings(''))
""", '1') == """True [False, False]
[False, True]
[True, False]
ValueError: warm_start_from must be a string or a WarmStartSettings, instead got <class 'int'>
ValueError: `ckpt_to_initialize_from` MUST be set in WarmStartSettings
"""
