# TF1
import tensorflow as tf

c = []
for d in ['/cpu:0', '/cpu:1']:
    with tf.device(d):
        a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3])
        b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2])
        c.append(tf.matmul(a, b))
with tf.device('/cpu:0'):
    total = tf.add_n(c)
print([t.device for t in c], total.device, total.name)
with tf.Session(config=tf.ConfigProto(device_count={'CPU': 2})) as sess:
    print(sess.run(total))
try:
    with tf.Session() as sess:
        print(sess.run(total))
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__)
    print(e.message)
g = tf.Graph()
with g.as_default(), g.device(lambda op: '/cpu:0' if op.type == 'Const' else ''):
    k = tf.constant(1)
    m = tf.negative(k)
    with tf.device(None):
        n = tf.constant(2)
print(repr(k.device), repr(m.device), repr(n.device))
with tf.colocate_with(k):
    pass
