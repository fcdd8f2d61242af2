import datetime

import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.constant(np.array([1, "a", None], dtype=object)))
attempt(lambda: tf.constant(np.array([[1], [1, 2]], dtype=object)))
attempt(lambda: tf.convert_to_tensor(None))
attempt(lambda: tf.convert_to_tensor({"a": 1}))
attempt(lambda: tf.convert_to_tensor(object))
attempt(lambda: tf.convert_to_tensor([1, None]))
attempt(lambda: tf.convert_to_tensor(np.datetime64("2020-01-01")))
attempt(lambda: tf.convert_to_tensor({1, 2}))
attempt(lambda: tf.convert_to_tensor(range(3)))
attempt(lambda: tf.convert_to_tensor((x for x in range(3))))
attempt(lambda: tf.convert_to_tensor(tf.constant(1), dtype=tf.float32))
attempt(lambda: tf.convert_to_tensor(np.float64(1.5), dtype=tf.float32))
attempt(lambda: tf.convert_to_tensor(np.array([1.5, 2.5]), dtype=tf.int32))
attempt(lambda: tf.constant([1, 2, 3], shape=[2, 2]))
attempt(lambda: tf.constant([1, 2, 3, 4], shape=[2, 2]))
attempt(lambda: tf.constant(7, shape=[2, 2]))
attempt(lambda: tf.constant([1, 2], shape=[2, 2]))
attempt(lambda: tf.constant(1, "flot32"))
attempt(lambda: tf.constant(1, dtype="float64"))
attempt(lambda: tf.constant(1, dtype=np.int16))
attempt(lambda: tf.constant(1, dtype=float))
attempt(lambda: tf.constant(tf.constant([1, 2])))
attempt(lambda: tf.reshape(tf.range(6), [4, 2]))
attempt(lambda: tf.reshape(tf.range(6), [-1, 4]))
attempt(lambda: tf.cast("3", tf.int32))
attempt(lambda: tf.cast([1.9, -1.9], tf.int32))
attempt(lambda: tf.constant([1, 2]).numpy().foo)
attempt(lambda: tf.constant([1, 2]).foo)
attempt(lambda: tf.constant([1, 2]).T)
attempt(lambda: tf.constant([1, 2]).reshape([2, 1]))
attempt(lambda: tf.constant([1, 2]).mean())
