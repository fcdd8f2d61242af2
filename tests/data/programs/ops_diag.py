import tensorflow as tf

print(tf.linalg.diag([1, 2, 3]))
print(tf.linalg.diag_part([[1, 2], [3, 4]]))
print(tf.linalg.set_diag(tf.ones([3, 3]), [7.0, 8.0, 9.0]).numpy())
print(tf.linalg.diag([1.0, 2.0], k=1, padding_value=-1.0))
print(tf.linalg.diag([[1, 2], [3, 4]]).shape)
print(tf.linalg.diag_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], k=(-1, 1)))
print(tf.linalg.tensor_diag([1, 2]).numpy(), tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy())
print(tf.linalg.band_part(tf.ones([4, 4]), 1, 0))
print(tf.linalg.band_part(tf.reshape(tf.range(9), [3, 3]), 0, -1).numpy())
print(tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]))
mask = 1 - tf.linalg.band_part(tf.ones((3, 3)), -1, 0)
print(mask)
