import tensorflow as tf
import tensorflow.compat.v1 as tf1


def build_graph(scale):
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None], 'x')
        tf.identity(x * scale, 'y')
    return graph


def evaluate(graph, values):
    with tf1.Session(graph=graph) as sess:
        return sess.run('y:0', {'x:0': values})


print(evaluate(build_graph(2.0), [1, 2]))
print(evaluate(build_graph(3.0), [1, 2]))
print(tf.executing_eagerly(), tf.reduce_mean([1., 3.]))
