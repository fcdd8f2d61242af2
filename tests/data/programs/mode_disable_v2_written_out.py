import tensorflow as tf
tf.compat.v1.disable_v2_behavior()

print(tf.executing_eagerly())
a = tf.constant(2, name='a')
b = tf.constant(3, name='b')
c = a * b
print(c)
with tf.compat.v1.Session() as sess:
    print(sess.run(c))
v = tf.Variable([1., 2.])
print(v)
print(tf.reduce_sum([[1, 2]], axis=1, keepdims=True))
try:
    tf.placeholder(tf.float32)
except AttributeError as error:
    print(error)
print(a == a, a == b, hash(a) == hash(a))
