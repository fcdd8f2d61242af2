import tensorflow as tf
v = tf.Variable(0.0)
@tf.function(autograph=False)
def loop(n):
    def body(i):
        v.assign_add(1.0)
        tf.print("turn", i, v)
        tf.cond(v > 3.0, lambda: v.assign(v * 2), lambda: v.assign(v + 0.5))
        return i + 1
    v.assign(0.0)
    r = tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
    v.assign_add(1000.0)
    return r, v.read_value()
print(loop(tf.constant(5)), v)
@tf.function(autograph=False)
def nested(a, b):
    def yes():
        tf.cond(b, lambda: v.assign(1.0), lambda: v.assign(2.0))
        return v * 10
    r = tf.cond(a, yes, lambda: v.assign(-1.0))
    return r, v + 0.0
for a in (True, False):
    for b in (True, False):
        print(nested(tf.constant(a), tf.constant(b)), v.numpy())
@tf.function(autograph=False)
def outer(a):
    v.assign(50.0)
    x = loop2(a)
    return x, v + 0
@tf.function(autograph=False)
def loop2(a):
    tf.cond(a, lambda: v.assign(v + 1), lambda: v.assign(v + 2))
    return v.read_value()
print(outer(tf.constant(True)), outer(tf.constant(False)))
@tf.function(autograph=False)
def prints(a):
    tf.cond(a, lambda: tf.print("yes"), lambda: tf.print("no"))
    tf.print("after")
    return tf.while_loop(lambda i: i < 2, lambda i: (v.assign_add(1.), i + 1)[1], [0])
print(prints(tf.constant(True)), prints(tf.constant(False)), v.numpy())
