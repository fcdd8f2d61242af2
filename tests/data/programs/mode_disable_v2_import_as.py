import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, shape=[None, 3], name='x')
w = tf.Variable(tf.ones([3, 1]), name='w')
b = tf.Variable(0.5, name='b')
y = tf.add(tf.matmul(x, w), b, name='y')
print(x, w, b, y, sep='\n')
with tf.Session() as sess:
    try:
        sess.run(y, {x: [[1, 2, 3]]})
    except tf.errors.FailedPreconditionError as error:
        print('Attempting to use uninitialized value' in error.message)
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1, 2, 3]]}))
print(tf.executing_eagerly(), tf.resource_variables_enabled(), tf.control_flow_v2_enabled())
print(x.shape[1], type(x.shape[1]).__name__)
