import os
import tensorflow as tf

path = os.path.join(os.getcwd(), 'hello.txt')
tf.io.write_file(path, 'hello\nworld\n')
text = tf.io.read_file(path)
print(text)
print(text.numpy(), text.dtype, text.shape)
print(tf.strings.length(text))
try:
    tf.io.read_file('missing.txt')
except tf.errors.NotFoundError as e:
    print(type(e).__name__, e.message)
tf.io.write_file('sub/dir/a.bin', tf.constant(b'\x00\x01\x02'))
print(tf.io.read_file('sub/dir/a.bin').numpy())
try:
    tf.io.write_file('b', ['x', 'y'])
except tf.errors.InvalidArgumentError as e:
    print(e)
