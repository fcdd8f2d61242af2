# TF1
import tensorflow as tf

a = tf.constant(2.0, name='a')
b = tf.constant(3.0, name='b')
c = tf.add(a, b, name='c')
d = tf.multiply(c, 10.0, name='d')
with tf.Session() as sess:
    print(sess.run(d), sess.run(d, {c: 7.0}), sess.run(d, {a: 100.0}))
    print(sess.run([c, d], {c: 1.0}), sess.run(c, {c: 4}))
    print(sess.run([a, a, c, a], {a: 0}))
    try:
        sess.run(d, {c: [1.0, 2.0]})
    except ValueError as e:
        print(e)
    g = sess.graph
    print(g.is_feedable(c), g.is_fetchable(c))
    g.prevent_feeding(c)
    g.prevent_fetching(d.op)
    print(g.is_feedable(c), g.is_fetchable(d))
    for fetch, feed in [(c, {c: 1.0}), (d, None), (d.op, None)]:
        try:
            print(sess.run(fetch, feed))
        except ValueError as e:
            print(e)
