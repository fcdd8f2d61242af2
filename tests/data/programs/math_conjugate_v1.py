# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [3, 4])
z = tf.placeholder(tf.complex64, None)
norm = tf.math.reduce_euclidean_norm(x, 1)
product = tf.matmul(x, y, a_is_sparse=True)
turned = tf.transpose(z, [1, 0], conjugate=True)
print(norm, product, turned, tf.linalg.adjoint(z), tf.sparse_matmul(x, y))
for out, of in ((norm, [x]), (product, [x, y]), (tf.math.real(turned), [z]), (tf.math.reduce_euclidean_norm(y), [y])):
    before = len(tf.get_default_graph().get_operations())
    print(tf.gradients(out, of))
    print([(o.name, o.type) for o in tf.get_default_graph().get_operations()[before:]])
