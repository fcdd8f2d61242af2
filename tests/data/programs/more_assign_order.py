# TF1
import tensorflow as tf

v = tf.get_variable('v', initializer=0, use_resource=True)
ops = []
with tf.control_dependencies([v.assign(10)]):
    with tf.control_dependencies([v.assign_add(5)]):
        final = v.read_value()
r = tf.get_variable('r', initializer=1.)
up = tf.assign(r, r * 2)
with tf.control_dependencies([up]):
    doubled = tf.identity(r)
    snapshot = r.read_value()
ema = tf.assign_sub(r, (r - 5.) * 0.5)
swap = tf.group(tf.assign(r, 100.), v.assign(7))
print(final.op.type, up.op.type, swap.type)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(final), sess.run(v))
    print(sess.run(doubled), sess.run(snapshot), sess.run(r))
    print(sess.run(ema))
    sess.run(swap)
    print(sess.run([r, v]))
    for _ in range(3):
        sess.run(up)
    print(r.eval(), sess.run(tf.is_variable_initialized(r)))
    print(sess.run([tf.assign_add(v, 1), tf.constant(0)])[1], v.eval())
