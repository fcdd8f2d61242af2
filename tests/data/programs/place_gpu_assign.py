# TF1
# GPUs: Tesla K40c
import tensorflow as tf

v = tf.Variable([1., 2.], name='v')
with tf.device('/cpu:0'):
    a = tf.assign(v, [3., 4.])
    b = v.assign_add([1., 1.])
print(repr(a.device), repr(b.device), a.op.colocation_groups())
meta = tf.RunMetadata()
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(a), sess.run(b, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=meta))
print([stats.device for stats in meta.step_stats.dev_stats if 'v' in [n.node_name for n in stats.node_stats]])
with tf.Session() as sess, tf.device('/gpu:0'):
    print(sess.run(tf.reduce_sum([1, 2, 3])))
