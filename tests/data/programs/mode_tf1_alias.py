import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
sess_config = tf1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
tf1.set_random_seed(1)
print(sess_config.intra_op_parallelism_threads, tf.executing_eagerly())


def graph_part():
    g = tf1.Graph()
    with g.as_default(), tf1.Session(graph=g, config=sess_config) as sess:
        x = tf1.placeholder(tf.float32, [], 'x')
        v = tf1.get_variable('v', initializer=2.0)
        sess.run(tf1.global_variables_initializer())
        print(x, v)
        return sess.run(x * v, {x: 4.0})


print(graph_part())
print(tf1.trainable_variables(), tf.Variable(1.0).trainable)
