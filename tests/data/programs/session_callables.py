# TF1
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
y = x * 2
v = tf.Variable(1.0, name='v')
inc = v.assign_add(1.0)
sess = tf.Session()
sess.run(v.initializer)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


fetches = [inc, {'v': v.initial_value}]
h = sess.make_callable(fetches)
fetches.append(y)
for f in (sess.make_callable(inc), sess.make_callable(inc.op), h, sess.make_callable(y, [x])):
    print(f.__name__)
attempt(sess.make_callable(inc))
attempt(sess.make_callable(inc.op))
attempt(h)
attempt(h)
attempt(lambda: sess.make_callable(inc)(1))
attempt(lambda: sess.make_callable([y, 'v:0'], ['x:0'])(np.ones(2)))
attempt(lambda: sess.make_callable(y, [x])([1], [2]))
attempt(lambda: sess.make_callable(y, [x])())
attempt(lambda: sess.make_callable(y, {x: 1}))
attempt(lambda: sess.make_callable('nope'))
attempt(lambda: sess.make_callable(None))
attempt(lambda: sess.make_callable(y, ['nope:0'])([1]))
attempt(lambda: sess.make_callable(v, accept_options=True)(options=tf.RunOptions(), run_metadata=tf.RunMetadata()))
attempt(lambda: sess.partial_run(sess.partial_run_setup(y, x), y, {x: [4]}))
attempt(lambda: sess.run())
attempt(lambda: sess.run(y, feed={x: [1]}))
attempt(lambda: sess.run(fetches=y, feed_dict={x: [1]}))
