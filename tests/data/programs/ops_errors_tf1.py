# TF1
import tensorflow as tf

def attempt(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e).splitlines()[0])

attempt('gather_nd', lambda: tf.gather_nd(tf.zeros([2]), [[0, 0]]))
attempt('cumsum', lambda: tf.cumsum(tf.zeros([2]), axis=[0, 1]))
attempt('xent', lambda: tf.nn.softmax_cross_entropy_with_logits(tf.zeros([2, 2]), tf.zeros([2, 2])))
attempt('xent2', lambda: tf.nn.softmax_cross_entropy_with_logits(labels=tf.zeros([2, 3]), logits=tf.zeros([2, 2])))
attempt('sparse', lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros([2, 2], tf.int32), logits=tf.zeros([2, 2])))
attempt('top_k', lambda: tf.nn.top_k(tf.zeros([2]), 5))
attempt('diag', lambda: tf.matrix_diag(tf.constant(1.0)))
attempt('inv', lambda: tf.matrix_inverse(tf.zeros([2, 3])))
attempt('scatter', lambda: tf.scatter_nd([[0]], tf.zeros([2]), [4]))
attempt('roll', lambda: tf.roll(tf.constant(1.0), 1, 0))
attempt('ensure', lambda: tf.ensure_shape(tf.zeros([2]), [3]))
attempt('segment', lambda: tf.segment_sum(tf.zeros([2]), [0.0, 1.0]))
