import tensorflow as tf

board = tf.Variable(tf.zeros([6, 6], tf.int32))
for r, c in ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
    board[r, c].assign(1)

@tf.function
def step(b):
    n = tf.zeros_like(b)
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            if (dr, dc) != (0, 0):
                n += tf.roll(b, [dr, dc], [0, 1])
    born = tf.logical_and(tf.equal(b, 0), tf.equal(n, 3))
    stay = tf.logical_and(tf.equal(b, 1), tf.logical_or(tf.equal(n, 2), tf.equal(n, 3)))
    return tf.cast(tf.logical_or(born, stay), tf.int32)

for _ in range(4):
    board.assign(step(board))
for row in board.numpy():
    print(''.join('.#'[v] for v in row))
print(board)
