# TF1
import sys
import tensorflow as tf

x = tf.constant([1., 2., 3., 4., 5.], name='x')
p = tf.Print(x, [x, tf.shape(x)], message='x is ', first_n=2, summarize=3)
print(p, p.op.type)
y = p * 2
with tf.Session() as sess:
    for _ in range(3):
        print(sess.run(y))
q = tf.print('values', x, {'k': tf.constant(3)}, output_stream=sys.stdout, sep='|', summarize=-1)
print(type(q).__name__, q.type)
with tf.control_dependencies([q]):
    z = tf.identity(x)
with tf.Session() as sess:
    print(sess.run(z).tolist())
try:
    tf.Print(x, x, message=3)
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
