import tensorflow as tf

c = tf.complex([1.0, -3.0], [2.0, 4.0])
print(c)
print(tf.math.real(c), tf.math.imag(c).numpy())
print(tf.math.conj(c).numpy(), tf.abs(c).numpy(), tf.math.angle(c).numpy())
print(c * c, c + 1, (c / (1 + 1j)).numpy())
z = tf.constant([1 + 1j, 0.5 - 2j], dtype=tf.complex128)
print(tf.abs(z), tf.exp(z).numpy(), tf.sqrt(z).numpy())
print(tf.reduce_sum(z).numpy(), tf.square(z).numpy(), tf.pow(z, 2).numpy())
print(tf.math.real(2.5), tf.math.imag(tf.constant([1.0])), tf.math.conj(3.0))
print(tf.cast(z, tf.complex64).dtype)
