import tensorflow.compat.v1 as tf

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None], name='x')
    w = tf.get_variable('w', [], initializer=tf.constant_initializer(2.0))
    y = tf.multiply(x, w, name='y')
    print(y, w, tf.executing_eagerly())
    with tf.Session(graph=graph) as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y, {x: [1, 2]}))
print(tf.executing_eagerly(), tf.constant(1))
print([op.name + ' ' + op.type for op in graph.get_operations()])
