import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


x = tf.constant(2)
y = tf.constant(5)
print(tf.cond(tf.less(x, y), lambda: tf.add(x, y), lambda: tf.square(y)))
print(tf.cond(True, lambda: 1, lambda: 2), tf.cond(x > y, lambda: (x, y), lambda: [y, x]))
print(tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [0]))
print(tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + [float(i)]), (tf.constant(0), tf.zeros([1]))))
print(tf.while_loop(lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=4))
print(tf.case([(x > y, lambda: 1), (x < y, lambda: 2)], default=lambda: 3))
print(tf.case([(x > y, lambda: 1)], default=lambda: tf.constant(3)))
print(tf.switch_case(tf.constant(1), [lambda: "a", lambda: "b"]), tf.switch_case(tf.constant(9), [lambda: 0, lambda: 1]))
print(tf.switch_case(tf.constant(1), {1: lambda: tf.constant("one"), 0: lambda: "zero"}, default=lambda: "?"))
attempt(lambda: tf.switch_case(tf.constant(7), {7: lambda: tf.constant("seven")}))
attempt(lambda: tf.switch_case(7, [lambda: 1]))
attempt(lambda: tf.cond(x, 1, 2))
attempt(lambda: tf.cond(tf.constant([True, False]), lambda: 1, lambda: 2))
attempt(lambda: tf.cond(True, lambda: 1, None))
attempt(lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]))
attempt(lambda: tf.while_loop(1, lambda i: i, [0]))
attempt(lambda: tf.while_loop(lambda: True, lambda: None, []))
attempt(lambda: tf.case([(x > y, lambda: 1)]))
attempt(lambda: tf.case([(x > y, 1)], default=lambda: 2))
attempt(lambda: tf.case([(x < y, lambda: 1), (x < y, lambda: 2)], exclusive=True))
attempt(lambda: tf.switch_case("a", [lambda: 1]))
attempt(lambda: tf.group(x, y))
attempt(lambda: tf.tuple([x, y]))
attempt(lambda: tf.no_op())
with tf.control_dependencies([x]):
    print(tf.identity(x))
