# TF1
import tensorflow as tf


def by_type(op):
    return '/cpu:0' if op.type in ('VariableV2', 'Variable') else '/gpu:0'


with tf.device(by_type):
    v = tf.Variable(1., name='v')
    x = tf.constant(2., name='x')
    y = v * x
    with tf.device('/job:worker/task:1'):
        z = tf.add(y, x, name='z')
    with tf.device(None):
        n = tf.constant(0., name='n')
for t in (v, x, y, z, n):
    print(t.name, repr(t.device))
print([(node.name, node.device) for node in tf.get_default_graph().as_graph_def().node])
try:
    with tf.device('gpu:x'):
        tf.constant(1)
except ValueError as e:
    print('ValueError', e)
with tf.device('/gpu:7'):
    bad = tf.constant(1., name='bad')
with tf.Session() as sess:
    try:
        sess.run(bad)
    except tf.errors.InvalidArgumentError as e:
        print(e.message)
