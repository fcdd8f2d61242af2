import tensorflow as tf

keys = tf.constant(['a', 'b', 'c'])
values = tf.constant([1, 2, 3])
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default_value=-1)
print(table.lookup(tf.constant(['a', 'z', 'c'])))
print(table[tf.constant('b')], table.size())
print(table.key_dtype, table.value_dtype, table.default_value)
inverse = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ['no', 'yes']), 'unknown')
print(inverse.lookup(tf.constant([[1, 0], [5, 1]], tf.int64)))


@tf.function
def find(x):
    return table.lookup(x)


print(find(tf.constant(['c', 'c', 'q'])))
k, v = table.export()
print(sorted(zip(k.numpy().tolist(), v.numpy().tolist())))
try:
    table.lookup(tf.constant([1, 2]))
except TypeError as e:
    print(e)
try:
    table.lookup('a')
except AttributeError as e:
    print(e)
try:
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'a'], [1, 2]), 0)
except tf.errors.InvalidArgumentError as e:
    print(e.message)
