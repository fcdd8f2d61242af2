# TF1
import tensorflow as tf

v = tf.Variable(1, name='v')
with tf.control_dependencies([tf.assign(v, 1)]):
    first = tf.assign_add(v, 2, name='first')
with tf.control_dependencies([first]):
    second = tf.assign(v, v * 10, name='second')
    with tf.control_dependencies(None):
        free = tf.constant(0, name='free')
    with tf.control_dependencies([free]):
        third = tf.no_op(name='third')
print([op.name for op in second.op.control_inputs], free.op.control_inputs, [o.name for o in third.control_inputs])
step = tf.group(second, third, name='step')
print(step.name, step.type, [o.name for o in step.control_inputs])
t = tf.tuple([v, second], name='tup')
print(t)
w = tf.Variable([0., 0.])
loop = [tf.assign_add(w, [i, i * 2.]) for i in (1., 2., 3.)]
with tf.control_dependencies(loop):
    done = tf.identity(w, name='done')
with tf.Session() as sess:
    sess.run(v.initializer)
    for _ in range(2):
        sess.run(step)
        print(sess.run(v))
    sess.run(w.initializer)
    print(sess.run(done))
    print(sess.run(done))
    print(sess.run(tf.group()), sess.run(tf.no_op()))
try:
    with tf.control_dependencies(second):
        pass
except TypeError as e:
    print('TypeError', e)
try:
    with tf.control_dependencies([3]):
        pass
except TypeError as e:
    print('TypeError', e)
try:
    tf.group(3)
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
