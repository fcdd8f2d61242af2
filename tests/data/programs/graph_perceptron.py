# TF1
import tensorflow as tf

# A perceptron learns the logical and.
xs = tf.constant([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
ys = tf.constant([[0.], [0.], [0.], [1.]])
w = tf.Variable(tf.zeros([2, 1]), name='w')
b = tf.Variable(tf.zeros([1]), name='b')
step = tf.Variable(0, trainable=False, name='step')
out = tf.cast(tf.matmul(xs, w) + b > 0., tf.float32)
err = ys - out
dw = tf.matmul(xs, err, transpose_a=True)
db = tf.reduce_sum(err, 0)
with tf.control_dependencies([tf.assign_add(w, dw), tf.assign_add(b, db)]):
    train = tf.assign_add(step, 1)
loss = tf.reduce_sum(tf.square(err))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while sess.run(loss) > 0 and sess.run(step) < 50:
        sess.run(train)
    print(sess.run([step, loss]))
    print(sess.run([w, b]))
    print(sess.run(out).ravel())
