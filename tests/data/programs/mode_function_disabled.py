import tensorflow as tf
tf.compat.v1.disable_eager_execution()


@tf.function
def double(x):
    return x * 2


y = double(tf.constant([1., 2.]))
print(y)
with tf.compat.v1.Session() as sess:
    print(sess.run(y))
print(tf.compat.v1.get_default_graph().get_operations()[-1].type)
