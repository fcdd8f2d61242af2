import tensorflow as tf
tf.compat.v1.disable_eager_execution()

v = tf.Variable([1.0, 2.0], name='v')
y = v * 2
with tf.compat.v1.Session() as sess:
    try:
        sess.run(y)
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__, error.message)
    print(sess.run(tf.compat.v1.report_uninitialized_variables()))
    print(sess.run(tf.compat.v1.is_variable_initialized(v)))
    sess.run(v.initializer)
    print(sess.run(y))
