import tensorflow as tf

x = tf.constant([1, 2, 3])
try:
    x[0] = 5
except TypeError as e:
    print("TypeError:", e)
try:
    del x[0]
except TypeError as e:
    print("TypeError:", e)
v = tf.Variable([1, 2, 3])
try:
    v[0] = 5
except TypeError as e:
    print("TypeError:", e)
v[0].assign(5)
print(v)
y = x
y += 1
print(x, y)
y = tf.tensor_scatter_nd_update(x, [[0]], [5])
print(y)
y = tf.concat([[5], x[1:]], axis=0)
print(y)
y = tf.where(x == 2, 20, x)
print(y)
