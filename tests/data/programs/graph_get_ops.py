# TF1
import tensorflow as tf

a = tf.constant(3, name='a')
b = a + 4
c = tf.identity(b, name='c')
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, op.device, [t.shape for t in op.outputs])
    print(repr(op))
print(a.op.node_def)
print(b.op.inputs[1].op.get_attr('value'))
print(c.graph is tf.get_default_graph(), c.value_index, c.dtype, c.shape.ndims, c.op.outputs[0] is c)
print(tf.get_static_value(b) if hasattr(tf, 'get_static_value') else None)
print(str(a.op) == str(a.op.node_def), len(str(c.op)))
try:
    c.op.get_attr('nope')
except ValueError as e:
    print(e)
try:
    bool(a)
except TypeError as e:
    print(e)
try:
    for _ in c:
        pass
except TypeError as e:
    print(e)
try:
    int(a)
except TypeError as e:
    print(e)
try:
    if a == 3:
        print('equal')
    print(a == 3, a == a, a in [a], hash(a) == hash(a))
except TypeError as e:
    print(e)
try:
    len(tf.constant([1, 2]))
except TypeError as e:
    print(e)
