# TF1
import tensorflow as tf

v = tf.Variable(1., name='v')
inc = tf.assign_add(v, 1.)
with tf.control_dependencies([inc]):
    after = tf.identity(v, name='after')
    read = v.read_value()
    const = tf.constant(5.)
with tf.control_dependencies([inc]):
    with tf.control_dependencies(None):
        free = tf.constant(1., name='free')
group = tf.group(inc, tf.assign(tf.Variable(0., name='w'), 3.), name='grouped')
print(group.name, group.type, [o.name for o in group.control_inputs])
print([o.name for o in after.op.control_inputs], const.op.control_inputs, free.op.control_inputs)
a, b = tf.tuple([tf.constant(1), tf.constant(2)], name='pair')
print(a, b)
x, y = tf.identity_n([tf.constant([1]), tf.constant('s')])
print(x, y)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(after), sess.run(read), sess.run(const), sess.run(v))
    print(sess.run(group), sess.run(tf.global_variables()))
    print(sess.run([a, b]), sess.run([x, y]))
print(tf.group().type, tf.group([]).name, tf.no_op().name)
for bad in [lambda: tf.group(5), lambda: tf.group(None), lambda: tf.control_dependencies(5),
            lambda: tf.control_dependencies(['nope']), lambda: tf.tuple([])]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
