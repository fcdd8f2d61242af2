# TF1
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    with g.device('/cpu:0'), g.name_scope('layer'), g.control_dependencies([tf.no_op('start')]):
        a = tf.constant(1., name='a')
        b = tf.add(a, 2., name='b')
    print(a.name, b.op.control_inputs, b.device, g.get_name_scope())
    with g.gradient_override_map({'Relu': 'Custom'}) if False else g.name_scope('q'):
        pass
    print([op.name for op in g.get_operations()])
    print(g.building_function, g.seed, g.finalized, len(g.as_graph_def().node))
    g.seed = 3
    print(tf.random_uniform([1]).op.get_attr('seed'), g.graph_def_versions.producer > 0)
print(tf.get_default_graph() is g)
with tf.Graph().as_default() as h:
    print(tf.get_default_graph() is h)
    tf.constant(1)
    with g.as_default():
        tf.constant(2, name='in_g')
    print(len(h.get_operations()), 'in_g' in [o.name for o in g.get_operations()])
with tf.Session(graph=g) as sess:
    print(sess.run('layer/b:0'), sess.graph is g)
    try:
        sess.run(tf.constant(1))
    except Exception as e:
        print(type(e).__name__, e)
op = g.get_operation_by_name('layer/b')
print(op.name, op.type, op.device, list(op.inputs), op.outputs, op.traceback is not None, op.values())
print(repr(op), str(op).split('\n')[0])
try:
    op.run()
except Exception as e:
    print(type(e).__name__, e)
try:
    with tf.Graph().as_default(): tf.add(b, 1)
except Exception as e:
    print(type(e).__name__, e)
