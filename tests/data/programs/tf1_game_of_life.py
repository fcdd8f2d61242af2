# TF1
import numpy as np
import tensorflow as tf

board = np.zeros((6, 6), dtype=np.int32)
board[1:4, 2] = 1
b = tf.placeholder(tf.int32, [6, 6], name='board')
padded = tf.pad(b, [[1, 1], [1, 1]])
neighbours = sum(padded[i:i + 6, j:j + 6] for i in range(3) for j in range(3) if (i, j) != (1, 1))
alive = tf.logical_or(tf.equal(neighbours, 3), tf.logical_and(tf.equal(neighbours, 2), tf.equal(b, 1)))
step = tf.where(alive, tf.ones_like(b), tf.zeros_like(b))
with tf.Session() as sess:
    for _ in range(3):
        board = sess.run(step, {b: board})
        print('\n'.join(''.join('#' if c else '.' for c in row) for row in board), end='\n\n')
    print(sess.run(tf.reduce_sum(neighbours), {b: board}), sess.run(tf.count_nonzero(b), {b: board}))
print(neighbours.name, len(tf.get_default_graph().get_operations()))
