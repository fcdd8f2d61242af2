# TF1
import tensorflow as tf

with tf.gfile.Open('vocab.txt', 'w') as f:
    f.write('the\ncat\nsat\n')
name = tf.placeholder(tf.string, [])
contents = tf.read_file(name)
lines = tf.string_split([contents], '\n')
print(contents, lines.values)
with tf.Session() as sess:
    print(sess.run(contents, {name: 'vocab.txt'}))
    value = sess.run(lines, {name: 'vocab.txt'})
    print(value)
    print(value.values, value.dense_shape)
    print(sess.run(tf.size(lines.values), {name: 'vocab.txt'}))
with tf.python_io.TFRecordWriter('x.tfrecords') as w:
    w.write(b'one')
    w.write(b'two')
print(list(tf.python_io.tf_record_iterator('x.tfrecords')))
print(tf.gfile.Exists('x.tfrecords'), tf.gfile.Exists('y'))
