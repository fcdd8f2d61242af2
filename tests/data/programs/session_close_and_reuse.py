# TF1
import tensorflow as tf

a = tf.constant(3)
v = tf.Variable(1, name='v')
sess = tf.Session()
sess.run(v.initializer)
print(sess.run(v + a))
sess.close()
sess.close()
for fn in [lambda: sess.run(a), lambda: a.eval(session=sess), lambda: v.initializer.run(session=sess),
           lambda: sess.partial_run_setup([a], []), lambda: sess.__enter__().run(a)]:
    try:
        print(fn())
    except RuntimeError as e:
        print(e)
with tf.Session() as s:
    try:
        print(s.run(v))
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    s.run(v.initializer)
    print(s.run(v))
    s.close()
    try:
        s.run(v)
    except RuntimeError as e:
        print(e)
empty = tf.Graph()
with tf.Session(graph=empty) as s:
    try:
        s.run([])
    except RuntimeError as e:
        print(e)
    try:
        s.run('x')
    except RuntimeError as e:
        print(e)
s = tf.Session()
with s:
    pass
try:
    s.run(a)
except RuntimeError as e:
    print(e)
print(s.graph is tf.get_default_graph(), tf.Session().sess_str)
