# TF1
import numpy as np
import tensorflow as tf

Y, X = np.mgrid[-1.2:1.2:0.3, -2:1:0.25]
Z = X + 1j * Y
xs = tf.constant(Z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for i in range(20):
    step.run()
print(ns.eval().astype(int))
print(tf.abs(xs), tf.abs(xs).op.type)
