import tensorflow as tf

s = tf.constant('Hello World')
print(tf.strings.substr(s, 0, 5))
print(tf.strings.substr(s, -5, 5))
print(tf.strings.substr(['Hello', 'World'], 1, 3))
print(tf.strings.substr(['Hello', 'World'], [0, 2], [2, 3]))
print(tf.strings.substr('äöü', 1, 1, unit='UTF8_CHAR').numpy().decode())
print(tf.strings.substr([['abc', 'def']], [[1], [2]], [[1], [1]]))
try:
    tf.strings.substr('abc', 5, 1)
except tf.errors.InvalidArgumentError as e:
    print(e)
try:
    tf.strings.substr(['abc', 'd'], 2, 1)
except tf.errors.InvalidArgumentError as e:
    print(e)
