import tensorflow as tf
tf.compat.v1.disable_eager_execution()
v1 = tf.compat.v1

with v1.variable_scope('net', reuse=v1.AUTO_REUSE):
    a = v1.get_variable('a', shape=[2, 2], initializer=v1.glorot_uniform_initializer(seed=1))
    b = v1.get_variable('a', shape=[2, 2])
    local = v1.get_local_variable('count', shape=[], initializer=v1.zeros_initializer(), dtype=tf.int32)
print(a is b, a, local)
print(v1.global_variables(), v1.local_variables(), v1.trainable_variables('net'))
print(v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES))
with v1.Session() as sess:
    sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
    assign = v1.assign(local, 5)
    add = v1.assign_add(local, 1)
    print(assign, add)
    print(sess.run(assign), sess.run(add), sess.run(local))
    print(sess.run(a).shape)
    try:
        sess.run(v1.assign(a, [1., 2.]))
    except ValueError as error:
        print('ValueError', error)
