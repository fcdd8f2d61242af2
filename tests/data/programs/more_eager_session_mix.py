import tensorflow as tf

tf.compat.v1.disable_eager_execution()
a = tf.constant(2, name='a')
b = a * 3
print(a, b, tf.executing_eagerly())
v = tf.Variable([1., 2.], name='v')
print(v)
with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    print(sess.run([b, v]))
    print(sess.run(v.assign_add([1., 1.])))
    print(sess.run(tf.cond(b > 3, lambda: 1, lambda: 0)))
@tf.function
def f(x):
    return x + 1
y = f(a)
with tf.compat.v1.Session() as sess:
    print(sess.run(y))
try:
    a.numpy()
except AttributeError as e:
    print(str(e)[:60])
try:
    tf.compat.v1.enable_eager_execution()
except ValueError as e:
    print(e)
