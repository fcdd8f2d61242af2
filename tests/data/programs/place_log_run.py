# TF1
import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant([1., 2., 3., 4., 5., 6.], shape=[2, 3], name='a')
    b = tf.constant([1., 2., 3., 4., 5., 6.], shape=[3, 2], name='b')
c = tf.matmul(a, b)
with tf.device('/job:localhost/replica:0/task:0/device:CPU:0'):
    d = tf.reduce_sum(c, name='d')
print(a.device, c.device == '', d.device)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
print(sess.run([c, d]))
for bad in ('/gpu:0', '/job:ps/task:1', '/device:XYZ:0', '/cpu:3'):
    with tf.Graph().as_default() as g:
        with tf.device(bad):
            t = tf.constant(1., name='t')
        for soft in (False, True):
            with tf.Session(graph=g, config=tf.ConfigProto(allow_soft_placement=soft)) as s:
                try:
                    print(bad, soft, s.run(t))
                except tf.errors.InvalidArgumentError as e:
                    print(bad, soft, e.message.replace(chr(10), '|'))
print(tf.DeviceSpec.from_string('/job:w/replica:1/task:2/device:GPU:3').to_string())
print(hash(tf.DeviceSpec.from_string('/gpu:0')) == hash('/device:GPU:0'))
print(tf.test.is_gpu_available(), repr(tf.test.gpu_device_name()))
