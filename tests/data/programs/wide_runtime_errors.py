# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, name='x')
i = tf.placeholder(tf.int32, name='i')
nodes = [tf.matmul(x, tf.ones([3, 1]), name='mm'), tf.reshape(x, [7], name='rs'), tf.gather([1, 2, 3], i, name='ga'),
         tf.concat([x, tf.ones([2, 2])], 0, name='cc'), tf.check_numerics(x, 'bad', name='cn'), tf.add(x, tf.ones([5]), name='ad'),
         tf.string_to_number(tf.as_string(i) + 'q', name='sn'), tf.slice(x, [0, 0], [9, 9], name='sl'), tf.div(i, 0, name='dv'),
         tf.Assert(tf.equal(i, 3), [i, x], name='as'), tf.range(0, 5, i, name='rg'), tf.squeeze(x, [0], name='sq')]
with tf.Session() as s:
    for n in nodes:
        feed = {x: [[1., float('nan')], [2., 3.]], i: 0 if n.name.startswith(('rg', 'dv')) else 5}
        try:
            print(n.name, s.run(n, feed))
        except tf.errors.OpError as e:
            print(n.name, type(e).__name__, e.error_code, e.op.name if e.op else None, e.node_def.op if e.node_def else None)
            print([line for line in e.message.split('\n') if line and 'File' not in line and 'Detected' not in line][:3])
