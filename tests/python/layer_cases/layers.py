"""tf.layers."""

_BEGIN = '''
x = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3) / 4); q = tf.placeholder(tf.float32, [None, 3])
im = tf.constant(np.sin(np.arange(2 * 6 * 6 * 3, dtype=np.float32)).reshape(2, 6, 6, 3))
im1 = tf.constant(np.sin(np.arange(2 * 6 * 3, dtype=np.float32)).reshape(2, 6, 3))
im3 = tf.constant(np.sin(np.arange(2 * 4 * 4 * 4 * 2, dtype=np.float32)).reshape(2, 4, 4, 4, 2))
qi = tf.placeholder(tf.float32, [None, None, None, 3])
feed = {q: [[1., 2., 3.]], qi: np.ones([1, 6, 6, 3])}
L = tf.layers
'''

CASES = {name: _BEGIN + code for name, code in {
    'dense': 'y = L.dense(x, 4, activation=tf.nn.relu); out = [y, L.dense(y, 2), L.dense(q, 2, use_bias=False, name="n")]',
    'dense_options': 'out = L.dense(x, 2, tf.tanh, kernel_initializer=tf.ones_initializer(), '
                     'bias_initializer=tf.constant_initializer(3.), trainable=False)',
    'dense_strings': 'out = [L.dense(x, 2, a) for a in ("relu", "sigmoid", "softmax", "tanh", "linear", "elu")]',
    'dense_rank_3': 'out = L.dense(im1, 2)',
    'dense_reuse': 'a = L.dense(x, 2, name="d"); b = L.dense(x, 2, name="d", reuse=True); out = [a, b]',
    'dense_reuse_missing': 'L.dense(x, 2, name="d", reuse=True)',
    'dense_again': 'L.dense(x, 2, name="d"); L.dense(x, 2, name="d")',
    'dense_auto_reuse': 'with tf.variable_scope("v", reuse=tf.AUTO_REUSE): a = L.dense(x, 2, name="d"); '
                        'b = L.dense(x, 2, name="d"); out = [a, b]',
    'dense_in_scopes': 'with tf.variable_scope("v"): a = L.dense(x, 2)\nwith tf.variable_scope("v"): b = L.dense(x, 2)'
                       '\nwith tf.name_scope("s"): c = L.dense(x, 2)\nout = [a, b, c]',
    'dense_scope_reuse': 'with tf.variable_scope("v"): a = L.dense(x, 2)\nwith tf.variable_scope("v", reuse=True): '
                         'b = L.dense(x, 2)\nout = [a, b]',
    'dense_scope_settings': 'with tf.variable_scope("v", initializer=tf.ones_initializer(), '
                            'regularizer=tf.nn.l2_loss): out = L.dense(x, 2)',
    'dense_layer': 'd = L.Dense(2, name="d"); a = d(x); b = d(x * 2); out = [a, b]; '
                   'text = [v.name for v in d.variables], [v.name for v in d.trainable_weights], d.name, d.built, '
                   'd.units, d.scope_name, d.count_params(), d.losses, d.updates, d.dtype',
    'dense_layer_default': 'd = L.Dense(2); e = L.Dense(2); text = d.name, e.name; out = [e(x), d(x), e.apply(x)]; '
                           'text += (d.scope_name, e.scope_name, [v.name for v in d.weights + e.non_trainable_weights])',
    'dense_unused': 'L.Dense(2).scope_name',
    'dense_regularizers': 'r = lambda w: 0.1 * tf.reduce_sum(w * w); out = [L.dense(x, 2, kernel_regularizer=r, '
                          'bias_regularizer=r), tf.losses.get_regularization_losses()]',
    'dense_activity': 'r = lambda w: 0.1 * tf.reduce_sum(w * w); d = L.Dense(2, activity_regularizer=r); '
                      'out = [d(x), tf.losses.get_regularization_losses(), d.losses]',
    'dense_constraint': 'd = L.Dense(2, kernel_constraint=lambda w: w * 2); out = d(x); '
                        'text = d.kernel.constraint is not None',
    'dense_double': 'out = [L.dense(tf.cast(x, tf.float64), 2), L.dense(tf.cast(x, tf.float16), 2)]',
    'dense_numpy': 'out = L.dense(np.ones([2, 3], np.float32), 2)',
    'dense_unknown': 'L.dense(tf.placeholder(tf.float32, [2, None]), 2)',
    'dense_no_rank': 'L.dense(tf.placeholder(tf.float32), 2)',
    'dense_rank_1': 'L.dense(tf.ones([3]), 2)',
    'dense_integers': 'L.dense(tf.ones([3, 2], tf.int32), 2)',
    'dense_shapes': 'd = L.Dense(2); d(x); d(tf.ones([2, 5]))',
    'dense_resource': 'with tf.variable_scope("v", use_resource=True): out = L.dense(x, 2)',
    'dropout': 'out = [L.dropout(x), L.dropout(x, training=True), L.dropout(x, 0.25, [2, 1], 5, True, "n")]; steps = 2',
    'dropout_fed': 't = tf.placeholder(tf.bool, []); out = L.dropout(x, 0.5, seed=3, training=t); feed = {t: True}',
    'dropout_layer': 'd = L.Dropout(0.4, seed=2); out = [d(x, training=True), d(x)]',
    'flatten': 'out = [L.flatten(im), L.flatten(q), L.flatten(qi), L.flatten(tf.ones([3]))]; '
               'text = [o.shape.as_list() for o in out]; out = out[:2] + out[3:]',
    'conv2d': 'out = [L.conv2d(im, 4, 3), L.conv2d(im, 4, [2, 3], (2, 2), "same", activation=tf.nn.relu), '
              'L.conv2d(qi, 2, 1, use_bias=False, name="c")]; text = [o.shape.as_list() for o in out]',
    'conv2d_dilated': 'out = L.conv2d(im, 2, 2, dilation_rate=2)  # values only',
    'conv2d_layer': 'c = L.Conv2D(2, 3, padding="SAME", kernel_initializer=tf.initializers.he_normal(seed=3)); '
                    'out = [c(im), c(im)]; text = [v.name for v in c.variables], c.kernel_size, c.strides, c.padding',
    'conv2d_rank': 'L.conv2d(x, 2, 3)',
    'conv2d_padding': 'L.conv2d(im, 2, 3, padding="what")',
    'conv2d_size': 'L.conv2d(im, 2, (1, 2, 3))',
    'conv2d_channels': 'L.conv2d(tf.placeholder(tf.float32, [None, 4, 4, None]), 2, 3)',
    'conv1d': 'out = [L.conv1d(im1, 4, 3), L.conv1d(im1, 2, 2, 2, "same", activation=tf.nn.relu)]',
    'conv3d': 'out = [L.conv3d(im3, 3, 2), L.conv3d(im3, 2, (1, 2, 3), padding="same", strides=2)]',
    'conv2d_transpose': 'out = [L.conv2d_transpose(im, 2, 3, 2), L.conv2d_transpose(im, 4, 2, (2, 1), "same", '
                        'activation=tf.nn.relu), L.conv2d_transpose(qi, 2, 3, 2, "same")]; '
                        'text = [o.shape.as_list() for o in out]',
    'conv3d_transpose': 'out = [L.conv3d_transpose(im3, 3, 2, 2), L.conv3d_transpose(im3, 2, 3, padding="same")]',
    'separable_conv2d': 'out = [L.separable_conv2d(im, 4, 3), L.separable_conv2d(im, 2, 2, 2, "same", '
                        'depth_multiplier=2, activation=tf.nn.relu)]',
    'separable_conv1d': 'out = L.separable_conv1d(im1, 4, 3)',
    'pooling1d': 'out = [L.max_pooling1d(im1, 2, 2), L.average_pooling1d(im1, 2, 1, "same")]',
    'pooling2d': 'out = [L.max_pooling2d(im, 2, 2), L.average_pooling2d(im, (3, 2), 1, "same", name="p"), '
                 'L.max_pooling2d(qi, [2, 2], [2, 2])]; text = [o.shape.as_list() for o in out]',
    'pooling3d': 'out = [L.max_pooling3d(im3, 2, 2), L.average_pooling3d(im3, 2, 1, "same")]',
    'pooling_layers': 'out = [L.MaxPooling2D(2, 2)(im), L.AveragePooling2D(2, 2)(im), L.MaxPooling1D(2, 2)(im1), '
                      'L.Flatten()(im)]',
    'pooling_rank': 'L.max_pooling2d(x, 2, 2)',
    'batch_norm': 'a = L.batch_normalization(x, training=True); b = L.batch_normalization(x); '
                  'out = [a, b, tf.get_collection(tf.GraphKeys.UPDATE_OPS)]; steps = 2',
    'batch_norm_image': 'a = L.batch_normalization(im, training=True); b = L.batch_normalization(im); '
                        'out = [a, b, tf.get_collection(tf.GraphKeys.UPDATE_OPS)]; steps = 2',
    'batch_norm_fed': 't = tf.placeholder(tf.bool, []); feed = {t: True}; '
                      'out = [L.batch_normalization(x, training=t), L.batch_normalization(im, training=t)]',
    'batch_norm_updates': 't = tf.placeholder(tf.bool, []); feed = {t: True}; a = L.batch_normalization(im, training=t)'
                          '; out = [tf.get_collection(tf.GraphKeys.UPDATE_OPS), tf.global_variables()]; steps = 2',
    'batch_norm_options': 'out = [L.batch_normalization(x, momentum=0.9, epsilon=1e-5, center=False, training=True), '
                          'L.batch_normalization(im, scale=False, training=True, fused=False), '
                          'L.batch_normalization(im, axis=1, training=True, fused=False, name="n")]',
    'batch_norm_reuse': 'a = L.batch_normalization(x, training=True, name="b"); '
                        'b = L.batch_normalization(x, training=False, name="b", reuse=True); out = [a, b]',
    'batch_norm_layer': 'b = L.BatchNormalization(); o = b(x, training=True); '
                        'text = [v.name for v in b.variables], [v.name for v in b.trainable_weights], '
                        '[v.name for v in b.non_trainable_weights], [u.name for u in b.updates]; out = o',
    'batch_norm_half': 'out = [L.batch_normalization(tf.cast(im, tf.float16), training=True), '
                       'L.batch_normalization(tf.cast(x, tf.float16), training=True)]',
    'own_layer': '''
class Scale(L.Layer):
    def build(self, shape):
        self.factor = self.add_weight("factor", shape=[int(shape[-1])], initializer=tf.ones_initializer())
        self.shift = self.add_variable("shift", shape=[], trainable=False)
        self.built = True
    def call(self, inputs):
        return inputs * self.factor + self.shift
s = Scale(); out = [s(x), s(x)]; text = s.name, [v.name for v in s.variables], [v.name for v in s.trainable_variables]
''',
    'trains': '''
w = L.dense(L.dense(x, 8, tf.nn.relu), 1)  # values only
loss = tf.losses.mean_squared_error([[1.], [0.]], w)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.control_dependencies([step]): out = tf.identity(loss)
steps = 10
''',
    'trains_images': '''
h = L.max_pooling2d(L.conv2d(im, 4, 3, padding='same', activation=tf.nn.relu), 2, 2)
h = L.batch_normalization(h, training=True, fused=False)  # values only
logits = L.dense(L.flatten(h), 2)
loss = tf.losses.sparse_softmax_cross_entropy([0, 1], logits)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.control_dependencies([step]): out = tf.identity(loss)
steps = 5
''',
}.items()}
