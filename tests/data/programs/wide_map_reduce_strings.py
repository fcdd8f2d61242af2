import tensorflow as tf

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), default_value=-1)
print(table.lookup(tf.constant(['a', 'z'])), table.size(), table.key_dtype, table.value_dtype)
print(table[tf.constant('b')])
m = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
m.insert(tf.constant(['x', 'y']), tf.constant([10, 20], tf.int64))
print(m.lookup(tf.constant(['x', 'q'])), m.size(), sorted(k.decode() for k in m.export()[0].numpy()))
m.remove(tf.constant(['x']))
print(m.size())
vocab = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(['u', 'v'], tf.constant([0, 1], tf.int64)), 2)
print(vocab.lookup(tf.constant(['u', 'v'])), vocab.size())
@tf.function
def f(keys):
    return table.lookup(keys) * 2
print(f(tf.constant(['b', 'c'])))
words = tf.strings.split(['the cat sat', 'the dog']).flat_values
y, idx, count = tf.unique_with_counts(words)
print(y, idx, count)
for bad in (lambda: table.lookup(tf.constant([1])), lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'a'], [1, 2]), 0),
            lambda: tf.lookup.KeyValueTensorInitializer(['a'], [1, 2]), lambda: m.insert([1], [2])):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
