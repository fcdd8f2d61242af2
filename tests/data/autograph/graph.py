#: pyfunc_graph
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None], name='x')
def f(a):
    print('called', type(a).__name__, a.numpy(), tf.executing_eagerly())
    return tf.reduce_sum(a * a) + tf.constant(1.)
y = tf.py_function(f, [x], tf.float32, name='pf')
print(y)
y.set_shape([])
g = tf.gradients(y * 2., x)
print(g)
v = tf.Variable(1.)
with tf.Session() as s:
    print(s.run(y, {x: [1, 2]})); print(s.run([y, g], {x: [1, 2, 3]})); print(s.run(g, {x: [5]}))
    print(tf.executing_eagerly())
with tf.Session() as s:
    print(s.run(tf.py_function(lambda a, b: (b, a), [1., 'x'], [tf.string, tf.float32])))
w = tf.Variable([1., 2.])
opt = tf.train.GradientDescentOptimizer(.1)
loss = tf.py_function(lambda q: tf.reduce_sum(tf.square(q)), [w], tf.float32)
train = opt.minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(3): s.run(train)
    print(s.run([w, loss]))
l = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.reshape(tf.py_function(lambda q: q * 2., [a], tf.float32), [])), (0, 1.))
with tf.Session() as s: print(s.run(l))

#: variables_in_flow
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
p = tf.placeholder(tf.bool, [])
for make in (lambda: tf.cond(p, lambda: tf.Variable(3.) + 1., lambda: 0.), lambda: tf.cond(p, lambda: tf.Variable(lambda: 3.) + 1., lambda: 0.), lambda: tf.while_loop(lambda i: i < 2, lambda i: i + tf.Variable(i), [0]),
             lambda: tf.while_loop(lambda i: i < 2, lambda i: i + tf.Variable(1, use_resource=True), [0]), lambda: tf.cond(p, lambda: tf.get_variable('g', [2]), lambda: tf.zeros([2]))):
    try: print(make())
    except Exception as e: print(type(e).__name__, e)
print([v.name for v in tf.global_variables()])
#: case_texts
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.int32, [], name='x')
for f in (lambda: tf.case([(x < 1, lambda: x)], default=3), lambda: tf.case([x < 1, lambda: x]), lambda: tf.case([(x < 1, lambda: x), (x < 2, lambda: x)], default=3, exclusive=True)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
#: stop_gradients
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.constant(3.)
y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.stop_gradient(a) * x), (0, x))[1]
c = tf.cond(x > 0, lambda: tf.stop_gradient(x) * x, lambda: x)
with tf.Session() as s: print(s.run(tf.gradients([y, c], x)))
#: sparse_and_rows
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
sp = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
x = tf.placeholder(tf.bool, [])
r = tf.cond(x, lambda: sp, lambda: tf.SparseTensor([[0, 1]], [5.], [2, 2]))
w = tf.while_loop(lambda i, q: i < 2, lambda i, q: (i + 1, q * 2.), (0, sp))
print(type(r).__name__, type(w[1]).__name__)
emb = tf.Variable(tf.ones([3, 2]))
l = tf.cond(x, lambda: tf.nn.embedding_lookup(emb, [0, 1]), lambda: tf.nn.embedding_lookup(emb, [2, 2]))
g = tf.gradients(l, emb)
ix = tf.cond(x, lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])), lambda: tf.IndexedSlices(tf.ones([1, 2]) * 2, tf.constant([1])))
with tf.Session() as s:
    s.run(emb.initializer)
    print(s.run(r, {x: True}), s.run(w)); print(s.run(tf.convert_to_tensor(g[0]), {x: False})); print(s.run(ix, {x: False}))
s = tf.sparse_placeholder(tf.float32, [2, 2])
o = tf.cond(x, lambda: s, lambda: s * 3.)
with tf.Session() as sess: print(sess.run(o, {x: False, s: tf.SparseTensorValue([[0, 1]], [4.], [2, 2])}))
m = tf.map_fn(lambda q: tf.sparse.reduce_sum(q), sp, dtype=tf.float32)
with tf.Session() as sess: print(sess.run(m))
#: cond_basic
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [], name='x')
y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
z = tf.cond(x > 0, lambda: (x, {'a': x + 1}), lambda: (x * 2, {'a': x}), name='named')
w = tf.cond(tf.constant(True), lambda: 1, lambda: 2)
print(y, z, w)
with tf.Session() as s: print(s.run([y, z, w], {x: 3.}), s.run([y, z], {x: -3.}))
print([o.name + ':' + o.type for o in tf.get_default_graph().get_operations()])
for a in (lambda: tf.cond(x > 0, lambda: 1, lambda: 1.0), lambda: tf.cond(x > 0, lambda: 1, lambda: (1, 2)), lambda: tf.cond(x > 0, 1, lambda: 2), lambda: tf.cond(True, lambda: 1, lambda: 2), lambda: tf.cond(x > 0, lambda: None, lambda: None), lambda: tf.cond(x > 0, lambda: None, lambda: 1), lambda: tf.cond(x, lambda: 1, lambda: 2), lambda: tf.cond(x > 0, lambda: [1], lambda: (1,)), lambda: tf.cond(x > 0, lambda: [1], lambda: (1,), strict=True), lambda: tf.cond(x > 0), lambda: tf.cond(x > 0, true_fn=lambda: {'a': 1}, false_fn=lambda: {'b': 1}),
  lambda: tf.cond(x > 0, fn1=lambda: 1, fn2=lambda: 2), lambda: tf.cond(x > 0, lambda: [1], lambda: [2]), lambda: tf.cond(x > 0, lambda: [1], lambda: [2], strict=True)):
    try: print(a())
    except Exception as e: print(type(e).__name__, e)
#: cond_outside_side_effect
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
v = tf.Variable(0)
x = tf.placeholder(tf.bool, [])
a = tf.assign_add(v, 1)
def t():
    with tf.control_dependencies([a]): return tf.identity(v)
y = tf.cond(x, t, lambda: tf.constant(-1))
z = tf.cond(x, lambda: a, lambda: v)
with tf.Session() as s:
    s.run(v.initializer)
    print(s.run(y, {x: False}), s.run(v)); print(s.run(z, {x: False}), s.run(v))
#: cond_grad
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [3])
v = tf.Variable([1., 2., 3.])
y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * x * v, lambda: x * 3.)
g = tf.gradients(y, [x, v])
print(g)
with tf.Session() as s:
    s.run(v.initializer)
    print(s.run(g, {x: [1, 2, 3]}), s.run(g, {x: [-1, -2, -3]}))
#: nested_cond
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.int32, [])
def f(): return tf.cond(x > 10, lambda: x * 100, lambda: tf.cond(tf.equal(x, 5), lambda: x * 55, lambda: x))
y = tf.cond(x > 0, f, lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x]))
with tf.Session() as s: print([s.run(y, {x: i}) for i in (20, 5, 3, -7)])
print([o.name for o in tf.get_default_graph().get_operations() if 'cond' in o.name][:12])
#: while_basic
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
i = tf.constant(0)
r = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [i])
r2 = tf.while_loop(lambda i, j: i < 10, lambda i, j: (i + 1, j + i), (i, i), return_same_structure=True, name='named')
r3 = tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [i], return_same_structure=True)
r4 = tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [i], maximum_iterations=3)
r5 = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [i], maximum_iterations=tf.constant(20), parallel_iterations=2, back_prop=False, swap_memory=True)
print(r, r2, r3, r4, r5)
with tf.Session() as s: print(s.run([r, r2, r3, r4, r5]))
print([o.name + ':' + o.type for o in tf.get_default_graph().get_operations()][:40])
for a in (lambda: tf.while_loop(1, lambda i: i, [i]), lambda: tf.while_loop(lambda i: i < 1, 1, [i]), lambda: tf.while_loop(lambda: True, lambda: [], []), lambda: tf.while_loop(lambda i: i < 1, lambda i: i * 1.0, [i]), lambda: tf.while_loop(lambda i: i < 1, lambda i: (i, i), [i]), lambda: tf.while_loop(lambda i: i, lambda i: i, [i]), lambda: tf.while_loop(lambda i: [i < 1], lambda i: i, [i]), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [i], parallel_iterations=0), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [i], shape_invariants=[1]), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [i], shape_invariants=[tf.TensorShape([2])]), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [i], maximum_iterations='a'), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, i), lambda: tf.while_loop(lambda i: i < 1, lambda i: None, [i]), lambda: tf.while_loop(lambda i: i < 1, lambda i: tf.constant([1, 2]), [i]), lambda: tf.while_loop(lambda i: tf.constant([True, False]), lambda i: i, [i]), lambda: tf.while_loop(lambda i: i < 1, lambda i: cast_none(i), [i]), lambda: tf.while_loop(lambda i, j: i < 1, lambda i: i, [i, i]), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [i], maximum_iterations=[1])):
    try: print(a())
    except Exception as e: print(type(e).__name__, e)
#: while_shapes
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.constant([[1., 2.]])
try: tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], 0)], [0, x])
except Exception as e: print(type(e).__name__, e)
r = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], 0)], [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])])
print(r)
n = tf.placeholder(tf.int32, [])
r2 = tf.while_loop(lambda i, m: i < n, lambda i, m: (i + 1, {'a': m['a'] + 1., 'b': tf.concat([m['b'], [i]], 0)}), (0, {'a': x, 'b': tf.zeros([0], tf.int32)}), shape_invariants=(tf.TensorShape([]), {'a': x.shape, 'b': tf.TensorShape([None])}))
print(r2)
with tf.Session() as s: print(s.run(r)[1].shape, s.run(r2, {n: 4}))
#: while_var
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
v = tf.Variable(0.); r = tf.Variable(0., use_resource=True)
def body(i):
    with tf.control_dependencies([v.assign_add(1.), r.assign_add(2.)]): return i + 1
l = tf.while_loop(lambda i: i < 5, body, [0])
def body2(i):
    a = v.assign(v + tf.cast(i, tf.float32))
    with tf.control_dependencies([a]):
        c = tf.cond(i > 2, lambda: v.assign_add(100.), lambda: tf.identity(a))
    with tf.control_dependencies([c]): return i + 1
l2 = tf.while_loop(lambda i: i < 5, body2, [0], parallel_iterations=1)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    print(s.run(l), s.run([v, r])); print(s.run(l2), s.run([v, r]))
#: while_noback_grad
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [])
p = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * x], [0, x], back_prop=False)[1]
try: print(tf.gradients(p, x))
except Exception as e: print(type(e).__name__, e)
try: print(tf.gradients(tf.map_fn(lambda a: a * x, tf.constant([1., 2.]), back_prop=False), x))
except Exception as e: print(type(e).__name__, e)
#: devices_scopes
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
with tf.device('/cpu:0'), tf.name_scope('outer'):
    x = tf.constant(1., name='x')
    with tf.name_scope('in'):
        y = tf.cond(x > 0, lambda: tf.add(x, 1, name='tt'), lambda: tf.subtract(x, 1, name='ff'))
        def body(i):
            with tf.device('/device:GPU:0'), tf.name_scope('b'): return tf.add(i, 1, name='inc')
        z = tf.while_loop(lambda i: i < 3, body, [0])
for o in tf.get_default_graph().get_operations(): print(o.name, o.type, o.device)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as s: print(s.run([y, z]))
#: partial_run_flow
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, []); y = tf.placeholder(tf.float32, [])
a = tf.cond(x > 0, lambda: x * 2, lambda: x)
b = tf.while_loop(lambda i, q: i < 3, lambda i, q: (i + 1, q * y), (0, a))[1]
with tf.Session() as s:
    h = s.partial_run_setup([a, b], [x, y])
    print(s.partial_run(h, a, {x: 3.})); print(s.partial_run(h, b, {y: 2.}))
#: fetch_inside
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.float32, [])
got = []
def body(i, q):
    n = q * 2; got.append(n); return i + 1, n
z = tf.while_loop(lambda i, q: i < 3, body, (0, x))
y = tf.cond(x > 0, lambda: got.append(x * 3) or got[-1], lambda: x)
with tf.Session() as s:
    for t in got + ['while/Less:0', 'cond/Switch:0', 'cond/mul/Switch:1']:
        try: print(s.run(t, {x: 1.}))
        except Exception as e: print(type(e).__name__, e)
try: print(got[0] + 1)
except Exception as e: print(type(e).__name__, e)
with tf.Session() as s:
    try: print(s.run(got[0] + 1, {x: 1.}))
    except Exception as e: print(type(e).__name__, e)
    try: print(s.run(z, {got[0]: 1., x: 1.}))
    except Exception as e: print(type(e).__name__, e)
#: flow_errors_runtime
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.int32, [None], name='x')
y = tf.while_loop(lambda i, q: i < 3, lambda i, q: (i + 1, q + x[i]), (0, 0), name='lp')[1]
z = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.gather(x, 5), lambda: 0, name='cc')
with tf.Session() as s:
    print(s.run(y, {x: [1, 2, 3]}))
    for t in (y, z):
        try: print(s.run(t, {x: [1, 2]}))
        except Exception as e: print(type(e).__name__, e.message); print(e.op.name, e.op.type)
#: nested_loops
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
n = tf.placeholder(tf.int32, [])
def outer(i, s):
    _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + i * j), (0, s))
    return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t, lambda: t + 100)
r = tf.while_loop(lambda i, s: i < n, outer, (0, 0))
with tf.Session() as s: print([s.run(r, {n: k}) for k in (0, 1, 5)])
print([o.name for o in tf.get_default_graph().get_operations() if 'while/while' in o.name][:20])
x = tf.constant(2.)
def o2(i, a): return i + 1, tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * x), (0, a))[1]
q = tf.while_loop(lambda i, a: i < 2, o2, (0, x))[1]
with tf.Session() as s: print(s.run([q, tf.gradients(q, x)]))
#: opt_in_cond
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
x = tf.placeholder(tf.bool, [])
w = tf.Variable(3.)
opt = tf.train.GradientDescentOptimizer(.1)
def train():
    with tf.control_dependencies([opt.minimize(w * w)]): return tf.constant(1)
t = tf.cond(x, train, lambda: tf.constant(0))
def lbody(i):
    with tf.control_dependencies([tf.assign_sub(w, .5)]): return i + 1
lp = tf.while_loop(lambda i: i < 3, lbody, [0])
with tf.Session() as s:
    s.run(w.initializer); print(s.run(t, {x: True}), s.run(w), s.run(t, {x: False}), s.run(w), s.run(lp), s.run(w))
#: py_func_in_loops
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
def f(i): print('py', i); return i * 2
r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.py_func(f, [i], tf.int32)), (0, 0), shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)), parallel_iterations=1)
with tf.Session() as s: print(s.run(r))
try: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.py_func(f, [i], tf.int32)), (0, 0))
except Exception as e: print(type(e).__name__, e)
#: queue_in_loop
import numpy as np
import tensorflow.compat.v1 as tf
tf.get_logger().setLevel('ERROR')
tf.disable_v2_behavior()
tf.reset_default_graph()
q = tf.FIFOQueue(10, tf.int32); 
e = tf.while_loop(lambda i: i < 4, lambda i: tf.tuple([i + 1], control_inputs=[q.enqueue(i)])[0], [0])
d = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * 10 + q.dequeue()), (0, 0), parallel_iterations=1, shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)))
with tf.Session() as s: print(s.run(e), s.run(q.size()), s.run(d)[1] >= 0, s.run(q.size()))
