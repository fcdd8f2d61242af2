import tensorflow as tf

if hasattr(tf, 'Session'):
    session = tf.Session()
    print('one')
else:
    session = tf.compat.v1.Session()
    print('two')
gather = tf.batch_gather if hasattr(tf, 'batch_gather') else tf.gather
print(gather([1, 2, 3], [0, 2], axis=0))
placeholder = getattr(tf, 'placeholder', None)
print(placeholder, getattr(tf, 'log', tf.math.log) is tf.math.log)
print([name for name in ('Session', 'placeholder', 'function', 'executing_eagerly', 'contrib', 'function_x')
       if hasattr(tf, name)])
print(tf.executing_eagerly())
