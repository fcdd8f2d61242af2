# TF1
import numpy as np
import tensorflow as tf

sess = tf.InteractiveSession()
y, x = np.mgrid[-1.2:1.3:0.5, -2:1:0.5]
z = x + 1j * y
xs = tf.constant(z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
for i in range(10):
    step.run()
print(ns.eval())
print(not_diverged.eval().dtype, xs.dtype, tf.real(xs).eval()[0], tf.imag(xs).eval()[:, 0])
u = tf.Variable(tf.zeros([4, 4]))
sess.run(u.initializer)
sess.run(tf.assign(u, tf.ones([4, 4])))
print(u.eval().sum())
