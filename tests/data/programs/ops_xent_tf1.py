# TF1
import tensorflow as tf

logits = tf.constant([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3]], name='logits')
labels = tf.constant([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], name='labels')
loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
old = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
mean = tf.reduce_mean(loss)
print(loss, mean)
print([op.name for op in tf.get_default_graph().get_operations()])
with tf.Session() as sess:
    print(sess.run([loss, old, mean]))
