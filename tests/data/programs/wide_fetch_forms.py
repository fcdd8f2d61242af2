# TF1
import collections
import tensorflow as tf

a = tf.constant(1, name='a')
b = tf.constant([2., 3.], name='b')
P = collections.namedtuple('P', 'x y')
sp = tf.SparseTensor([[0]], [5], [2])
idx = tf.IndexedSlices(b, tf.constant([0, 1]))
with tf.Session() as s:
    print(s.run([a, [b, {'k': a}], (a,)]))
    print(s.run({'u': a, 'v': (b, b)}))
    print(s.run(P(a, b)), s.run('a:0'), s.run('a'), s.run(a.op), s.run([]), s.run({}))
    print(s.run(sp), s.run(idx), s.run(collections.OrderedDict([('z', a), ('y', b)])))
    for bad in (3, None, [a, None], 'nope', 'nope:0', 'a:3', lambda: 1, 1.5, [[a, 'x']]):
        try:
            print(s.run(bad))
        except Exception as e:
            print(type(e).__name__, e if not callable(bad) else '')
