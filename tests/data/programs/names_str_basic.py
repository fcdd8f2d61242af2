import tensorflow as tf

s = tf.constant(['Hello World', '  TensorFlow  ', 'ÄÖÜ'])
print(tf.strings.lower(s))
print(tf.strings.upper(s))
print(tf.strings.lower(s, encoding='utf-8').numpy()[2].decode())
print(tf.strings.strip(s))
print(tf.strings.length(s))
print(tf.strings.length(s, unit='UTF8_CHAR'))
print(tf.strings.join(['a', 'b', 'c'], separator='-'))
print(tf.strings.join([['a', 'b'], ['c', 'd']]))
print(tf.constant('x') + tf.constant('y'))
print(s[0] == 'Hello World')
