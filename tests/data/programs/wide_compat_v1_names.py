import tensorflow as tf

v1 = tf.compat.v1
print(v1.__name__, hasattr(v1, 'Session'), v1.Session.__name__, v1.placeholder.__name__)
try:
    v1.placeholder(tf.float32)
except Exception as e:
    print(type(e).__name__, e)
with tf.Graph().as_default():
    p = v1.placeholder(tf.float32, [None], name='p')
    q = p * 2 + 1
    with v1.Session() as s:
        print(s.run(q, {p: [1, 2]}), tf.executing_eagerly())
    print(p, q)
print(tf.executing_eagerly(), v1.get_default_session())
try:
    v1.Session().run(tf.constant(1))
except Exception as e:
    print(type(e).__name__, e)
try:
    v1.get_variable('x', [1], initializer=v1.zeros_initializer())
    print(v1.global_variables())
except Exception as e:
    print(type(e).__name__, e)
v = tf.Variable(3.)
try:
    with v1.Session() as s:
        s.run(v)
except Exception as e:
    print(type(e).__name__, str(e)[:90])
print(v1.to_float(3), v1.log(1.), v1.div(7, 2), v1.assign(v, 4.), v1.random_uniform([1], seed=1).shape)
print(v1.train.get_global_step(), v1.get_collection('x'))
