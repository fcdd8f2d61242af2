import tensorflow as tf


@tf.function
def divide(a, b):
    return a // b


@tf.function
def pick(x, i):
    return tf.gather(x, i)


@tf.function
def check(x):
    tf.debugging.assert_positive(x, message="must be positive")
    return tf.sqrt(x)


@tf.function
def shape(x, n):
    return tf.reshape(x, [n, n])


for call in (lambda: divide(tf.constant(1), tf.constant(0)), lambda: pick(tf.constant([1, 2]), tf.constant(5)),
             lambda: check(tf.constant(-1.0)), lambda: shape(tf.range(6), tf.constant(2))):
    try:
        print(call())
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, e.error_code, e.op)
        print(e.message)
print(divide(tf.constant(7), tf.constant(2)), check(tf.constant(4.0)))
