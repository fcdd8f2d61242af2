# TF1
import tensorflow as tf

v = tf.Variable(1., name='v')
a = tf.assign_add(tf.assign(v, 10.), 5.)
b = v.assign(2.).assign_add(3.) if hasattr(v.assign(2.), 'assign_add') else tf.assign_add(v.assign(2.), 3.)
doubled = tf.assign(v, v * 2)
print(a, a.op.inputs[0].name, a.dtype, doubled.op.inputs[1].op.type)
w = tf.Variable(tf.zeros([3]), name='w')
row = tf.assign(w, [1., 2., 3.])[1:]
total = tf.reduce_sum(tf.assign_add(w, [1., 1., 1.]))
print(row, total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(a), sess.run(v), sess.run(b), sess.run(v))
    for _ in range(3):
        print(sess.run(doubled), end=' ')
    print()
    print(sess.run(row), sess.run(total), sess.run(total), sess.run(w))
    print(sess.run(v.assign(7.)), v.eval(), sess.run(v.assign_sub(1., use_locking=True)))
    print(sess.run([v + 1, v - 1, 2 * v, v / 2, v ** 2, -v, abs(v), v > 1, 10 % v, v // 4]))
    v.initializer.run()
    print(v.eval(session=sess), sess.run('v:0'), sess.run('v/read:0'))
