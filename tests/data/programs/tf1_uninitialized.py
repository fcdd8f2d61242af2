# TF1
import tensorflow as tf

v = tf.Variable([1., 2.], name='v')
w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
local = tf.Variable(5, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='local')
report = tf.report_uninitialized_variables()
checks = [tf.is_variable_initialized(x) for x in (v, w, local)]
with tf.Session() as sess:
    print(sess.run(report), sess.run(checks))
    try:
        sess.run(v)
    except tf.errors.FailedPreconditionError as e:
        print(e.message.splitlines()[-1])
    try:
        sess.run(v + 1)
    except tf.errors.FailedPreconditionError as e:
        print(e.op.name, e.error_code)
    sess.run(v.initializer)
    print(sess.run(report), sess.run(checks))
    sess.run(tf.variables_initializer([w]))
    print(sess.run(report), sess.run(w))
    sess.run(tf.local_variables_initializer())
    print(sess.run(report), sess.run(checks), sess.run(local))
print([x.name for x in tf.local_variables()], [x.name for x in tf.global_variables()])
print(tf.global_variables_initializer().name, tf.global_variables_initializer().type)
print(sess.graph.get_operation_by_name('init').control_inputs if 'init' in
      [o.name for o in sess.graph.get_operations()] else None)
