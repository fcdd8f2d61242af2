"""Rows of conditionals and loops, for Berth's package and TensorFlow's: same code."""

import functools

import numpy as np
from python_side import Call, Open

ADDITIONS = 2000
TURNS = 1000
STEPS, BATCH, UNITS = 50, 32, 128


def check(found: float, expected: float) -> None:
    if abs(found - expected) > 1e-4 * abs(expected):
        raise ValueError(f"got {found} instead of {expected}")


def additions(value, count: int):
    for _ in range(count):
        value = value + 1.0
    return value


def open_additions(tf1, config, has_cond: bool) -> Call:
    """flow_additions_python, flow_additions_cond_python: 2,000 additions, with a conditional in the middle."""
    with tf1.Graph().as_default():
        x, taken = tf1.placeholder(tf1.float32, [4]), tf1.placeholder(tf1.bool, [])
        half = additions(x, ADDITIONS // 2)
        middle = tf1.cond(taken, lambda: half * 2.0, lambda: half * 3.0) if has_cond else half * 2.0
        last = additions(middle, ADDITIONS // 2)
        run = tf1.Session(config=config).make_callable(last, [x, taken] if has_cond else [x])
    fed, half_way = np.ones(4, np.float32), 1 + ADDITIONS // 2

    def call(turn: int) -> None:
        way = turn & 1 if has_cond else 0
        found = run(fed, way == 0) if has_cond else run(fed)
        check(float(found[0]), half_way * (2 + way) + ADDITIONS // 2)
    return call


def open_cond(tf1, config) -> Call:
    """flow_cond_python: one conditional."""
    with tf1.Graph().as_default():
        x, taken = tf1.placeholder(tf1.float32, []), tf1.placeholder(tf1.bool, [])
        run = tf1.Session(config=config).make_callable(
            tf1.cond(taken, lambda: x + 1.0, lambda: x * 3.0), [x, taken])
    fed = np.float32(2)

    def call(turn: int) -> None:
        check(float(run(fed, turn & 1 == 0)), 3 if turn & 1 == 0 else 6)
    return call


def open_count(tf1, config) -> Call:
    """flow_count_python: a loop that counts to 1,000."""
    with tf1.Graph().as_default():
        n = tf1.placeholder(tf1.int32, [])
        run = tf1.Session(config=config).make_callable(
            tf1.while_loop(lambda i: i < n, lambda i: i + 1, [tf1.constant(0)]), [n])

    def call(turn: int) -> None:
        check(int(run(TURNS + (turn & 1))), TURNS + (turn & 1))
    return call


def lstm(tf1, x, weights, bias):
    """A loop over the first axis of |x|, through arrays; returns the last output."""
    inputs, outputs = tf1.TensorArray(tf1.float32, STEPS).unstack(x), tf1.TensorArray(tf1.float32, STEPS)

    def body(t, c, h, outputs):
        gates = tf1.matmul(tf1.concat([inputs.read(t), h], 1), weights) + bias
        i, j, f, o = tf1.split(gates, 4, 1)
        c = c * tf1.sigmoid(f + 1.0) + tf1.sigmoid(i) * tf1.tanh(j)
        h = tf1.tanh(c) * tf1.sigmoid(o)
        return t + 1, c, h, outputs.write(t, h)

    zeros = tf1.zeros([BATCH, UNITS])
    return tf1.while_loop(lambda t, *_: t < STEPS, body, [tf1.constant(0), zeros, zeros, outputs])[2]


def open_lstm(tf1, config) -> Call:
    """flow_lstm_python: 128 units over 50 steps, 32 sequences at once."""
    dice = np.random.default_rng(0)
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf1.float32, [STEPS, BATCH, UNITS])
        weights = tf1.Variable(dice.normal(0, 0.05, [2 * UNITS, 4 * UNITS]).astype(np.float32), use_resource=True)
        bias = tf1.Variable(np.zeros(4 * UNITS, np.float32), use_resource=True)
        session = tf1.Session(config=config)
        session.run(tf1.global_variables_initializer())
        run = session.make_callable(lstm(tf1, x, weights, bias), [x])
    fed = dice.normal(size=[STEPS, BATCH, UNITS]).astype(np.float32)

    def call(turn: int) -> None:
        check(float(np.abs(run(fed)).sum()), 528.813)
    return call


def open_trace(tf) -> Call:
    """flow_trace_python: tracing a function with a loop and a branch."""
    def function(x, n):
        total = x
        for i in tf.range(n):
            if tf.reduce_sum(total) > 10.0:
                total = total - 1.0
            else:
                total = total * 2.0
        return total

    def call(turn: int) -> None:
        traced = tf.function(function)
        check(float(traced(tf.constant([1.0, 2.0]), tf.constant(3))[0]), 3)
    return call


def benches(tf, config) -> dict[str, Open]:
    tf1 = tf.compat.v1
    return {"flow_additions_python": functools.partial(open_additions, tf1, config, False),
            "flow_additions_cond_python": functools.partial(open_additions, tf1, config, True),
            "flow_cond_python": functools.partial(open_cond, tf1, config),
            "flow_count_python": functools.partial(open_count, tf1, config),
            "flow_lstm_python": functools.partial(open_lstm, tf1, config),
            "flow_trace_python": functools.partial(open_trace, tf)}
