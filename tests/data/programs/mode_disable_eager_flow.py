import tensorflow as tf
tf.compat.v1.disable_eager_execution()

x = tf.compat.v1.placeholder(tf.int32, [], name='x')
i, = tf.while_loop(lambda i: i < x, lambda i: [i + 2], [tf.constant(0)])
print(i.dtype, i.shape)
j = tf.while_loop(lambda i: i < x, lambda i: i + 3, [tf.constant(0)])
print(type(j).__name__)
k, s = tf.while_loop(lambda k, s: k < x, lambda k, s: (k + 1, s + k), (0, 0))
c = tf.cond(x > 3, lambda: x * 10, lambda: x - 1)
print(c.dtype, c.shape)
d = tf.cond(x > 3, lambda: {'a': x, 'b': (x + 1,)}, lambda: {'a': -x, 'b': (x,)})
with tf.compat.v1.Session() as sess:
    for value in (1, 5):
        print(sess.run([i, k, s, c, d], {x: value}))
print(tf.compat.v1.control_flow_v2_enabled(), tf.compat.v1.resource_variables_enabled())
