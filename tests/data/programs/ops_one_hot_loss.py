import tensorflow as tf

labels = tf.constant([1, 0, 2])
y = tf.one_hot(labels, depth=3)
logits = tf.constant([[0.1, 2.0, 0.3], [1.5, 0.2, 0.1], [0.3, 0.3, 0.9]])
print(y)
p = tf.nn.softmax(logits)
manual = -tf.reduce_sum(y * tf.math.log(p), axis=1)
fused = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
print(tf.reduce_max(tf.abs(manual - fused)).numpy() < 1e-6)
print(tf.equal(tf.argmax(logits, 1), tf.cast(labels, tf.int64)))
acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
print('accuracy', acc.numpy())
