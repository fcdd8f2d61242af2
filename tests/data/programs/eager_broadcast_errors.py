import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


x = tf.constant([1, 2, 3])
y = tf.constant(2)
z = tf.constant([2, 2, 2])
print(tf.multiply(x, 2), x * y, x * z)
col = tf.reshape(x, [3, 1])
row = tf.range(1, 5)
print(tf.multiply(col, row))
print(tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]))
attempt(lambda: x + tf.constant([1, 2]))
attempt(lambda: tf.ones([2, 3]) * tf.ones([3, 2]))
attempt(lambda: tf.ones([2, 3]) @ tf.ones([2, 3]))
attempt(lambda: tf.matmul(tf.ones([2]), tf.ones([2])))
attempt(lambda: tf.constant([1, 2]) + tf.constant([1.0, 2.0]))
attempt(lambda: tf.constant([1, 2]) + 1.5)
attempt(lambda: tf.constant([1.5]) + "a")
attempt(lambda: tf.constant("a") + 1)
attempt(lambda: 1 + tf.constant("a"))
attempt(lambda: tf.constant("a") - tf.constant("b"))
attempt(lambda: tf.broadcast_to(x, [2, 2]))
attempt(lambda: tf.ones([2, 3]) < tf.ones([4]))
attempt(lambda: tf.ones([2, 3]) == tf.ones([4]))
attempt(lambda: tf.constant(5) // 0)
attempt(lambda: tf.constant([5, 3]) % tf.constant([0, 2]))
print(tf.constant(5.0) / 0.0, tf.constant(0.0) / 0.0, tf.constant(-1.0) / 0)
