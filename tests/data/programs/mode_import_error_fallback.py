try:
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
except ImportError:
    import tensorflow as tf

a = tf.constant([1.0, 2.0], name='a')
total = tf.reduce_sum(a, name='total')
print(total, tf.executing_eagerly())
with tf.Session() as sess:
    print(sess.run(total))
    writer = sess.graph.as_graph_def()
    print([node.name for node in writer.node], [node.op for node in writer.node])
