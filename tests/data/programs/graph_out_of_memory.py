# TF1
import tensorflow as tf


def attempt(fn):
    try:
        print(fn())
    except tf.errors.ResourceExhaustedError as e:
        print(type(e).__name__, e.op and e.op.name, [line for line in e.message.splitlines() if line and 'File' not in line])


with tf.Session() as sess:
    n = tf.placeholder(tf.int32, [], name='n')
    big = tf.fill([n, n], 1.0, name='big')
    total = tf.reduce_sum(big, name='total')
    p = tf.placeholder(tf.bool, [], name='p')
    branch = tf.cond(p, lambda: tf.fill([n, n], 2.0, name='inner'), lambda: tf.constant([[1.]]))
    attempt(lambda: sess.run(total, {n: 900000}))
    attempt(lambda: sess.run(big.op, {n: 900000}))
    attempt(lambda: sess.run(total, {n: 900000}, options=tf.RunOptions(timeout_in_ms=100000)))
    print(sess.run([total, branch], {n: 3, p: False}))
