#: pyfunc_grad
import tensorflow as tf
x = tf.Variable(2.)
w = tf.Variable([1., 2.])
calls = []
def cube(a):
    calls.append(float(a))
    return a * a * a
@tf.function
def gg(v):
    with tf.GradientTape() as t:
        t.watch(v)
        y = tf.py_function(cube, [v], tf.float32)
    return y, t.gradient(y, v)
print(gg(tf.constant(2.)), len(calls)); print(gg(tf.constant(3.)), len(calls))
@tf.function
def f(v): return tf.py_function(cube, [v], tf.float32) * 2.
with tf.GradientTape() as t: y = f(x)
print(y, t.gradient(y, x), len(calls))
def two(a, b, n):
    if n > 0.: return a * b[0], tf.reduce_sum(b) * a
    return a + b[1], a
@tf.function
def h(a, b, n):
    with tf.GradientTape() as t:
        t.watch([a, b])
        y, z = tf.py_function(two, [a, b, n], [tf.float32, tf.float32])
        l = y * 3. + z
    return l, t.gradient(l, [a, b])
print(h(tf.constant(2.), w, tf.constant(1.))); print(h(tf.constant(2.), w, tf.constant(-1.)))
@tf.function
def i(a):
    with tf.GradientTape() as t:
        t.watch(a); y = tf.py_function(lambda q: tf.square(q), [a], tf.float32); z = tf.reduce_sum(y)
    return t.gradient(z, a)
print(i(tf.constant([1., 2., 3.])))
@tf.function
def j(a): return tf.gradients(tf.py_function(lambda q: q * 5., [a], tf.float32), a)
print(j(tf.constant(1.)))
#: pyfunc_twice
import tensorflow as tf
f = tf.function(lambda v: tf.py_function(lambda a: a * a, [v], tf.float32))
p, q = tf.Variable(2.), tf.Variable(5.)
with tf.GradientTape() as t: y = f(p)
print(t.gradient(y, [p, q]))
with tf.GradientTape() as t: y = f(q)
print(t.gradient(y, [p, q]))
#: pyfunc_kinds
import tensorflow as tf, numpy as np
@tf.function
def f(s, n, b): return tf.py_function(lambda s, n, b: [s + b' more', n * 2, tf.logical_not(b)], [s, n, b], [tf.string, tf.int64, tf.bool])
print(f('text', tf.constant(3, tf.int64), True))
@tf.function
def g(x): return tf.py_function(lambda x: None, [x], [])
print(g(1.))
@tf.function
def h(x): return tf.py_function(lambda x: x + 1, [x], Tout=tf.float64)
try: print(h(tf.constant(1.)))
except Exception as e: print(type(e).__name__)
ds = tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda v: v.numpy() * 2, [x], tf.int64))
print(list(ds.as_numpy_iterator()))
@tf.py_function(Tout=tf.float32)
def deco(a): return a + 1
print(deco(tf.constant(1.)), tf.function(lambda x: deco(x))(tf.constant(2.)))
#: variable_argument_slopes
import tensorflow as tf
p, q = tf.Variable(2.), tf.Variable(3., trainable=False)
f = tf.function(lambda v, w: v * v * w)
with tf.GradientTape() as t: y = f(p, q)
print(t.gradient(y, [p, q]), [v.numpy() for v in t.watched_variables()])
with tf.GradientTape() as t: y = f(p, p)
print(t.gradient(y, [p, q]), len(t.watched_variables()))
with tf.GradientTape() as t: y = f(w=p, v=tf.constant(2.))
print(t.gradient(y, p))
c = f.get_concrete_function(p, q)
with tf.GradientTape() as t: y = c(p, q)
print(t.gradient(y, p))
@tf.function
def outer(v):
    with tf.GradientTape() as t: y = f(v, v) + f(q, v)
    return t.gradient(y, v)
print(outer(p))
o = tf.Variable(7.)
print(outer(o))
@tf.function
def unused(v, x): return x * 2.
with tf.GradientTape() as t:
    x = tf.constant(1.); t.watch(x)
    y = unused(p, x)
print(t.gradient(y, [p, x]), len(t.watched_variables()))
@tf.function
def step(var, lr):
    with tf.GradientTape() as t: loss = (var - 5.) ** 2
    var.assign_sub(lr * t.gradient(loss, var))
    return loss
for _ in range(3): print(step(p, 0.1), p.numpy())
class M(tf.Module):
    def __init__(self): self.w = tf.Variable(2.)
    @tf.function
    def loss(self, other): return self.w * other * other
m = M()
with tf.GradientTape(persistent=True) as t: l = m.loss(o)
print(t.gradient(l, m.w), t.gradient(l, o))
with tf.GradientTape(watch_accessed_variables=False) as t: l = m.loss(o)
print(t.gradient(l, [m.w, o]))
with tf.GradientTape() as t: y = f(tf.Variable([1., 2.]), tf.Variable([[1.], [2.]]))
print(y, [v.shape for v in t.watched_variables()])
d = {'a': tf.Variable(1.), 'b': [tf.Variable(2.)]}
g = tf.function(lambda d: d['a'] * 3. + d['b'][0] ** 2)
with tf.GradientTape() as t: y = g(d)
print(t.gradient(y, d))
