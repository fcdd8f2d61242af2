# TF1
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    with tf.name_scope('in'):
        a = tf.placeholder(tf.float32, [None, 2], name='a')
    with tf.name_scope('net') as scope:
        w = tf.Variable(tf.zeros([2, 1]), name='w')
        out = tf.nn.relu(tf.matmul(a, w), name='out')
    print(scope)
for op in g.get_operations():
    print(op.name, op.type, [i.name for i in op.inputs], [str(o.shape) for o in op.outputs])
print(g.get_tensor_by_name('net/out:0'))
print(g.get_operation_by_name('net/out').node_def)
for bad in ('net/out', 'nope:0', 'net/out:1', 'a:b:c'):
    try:
        print(g.get_tensor_by_name(bad))
    except Exception as e:
        print(type(e).__name__, e)
try:
    g.get_operation_by_name('x')
except KeyError as e:
    print(e)
print(g.as_graph_element('in/a'))
print(out.consumers(), a.consumers())
print(g.version > 0, g.finalized, g.unique_name('net'), g.unique_name('fresh'))
g.finalize()
try:
    with g.as_default():
        tf.constant(1)
except RuntimeError as e:
    print(e)
