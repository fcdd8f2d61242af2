import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


v = tf.Variable([1.0, 2.0])
attempt(lambda: v.assign([1.0]))
attempt(lambda: v.assign_add([1.0, 2.0, 3.0]))
attempt(lambda: v.assign_sub([[1.0, 2.0]]))
attempt(lambda: v.assign_add(1.0))
attempt(lambda: v.assign("a"))
attempt(lambda: v.assign(tf.constant([1, 2])))
attempt(lambda: v.assign(np.array([1.0, 2.0])))
attempt(lambda: v.assign(None))
attempt(lambda: v + tf.constant([1, 2]))
attempt(lambda: v + np.array([1.0, 2.0]))
attempt(lambda: v @ v)
attempt(lambda: tf.Variable())
attempt(lambda: tf.Variable(None))
attempt(lambda: tf.Variable([1, "a"]))
attempt(lambda: tf.Variable(1.0, dtype=tf.int32))
attempt(lambda: tf.Variable([1.0], shape=[2]))
attempt(lambda: tf.Variable(lambda: tf.ones([2]), name="made"))
attempt(lambda: tf.Variable(3, name="bad name!"))
attempt(lambda: tf.Variable(np.float64(3)))
attempt(lambda: bool(tf.Variable([1, 2])))
attempt(lambda: hash(v))
attempt(lambda: {v: 1})
attempt(lambda: len(v))
attempt(lambda: list(v))
attempt(lambda: float(tf.Variable(2.0)))
attempt(lambda: int(tf.Variable(2)))
attempt(lambda: v.nothing)
attempt(lambda: v[5])
attempt(lambda: v.set_shape([3]))
attempt(lambda: tf.Variable(tf.Variable(2.0)).numpy())
