# Jacobians of many rows, by tapes in functions and around them, and slopes of jacobians.
import numpy as np
import tensorflow as tf

numbers = np.random.RandomState(0)
w = tf.Variable(numbers.randn(3, 70).astype('f'))
x = tf.constant(numbers.randn(2, 3).astype('f'))
v = tf.constant(numbers.randn(90).astype('f'))


def of_variable():
    with tf.GradientTape() as tape:
        y = tf.tanh(x @ w)
    return tape.jacobian(y, w)


def by_row():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x @ w) * tf.reduce_sum(x, 1, keepdims=True)
    return tape.batch_jacobian(y, x)


def second():
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            inner.watch(v)
            y = tf.reduce_sum(tf.sin(v) * tf.roll(v, 1, 0))
        slope = inner.gradient(y, v)
    return outer.jacobian(slope, v)


def third():
    with tf.GradientTape() as tape:
        tape.watch(v)
        whole = tf.reduce_sum(second() ** 2)
    return tape.gradient(whole, v)


def unconnected():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([v, x])
        y = v * 2.0
    return tape.jacobian(y, x, unconnected_gradients='zero'), tape.jacobian(y, v)


for function in (of_variable, by_row, second, third, unconnected):
    for made in (function, tf.function(function)):
        for value in tf.nest.flatten(made()):
            places = tf.cast(tf.reshape(tf.range(tf.size(value)) % 101, value.shape), tf.float32)
            print(function.__name__, value.shape, '%.3f %.2f' % (tf.reduce_sum(value), tf.reduce_sum(value * places)))
