import tensorflow as tf

words = tf.constant(['hello', 'a?b>c', '', 'Wörter'])
coded = tf.io.encode_base64(words)
print(coded)
print(tf.io.encode_base64(words, pad=True))
print(tf.io.decode_base64(coded))
try:
    tf.io.decode_base64('not base64!')
except tf.errors.InvalidArgumentError as e:
    print(e)
