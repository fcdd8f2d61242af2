import tensorflow as tf

g = tf.Graph()
with g.as_default():
    v = tf.compat.v1.get_variable("v", [2], initializer=tf.compat.v1.zeros_initializer())
    w = tf.compat.v1.get_variable("w", [2], initializer=tf.compat.v1.ones_initializer(), trainable=False)
    tf.compat.v1.add_to_collection("mine", v)
    tf.compat.v1.add_to_collection("mine", 5)
    tf.compat.v1.add_to_collections(["b", "a"], w)
    print(g.get_all_collection_keys())
    print(tf.compat.v1.get_collection("mine"))
    print(tf.compat.v1.global_variables(), tf.compat.v1.trainable_variables())
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        print(sess.run(v + w))
    c = tf.constant(1)
    print(c, tf.executing_eagerly())
print(tf.executing_eagerly(), tf.constant(1))
try:
    tf.constant(2) + c
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0][:90])
try:
    c.numpy()
except Exception as e:
    print(type(e).__name__, e)
print(tf.compat.v1.get_default_graph() is g, g.version > 0)
with tf.compat.v1.Session(graph=g) as sess:
    print(sess.run(c))
try:
    tf.compat.v1.placeholder(tf.float32)
except RuntimeError as e:
    print(e)
try:
    tf.constant(1).op
except AttributeError as e:
    print(e)
try:
    tf.constant(1).graph
except AttributeError as e:
    print(e)
try:
    tf.constant(1).eval()
except Exception as e:
    print(type(e).__name__, e)
