# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 2], name='x')
w = tf.Variable([[1., 0.], [0., 1.]], name='w')
y = tf.matmul(x, w, name='y')
z = tf.nn.relu(y - 1., name='z')
opts = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
meta = tf.RunMetadata()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(z, {x: [[1., 2.], [3., 4.]]}, options=opts, run_metadata=meta))
devices = [d.device for d in meta.step_stats.dev_stats]
print(devices)
names = sorted(n.node_name for d in meta.step_stats.dev_stats for n in d.node_stats)
print([n for n in names if n != '_SOURCE'])
print(len(meta.partition_graphs), opts)
from tensorflow.python.client import timeline
import json
trace = json.loads(timeline.Timeline(meta.step_stats).generate_chrome_trace_format())
print(sorted({e['args']['name'] for e in trace['traceEvents'] if e['ph'] == 'M'}))
print(sorted({e['name'] for e in trace['traceEvents'] if e['ph'] == 'X'} - {'NoOp'}))
print(sorted(e['args']['name'] for e in trace['traceEvents'] if e['ph'] == 'X' and e['name'] == 'MatMul'))
