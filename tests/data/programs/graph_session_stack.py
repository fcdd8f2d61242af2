# TF1
import tensorflow as tf

g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default():
    a = tf.constant(1, name='a')
with g2.as_default():
    b = tf.constant(2, name='b')
s1, s2 = tf.Session(graph=g1), tf.Session(graph=g2)
with s1:
    print(a.eval(), tf.get_default_graph() is g1)
    with s2.as_default():
        print(b.eval(), tf.get_default_graph() is g2, tf.get_default_session() is s2)
        try:
            a.eval()
        except ValueError as e:
            print(e)
    print(tf.get_default_session() is s1)
try:
    s1.run(a)
except RuntimeError as e:
    print(e)
print(s2.run(b))
s2.close()
try:
    with s2:
        s2.run(b)
except RuntimeError as e:
    print(e)
with tf.Graph().as_default() as g3, tf.Session() as s3:
    print(s3.graph is g3, tf.constant(5).eval())
    c = tf.constant(6)
print(tf.get_default_session(), tf.get_default_graph() is g3)
try:
    tf.Session(graph=g3).run(a)
except ValueError as e:
    print(e)
try:
    tf.get_default_session().run(c)
except AttributeError as e:
    print(e)
print(type(tf.Session(graph=g3)).__name__, g3.version, len(g3.get_operations()))
tf.reset_default_graph()
v = tf.Variable(3.0)
with tf.Session() as sess:
    try:
        v.eval()
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__, e.op.name if e.op else None, e.node_def.op if e.node_def else None)
    sess.run(tf.initialize_all_variables())
    print(v.eval())
