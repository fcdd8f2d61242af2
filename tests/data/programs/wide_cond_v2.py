import tensorflow as tf

@tf.function
def f(x):
    return tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
print(f(tf.constant(3)), f(tf.constant(-3)))
print(tf.cond(True, lambda: 1, lambda: 2), tf.cond(tf.constant(False), lambda: 'a', lambda: 'b'))
print(tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)]))
print(tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]), tf.switch_case(tf.constant(7), {0: lambda: 1, 1: lambda: 2}, default=lambda: 3))
print(tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [0]))
print(tf.map_fn(lambda x: x * x, tf.range(4)), tf.scan(lambda a, x: a + x, tf.range(4)), tf.foldl(lambda a, x: a - x, tf.range(4)))
print(tf.where([True, False], [1, 2], [3, 4]), tf.where([[True, False], [False, True]]))
print(tf.map_fn(lambda x: (x, -x), tf.range(2), fn_output_signature=(tf.int32, tf.int32)), tf.vectorized_map(lambda x: x + 1, tf.range(3)))
@tf.function
def g(n):
    return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s * 2), (tf.constant(0), tf.constant(1)))
print(g(tf.constant(5)))
for bad in (lambda: tf.cond(1, lambda: 1, lambda: 2), lambda: tf.cond([True, False], lambda: 1, lambda: 2),
            lambda: tf.cond(True, 1, 2), lambda: tf.while_loop(lambda i: i, lambda i: i, 3),
            lambda: tf.function(lambda x: tf.cond(x, lambda: 1, lambda: 1.))(tf.constant(True)),
            lambda: tf.map_fn(lambda x: str(x), tf.range(2)), lambda: tf.map_fn(lambda x: (x, x), tf.range(2)),
            lambda: tf.case([]), lambda: tf.switch_case(1, []), lambda: tf.function(lambda x: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [x]))(tf.constant(0))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
