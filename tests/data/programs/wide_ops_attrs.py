# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4], name='x')
y = tf.reshape(x, [-1, 2, 2], name='y')
z = tf.transpose(y, [0, 2, 1], name='z')
for t in (x, y, z, tf.reduce_sum(z, [1, 2], name='r'), tf.concat([y, y], 2, name='cc'), tf.stack([x, x], 1), tf.expand_dims(x, 0), tf.argmax(x, 1),
          tf.one_hot(tf.constant([1]), 3), tf.split(x, 2, 1)[0], tf.tile(x, [2, 1]), tf.pad(x, [[0, 0], [1, 1]]), tf.gather(x, [0, 1]), x[:, 1], x[0], tf.cast(x, tf.int32),
          tf.shape(x), tf.size(x), tf.rank(x), tf.squeeze(x[:1]), tf.matmul(x, x, transpose_b=True), tf.nn.softmax(x), tf.where(x > 0), tf.unstack(x, axis=1)[0]):
    print(t.op.name, t.op.type, t.shape, t.dtype.name, t.op.inputs[0].name if t.op.inputs else None)
print(x.get_shape().as_list(), x.shape[0], x.shape[1].value, y.shape.ndims)
print(z.op.op_def.name, [a.name for a in z.op.op_def.input_arg], z.op.graph is x.graph)
x.set_shape([3, None])
print(x.shape)
try:
    x.set_shape([4, 4])
except ValueError as e:
    print(e)
print(z.op)
