import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.linspace(10.0, 12.0, 3))
attempt(lambda: tf.linspace(0, 1, 5))
attempt(lambda: tf.linspace(0.0, 1.0, 0))
attempt(lambda: tf.linspace(0.0, 1.0, 1))
attempt(lambda: tf.linspace([0.0, 5.0], [10.0, 40.0], 5, axis=0))
attempt(lambda: tf.linspace([0.0, 5.0], [10.0, 40.0], 3, axis=-1))
attempt(lambda: tf.linspace(0.0, 1.0, -1))
attempt(lambda: tf.eye(2))
attempt(lambda: tf.eye(2, num_columns=3, dtype=tf.int32))
attempt(lambda: tf.eye(2, batch_shape=[3]))
attempt(lambda: tf.eye(2, batch_shape=[1, 2]).shape)
attempt(lambda: tf.range(5))
attempt(lambda: tf.range(3, 18, 3))
attempt(lambda: tf.range(3, 1, -0.5))
attempt(lambda: tf.range(0, 5, 0))
attempt(lambda: tf.range(5, 0))
attempt(lambda: tf.range(3, dtype=tf.float32))
attempt(lambda: tf.ones_like(tf.constant([True, False])))
attempt(lambda: tf.zeros_like(tf.constant(["a"])))
attempt(lambda: tf.ones_like([1, 2], dtype=tf.float64))
attempt(lambda: tf.zeros([2, -1]))
attempt(lambda: tf.zeros(3, tf.string))
attempt(lambda: tf.ones("a"))
attempt(lambda: tf.fill([2, 3], 9))
attempt(lambda: tf.fill(2, 9))
attempt(lambda: tf.fill([2], [1, 2]))
attempt(lambda: tf.norm([[1.0, 2.0], [3.0, 4.0]]))
attempt(lambda: tf.norm([3.0, -4.0], ord=1))
attempt(lambda: tf.norm([3.0, -4.0], ord=np.inf))
attempt(lambda: tf.norm([[1.0, 2.0], [3.0, 4.0]], ord=1, axis=[0, 1]))
attempt(lambda: tf.norm([[1.0, 2.0], [3.0, 4.0]], ord="fro", axis=(0, 1)))
attempt(lambda: tf.norm([[1.0, 2.0], [3.0, 4.0]], axis=1, keepdims=True))
attempt(lambda: tf.norm([1.0, 2.0], ord=3))
attempt(lambda: tf.norm([1.0, 2.0], ord="bad"))
attempt(lambda: tf.meshgrid([1, 2, 3], [4, 5]))
