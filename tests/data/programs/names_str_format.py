import tensorflow as tf

t = tf.constant([1, 2, 3])
print(tf.strings.format('tensor: {}, suffix', t))
print(tf.strings.format('{} and {}', (tf.constant(1.5), t)))
print(tf.strings.format('big: {}', tf.range(20), summarize=2))
print(tf.strings.join(['value=', tf.strings.as_string(tf.constant(2.5), precision=1)]))


@tf.function
def label(i):
    return tf.strings.join(['step_', tf.strings.as_string(i)])


print(label(tf.constant(3)))
