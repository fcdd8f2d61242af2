# TF1
import tensorflow as tf

a = tf.placeholder(tf.float32, [])
b = tf.placeholder(tf.float32, [])
c = tf.placeholder(tf.float32, [])
r1 = tf.add(a, b)
r2 = tf.multiply(r1, c)
with tf.Session() as sess:
    h = sess.partial_run_setup([r1, r2], [a, b, c])
    res = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
    print(res)
    print(sess.partial_run(h, r2, feed_dict={c: res}))
    h = sess.partial_run_setup([r1, r2], [a, b, c])
    print(sess.partial_run(h, {'x': r1}, {a: 1.5, b: 2.5}))
    print(sess.partial_run(h, [r2], {c: 10}))
    try:
        sess.partial_run(h, r2, {c: 1})
    except Exception as e:
        print(type(e).__name__, e.message.splitlines()[-1])
    try:
        sess.partial_run('no handle', r2, {c: 1})
    except Exception as e:
        print(type(e).__name__, e.message.splitlines()[-1])
