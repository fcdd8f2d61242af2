import tensorflow as tf

tf.random.set_seed(1234)
print(tf.random.uniform([1]))
print(tf.random.uniform([1]))
tf.random.set_seed(1234)
print(tf.random.uniform([1]))
print(tf.random.uniform([2], seed=1), tf.random.uniform([2], seed=1))
tf.random.set_seed(5)
print(tf.random.normal([2, 2]), tf.random.truncated_normal([3]), tf.random.uniform([3], 0, 10, tf.int32))
print(tf.random.normal([2], mean=3.0, stddev=0.1, dtype=tf.float64), tf.random.uniform([2], maxval=5, dtype=tf.int64))


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


attempt(lambda: tf.random.uniform([2], dtype=tf.int32))
attempt(lambda: tf.random.uniform([2], 5, 5, tf.int32))
attempt(lambda: tf.random.uniform([-1]))
attempt(lambda: tf.random.normal("a"))
attempt(lambda: tf.random.uniform([2], minval=0.0, maxval=[1.0, 100.0]))


@tf.function
def f():
    return tf.random.uniform([1]), tf.random.uniform([1])


tf.random.set_seed(9)
print(f())
print(f())
tf.random.set_seed(9)


@tf.function
def g():
    return tf.random.uniform([1], seed=2), tf.random.normal([1], seed=2)


print(g(), g())
