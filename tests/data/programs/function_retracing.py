import tensorflow as tf


@tf.function
def f(x, flag=True):
    print("trace", x, flag)
    return x * 2 if flag else x


f(tf.constant(1))
f(tf.constant(2))
f(tf.constant([1, 2]))
f(tf.constant([1, 2, 3]))
f(tf.constant([1, 2, 3, 4]))
f(1)
f(1)
f(2)
f(tf.constant(1), False)
f(tf.constant(1), flag=True)
f(x=tf.constant(1))
print(f.experimental_get_tracing_count())


@tf.function(reduce_retracing=True)
def g(x):
    print("trace g", x)
    return x


g(tf.constant([1]))
g(tf.constant([1, 2]))
g(tf.constant([1, 2, 3]))
g(tf.constant([[1]]))
g(tf.constant([[1, 2]]))
print(g.experimental_get_tracing_count())


@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
    print("Tracing with", x)
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


print(next_collatz(tf.constant([1, 2])))
for bad in (tf.constant([[1, 2], [3, 4]]), tf.constant([1.0, 2.0])):
    try:
        next_collatz(bad)
    except Exception as e:
        print(type(e).__name__, e)
print(next_collatz([3, 4]))
