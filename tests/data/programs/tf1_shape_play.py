# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3, None], name='x')
print(x.shape, x.shape[1], x.shape[0], x.get_shape().as_list(), x.shape.ndims, x.shape.is_fully_defined())
print(tf.Dimension(3), tf.Dimension(None), tf.Dimension(3) == 3, tf.Dimension(None) == 3, x.shape[1].value)
print(tf.TensorShape([2, None]).merge_with([None, 5]), tf.TensorShape(None), tf.TensorShape([]))
y = tf.reshape(x, [-1, 6])
print(y.shape, tf.shape(x)[0], tf.transpose(x).shape, tf.expand_dims(x, 1).shape)
x.set_shape([2, 3, 4])
print(x.shape, x.shape.num_elements(), tf.reshape(x, [-1]).shape)
for bad in [lambda: x.set_shape([5, 3, 4]), lambda: tf.reshape(x, [5, 5]), lambda: tf.TensorShape([2]).merge_with([3]),
            lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3])), lambda: tf.zeros([2]) + tf.zeros([3]),
            lambda: tf.concat([tf.zeros([2, 2]), tf.zeros([3, 3])], 0), lambda: tf.squeeze(tf.zeros([2]), [0]),
            lambda: tf.TensorShape([None]).assert_is_fully_defined(), lambda: tf.stack([tf.zeros([1]), tf.zeros([2])])]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
with tf.Session() as sess:
    print(sess.run(tf.shape(tf.placeholder_with_default([[1., 2.]], [None, None]))))
    n = tf.placeholder(tf.int32, [])
    print(sess.run(tf.zeros([n, 2]), {n: 3}).shape, sess.run(tf.range(n), {n: 4}), tf.range(n).shape)
