import tensorflow as tf


@tf.function
def dense(st):
    return tf.sparse.to_dense(st)


@tf.function
def words(text):
    return tf.strings.split(tf.strings.lower(text))


@tf.function
def doubled(rt):
    return rt * 2, tf.reduce_sum(rt, axis=1)


st = tf.SparseTensor([[0, 0], [1, 2]], [1, 3], [2, 3])
print(dense(st))
print(words(tf.constant(['Hello Big World', 'Bye'])))
print(doubled(tf.ragged.constant([[1, 2], [3]])))
print(tf.nn.embedding_lookup(tf.constant([[1., 1.], [2., 2.]]), [0, 1, 1]))
print(tf.cast(tf.ragged.constant([[1, 2], [3]]), tf.float32))
for f in (lambda: tf.matmul(st, st), lambda: tf.reshape(st, [6])):
    try:
        f()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
