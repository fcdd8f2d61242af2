#: composite_loops
import tensorflow as tf
sp = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
rt = tf.ragged.constant([[1, 2], [3]])
def t(fn, *a):
    try: print(tf.function(fn)(*a))
    except Exception as e: print(type(e).__name__, e)
def b(r, n):
    i = 0
    while i < n:
        r = r + 1
        i += 1
    return r
t(b, rt, tf.constant(2))
def e(r): return tf.while_loop(lambda i, r: i < 2, lambda i, r: (i + 1, r + 1), (0, r))
t(e, rt)
print(e(rt))
def g(r):
    s = 0
    for row in r: s += tf.reduce_sum(row)
    return s
t(g, rt)
def w(s): return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2., s.dense_shape)), (0, s))
t(w, sp)
def grows(s):
    def body(i, s):
        more = tf.SparseTensor(tf.concat([s.indices, s.indices], 0), tf.concat([s.values, s.values], 0), s.dense_shape)
        return i + 1, more
    return tf.while_loop(lambda i, s: i < 2, body, (0, s))[1]
t(grows, sp)
def mixed(r, n):
    a = tf.TensorArray(tf.int32, 3)
    s = {'r': r, 'k': [n]}
    for i in tf.range(3):
        a = a.write(i, tf.reduce_sum(s['r']))
        s = {'r': s['r'] * 2, 'k': [s['k'][0] + 1]}
    return s, a.stack()
t(mixed, rt, tf.constant(5))
#: composite_branches
import tensorflow as tf
sp = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
rt = tf.ragged.constant([[1, 2], [3]])
def t(fn, *a):
    try: print(tf.function(fn)(*a))
    except Exception as e: print(type(e).__name__, e)
def c(s, n):
    if n > 1: s = s * 3.
    else: s = s * 4.
    return s
t(c, sp, tf.constant(2))
t(c, sp, tf.constant(0))
def d(r, n): return tf.cond(n > 1, lambda: r, lambda: r + 10)
t(d, rt, tf.constant(1))
t(d, rt, tf.constant(2))
def f(x): return tf.cond(x > 0, lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])), lambda: tf.IndexedSlices(tf.ones([1, 2]) * 2, tf.constant([1])))
t(f, tf.constant(1))
t(f, tf.constant(-1))
def n(x): return tf.switch_case(x, [lambda: sp, lambda: sp * 2.])
t(n, tf.constant(1))
def both(x): return tf.cond(x > 0, lambda: {'s': sp, 'x': [x, rt]}, lambda: {'s': sp, 'x': [x + 1, rt + 1]})
t(both, tf.constant(-1))
def e(r, x): return r if x > 0 else r * 2
t(e, rt, tf.constant(-1))
#: composite_maps
import tensorflow as tf
sp = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
rt = tf.ragged.constant([[1, 2], [3]])
deep = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6]]])
def t(fn, *a):
    for call in (tf.function(fn), fn):
        try: print(call(*a))
        except Exception as e: print(type(e).__name__, e)
def h(x): return tf.map_fn(lambda r: tf.reduce_sum(r), x, fn_output_signature=tf.int32)
t(h, rt)
def i(x): return tf.map_fn(lambda r: r * 2, x)
t(i, rt)
t(i, deep)
def j(x): return tf.map_fn(lambda r: tf.range(r), x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
t(j, tf.constant([1, 3, 0]))
def k(x): return tf.map_fn(lambda r: tf.RaggedTensor.from_row_lengths(tf.range(r), [r]), x, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
t(k, tf.constant([1, 3, 0]))
def l(x): return tf.map_fn(lambda r: tf.sparse.from_dense(r), x, fn_output_signature=tf.SparseTensorSpec([2], tf.int32))
t(l, tf.constant([[1, 0], [0, 2]]))
def m(s): return tf.map_fn(lambda r: tf.sparse.reduce_sum(r), s, fn_output_signature=tf.float32)
t(m, sp)
def o(x): return tf.map_fn(lambda r: {'a': r[0] * 2, 'b': tf.ones([r[1]])}, (rt, tf.constant([2, 1])), fn_output_signature={'a': tf.RaggedTensorSpec([None], tf.int32), 'b': tf.RaggedTensorSpec([None], tf.float32)})
t(o, 0)
def q(x): return tf.map_fn(lambda r: tf.reduce_sum(r, axis=-1), x, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
t(q, deep)
#: composite_arguments
import tensorflow as tf
sp = tf.SparseTensor([[0, 0], [1, 1]], [1., 2.], [2, 2])
rt = tf.ragged.constant([[1, 2], [3]])
@tf.function
def f(a, b=None):
    print('tracing', a, b)
    return a
print(f(sp)); print(f(rt)); print(f(rt)); f(tf.ragged.constant([[1], [2]])); f([rt, {'x': sp}]); f(1, sp)
print(f.experimental_get_tracing_count())
c = f.get_concrete_function(tf.SparseTensorSpec([None, 2], tf.float32))
print(c.structured_input_signature, c.inputs, c.structured_outputs)
c = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
print(c.structured_input_signature, c.inputs, c.structured_outputs)
print(c(rt, None))
@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
def g(a): return tf.reduce_sum(a, 1)
print(g(rt))
try: g(tf.ragged.constant([[1., 2.]]))
except Exception as e: print(type(e).__name__, e)
print(g.input_signature)
@tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32), {'r': tf.RaggedTensorSpec([2, None], tf.int32)}])
def h(a, d): return tf.sparse.reduce_sum(a), d['r'] * 2
print(h(sp, {'r': rt})); print(h.input_signature)
c = h.get_concrete_function(); print(c.structured_input_signature); print(c.pretty_printed_signature(False)); print(c.pretty_printed_signature())
print(c(sp, {'r': rt}))
@tf.function
def i(x): return x
print(i.get_concrete_function(rt).structured_input_signature, i.get_concrete_function([sp, {'a': rt}]).structured_input_signature)
print(i(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))))
print(i.get_concrete_function(tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32)).structured_input_signature)
#: ragged_rows
import tensorflow as tf
r = tf.ragged.constant([[1, 2], [3], [], [4, 5]])
@tf.function
def f(r, i): return r[i], r[i:], r[:i], r[-i:], r[i:i + 2], r[:-1], r[1:100], r[100:], r[::1]
print(f(r, tf.constant(1))); print(f(r, tf.constant(3)))
#: composite_results
import tensorflow as tf
@tf.function
def sl2(x): return tf.IndexedSlices(x, tf.constant([0]), tf.constant([3, 1]))
print(sl2(tf.constant([[1.]])))
v = tf.Variable([[1.], [2.]])
@tf.function
def gr():
    with tf.GradientTape() as t: y = tf.gather(v, [0])
    return t.gradient(y, v)
print(gr())
@tf.function
def inner(r): return r * 2, tf.sparse.from_dense(r.to_tensor())
@tf.function
def outer(r):
    a, b = inner(r)
    return a + 1, tf.sparse.to_dense(b), [a]
print(outer(tf.ragged.constant([[1, 2], [3]])))
x = tf.ragged.constant([[1., 2.], [3.]])
@tf.function
def loss(r): return tf.reduce_sum(tf.map_fn(lambda row: tf.reduce_sum(row * row), r, fn_output_signature=tf.float32))
with tf.GradientTape() as t:
    t.watch(x.flat_values)
    y = loss(x)
print(y, t.gradient(y, x.flat_values))
