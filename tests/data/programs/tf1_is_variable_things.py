# TF1
import tensorflow as tf

v = tf.Variable([1., 2.], name='v')
r = tf.get_variable('r', [2], initializer=tf.zeros_initializer(), use_resource=True)
print(isinstance(v, tf.Variable), isinstance(v, tf.Tensor), tf.is_tensor(v), type(r).__name__)
print(v, r, sep='\n')
print(v.op.type, r.op.type, v.value().name, r.value().name, v.initializer.type, r.initializer.type)
print(tf.convert_to_tensor(v), tf.convert_to_tensor(r))
print(v == v, v == r, hash(v) == hash(v), {v: 1}[v], v in [r, v])
print(v[0], r[0], len(v.shape), v.trainable, r.trainable)
ops = [v.assign([3., 4.]), v.assign_add([1., 1.]), v.assign_sub([1., 1.]), r.assign([3., 4.]), r.assign_add([1., 1.])]
print(ops)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in ops:
        print(sess.run(op))
    print(sess.run([v, r, v + r, v * 2, -r, v[1], r[1], tf.reduce_sum(v)]))
    print(sess.run(v.initialized_value()), sess.run(tf.report_uninitialized_variables()))
for bad in [lambda: v.assign([1., 2., 3.]), lambda: r.assign([1., 2., 3.]), lambda: v.numpy(), lambda: bool(v),
            lambda: [x for x in v], lambda: float(v), lambda: v.nope, lambda: len(v)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:150])
