# TF1
import tensorflow as tf

tf.set_random_seed(1)
samples = tf.multinomial(tf.log([[10., 10., 1.]]), 6)
shuffled = tf.random_shuffle([1, 2, 3, 4, 5, 6])
again = tf.random.categorical([[0., 1.]], 4, seed=5)
print(samples, shuffled)
with tf.Session() as sess:
    print(sess.run(samples))
    print(sess.run(samples))
    print(sess.run(shuffled))
    print(sess.run(again))
