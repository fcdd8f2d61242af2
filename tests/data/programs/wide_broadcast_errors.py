import tensorflow as tf

a = tf.ones([2, 3])
b = tf.ones([4])
def attempt(label, f):
    try:
        print(label, f())
    except Exception as e:
        print(label, type(e).__name__, e)
for name in ('add', 'subtract', 'multiply', 'divide', 'maximum', 'pow', 'greater', 'equal', 'not_equal', 'logical_and'):
    fn = getattr(tf, name, None) or getattr(tf.math, name)
    if name == 'logical_and':
        attempt(name, lambda: fn(a > 0, b > 0))
    else:
        attempt(name, lambda: fn(a, b))
attempt('op', lambda: a * b)
attempt('where', lambda: tf.where([True, False, True], a, b))
attempt('concat', lambda: tf.concat([a, tf.ones([3, 2])], 0))
attempt('stack', lambda: tf.stack([a, b]))
attempt('broadcast_to', lambda: tf.broadcast_to(a, [3, 3]))
attempt('tile', lambda: tf.tile(a, [2]))
attempt('add_n', lambda: tf.add_n([a, b]))
attempt('bias', lambda: tf.nn.bias_add(a, b))
attempt('split', lambda: tf.split(a, 2, axis=1))
attempt('transpose', lambda: tf.transpose(a, [0, 0]))
attempt('pad', lambda: tf.pad(a, [[1, 1]]))
attempt('unstack', lambda: tf.unstack(a, num=4))
attempt('cumsum', lambda: tf.cumsum(a, axis=3))
attempt('reduce', lambda: tf.reduce_max(a, axis=[0, 2]))
attempt('argmax', lambda: tf.argmax(a, axis=2))
attempt('softmax', lambda: tf.nn.softmax(a, axis=4))
attempt('function', lambda: tf.function(lambda x, y: x + y)(a, b))
attempt('function matmul', lambda: tf.function(lambda x, y: x @ y)(a, a))
