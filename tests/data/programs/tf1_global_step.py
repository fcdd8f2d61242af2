# TF1
import tensorflow as tf

print(tf.train.get_global_step())
step = tf.train.get_or_create_global_step()
print(step, step is tf.train.get_global_step(), step in tf.trainable_variables())
inc = tf.assign_add(step, 1)
print(tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [step])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(inc)
    print(tf.train.global_step(sess, step), sess.run(step), type(tf.train.global_step(sess, step)).__name__)
try:
    tf.train.create_global_step()
except ValueError as e:
    print(e)
with tf.Graph().as_default() as g:
    tf.Variable(0.5, name='global_step')
    try:
        tf.train.get_global_step()
    except TypeError as e:
        print(e)
with tf.Graph().as_default() as g:
    with tf.name_scope('inside'):
        print(tf.train.create_global_step(g).name)
    v = tf.Variable([1, 2], name='v')
    try:
        tf.train.assert_global_step(v)
    except TypeError as e:
        print(e)
    try:
        tf.train.assert_global_step('x')
    except TypeError as e:
        print(e)
