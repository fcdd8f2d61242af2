# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
i = tf.placeholder(tf.int32, [], name='i')


def layer(t, name):
    with tf.name_scope(name):
        return tf.add(t, tf.constant([1., 2., 3.]), name='plus')


y = layer(x, 'first')
g = tf.gather(y, i, name='pick')
d = tf.constant(7) // i
r = tf.reshape(x, tf.stack([i, 2]), name='shaped')
with tf.Session() as sess:
    for fetch, feed in ((y, {x: [1., 2.]}), (g, {x: [0., 0., 0.], i: 9}), (d, {i: 0}), (r, {x: [1., 2., 3.], i: 2}),
                        (y, None)):
        try:
            print(sess.run(fetch, feed))
        except tf.errors.OpError as e:
            print(type(e).__name__, e.error_code, e.op.name if e.op else None)
            print(e.message)
            print('---')
    print(sess.run(g, {x: [0., 0., 0.], i: 2}))
    sess.run(g, {x: [0., 0., 0.], i: -1})
