# TF1
import tensorflow as tf

names = tf.placeholder(tf.string, [None], name='names')
greeting = tf.string_join(['Hello, ', names, '!'])
count = tf.size(names)
first = names[0]
upper = tf.identity(greeting, name='result')
lookup = {b'a': 1, b'b': 2}
with tf.Session() as sess:
    out, n = sess.run([upper, count], {names: ['Ann', 'Bob']})
    print([s.decode() for s in out], n, out.dtype, out.shape)
    print(sess.run(first, {names: [b'xyz']}), sess.run(first, {'names:0': ['\u00fc']}).decode('utf-8'))
    print(sess.run(tf.equal(names, 'Ann'), {names: ['Ann', 'Bob']}))
    print(sess.run(tf.concat([names, ['end']], 0), {names: ['s']}))
    print(sess.run(tf.stack([first, first]), {names: ['q']}), sess.run(tf.reshape(names, [2, 1]), {names: ['a', 'b']}))
    print([lookup[k] for k in sess.run(names + '', {names: ['a', 'b']})])
    print(sess.run(tf.gather(names, [1, 0]), {names: ['a', 'b']}), sess.run(tf.fill([2], 'z')))
    print(sess.run(tf.where([True, False], ['a', 'b'], ['c', 'd'])))
    v = tf.Variable(['x', 'y'], name='words')
    sess.run(v.initializer)
    print(sess.run(v), sess.run(tf.assign(v, ['p', 'q'])))
    try:
        sess.run(names, {names: 'scalar'})
    except ValueError as e:
        print(e)
    try:
        sess.run(tf.string_join([['a', 'b'], names]), {names: ['1', '2', '3']})
    except (ValueError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__, [line for line in str(e).splitlines() if 'hape' in line][:1])
