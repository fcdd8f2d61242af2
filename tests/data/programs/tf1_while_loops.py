# TF1
import tensorflow as tf

i = tf.constant(0)
r = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [i])
print(r)
i2, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [0, 0], name='sum')
x = tf.placeholder(tf.float32, [None, None])
_, m = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, tf.concat([a, a], 0)], [tf.constant(0), x],
                     shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, None])])
n = tf.placeholder(tf.int32, [])
fib = tf.while_loop(lambda k, a, b: k < n, lambda k, a, b: (k + 1, b, a + b), (0, 0, 1))
with tf.Session() as sess:
    print(sess.run(r), sess.run([i2, total]))
    print(sess.run(m, {x: [[1., 2.]]}).shape)
    for k in (0, 1, 10):
        print(sess.run(fib, {n: k}))
    print(sess.run(tf.while_loop(lambda j: j < 100, lambda j: j * 2, [1], maximum_iterations=3)))
try:
    tf.while_loop(lambda i: i < 3, lambda i: i + 1.0, [0])
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.while_loop(lambda a: True, lambda a: tf.concat([a, a], 0), [tf.zeros([2])])
except Exception as e:
    print(type(e).__name__, str(e)[:200])
try:
    tf.while_loop(5, lambda a: a, [0])
except Exception as e:
    print(type(e).__name__, e)
