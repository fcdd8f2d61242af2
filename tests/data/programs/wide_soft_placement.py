# TF1
import tensorflow as tf

with tf.device('/gpu:0'):
    a = tf.constant([1., 2.], name='a')
    b = tf.constant([3., 4.], name='b')
    c = tf.add(a, b, name='c')
print(a.device, c.device)
try:
    with tf.Session() as s:
        print(s.run(c))
except tf.errors.InvalidArgumentError as e:
    print(e.message)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as s:
    print(s.run(c))
with tf.device('/job:worker/task:1'):
    d = tf.constant(1, name='d')
try:
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as s:
        print(s.run(d))
except tf.errors.InvalidArgumentError as e:
    print(e.message)
