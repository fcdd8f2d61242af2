import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


i32 = tf.constant(1)
i64 = tf.constant(1, tf.int64)
f32 = tf.constant(1.0)
f64 = tf.constant(1.0, tf.float64)
b = tf.constant(True)
for left in (i32, i64, f32, f64, b):
    for right in (i32, i64, f32, f64, b):
        attempt(lambda: left + right)
attempt(lambda: f32 + np.float64(2))
attempt(lambda: f32 + np.array([1.0, 2.0]))
attempt(lambda: i32 + np.int64(2))
attempt(lambda: i32 + True)
attempt(lambda: f32 + 1)
attempt(lambda: f64 * 3)
attempt(lambda: np.float32(3) * f32)
attempt(lambda: np.array([1, 2]) * i64)
attempt(lambda: tf.add([1, 2], [1.5, 2.5]))
attempt(lambda: tf.multiply(2, 2.5))
attempt(lambda: tf.multiply(2.5, 2))
attempt(lambda: tf.maximum(f32, i32))
attempt(lambda: tf.constant(300, tf.uint8))
attempt(lambda: tf.constant(-1, tf.uint8))
attempt(lambda: tf.constant(2**40))
attempt(lambda: tf.constant(2**70))
attempt(lambda: tf.constant(1.5, tf.int32))
attempt(lambda: tf.constant("x", tf.float32))
attempt(lambda: tf.constant([1, 2.5, 3]))
attempt(lambda: tf.constant([1, "a"]))
attempt(lambda: tf.constant([[1, 2], [3]]))
attempt(lambda: tf.constant(1j))
