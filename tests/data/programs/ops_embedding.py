import tensorflow as tf

emb = tf.Variable(tf.reshape(tf.range(12, dtype=tf.float32), [6, 2]), name='emb')
ids = tf.constant([[0, 5], [2, 2]])
out = tf.nn.embedding_lookup(emb, ids)
print(out)
print(tf.gather(emb, [1]).numpy(), tf.gather(emb, [1], axis=1).numpy().ravel())
try:
    tf.nn.embedding_lookup(emb, [6])
except tf.errors.InvalidArgumentError as e:
    print(e)

@tf.function
def f(i):
    return tf.gather(emb, i)
print(f(tf.constant([3])).numpy())
