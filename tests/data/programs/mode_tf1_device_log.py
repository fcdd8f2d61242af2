# TF1
import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name='a')
    b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name='b')
c = tf.matmul(a, b)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, device_count={'CPU': 1}))
print(sess.run(c))
print(c.device == '', a.device, sess.list_devices()[0].name)
try:
    tf.Session().run(d)
except NameError as error:
    print(error)
