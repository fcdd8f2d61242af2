# TF1
import tensorflow as tf

x = tf.constant(1.0, name='x')
old = tf.get_default_graph()
tf.reset_default_graph()
y = tf.constant(2.0, name='x')
print(x.name, y.name, x.graph is y.graph, old is x.graph)
with tf.Session() as sess:
    print(sess.run(y))
    for bad in [lambda: sess.run(x), lambda: sess.run([y, x]), lambda: sess.run(y, {x: 1.0}), lambda: x + y,
                lambda: tf.add(x, y), lambda: tf.stack([x, y])]:
        try:
            print(bad())
        except Exception as e:
            print(type(e).__name__, e)
with tf.Session(graph=old) as sess:
    print(sess.run(x), sess.run('x:0'), tf.get_default_graph() is old)
    z = tf.constant(5.0)
    print(z.name, z.graph is old)
print([op.name for op in old.get_operations()], [op.name for op in tf.get_default_graph().get_operations()])
with tf.Session() as sess:
    try:
        tf.reset_default_graph()
        print('reset inside')
    except AssertionError as e:
        print('AssertionError', e)
