import numpy as np
import tensorflow as tf

x = tf.constant([1 + 0j, 2 + 0j, 3 + 0j, 4 + 0j], tf.complex64)
print(np.round(tf.signal.fft(x).numpy(), 4))
print(np.round(tf.signal.ifft(x).numpy(), 4))
print(np.round(tf.signal.rfft([1.0, 2.0, 0.0, -1.0]).numpy(), 4))
print(np.round(tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 0.0, -1.0])).numpy(), 4))
print(np.round(tf.signal.fft2d(tf.cast([[1, 2], [3, 4]], tf.complex64)).numpy(), 4))
print(tf.signal.fft(tf.zeros([2, 3, 5], tf.complex64)).shape)
