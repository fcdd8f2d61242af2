import tensorflow as tf

# What people carry over from TF1.
for call in (lambda: tf.expand_dims([1], dim=0), lambda: tf.argmax([1], dimension=0),
             lambda: tf.reduce_sum([1], keep_dims=True), lambda: tf.reduce_mean([1.], reduction_indices=0),
             lambda: tf.squeeze([1], squeeze_dims=0), lambda: tf.nn.softmax([1.], dim=0),
             lambda: tf.transpose(), lambda: tf.gather([1]), lambda: tf.shape([1], 2, 3, 4, 5),
             lambda: tf.transpose([1], a=3), lambda: tf.constant(1, foo=2), lambda: tf.device('a', 'b'),
             lambda: tf.convert_to_tensor(1, preferred_dtype=tf.float32), lambda: tf.math.count_nonzero()):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
print([getattr(tf, name).__name__ for name in ('constant', 'reduce_sum', 'argmax', 'shape', 'cond', 'convert_to_tensor')])
