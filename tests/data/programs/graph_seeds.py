# TF1
import tensorflow as tf

tf.set_random_seed(42)
a = tf.random_normal([2])
b = tf.random_uniform([2], seed=7)
c = tf.random_uniform([3], maxval=10, dtype=tf.int32)
v = tf.get_variable('v', [2], initializer=tf.random_normal_initializer(seed=3))
t = tf.truncated_normal([2], seed=1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(a), sess.run(a))
    print(sess.run(b), sess.run(c), sess.run(v), sess.run(t))
    print(sess.run([a, a * 1.]))
with tf.Session() as sess:
    print(sess.run(a), sess.run(b))
print(a.op.get_attr('seed'), a.op.get_attr('seed2'), b.op.get_attr('seed'), b.op.get_attr('seed2'))
print(tf.get_seed(None), tf.get_seed(5), tf.get_default_graph().seed)
with tf.Graph().as_default():
    tf.set_random_seed(42)
    a2 = tf.random_normal([2])
    with tf.Session() as sess:
        print(sess.run(a2))
