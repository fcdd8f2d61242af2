import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


init = tf.random_normal_initializer(seed=1)
attempt(lambda: init([2]))
attempt(lambda: init([2]))
attempt(lambda: tf.random_normal_initializer(mean=1.0, stddev=2.0, seed=42)([2, 2]))
attempt(lambda: tf.random_uniform_initializer(seed=1)([3]))
attempt(lambda: tf.random_uniform_initializer(minval=-1, maxval=1, seed=3)([3], dtype=tf.float64))
attempt(lambda: tf.random_uniform_initializer(minval=0, maxval=9, seed=3)([3], dtype=tf.int32))
attempt(lambda: tf.zeros_initializer()([2]))
attempt(lambda: tf.ones_initializer()([2], tf.int32))
attempt(lambda: tf.constant_initializer(3)([2, 2]))
attempt(lambda: tf.constant_initializer([1, 2, 3, 4])(shape=[2, 2], dtype=tf.int32))
attempt(lambda: tf.constant_initializer([1, 2, 3, 4, 5])(shape=[2, 2]))
attempt(lambda: tf.constant_initializer([1, 2, 3])(shape=[2, 2]))
attempt(lambda: tf.zeros_initializer()([2], dtype=tf.string))
attempt(lambda: init([2], dtype=tf.int32))
attempt(lambda: tf.Variable(init(shape=[2]), name="w"))
attempt(lambda: init.get_config())
attempt(lambda: tf.random_normal_initializer.from_config({"mean": 0.0, "stddev": 1.0, "seed": 2})([1]))
attempt(lambda: tf.constant_initializer(2.5).get_config())
attempt(lambda: tf.constant_initializer("a"))
attempt(lambda: tf.constant_initializer(lambda: 1))
attempt(lambda: tf.zeros_initializer(1))
tf.random.set_seed(11)
attempt(lambda: tf.random_normal_initializer()([2]))
attempt(lambda: tf.random_uniform_initializer()([2]))
attempt(lambda: tf.compat.v1.truncated_normal_initializer(seed=4)([2]))
attempt(lambda: tf.compat.v1.glorot_uniform_initializer(seed=4)([2, 2]))
