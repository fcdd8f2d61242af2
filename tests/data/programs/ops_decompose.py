import numpy as np
import tensorflow as tf

a = tf.constant([[2.0, 0.0], [0.0, 1.0]], tf.float64)
e, v = tf.linalg.eigh(a)
print(np.round(e.numpy(), 6))
s = tf.linalg.svd(a, compute_uv=False)
print(np.round(s.numpy(), 6))
q, r = tf.linalg.qr(a)
print(np.round(np.abs(r.numpy()), 6))
print(np.round(tf.linalg.norm(a).numpy(), 6))
