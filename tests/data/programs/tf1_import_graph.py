# TF1
import tensorflow as tf

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [None], name='x')
    y = tf.multiply(x, tf.constant(2., name='k'), name='y')
    graph_def = g.as_graph_def()
print([n.name for n in graph_def.node], graph_def.node[0].attr['dtype'].type)
with tf.Graph().as_default() as g2:
    out, = tf.import_graph_def(graph_def, return_elements=['y:0'])
    print(out, [o.name for o in g2.get_operations()])
    z = tf.import_graph_def(graph_def, {'x:0': tf.constant([1., 2.])}, ['y:0', 'y'], name='again')
    print(z)
    with tf.Session() as sess:
        print(sess.run(out, {'import/x:0': [3.]}), sess.run(z[0]))
    tf.import_graph_def(graph_def, name='')
    print(g2.get_tensor_by_name('y:0'))
    for bad in [dict(input_map={'nope:0': z[0]}), dict(return_elements=['nope:0']), dict(return_elements='y:0')]:
        try:
            tf.import_graph_def(graph_def, **bad)
        except Exception as e:
            print(type(e).__name__, e)
tf.train.write_graph(graph_def, '.', 'g.pbtxt')
print(open('g.pbtxt').read().splitlines()[:4])
