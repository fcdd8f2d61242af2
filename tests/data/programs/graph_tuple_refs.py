# TF1
import tensorflow as tf

v = tf.Variable([1, 2], name='v')
w = tf.Variable(5, name='w')
both = tf.tuple([tf.assign_add(v, [1, 1]), w, tf.assign(w, 7)], name='both')
print(both)
late, = tf.tuple([tf.assign_add(v, [10, 10])], control_inputs=[tf.assign_sub(w, 2)])
print(late, late.op.type, [op.name for op in late.op.control_inputs])
again = tf.assign_add(late, [100, 100])
p = tf.placeholder(tf.bool, [], name='p')


def t():
    with tf.control_dependencies(tf.tuple([tf.assign_add(v, [1000, 1000]), tf.assign_add(w, 1)])):
        return tf.identity(v) + w


c = tf.cond(p, t, lambda: v + w)
with tf.Session() as sess:
    try:
        sess.run(both)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run(tf.global_variables_initializer())
    print([x.tolist() for x in sess.run([both[0], both[2]])])
    print(sess.run(late), sess.run([v, w]))
    print(sess.run(again), sess.run([v, w]))
    print(sess.run(c, {p: True}), sess.run(c, {p: False}), sess.run([v, w]))
