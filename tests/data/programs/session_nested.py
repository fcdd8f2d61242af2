# TF1
import tensorflow as tf

g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default():
    a = tf.constant(1, name='a')
    with tf.Session() as s1:
        with g2.as_default():
            b = tf.constant(2, name='b')
            with tf.Session() as s2:
                print(s2.graph is g2, tf.get_default_graph() is g2, tf.get_default_session() is s2)
                print(b.eval(), s1.run(a))
                try:
                    s2.run(a)
                except ValueError as e:
                    print(str(e).split(' (')[0])
            try:
                s2.run(b)
            except RuntimeError as e:
                print(e)
        print(a.eval(), tf.get_default_graph() is g1)
    print(tf.get_default_session())
sess = tf.Session(graph=g2)
with sess.as_default():
    print(b.eval(), tf.get_default_graph() is g2)
print(sess.run(b))
try:
    a + b
except ValueError as e:
    print(e)
