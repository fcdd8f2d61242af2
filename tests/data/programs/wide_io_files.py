import os
import tensorflow as tf

tf.io.write_file('a.txt', 'hello\nworld\n')
print(tf.io.read_file('a.txt'))
tf.io.gfile.makedirs('d/e')
with tf.io.gfile.GFile('d/e/f.txt', 'w') as f:
    f.write('line 1\nline 2\n')
with tf.io.gfile.GFile('d/e/f.txt') as f:
    print(f.readline(), f.read(), f.size(), f.tell())
with tf.io.gfile.GFile('d/e/f.txt', 'rb') as f:
    print(list(f))
print(tf.io.gfile.listdir('d'), tf.io.gfile.exists('d/e/f.txt'), tf.io.gfile.isdir('d'), sorted(tf.io.gfile.glob('d/*/*')))
tf.io.gfile.copy('a.txt', 'b.txt')
tf.io.gfile.rename('b.txt', 'c.txt')
print(tf.io.gfile.stat('c.txt').length, tf.io.matching_files('*.txt'))
for bad in (lambda: tf.io.read_file('missing.txt'), lambda: tf.io.gfile.GFile('missing.txt').read(),
            lambda: tf.io.gfile.copy('a.txt', 'c.txt'), lambda: tf.io.gfile.remove('nope'), lambda: tf.io.gfile.listdir('nope'),
            lambda: tf.io.gfile.GFile('a.txt', 'q').read(), lambda: tf.io.gfile.stat('nope')):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
tf.io.gfile.rmtree('d')
print(os.path.exists('d'), sorted(w[0] for w in tf.io.gfile.walk('.') if 'hook' not in w[0]))
