import tensorflow as tf

print(tf.__version__, tf.version.VERSION, tf.version.GRAPH_DEF_VERSION)
print(tf.executing_eagerly(), tf.is_tensor(1), tf.rank(tf.zeros([2, 2])))
print(tf.errors.NotFoundError.__mro__[1].__name__, tf.errors.OUT_OF_RANGE)
print(tf.dtypes.as_dtype('float32'), tf.as_dtype(1))
print(tf.nest.flatten({'b': 2, 'a': [1, (3,)]}), tf.nest.map_structure(lambda x: x + 1, (1, [2])))
print(tf.compat.as_str(b'abc'), tf.compat.as_bytes('x'))
print(tf.saturate_cast([300., -5.], tf.uint8), tf.dtypes.cast(1.7, tf.int32))
print(tf.experimental.numpy.arange(3) if False else tf.type_spec_from_value(tf.constant(1)))
print(tf.config.list_physical_devices('GPU'), tf.test.is_built_with_cuda())
