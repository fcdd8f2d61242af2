import tensorflow as tf
tf.compat.v1.disable_eager_execution()

v = tf.Variable([1., 2., 3.], name='v', trainable=False)
print(v.initial_value, v.initializer.name, v.handle.dtype, v.trainable, v.device)
print(v.value(), v.read_value(), v.graph is tf.compat.v1.get_default_graph())
print(v[0], v[1:])
w = tf.Variable(lambda: tf.ones([2]), dtype=tf.float32, name='w')
print(w, w.initializer.name)
s = v.assign_sub([1., 1., 1.], read_value=False)
print(s.name, s.type)
with tf.control_dependencies([s]):
    after = v.read_value()
with tf.compat.v1.Session() as sess:
    sess.run([v.initializer, w.initializer])
    print(sess.run(after), sess.run(v + 1), w.eval())
    v.load([7., 8., 9.], sess)
    print(sess.run(v[2]))
    print(sess.run(v.is_initialized()))
try:
    v.numpy()
except NotImplementedError as error:
    print(error)
try:
    tf.Variable()
except ValueError as error:
    print(error)
