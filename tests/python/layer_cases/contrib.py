"""tf.contrib.layers, tf.contrib.slim and tf.contrib.framework."""

_BEGIN = '''
x = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3) / 4)
im = tf.constant(np.sin(np.arange(2 * 6 * 6 * 3, dtype=np.float32)).reshape(2, 6, 6, 3))
slim, L, F = tf.contrib.slim, tf.contrib.layers, tf.contrib.framework
'''

CASES = {name: _BEGIN + code for name, code in {
    'fully_connected': 'out = [L.fully_connected(x, 4), L.fully_connected(x, 2, None, scope="f"), '
                       'L.fully_connected(x, 2, biases_initializer=None), L.linear(x, 3), L.relu(x, 3)]',
    'fully_connected_reuse': 'a = L.fully_connected(x, 4, scope="f"); b = L.fully_connected(x, 4, scope="f", reuse=True);'
                             ' out = [a, b]',
    'fully_connected_norm': 'out = L.fully_connected(x, 4, normalizer_fn=L.batch_norm, normalizer_params={"scale": True,'
                            ' "fused": False}, outputs_collections="outs", variables_collections=["vars"])',
    'conv2d': 'out = [slim.conv2d(im, 4, 3), slim.conv2d(im, 2, [2, 3], 2, "VALID", activation_fn=None, scope="c"), '
              'slim.convolution2d(im, 2, 1), L.conv2d_transpose(im, 2, 3, 2)]',
    'conv2d_rank': 'L.conv2d(x, 4, 3)',
    'pool': 'out = [slim.max_pool2d(im, 2), slim.avg_pool2d(im, [3, 3], 1, "SAME", scope="p"), slim.flatten(im)]',
    'dropout': 'out = [slim.dropout(x, 0.6, seed=3), slim.dropout(x, is_training=False), slim.dropout(x, scope="d")]',
    'batch_norm': 'out = [slim.batch_norm(im), slim.batch_norm(im, scale=True, is_training=False, decay=0.9), '
                  'slim.batch_norm(im, scope="b", fused=False), tf.get_collection(tf.GraphKeys.UPDATE_OPS)]',
    'layer_norm': 'out = [L.layer_norm(x), L.layer_norm(im, center=False)]',
    'unit_norm': 'out = L.unit_norm(x, 1)  # values only',
    'bias_add': 'out = L.bias_add(x, tf.nn.relu)',
    'one_hot': 'out = slim.one_hot_encoding([1, 2, 0], 4)',
    'stack': 'out = [slim.stack(x, slim.fully_connected, [4, 2], scope="s"), slim.repeat(im, 2, slim.conv2d, 2, 3, '
             'scope="r")]',
    'regularizers': 'w = tf.get_variable("w", initializer=np.float32([[1, -2], [3, 4]]), '
                    'regularizer=slim.l2_regularizer(0.1)); out = [slim.l1_regularizer(0.5)(w), '
                    'slim.l2_regularizer(0.5)(w), slim.l1_l2_regularizer(0.5, 0.25)(w), '
                    'slim.apply_regularization(slim.l2_regularizer(0.3), [w]), tf.losses.get_regularization_losses()]',
    'regularizer_integer': 'slim.l2_regularizer(1)',
    'regularizer_negative': 'slim.l1_regularizer(-1.0)',
    'arg_scope': '''
with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.01),
                    activation_fn=tf.nn.elu) as s:
    a = slim.conv2d(im, 2, 3)
    with slim.arg_scope([slim.conv2d], padding='VALID'):
        b = slim.conv2d(a, 2, 3, activation_fn=None)
with slim.arg_scope(s):
    c = slim.fully_connected(x, 2)
out = [a, b, c, slim.fully_connected(x, 2)]
''',
    'own_arg_scope': '''
@slim.add_arg_scope
def scaled(value, factor=2.0): return value * factor
with slim.arg_scope([scaled], factor=5.0): a = scaled(x); b = scaled(x, factor=7.0)
out = [a, b, scaled(x)]
text = sorted(slim.arg_scoped_arguments(scaled)), slim.has_arg_scope(scaled)
''',
    'variables': '''
slim.fully_connected(x, 2, scope='a'); slim.batch_norm(x, scope='b', fused=False)
v = slim.variable('v', [2], initializer=tf.ones_initializer()); m = slim.model_variable('m', [2], regularizer=tf.nn.l2_loss)
names = lambda vs: [w.name for w in vs]
text = [names(slim.get_variables()), names(slim.get_model_variables()), names(slim.get_variables('a')),
        names(slim.get_trainable_variables()), names(slim.get_variables_to_restore(exclude=['a'])),
        names(slim.get_variables_by_suffix('weights')), names(slim.get_variables_by_name('weights')),
        slim.get_unique_variable('a/weights').name]
''',
    'lenet': '''
def lenet(images, is_training=True):
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.005)):
        net = slim.conv2d(images, 4, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, [2, 2], 2, scope='pool1')
        net = slim.flatten(net)
        net = slim.fully_connected(net, 8, scope='fc1')
        net = slim.dropout(net, 0.9, is_training=is_training, scope='dropout1')
        return slim.fully_connected(net, 2, activation_fn=None, scope='fc2')
logits = lenet(im)
tf.losses.sparse_softmax_cross_entropy([0, 1], logits)
loss = tf.losses.get_total_loss()
out = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.05))
steps = 4
''',
}.items()}
