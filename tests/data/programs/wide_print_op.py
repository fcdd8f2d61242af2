import sys
import tensorflow as tf

t = tf.range(12)
tf.print(t, output_stream=sys.stdout)
tf.print('shape', tf.shape(t), t[:3], sep=' | ', output_stream=sys.stdout)
tf.print(tf.reshape(t, [3, 4]), summarize=2, output_stream=sys.stdout)
tf.print(tf.reshape(t, [3, 4]), summarize=-1, output_stream=sys.stdout)
tf.print({'a': t[:2], 'b': [1, 2.5]}, (1, 'x'), end='<\n', output_stream=sys.stdout)
tf.print(tf.constant(1.0), tf.constant(0.1), tf.constant(1e10), tf.constant(1e-7), tf.constant([0.333333]), output_stream=sys.stdout)
tf.print(tf.constant('str'), [tf.constant('list')], tf.constant(['a', 'b']), True, None, output_stream=sys.stdout)
tf.print(tf.Variable(3), tf.constant(True), tf.constant(1j), output_stream=sys.stdout)
tf.print(tf.sparse.from_dense([0, 2]), output_stream=sys.stdout)
tf.print(tf.ragged.constant([[1], [2, 3]]), output_stream=sys.stdout)
tf.print(output_stream=sys.stdout)
@tf.function
def f(x):
    tf.print('in f', x, x.shape, output_stream=sys.stdout)
    return x
f(tf.constant([1, 2]))
tf.print('to a file', output_stream='file://out.txt')
print(open('out.txt').read())
for bad in (lambda: tf.print(1, output_stream='nowhere'), lambda: tf.print(1, wrong=2)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
