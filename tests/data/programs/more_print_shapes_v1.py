# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32)
print(x, x.shape, x.get_shape().ndims)
y = tf.placeholder(tf.float32, shape=())
z = tf.placeholder_with_default([1., 2.], shape=[None])
print(y, z, (x + y).shape, (z + [1., 2.]).shape, tf.concat([z, z], 0).shape)
print(tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_sum(x, 0, keepdims=True), tf.matmul(tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, 3])))
print(tf.argmax(tf.placeholder(tf.float32, [None, 10]), 1), tf.nn.top_k(tf.placeholder(tf.float32, [None, 10]), 3))
print(tf.shape(x), tf.size(x), tf.rank(x), tf.squeeze(tf.placeholder(tf.float32, [None, 1])), tf.expand_dims(x, 0))
print(tf.where(tf.placeholder(tf.bool, [None])), tf.gather(tf.placeholder(tf.float32, [5, 4]), tf.placeholder(tf.int32, [None])), tf.boolean_mask(z, z > 1))
print(tf.slice(z, [0], [1]), z[1:], z[::2], tf.stack([z, z], 1), tf.unstack(tf.placeholder(tf.float32, [2, None])), tf.pad(z, [[1, 2]]))
print(tf.one_hot(tf.placeholder(tf.int32, [None]), 3), tf.cast(x, tf.int64), tf.range(5, name='r'), tf.range(tf.cast(y, tf.int32)))
print(tf.reshape(x, [-1, 4]), tf.transpose(tf.placeholder(tf.float32, [2, None, 3]), [1, 0, 2]), tf.cond(y > 0, lambda: z, lambda: z * 2))
