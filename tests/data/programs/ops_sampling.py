import tensorflow as tf

tf.random.set_seed(1234)
idx = tf.random.shuffle(tf.range(8))[:3]
data = tf.range(8) * 10
print(idx.numpy(), tf.gather(data, idx).numpy())
logits = tf.math.log([[0.1, 0.2, 0.7]])
draws = tf.random.categorical(logits, 20)
print(draws.numpy())
print(tf.math.bincount(tf.cast(draws[0], tf.int32), minlength=3).numpy())

@tf.function
def f():
    return tf.random.shuffle([1, 2, 3, 4], seed=9)
print(f().numpy(), f().numpy())
