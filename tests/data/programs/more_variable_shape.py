# TF1
import tensorflow as tf

a = tf.Variable([1., 2.], shape=tf.TensorShape([None]), validate_shape=False, name='a')
b = tf.Variable([1, 2], shape=[None], use_resource=True, name='b')
print(a, b, a.shape, b.shape, b.read_value().shape)
for use_resource in (False, True):
    try:
        print(tf.Variable([1, 2], shape=[5], use_resource=use_resource, name='c'))
    except ValueError as e:
        print(e)
grow = b.assign([1, 2, 3])
with tf.Session() as sess:
    sess.run(b.initializer)
    print(sess.run(b))
    print(sess.run(grow), sess.run(b))
