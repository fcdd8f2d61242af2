# TF1
import tensorflow as tf

with tf.device('/device:GPU:0'):
    v = tf.Variable([1., 2.], name='v')
    s = tf.constant('text', name='s')
    y = v * 2.
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y, s]))
with tf.Session() as sess:
    try:
        sess.run(tf.global_variables_initializer())
    except tf.errors.InvalidArgumentError as e:
        print(e)
with tf.Graph().as_default():
    with tf.device('/cpu:0'):
        a = tf.Variable(1., name='a')
    with tf.device('/gpu:0'):
        with tf.colocate_with(a):
            b = tf.add(a, 1., name='b')
        up = a.assign_add(1.)
    print(repr(b.device), repr(up.device))
    with tf.Session() as sess:
        sess.run(a.initializer)
        print(sess.run([up, b]))
