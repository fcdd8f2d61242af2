import tensorflow as tf

g = tf.Graph()
with g.as_default():
    a = tf.constant([1., 2.], name='a')
    b = tf.compat.v1.placeholder_with_default(3.0, [], name='b')
    c = a * b
print(c.graph is g, tf.executing_eagerly())
with tf.compat.v1.Session(graph=g) as sess:
    print(tf.executing_eagerly(), tf.constant(1).graph is g)
    print(sess.run(c), sess.run(c, {b: 5}))
    print(c.eval(), sess.run('a:0'))
print(tf.constant(2).numpy())
try:
    c + tf.constant(1.0)
    print('added')
except Exception as error:
    print(type(error).__name__, error)
