import tensorflow as tf


@tf.function(autograph=False)
def total(n):
    i = tf.constant(0)
    acc = tf.constant(0)
    return tf.while_loop(lambda i, acc: i < n, lambda i, acc: (i + 1, acc + i), [i, acc])


print(total(tf.constant(5)))
print(total(tf.constant(0)))


@tf.function(autograph=False)
def collatz(n):
    return tf.while_loop(lambda n, c: n != 1, lambda n, c: (tf.where(n % 2 == 0, n // 2, 3 * n + 1), c + 1),
                         [n, tf.constant(0)])[1]


print(collatz(tf.constant(27)))


@tf.function(autograph=False)
def unrolled(x):
    for k in range(3):
        x = x * 2 + k
    return x


print(unrolled(tf.constant(1.0)))


@tf.function(autograph=False)
def fact(n):
    return tf.case([(n < 2, lambda: tf.constant(1)), (n < 3, lambda: tf.constant(2))], default=lambda: n * 10)


print(fact(tf.constant(1)), fact(tf.constant(2)), fact(tf.constant(7)))


@tf.function(autograph=False)
def switch(i):
    return tf.switch_case(i, [lambda: tf.constant(10), lambda: tf.constant(20)], default=lambda: tf.constant(-1))


print(switch(tf.constant(0)), switch(tf.constant(1)), switch(tf.constant(5)))
