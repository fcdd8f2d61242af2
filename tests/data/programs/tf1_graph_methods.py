# TF1
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    a = tf.constant(1., name='a')
    b = tf.constant(2., name='b')
    with tf.device('/cpu:0'):
        c = tf.add(a, b, name='c')
    print(tf.get_default_graph() is g, a.graph is g)
print([op.name for op in g.get_operations()], g.version, g.finalized, g.building_function)
op = c.op
print(op.name, op.type, [i.name for i in op.inputs], op.outputs, op.device, op.get_attr('T'), op.node_def.op)
print(c.consumers(), [x.name for x in a.consumers()], c.value_index, c.op.control_inputs)
g.finalize()
try:
    with g.as_default():
        tf.constant(3)
except RuntimeError as e:
    print(e)
with tf.Session(graph=g) as sess:
    print(sess.run(c))
    try:
        sess.run(tf.add(a, b))
    except RuntimeError as e:
        print(e)
tf.constant(9, name='left')
tf.reset_default_graph()
print(tf.get_default_graph().get_operations())
try:
    with tf.Graph().as_default():
        tf.reset_default_graph()
except AssertionError as e:
    print(e)
print(g.as_graph_def().node[2].name, len(g.as_graph_def().node), g.seed, type(g).__name__)
