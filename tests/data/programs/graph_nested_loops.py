# TF1
import tensorflow as tf

n = tf.placeholder(tf.int32, [], name='n')


def outer(i, total):
    j, total = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + i * j), [0, total])
    return i + 1, total


i, total = tf.while_loop(lambda i, t: i < n, outer, [0, 0])
x = tf.constant([[1., 2.], [3., 4.]])
p = tf.while_loop(lambda k, m: k < 3, lambda k, m: (k + 1, tf.matmul(m, x)), [0, x])
collatz = tf.while_loop(lambda v, c: v > 1,
                        lambda v, c: (tf.cond(tf.equal(v % 2, 0), lambda: v // 2, lambda: 3 * v + 1), c + 1), [n, 0])
with tf.name_scope('loops'):
    named = tf.while_loop(lambda i: i < 2, lambda i: i + 1, [0], name='inner')
print(i, total, p, collatz, named)
print([op.name for op in tf.get_default_graph().get_operations() if op.type in ('Enter', 'Exit', 'LoopCond')])
with tf.Session() as sess:
    print(sess.run([i, total], {n: 5}), sess.run(p)[1].tolist())
    print([sess.run(collatz, {n: v}) for v in (1, 6, 27)])
    print(sess.run(named))
    try:
        print(sess.run(tf.get_default_graph().get_tensor_by_name('while/Merge:0'), {n: 3}))
    except (tf.errors.OpError, ValueError) as e:
        print(type(e).__name__, str(e).split('\n\nOriginal')[0])
