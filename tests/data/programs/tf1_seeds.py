# TF1
import tensorflow as tf

tf.set_random_seed(42)
a = tf.random_uniform([3], seed=1)
b = tf.random_normal([2], name='b')
c = tf.truncated_normal([2], mean=1., stddev=0.5)
d = tf.random_uniform([4], 0, 100, dtype=tf.int32)
v = tf.Variable(tf.random_normal([2, 2], seed=7), name='v')
w = tf.get_variable('w', [2, 2], initializer=tf.random_uniform_initializer(-1, 1, seed=3))
g = tf.get_variable('g', [2, 3], initializer=tf.glorot_uniform_initializer(seed=5))
print([(o.type, o.get_attr('seed'), o.get_attr('seed2')) for o in tf.get_default_graph().get_operations() if 'Random' in o.type])
for _ in range(2):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(a), sess.run(a), sess.run(b), sess.run(d))
        print(sess.run(c))
        print(sess.run([v, w]))
        print(sess.run(g))
print(tf.get_seed(None), tf.get_seed(9))
with tf.Graph().as_default():
    print(tf.get_seed(None), tf.get_seed(9))
    tf.set_random_seed(0)
    print(tf.get_seed(None), tf.get_seed(0))
    with tf.Session() as sess:
        print(sess.run(tf.random_uniform([2], seed=11)))
