import tensorflow as tf

tf.random.set_seed(0)
x = tf.ones([3, 5])
print(tf.nn.dropout(x, rate=0.5, seed=1))
print(tf.nn.dropout(x, rate=0.8, seed=1).shape)
print(tf.nn.dropout(x, 0.0) is x, tf.nn.dropout(x, rate=0.5, noise_shape=[1, 5], seed=1))
for rate in (1.0, -0.1, 2):
    try:
        tf.nn.dropout(x, rate)
    except ValueError as e:
        print(e)
try:
    tf.nn.dropout(tf.constant([1, 2]), 0.5)
except ValueError as e:
    print(e)
