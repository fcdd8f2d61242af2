import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()


def made(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', newline='') as file:
        file.write(text)
    return path


def table(path, default, *args, **kwargs):
    return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, *args, **kwargs), default)


def tried(*args, **kwargs):
    try:
        print(table(*args, **kwargs).export())
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, '<folder>'))


pairs = made('pairs', 'a\t1\t1.5\nb\t2\t-2.5\r\nc c\t3\t1e3')
t = table(pairs, -1, tf.string, 0, tf.int64, 1)
print(t.lookup(tf.constant([['a', 'c c'], ['b', 'd']])), t.size())
t = table(pairs, 0., tf.int64, 1, tf.float32, 2)
print(t.lookup(tf.constant([3, 1, 9], tf.int64)))
t = table(pairs, 0., tf.int32, 1, tf.float64, 2, vocab_size=2)
print(t.lookup(tf.constant([3, 1, 2])), t.size())
t = table(pairs, '?', tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE)
print(t.lookup(tf.constant([1, 2, 3], tf.int64)))
words = made('words', 'x y\nz\n')
t = table(words, -1, tf.string, -2, tf.int64, -1, value_index_offset=5)
print(t.lookup(tf.constant(['z', 'x y', ''])))
t = table(words, -1, tf.string, 0, tf.int64, -1, delimiter=' ')
print(t.lookup(tf.constant(['x', 'z'])))
numbers = made('numbers', '7\n 8\n9 \n')
print(table(numbers, -1, tf.int64, -2, tf.int64, -1).lookup(tf.constant([9, 8], tf.int64)))
print(table(numbers, -1, tf.int64, -2, tf.int32, -2, value_index_offset=2).lookup(tf.constant([9, 8], tf.int64)))
tried(pairs, -1, tf.string, 0, tf.int64, 3)
tried(pairs, -1, tf.string, 0, tf.int64, 0)
tried(pairs, -1, tf.string, 0, tf.int64, 1, vocab_size=7)
tried(made('holes', 'a\n\nb\n'), -1, tf.string, -2, tf.int64, -1)
tried(made('twice', 'a\nb\na\n'), -1, tf.string, -2, tf.int64, -1)
tried(made('none', ''), -1, tf.string, -2, tf.int64, -1)
tried(os.path.join(folder, 'missing'), -1, tf.string, -2, tf.int64, -1)
tried('', -1, tf.string, -2, tf.int64, -1)
tried(pairs, -1, tf.string, -3, tf.int64, -1)
tried(pairs, -1, tf.string, -1, tf.int64, -1)
tried(pairs, -1, tf.string, -2, tf.int32, -1)
tried(pairs, -1., tf.string, -2, tf.float32, -2)
tried(pairs, -1, tf.string, -2, tf.int64, -1, vocab_size=0)
tried(pairs, -1, tf.string, -2, tf.int64, -1, delimiter='ab')
v = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(words, tf.string, -2, tf.int64, -1), 4)
print(v.lookup(tf.constant(['x y', 'q', 'r'])), v.size())


@tf.function
def found(keys):
    return t.lookup(keys)


print(found(tf.constant(['z', 'q'])))
