# TF1
import tensorflow as tf

sess = tf.InteractiveSession()
x = tf.Variable([1.0, 2.0])
a = tf.constant([3.0, 3.0])
x.initializer.run()
sub = tf.subtract(x, a)
print(sub.eval())
tf.assign(x, a).op.run()
print(x.eval())
print(tf.global_variables_initializer().run())
print(x.value().eval(), x.initialized_value().eval())
print(x.load([7., 8.], sess), x.eval())
other = tf.Graph()
with other.as_default():
    k = tf.constant(2)
try:
    sess.run(k)
except Exception as e:
    print(type(e).__name__, e)
try:
    k.eval()
except Exception as e:
    print(type(e).__name__, e)
try:
    k + tf.constant(1)
except Exception as e:
    print(type(e).__name__, e)
sess.close()
