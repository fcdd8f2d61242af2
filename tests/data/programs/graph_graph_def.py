# TF1
import tensorflow as tf

with tf.device('/cpu:0'):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
w = tf.Variable([[1.], [2.]], name='w')
y = tf.nn.relu(tf.matmul(x, w, name='mul'), name='y')
g = tf.get_default_graph()
print(g.as_graph_def(add_shapes=False))
print([(o.name, o.type, [i.name for i in o.inputs], [c.name for c in o.control_inputs]) for o in g.get_operations()])
print(g.get_tensor_by_name('y:0') is y, g.get_operation_by_name('mul').type)
print(g.version, g.finalized, g.building_function, g.seed)
print(y.op)
print(y.op.node_def.attr['T'])
print(y.op.get_attr('T'), y.op.outputs, y.consumers(), y.op.control_inputs)
for bad in ('nothing', 'y:1', 'y', ':0', 'a:b:c'):
    try:
        print(g.as_graph_element(bad))
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
    try:
        print(g.get_tensor_by_name(bad))
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
g.finalize()
try:
    tf.constant(1)
except RuntimeError as e:
    print(e)
