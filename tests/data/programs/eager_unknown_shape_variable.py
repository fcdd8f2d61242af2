import tensorflow as tf

x = tf.Variable([1, 2, 3], shape=tf.TensorShape(None))
print(x)
x.assign([[1, 2], [3, 4]])
print(x, x.shape, x.numpy().shape)
y = tf.Variable(tf.zeros([1, 2]), shape=[None, 2])
y.assign(tf.ones([3, 2]))
print(y)
try:
    y.assign(tf.ones([3, 3]))
except ValueError as e:
    print("ValueError", e)
try:
    y.assign_add(tf.ones([1, 2]))
except Exception as e:
    print(type(e).__name__, e)
print(tf.reduce_sum(y), y[0], y + 1)
z = tf.Variable(5.0, dtype=tf.float64, name="z", trainable=False)
print(z, z * 2, 2 - z, z ** 2, z > 3, -z, z // 2, z % 2)
print(z.assign(7.0, read_value=False), z.assign_add(1, name="more"))
del z
w = tf.Variable(tf.constant("text"))
print(w, w.numpy(), w.dtype)
u = tf.Variable([], dtype=tf.int32)
print(u, u.shape.as_list())
print([v.name for v in (x, y, w, u)])
