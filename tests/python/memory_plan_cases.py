"""memory_plan_cases.py - Plans beside what runs really take: prints one line of JSON for each case.

Run by test_memory_plan.py in processes of their own, on the device that is named first.
"""

from __future__ import annotations

import json
import os
import random
import sys

import numpy as np

import berth.compat.v1 as tf
from berth import _core

tf.disable_v2_behavior()


def straight():
    """A convolution, pooling and a product."""
    x = tf.placeholder(tf.float32, [None, 24, 24, 3])
    w = tf.Variable(tf.ones([5, 5, 3, 16]))
    h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], 'SAME')), 3, 2, 'SAME')
    w2 = tf.Variable(tf.ones([12 * 12 * 16, 100]))
    return {x: (32, 24, 24, 3)}, tf.nn.softmax(tf.matmul(tf.reshape(h, [-1, 12 * 12 * 16]), w2))


def training():
    """A step of gradient descent."""
    feeds, y = straight()
    return feeds, tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y * y))


def momentum():
    """A step with slots, and a loss that is fetched."""
    feeds, y = straight()
    loss = tf.reduce_mean(tf.square(y))
    return feeds, [loss, tf.train.AdamOptimizer(0.1).minimize(loss)]


def fetched_feed():
    """A fed value that is fetched under another name and shape, and twice."""
    x = tf.placeholder(tf.float32, [100, 100])
    flat = tf.reshape(x, [10000])
    return {x: (100, 100)}, [flat, flat, tf.identity(x) + 1.0]


def assigned():
    """A fed value that is stored."""
    v = tf.Variable(tf.zeros([200, 200]))
    x = tf.placeholder(tf.float32, [200, 200])
    return {x: (200, 200)}, v.assign(x).op


def large_constant():
    """A constant that lies there whether it runs or not."""
    x = tf.placeholder(tf.float32, [None, 300])
    return {x: (50, 300)}, tf.matmul(x, tf.constant(np.ones((300, 400), np.float32))) * 2.0


def loop():
    """A loop whose value keeps its shape."""
    x = tf.placeholder(tf.float32, [None, 300])
    w = tf.constant(np.ones((300, 300), np.float32))
    _, y = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w)) + v), [0, x])
    return {x: (70, 300)}, y


def large_loop():
    """A loop whose block borrows its arena."""
    x = tf.placeholder(tf.float32, [None, 500])
    w = tf.constant(np.ones((500, 500), np.float32))
    _, y = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.matmul(tf.exp(tf.matmul(v, w)), w) + v), [0, x])
    return {x: (400, 500)}, tf.reduce_sum(y, 1)


def nested_loops():
    """A loop in a loop."""
    x = tf.placeholder(tf.float32, [None, 64])

    def outer(i, v):
        _, inner = tf.while_loop(lambda j, u: j < 3, lambda j, u: (j + 1, tf.sin(u) * 2.0), [0, v])
        return i + 1, inner + v

    _, y = tf.while_loop(lambda i, v: i < 3, outer, [0, x])
    return {x: (300, 64)}, y


def random_graph(seed):
    """A graph of random steps over matrices."""
    draw = random.Random(seed)
    x = tf.placeholder(tf.float32, [None, 40])
    values = [x]
    for _ in range(draw.randrange(5, 40)):
        a, b = draw.choice(values), draw.choice(values)
        kind = draw.randrange(8)
        if kind == 0:
            values.append(a + b)
        elif kind == 1:
            values.append(tf.tanh(a))
        elif kind == 2:
            values.append(tf.matmul(a, tf.constant(np.ones((40, 40), np.float32))))
        elif kind == 3:
            values.append(tf.reshape(tf.reshape(a, [-1, 20]), [-1, 40]))
        elif kind == 4:
            values.append(tf.matmul(tf.matmul(a, b, transpose_b=True), b))
        elif kind == 5:
            values.append(tf.nn.softmax(a * 0.5))
        elif kind == 6:
            values.append(a - tf.reduce_mean(b, 1, keepdims=True))
        else:
            values.append(tf.concat([a[:, :20], b[:, 20:]], 1))
    fetches = draw.sample(values[1:], min(len(values) - 1, draw.randrange(1, 4)))
    return {x: (draw.choice([7, 64, 300]), 40)}, fetches


CASES = {f.__name__: f for f in (straight, training, momentum, fetched_feed, assigned, large_constant, loop,
                                 large_loop, nested_loops)}
CASES.update({f'random_{i}': (lambda i=i: random_graph(i)) for i in range(16)})


def measure(device, build):
    """Returns what a plan says of each device, and what the run takes."""
    with tf.device(device):
        feeds, fetches = build()
    values = {x: np.full(shape, 0.01, np.float32) for x, shape in feeds.items()}
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    plan = session.memory_plan(fetches, feeds)
    names = [m.device for m in plan.memories if m.device != 'pinned']
    held = {}
    for name in names:
        _core.reset_memory_stats(name)
        held[name] = _core.memory_stats(name)['bytes_in_use']
    result = session.run(fetches, values)
    taken = {n: _core.memory_stats(n)['peak_bytes_in_use'] - held[n] for n in names}
    del result
    return {'exact': plan.is_exact, 'unknown': plan.unknown, 'plan': [plan.peak_bytes[n] for n in names],
            'taken': [taken[n] for n in names], 'live': [plan[n].live_bytes for n in names]}


def measure_apart(device, name):
    """Measures in a process of its own: what one run leaves idle is there for the next."""
    child = os.fork()
    if child == 0:
        print(json.dumps({'case': name, **measure(device, CASES[name])}), flush=True)
        os._exit(0)
    return os.waitpid(child, 0)[1]


if __name__ == '__main__':
    sys.exit(max(measure_apart(sys.argv[1], name) for name in sys.argv[2:] or CASES) != 0)
