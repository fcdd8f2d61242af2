# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [2], name='input')
with tf.name_scope('layer'):
    y = tf.multiply(x, 3.0, name='out')
init = tf.no_op(name='init')
with tf.Session() as sess:
    print(sess.run('layer/out:0', {'input:0': [1, 2]}))
    print(sess.run(['layer/out:0', 'input:0', y], {'input:0': [1, 2]}))
    print(sess.run('init'), sess.run('layer/out', {'input:0': [1, 2]}))
    print(sess.run({'a': 'layer/out:0', 'b': 'init'}, {x: [5, 6]}))
    g = sess.graph
    print(g.get_tensor_by_name('layer/out:0') is y, g.get_operation_by_name('layer/out') is y.op)
    print(g.as_graph_element('layer/out:0'), g.as_graph_element('layer/out').type)
    for name, fn in [('layer/out', g.get_tensor_by_name), ('layer/out:0', g.get_operation_by_name),
                     ('layer/out:3', g.get_tensor_by_name), ('gone:0', g.get_tensor_by_name),
                     ('gone', g.get_operation_by_name), (y, g.get_tensor_by_name), (5, g.get_operation_by_name)]:
        try:
            print(fn(name))
        except Exception as e:
            print(type(e).__name__ + ':', e)
