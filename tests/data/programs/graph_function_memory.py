import tensorflow as tf


@tf.function
def fill(n):
    return tf.reduce_sum(tf.fill([n, n], 1.0) * 2.0)


def attempt(fn):
    try:
        print(fn())
    except tf.errors.ResourceExhaustedError as e:
        print(type(e).__name__, e.op and e.op.name, [line for line in e.message.splitlines() if line and 'File' not in line])


attempt(lambda: fill(tf.constant(900000)))
attempt(lambda: tf.fill([900000, 900000], 1.0))
