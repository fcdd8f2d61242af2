import tensorflow as tf

v1 = tf.compat.v1


def show(when):
    print(when, tf.executing_eagerly(), v1.resource_variables_enabled(), v1.control_flow_v2_enabled())


show('start')
v1.disable_resource_variables()
show('no resources')
v1.enable_resource_variables()
v1.disable_control_flow_v2()
show('no control flow v2')
v1.enable_control_flow_v2()
v1.disable_eager_execution()
show('no eager')
v1.disable_v2_behavior()
show('v1')
v1.enable_resource_variables()
show('v1 with resources')
print(tf.Variable(1.0, name='a'))
v1.disable_resource_variables()
print(tf.Variable(1.0, name='b'), tf.Variable(2, name='c', use_resource=True) if False else '')
v1.enable_v2_tensorshape()
print(tf.constant([1, 2]).shape[0])
v1.disable_v2_tensorshape()
print(repr(tf.constant([1, 2]).shape[0]))
