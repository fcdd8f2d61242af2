# TF1
import tensorflow as tf

g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default():
    a = tf.constant(1., name='a')
    v = tf.Variable(2., name='v')
    init1 = tf.global_variables_initializer()
with g2.as_default():
    b = tf.constant(10., name='a')
    print(tf.get_default_graph() is g2, b.graph is g2)
    try:
        a + b
    except ValueError as e:
        print('ValueError', e)
    try:
        tf.add_n([b, a])
    except ValueError as e:
        print('ValueError', e)
    try:
        with tf.control_dependencies([a]):
            tf.constant(1)
    except ValueError as e:
        print('ValueError', e)
s1, s2 = tf.Session(graph=g1), tf.Session(graph=g2)
s1.run(init1)
print(s1.run([a, v]), s2.run(b))
for session, t in ((s1, b), (s2, a), (s2, v)):
    try:
        session.run(t)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
other = tf.Session(graph=g1)
try:
    other.run(v)
except tf.errors.FailedPreconditionError as e:
    print(e.message)
with s1.as_default():
    print(a.eval(), v.eval(), (tf.get_default_graph() is g1))
try:
    a.eval()
except ValueError as e:
    print(e)
try:
    v.eval(session=s2)
except ValueError as e:
    print(e)
tf.reset_default_graph()
print(len(tf.get_default_graph().get_operations()))
with g1.as_default():
    try:
        tf.reset_default_graph()
    except AssertionError as e:
        print(e)
