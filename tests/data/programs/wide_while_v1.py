# TF1
import tensorflow as tf

i0 = tf.constant(0)
total = tf.while_loop(lambda i, s: i < 10, lambda i, s: (i + 1, s + i), [i0, tf.constant(0)])
print(total)
m0 = tf.ones([2, 2])
grow = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], axis=0)], [i0, m0],
                     shape_invariants=[i0.get_shape(), tf.TensorShape([None, 2])])
print(grow[1].shape)
try:
    tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], axis=0)], [i0, m0])
except ValueError as e:
    print(e)
ta = tf.TensorArray(tf.int32, size=5)
_, ta = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a.write(i, i * i)), (i0, ta))
fact = tf.while_loop(lambda n, f: n > 1, lambda n, f: (n - 1, f * n), (tf.constant(6), tf.constant(1)), back_prop=False)
with tf.Session() as s:
    print(s.run(total))
    print(s.run(grow))
    print(s.run(ta.stack()))
    print(s.run(fact[1]))
    print(s.run(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i0], maximum_iterations=2)))
