import tensorflow as tf

table = tf.lookup.experimental.MutableHashTable(key_dtype=tf.string, value_dtype=tf.int64, default_value=-1)
table.insert(['a', 'b'], tf.constant([10, 20], tf.int64))
print(table.lookup(['a', 'c']))
print(table.size())
table.insert('a', 11)
table.remove(tf.constant(['b']))
print(table.lookup(['a', 'b']).numpy(), table.size().numpy())
k, v = table.export()
print(k, v)
dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
dense.insert([5, 6], [50, 60])
print(dense.lookup([5, 7]), dense.size())
