# Tapes in functions that watch tensors from outside.
import tensorflow as tf

x = tf.constant([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
big = tf.reshape(tf.range(400.0), [20, 20]) / 100
w = tf.Variable([[0.5], [-1.0], [2.0]])


def penalty():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.leaky_relu(x @ w)
    slope = tape.gradient(y, x)
    return tf.reduce_mean(tf.square(tf.norm(slope, axis=1) - 1.0)) + tf.reduce_mean(y)


def outer():
    with tf.GradientTape() as tape:
        loss = penalty()
    return loss, tape.gradient(loss, w)


def unwatched():
    with tf.GradientTape() as tape:
        y = big * big
    return 'none' if tape.gradient(y, big) is None else 'some'


def twice():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([big, x])
        with tf.GradientTape() as inner:
            inner.watch(big)
            y = tf.reduce_sum(big * big * big)
        first = inner.gradient(y, big)
        z = tf.reduce_sum(x * x)
    return tape.gradient(first, big)[1, 2], tape.gradient(z, x), tf.constant(float(tape.gradient(z, big) is None))


for function in (outer, twice):
    for made in (function, tf.function(function)):
        print([one.numpy().round(4).tolist() for one in made()])
for made in (unwatched, tf.function(unwatched)):
    print(made() if made is unwatched else made().numpy())
