# TF1
import tensorflow as tf

x = tf.constant([[1, 2], [3, 4], [5, 6]])
m = tf.placeholder(tf.bool, [None], name='m')


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__, str(e).split('\n\nOriginal')[0])


attempt(lambda: tf.boolean_mask(x, [True, False]))
attempt(lambda: tf.boolean_mask([1, 2, 3], [True, False]))
attempt(lambda: tf.boolean_mask(x, [True, False, True]))
attempt(lambda: tf.boolean_mask(x, [[True, False], [True, True], [False, True]]))
attempt(lambda: tf.boolean_mask(x, True))
attempt(lambda: tf.boolean_mask(x, tf.placeholder(tf.bool)))
attempt(lambda: tf.boolean_mask(x, m))
attempt(lambda: tf.boolean_mask(x, [True, False], axis=1))
attempt(lambda: tf.boolean_mask(x, [1, 0, 1]))
attempt(lambda: tf.einsum('ij,jk->ik', x, tf.zeros([3, 2], tf.int32)))
attempt(lambda: tf.einsum('ij,jk->ik', x, x))
attempt(lambda: tf.einsum('ij->jii', x))
attempt(lambda: tf.math.reduce_variance(x))
attempt(lambda: tf.math.reduce_std([1, 2]))
attempt(lambda: tf.matmul(x, x))
attempt(lambda: tf.concat([x, [[1, 2, 3]]], 0))
attempt(lambda: tf.reshape(x, [4]))
attempt(lambda: tf.stack([x, [1]]))
with tf.Session() as sess:
    print(sess.run(tf.boolean_mask(x, m), {m: [True, False, True]}).tolist())
    attempt(lambda: sess.run(tf.boolean_mask(x, m), {m: [True, False]}))
    print(sess.run(tf.boolean_mask(x, [True, False], axis=1)).tolist())
