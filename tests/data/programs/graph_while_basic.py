# TF1
import tensorflow as tf

i = tf.constant(0, name='i')
out = tf.while_loop(lambda i: tf.less(i, 10), lambda i: [tf.add(i, 3)], [i])
print(out, out.op.type, out.name)
a, b = tf.while_loop(lambda a, b: a < 100, lambda a, b: (b, a + b), (tf.constant(0), tf.constant(1)),
                     parallel_iterations=1, back_prop=False, name='fib')
print(a.name, b.name)
m = tf.while_loop(lambda m: tf.reduce_sum(m) < 50., lambda m: tf.concat([m, m + 1.], 0),
                  [tf.constant([1., 2.])], shape_invariants=[tf.TensorShape([None])])
print(m)
limit = tf.placeholder_with_default(4, [], name='limit')
s = tf.while_loop(lambda k, acc: k < limit, lambda k, acc: (k + 1, acc * 2.), [0, 1.], maximum_iterations=6)
with tf.Session() as sess:
    print(sess.run([out, a, b]), sess.run(m))
    print(sess.run(s), sess.run(s, {limit: 100}))


def attempt(fn):
    try:
        print(fn())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)


attempt(lambda: tf.while_loop(lambda x: x < 3, lambda x: tf.concat([x, x], 0), [tf.constant([1, 2])]))
attempt(lambda: tf.while_loop(lambda x: x < 3, lambda x: (x, x), [tf.constant(1)]))
attempt(lambda: tf.while_loop(lambda x: x < 3, lambda x: tf.cast(x, tf.float32), [tf.constant(1)]))
attempt(lambda: tf.while_loop(lambda x: x < 3, lambda x: x + 1, []))
attempt(lambda: tf.while_loop(3, lambda x: x + 1, [1]))
attempt(lambda: tf.while_loop(lambda x: tf.constant([True, False]), lambda x: x + 1, [tf.constant(1)]))
print([op.name for op in tf.get_default_graph().get_operations()][:14])
