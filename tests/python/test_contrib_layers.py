"""test_contrib_layers.py - tf.contrib.layers beyond the usual: beside what tf.nn gives and numpy says."""

from __future__ import annotations

from script import run


def test_convolutions() -> None:
    """Separable convolutions, those in a plane and those of volumes are what tf.nn gives of their variables."""
    run("""
import numpy as np
import berth as tf
slim = tf.contrib.slim
x = tf.constant(np.random.RandomState(0).randn(2, 6, 5, 3).astype(np.float32))
volume = tf.constant(np.random.RandomState(1).randn(1, 3, 4, 5, 2).astype(np.float32))
l2 = slim.l2_regularizer(.5)
with slim.arg_scope([slim.separable_conv2d], weights_regularizer=l2, activation_fn=tf.nn.relu6):
    both = slim.separable_conv2d(x, 4, [3, 3], depth_multiplier=2, stride=2, scope='both')
deep = slim.separable_convolution2d(x, None, 3, 2, padding='VALID', activation_fn=None, scope='deep')
normal = slim.separable_conv2d(x, 4, 3, normalizer_fn=slim.batch_norm, variables_collections=['mine'])
plane = tf.contrib.layers.conv2d_in_plane(x, [1, 2], activation_fn=None, biases_initializer=tf.ones_initializer())
back = tf.contrib.layers.conv3d_transpose(volume, 3, 2, stride=2, activation_fn=None)
v = {each.op.name: each for each in tf.global_variables()}
assert list(v) == ['both/depthwise_weights', 'both/pointwise_weights', 'both/biases', 'deep/depthwise_weights',
                   'deep/biases', 'SeparableConv2d/depthwise_weights', 'SeparableConv2d/pointwise_weights',
                   'SeparableConv2d/BatchNorm/beta', 'SeparableConv2d/BatchNorm/moving_mean',
                   'SeparableConv2d/BatchNorm/moving_variance', 'ConvInPlane/weights', 'ConvInPlane/biases',
                   'Conv3d_transpose/weights', 'Conv3d_transpose/biases'], list(v)
assert len(tf.get_collection('mine')) == 2 and len(tf.losses.get_regularization_losses()) == 2
assert set(slim.get_model_variables()) == set(tf.global_variables())
assert normal.shape.as_list() == [2, 6, 5, 4]
pairs = [
    (both, tf.nn.relu6(tf.nn.separable_conv2d(x, v['both/depthwise_weights'], v['both/pointwise_weights'],
                                              [1, 2, 2, 1], 'SAME') + v['both/biases'])),
    (deep, tf.nn.depthwise_conv2d(x, v['deep/depthwise_weights'], [1, 1, 1, 1], 'VALID') + v['deep/biases']),
    (plane, tf.stack([tf.nn.conv2d(x[..., i:i + 1], v['ConvInPlane/weights'], [1, 1, 1, 1], 'SAME')[..., 0]
                      for i in range(3)], -1) + 1),
    (back, tf.nn.conv3d_transpose(volume, v['Conv3d_transpose/weights'], [1, 6, 8, 10, 3], [1, 2, 2, 2, 1])),
    (tf.contrib.layers.max_pool3d(volume, 2), tf.nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], 'VALID')),
    (tf.contrib.layers.avg_pool3d(volume, 2, 1), tf.nn.avg_pool3d(volume, [1, 2, 2, 2, 1], [1] * 5, 'VALID')),
    (tf.contrib.layers.pool(x, 2, 'MAX'), tf.nn.max_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'))]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for found, expected in pairs:
        a, b = session.run([found, expected])
        assert found.shape == expected.shape and np.allclose(a, b, atol=1e-5), found
""")


def test_normalisations() -> None:
    """Channels, or groups of them, of each example get mean 0 and variance 1, a factor and an offset."""
    run("""
import numpy as np
import berth as tf
layers = tf.contrib.layers
rs = np.random.RandomState(0)
values = rs.randn(2, 3, 4, 6).astype(np.float32)
starts = {'beta': tf.constant_initializer(np.arange(6.)), 'gamma': tf.constant_initializer(np.arange(1., 7.))}
def expected(x, axes, eps=1e-6):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
turned = values.transpose(0, 3, 1, 2)
cases = [(layers.instance_norm(tf.constant(values), param_initializers=starts),
          expected(values, (1, 2)) * np.arange(1., 7.) + np.arange(6.)),
         (layers.instance_norm(tf.constant(turned), param_initializers=starts, data_format='NCHW'),
          expected(turned, (2, 3)) * np.arange(1., 7.)[:, None, None] + np.arange(6.)[:, None, None])]
grouped = expected(values.reshape(2, 3, 4, 2, 3), (1, 2, 4)).reshape(values.shape)
for option in (False, True):
    cases.append((layers.group_norm(tf.constant(values), 2, param_initializers=starts, mean_close_to_zero=option),
                  grouped * np.arange(1., 7.) + np.arange(6.)))
cases.append((layers.group_norm(tf.constant(turned), 2, channels_axis=-3, reduction_axes=(-2, -1)),
              grouped.transpose(0, 3, 1, 2)))
assert [v.op.name for v in tf.global_variables()[:6]] == [
    'InstanceNorm/beta', 'InstanceNorm/gamma', 'InstanceNorm_1/beta', 'InstanceNorm_1/gamma', 'GroupNorm/beta',
    'GroupNorm/gamma']
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i, (found, wanted) in enumerate(cases):
        assert np.allclose(session.run(found), wanted, atol=1e-4), i
for groups, text in ((7, 'Invalid groups'), (4, 'not commensurate')):
    try: layers.group_norm(tf.constant(values), groups)
    except ValueError as error: assert text in str(error)
    else: raise AssertionError(text)
""")


def test_shapes() -> None:
    """Tensors are turned, joined and looked up as their names say."""
    run("""
import numpy as np
import berth as tf
layers = tf.contrib.layers
x = np.random.RandomState(0).randn(2, 3, 4, 6).astype(np.float32)
soft = np.exp(x.transpose(0, 3, 1, 2).reshape(2, 6, 12)); soft /= soft.sum(2, keepdims=True)
across, down = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 3))
points = np.stack([(soft * each.reshape(12)).sum(2) for each in (across, down)], 2).reshape(2, 12)
ids = np.array([[1, 2, -1], [3, 3, 3]])
table = np.arange(8.).reshape(4, 2).astype(np.float32)
start = tf.constant_initializer(table)
cases = [
    (layers.softmax(tf.constant(x)), np.exp(x) / np.exp(x).sum(3, keepdims=True)),
    (layers.maxout(tf.constant(x), 3), x.reshape(2, 3, 4, 3, 2).max(4)),
    (layers.spatial_softmax(tf.constant(x)), points),
    (layers.images_to_sequence(tf.constant(x)), x.reshape(6, 4, 6).transpose(1, 0, 2)),
    (layers.sequence_to_images(layers.images_to_sequence(tf.constant(x)), 3), x),
    (layers.bow_encoder(tf.constant(ids), 4, 2, initializer=start), [(table[1] + table[2]) / 2, table[3]]),
    (layers.bow_encoder(tf.constant(abs(ids)), 4, 2, sparse_lookup=False, initializer=start),
     [(2 * table[1] + table[2]) / 3, table[3]]),
    (tf.sparse.to_dense(layers.dense_to_sparse(tf.constant([[1, 0, 5]]))), [[1, 0, 5]])]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i, (found, wanted) in enumerate(cases):
        assert np.allclose(session.run(found), wanted, atol=1e-5), (i, session.run(found))
assert [v.op.name for v in tf.global_variables()] == [
    'spatial_softmax/temperature', 'bow_encoder/embeddings', 'bow_encoder_1/embeddings']
""")


def test_summaries() -> None:
    """Numbers are shown as such, others as histograms, activations with the share of their ends."""
    run("""
import berth as tf
layers = tf.contrib.layers
layers.summarize_tensor(tf.constant(3., name='one'))
layers.summarize_tensors([tf.constant([1.], name='many')])
h = tf.nn.relu6(tf.constant([-1., 2., 7., 8.]), name='act')
layers.summarize_activation(h)
tf.add_to_collection(tf.GraphKeys.WEIGHTS, tf.constant([2.], name='w')); tf.constant([2.], name='v')
tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, tf.nn.tanh([1.], name='t'))
assert len(layers.summarize_weights()) == len(layers.summarize_activations()) == 1
assert layers.summarize_collection(tf.GraphKeys.WEIGHTS, 'x') == []
found = tf.Summary.FromString(tf.Session().run(tf.summary.merge_all()))
kinds = {v.tag: v.simple_value if v.HasField('simple_value') else 'histogram' for v in found.value}
assert kinds == {'one_summary': 3., 'many_summary': 'histogram', 'act/zeros': .25, 'act/sixes': .5,
                 'act/activation': 'histogram', 'w_summary': 'histogram', 't/activation': 'histogram'}, kinds
try: layers.summarize_activation(h)
except ValueError as error: assert 'Conflict with summary tag: act/zeros already exists' in str(error), error
else: raise AssertionError
""")


def test_end_points() -> None:
    """Networks of slim find the outputs of their layers by name, and models are printed with their sizes."""
    printed = run("""
import berth as tf
slim = tf.contrib.slim
with tf.variable_scope('net') as scope:
    points = scope.original_name_scope + '_end_points'
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=points):
        net = slim.repeat(tf.zeros([2, 8, 8, 3]), 2, slim.conv2d, 4, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, 2, scope='pool1')
        net = slim.utils.collect_named_outputs(points, 'net/mine', net * 1.)
        slim.fully_connected(slim.flatten(net), 5, scope='fc')
found = slim.utils.convert_collection_to_dict(points, clear_collection=True)
assert list(found) == ['net/conv1/conv1_1', 'net/conv1/conv1_2', 'net/pool1', 'net/mine', 'net/fc'], list(found)
assert found['net/mine'] is net and found['net/fc'].shape.as_list() == [2, 5] and tf.get_collection(points) == []
u = slim.utils
assert u is not None and u.last_dimension(net.shape, min_rank=4) == 4 and u.first_dimension(net.shape) == 2
assert u.channel_dimension(net.shape, 'NCHW') == 4 and u.two_element_tuple([1, 2]) == (1, 2)
assert u.two_element_tuple(3) == (3, 3) and u.n_positive_integers(2, 4) == (4, 4)
assert tf.contrib.layers.utils.get_tensor_aliases(tf.zeros([1], name='z')) == ['z']
for call, text in ((lambda: u.last_dimension(net.shape, 5), 'rank of shape must be at least 5 not: 4'),
                   (lambda: u.two_element_tuple([1]), 'Must be a list with 2 elements'),
                   (lambda: u.n_positive_integers(2, [1, 0]), 'positive integer')):
    try: call()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
assert slim.model_analyzer.analyze_vars(slim.get_model_variables('net/fc'), print_info=True) == (325, 1300)
with tf.Graph().as_default() as graph:
    tf.zeros([2, 3], name='z'); tf.placeholder(tf.int32, [None, 2], name='p')
    assert slim.model_analyzer.analyze_ops(graph, True) == 6
""")
    assert printed.splitlines() == [
        '---------', 'Variables: name (type shape) [size]', '---------',
        'net/fc/weights:0 (float32_ref 64x5) [320, bytes: 1280]', 'net/fc/biases:0 (float32_ref 5) [5, bytes: 20]',
        'Total size of variables: 325', 'Total bytes of variables: 1300',
        '---------', 'Operations: name -> (type shapes) [size]', '---------',
        'z \t-> (float32 2x3) [6]', 'p \t-> (int32 ?x2) [0]']
