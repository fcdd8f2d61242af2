# TF1
import tensorflow as tf

a = tf.placeholder(tf.float32, shape=[])
b = tf.placeholder(tf.float32, shape=[])
c = tf.placeholder(tf.float32, shape=[])
r1 = tf.add(a, b)
r2 = tf.multiply(r1, c)
with tf.Session() as sess:
    h = sess.partial_run_setup([r1, r2], [a, b, c])
    res = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
    print(res)
    res = sess.partial_run(h, r2, feed_dict={c: res})
    print(res)
    try:
        sess.partial_run(h, r2, feed_dict={c: 1})
    except Exception as e:
        print(type(e).__name__, e)
    h = sess.partial_run_setup([r1, r2], [a, b])
    try:
        print(sess.partial_run(h, r2, feed_dict={a: 1, b: 2}))
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0])
    h = sess.partial_run_setup([r1], [a, b])
    try:
        sess.partial_run(h, r2, feed_dict={a: 1})
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0])
    try:
        sess.partial_run('wrong', r1, feed_dict={a: 1})
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0])
