import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


@tf.function(autograph=False)
def branch(x):
    if x > 0:
        return x
    return -x


@tf.function(autograph=False)
def loop(x):
    return [e for e in x]


@tf.function
def leak(x):
    saved.append(x + 1)
    return x


@tf.function
def numpy_inside(x):
    return x.numpy()


@tf.function
def shapes(a, b):
    return tf.matmul(a, b)


saved = []
attempt(lambda: branch(tf.constant(1)))
attempt(lambda: loop(tf.constant([1, 2])))
leak(tf.constant(1))
print(saved)
try:
    saved[0] + 1
except TypeError as e:
    print("TypeError", str(e).splitlines()[0])
attempt(lambda: shapes(tf.ones([2, 3]), tf.ones([2, 3])))
attempt(lambda: numpy_inside(tf.constant(1)))
attempt(lambda: tf.function(lambda x: float(x), autograph=False)(tf.constant(1.0)))
attempt(lambda: tf.function(lambda x: len(x), autograph=False)(tf.constant([1.0])))
attempt(lambda: tf.function(lambda x: x.undefined, autograph=False)(tf.constant(1.0)))
attempt(lambda: tf.function(lambda x: 1 / 0, autograph=False)(tf.constant(1.0)))
attempt(lambda: tf.function(5))
attempt(lambda: shapes(1))
attempt(lambda: shapes(tf.ones([1, 1]), tf.ones([1, 1]), c=3))
