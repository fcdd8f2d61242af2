# TF1
import tensorflow as tf

v = tf.Variable([1, 2, 3, 4, 5], name='v')
up = tf.scatter_update(v, [0, 4], [10, 50])
add = tf.scatter_add(v, [1, 1], [1, 2])
nd = tf.scatter_nd_update(v, [[2]], [33])
nd_add = tf.scatter_nd_add(v, [[3], [3]], [1, 1])
print(up, add.dtype, nd.op.type)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(up))
    print(sess.run(add))
    print(sess.run(nd))
    print(sess.run(nd_add))
    print(sess.run(tf.scatter_sub(v, [0], [1])), sess.run(tf.scatter_mul(v, [0], [2])))
    print(sess.run(tf.scatter_max(v, [0], [100])), sess.run(tf.scatter_min(v, [4], [0])))
    try:
        sess.run(tf.scatter_update(v, [7], [0], name='bad'))
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[-1] if e.message else '')
