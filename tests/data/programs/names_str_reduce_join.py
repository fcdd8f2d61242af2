import tensorflow as tf

a = tf.constant([['a', 'b'], ['c', 'd']])
print(tf.strings.reduce_join(a, 0))
print(tf.strings.reduce_join(a, 1, separator='+'))
print(tf.strings.reduce_join(a))
print(tf.strings.reduce_join(a, [0, 1]), tf.strings.reduce_join(a, axis=-1, keepdims=True))
chars = tf.strings.bytes_split(['hello', 'yo'])
print(chars)
print(tf.strings.reduce_join(tf.constant(['h', 'i'])))
