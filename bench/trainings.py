"""Rows of training, for Berth's package and TensorFlow's: same code."""

import functools
import math
import time

import numpy as np
from python_side import Call, Open

IMAGES = 128
WORDS, EMBEDDED, NEGATIVE = 10000, 128, 64
STEPS, BATCH, UNITS = 20, 32, 128


def falls(run) -> Call:
    """Returns a call of a step that looks whether the loss is a number, and at last smaller than at first."""
    first = float(run())
    for _ in range(20):
        last = float(run())
    if not last < first:
        raise ValueError(f"the loss went from {first} to {last}")

    def call(turn: int) -> None:
        if not math.isfinite(float(run())):
            raise ValueError("the loss is no number")
    return call


def started(tf1, config, loss, optimizer):
    """Returns a callable of one step that gives the loss."""
    step = optimizer.minimize(loss)
    session = tf1.Session(config=config)
    session.run(tf1.global_variables_initializer())
    with tf1.control_dependencies([step]):
        return session.make_callable(tf1.identity(loss))


def variable(tf1, name, shape, deviation, value=None):
    start = tf1.truncated_normal_initializer(stddev=deviation, seed=1) if value is None else (
        tf1.constant_initializer(value))
    return tf1.get_variable(name, shape, initializer=start)


def cifar10(tf1):
    """The loss of the tutorial's network over 128 images."""
    def convolved(x, name, channels, value):
        w = variable(tf1, "w" + name, [5, 5, channels, 64], 5e-2)
        x = tf1.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
        return tf1.nn.relu(tf1.nn.bias_add(x, variable(tf1, "b" + name, [64], 0, value)))

    def normed(x):
        return tf1.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)

    def pooled(x):
        return tf1.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")

    dice = np.random.RandomState(0)
    images = tf1.Variable(dice.rand(IMAGES, 24, 24, 3).astype(np.float32), trainable=False)
    labels = tf1.Variable(dice.randint(0, 10, IMAGES).astype(np.int32), trainable=False)
    x = normed(pooled(convolved(images, "1", 3, 0.0)))
    x = tf1.reshape(pooled(normed(convolved(x, "2", 64, 0.1))), [IMAGES, -1])
    w3, w4 = variable(tf1, "w3", [2304, 384], 0.04), variable(tf1, "w4", [384, 192], 0.04)
    x = tf1.nn.relu(tf1.matmul(x, w3) + variable(tf1, "b3", [384], 0, 0.1))
    x = tf1.nn.relu(tf1.matmul(x, w4) + variable(tf1, "b4", [192], 0, 0.1))
    x = tf1.matmul(x, variable(tf1, "w5", [192, 10], 1 / 192.0)) + variable(tf1, "b5", [10], 0, 0.0)
    loss = tf1.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))
    return loss + 0.004 * (tf1.nn.l2_loss(w3) + tf1.nn.l2_loss(w4))


def open_cifar10(tf1, config) -> Call:
    """train_cifar10: one step of gradient descent."""
    with tf1.Graph().as_default():
        return falls(started(tf1, config, cifar10(tf1), tf1.train.GradientDescentOptimizer(0.01)))


def open_mlp(tf1, config) -> Call:
    """train_mlp: ten layers of 64, batch 32, Adam."""
    with tf1.Graph().as_default():
        dice = np.random.RandomState(0)
        x = tf1.constant(dice.rand(32, 64).astype(np.float32))
        y = tf1.constant(dice.rand(32, 64).astype(np.float32))
        for i in range(10):
            x = tf1.tanh(tf1.matmul(x, variable(tf1, f"w{i}", [64, 64], 0.2)) + variable(tf1, f"b{i}", [64], 0, 0.0))
        loss = tf1.reduce_mean(tf1.square(x - y))
        return falls(started(tf1, config, loss, tf1.train.AdamOptimizer(1e-3)))


def open_lstm(tf1, config) -> Call:
    """train_lstm: 128 units over 20 steps as a loop, batch 32, gradient descent."""
    with tf1.Graph().as_default():
        dice = np.random.RandomState(0)
        x = tf1.constant(dice.rand(STEPS, BATCH, UNITS).astype(np.float32))
        y = tf1.constant(dice.rand(BATCH, UNITS).astype(np.float32))
        weights = variable(tf1, "w", [2 * UNITS, 4 * UNITS], 0.05)
        bias = variable(tf1, "b", [4 * UNITS], 0, 0.0)
        inputs = tf1.TensorArray(tf1.float32, STEPS).unstack(x)

        def body(t, c, h):
            gates = tf1.matmul(tf1.concat([inputs.read(t), h], 1), weights) + bias
            i, j, f, o = tf1.split(gates, 4, 1)
            c = c * tf1.sigmoid(f + 1.0) + tf1.sigmoid(i) * tf1.tanh(j)
            return t + 1, c, tf1.tanh(c) * tf1.sigmoid(o)

        zeros = tf1.zeros([BATCH, UNITS])
        h = tf1.while_loop(lambda t, *_: t < STEPS, body, [tf1.constant(0), zeros, zeros])[2]
        loss = tf1.reduce_mean(tf1.square(h - y))
        return falls(started(tf1, config, loss, tf1.train.GradientDescentOptimizer(0.1)))


def open_word2vec(tf1, config) -> Call:
    """train_word2vec: skip-gram over 10,000 words with noise-contrastive estimation, batch 128."""
    with tf1.Graph().as_default():
        dice = np.random.RandomState(0)
        words = tf1.constant(dice.randint(0, WORDS, 128).astype(np.int64))
        labels = tf1.constant(dice.randint(0, WORDS, [128, 1]).astype(np.int64))
        embeddings = tf1.get_variable("embeddings", [WORDS, EMBEDDED], initializer=tf1.random_uniform_initializer(-1, 1, 1))
        weights = variable(tf1, "w", [WORDS, EMBEDDED], 1 / math.sqrt(EMBEDDED))
        biases = variable(tf1, "b", [WORDS], 0, 0.0)
        loss = tf1.reduce_mean(tf1.nn.nce_loss(weights, biases, labels, tf1.nn.embedding_lookup(embeddings, words),
                                               NEGATIVE, WORDS))
        return falls(started(tf1, config, loss, tf1.train.GradientDescentOptimizer(1.0)))


def differentiate(tf, count: int) -> None:
    """Prints the seconds that the gradients of a graph of |count| nodes take."""
    tf1 = tf.compat.v1
    with tf1.Graph().as_default() as graph:
        x = y = tf1.placeholder(tf1.float32, [4])
        for _ in range(count // 4):
            y = tf1.tanh(y * x) + tf1.sigmoid(y)
        nodes = len(graph.get_operations()) - 1
        begin = time.perf_counter()
        found = tf1.gradients(y, x)[0]
        seconds = time.perf_counter() - begin
    if found is None:
        raise ValueError("no gradient")
    print(seconds, nodes)


def benches(tf, threads: int) -> dict[str, Open]:
    tf1 = tf.compat.v1
    config = tf1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    return {"train_cifar10": functools.partial(open_cifar10, tf1, config),
            "train_mlp": functools.partial(open_mlp, tf1, config),
            "train_lstm": functools.partial(open_lstm, tf1, config),
            "train_word2vec": functools.partial(open_word2vec, tf1, config)}
