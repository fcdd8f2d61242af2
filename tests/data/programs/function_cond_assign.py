import tensorflow as tf

v = tf.Variable(0.0)


@tf.function(autograph=False)
def f(flag, x):
    def yes():
        v.assign_add(x)
        return v * 10.0

    def no():
        v.assign_sub(1.0)
        return v + 0.5

    return tf.cond(flag, yes, no)


print(f(tf.constant(True), tf.constant(3.0)), v.numpy())
print(f(tf.constant(False), tf.constant(3.0)), v.numpy())
print(f(tf.constant(True), tf.constant(1.0)), v.numpy())


@tf.function(autograph=False)
def g(n):
    tf.cond(n > 0, lambda: v.assign(100.0), lambda: v.assign(-100.0))
    return v.read_value()


print(g(tf.constant(1)))
print(g(tf.constant(-1)))


@tf.function(autograph=False)
def h(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: (x, x + 1), lambda: (x - 1, x * 2))


print(h(tf.constant([1.0, 2.0])))
print(h(tf.constant([-1.0, -2.0])))
