import tensorflow as tf

v = tf.Variable([[1., 2.], [3., 4.]], name='weights')
print(v)
print(v.name, v.shape, v.dtype, v.trainable, v.device, v.numpy().tolist())
print(v.assign([[0., 0.], [1., 1.]]))
print(v.assign_add(tf.ones([2, 2])), v.assign_sub([[1., 1.], [1., 1.]]).numpy())
v[0, 1].assign(9.)
print(v.numpy(), v[1], v + 1, v @ v, tf.reduce_sum(v), -v)
print(v.scatter_nd_update([[0, 0]], [5.]), v.sparse_read([1]))
u = tf.Variable(v)
u.assign_add(u)
print(tf.reduce_all(u == 2 * v), u is v, v.value(), v.read_value().shape)
w = tf.Variable([1, 2], shape=tf.TensorShape(None), dtype=tf.int64, trainable=False)
w.assign([[1], [2], [3]])
print(w, w.shape)
print(tf.Variable('text'), tf.Variable(lambda: tf.zeros([2])), tf.Variable(True, name='flag'))
for bad in (lambda: tf.Variable(), lambda: v.assign([1.]), lambda: v.assign_add([[1, 2, 3]]), lambda: v.assign('a'),
            lambda: tf.Variable([1, 2], shape=[3]), lambda: tf.Variable(1, dtype='strange'), lambda: hash(v),
            lambda: {v}, lambda: tf.Variable(None), lambda: v.assign(None), lambda: v.missing, lambda: bool(v)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
