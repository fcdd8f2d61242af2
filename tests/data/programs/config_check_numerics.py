import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.debugging.enable_check_numerics())
attempt(lambda: tf.math.log(tf.constant([0.0, 1.0])))
attempt(lambda: tf.constant(1.0) / 0.0)
attempt(lambda: tf.math.sqrt(-1.0))
attempt(lambda: tf.constant(2.0) * 3.0)
attempt(lambda: tf.debugging.disable_check_numerics())
attempt(lambda: tf.math.log(tf.constant([0.0, 1.0])))
