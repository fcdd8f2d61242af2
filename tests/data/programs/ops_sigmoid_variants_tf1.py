# TF1
import tensorflow as tf

x = tf.constant([-1.0, 0.0, 2.0])
z = tf.constant([1.0, 0.0, 1.0])
a = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
b = tf.nn.weighted_cross_entropy_with_logits(targets=z, logits=x, pos_weight=3.0)
c = tf.nn.log_poisson_loss(z, x)
d = tf.nn.l2_loss(x)
print([op.name for op in tf.get_default_graph().get_operations()])
with tf.Session() as sess:
    for t in (a, b, c, d):
        print(t.name, sess.run(t).round(5))
