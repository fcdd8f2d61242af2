"""A recurrent loop over a TensorArray, in a function and in a graph."""
import numpy as np
import tensorflow as tf


@tf.function
def rnn(x, w):
    n = tf.shape(x)[0]
    source = tf.TensorArray(tf.float32, size=n).unstack(x)
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)

    def body(i, h, out):
        h = source.read(i) + tf.linalg.matvec(w, h)
        return i + 1, h, out.write(i, h)

    _, h, out = tf.while_loop(lambda i, *_: i < n, body, (0, tf.zeros([2]), out))
    return out.stack(), h, out.size(), out.concat(), out.gather([0, 2])


for value in rnn(tf.ones([3, 2]), 2. * tf.eye(2)):
    print(value)

with tf.Graph().as_default():
    x = tf.compat.v1.placeholder(tf.float32, [None, 3])
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
    texts = tf.TensorArray(tf.string, size=2)
    _, texts = tf.while_loop(lambda i, a: i < 2, lambda i, a: [i + 1, a.write(i, tf.strings.as_string(i))], [tf.constant(0), texts])
    fetches = rows.read(1), rows.stack(), rows.gather([0]), texts.stack(), rows.size()
    print([t.shape for t in fetches])
    with tf.compat.v1.Session() as sess:
        print(sess.run(fetches, {x: [[1, 2, 3], [4, 5, 6]]}))
        print(sess.run(fetches[2], {x: np.zeros((4, 3))}))
    try:
        tf.TensorArray(tf.float32)
    except ValueError as e:
        print(e)

i, array = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, i)), (0, tf.TensorArray(tf.int32, 3)))
print(i, array.stack())
