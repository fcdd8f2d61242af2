import tensorflow as tf

a = tf.constant([1, 2])
print(a, tf.executing_eagerly())
v = tf.Variable(1.0)
tf.compat.v1.disable_eager_execution()
print(tf.executing_eagerly())
b = tf.constant([3, 4])
print(b)
c = a + b
print(c)
with tf.compat.v1.Session() as sess:
    print(sess.run(c))
print(a.numpy())
