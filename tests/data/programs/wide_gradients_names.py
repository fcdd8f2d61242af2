# TF1
import tensorflow as tf

tf.set_random_seed(42)
a = tf.random_normal([2], seed=1, name='a')
b = tf.random_uniform([2], 0, 1, seed=2)
c = tf.truncated_normal([2])
d = tf.random_shuffle(tf.range(4))
print(a, b.name, c.name, d.name)
with tf.Session() as s1:
    print(s1.run(a), s1.run(a))
    print(s1.run(b), s1.run(c))
    print(s1.run(d))
with tf.Session() as s2:
    print(s2.run(a), s2.run(b))
v = tf.get_variable('v', [2, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
u = tf.get_variable('u', [2], initializer=tf.random_normal_initializer(seed=8))
o = tf.get_variable('o', [2], initializer=tf.ones_initializer())
x = tf.get_variable('x', [3, 2])
print([i.initializer.name for i in (v, u, o, x)], x.initial_value)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    print(s.run([v, u, o]))
    print(s.run(tf.multinomial([[0., 0.]], 4, seed=3)))
tf.reset_default_graph()
tf.set_random_seed(1)
with tf.Session() as s:
    print(s.run(tf.random_uniform([1])), s.run(tf.random_uniform([1])))
