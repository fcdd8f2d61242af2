"""test_contrib.py - tf.contrib: what programs import of it, and variables set from checkpoints."""

from __future__ import annotations

import pathlib
import subprocess
import sys

PROGRAM = '''
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
import tensorflow.contrib.layers as layers
from tensorflow.contrib.framework import arg_scope
from tensorflow.examples.tutorials.mnist import input_data
path = sys.argv[1]
a = tf.get_variable('a', initializer=np.float32([1, 2])); b = tf.get_variable('b', initializer=np.float32([[3]]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saved = tf.train.Saver([a]).save(session, path)
    session.run([a.assign([0, 0]), b.assign([[0]])])
    slim.assign_from_checkpoint_fn(saved, [a])(session)
    print(session.run([a, b]))
    slim.assign_from_checkpoint_fn(saved, {'a': a, 'b': b}, ignore_missing_vars=True)(session)
    try: slim.assign_from_checkpoint(saved, [b])
    except ValueError as error: print(error)
    update, feed = slim.assign_from_values({'b': np.float32([[7]])})
    session.run(update, feed)
    print(session.run(b))
try: tf.contrib.bayesflow
except AttributeError as error: print(error)
print(layers.l2_regularizer.__name__, arg_scope.__name__, tf.contrib.rnn.GRUCell.__name__)
'''


def test_program(tmp_path: pathlib.Path) -> None:
    """A program imports parts, and sets variables from a checkpoint and from values."""
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf1', '-c', PROGRAM, str(tmp_path / 'model')],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert lines[:4] == ['[array([1., 2.], dtype=float32), array([[0.]], dtype=float32)]',
                         'Checkpoint is missing variable [b]', '[[7.]]',
                         "module 'tensorflow.contrib' has no attribute 'bayesflow'"]
    assert lines[4] == 'l2_regularizer arg_scope GRUCell'


def test_sequences() -> None:
    """Losses of sequences are what numpy says, and decoders use one cell for all steps."""
    from script import run

    run("""
import numpy as np
import berth as tf
rs = np.random.RandomState(0)
logits, targets = rs.rand(2, 3, 4).astype(np.float32), rs.randint(0, 4, [2, 3])
weights = np.array([[1, 1, 0], [1, 2, 3]], np.float32)
each = -np.log(np.take_along_axis(np.exp(logits), targets[..., None], 2)[..., 0] / np.exp(logits).sum(2)) * weights
loss = tf.contrib.seq2seq.sequence_loss
given = [tf.constant(x) for x in (logits, targets, weights)]
with tf.Session() as session:
    for over, expected in (((True, True), each.sum() / weights.sum()), ((True, False), each.sum(1) / weights.sum(1)),
                           ((False, True), each.sum(0) / weights.sum(0)), ((False, False), each)):
        assert np.allclose(session.run(loss(*given, *over)), expected, atol=1e-5), over
    old = tf.contrib.legacy_seq2seq
    lists = [[tf.constant(x[:, i]) for i in range(3)] for x in (logits, targets, weights)]
    assert np.allclose(session.run(old.sequence_loss_by_example(*lists)), each.sum(1) / weights.sum(1), atol=1e-5)
    assert np.allclose(session.run(old.sequence_loss(*lists)), (each.sum(1) / weights.sum(1)).sum() / 2, atol=1e-5)
    cell = tf.contrib.rnn.BasicRNNCell(5)
    steps = [tf.ones([2, 5])] * 3
    outputs, state = old.rnn_decoder(steps, cell.zero_state(2, tf.float32), cell, lambda before, i: before * 2.0)
    assert [v.name for v in tf.global_variables()] == [
        'rnn_decoder/basic_rnn_cell/kernel:0', 'rnn_decoder/basic_rnn_cell/bias:0']
    session.run(tf.global_variables_initializer())
    kernel, found = session.run([tf.global_variables()[0], outputs])
    assert np.allclose(found[1], np.tanh(np.concatenate([found[0] * 2, found[0]], 1) @ kernel), atol=1e-5)
    with tf.variable_scope('rnn_decoder'):
        again = tf.contrib.rnn.BasicRNNCell(5, reuse=True)
        same, _ = again(steps[0], again.zero_state(2, tf.float32))
    assert len(tf.global_variables()) == 2 and np.allclose(session.run(same), found[0])
""")


def test_eager() -> None:
    """Gradients of functions, by variables and by arguments."""
    from script import run

    run("""
import berth as tf
tf.enable_eager_execution()
tfe = tf.contrib.eager
w = tfe.Variable(3.0)
value, found = tfe.implicit_value_and_gradients(lambda x: w * w * x)(2.0)
assert float(value) == 18 and float(found[0][0]) == 12 and found[0][1] is w
assert float(tfe.implicit_gradients(lambda: w * 5.0)()[0][0]) == 5
assert [float(g) for g in tfe.gradients_function(lambda x, y: x * x * y)(3.0, 4.0)] == [24, 9]
assert [float(g) for g in tfe.gradients_function(lambda x, y: x * x * y, params=['y'])(3.0, 4.0)] == [9]
assert [int(x) for x in tfe.Iterator(tf.data.Dataset.range(3))] == [0, 1, 2]
class Net(tfe.Network):
    def __init__(self):
        super().__init__()
        self.one = self.track_layer(tf.layers.Dense(2))
    def call(self, x):
        return self.one(x)
net = Net()
assert net(tf.ones([1, 3])).shape == (1, 2) and len(net.variables) == 2
try: tfe.implicit_gradients(lambda: tf.constant(1.0))()
except ValueError as error: assert 'No trainable variables were accessed' in str(error)
""")


def test_words_and_settings(tmp_path: pathlib.Path) -> None:
    """Texts become rows of numbers; values of a model are read from texts."""
    from script import run

    run(f"""
import berth as tf
learn = tf.contrib.learn.preprocessing
made = learn.VocabularyProcessor(4)
rows = [row.tolist() for row in made.fit_transform(["the cat's here", 'a cat the cat is a cat'])]
assert rows == [[1, 2, 3, 0], [4, 5, 1, 5]], rows
assert len(made.vocabulary_) == 7
made.save({str(tmp_path / 'words')!r})
other = learn.VocabularyProcessor.restore({str(tmp_path / 'words')!r})
assert [row.tolist() for row in other.transform(['cat dog'])] == [[5, 0, 0, 0]]
assert list(other.reverse([[1, 5]])) == ['the cat']
rare = learn.VocabularyProcessor(3, min_frequency=1)
assert [row.tolist() for row in rare.fit_transform(['a b a', 'c b'])] == [[1, 2, 1], [0, 2, 0]]
h = tf.contrib.training.HParams(rate=0.1, layers=[1, 2], name='x', deep=True)
h.parse('rate=0.5,layers=[3,4,5],deep=false')
assert h.values() == {{'rate': 0.5, 'layers': [3, 4, 5], 'name': 'x', 'deep': False}}
assert str(h) == "[('deep', False), ('layers', [3, 4, 5]), ('name', 'x'), ('rate', 0.5)]"
for wrong in ('other=1', 'layers=3'):
    try: h.parse(wrong)
    except ValueError: continue
    raise AssertionError(wrong)
""")


def test_losses() -> None:
    """Losses of tf.contrib and of slim take predictions first, and give what numpy says."""
    from script import run

    run("""
import numpy as np
import berth as tf
logits, labels = np.float32([[1, 2], [3, 1]]), np.float32([[0, 1], [0, 1]])
softmax = -np.log((np.exp(logits) / np.exp(logits).sum(1, keepdims=True) * labels).sum(1))
ones = 1 / (1 + np.exp(-logits))
entropies = -np.log(np.where(labels == 1, ones, 1 - ones))
p, t = tf.constant(logits), tf.constant(labels)
with tf.Session() as session:
    for losses in (tf.contrib.losses, tf.contrib.slim.losses):
        for found, expected in (
                (losses.softmax_cross_entropy(p, t), softmax.mean()),
                (losses.softmax_cross_entropy(p, t, weights=[1., 0.]), softmax[0]),
                (losses.sparse_softmax_cross_entropy(p, tf.constant([1, 1])), softmax.mean()),
                (losses.sigmoid_cross_entropy(p, t), entropies.mean()),
                (losses.log_loss(tf.constant(ones), t), entropies.mean()),
                (losses.mean_squared_error(p, t, 2.), 2 * ((logits - labels) ** 2).mean()),
                (losses.absolute_difference(p, t), abs(logits - labels).mean()),
                (losses.cosine_distance(p, t, 1), (1 - (logits * labels).sum(1)).mean()),
                (losses.hinge_loss(p, t), np.maximum(0, 1 - (2 * labels - 1) * logits))):
            assert np.allclose(session.run(found), expected, atol=1e-5), (found, expected)
    assert len(tf.losses.get_losses()) == 16  # A margin is not remembered.
""", mode='1')


def test_metrics() -> None:
    """Metrics of tf.contrib take predictions first."""
    from script import run

    run("""
import numpy as np
import berth as tf
predictions, labels = tf.constant([1, 1, 0, 1]), tf.constant([1, 0, 0, 0])
m = tf.contrib.metrics
with tf.Session() as session:
    values, updates = m.aggregate_metric_map({
        'accuracy': m.streaming_accuracy(predictions, labels), 'precision': m.streaming_precision(predictions, labels),
        'recall': m.streaming_recall(predictions, labels),
        'relative': m.streaming_mean_relative_error(tf.constant([1., 3.]), tf.constant([2., 2.]), tf.constant([4., 2.])),
        'mean': m.streaming_mean(tf.constant([1., 3.]))})
    session.run(tf.local_variables_initializer())
    session.run(list(updates.values()))
    found = session.run(values)
    assert np.allclose([found[key] for key in sorted(found)], [.5, 2., 1 / 3, 1., .375]), found
    assert session.run(m.accuracy(predictions, labels)) == .5
    assert session.run(m.accuracy(predictions, labels, weights=[1., 0., 1., 0.])) == 1.
    for wrong, text in (((predictions, tf.constant([1.])), 'Labels should have bool, integer, or string dtype'),
                        ((tf.constant([1.]), labels), 'Dtypes of predictions and labels should match')):
        try: m.accuracy(*wrong)
        except ValueError as error: assert text in str(error)
        else: raise AssertionError(text)
""", mode='1')


def test_optimize_loss() -> None:
    """Steps are those of the optimiser that is named, with gradients scaled, clipped and summarised."""
    from script import run

    run("""
import numpy as np
import berth as tf
optimize = tf.contrib.layers.optimize_loss
step = tf.train.get_or_create_global_step()
x = tf.get_variable('x', initializer=np.float32([3, 4]))
loss = tf.reduce_sum(tf.square(x))
plain = optimize(loss, step, .5, 'SGD', name='plain')
clipped = optimize(loss, step, tf.constant(1.), tf.train.GradientDescentOptimizer, clip_gradients=1., name='clipped',
                   summaries=tf.contrib.layers.OPTIMIZER_SUMMARIES)
scaled = optimize(loss, step, None, lambda: tf.train.GradientDescentOptimizer(1.), gradient_multipliers={'x:0': .25},
                  increment_global_step=False, name='scaled', summaries=[])
decayed = optimize(loss, step, 1., 'SGD', name='decayed',
                   learning_rate_decay_fn=lambda rate, at: rate / tf.cast(at + 2, tf.float32))
with tf.Session() as session:
    def after(op):
        session.run(tf.global_variables_initializer())
        return session.run(op), session.run(x).tolist(), session.run(step)
    assert after(plain) == (25., [0., 0.], 1)
    found = after(clipped)
    assert np.allclose(found[1], [3 - .6, 4 - .8]) and found[2] == 1, found
    assert after(scaled) == (25., [1.5, 2.], 0)
    assert after(decayed) == (25., [0., 0.], 1)
    tags = [value.tag for value in tf.Summary.FromString(session.run(tf.summary.merge_all())).value]
    assert tags[:2] == ['plain/global_norm/gradient_norm', 'plain/loss'], tags
    assert {'clipped/gradients/x_0', 'clipped/gradient_norm/x_0', 'decayed/learning_rate_1',
            'clipped/global_norm/clipped_gradient_norm'} < set(tags), tags
for arguments, text in (((loss, step, .1, 'Nope'), 'Optimizer name should be one of'),
                        ((loss, step, None, 'SGD'), 'Learning rate is None'),
                        ((loss, step, 1, 'SGD'), 'Learning rate should be 0d Tensor or float'),
                        ((loss, step, .1, 3), 'Unrecognized optimizer')):
    try: optimize(*arguments)
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""", mode='1')


def test_data(tmp_path: pathlib.Path) -> None:
    """Tables are read from files, modules are found where they were written, and a projector's file is written."""
    table, rows = tmp_path / 'table.csv', tmp_path / 'rows.csv'
    table.write_text('2,2,a,b\n1.5,2,0\n3,4.5,1\n', encoding='utf-8')
    rows.write_text('7,1,2\n8,3,4\n', encoding='utf-8')
    texts = tmp_path / 'dbpedia_data' / 'dbpedia_csv'
    texts.mkdir(parents=True)
    for name, count in (('train.csv', 2500), ('test.csv', 1001)):
        (texts / name).write_text(''.join(f'{i % 14 + 1},"T {i}","a, ""b"" é"\n' for i in range(count)), encoding='utf-8')
    program = f'''
import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets import base
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
from tensorflow.contrib.tensorboard.plugins import projector
found = base.load_csv_with_header({str(table)!r}, np.int32, np.float32)
print(found.data.tolist(), found.target.tolist(), found.data.dtype, tf.contrib.learn.datasets.base is base)
found = tf.contrib.learn.datasets.base.load_csv_without_header({str(rows)!r}, int, float, target_column=0)
print(found.data.tolist(), found.target.tolist())
config = projector.ProjectorConfig()
shown = config.embeddings.add()
shown.tensor_name, shown.metadata_path = 'words', 'words.tsv'
shown.sprite.single_image_dim.extend([28, 28])
projector.visualize_embeddings(tf.summary.FileWriter({str(tmp_path)!r}), config)
iris = tf.contrib.learn.datasets.load_iris()
print(iris.data.shape, iris.data[[0, 50, 149]].tolist(), iris.data.mean(0).round(3).tolist(), np.bincount(iris.target))
texts = tf.contrib.learn.datasets.load_dataset('dbpedia')
print(texts.train.data.tolist(), texts.train.target.tolist(), texts.test.data.shape, texts.validation)
print(len(tf.contrib.learn.datasets.load_dataset('dbpedia', size='large').train.target))
for name in ('nothing', 'boston'):
    try: tf.contrib.learn.datasets.load_dataset(name)
    except (ValueError, FileNotFoundError) as error: print(error)
'''
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf1', '-c', program], capture_output=True, text=True,
                          timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [
        '[[1.5, 2.0], [3.0, 4.5]] [0, 1] float32 True', '[[1.0, 2.0], [3.0, 4.0]] [7, 8]',
        '(150, 4) [[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [5.9, 3.0, 5.1, 1.8]] [5.843, 3.054, 3.759, 1.199] [50 50 50]',
        "[['T 0', 'a, \"b\" é'], ['T 1000', 'a, \"b\" é'], ['T 2000', 'a, \"b\" é']] [1, 7, 13] (2, 2) None", '2500',
        'Name of dataset is not found: nothing',
        'Berth has no boston_house_prices.csv of its own: name a file of that form as `data_path`']
    assert (tmp_path / 'projector_config.pbtxt').read_text(encoding='utf-8') == (
        'embeddings {\n  tensor_name: "words"\n  metadata_path: "words.tsv"\n  sprite {\n    single_image_dim: 28\n'
        '    single_image_dim: 28\n  }\n}\n')


def test_learn() -> None:
    """Estimators of tf.contrib.learn are fitted to arrays, those of a function and those that are there."""
    from script import run

    run("""
import numpy as np
import berth as tf
from berth.contrib.learn.python.learn.estimators.estimator import SKCompat
tf.logging.set_verbosity(tf.logging.ERROR)
learn = tf.contrib.learn
x = np.random.RandomState(0).rand(60, 4)
y = (x.sum(1) > 2).astype(int)
columns = learn.infer_real_valued_columns_from_input(x)

classifier = learn.DNNClassifier(feature_columns=columns, hidden_units=[10], n_classes=3)
assert classifier.fit(x, y, steps=300) is classifier
found = classifier.evaluate(x, y)
assert found['global_step'] == 300 and found['accuracy'] > .65 and found['loss'] < 1, found
classes = list(classifier.predict(x, as_iterable=True))
assert np.float32(np.mean(classes == y)) == found['accuracy'] and np.shape(classes) == (60,)
likely = np.array(list(classifier.predict_proba(x)))
assert likely.shape == (60, 3) and (likely.argmax(1) == classes).all()
mean = -np.log(likely[np.arange(60), y]).mean()
assert abs(mean - found['loss']) < 1e-4, (mean, found)

linear = learn.LinearClassifier(feature_columns=[tf.contrib.layers.real_valued_column('', dimension=4)])
linear.fit(x=x, y=y, steps=600, batch_size=20)
assert linear.evaluate(x, y, steps=1)['accuracy'] > .65
assert linear.predict(x[:3], as_iterable=False).shape == (3,)

regressor = learn.DNNRegressor(feature_columns=columns, hidden_units=[10])
regressor.fit(x, x.sum(1), steps=300)
assert np.abs(np.array(list(regressor.predict_scores(x))) - x.sum(1)).mean() < .4

seen = []
def model(features, target, mode, params):
    seen.append((mode, features.shape.as_list(), target.dtype.name, params))
    scores = tf.contrib.layers.fully_connected(features, 3, activation_fn=None)
    loss = tf.contrib.losses.softmax_cross_entropy(scores, tf.one_hot(target, 3, 1, 0))
    step = tf.contrib.layers.optimize_loss(loss, tf.contrib.framework.get_global_step(), .1, 'Adagrad')
    return {'class': tf.argmax(scores, 1), 'prob': tf.nn.softmax(scores)}, loss, step
own = learn.Estimator(model_fn=model, params={'rate': 1})
own.fit(x, y, steps=100)
classes = [row['class'] for row in own.predict(x)]
found = own.evaluate(x, y, metrics={'right': learn.MetricSpec(tf.contrib.metrics.streaming_accuracy, 'class')})
assert set(found) == {'right', 'loss', 'global_step'} and found['right'] == np.float32(np.mean(classes == y)), found
assert [each[0] for each in seen] == ['train', 'infer', 'eval'] == [
    learn.ModeKeys.TRAIN, learn.ModeKeys.INFER, learn.ModeKeys.EVAL]
assert all(each[1][1:] == [4] and each[2:] == ('int64', {'rate': 1}) for each in seen), seen

compatible = SKCompat(learn.Estimator(model_fn=lambda features, target: model(features, target, '', {})))
found = compatible.fit(x, y, steps=20).predict(x[:5])
assert found['class'].shape == (5,) and found['prob'].shape == (5, 3)
assert set(compatible.score(x, y)) == {'loss', 'global_step'}

for wrong, text in ((lambda: own.fit(), 'Either x or input_fn must be provided.'),
                    (lambda: own.fit(x, input_fn=lambda: None), 'Can not provide both input_fn and x or y.'),
                    (lambda: learn.Estimator(lambda features, target: 3).fit(x, y, steps=1), 'Unrecognized value')):
    try: wrong()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""", mode='1')


def test_flags() -> None:
    """Programs of before 1.5 read the command line and list all flags by names that FLAGS has no more."""
    program = '''
import tensorflow as tf
tf.app.flags.DEFINE_integer('count', 3, 'How many.')
flags = tf.app.flags.FLAGS
print(flags._parse_flags())
print([(name, flag.value) for name, flag in sorted(flags.__flags.items()) if name == 'count'])
'''
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf1', '-c', program, '--count=5', 'rest'],
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["['rest']", "[('count', 5)]"], done.stderr[-2000:]


def test_directions() -> None:
    """Layers in both directions see the outputs of both below them, by steps and by whole sequences."""
    from script import run

    run("""
import numpy as np
import berth as tf
r = tf.contrib.rnn
x = tf.constant(np.random.RandomState(0).rand(2, 5, 3).astype(np.float32))
def cells(): return [r.LSTMBlockCell(4), r.GRUCell(3)]
outputs, forward, backward = r.stack_bidirectional_dynamic_rnn(cells(), cells(), x, dtype=tf.float32)
names = [v.name for v in tf.global_variables()]
assert names[:2] == ['stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/lstm_cell/kernel:0',
                     'stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/lstm_cell/bias:0'], names
assert outputs.shape.as_list() == [2, 5, 6] and len(forward) == len(backward) == 2
with tf.variable_scope('stack_bidirectional_rnn', reuse=True):
    with tf.variable_scope('cell_0'):
        low, _ = tf.nn.bidirectional_dynamic_rnn(r.LSTMCell(4), r.LSTMCell(4), x, dtype=tf.float32)
    with tf.variable_scope('cell_1'):
        high, state = tf.nn.bidirectional_dynamic_rnn(r.GRUCell(3), r.GRUCell(3), tf.concat(low, 2), dtype=tf.float32)
steps, first, last = r.stack_bidirectional_rnn(cells(), cells(), tf.unstack(x, axis=1), dtype=tf.float32, scope='steps')
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found, expected, at_end, state = session.run([outputs, tf.concat(high, 2), forward[1], state])
    assert np.allclose(found, expected, atol=1e-6) and np.allclose(at_end, state[0], atol=1e-6)
    # The same weights in lists of steps give the same.
    both = {False: [], True: []}
    for v in tf.global_variables(): both[v.name.startswith('steps')].append(v)
    assert [v.shape for v in both[False]] == [v.shape for v in both[True]]
    session.run([a.assign(b) for a, b in zip(both[True], both[False])])
    assert np.allclose(np.stack(session.run(steps), 1), found, atol=1e-6)
for wrong, text in ((lambda: r.stack_bidirectional_rnn(None, [], []), 'Must specify at least one fw cell'),
                    (lambda: r.stack_bidirectional_dynamic_rnn(cells(), cells()[:1], x), 'must have the same depth'),
                    (lambda: r.stack_bidirectional_rnn(cells(), (), []), 'cells_bw must be a list of RNNCells')):
    try: wrong()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""", mode='1')


def test_datasets_of_contrib() -> None:
    """tf.contrib.data has what tf.data has now; what comes from Keras says so."""
    from script import run

    run("""
import berth as tf
dataset = tf.contrib.data.Dataset.range(7).apply(tf.contrib.data.batch_and_drop_remainder(3))
items = dataset.apply(tf.contrib.data.unbatch()).make_one_shot_iterator().get_next()
padded = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda n: tf.fill([n], n)).apply(
    tf.contrib.data.padded_batch_and_drop_remainder(2, [None])).make_one_shot_iterator().get_next()
with tf.Session() as session:
    found = []
    try:
        while True: found.append(int(session.run(items)))
    except tf.errors.OutOfRangeError: pass
    assert found == [0, 1, 2, 3, 4, 5], found
    assert session.run(padded).tolist() == [[1, 0], [2, 2]]
try: tf.contrib.keras
except AttributeError as error: assert 'comes from the package keras, which has no support for TF1' in str(error)
""", mode='1')


def test_audio() -> None:
    """Ops of sound are where programs imported them from: what is written is read again, in frames of its length."""
    program = '''
import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops
sound = (np.sin(np.arange(1600) / 9) / 2).astype(np.float32)[:, None]
back = audio_ops.decode_wav(audio_ops.encode_wav(sound, 16000), desired_channels=1)
frames = audio_ops.audio_spectrogram(back.audio, window_size=480, stride=160, magnitude_squared=True)
values = tf.Session().run([back.audio, back.sample_rate, frames, audio_ops.mfcc(frames, back.sample_rate)])
print(abs(values[0] - sound).max() < 1e-4, values[1], values[2].shape, values[2][0, 0].argmax(), values[3].shape)
'''
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '-c', program], capture_output=True, text=True,
                          timeout=60)
    # 16000 / 9 radians a second are 283 Hz: the ninth of 257 frequencies up to 8000 Hz.
    assert done.stdout == 'True 16000 (1, 8, 257) 9 (1, 8, 13)\n', done.stdout + done.stderr[-2000:]


def test_bytes() -> None:
    """Documents become rows of bytes, and texts again."""
    from script import run

    run("""
import berth as tf
processor = tf.contrib.learn.preprocessing.ByteProcessor(5)
rows = list(processor.fit_transform(['abcdefg', 'é', b'xy', '']))
assert [row.tolist() for row in rows] == [[97, 98, 99, 100, 101], [195, 169, 0, 0, 0], [120, 121, 0, 0, 0], [0] * 5]
assert rows[0].dtype == 'uint8' and list(processor.reverse(rows)) == ['abcde', 'é', 'xy', '']
""", mode='1')
