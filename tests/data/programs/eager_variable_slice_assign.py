import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


v = tf.Variable(tf.zeros([3, 4]))
v[0].assign([1.0, 2.0, 3.0, 4.0])
print(v.numpy())
v[1, 2].assign(9.0)
v[:, 0].assign([7.0, 8.0, 9.0])
v[::2, 1:3].assign([[5.0, 5.0], [6.0, 6.0]])
print(v.numpy())
print(v[2, ::-1].assign([1.0, 2.0, 3.0, 4.0]))
n = tf.Variable([1, 2, 3, 4, 5, 6])
n[1:3].assign([20, 30])
n[-1].assign(60)
i = tf.constant(3)
n[i].assign(40)
n[0:0].assign([])
print(n)
attempt(lambda: n[1:3].assign([1, 2, 3]))
attempt(lambda: n[1:3].assign(7))
attempt(lambda: n[10].assign(7))
attempt(lambda: n[1:3].assign([1.5, 2.5]))
attempt(lambda: n[1:3].assign_add([1, 1]))
attempt(lambda: n[0].assign("a"))
b = tf.Variable([True, False])
b[1].assign(True)
print(b, type(n[0]) is type(tf.constant(0)), n[0] + 1)
