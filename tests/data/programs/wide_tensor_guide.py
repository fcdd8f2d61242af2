import numpy as np
import tensorflow as tf

rank_3 = tf.constant([[[0, 1], [2, 3]], [[4, 5], [6, 7]]])
print(rank_3)
a = tf.constant([[1, 2], [3, 4]])
print(tf.add(a, 1), a * a, a @ a, '\n')
c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
print(tf.reduce_max(c), tf.math.argmax(c), tf.nn.softmax(c).shape)
print(tf.convert_to_tensor([1, 2, 3]), tf.reduce_max([1, 2, 3]), tf.reduce_max(np.array([1, 2, 3])))
t = tf.zeros([3, 2, 4, 5])
print('Type of every element:', t.dtype, 'Number of axes:', t.ndim, 'Shape:', t.shape, 'last:', t.shape[-1], 'Total:', tf.size(t).numpy())
print(tf.reshape(rank_3, [-1]), tf.reshape(rank_3, [2, -1]))
try:
    tf.reshape(rank_3, [7, -1])
except Exception as e:
    print(f'{type(e).__name__}: {e}')
f64 = tf.constant([2.2, 3.3, 4.4], dtype=tf.float64)
print(tf.cast(tf.cast(f64, tf.float16), tf.uint8))
print(tf.constant([1, 2, 3]) * 2, tf.broadcast_to([1, 2, 3], [3, 3]))
try:
    tensor = tf.constant([[0, 1], [4, 5, 6]])
except Exception as e:
    print(f'{type(e).__name__}: {e}')
print(tf.ragged.constant([[0, 1], [4, 5, 6]]))
st = tf.sparse.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
print(st, '\n', tf.sparse.to_dense(st))
print(tf.strings.split(tf.constant('a b c')), tf.constant('🥳👍'), tf.io.decode_raw(tf.constant('Duck'), tf.uint8))
