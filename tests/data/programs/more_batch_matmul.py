import tensorflow as tf

a = tf.reshape(tf.range(12.), [2, 2, 3])
b = tf.reshape(tf.range(12.), [2, 3, 2])
print(tf.matmul(a, b), (a @ b).shape, tf.linalg.matmul(a, a, transpose_b=True)[0])
q = tf.ones([1, 4, 2, 3])
print(tf.matmul(q, q, adjoint_b=True).shape, tf.matmul(a[:, None], b[None]).shape)
scores = tf.nn.softmax(tf.matmul(a, a, transpose_b=True) / tf.sqrt(3.))
print(scores.shape, tf.reduce_sum(scores, -1))
print(tf.linalg.matvec(a, [1., 0., 1.]), tf.tensordot(a, b, [[2], [1]]).shape, tf.einsum('bij,bjk->bik', a, b)[1])
print(tf.linalg.band_part(tf.ones([3, 3]), -1, 0), 1 - tf.linalg.band_part(tf.ones((3, 3)), -1, 0))
mask = tf.sequence_mask([1, 3], 4, dtype=tf.float32)
print(mask, mask[:, tf.newaxis, tf.newaxis, :].shape)
print(tf.matmul(tf.constant([[1, 2]]), tf.constant([[3], [4]])), tf.matmul([[True]], [[True]]) if False else '')
