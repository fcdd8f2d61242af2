import collections
import tensorflow as tf

text = tf.constant(['the quick brown fox', 'the lazy dog', 'quick quick'])
tokens = tf.strings.split(text)
print(tokens, tokens.row_lengths())
words, idx, counts = tf.unique_with_counts(tokens.flat_values)
order = tf.argsort(counts, direction='DESCENDING', stable=True)
for i in order:
    print(words[i].numpy().decode(), int(counts[i]))
vocab = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, tf.range(tf.size(words))), -1)
print(vocab.lookup(tf.constant(['fox', 'cat'])))
ids = tf.ragged.map_flat_values(vocab.lookup, tokens)
print(ids, ids.to_tensor(default_value=-1))
print(tf.strings.regex_replace(tf.strings.lower(' Hello, World! '), '[^a-z ]', ''), tf.strings.strip('  a  '))
print(tf.reduce_max(tokens.row_lengths()), tokens[0][-1], tokens[1:, :2])
