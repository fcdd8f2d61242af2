import tensorflow as tf

tf.random.set_seed(1234)
print(tf.random.uniform([2]), tf.random.uniform([2]))
tf.random.set_seed(1234)
print(tf.random.uniform([2]), tf.random.normal([2], seed=5))
print(tf.random.uniform([3], 0, 10, dtype=tf.int32, seed=1))
print(tf.random.stateless_uniform([2], seed=(1, 2)), tf.random.stateless_normal([2], [3, 4]))
g = tf.random.Generator.from_seed(42)
print(g.normal([2]), g.uniform([1]), g.state)
print(tf.random.shuffle(tf.range(5), seed=3))
print(tf.random.categorical(tf.math.log([[0.5, 0.5]]), 5, seed=1))
print(tf.random.truncated_normal([3], seed=2))
@tf.function
def f():
    return tf.random.uniform([1]), tf.random.uniform([1])
tf.random.set_seed(1)
print(f(), f())
tf.random.set_seed(1)
print(f())
for bad in (lambda: tf.random.uniform([2], dtype=tf.int32), lambda: tf.random.uniform([2], dtype=tf.string),
            lambda: tf.random.uniform([-1]), lambda: tf.random.uniform([2], 5, 5, tf.int32),
            lambda: tf.random.stateless_uniform([2], seed=1), lambda: tf.random.normal('a')):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
