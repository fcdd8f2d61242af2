# TF1
import tensorflow as tf

def net(x):
    with tf.variable_scope('net', reuse=tf.AUTO_REUSE) as scope:
        print(scope.name, scope.original_name_scope, scope.reuse)
        w = tf.get_variable('w', shape=[2], initializer=tf.constant_initializer([1., 2.]))
        return x * w

a = net(tf.constant([1., 1.]))
b = net(tf.constant([5., 5.]))
print(a.op.name, b.op.name)
print(tf.trainable_variables())
with tf.variable_scope('outer', initializer=tf.constant_initializer(3.)):
    v = tf.get_variable('v', [])
    with tf.variable_scope('inner', dtype=tf.float64):
        u = tf.get_variable('u', [1])
        print(u)
    with tf.name_scope('n'):
        k = tf.get_variable('k', [2])
        t = tf.add(k, 1, name='t')
print(v.name, u.name, k.name, t.name)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    print(s.run([a, b, v, u, k, t]))
