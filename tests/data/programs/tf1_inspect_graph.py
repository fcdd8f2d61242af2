# TF1
import tensorflow as tf

with tf.Graph().as_default() as graph:
    with tf.name_scope('input'):
        x = tf.placeholder(tf.float32, [None, 2], name='x')
    with tf.variable_scope('dense'):
        w = tf.get_variable('w', [2, 3], initializer=tf.ones_initializer())
        y = tf.nn.relu(tf.matmul(x, w), name='act')
    with tf.device('/cpu:0'):
        z = tf.reduce_sum(y, axis=1, keepdims=True, name='z')
for op in graph.get_operations():
    print(op.name, op.type, [i.name for i in op.inputs], [(o.shape, o.dtype.name) for o in op.outputs], op.device)
print(z.op.node_def)
print(graph.get_tensor_by_name('dense/act:0').op.inputs[0].op.name, graph.get_operation_by_name('input/x').outputs)
print([n.name for n in graph.as_graph_def().node if n.op == 'VariableV2'])
print(graph.get_tensor_by_name('dense/w:0'), w.op.get_attr('shape'), z.op.get_attr('keep_dims'))
for name in ('nope', 'dtype'):
    try:
        print(x.op.get_attr(name))
    except ValueError as e:
        print(e)
print(x.op.outputs[0].consumers()[0].name, w.op.colocation_groups(), z.op.colocation_groups())
print(graph.version, graph.graph_def_versions.producer > 0, len(graph.get_operations()))
