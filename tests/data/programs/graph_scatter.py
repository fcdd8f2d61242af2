# TF1
import tensorflow as tf

v = tf.Variable(tf.zeros([4, 2]), name='v')
add = tf.scatter_add(v, [0, 2, 0], [[1., 1.], [2., 2.], [3., 3.]])
upd = tf.scatter_update(v, 1, [9., 9.])
sub = tf.scatter_sub(v, [3], [[1., 2.]])
print(add, upd.op.type, sub.op.get_attr('use_locking'))
n = tf.Variable(0, name='n')
up = n.count_up_to(3)
with tf.control_dependencies([add]):
    total = tf.reduce_sum(v)
p = tf.placeholder(tf.bool, [])


def t():
    with tf.control_dependencies([tf.scatter_update(v, [0], [[5., 5.]])]):
        return tf.identity(v)[0]


c = tf.cond(p, t, lambda: v[1])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(add).tolist(), sess.run(upd).tolist(), sess.run(sub).tolist())
    print(sess.run(total), sess.run(c, {p: True}), sess.run(c, {p: False}))
    for _ in range(4):
        try:
            print(sess.run(up))
        except tf.errors.OutOfRangeError as e:
            print(e.message.split('\n\nOriginal')[0])
    try:
        sess.run(tf.scatter_add(v, [7], [[1., 1.]], name='far'))
    except tf.errors.InvalidArgumentError as e:
        print(e.message.split('\n\nOriginal')[0])
