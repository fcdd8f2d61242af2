import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


g1 = tf.random.Generator.from_seed(1)
print(g1.normal(shape=[2, 3]))
print(g1.uniform([3]), g1.uniform([2], minval=0, maxval=10, dtype=tf.int32))
print(g1.state, g1.key, g1.algorithm)
g2 = tf.random.Generator.from_seed(1, alg="philox")
print(g2.truncated_normal([3]), g2.uniform_full_int([2], dtype=tf.uint64))
g3 = tf.random.Generator.from_state(g2.state, alg="philox")
print(g3.normal([2]), g2.normal([2]))
new = g2.split(2)
print(len(new), [n.normal([1]) for n in new], g2.normal([1]))
print(g2.make_seeds(2), g2.make_seeds())
g2.reset_from_seed(7)
print(g2.state.numpy())
g2.skip(3)
print(g2.state.numpy(), g2.normal([1]))
g2.reset_from_key_counter(5, [1, 2])
print(g2.state.numpy(), g2.key)
print(tf.random.create_rng_state(1, "philox"))
g4 = tf.random.Generator.from_key_counter(key=1234, counter=[0, 0], alg="philox")
print(g4.uniform([2]))
tf.random.set_global_generator(tf.random.Generator.from_seed(9))
print(tf.random.get_global_generator().normal([2]))
attempt(lambda: tf.random.Generator.from_seed(1, alg="nope"))
attempt(lambda: tf.random.Generator.from_seed(1, alg="threefry").normal([2]))
attempt(lambda: g4.uniform([2], dtype=tf.int32))
attempt(lambda: tf.random.Generator(state=[1, 2], alg=1))


@tf.function
def f(g):
    return g.normal([2])


g5 = tf.random.Generator.from_seed(3)
print(f(g5), f(g5))
