# TF1
import numpy as np
import tensorflow as tf

sess = tf.InteractiveSession()
Y, X = np.mgrid[-1.2:1.2:0.3, -2:0.8:0.2]
Z = X + 1j * Y
xs = tf.constant(Z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
for i in range(20):
    step.run()
for row in ns.eval():
    print(''.join('%2d' % v for v in row))
print(xs.dtype, tf.real(xs).dtype, sess.run(tf.imag(xs))[0, :2])
sess.close()
