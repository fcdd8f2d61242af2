# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
y = tf.reduce_sum(x * x, name='y')
v = tf.Variable(1.0, name='v')
op = v.assign_add(2.0).op
try:
    y.eval({x: [1.]})
except ValueError as e:
    print(e)
try:
    op.run()
except ValueError as e:
    print(e)
with tf.Session() as sess:
    v.initializer.run()
    print(op.run(), v.eval(), y.eval({x: [1, 2, 3]}), y.eval(feed_dict={x: np.ones(4)}))
    tf.global_variables_initializer().run()
    print(v.eval(), y.eval(session=sess, feed_dict={x: []}))
other = tf.Session()
other.run(v.initializer)
print(op.run(session=other), v.eval(session=other), y.eval({x: [3.]}, session=other))
with tf.Graph().as_default():
    with tf.Session() as s2:
        try:
            y.eval({x: [1.]})
        except ValueError as e:
            print(e)
        try:
            y.eval({x: [1.]}, session=s2)
        except ValueError as e:
            print(e)
print(tf.get_default_session())
