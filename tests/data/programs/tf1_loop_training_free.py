# TF1
import tensorflow as tf

# Newton's method, Fibonacci and power iteration, run step by step from Python.
x = tf.Variable(1.0, dtype=tf.float64)
target = tf.placeholder(tf.float64, [])
step = x.assign(0.5 * (x + target / x))
a, b = tf.Variable(0, name='a'), tf.Variable(1, name='b')
fib = tf.tuple([a.assign(b), b.assign(a + b)]) if False else None
m = tf.constant([[2., 1.], [1., 3.]])
v = tf.Variable([[1.], [1.]])
nv = tf.matmul(m, v)
power = v.assign(nv / tf.norm(nv))
eig = tf.squeeze(tf.matmul(tf.transpose(v), tf.matmul(m, v)))
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for i in range(6):
        value = sess.run(step, feed_dict={target: 2})
    print('%.12f' % value)
    for _ in range(20):
        sess.run(power)
    print('%.5f' % sess.run(eig), sess.run(v).ravel().round(4).tolist())
    prev, cur = 0, 1
    nxt = tf.placeholder(tf.int64) + tf.placeholder(tf.int64)
    for _ in range(10):
        prev, cur = cur, sess.run(nxt, dict(zip(nxt.op.inputs, (prev, cur))))
    print(cur, type(cur).__name__)
    n = len(tf.get_default_graph().get_operations())
    for i in range(3):
        sess.run(step, {target: 9.0})
    print(len(tf.get_default_graph().get_operations()) == n)
    tf.get_default_graph().finalize()
    try:
        x + 1
    except RuntimeError as e:
        print(e)
