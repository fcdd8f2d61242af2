# TF1
import tensorflow as tf

g1 = tf.Graph()
with g1.as_default():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.multiply(x, 3., name='y')
gd = g1.as_graph_def()
print(len(gd.node), gd.versions.producer > 1000)
print(gd.node[0])
with tf.Graph().as_default():
    z, = tf.import_graph_def(gd, input_map={'x:0': tf.constant([1., 2.])}, return_elements=['y:0'], name='imp')
    print(z)
    with tf.Session() as s:
        print(s.run(z))
    print([n.name for n in tf.get_default_graph().as_graph_def().node])
    for kwargs in (dict(return_elements=['nope:0']), dict(input_map={'q:0': tf.constant(1.)}),
                   dict(return_elements='y:0'), dict(input_map=3)):
        try:
            print(tf.import_graph_def(gd, **kwargs))
        except Exception as e:
            print(type(e).__name__, e)
    try:
        tf.import_graph_def('text')
    except Exception as e:
        print(type(e).__name__, e)
with tf.Graph().as_default():
    tf.import_graph_def(gd, name='')
    with tf.Session() as s:
        print(s.run('y:0', {'x:0': [5, 6]}))
