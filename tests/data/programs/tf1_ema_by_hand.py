# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [], name='x')
decay = 0.9
with tf.variable_scope('ema'):
    avg = tf.get_variable('avg', [], initializer=tf.zeros_initializer(), trainable=False)
    count = tf.get_variable('count', [], tf.int32, tf.zeros_initializer(), trainable=False)
update = tf.group(avg.assign(decay * avg + (1 - decay) * x), count.assign_add(1), name='update')
with tf.control_dependencies([update]):
    corrected = tf.identity(avg / (1 - tf.pow(decay, tf.cast(count, tf.float32))), name='corrected')
print(update, corrected)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in [1., 1., 4., 2.]:
        sess.run(update, {x: v})
    a, c = sess.run([avg, count])
    print('%.5f %d' % (a, c))
    assert sess.run(count) == 4
    snapshot = {v.op.name: sess.run(v) for v in tf.global_variables()}
    print(sorted(snapshot.items()))
    sess.run(tf.variables_initializer([avg]))
    print(sess.run([avg, count]))
    for v in tf.global_variables():
        v.load(snapshot[v.op.name], sess)
    print(sess.run([avg, count]))
print(tf.trainable_variables(), [v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='ema/a')])
