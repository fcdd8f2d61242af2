# TF1
import tensorflow as tf

counter = tf.Variable(0, name='counter', use_resource=True)
with tf.control_dependencies([counter.assign_add(1)]):
    after = counter.read_value()
    plain = tf.constant(5, name='plain')
    alias = tf.identity(plain, name='alias')
print([op.name for op in alias.op.control_inputs])
print([op.name for op in plain.op.control_inputs])
with tf.control_dependencies(None):
    free = tf.constant(1)
print(free.op.control_inputs)
group = tf.group(counter.assign_add(10), counter.assign_add(100), name='both')
print(group.name, group.type, len(group.control_inputs))
tup = tf.tuple([after, plain], control_inputs=[group])
print([t.name for t in tup])
try:
    with tf.control_dependencies(['nothing']):
        pass
except Exception as e:
    print(type(e).__name__, e)
with tf.Session() as s:
    s.run(counter.initializer)
    print(s.run(after), s.run(alias), s.run(counter))
    s.run(group)
    print(s.run(counter))
    print(s.run(tf.no_op()))
