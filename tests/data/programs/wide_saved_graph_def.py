# TF1
import os
import tensorflow as tf

x = tf.placeholder(tf.float32, [1, 2], name='x')
w = tf.Variable([[1.], [2.]], name='w')
y = tf.matmul(x, w, name='y')
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    frozen = tf.graph_util.convert_variables_to_constants(s, s.graph_def, ['y'])
    print([(n.name, n.op) for n in frozen.node])
    tf.train.write_graph(frozen, '.', 'g.pbtxt')
    tf.train.write_graph(frozen, '.', 'g.pb', as_text=False)
print(os.path.getsize('g.pb') == frozen.ByteSize(), open('g.pbtxt').readline().strip())
with tf.gfile.GFile('g.pb', 'rb') as f:
    gd = tf.GraphDef()
    gd.ParseFromString(f.read())
with tf.Graph().as_default() as g:
    tf.import_graph_def(gd, name='p')
    with tf.Session() as s:
        print(s.run('p/y:0', {'p/x:0': [[3, 4]]}))
    print(tf.global_variables())
print(tf.graph_util.extract_sub_graph(gd, ['w']).node[0].name, len(tf.graph_util.remove_training_nodes(gd).node))
try:
    tf.graph_util.extract_sub_graph(gd, ['zz'])
except Exception as e:
    print(type(e).__name__, e)
