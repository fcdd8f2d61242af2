"""Whole programs of TF1, as tutorials have them, small: each gives its loss, step by step."""

_BEGIN = '''
random = np.random.RandomState(0)
digits = random.rand(16, 64).astype(np.float32); classes = (digits[:, :8].sum(1) > 4).astype(np.int64)
feed = None
def fetch_after(step, loss):
    with tf.control_dependencies([step] if not isinstance(step, list) else step): return tf.identity(loss)
# values only
'''

CASES = {name: _BEGIN + code for name, code in {
    'softmax_regression': '''
x = tf.placeholder(tf.float32, [None, 64]); y = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable(tf.zeros([64, 2])); b = tf.Variable(tf.zeros([2]))
logits = tf.matmul(x, W) + b
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
feed = {x: digits, y: np.eye(2, dtype=np.float32)[classes]}
out = [fetch_after(step, loss), right]; steps = 8
''',
    'convolutions_by_hand': '''
x = tf.constant(digits); image = tf.reshape(x, [-1, 8, 8, 1])
W1 = tf.Variable(tf.truncated_normal([3, 3, 1, 4], stddev=0.1, seed=1)); b1 = tf.Variable(tf.constant(0.1, shape=[4]))
h = tf.nn.relu(tf.nn.conv2d(image, W1, strides=[1, 1, 1, 1], padding='SAME') + b1)
h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
flat = tf.nn.dropout(tf.reshape(h, [-1, 64]), keep_prob=0.9, seed=2)
W2 = tf.Variable(tf.truncated_normal([64, 2], stddev=0.1, seed=3)); b2 = tf.Variable(tf.constant(0.1, shape=[2]))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=tf.matmul(flat, W2) + b2))
out = fetch_after(tf.train.AdamOptimizer(0.01).minimize(loss), loss); steps = 8
''',
    'layers': '''
h = tf.layers.conv2d(tf.reshape(tf.constant(digits), [-1, 8, 8, 1]), 4, 3, activation=tf.nn.relu)
h = tf.layers.dense(tf.layers.flatten(tf.layers.max_pooling2d(h, 2, 2)), 8, tf.nn.relu)
loss = tf.losses.sparse_softmax_cross_entropy(classes, tf.layers.dense(tf.layers.dropout(h, 0.2, training=True), 2))
out = fetch_after(tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_or_create_global_step()), loss)
steps = 8
''',
    'autoencoder': '''
x = tf.constant(digits)
code = tf.layers.dense(x, 8, tf.nn.sigmoid); image = tf.layers.dense(code, 64, tf.nn.sigmoid)
loss = tf.reduce_mean(tf.square(image - x))
out = fetch_after(tf.train.RMSPropOptimizer(0.01).minimize(loss), loss); steps = 8
''',
    'gan': '''
def generator(z):
    with tf.variable_scope('generator'): return tf.layers.dense(tf.layers.dense(z, 16, tf.nn.relu), 64, tf.nn.sigmoid)
def discriminator(x):
    with tf.variable_scope('discriminator', reuse=tf.AUTO_REUSE):
        return tf.layers.dense(tf.layers.dense(x, 16, tf.nn.leaky_relu, name='a'), 1, name='b')
fake = generator(tf.random_normal([16, 4], seed=3)); real_logits = discriminator(tf.constant(digits))
fake_logits = discriminator(fake)
entropy = lambda logits, y: tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=y))
d_loss = entropy(real_logits, tf.ones_like(real_logits)) + entropy(fake_logits, tf.zeros_like(fake_logits))
g_loss = entropy(fake_logits, tf.ones_like(fake_logits))
of = lambda scope: tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
d, g = tf.train.AdamOptimizer(0.01), tf.train.AdamOptimizer(0.02)
d_slopes = d.compute_gradients(d_loss, of('discriminator')); g_slopes = g.compute_gradients(g_loss, of('generator'))
losses = [tf.identity(d_loss), tf.identity(g_loss)]
with tf.control_dependencies([slope for slope, _ in d_slopes + g_slopes] + losses):
    both = tf.group(d.apply_gradients(d_slopes), g.apply_gradients(g_slopes))
out = [fetch_after(both, loss) for loss in losses]; steps = 5
''',
    'word2vec': '''
words = tf.constant([1, 2, 3, 4, 5, 6, 7, 8]); near = tf.constant([[2], [3], [4], [5], [6], [7], [8], [9]])
table = tf.Variable(tf.random_uniform([20, 8], -1.0, 1.0, seed=1))
weights = tf.Variable(tf.truncated_normal([20, 8], stddev=0.35, seed=2)); biases = tf.Variable(tf.zeros([20]))
loss = tf.reduce_mean(tf.nn.nce_loss(weights=weights, biases=biases, labels=near,
                                     inputs=tf.nn.embedding_lookup(table, words), num_sampled=4, num_classes=20))
step = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
out = fetch_after(step, loss); steps = 6
''',
    'static_rnn': '''
x = tf.unstack(tf.reshape(tf.constant(digits), [16, 8, 8]), 8, 1)
cell = tf.nn.rnn_cell.BasicLSTMCell(6, forget_bias=1.0)
outputs, state = tf.nn.static_rnn(cell, x, dtype=tf.float32)
W = tf.get_variable('W', [6, 2], initializer=tf.truncated_normal_initializer(seed=1))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=tf.matmul(outputs[-1], W)))
out = fetch_after(tf.train.GradientDescentOptimizer(0.5).minimize(loss), loss); steps = 6
''',
    'dynamic_rnn': '''
x = tf.reshape(tf.constant(digits), [16, 8, 8])
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(5), tf.nn.rnn_cell.LSTMCell(6)])
outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[8] * 8 + [5] * 8, dtype=tf.float32)
loss = tf.losses.sparse_softmax_cross_entropy(classes, tf.layers.dense(outputs[:, -1], 2))
grads = tf.gradients(loss, tf.trainable_variables()); clipped, _ = tf.clip_by_global_norm(grads, 1.0)
step = tf.train.AdamOptimizer(0.02).apply_gradients(zip(clipped, tf.trainable_variables()))
out = fetch_after(step, loss); steps = 6
''',
    'bidirectional_rnn': '''
x = tf.reshape(tf.constant(digits), [16, 8, 8])
(a, b), _ = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.BasicRNNCell(4), x,
                                            dtype=tf.float32)
loss = tf.losses.sparse_softmax_cross_entropy(classes, tf.layers.dense(tf.concat([a, b], 2)[:, -1], 2))
out = fetch_after(tf.train.AdagradOptimizer(0.1).minimize(loss), loss); steps = 6
''',
    'linear_regression': '''
X = tf.placeholder(tf.float32); Y = tf.placeholder(tf.float32)
W = tf.Variable(0.3, name='weight'); b = tf.Variable(-0.1, name='bias')
cost = tf.reduce_sum(tf.pow(X * W + b - Y, 2)) / (2 * 4)
step = tf.train.GradientDescentOptimizer(0.05).minimize(cost)
feed = {X: [1., 2., 3., 4.], Y: [2., 4., 6., 8.]}
out = fetch_after(step, cost); steps = 10
''',
}.items()}
