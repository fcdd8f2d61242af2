# TF1
import tensorflow as tf

a = tf.placeholder(tf.float32, shape=[], name='a')
b = tf.placeholder(tf.float32, shape=[], name='b')
c = tf.placeholder(tf.float32, shape=[], name='c')
r1 = tf.add(a, b, name='r1')
r2 = tf.multiply(r1, c, name='r2')
with tf.Session() as sess:
    h = sess.partial_run_setup([r1, r2], [a, b, c])
    res = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
    print(res)
    print(sess.partial_run(h, r2, feed_dict={c: res}))

    def attempt(fn):
        try:
            print(fn())
        except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as e:
            print(type(e).__name__, str(e).split('\n\nOriginal')[0])

    attempt(lambda: sess.partial_run(h, r2, feed_dict={c: 1}))
    h = sess.partial_run_setup([r1], [a, b])
    attempt(lambda: sess.partial_run(h, r2))
    attempt(lambda: sess.partial_run(h, r1, feed_dict={c: 3}))
    attempt(lambda: sess.partial_run(h, r1, feed_dict={a: 3}))
    attempt(lambda: sess.partial_run(h, r1, feed_dict={b: 3}))
    attempt(lambda: sess.partial_run_setup([], []))
