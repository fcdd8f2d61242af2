import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


ta = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True, clear_after_read=False)
ta = ta.write(0, 10)
ta = ta.write(1, 20)
ta = ta.write(2, 30)
print(ta.read(0), ta.read(1), ta.read(2))
print(ta.stack())
print(ta.size(), ta.dtype, ta.dynamic_size, ta.element_shape)
ta = tf.TensorArray(tf.int32, size=3)
ta = ta.unstack([[1, 2], [3, 4], [5, 6]])
print(ta.stack(), ta.gather([2, 0]), ta.concat())
print(ta.read(1))
ta2 = tf.TensorArray(tf.int32, 4).scatter([0, 2, 3], [10, 30, 40])
attempt(lambda: ta2.stack())
attempt(lambda: ta2.read(0))
attempt(lambda: ta2.read(0))
attempt(lambda: ta2.read(7))
attempt(lambda: ta2.write(9, 1))
attempt(lambda: ta2.write(0, 1.5))
attempt(lambda: ta2.write(0, "a"))
attempt(lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).write(0, [1.0, 2.0, 3.0]))
ta3 = tf.TensorArray(tf.float32, size=2, infer_shape=True).write(0, [1.0])
attempt(lambda: ta3.write(1, [1.0, 2.0]))
attempt(lambda: tf.TensorArray(tf.float32, 2).write(0, 1.0).stack())
squares = tf.TensorArray(tf.int64, 5)
for i in range(5):
    squares = squares.write(i, i * i)
print(squares.stack())
attempt(lambda: tf.TensorArray(tf.int32, 6).split([1, 2, 3, 4], [1, 3]).read(1))
attempt(lambda: tf.TensorArray(tf.int32, 2).split([1, 2, 3, 4], [1, 3]).read(1))
