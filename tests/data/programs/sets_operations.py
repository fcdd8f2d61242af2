"""Sets of dense and sparse tensors, and what is said of other things."""
import tensorflow as tf


def show(x):
    if isinstance(x, tf.SparseTensor):
        return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()
    return x.numpy().tolist()


a = tf.constant([[5, 1, 1], [3, 2, 9]])
b = tf.constant([[1, 7], [2, 4]])
s = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 8, 3], [2, 2])
for made in (tf.sets.union(a, b), tf.sets.intersection(a, b), tf.sets.difference(a, b),
             tf.sets.difference(a, b, aminusb=False), tf.sets.difference(s, a), tf.sets.difference(a, s),
             tf.sets.union(s, s), tf.sets.size(s), tf.compat.v1.sets.set_union(a, b)):
    print(show(made))
for call in (lambda: tf.sets.size(a), lambda: tf.sets.union(a, tf.constant([[1.0]])),
             lambda: tf.sets.union(a, tf.constant([[1], [2], [3]]))):
    try:
        print(show(call()))
    except Exception as error:
        print(type(error).__name__, error)
