# TF1
import tensorflow as tf

x = tf.placeholder(tf.int32, [], name='x')
y = tf.cond(x > 0, lambda: x * 10, lambda: -x)
z = tf.case([(x < 0, lambda: tf.constant('neg')), (tf.equal(x, 0), lambda: tf.constant('zero'))],
            default=lambda: tf.constant('pos'))
v = tf.Variable(0, name='v')
upd = tf.cond(x > 2, lambda: tf.assign_add(v, 100), lambda: tf.assign_add(v, 1))
pair = tf.cond(x > 0, lambda: (x, [x + 1]), lambda: (x, [x - 1]))
print(y, z.dtype, pair)
with tf.Session() as sess:
    sess.run(v.initializer)
    for k in (-3, 0, 4):
        print(sess.run([y, z], {x: k}), sess.run(upd, {x: k}), sess.run(pair, {x: k}))
    print(sess.run(v))
    print(sess.run(tf.case({x > 5: lambda: tf.constant(1), x < 3: lambda: tf.constant(2)},
                           default=lambda: tf.constant(3), exclusive=True), {x: 4}))
for bad in [lambda: tf.cond(x > 0, lambda: 1, lambda: 2.0), lambda: tf.cond(x > 0, lambda: (1, 2), lambda: 1),
            lambda: tf.cond(x > 0, 1, 2), lambda: tf.cond(x, lambda: 1, lambda: 2), lambda: tf.cond(x > 0, lambda: 1)]:
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
