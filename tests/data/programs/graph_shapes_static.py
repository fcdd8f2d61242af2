# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32)
print(x.shape, y.shape, x.get_shape().as_list(), tf.matmul(x, tf.ones([4, 2])).shape)
print(tf.shape(x), tf.shape(tf.ones([2, 3])), tf.size(x), tf.rank(y), tf.rank(x))
y.set_shape([2, None])
print(y.shape, y.get_shape().ndims, (x[:2] + y).shape)
print(x[0].shape, x[:, 1].shape, x[..., tf.newaxis].shape, tf.reshape(x, [-1, 2]).shape)
print(tf.reduce_sum(x, 1).shape, tf.reduce_sum(x, axis=1, keepdims=True).shape, tf.transpose(x).shape)
print(tf.concat([x, x], 1).shape, tf.stack([x, x]).shape, [t.shape for t in tf.unstack(x, axis=1)])
print(tf.expand_dims(x, -1).shape, tf.squeeze(tf.ones([1, 2, 1])).shape, tf.tile(x, [2, 1]).shape)


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


attempt(lambda: x.set_shape([3, 5]))
attempt(lambda: tf.matmul(x, tf.ones([3, 2])))
attempt(lambda: x + tf.ones([3]))
attempt(lambda: tf.unstack(x))
attempt(lambda: tf.reshape(tf.ones([6]), [4, -1]))
attempt(lambda: tf.concat([x, tf.ones([2, 3])], 0))
attempt(lambda: tf.split(tf.ones([5]), 2))
attempt(lambda: tf.squeeze(x, [1]))
attempt(lambda: x.shape.assert_is_compatible_with([3, 5]))
attempt(lambda: x.shape.merge_with([3, None]))
attempt(lambda: tf.TensorShape([1, None]).as_list())
attempt(lambda: int(x.shape[0]))
attempt(lambda: x.shape[0].value)
attempt(lambda: tf.zeros([tf.shape(x)[0], 2]).shape)
attempt(lambda: tf.placeholder(tf.float32, [2, 'a']))
