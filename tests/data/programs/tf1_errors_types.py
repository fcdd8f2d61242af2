# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
i = tf.placeholder(tf.int32, [], name='i')
sess = tf.Session()
cases = [
    (tf.gather([1, 2, 3], i, name='gather'), {i: 5}),
    (tf.reshape(x, [2, 2], name='shape'), {x: [1, 2, 3]}),
    (tf.div(1, i, name='div'), {i: 0}),
    (tf.matmul(tf.reshape(x, [1, -1]), tf.zeros([2, 1]), name='mm'), {x: [1., 2., 3.]}),
    (tf.check_numerics(tf.log(x), 'bad log', name='check'), {x: [-1.]}),
    (tf.slice(x, [1], [5], name='slice'), {x: [1., 2.]}),
    (tf.zeros(tf.fill([1], i)), {i: -2}),
]
for fetch, feed in cases:
    try:
        print(sess.run(fetch, feed))
    except tf.errors.OpError as e:
        print(type(e).__name__, e.error_code, e.op.name if e.op else None, e.node_def.op if e.node_def else None)
        print(e.message.split('\n\nOriginal')[0].splitlines()[-2:])
print(tf.errors.INVALID_ARGUMENT, tf.errors.OutOfRangeError.__mro__[1].__name__)
err = tf.errors.NotFoundError(None, None, 'mine')
print(err, repr(err), err.error_code, err.message, err.op, err.node_def)
