import tensorflow as tf

x = tf.constant([-2.0, -0.5, 0.0, 0.5, 3.0])
z = tf.constant([0.0, 1.0, 0.0, 1.0, 1.0])
print(tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x))
print(tf.nn.weighted_cross_entropy_with_logits(labels=z, logits=x, pos_weight=2.0))
print(tf.nn.log_softmax(tf.constant([[1.0, 2.0, 3.0]])))
print(tf.nn.softmax_cross_entropy_with_logits([[0.2, 0.3, 0.5]], [[1.0, 2.0, 4.0]], axis=-1))
try:
    tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0])
except ValueError as e:
    print('ValueError:', e)
