# TF1
import tensorflow as tf

v = tf.Variable([[1., 2.], [3., 4.]], name='v')
a = tf.assign(v, [[5., 6.], [7., 8.]], use_locking=True, name='set')
b = v.assign_add([[1., 1.], [1., 1.]])
c = tf.assign_sub(v, tf.ones([2, 2]), use_locking=True)
print(a, b, c)
print(a.op.type, b.op.name, c.op.get_attr('use_locking'), a.op.get_attr('validate_shape'))
free = tf.Variable([1., 2.], validate_shape=False, name='free')
print(free.shape, free.get_shape())
grow = tf.assign(free, [1., 2., 3.], validate_shape=False)
print(grow, grow.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(a).tolist(), sess.run(b).tolist(), sess.run(c).tolist())
    print(sess.run(free), sess.run(grow), sess.run(free))
    v.load([[0., 0.], [0., 1.]], sess)
    print(v.eval(sess).tolist())
try:
    tf.assign(v, [1., 2.])
except ValueError as e:
    print('ValueError', e)
try:
    tf.assign(v, [[1, 2], [3, 4]])
    print('taken')
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
try:
    tf.assign(tf.constant(1.), 2.)
except (AttributeError, TypeError, ValueError) as e:
    print(type(e).__name__, str(e).splitlines()[0])
try:
    v.assign_add('text')
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
