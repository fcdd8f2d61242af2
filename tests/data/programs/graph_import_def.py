# TF1
import tensorflow as tf

with tf.Graph().as_default() as g1:
    a = tf.placeholder(tf.float32, [2], name='a')
    b = tf.constant([1., 1.], name='b')
    with tf.control_dependencies([b]):
        c = tf.add(a, b, name='c')
    gd = g1.as_graph_def()
with tf.Graph().as_default() as g2:
    mine = tf.constant([5., 6.], name='mine')
    out, op = tf.import_graph_def(gd, input_map={'a': mine}, return_elements=['c:0', 'c'], name='copy')
    print(out, op.name, [i.name for i in op.inputs], [i.name for i in op.control_inputs])
    tf.import_graph_def(gd)
    print([o.name for o in g2.get_operations()])
    with tf.Session() as sess:
        print(sess.run(out))

    def attempt(**kw):
        try:
            print(tf.import_graph_def(gd, **kw))
        except (ValueError, TypeError, KeyError) as e:
            print(type(e).__name__, e)

    attempt(input_map={'zzz': mine})
    attempt(return_elements=['zzz'])
    attempt(return_elements=['c:4'])
    attempt(input_map={'a': tf.constant(1)}, name='typed')
    attempt(name='', return_elements=['b'])
    attempt(name='', return_elements=['b'])
    attempt(input_map=[1])
gd2 = tf.GraphDef()
gd2.ParseFromString(gd.SerializeToString())
print(gd2 == gd, len(gd2.node), gd2.versions.producer > 1000)
gd2.node[0].op = 'NoSuchOp'
try:
    tf.import_graph_def(gd2)
except (ValueError, KeyError) as e:
    print(type(e).__name__, e)
