# TF1
import tensorflow as tf

# q-values of chosen actions, as in reinforcement learning tutorials
q = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name='q')
actions = tf.placeholder(tf.int32, [None], name='actions')
idx = tf.stack([tf.range(tf.shape(actions)[0]), actions], axis=1)
chosen = tf.gather_nd(q, idx, name='chosen')
onehot = tf.reduce_sum(q * tf.one_hot(actions, 2), axis=1)
print(chosen, onehot)
with tf.Session() as sess:
    print(sess.run([chosen, onehot], {actions: [1, 0, 1]}))
    try:
        sess.run(chosen, {actions: [1, 0, 2]})
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[-1] or e.message.splitlines()[0])
