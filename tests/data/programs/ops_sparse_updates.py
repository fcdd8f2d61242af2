import tensorflow as tf

v = tf.Variable(tf.zeros([4], tf.int32))
for i in range(3):
    v.scatter_add(tf.IndexedSlices([i, 2 * i], [i, 3]))
print(v.numpy())
v.scatter_nd_sub([[0], [3]], [1, 1])
print(v)
print(v.batch_scatter_update(tf.IndexedSlices(tf.constant([9]), tf.constant([0]))).numpy())
s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
print(tf.convert_to_tensor(s))
print(s)
try:
    v.scatter_add([1, 2])
except (TypeError, AttributeError) as e:
    print(type(e).__name__, e)
