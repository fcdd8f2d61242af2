# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [2], name='x')
y = x * 3.
v = tf.Variable(0., name='v')
up = tf.assign_add(v, tf.reduce_sum(x))
with tf.Session() as sess:
    sess.run(v.initializer)
    f = sess.make_callable(y, [x])
    print(f([1., 2.]))
    g = sess.make_callable([up, y], feed_list=[x])
    print(g([1., 1.]), g([2., 2.]))
    h = sess.make_callable(up.op, [x])
    print(h([1., 0.]), sess.run(v))
    k = sess.make_callable({'y': y, 'n': [v]}, ['x:0'])
    print(k([0., 1.]))
    for args in ((), ([1.],), ([1., 2.], 3)):
        try:
            print(f(*args))
        except (TypeError, ValueError, tf.errors.OpError) as e:
            print(type(e).__name__, str(e).split('\n\nOriginal')[0])
    opts = sess.make_callable(y, [x], accept_options=True)
    print(opts([1., 1.], options=tf.RunOptions(), run_metadata=tf.RunMetadata()))
