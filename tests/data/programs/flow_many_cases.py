# A switch of three hundred cases, out of range as well, and slopes through it.
import tensorflow as tf

ways = [lambda a, i=i: a * float(i) + 1.0 for i in range(300)]


@tf.function
def chosen(index, a):
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.switch_case(index, [lambda way=way: way(a) for way in ways])
    return y, tape.gradient(y, a)


@tf.function
def few(index):
    return tf.switch_case(index, {1: lambda: tf.constant('one'), 0: lambda: tf.constant('none')}, lambda: tf.constant('other'))


for index in (0, 1, 2, 149, 150, 298, 299, 300, -1, 2**31 - 1, -2**31):
    y, slope = chosen(tf.constant(index), tf.constant(2.0))
    print(index, float(y), float(slope), few(tf.constant(index)).numpy())
