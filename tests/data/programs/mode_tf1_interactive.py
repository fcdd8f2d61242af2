# TF1
import tensorflow as tf

sess = tf.InteractiveSession(config=tf.ConfigProto(allow_soft_placement=True))
x = tf.range(6)
y = tf.reshape(x, [2, 3])
print(y.eval())
v = tf.get_variable('v', initializer=tf.constant([1, 2]))
v.initializer.run()
print(v.eval(), v, v.dtype)
print(tf.shape(y).eval(), y.get_shape(), y.get_shape()[1].value)
try:
    tf.get_variable('v', shape=[2])
except ValueError as error:
    print(str(error).split('\n')[0])
sess.close()
