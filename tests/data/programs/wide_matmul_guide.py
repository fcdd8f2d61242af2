# TF1
# Creates a graph, as the guide on GPUs does.
import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name='a')
    b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name='b')
c = tf.matmul(a, b)
sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
print(sess.run(c))
print(c.op.device, repr(a.device), c.graph is sess.graph)
opts = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
meta = tf.RunMetadata()
print(sess.run(c, options=opts, run_metadata=meta).sum())
print(sorted(d.device for d in meta.step_stats.dev_stats)[:1], meta.ListFields()[0][0].name)
sess.close()
try:
    sess.run(c)
except RuntimeError as e:
    print(e)
