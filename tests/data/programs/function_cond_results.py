import tensorflow as tf

c = tf.constant
log = tf.Variable(0)


def fn(g):
    return tf.function(g, autograph=False)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


def note(x):
    log.assign_add(x)


attempt(lambda: fn(lambda p: tf.cond(p, lambda: c(1), lambda: c(1.0)))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: (c(1),c(2)), lambda: (c(1),c(2.0))))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: (c(1), None), lambda: (c(3), None)))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: (c(1), c(2)), lambda: [c(3), c(4)]))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: c([1]), lambda: c([1,2])))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: c([1]), lambda: c(1)))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: note(1), lambda: note(10)))(c(True)))
attempt(lambda: fn(lambda p: tf.cond(p, lambda: note(1), lambda: note(10)))(c(False)))
print(log)
attempt(lambda: fn(lambda: tf.cond(True, lambda: 1, lambda: 2))())
attempt(lambda: fn(lambda x: tf.while_loop(lambda i: i < 10, lambda i: i * 2, [x], maximum_iterations=2))(c(1)))
attempt(lambda: fn(lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, [i]], 0)),
                                           (c(0), x)))(c([9])))
attempt(lambda: fn(lambda x: (x == c(1), x != 2, x == None))(c([1, 2])))
