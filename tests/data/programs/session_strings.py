# TF1
import numpy as np
import tensorflow as tf

s = tf.placeholder(tf.string, name='s')
joined = tf.string_join([s, '!'], name='joined')
with tf.Session() as sess:
    for value in ['abc', b'abc', ['a', 'bb'], [b'x', 'y'], np.array(['q', 'r']), np.array([b'u', b'v']),
                  np.array(['o', b'p'], dtype=object), [['a', 'b'], ['c', 'd']], u'h\u00e9', '', [], np.array('zero')]:
        out = sess.run(joined, {s: value})
        print(repr(value), '->', repr(out), type(out).__name__)
    print(sess.run(tf.constant('hello')), sess.run(tf.constant(['a', 'bc'])))
    print(sess.run({'s': s, 'j': joined}, {s: ['k']}))
    print(sess.run(tf.as_string([1, 2, 3])), sess.run(tf.string_to_number(['1.5', '2'])))
    print(sess.run(tf.string_to_hash_bucket_fast(s, 10), {s: ['a', 'b']}))
    print(sess.run(tf.equal(s, 'abc'), {s: ['abc', 'x']}))
    a = sess.run(tf.constant(['x', 'y']))
    print(a.dtype, a.shape, a[0].decode())
