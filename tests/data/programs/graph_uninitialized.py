# TF1
import tensorflow as tf

a = tf.Variable([1., 2.], name='a')
b = tf.Variable(a.initialized_value() * 2, name='b')
c = tf.Variable(a * 3, name='c')
with tf.Session() as sess:
    for what in (a, a + 1, tf.assign_add(a, [1., 1.]), c.initializer):
        try:
            sess.run(what)
        except tf.errors.FailedPreconditionError as e:
            print(e.message)
            print(e.op and e.op.name, e.error_code)
    print(sess.run(tf.report_uninitialized_variables()))
    print(sess.run([tf.is_variable_initialized(a), tf.is_variable_initialized(b)]))
    sess.run(b.initializer)
    print(sess.run(b), sess.run(tf.is_variable_initialized(a)))
    sess.run(a.initializer)
    sess.run(c.initializer)
    print(sess.run([a, b, c]))
    print(sess.run(tf.report_uninitialized_variables([a, b, c])))
    print(sess.run(tf.variables_initializer([])), sess.run(tf.variables_initializer([a])))
