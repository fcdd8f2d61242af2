"""test_canned.py - Canned estimators learn what numpy says, and give TensorFlow's predictions, metrics and variables.

TensorFlow has no tf.estimator since version 2.16: names are those of 2.15.
"""

from __future__ import annotations

from script import run

HEAD = """
import numpy as np
import berth.compat.v1 as tf

tf.logging.set_verbosity(tf.logging.ERROR)
fc = tf.feature_column
x = np.array([[.1, .9], [.8, .2], [.5, .7], [.3, .4]], np.float32)
y = np.array([[0], [1], [1], [0]], np.int32)
words = np.array(['a', 'b', 'a', 'c'])
num = fc.numeric_column('x', 2)
voc = fc.categorical_column_with_vocabulary_list('c', ['a', 'b', 'c'])
SGD = tf.train.GradientDescentOptimizer(0.5)

def data(labels=y, count=None, **more):
    return tf.estimator.inputs.numpy_input_fn({'x': x, 'c': words, **more}, labels, 4, count, False)

def sigmoid(z):
    return 1 / (1 + np.exp(-z))

def near(a, b):
    assert np.allclose(a, b, atol=1e-5), (a, b)
"""


def test_linear_classifier():
    run(HEAD + """
e = tf.estimator.LinearClassifier([num, voc], optimizer=SGD)
e.train(data(), steps=2)
wide = np.concatenate([x, np.array([[w == v for v in 'abc'] for w in words])], 1).astype(np.float64)
w, b = np.zeros([5, 1]), np.zeros(1)
for _ in range(2):
    g = sigmoid(wide @ w + b) - y
    w, b = w - .5 * wide.T @ g, b - .5 * g.sum(0)
near(e.get_variable_value('linear/linear_model/x/weights'), w[:2])
near(e.get_variable_value('linear/linear_model/c/weights'), w[2:])
near(e.get_variable_value('linear/linear_model/bias_weights'), b)
p = sigmoid(wide @ w + b)
found = e.evaluate(data(count=1))
each = -(y * np.log(p) + (1 - y) * np.log(1 - p))
near(found['loss'], each.sum())
near(found['average_loss'], each.mean())
near(found['accuracy'], ((p > .5) == y).mean())
near(found['label/mean'], .5)
near(found['prediction/mean'], p.mean())
assert sorted(found) == ['accuracy', 'accuracy_baseline', 'auc', 'auc_precision_recall', 'average_loss', 'global_step',
                         'label/mean', 'loss', 'precision', 'prediction/mean', 'recall']
given = list(e.predict(data(None, 1)))
near([g['logistic'] for g in given], p)
near([g['probabilities'] for g in given], np.concatenate([1 - p, p], 1))
assert [g['classes'].tolist() for g in given] == [[str(int(v > .5)).encode()] for v in p[:, 0]]
assert sorted(given[0]) == ['all_class_ids', 'all_classes', 'class_ids', 'classes', 'logistic', 'logits', 'probabilities']
""")


def test_weights_and_regression():
    run(HEAD + """
weights = np.array([1, 2, 0, 1], np.float32)
e = tf.estimator.LinearRegressor([num], optimizer=SGD, weight_column='w')
target = x[:, :1] * 2
e.train(data(target, w=weights), steps=1)
g = 2 * (0 - target) * weights[:, None]
near(e.get_variable_value('linear/linear_model/x/weights'), -.5 * x.T @ g)
found = e.evaluate(data(target, 1, w=weights))
w, b = e.get_variable_value('linear/linear_model/x/weights'), e.get_variable_value('linear/linear_model/bias_weights')
errors = (x @ w + b - target) ** 2 * weights[:, None]
near(found['loss'], errors.sum())
near(found['average_loss'], errors.sum() / weights.sum())
near(found['prediction/mean'], ((x @ w + b) * weights[:, None]).sum() / weights.sum())
""")


def test_classes_by_name():
    run(HEAD + """
labels = np.array(['q', 'r', 'p', 'q'])
e = tf.estimator.LinearClassifier([num], n_classes=3, label_vocabulary=['p', 'q', 'r'], optimizer=SGD,
                                  loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)
e.train(data(labels), steps=1)
one = np.eye(3)[[1, 2, 0, 1]]
near(e.get_variable_value('linear/linear_model/x/weights'), -.5 * x.T @ (1 / 3 - one) / 4)
assert all(g['classes'][0] in (b'p', b'q', b'r') for g in e.predict(data(None, 1)))
try:
    e.train(data(np.array(['q', 'r', 'zz', 'q'])), steps=1)
except tf.errors.InvalidArgumentError as error:
    assert 'Labels must >= 0' in str(error)
else:
    raise AssertionError
""")


def test_deep():
    run(HEAD + """
e = tf.estimator.DNNClassifier([4, 3], [num, fc.embedding_column(voc, 2)], batch_norm=True, dropout=.1,
                               optimizer='Adam')
e.train(data(), steps=3)
names = [name for name in e.get_variable_names() if 'Adam' not in name and 'power' not in name]
assert names == [
    'dnn/hiddenlayer_0/batchnorm_0/beta', 'dnn/hiddenlayer_0/batchnorm_0/gamma',
    'dnn/hiddenlayer_0/batchnorm_0/moving_mean', 'dnn/hiddenlayer_0/batchnorm_0/moving_variance',
    'dnn/hiddenlayer_0/bias', 'dnn/hiddenlayer_0/kernel',
    'dnn/hiddenlayer_1/batchnorm_1/beta', 'dnn/hiddenlayer_1/batchnorm_1/gamma',
    'dnn/hiddenlayer_1/batchnorm_1/moving_mean', 'dnn/hiddenlayer_1/batchnorm_1/moving_variance',
    'dnn/hiddenlayer_1/bias', 'dnn/hiddenlayer_1/kernel',
    'dnn/input_from_feature_columns/input_layer/c_embedding/embedding_weights',
    'dnn/logits/bias', 'dnn/logits/kernel', 'global_step'], names
assert np.any(e.get_variable_value('dnn/hiddenlayer_0/batchnorm_0/moving_mean') != 0)
e = tf.estimator.DNNRegressor([8], [num], config=tf.estimator.RunConfig(tf_random_seed=1))
e.train(data(x[:, :1] * 2), steps=100)
assert e.evaluate(data(x[:, :1] * 2, 1))['average_loss'] < .05
""")


def test_both_together_and_baseline():
    run(HEAD + """
e = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=[voc], dnn_feature_columns=[num], dnn_hidden_units=[4],
    config=tf.estimator.RunConfig(tf_random_seed=1))
e.train(data(), steps=4)
assert e.evaluate(data(count=1))['global_step'] == 4
assert {'linear/linear_model/c/weights', 'dnn/hiddenlayer_0/kernel', 'dnn/logits/bias'} <= set(e.get_variable_names())
e = tf.estimator.BaselineClassifier(optimizer=SGD)
e.train(data(np.array([1, 1, 1, 0])), steps=200)
near(e.evaluate(data(np.array([1, 1, 1, 0]), 1))['prediction/mean'], .75)
for make, text in ((lambda: tf.estimator.LinearClassifier([num], optimizer='Best').train(data(), steps=1),
                    "Unsupported optimizer name: Best. Supported names are: ('Adagrad', 'Adam', 'Ftrl', 'RMSProp', 'SGD')"),
                   (lambda: tf.estimator.LinearClassifier([num], n_classes=1), 'n_classes must be > 2: 1.'),
                   (lambda: tf.estimator.DNNLinearCombinedClassifier(),
                    'Either linear_feature_columns or dnn_feature_columns must be defined.')):
    try:
        make()
    except ValueError as error:
        assert str(error) == text, error
    else:
        raise AssertionError(text)
""")
