# TF1
import tensorflow as tf

v = tf.Variable([1.0, 2.0], name='v')
c = tf.Variable(3, name='c', trainable=False)
step = tf.assign_add(c, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(v), sess.run([v, c]), sess.run({'v': v, 'c': c}))
    print(sess.run([step, step]), sess.run(c), c.eval(), v.eval(session=sess))
    print(sess.run(v, feed_dict={v: [9., 9.]}), sess.run(v * 2, {v: [9., 9.]}))
    print(sess.run('v:0'), sess.run('v/read:0'), sess.run(v.value()), sess.run(v.read_value()))
    print(sess.run(v.initialized_value()), sess.run(v.initial_value))
    v.load([7., 8.], sess)
    print(sess.run(v + 1.))
    print(sess.run(tf.trainable_variables()), sess.run(tf.global_variables()))
    print(v.name, v.op.name, v.shape, v.dtype, v.get_shape(), v.device == '', v.graph is sess.graph)
    try:
        v.load([1., 2., 3.], sess)
    except Exception as e:
        print(type(e).__name__, e)
