# TF1
import collections
import tensorflow as tf

a = tf.constant(1., name='a')
b = tf.constant([2, 3], name='b')
Pair = collections.namedtuple('Pair', 'left right')
op = tf.no_op(name='nothing')
with tf.Session() as sess:
    print(sess.run(a), sess.run([a]), sess.run((a, b)), sess.run({'x': a, 'y': [b, a]}))
    print(sess.run(Pair(a, b)), sess.run('a:0'), sess.run(op), sess.run([op, a]))
    print(sess.run([]), sess.run({}), sess.run(collections.OrderedDict([('z', a), ('b', b)])))
    print(type(sess.run(a)), type(sess.run(b)), sess.run(a).dtype)
    print(sess.run([[a, [b, (a,)]], {'k': ()}]))

    def attempt(fetch):
        try:
            print(sess.run(fetch))
        except (TypeError, ValueError, KeyError) as e:
            print(type(e).__name__, e)

    attempt(None)
    attempt(3)
    attempt('zzz')
    attempt('a:7')
    attempt([a, None])
    attempt({'a': 5})
    with tf.Graph().as_default():
        other = tf.constant(1., name='other')
    attempt(other)
    attempt([a, [other]])
    attempt(print)
with tf.Session(graph=tf.Graph()) as empty:
    try:
        empty.run(a)
    except (ValueError, RuntimeError) as e:
        print(type(e).__name__, e)
    try:
        empty.run([])
    except RuntimeError as e:
        print(e)
