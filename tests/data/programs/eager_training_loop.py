import numpy as np
import tensorflow as tf

x = np.linspace(-2, 2, 9).astype(np.float32)
y = 3 * x + 2
w = tf.Variable(5.0)
b = tf.Variable(0.0)


def predict(x):
    return w * x + b


def loss(target, predicted):
    return tf.reduce_mean(tf.square(target - predicted))


print("Current loss: %1.6f" % loss(y, predict(x)).numpy())
for epoch in range(5):
    error = predict(x) - y
    dw = tf.reduce_mean(2 * error * x)
    db = tf.reduce_mean(2 * error)
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
    print(f"Epoch {epoch:2d}: W={w.numpy():1.4f} b={b.numpy():1.4f}, loss={loss(y, predict(x)):2.5f}")
print(tf.reduce_sum(w), tf.stack([w, b]), tf.convert_to_tensor([w, b]))


@tf.function
def step(x, y):
    error = predict(x) - y
    w.assign_sub(0.1 * tf.reduce_mean(2 * error * x))
    b.assign_sub(0.1 * tf.reduce_mean(2 * error))
    return loss(y, predict(x))


for i in range(3):
    print("%.5f" % step(tf.constant(x), tf.constant(y)))
print(w, b)
