"""test_contrib_thin.py - tf.contrib: image, predictor, util, nn, framework and what else is little."""

from __future__ import annotations

import pathlib

from script import run


def test_images() -> None:
    """Images are turned, moved and transformed as indices say, by one transform or by several at once."""
    run("""
import numpy as np
import berth as tf
image = tf.contrib.image
x = np.random.RandomState(0).rand(2, 5, 5, 3).astype(np.float32)
moved = np.zeros_like(x); moved[:, 2:, 1:] = x[:, :-2, :-1]
half = np.pi / 2
turned = np.zeros_like(x); turned[:, 2:, 1:] = np.rot90(x, 1, (1, 2))[:, :-2, :-1]  # First turned, then moved.
cases = [
    (image.rotate(x, half), np.rot90(x, 1, (1, 2))),
    (image.rotate(x[0], -half), np.rot90(x[0], -1)),
    (image.rotate(x[0, :, :, 1], half), np.rot90(x[0, :, :, 1])),
    (image.rotate(x, [0., np.pi]), np.stack([x[0], x[1, ::-1, ::-1]])),
    (image.translate(x, [1, 2]), moved),
    (image.translate(x, [[0., 0.], [1., 2.]]), np.stack([x[0], moved[1]])),
    (image.transform(x, [1, 0, 1, 0, 1, 0, 0, 0], output_shape=[2, 3]), x[:, :2, 1:4]),
    (image.transform(x, [1, 0, .5, 0, 1, 0, 0, 0], 'bilinear')[:, :, :4], (x[:, :, :-1] + x[:, :, 1:]) / 2),
    (image.transform(x, image.compose_transforms(
        image.angles_to_projective_transforms(half, 5, 5),
        image.translations_to_projective_transforms([1., 2.]))), turned),
    (image.rotate((x * 9).astype(np.int32), half), np.rot90((x * 9).astype(np.int32), 1, (1, 2))),
    (image.matrices_to_flat_transforms([[[2., 4, 6], [8, 2, 4], [0, 0, 2]]]), [[1, 2, 3, 4, 1, 2, 0, 0]])]
given = tf.constant(x)
cases.append((tf.gradients(image.translate(given, [1, 2]) * x, given)[0],
              np.pad(x[:, 2:, 1:], [[0, 0], [0, 2], [0, 1], [0, 0]])))
with tf.Session() as session:
    for i, (found, expected) in enumerate(cases):
        value = session.run(found)
        assert value.shape == np.shape(expected) and np.allclose(value, expected, atol=1e-5), (i, value)
for call, text in ((lambda: image.rotate(tf.constant(['a']), 1.), 'Invalid dtype'),
                   (lambda: image.rotate(tf.constant([1.]), 1.), 'rank between 2 and 4'),
                   (lambda: image.translate(x, [[[1.]]]), 'rank 1 or 2')):
    try: call()
    except TypeError as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


def test_predictor(tmp_path: pathlib.Path) -> None:
    """A saved model and an estimator are functions of arrays."""
    run(f"""
folder = {str(tmp_path)!r}
""" + """
import numpy as np
import berth as tf
tf.logging.set_verbosity(tf.logging.ERROR)
p = tf.contrib.predictor
x = tf.placeholder(tf.float32, [None], name='x')
w = tf.get_variable('w', initializer=3.)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.contrib.saved_model.simple_save(session, folder + '/model', {'in': x}, {'out': x * w})
model = p.from_saved_model(folder + '/model')
assert model({'in': [1, 2]})['out'].tolist() == [3, 6] and set(model.fetch_tensors) == {'out'}
assert model.graph is not tf.get_default_graph() and model.session.run('w:0') == 3
named = p.from_saved_model(folder + '/model', input_names={'a': 'x:0'}, output_names={'b': 'mul:0'})
assert named({'a': [2]}) == {'b': [6]}
assert tf.contrib.saved_model.get_saved_model_tag_sets(folder + '/model') == [['serve']]
graph = tf.contrib.saved_model.read_saved_model(folder + '/model').meta_graphs[0]
assert set(tf.contrib.saved_model.get_signature_def_by_key(graph, 'serving_default').inputs) == {'in'}
for call, text in ((lambda: model({'other': 1}), 'Got unexpected keys in input_dict'),
                   (lambda: p.from_saved_model(folder + '/model', 'no'), 'Got signature_def_key "no"'),
                   (lambda: p.from_saved_model(folder + '/model', input_names={}), 'must both be specified')):
    try: call()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)

def model_fn(features, labels, mode):
    found = tf.layers.dense(features['x'], 1, use_bias=False, kernel_initializer=tf.ones_initializer())
    loss = None if labels is None else tf.losses.mean_squared_error(labels, found)
    step = loss is not None and tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, {'y': found, 'twice': found * 2}, loss, step or None)
estimator = tf.estimator.Estimator(model_fn, folder + '/estimator')
data = np.ones([4, 2], np.float32)
estimator.train(tf.estimator.inputs.numpy_input_fn({'x': data}, data[:, :1], shuffle=False), steps=1)
weights = estimator.get_variable_value('dense/kernel')
serving = tf.estimator.export.build_raw_serving_input_receiver_fn({'x': tf.placeholder(tf.float32, [None, 2])})
function = p.from_estimator(estimator, serving)
for _ in range(2):
    found = function({'x': [[1., 2.]]})
    assert np.allclose(found['y'], [[1., 2.]] @ weights) and np.allclose(found['twice'], 2 * found['y']), found
assert not np.allclose(weights, 1)
""")


def test_little() -> None:
    """Names that stand for little do what they say."""
    run("""
import numpy as np
import berth as tf
c, f = tf.contrib, tf.contrib.framework
x = tf.placeholder(tf.float32, name='x')
y = tf.nn.relu(x * 2.) + tf.constant(1.)
definition = tf.get_default_graph().as_graph_def()
assert sorted(c.util.ops_used_by_graph_def(definition)) == ['AddV2', 'Const', 'Mul', 'Placeholder', 'Relu']
assert [op.name for op in c.util.stripped_op_list_for_graph(definition).op][-1] == 'Relu'
assert c.util.constant_value(tf.constant([1, 2])).tolist() == [1, 2]
assert c.util.make_ndarray(c.util.make_tensor_proto([1.5])).tolist() == [1.5]
local, whole = f.local_variable(1., name='local'), f.global_variable(2., name='whole')
assert tf.local_variables() == [local] and tf.global_variables() == [whole] and tf.trainable_variables() == []
assert f.get_variable_full_name(whole) == 'whole' and f.nest.flatten({'b': [2, 3], 'a': 1}) == [1, 2, 3]
with tf.name_scope('outer'): assert f.get_name_scope() == 'outer'
assert f.with_shape([2], tf.constant([1, 2])).op.type == 'Const'
shaped = f.with_same_shape(tf.zeros([2]), x)
choose = f.VariableDeviceChooser(2)
assert [choose(None) for _ in range(3)] == [f'/job:ps/task:{i}/device:CPU:0' for i in (0, 1, 0)]
for call, text in ((lambda: f.with_shape([3], tf.constant([1, 2])), 'Wrong shape for'),
                   (lambda: f.assert_scalar_int(tf.constant(1.)), 'Expected integer type'),
                   (lambda: f.assert_scalar_int(tf.constant([1])), 'Expected scalar shape'),
                   (lambda: c.distribute.MirroredStrategy(devices=['/cpu:0'], num_gpus=1), 'Must only specify one')):
    try: call()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
with c.distribute.OneDeviceStrategy('/cpu:0').scope(): assert c.distribute.has_strategy()
assert c.distribute.MirroredStrategy(devices=['/cpu:0']).num_replicas_in_sync == 1
many = tf.constant(np.random.RandomState(0).randn(200000).astype(np.float32))
dropped = c.nn.alpha_dropout(many, .9, seed=3)
held = tf.zeros([1000], tf.float64)
with tf.Session() as session:
    session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
    assert session.run(f.reduce_sum_n([tf.constant([1, 2]), tf.constant(4)])) == 7
    assert session.run([f.zero_initializer(whole), whole])[1] == 0
    assert session.run(shaped, {x: [1, 2]}).tolist() == [1, 2]
    try: session.run(shaped, {x: [1, 2, 3]})
    except tf.errors.InvalidArgumentError as error: assert 'Wrong shape for x:0' in str(error)
    else: raise AssertionError
    values = session.run(dropped)
    assert abs(values.mean()) < .02 and abs(values.std() - 1) < .02 and len(np.unique(values)) < 190000
    assert np.allclose(session.run(c.nn.scaled_softplus([1., -2.], 2.)), 2 * np.log1p(np.exp([.5, -1.])), atol=1e-6)
    assert np.allclose(session.run(c.nn.scaled_softplus([9., -2.], 2., clip=1.)), [1, 2 * np.log1p(np.exp(-1))], atol=1e-6)
    now, most, limit = session.run([c.memory_stats.BytesInUse(), c.memory_stats.MaxBytesInUse(), c.memory_stats.BytesLimit()])
    assert now.dtype == np.int64 and 0 <= now <= most <= limit, (now, most, limit)
""")
