# TF1
import tensorflow as tf

x = tf.placeholder(tf.int32, [], name='x')
y = tf.placeholder_with_default(3, [], name='y')
r = tf.cond(x < y, lambda: tf.add(x, y), lambda: tf.square(y), name='c')
print(r, r.op.type)
pair = tf.cond(tf.equal(x, 1), lambda: (x, tf.constant('one')), lambda: (-x, tf.constant('other')))
print(pair)
case = tf.case([(x < 2, lambda: tf.constant(17)), (x > 4, lambda: tf.constant(23))],
               default=lambda: tf.constant(-1), exclusive=False)
with tf.Session() as s:
    print(s.run(r, {x: 2}), s.run(r, {x: 5}), s.run(r, {x: 2, y: 1}))
    print(s.run(pair, {x: 1}), s.run(pair, {x: 4}))
    print([s.run(case, {x: v}) for v in (0, 3, 9)])
for bad in (lambda: tf.cond(True, lambda: 1, lambda: 2.0),
            lambda: tf.cond(x > 1, lambda: (x, x), lambda: x),
            lambda: tf.cond(x > 1, 3, lambda: x),
            lambda: tf.cond(x > 1, lambda: x)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
