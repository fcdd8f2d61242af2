import tensorflow as tf

board = tf.constant([[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])

def step(b):
    n = sum(tf.roll(tf.roll(b, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return tf.cast(tf.logical_or(tf.equal(n, 3), tf.logical_and(tf.equal(n, 2), tf.equal(b, 1))), tf.int32)

for i in range(3):
    board = step(board)
    print(board.numpy())
