# TF1
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3], name='x')
tf.cumsum(x, 1)
tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x)
tf.nn.log_softmax(x)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=x)
tf.gather_nd(x, [[0, 0]])
tf.roll(x, 1, 0)
tf.nn.top_k(x, 2)
tf.linalg.band_part(x, 0, 1)
tf.complex(x, x)
tf.bitcast(x, tf.int32)
tf.unsorted_segment_sum(x, [0, 1], 2)
tf.matrix_diag(x)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [str(o.shape) for o in op.outputs])
