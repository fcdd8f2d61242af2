# TF1
import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant(1., name='a')
with tf.colocate_with(a):
    b = tf.constant(2., name='b')
v = tf.Variable(3., name='v')
with tf.get_default_graph().colocate_with(v.op):
    c = tf.add(a, b, name='c')
print(b.device, b.op.colocation_groups(), c.op.colocation_groups())
print(c.op.get_attr('_class'), c.op.node_def.attr['T'].type)
for bad in ('_none', 'shape'):
    try:
        print(c.op.get_attr(bad))
    except ValueError as e:
        print(e)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    print(s.run(c))
def pick(op):
    return '/cpu:0' if op.name.startswith('d') else '/gpu:0'
with tf.device(pick):
    d = tf.constant(1, name='d')
    e = tf.constant(1, name='e')
print(d.device, e.device)
print(tf.train.replica_device_setter(ps_tasks=2) is not None)
