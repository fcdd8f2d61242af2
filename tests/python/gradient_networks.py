"""gradient_networks - Small networks of the kinds that people train, for TensorFlow and for Berth.

NETWORKS has by name a function that returns the shapes of the parameters and the loss, a function of
(tf, parameters, inputs, labels). `in_graph` and `by_tape` train one by gradient descent.
"""

import numpy as np

STEPS, RATE, BATCH, CLASSES = 3, 0.05, 4, 5


def numbers(shape, seed, scale):
    """The same numbers everywhere."""
    return (np.random.RandomState(seed).standard_normal(shape) * scale).astype('float32')


def parameters(shapes):
    """Returns what training begins with; a vector is small, a matrix keeps the size of what it multiplies."""
    return [numbers(shape, seed, 0.1 if len(shape) < 2 else np.prod(shape[:-1]) ** -0.5)
            for seed, shape in enumerate(shapes)]


def labels():
    """Returns the classes of a batch."""
    return np.random.RandomState(99).randint(0, CLASSES, BATCH)


def _loss(tf, logits, wanted):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits))


def _images():
    return numbers([BATCH, 8, 8, 3], 77, 1.0)


def _words():
    return np.random.RandomState(77).randint(0, 7, [BATCH, 6])


def _cifar():
    """The network of the CIFAR-10 tutorial, narrow."""
    def loss(tf, p, x, wanted):
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, p[0], [1, 1, 1, 1], 'SAME'), p[1]))
        y = tf.nn.max_pool2d(y, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME')
        y = tf.nn.lrn(y, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(y, p[2], [1, 1, 1, 1], 'SAME'), p[3]))
        y = tf.nn.lrn(y, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
        y = tf.nn.max_pool2d(y, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME')
        y = tf.nn.relu(tf.matmul(tf.reshape(y, [BATCH, -1]), p[4]) + p[5])
        decay = tf.multiply(tf.nn.l2_loss(p[4]), 0.004)
        return tf.add_n([_loss(tf, tf.add(tf.matmul(y, p[6]), p[7]), wanted), decay])
    shapes = [[5, 5, 3, 4], [4], [5, 5, 4, 4], [4], [16, 6], [6], [6, CLASSES], [CLASSES]]
    return shapes, loss, _images()


def _mnist():
    """Two convolutions and two layers, as every first network."""
    def loss(tf, p, x, wanted):
        x = x[..., :1]
        y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, p[0], 1, 'VALID') + p[1]), 2, 2, 'VALID')
        y = tf.nn.relu(tf.nn.conv2d(y, p[2], 1, 'SAME') + p[3])
        y = tf.reshape(y, [-1, 36])
        return _loss(tf, tf.matmul(tf.nn.relu(tf.matmul(y, p[4]) + p[5]), p[6]) + p[7], wanted)
    shapes = [[3, 3, 1, 3], [3], [3, 3, 3, 4], [4], [36, 8], [8], [8, CLASSES], [CLASSES]]
    return shapes, loss, _images()


def _norm(tf, x, scale, offset):
    return tf.compat.v1.nn.fused_batch_norm(x, 1 + scale, offset, epsilon=1e-3)[0]


def _residual():
    """Blocks with batch normalization and a way around them."""
    def loss(tf, p, x, wanted):
        y = tf.nn.relu(_norm(tf, tf.nn.conv2d(x, p[0], 1, 'SAME'), p[1], p[2]))
        z = tf.nn.relu(_norm(tf, tf.nn.conv2d(y, p[3], 2, 'SAME'), p[4], p[5]))
        z = _norm(tf, tf.nn.conv2d(z, p[6], 1, 'SAME'), p[7], p[8])
        y = tf.nn.relu(z + tf.nn.conv2d(y, p[9], 2, 'SAME'))
        return _loss(tf, tf.matmul(tf.reduce_mean(y, [1, 2]), p[10]), wanted)
    shapes = [[3, 3, 3, 4], [4], [4], [3, 3, 4, 6], [6], [6], [3, 3, 6, 6], [6], [6], [1, 1, 4, 6], [6, CLASSES]]
    return shapes, loss, _images()


def _lstm():
    """Words, a recurrent layer step by step, and the last state."""
    def loss(tf, p, x, wanted):
        words = tf.nn.embedding_lookup(p[0], x)
        state = output = tf.zeros([BATCH, 5])
        for word in tf.unstack(words, 6, axis=1):
            gates = tf.matmul(tf.concat([word, output], 1), p[1]) + p[2]
            i, j, f, o = tf.split(gates, 4, 1)
            state = state * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            output = tf.tanh(state) * tf.sigmoid(o)
        return _loss(tf, tf.matmul(output, p[3]), wanted)
    return [[7, 4], [9, 20], [20], [5, CLASSES]], loss, _words()


def _layer_norm(tf, x, scale, offset):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * (1 + scale) + offset


def _transformer():
    """One layer of attention with two heads, and what follows it."""
    def loss(tf, p, x, wanted):
        y = tf.gather(p[0], x) + p[1]
        parts = tf.split(tf.reshape(tf.matmul(tf.reshape(y, [-1, 8]), p[2]), [BATCH, 6, 24]), 3, -1)
        q, k, v = (tf.transpose(tf.reshape(part, [BATCH, 6, 2, 4]), [0, 2, 1, 3]) for part in parts)
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 2.0)
        heads = tf.reshape(tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3]), [-1, 8])
        y = _layer_norm(tf, tf.reshape(y, [-1, 8]) + tf.matmul(heads, p[3]), p[4], p[5])
        inner = tf.matmul(y, p[6])
        inner = 0.5 * inner * (1.0 + tf.math.erf(inner / 1.4142135))
        y = _layer_norm(tf, y + tf.matmul(inner, p[7]), p[8], p[9])
        return _loss(tf, tf.matmul(tf.reduce_mean(tf.reshape(y, [BATCH, 6, 8]), 1), p[10]), wanted)
    shapes = [[7, 8], [6, 8], [8, 24], [8, 8], [8], [8], [8, 12], [12, 8], [8], [8], [8, CLASSES]]
    return shapes, loss, _words()


NETWORKS = {'cifar': _cifar, 'mnist': _mnist, 'residual': _residual, 'lstm': _lstm, 'transformer': _transformer}


def in_graph(tf, name, device=None):
    """Returns the losses of steps of training in a session, and the gradients of the first one."""
    shapes, loss, inputs = NETWORKS[name]()
    with tf.Graph().as_default(), tf.device(device):
        variables = [tf.compat.v1.get_variable(f'p{i}', initializer=value, use_resource=i % 2 == 0)
                     for i, value in enumerate(parameters(shapes))]
        x = tf.compat.v1.placeholder(inputs.dtype, [None, *inputs.shape[1:]])
        total = loss(tf, variables, x, tf.constant(labels()))
        slopes = tf.gradients(total, variables)
        slopes = [tf.convert_to_tensor(slope) for slope in slopes]
        steps = [tf.compat.v1.assign_sub(v, RATE * slope) for v, slope in zip(variables, slopes)]
        config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
        with tf.compat.v1.Session(config=config) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            feed = {x: inputs}
            first = session.run(slopes, feed)
            losses = []
            for _ in range(STEPS):
                losses.append(session.run(total, feed))
                session.run(steps, feed)
    return [float(value) for value in losses], first


def by_tape(tf, name, traced=False):
    """The same where ops run at once, or in a function that was traced."""
    shapes, loss, inputs = NETWORKS[name]()
    variables = [tf.Variable(value) for value in parameters(shapes)]
    x, wanted = tf.constant(inputs), tf.constant(labels())

    def step():
        with tf.GradientTape() as tape:
            total = loss(tf, variables, x, wanted)
        slopes = [tf.convert_to_tensor(slope) for slope in tape.gradient(total, variables)]
        for variable, slope in zip(variables, slopes):
            variable.assign_sub(RATE * slope)
        return total, slopes

    step = tf.function(step) if traced else step
    made = [step() for _ in range(STEPS)]
    return [float(total) for total, _ in made], [slope.numpy() for slope in made[0][1]]
