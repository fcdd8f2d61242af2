import tensorflow as tf
tf.compat.v1.disable_eager_execution()

v = tf.Variable(1.0, name='v')
w = tf.compat.v1.get_variable('w', [2], initializer=tf.compat.v1.zeros_initializer())
print(v, w, sep='\n')
print(type(v).__name__, v.dtype, v.shape, v.name, v.op.type)
update = v.assign_add(2.0)
print(update)
total = v + tf.reduce_sum(w)
print(total)
with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    print(sess.run(update))
    print(sess.run(total))
    print(sess.run(v), v.eval())
for op in tf.compat.v1.get_default_graph().get_operations():
    print(op.name, op.type, [i.name for i in op.inputs])
