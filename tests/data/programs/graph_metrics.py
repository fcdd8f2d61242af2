# TF1
import tensorflow as tf

# Accumulating statistics over batches through local variables, as metrics do.
values = tf.placeholder(tf.float32, [None], name='values')
total = tf.Variable(0., trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='total')
count = tf.Variable(0., trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='count')
update_total = tf.assign_add(total, tf.reduce_sum(values))
with tf.control_dependencies([values]):
    update_count = tf.assign_add(count, tf.cast(tf.size(values), tf.float32))
mean = tf.where(count > 0., total / count, 0., name='mean') if False else tf.div(total, tf.maximum(count, 1.))
update = tf.div(update_total, tf.maximum(update_count, 1.), name='update')
print(mean, update)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(mean)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run(tf.local_variables_initializer())
    for batch in ([1., 2., 3.], [4.], []):
        print(sess.run(update, {values: batch}), sess.run(mean))
    print(sess.run([total, count]))
