import sys

import numpy as np
import tensorflow as tf

out = sys.stdout
tf.print("hello", 1, 2.5, True, None, output_stream=out)
tf.print(tf.range(10), output_stream=out)
tf.print(tf.constant([1.0, 2.5, 1 / 3]), tf.constant(1e-10), tf.constant(123456789.0), output_stream=out)
tf.print(tf.constant("text"), tf.constant(["a", "b"]), b"bytes", output_stream=out)
tf.print("tensors:", tf.range(10), {2: tf.range(3) * 2}, output_stream=out)
tf.print("tensors:", tf.range(10), {"second": [tf.constant(1), (tf.constant(2.0), "x")]}, output_stream=out)
tf.print(tf.reshape(tf.range(100), [10, 10]), output_stream=out)
tf.print(tf.reshape(tf.range(100), [10, 10]), summarize=-1, output_stream=out)
tf.print(tf.range(20), summarize=2, output_stream=out)
tf.print(tf.zeros([2, 0]), tf.constant([]), output_stream=out)
tf.print(tf.constant([[True, False]]), tf.constant(1 + 2j), output_stream=out)
tf.print(1, 2, 3, sep=", ", end="!\n", output_stream=out)
tf.print("no newline", end="", output_stream=out)
tf.print(output_stream=out)
tf.print(tf.Variable([1, 2]), tf.Variable("s"), output_stream=out)
tf.print(tf.constant([np.nan, np.inf, -np.inf]), output_stream=out)
tf.print(tf.constant(3.0, tf.float64), tf.constant(1 / 3, tf.float64), tf.constant(0.1, tf.float16), output_stream=out)
tf.print(tf.constant([1e20, 1e-20, 1e5, 123456.7]), tf.constant(2**40, tf.int64), output_stream=out)
tf.print([1, 2], (3, 4), {"a": 5}, [], {}, output_stream=out)
tf.print("a\nb", 'quote"', output_stream=out)
tf.print(tf.reshape(tf.range(8), [2, 2, 2]), output_stream=out)
tf.print(np.array([1.5, 2.5]), np.float32(1.5), output_stream=out)
try:
    tf.print("x", output_stream="nowhere")
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.print("x", foo=1)
except Exception as e:
    print(type(e).__name__, e)
