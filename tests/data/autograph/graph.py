#: pyfunc_graph
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None], name='x')
def f(a):
    print('called', type(a).__name__, a.numpy(), tf.executing_eagerly())
    return tf.reduce_sum(a * a) + tf.constant(1.)
y = tf.py_function(f, [x], tf.float32, name='pf')
print(y)
y.set_shape([])
g = tf.gradients(y * 2., x)
print(g)
v = tf.Variable(1.)
with tf.Session() as s:
    print(s.run(y, {x: [1, 2]})); print(s.run([y, g], {x: [1, 2, 3]})); print(s.run(g, {x: [5]}))
    print(tf.executing_eagerly())
with tf.Session() as s:
    print(s.run(tf.py_function(lambda a, b: (b, a), [1., 'x'], [tf.string, tf.float32])))
w = tf.Variable([1., 2.])
opt = tf.train.GradientDescentOptimizer(.1)
loss = tf.py_function(lambda q: tf.reduce_sum(tf.square(q)), [w], tf.float32)
train = opt.minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(3): s.run(train)
    print(s.run([w, loss]))
l = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.reshape(tf.py_function(lambda q: q * 2., [a], tf.float32), [])), (0, 1.))
with tf.Session() as s: print(s.run(l))
