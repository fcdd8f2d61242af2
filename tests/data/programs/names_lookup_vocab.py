import tensorflow as tf

with open('vocab.txt', 'w') as f:
    f.write('emerson\nlake\npalmer\n')
init = tf.lookup.TextFileInitializer('vocab.txt', tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                                     tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=2)
print(table.lookup(tf.constant(['lake', 'palmer', 'king', 'crimson'])))
print(table.size())
static = tf.lookup.StaticHashTable(init, -1)
print(static.lookup(tf.constant(['emerson', 'who'])), static.size())
memory = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(['x', 'y'], tf.constant([0, 1], tf.int64)), 1)
print(memory.lookup(tf.constant(['y', 'zz'])))
