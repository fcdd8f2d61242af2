# TF1
import tensorflow as tf

sess = tf.InteractiveSession()
x = tf.Variable([1.0, 2.0])
a = tf.constant([3.0, 3.0])
x.initializer.run()
sub = tf.subtract(x, a)
print(sub.eval())
print(x.eval(), tf.shape(sub).eval(), (x + a).eval({a: [0., 0.]}))
tf.assign(x, [9., 9.]).op.run()
print(sess.run(x))
c = tf.range(5)
print(c.eval(), c[1:3].eval(), c[-1].eval(), tf.reverse(c, [0]).eval())
print(tf.where([True, False, True]).eval().tolist(), tf.argmax([1, 5, 3]).eval())
print(tf.reduce_mean(tf.cast(c, tf.float32)).eval(), tf.one_hot(c[:2], 3).eval().tolist())
print(tf.get_default_session() is sess)
state = tf.Variable(0, name='counter')
new = tf.add(state, tf.constant(1))
update = tf.assign(state, new)
state.initializer.run()
for _ in range(3):
    print(update.eval(), end=' ')
print(state)
print(tf.strings.join(['a', tf.as_string(state)]).eval())
sess.close()
try:
    x.eval()
except (ValueError, RuntimeError) as e:
    print(type(e).__name__, e)
