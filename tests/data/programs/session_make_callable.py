# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
y = tf.placeholder(tf.float32, [], name='y')
z = x * y
v = tf.Variable(0.0)
inc = v.assign_add(1.0)
with tf.Session() as sess:
    sess.run(v.initializer)
    f = sess.make_callable(z, [x, y])
    print(f([1, 2], 3), f(np.arange(3), 0.5))
    g = sess.make_callable([z, tf.reduce_sum(z)], feed_list=[x, y])
    print(g([1., 2.], 2.))
    h = sess.make_callable({'z': z, 'op': inc.op}, [x, y])
    print(h([1.], 1.), sess.run(v))
    k = sess.make_callable(inc.op)
    print(k(), k(), sess.run(v))
    m = sess.make_callable(z, ['x:0', 'y:0'])
    print(m([5.], 2.))
    try:
        sess.make_callable(z, x)
    except TypeError as e:
        print(type(e).__name__)
    try:
        f([1.])
    except Exception as e:
        print(type(e).__name__, e)
