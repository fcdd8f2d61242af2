# TF1
import tensorflow as tf


def build(graph_seed, op_seed):
    with tf.Graph().as_default() as g:
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        a = tf.random_uniform([2], seed=op_seed)
        b = tf.random_normal([2], seed=op_seed)
        c = tf.random_shuffle([1, 2, 3, 4, 5], seed=op_seed)
        d = tf.truncated_normal([2], seed=op_seed)
        e = tf.random_uniform([2], maxval=10, dtype=tf.int64, seed=op_seed)
        with tf.Session() as sess:
            return [t.op.name for t in (a, b, e)], sess.run([a, b, d, e]), sess.run(a), g.seed


for seeds in [(1, None), (1, 2), (None, 2), (0, 0)]:
    names, values, again, seed = build(*seeds)
    print(seeds, seed, names)
    for v in values:
        print(v)
    print(again)
first, second = build(7, None)[1], build(7, None)[1]
print(all((x == y).all() for x, y in zip(first, second)))
with tf.Graph().as_default():
    tf.set_random_seed(1)
    x = tf.random_uniform([1])
    tf.constant(0)
    y = tf.random_uniform([1])
    with tf.Session() as sess:
        print(sess.run([x, y]), sess.run([x, y]))
    with tf.Session() as sess:
        print(sess.run(y), sess.run(x))
