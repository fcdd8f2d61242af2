# TF1
import tensorflow as tf

a = tf.random_uniform([4, 4], seed=1, name='a')
b = tf.matmul(a, a, name='b')
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
metadata = tf.RunMetadata()
with tf.Session() as sess:
    out = sess.run(b, options=options, run_metadata=metadata)
    print(out.shape, len(metadata.step_stats.dev_stats))
    names = {n.node_name.split(':')[0] for d in metadata.step_stats.dev_stats for n in d.node_stats}
    print('b' in names, 'a/RandomUniform' in names)
    res = sess.run({'x': b, 'y': [a]}, feed_dict={a: [[1.] * 4] * 4}, options=tf.RunOptions(timeout_in_ms=10000))
    print(res['x'][0], res['y'][0].shape)
    print(sess.run(b.op, options=None, run_metadata=tf.RunMetadata()))
    q = tf.FIFOQueue(1, tf.int32)
    try:
        sess.run(q.dequeue(), options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError as e:
        print(type(e).__name__, e.error_code)
    try:
        sess.run(b, options='full')
    except Exception as e:
        print(type(e).__name__)
print(options.trace_level, tf.RunOptions.NO_TRACE, tf.RunOptions.TraceLevel.Name(3))
print(tf.RunOptions(), options)
