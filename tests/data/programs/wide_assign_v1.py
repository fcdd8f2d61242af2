# TF1
import tensorflow as tf

v = tf.Variable([1, 2, 3], name='v')
r = tf.get_variable('r', initializer=tf.constant([1., 2.]), use_resource=True)
print(v, r, v.op.type, r.op.type)
ops = [tf.assign(v, [4, 5, 6]), tf.assign_add(v, [1, 1, 1]), tf.assign_sub(v, [2, 2, 2]), tf.scatter_update(v, [0], [100]),
       tf.scatter_add(v, [1, 1], [1, 1]), r.assign_add([1., 1.]), tf.count_up_to(tf.Variable(0, name='c'), 1)]
print([o.name for o in ops])
with tf.Session() as s:
    try:
        s.run(v)
    except tf.errors.FailedPreconditionError as e:
        print(e.message.split('\n')[-1][:60] if False else type(e).__name__)
    s.run(tf.global_variables_initializer())
    for o in ops[:-1]:
        print(s.run(o))
    print(s.run(ops[-1]))
    try:
        s.run(ops[-1])
    except tf.errors.OutOfRangeError as e:
        print(e.message.split('\n')[4])
    print(s.run(tf.is_variable_initialized(v)))
for bad in (lambda: tf.assign(v, [1, 2]), lambda: tf.assign(v, [1., 2., 3.]), lambda: tf.assign(tf.constant(1), 2), lambda: v.assign('a'),
            lambda: tf.Variable(tf.placeholder(tf.float32)), lambda: tf.get_variable('n'), lambda: tf.get_variable('m', [None, 2]),
            lambda: tf.get_variable('r', [2]), lambda: tf.get_variable('k', [2], initializer=tf.constant([1., 2., 3.])), lambda: bool(v > 1), lambda: iter(v)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e).split(' Originally')[0])
