# TF1
import tensorflow as tf

sess = tf.InteractiveSession()
a = tf.constant([[1, 2], [3, 4]])
print(a.eval())
print(tf.get_default_session() is sess)
b = tf.matmul(a, a)
print(b.eval(), b.eval()[0, 1])
v = tf.Variable(tf.zeros([2]), name='v')
sess.run(tf.global_variables_initializer())
for _ in range(3):
    v.assign_add([1., 2.]).eval()
print(v.eval())
g = tf.Graph()
with g.as_default():
    c = tf.constant(5)
    with tf.Session() as inner:
        print(c.eval(), tf.get_default_session() is inner)
print(tf.get_default_session() is sess)
sess.close()
print(tf.get_default_session())
try:
    a.eval()
except ValueError as e:
    print(e)
