import numpy as np
import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", str(e).splitlines()[0])


def log_huber(x, m):
    if tf.abs(x) <= m:
        return x**2
    return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))


x = tf.constant(1.0)
m = tf.constant(2.0)
print(tf.py_function(func=log_huber, inp=[x, m], Tout=tf.float32))
print(tf.py_function(lambda a, b: (a + b, a - b), [x, m], [tf.float32, tf.float32]))
print(tf.py_function(lambda a: print("inside", type(a).__name__, a.numpy()), [x], []))
print(tf.numpy_function(lambda a: np.sinh(a), [x], tf.float32))
print(tf.numpy_function(lambda a: (a + 1, a.sum()), [np.array([1, 2])], [tf.int64, tf.int64]))
print(tf.numpy_function(lambda: np.array(["a", "b"]), [], tf.string))
attempt(lambda: tf.numpy_function(lambda s: s.upper(), [tf.constant("abc")], tf.string))
attempt(lambda: tf.numpy_function(lambda a: a.astype(np.float64), [x], tf.float32))
attempt(lambda: tf.numpy_function(lambda a: (a, a), [x], tf.float32))
attempt(lambda: tf.py_function(lambda a: (a, a), [x], tf.float32))
attempt(lambda: tf.py_function(lambda a: tf.cast(a, tf.int32), [x], tf.float32))
attempt(lambda: tf.py_function(lambda a: "text", [x], tf.string))
attempt(lambda: tf.py_function(3, [x], tf.float32))


@tf.function
def graph(v):
    return tf.py_function(lambda a: a * 2, [v], tf.float32) + tf.numpy_function(lambda a: a * 3, [v], tf.float32)


print(graph(tf.constant(2.0)))
print(graph.get_concrete_function(tf.TensorSpec([], tf.float32)).outputs)
