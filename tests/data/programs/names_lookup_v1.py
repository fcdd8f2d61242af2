# TF1
import tensorflow as tf

table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant(['x', 'y']), tf.constant([0, 1], tf.int64)), -1)
ids = tf.placeholder(tf.string, [None])
out = table.lookup(ids)
print(out)
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    print(sess.run(out, {ids: ['y', 'x', 'w']}))
    print(sess.run(table.size()))
