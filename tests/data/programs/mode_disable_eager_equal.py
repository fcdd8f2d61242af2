import tensorflow as tf
tf.compat.v1.disable_eager_execution()

a = tf.constant([1, 2], name='a')
b = tf.constant([1, 3], name='b')
c = a == b
print(c)
d = a != b
print(d)
try:
    print({a: 1})
except TypeError as error:
    print(error)
print(a.shape[0], type(a.shape[0]), a.shape.as_list())
print(tf.compat.v1.placeholder(tf.float32, [None, 3]).shape[0])
with tf.compat.v1.Session() as sess:
    print(sess.run([c, d]))
try:
    bool(c)
except TypeError as error:
    print(type(error).__name__, str(error)[:60])
