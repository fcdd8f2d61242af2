# TF1
import os
import tempfile

import tensorflow as tf
from tensorflow.python.ops import lookup_ops

path = os.path.join(tempfile.mkdtemp(), 'words')
with open(path, 'w') as file:
    file.write('red\ngreen\nblue\n')
words = tf.placeholder(tf.string, [None])
numbers = tf.placeholder(tf.int64, [None])
plain = lookup_ops.index_table_from_file(path)
buckets = lookup_ops.index_table_from_file(path, num_oov_buckets=3, vocab_size=2, name='here')
strong = lookup_ops.index_table_from_tensor(['a', 'b'], num_oov_buckets=5,
                                            hasher_spec=lookup_ops.StrongHashSpec([1, 2]))
ints = lookup_ops.index_table_from_tensor(tf.constant([7, 8]), num_oov_buckets=2, dtype=tf.int64)
back = lookup_ops.index_to_string_table_from_file(path, default_value='none')
listed = lookup_ops.index_to_string_table_from_tensor(['u', 'v'])
held = lookup_ops.HashTable(lookup_ops.TextFileIdTableInitializer(path), 9)
alone = lookup_ops.IdTableWithHashBuckets(None, 4)
asked = [plain.lookup(words), buckets.lookup(words), strong.lookup(words), ints.lookup(numbers), back.lookup(numbers),
         listed.lookup(numbers), held.lookup(words), alone.lookup(words), plain.size(), buckets.size(), alone.size()]
print([a.name for a in asked])
print([o.name for o in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)])
print([o.name for o in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)])
print([(o.name, o.type) for o in tf.get_default_graph().get_operations()])
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    for value in sess.run(asked, {words: ['green', 'b', 'blue', 'x'], numbers: [8, 1, 0, 5]}):
        print(value)
    sess.run(held.init)
for wrong in (lambda: lookup_ops.index_table_from_file(''), lambda: lookup_ops.index_table_from_file(path, -1),
              lambda: lookup_ops.index_table_from_file(path, vocab_size=0),
              lambda: lookup_ops.index_table_from_tensor(None), lambda: lookup_ops.StrongHashSpec([1]),
              lambda: lookup_ops.index_table_from_tensor([1.5]), lambda: lookup_ops.index_table_from_tensor([1]),
              lambda: plain.lookup(numbers), lambda: buckets.lookup(numbers),
              lambda: lookup_ops.IdTableWithHashBuckets(None, 0)):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).replace(path, '<path>'))
