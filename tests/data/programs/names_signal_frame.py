import tensorflow as tf

x = tf.range(9.)
print(tf.signal.frame(x, 4, 2))
print(tf.signal.frame(x, 4, 3, pad_end=True, pad_value=-1.))
print(tf.signal.hann_window(4), tf.signal.hamming_window(4))
print(tf.signal.hann_window(5, periodic=False))
