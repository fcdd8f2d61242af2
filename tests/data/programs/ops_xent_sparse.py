import tensorflow as tf

logits = tf.constant([[4.0, 1.0, 0.2], [1.0, 5.0, 0.5], [0.1, 0.2, 3.0]])
labels = tf.constant([0, 1, 2])
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
print(loss)
print('mean', tf.reduce_mean(loss).numpy())
wide = tf.reshape(logits, [1, 3, 3])
print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 1, 2]], logits=wide).shape)
try:
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 3, 1], logits=logits)
except tf.errors.InvalidArgumentError as e:
    print('error:', e.message)
try:
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=logits)
except (ValueError, tf.errors.InvalidArgumentError) as e:
    print(type(e).__name__, e)
