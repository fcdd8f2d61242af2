# TF1
import tensorflow as tf
from tensorflow.python.ops import variables, variable_scope, state_ops, init_ops
from tensorflow.python.ops import control_flow_ops, array_ops, math_ops, data_flow_ops
from tensorflow.python.framework import ops, graph_util
from tensorflow.python.client import session, timeline, device_lib

with variable_scope.variable_scope('layer'):
    w = variable_scope.get_variable('w', [2], initializer=init_ops.constant_initializer(3.0))
step = state_ops.assign_add(w, [1., 1.])
p = array_ops.placeholder(tf.bool, [])
y = tf.cond(p, lambda: math_ops.reduce_sum(w), lambda: math_ops.reduce_max(-w))
print(w, step, y)
queue = data_flow_ops.FIFOQueue(2, [tf.int32])
with session.Session() as sess:
    sess.run(variables.global_variables_initializer())
    print(sess.run(step), sess.run(y, {p: True}), sess.run(y, {p: False}))
    with ops.control_dependencies([step]):
        done = control_flow_ops.no_op(name='done')
    sess.run(done)
    print(sess.run(w))
    part = graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ['layer/w/read'])
    print([n.name for n in part.node])
print(variables.trainable_variables() == [w], ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES))
