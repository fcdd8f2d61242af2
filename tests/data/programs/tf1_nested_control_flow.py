# TF1
import tensorflow as tf

n = tf.placeholder(tf.int32, [], name='n')


def collatz(k, steps):
    return tf.cond(tf.equal(k % 2, 0), lambda: k // 2, lambda: 3 * k + 1), steps + 1


_, steps = tf.while_loop(lambda k, s: k > 1, collatz, [n, 0])


def outer(i, acc):
    _, inner = tf.while_loop(lambda j, a: j < i, lambda j, a: (j + 1, a + j), [0, 0])
    return i + 1, acc + inner


_, acc = tf.while_loop(lambda i, a: i < n, outer, [0, 0])
v = tf.Variable(0, name='v')


def bump(i):
    with tf.control_dependencies([tf.assign_add(v, i)]):
        return i + 1


loop = tf.while_loop(lambda i: i < 5, bump, [0])
grid = tf.while_loop(lambda i, m: i < 2, lambda i, m: (i + 1, {'a': m['a'] * 2, 'b': [m['b'][0] + 1]}),
                     (0, {'a': 1.0, 'b': [0]}))
with tf.Session() as sess:
    sess.run(v.initializer)
    for k in (1, 6, 27):
        print(sess.run([steps, acc], {n: k}))
    print(sess.run(loop), sess.run(v))
    print(sess.run(grid))
    p = tf.placeholder(tf.bool, [])
    r = tf.cond(p, lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 3, [0]), lambda: tf.constant(-1))
    print(sess.run(r, {p: True}), sess.run(r, {p: False}))
