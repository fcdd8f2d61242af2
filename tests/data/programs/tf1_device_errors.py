# TF1
import tensorflow as tf

with tf.device('/gpu:0'):
    a = tf.constant([1., 2.], name='a')
    b = tf.constant([3., 4.], name='b')
    c = tf.add(a, b, name='c')
print(a.device, c.op.device)
try:
    with tf.Session() as sess:
        print(sess.run(c))
except tf.errors.InvalidArgumentError as e:
    print(e.message.splitlines()[0])
    print(str(e).splitlines()[-1])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    print(sess.run(c))
with tf.device('/cpu:0'):
    with tf.device('/job:worker'):
        d = tf.constant(1, name='d')
    with tf.device(None):
        e = tf.constant(1, name='e')
    f = tf.constant(1, name='f')
print(repr(d.device), repr(e.device), repr(f.device))


def choose(op):
    return '/cpu:0' if op.type == 'Const' else '/gpu:1'


with tf.device(choose):
    h = tf.constant(2., name='h') * 3.
print(h.device, h.op.inputs[0].device)
for bad in ['/nope:0', 'cpu', '/cpu:x', 5]:
    try:
        with tf.device(bad):
            print(tf.constant(1).device)
    except Exception as e:
        print(type(e).__name__, e)
