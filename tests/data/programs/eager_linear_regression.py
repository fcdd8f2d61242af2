import tensorflow as tf

tf.random.set_seed(42)
features = tf.random.normal([20, 2])
weights = tf.constant([[2.0], [-3.4]])
labels = features @ weights + 4.2
w = tf.Variable(tf.zeros([2, 1]), name="w")
b = tf.Variable(0.0, name="b")


def model(x):
    return tf.matmul(x, w) + b


for step in range(30):
    error = model(features) - labels
    w.assign_sub(0.1 * 2 * tf.matmul(features, error, transpose_a=True) / 20.0)
    b.assign_sub(0.1 * 2 * tf.reduce_mean(error))
    if step % 10 == 0:
        print("step %d loss %.4f" % (step, tf.reduce_mean(error**2)))
print("w", tf.round(w * 100) / 100)
print("b %.3f" % b.numpy())
print(w.shape, b.dtype, w.name)
predictions = tf.squeeze(model(features[:3]), axis=1)
print(predictions.shape, tf.reduce_all(tf.abs(predictions - labels[:3, 0]) < 0.5))
