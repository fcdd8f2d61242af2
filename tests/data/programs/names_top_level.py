import tensorflow as tf

print(tf.foldl(lambda a, x: a + x, tf.constant([1, 2, 3])))
print(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])))
print(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])))
print(tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 3])))
print(tf.map_fn(lambda t: t[0] + t[1], (tf.constant([1, 2]), tf.constant([3, 4])), fn_output_signature=tf.int32))
print(tf.vectorized_map(lambda x: x * 2, tf.constant([1., 2.])))
print(tf.repeat([1, 2], [2, 1]), tf.repeat([[1, 2]], 2, axis=0))
print(tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]))
print(tf.py_function(lambda x: x.numpy() + 1, [tf.constant(1)], tf.int32))
print(tf.truncatemod(7, 3), tf.boolean_mask([1, 2, 3], [True, False, True]))
print(tf.scan(lambda a, x: a * x, tf.constant([1., 2., 3.]), initializer=10.0, reverse=True))
