import tensorflow as tf

tf.random.set_seed(42)
print(tf.random.shuffle(tf.range(10)))
print(tf.random.shuffle([[1, 2], [3, 4], [5, 6]], seed=7))
print(tf.random.shuffle(tf.constant(['a', 'b', 'c', 'd']), seed=1).numpy())
print(tf.sort(tf.random.shuffle(tf.range(6))).numpy())
