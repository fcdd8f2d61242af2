import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
i = tf.constant([[1, 2], [3, 4]])
for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.math.reduce_std,
          tf.math.reduce_variance, tf.reduce_logsumexp, tf.math.reduce_euclidean_norm):
    attempt(lambda: (f(x).numpy(), f(x, 0).numpy(), f(x, axis=-1, keepdims=True).numpy()))
    attempt(lambda: f(i))
    attempt(lambda: f(x, axis=2))
attempt(lambda: tf.reduce_all([]))
attempt(lambda: tf.reduce_any([1, 2]))
attempt(lambda: tf.reduce_any([True, False]))
attempt(lambda: tf.reduce_all([[True, False], [True, True]], axis=1))
attempt(lambda: tf.reduce_sum([]))
attempt(lambda: tf.reduce_max(tf.constant([])))
attempt(lambda: tf.reduce_mean(tf.constant([])))
attempt(lambda: tf.reduce_sum("a"))
attempt(lambda: tf.reduce_sum(x, [0, 0]))
attempt(lambda: tf.reduce_sum(x, axis=[0, 1]))
attempt(lambda: tf.reduce_sum(x, axis=()))
attempt(lambda: tf.reduce_sum([True, False]))
attempt(lambda: tf.reduce_sum(x, axis=1.5))
attempt(lambda: tf.argmax(x, axis=1), )
attempt(lambda: tf.argmin(x, axis=3))
attempt(lambda: tf.argmax([]))
attempt(lambda: tf.math.count_nonzero([[0, 1], [2, 3]], axis=0))
attempt(lambda: tf.math.reduce_variance([1, 2]))
attempt(lambda: tf.math.reduce_std([1, 2]))
