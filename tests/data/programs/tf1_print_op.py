# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
p = tf.Print(x, [x, tf.shape(x)], message='value: ', summarize=2, first_n=1, name='p')
y = p * 2
print(p, p.op.type, p.op.get_attr('message'), p.op.get_attr('summarize'), p.op.get_attr('first_n'))
with tf.Session() as sess:
    print(sess.run(y, {x: [1., 2., 3.]}), sess.run(y, {x: []}))
    op = tf.print('x is', x, output_stream='file:///dev/null')
    print(sess.run(op, {x: [1.]}))
    print(sess.run(tf.identity(p), {x: [5.]}))
    with tf.control_dependencies([op]):
        z = tf.identity(x)
    print(sess.run(z, {x: [1.]}))
