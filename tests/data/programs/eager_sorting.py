import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


nan = float("nan")
a = [1, 10, 26.9, 2.8, 166.32, 62.3]
attempt(lambda: tf.sort(a, axis=-1, direction="ASCENDING", name=None))
attempt(lambda: tf.sort(a, direction="DESCENDING"))
attempt(lambda: tf.argsort(a))
attempt(lambda: tf.argsort(a, direction="DESCENDING", stable=True))
attempt(lambda: tf.sort([[3, 1, 2], [9, 8, 7]], axis=0))
attempt(lambda: tf.sort([[3, 1, 2], [9, 8, 7]], axis=1))
attempt(lambda: tf.sort([3.0, nan, 1.0, nan, -np.inf, np.inf]))
attempt(lambda: tf.sort([3.0, nan, 1.0, nan, 2.0], direction="DESCENDING"))
attempt(lambda: tf.argsort([3.0, nan, 1.0, 2.0]))
attempt(lambda: tf.sort([1, 2], axis=3))
attempt(lambda: tf.sort([1, 2], direction="UP"))
attempt(lambda: tf.sort(tf.constant(["b", "a"])))
attempt(lambda: tf.sort(tf.constant([], tf.int32)))
attempt(lambda: tf.argsort([2, 1, 2, 1, 2, 1]))
attempt(lambda: tf.argsort([2, 1, 2, 1, 2, 1], direction="DESCENDING"))
attempt(lambda: tf.sort(np.array([200, 3, 100], np.uint8)))
attempt(lambda: tf.sort(tf.constant([-5, 2**40, 7], tf.int64)))
attempt(lambda: tf.sort(tf.constant([-128, 127, 5], tf.int8)))
attempt(lambda: tf.sort(3))
attempt(lambda: tf.math.top_k([1.0, 4.0, 2.0], k=2))
attempt(lambda: tf.math.top_k([1.0, nan, 2.0], k=3))
attempt(lambda: tf.math.top_k([1.0, 4.0], k=3))
attempt(lambda: tf.math.top_k([[1, 5, 2], [7, 3, 9]], k=1, sorted=False).indices)
attempt(lambda: tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8]))
attempt(lambda: tf.searchsorted([1, 3, 5], [0, 3, 6]))
attempt(lambda: tf.math.in_top_k([0, 1], [[0.1, 0.9], [0.3, 0.7]], 1))
