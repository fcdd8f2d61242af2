# TF1
import tensorflow as tf

with tf.device('/gpu:0'):
    w = tf.Variable([0., 0.], name='w')
v = tf.Variable([1., 2.], name='v')
with tf.device('/cpu:0'):
    a = tf.assign(v, [3., 4.])
    b = v.assign_add([1., 1.])
    c = tf.assign_sub(v, [1., 1.])
    d = tf.assign(w, v)
    e = v + 1.
    i = tf.is_variable_initialized(v)
    s = tf.scatter_update(v, [0], [9.])
with tf.device('/gpu:1'), tf.colocate_with(v):
    f = tf.constant(1.)
with tf.colocate_with(w.op):
    g = tf.constant(2.)
    with tf.device('/cpu:0'):
        h = tf.constant(3.)
for op in (a, b, c, d, e, i, s, f, g, h):
    print(op.op.name, repr(op.device), op.op.colocation_groups())
print([(n.name, n.device, list(n.attr['_class'].list.s)) for n in tf.get_default_graph().as_graph_def().node
       if n.op in ('Assign', 'AssignAdd', 'AssignSub', 'VariableV2', 'Identity')])
print(v.initializer.device, repr(w.initializer.device), w.device, w.value().device)
