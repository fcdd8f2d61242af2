# TF1
import numpy as np
import tensorflow as tf

inits = [tf.zeros_initializer(), tf.ones_initializer(), tf.constant_initializer(2.5),
         tf.constant_initializer([[1, 2], [3, 4]]), tf.constant_initializer(np.eye(2)),
         tf.random_normal_initializer(mean=1., stddev=2., seed=1), tf.truncated_normal_initializer(seed=2),
         tf.random_uniform_initializer(-1., 1., seed=3), tf.glorot_normal_initializer(seed=4),
         tf.variance_scaling_initializer(seed=5), tf.uniform_unit_scaling_initializer(seed=6)]
vs = [tf.get_variable('v%d' % i, [2, 2], initializer=init) for i, init in enumerate(inits)]
eye = tf.get_variable('eye', [2, 3], initializer=tf.initializers.identity(gain=2.))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in vs:
        print(v.op.name, sess.run(v).tolist())
    print(sess.run(eye))
    print(sess.run(tf.constant_initializer(7)([2], dtype=tf.int32)))
print(tf.zeros_initializer().get_config(), tf.random_normal_initializer(seed=1).get_config())
try:
    tf.get_variable('bad', [3], initializer=tf.constant_initializer([1, 2]))
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.get_variable('few', [4], initializer=tf.constant_initializer([1, 2], verify_shape=True))
except Exception as e:
    print(type(e).__name__, e)
