# TF1
import tensorflow as tf

a = tf.constant([[1., 2.], [3., 4.]], name='a')
i = tf.constant([1, 2, 3], name='i')


def attempt(fn):
    try:
        r = fn()
        print(r)
    except (ValueError, TypeError, AttributeError, tf.errors.OpError) as e:
        print(type(e).__name__, e)


attempt(lambda: a + i)
attempt(lambda: a + 'x')
attempt(lambda: a * [1, 2, 3])
attempt(lambda: tf.matmul(a, [1., 2.]))
attempt(lambda: tf.reshape(a, [3, -1]))
attempt(lambda: tf.transpose(a, [0, 0]))
attempt(lambda: tf.transpose(a, [0, 1, 2]))
attempt(lambda: tf.reduce_sum(a, axis=3))
attempt(lambda: tf.concat(a, 0))
attempt(lambda: tf.concat([a, i], 0))
attempt(lambda: tf.stack([a, i]))
attempt(lambda: a[0, 0, 0])
attempt(lambda: a['x'])
attempt(lambda: a[5])
attempt(lambda: tf.slice(a, [0], [1]))
attempt(lambda: tf.gather(i, 1.5))
attempt(lambda: tf.cast(a, 'nope'))
attempt(lambda: tf.one_hot([0, 1], 'x'))
attempt(lambda: tf.where(a, a, a))
attempt(lambda: tf.nn.softmax(i))
attempt(lambda: tf.sqrt(i))
attempt(lambda: tf.argmax(a, 2))
attempt(lambda: tf.expand_dims(a, 5))
attempt(lambda: tf.tile(a, [2]))
attempt(lambda: tf.pad(a, [[1, 1]]))
attempt(lambda: tf.fill(a, 1))
attempt(lambda: tf.range('a'))
attempt(lambda: tf.split(a, 3))
attempt(lambda: tf.unstack(tf.placeholder(tf.float32)))
attempt(lambda: tf.equal(a, i))
attempt(lambda: tf.logical_and(a, a))
attempt(lambda: tf.no_such_function(a))
