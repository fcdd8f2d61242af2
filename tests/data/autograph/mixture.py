#: while_else
import tensorflow as tf
@tf.function
def f(n):
    i = 0
    while i < n:
        i += 1
        if i == 3: break
    else:
        i = 100
    return i
try: print(f(tf.constant(2)), f(tf.constant(5)))
except Exception as e: print(type(e).__name__, e)
#: for_else
import tensorflow as tf
@tf.function
def f(x):
    for v in x:
        if v > 3: break
    else:
        return tf.constant(-1)
    return v
try: print(f(tf.constant([1,2])), f(tf.constant([2,5])))
except Exception as e: print(type(e).__name__, e)
#: return_in_nested
import tensorflow as tf
@tf.function
def f(x):
    for i in tf.range(10):
        for j in tf.range(10):
            if i * j > x:
                return i, j
    return -1, -1
print(f(tf.constant(20)), f(tf.constant(100)))
#: ternary_boolean
import tensorflow as tf
@tf.function
def f(x, y):
    a = x if x > y else y
    b = x > 0 and y > 0
    c = x > 0 or y > 0
    d = not x > 0
    e = 0 < x < 10 <= y
    return a, b, c, d, e
print(f(tf.constant(1), tf.constant(12))); print(f(tf.constant(-1), tf.constant(2)))
#: chained_eq
import tensorflow as tf
@tf.function
def f(x, y):
    r = 0
    if x == y: r += 1
    if x != y: r += 2
    if x is y: r += 4
    if x is not None: r += 8
    if x in (1,): r += 16
    return r
try: print(f(tf.constant(1), tf.constant(1)))
except Exception as e: print(type(e).__name__, e)
#: in_list
import tensorflow as tf
@tf.function
def f(x):
    if x in [1, 2]: return 1
    return 0
try: print(f(tf.constant(2)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def g(x):
    if 2 in x: return 1
    return 0
try: print(g(tf.constant([2, 3])))
except Exception as e: print(type(e).__name__, e)
#: assert_msgs
import tensorflow as tf
@tf.function
def f(x):
    assert x > 0, 'must be positive'
    return x
print(f(tf.constant(1)))
try: f(tf.constant(-1))
except Exception as e: print(type(e).__name__, e)
@tf.function
def g(x):
    assert x > 0, ('m', x)
    return x
try: g(tf.constant(-1))
except Exception as e: print(type(e).__name__, e)
@tf.function
def h(x):
    assert x.shape[0] == 3, 'shape!'
    return x
try: h(tf.constant([1]))
except Exception as e: print(type(e).__name__, e)
#: print_forms
import tensorflow as tf, sys
@tf.function
def f(x):
    print('a', x, 3)
    tf.print('b', x, [x, {'k': x}], sep='|', end='!\n', output_stream=sys.stdout)
    tf.print(tf.range(20), summarize=2, output_stream=sys.stdout)
    tf.print('s: %d' % 3, output_stream=sys.stdout)
    if x > 0:
        print('in if')
        tf.print('pos', output_stream=sys.stdout)
    else:
        print('in else')
        tf.print('neg', output_stream=sys.stdout)
    for i in tf.range(2):
        print('loop', i)
        tf.print('i', i, output_stream=sys.stdout)
f(tf.constant(1)); f(tf.constant(-1))
#: list_append_py
import tensorflow as tf
@tf.function
def f(x):
    l = []
    for i in range(3): l.append(x * i)
    return tf.stack(l), l[-1], len(l), l
print(f(tf.constant(2)))
@tf.function
def g(x):
    l = []
    for i in tf.range(3): l.append(x * i)
    return l
try: print(g(tf.constant(2)))
except Exception as e: print(type(e).__name__, e)
#: list_pop_ag
import tensorflow as tf
@tf.function
def f(x):
    l = [x, x+1]
    a = l.pop()
    l.insert(0, a)
    l.extend([x, x])
    l[1] = a * 10
    del l[0]
    return l, [y * 2 for y in l], {k: v for k, v in enumerate(l)}
print(f(tf.constant(2)))
#: dict_state_while
import tensorflow as tf
@tf.function
def f(n):
    s = {'a': 0, 'b': [1, tf.constant(2.)]}
    i = 0
    while i < n:
        s = {'a': s['a'] + i, 'b': [s['b'][0] * 2, s['b'][1] + 0.5]}
        i += 1
    return s
print(f(tf.constant(4)))
@tf.function
def g(n):
    s = {'a': 0}
    for i in tf.range(n): s['a'] += i
    return s
print(g(tf.constant(4)))
@tf.function
def h(n):
    t = (0, 1)
    for _ in tf.range(n): t = (t[1], t[0] + t[1])
    return t
print(h(tf.constant(10)))
#: dict_new_key
import tensorflow as tf
@tf.function
def g(n):
    s = {}
    for i in tf.range(n): s['a'] = i
    return s
try: print(g(tf.constant(4)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def h(n):
    s = {}
    if n > 0: s['a'] = n
    else: s['a'] = -n
    return s
try: print(h(tf.constant(4)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def k(n):
    s = {}
    if n > 0: s['a'] = n
    else: s['b'] = -n
    return s
try: print(k(tf.constant(4)))
except Exception as e: print(type(e).__name__, e)
#: tensor_array_ag
import tensorflow as tf
@tf.function
def f(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        ta = ta.write(i, i * i)
    return ta.stack(), ta.size()
print(f(tf.constant(5)))
@tf.function
def g(x):
    ta = tf.TensorArray(tf.float32, size=3, element_shape=[])
    i = 0
    for v in x:
        ta = ta.write(i, v + ta.read(0) if i > 0 else v)
        i += 1
    return ta.concat() if False else ta.gather([0, 2])
try: print(g(tf.constant([1., 2., 3.])))
except Exception as e: print(type(e).__name__, e)
#: zip_enumerate
import tensorflow as tf
@tf.function
def f(x, y):
    s = 0
    for a, b in zip(x, y): s += a * b
    for i, a in enumerate(x): s += i * a
    for i, (a, b) in enumerate(zip(x, y)): s += i * a - b
    for a in map(lambda q: q * 2, x): s += a
    for a in filter(lambda q: q > 1, [1, 2, 3]): s += a
    for a in reversed([1, 2, 3]): s = s * 2 + a
    return s
try: print(f(tf.constant([1,2]), tf.constant([3,4])))
except Exception as e: print(type(e).__name__, e)
@tf.function
def g(x):
    s = 0
    for i, a in enumerate(x): s += i * a
    return s
print(g(tf.constant([1,2,3])))
#: try_with_lambda
import tensorflow as tf, contextlib
@contextlib.contextmanager
def ctx(a):
    print('enter', a); yield a * 2; print('exit')
@tf.function
def f(x):
    try:
        with ctx(1) as c, tf.name_scope('sc'):
            y = x * c
            if x > 0: y = y + 1
        if x > 100: raise ValueError('no')
    except KeyError: y = 0
    finally: print('finally')
    g = lambda q: q + y if q > 0 else q - y
    return g(x), [g(i) for i in (1, -1)], y.name
try: print(f(tf.constant(2)))
except Exception as e: print(type(e).__name__, e)
#: raise_in_cond
import tensorflow as tf
@tf.function
def f(x):
    if x > 0: raise ValueError('no')
    return x
try: print(f(tf.constant(2)))
except Exception as e: print(type(e).__name__, e)
#: methods_inherit
import tensorflow as tf
class A:
    def __init__(self): self.k = 2
    def step(self, x):
        if x > 0: return x * self.k
        return x
    @tf.function
    def run(self, x): return self.step(x)
    @staticmethod
    def st(x): return x if x > 0 else -x
    @classmethod
    def cl(cls, x): return x if x > 0 else -x * 2
    @property
    def p(self): return self.k
class B(A):
    def step(self, x):
        y = super().step(x)
        while y < 10: y += self.p
        return y + self.st(-x) + self.cl(-x)
b = B()
print(A().run(tf.constant(3)), b.run(tf.constant(3)), B().run(tf.constant(-30)))
b.k = 3
print(b.run(tf.constant(3)))
#: closure_nonlocal
import tensorflow as tf
@tf.function
def f(x):
    c = tf.constant(0)
    def add(v):
        nonlocal c
        if v > 1: c += v
        else: c -= v
    add(x); add(x * 2)
    return c
print(f(tf.constant(1)))
G = 5
@tf.function
def g(x):
    global G
    G += 1
    return x + G
print(g(tf.constant(1)), g(tf.constant(1)), G)
#: args_kwargs
import tensorflow as tf
@tf.function
def f(a, *args, b=2, **kw):
    print(type(args).__name__, type(kw).__name__, sorted(kw))
    return a + sum(args) + b + sum(kw.values())
print(f(1, 2, 3)); print(f(tf.constant(1), tf.constant(2), b=tf.constant(3), z=4, y=tf.constant(5)))
print(f(1, 2, 3, c=1)); print(f(1, b=3))
def helper(*a, k=1, **kw):
    if a[0] > 0: return a[0] + k
    return a[0] - k
@tf.function
def g(*a, **k): return helper(*a, **k)
print(g(tf.constant(1), k=5), g(tf.constant(-1)))
for c in (lambda: f(), lambda: g(1, k=2, q=3), lambda: f(b=1)):
    try: print(c())
    except Exception as e: print(type(e).__name__, e)
#: side_effects_retrace
import tensorflow as tf, numpy as np
L = []
@tf.function
def f(x, y=None):
    L.append(1); print('Tracing', x, y)
    return x
f(1); f(1); f(2); f(tf.constant(1)); f(np.array(3)); f(np.array([3])); f(tf.constant(1.)); f([1, 2]); f([1, 2]); f((1, 2)); f({'a': 1}); f({'a': 1}); f({'b': 1})
f(1, y=2); f(1, 2); f(1, y=tf.constant(1)); f(np.float32(3)); f(np.float32(4)); f(True); f('s'); f(b's'); f(None)
print(len(L), f.experimental_get_tracing_count())
#: var_first_call
import tensorflow as tf
class L(tf.Module):
    def __init__(self): super().__init__(); self.v = None
    @tf.function
    def __call__(self, x):
        if self.v is None: self.v = tf.Variable(tf.ones([x.shape[-1], 2]), name='k')
        return x @ self.v
l = L()
print(l(tf.ones([1, 3])), l(tf.ones([2, 3])).shape, l.v.name, [v.name for v in l.variables])
@tf.function
def f(x):
    v = tf.Variable(1.0); return v + x
try: f(1.)
except Exception as e: print(type(e).__name__, e)
vs = []
@tf.function
def g(x):
    if not vs: vs.append(tf.Variable(x * 2.0))
    return vs[0].assign_add(x)
print(g(tf.constant(1.)), g(tf.constant(1.)))
@tf.function
def h(x):
    if len(ws) < 2: ws.append(tf.Variable(1.))
    return ws[-1] + x
ws = []
print(h(tf.constant(1.)))
try: h(tf.constant([1.]))
except Exception as e: print(type(e).__name__, e)
#: control_deps
import tensorflow as tf
v = tf.Variable(1.)
@tf.function
def f(x):
    with tf.control_dependencies([v.assign_add(x)]):
        y = tf.identity(v)
    v.assign(v * 2)
    if x > 0: v.assign_sub(1.)
    for i in tf.range(3): v.assign_add(tf.cast(i, tf.float32))
    return y, v, v.read_value()
print(f(tf.constant(1.)), v)
#: custom_gradient
import tensorflow as tf
@tf.custom_gradient
def sq(x):
    def grad(up):
        return up * 100.0
    return x * x, grad
@tf.function
def f(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = sq(x)
        if x > 0: y = y * 2
    return y, t.gradient(y, x)
print(f(tf.constant(3.)), f(tf.constant(-3.)))
x = tf.constant(2.)
with tf.GradientTape() as t:
    t.watch(x)
    y = tf.function(lambda q: sq(q) + q)(x)
print(t.gradient(y, x))
w = tf.Variable(2.)
@tf.custom_gradient
def wv(x):
    y = x * w
    def grad(up, variables=None): return up * w, [up * 7. for _ in variables]
    return y, grad
@tf.function
def g(x):
    with tf.GradientTape() as t:
        t.watch(x); y = wv(x)
    return t.gradient(y, [x, w])
print(g(tf.constant(3.)))
#: tape_mixes
import tensorflow as tf
v = tf.Variable(3.)
@tf.function
def f(x):
    y = x
    while y < 100.: y = y * v
    return y
with tf.GradientTape() as t: y = f(tf.constant(2.))
print(y, t.gradient(y, v))
@tf.function
def g(x):
    with tf.GradientTape(persistent=True) as t:
        y = f(x) * v
        z = y * y
    return t.gradient(y, v), t.gradient(z, v), t.jacobian(tf.stack([y, z]), v)if False else t.gradient(z, v)
print(g(tf.constant(2.)))
@tf.function
def hh(x):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = x ** 3
        g = t1.gradient(y, x)
    return t2.gradient(g, x)
print(hh(tf.constant(2.)))
@tf.function
def jac(x):
    with tf.GradientTape() as t:
        t.watch(x); y = x * x
    return t.jacobian(y, x)
print(jac(tf.constant([1., 2.])))
@tf.function
def unconn(x):
    with tf.GradientTape() as t: y = x * 2
    return t.gradient(y, v), t.gradient(y, v, unconnected_gradients='zero') if False else None
try: print(unconn(tf.constant(1.)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def cond_grad(x):
    with tf.GradientTape() as t:
        t.watch(x)
        if x > 0: y = x * x
        else: y = -x
    return t.gradient(y, x)
print(cond_grad(tf.constant(3.)), cond_grad(tf.constant(-3.)))
@tf.function
def dsg(x): return tf.gradients(x * x + v, [x, v])
print(dsg(tf.constant(3.)))
#: while_eager
import tensorflow as tf
print(tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0))))
print(tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [0], maximum_iterations=2))
print(tf.while_loop(lambda d: d['i'] < 5, lambda d: [{'i': d['i'] + 2}], [{'i': tf.constant(0)}]))
@tf.function
def f(n):
    i, (a, b) = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, (t[1], t[0] + t[1])), (0, (0, 1)), parallel_iterations=1)
    r = tf.while_loop(lambda x: tf.shape(x)[0] < n, lambda x: [tf.concat([x, x], 0)], [tf.constant([1])], shape_invariants=[tf.TensorShape([None])])
    return i, a, b, r
print(f(tf.constant(10)))
for bad in (lambda x: tf.concat([x, x], 0), lambda x: tf.cast(x, tf.float32), lambda x: (x, x), lambda x: None):
    try: print(tf.function(lambda: tf.while_loop(lambda x: tf.reduce_sum(x) < 3, bad, [tf.constant([1])]))())
    except Exception as e: print(type(e).__name__, e)
try: tf.while_loop(3, lambda x: x, [1])
except Exception as e: print(type(e).__name__, e)
try: tf.while_loop(lambda: True, lambda: None, [])
except Exception as e: print(type(e).__name__, e)
#: errors_undefined
import tensorflow as tf
@tf.function
def f(x):
    if x > 0: y = 1
    return y
try: f(tf.constant(1))
except Exception as e: print(type(e).__name__, e)
@tf.function
def g(x):
    for i in tf.range(x): z = i
    return z
try: print(g(tf.constant(3)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def h(x):
    if x > 0: return 1
try: print(h(tf.constant(1)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def k(x):
    while x > 0:
        x -= 1
        w = x
    return w
try: print(k(tf.constant(1)))
except Exception as e: print(type(e).__name__, e)
#: errors_mismatch
import tensorflow as tf
def t(fn, *a):
    try: print(tf.function(fn)(*a))
    except Exception as e: print(type(e).__name__, e)
def a(x):
    if x > 0: y = 1
    else: y = 1.0
    return y
t(a, tf.constant(1))
def b(x):
    if x > 0: y = tf.ones(2)
    else: y = tf.ones(3)
    return y
t(b, tf.constant(1))
def c(x):
    y = 0
    while x > 0:
        y = 1.5
        x -= 1
    return y
t(c, tf.constant(1))
def d(x):
    y = tf.ones(1)
    for i in tf.range(x): y = tf.concat([y, y], 0)
    return y
t(d, tf.constant(2))
def e(x):
    y = tf.ones(1)
    for i in tf.range(x):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, y], 0)
    return y
t(e, tf.constant(2))
def g(x):
    if x > 0: y = None
    else: y = x
    return y
t(g, tf.constant(1))
def h(x):
    if x > 0: y = [x]
    else: y = [x, x]
    return y
t(h, tf.constant(1))
def i(x):
    if x > 0: y = 'a'
    else: y = x
    return y
t(i, tf.constant(1))
def j(x):
    y = (1, 2)
    while x > 0:
        y = (1, 2, 3); x -= 1
    return y
t(j, tf.constant(1))
def k(x):
    if x > 0: return x
    else: return 1.0
t(k, tf.constant(1))
def l(x):
    if x > 0: return x, x
    return x
t(l, tf.constant(1))
def m(x):
    if x: return 1
    return 2
t(m, tf.constant([1, 2])); t(m, tf.constant('a')); t(m, tf.constant(3)); t(m, tf.constant(0.0)); t(m, [tf.constant(1)])
def n(x):
    while x: x -= 1
    return x
t(n, tf.constant(3)); t(n, tf.constant([1, 2]))
#: errors_iterate
import tensorflow as tf
def t(fn, *a):
    try: print(tf.function(fn)(*a))
    except Exception as e: print(type(e).__name__, e)
def a(x):
    for i in x: pass
    return x
t(a, tf.constant(1)); t(a, tf.constant([1])); t(a, 1); t(a, None)
try: print(tf.function(a).get_concrete_function(tf.TensorSpec(None))(tf.ones(2)))
except Exception as e: print(type(e).__name__, e)
try: print(tf.function(a, autograph=False)(tf.constant([1])))
except Exception as e: print(type(e).__name__, e)
def b(x):
    if x > 0: return 1
    return 2
try: print(tf.function(b, autograph=False)(tf.constant(1)))
except Exception as e: print(type(e).__name__, e)
def c(x): return [i for i in x]
t(c, tf.constant([1, 2]))
def d(x):
    a, b = x
    return a + b
t(d, tf.constant([1, 2]))
def e(x): return sum(x), max(x), min(x), sorted(x), any(x), all(x), list(x)
t(e, [tf.constant(1), tf.constant(3)]) 
def g(x): return bool(x > 0)
t(g, tf.constant(1))
def h(x): return int(x), float(x)
t(h, tf.constant(1))
def i(x): return len(x), abs(-x), x[0], range(3)[1]
t(i, tf.constant([1, 2]))
def j(x): return int('3') + float('2') + len('abc') + abs(-3)
t(j, 1)
def k(x):
    x[0] = 1
    return x
t(k, tf.constant([1, 2]))
def l(x): return f'{x}', '%s' % x, str(x), x.numpy()
t(l, tf.constant([1, 2]))
def m(x): return x.foo
t(m, tf.constant([1, 2]))
#: generators
import tensorflow as tf
def gen(n):
    for i in range(n): yield i
@tf.function
def f(x):
    s = x
    for i in gen(3): s += i
    for i, j in zip(range(3), gen(2)): s += i * j
    s += sum(i for i in range(4))
    return s, list(gen(2)), [x * k for k in gen(3) if k]
print(f(tf.constant(1)))
#: try_paths
import tensorflow as tf
@tf.function
def f(x, d):
    try:
        y = d['missing']
    except KeyError:
        y = x * 2
    else:
        y = x
    finally:
        y = y + 1
    try:
        raise ValueError('abc')
    except ValueError as e:
        print(e)
    return y
print(f(tf.constant(1), {'a': 1}), f(tf.constant(1), {'missing': tf.constant(5)}))
@tf.function
def g(x):
    for i in tf.range(3):
        try:
            x = x + i
        except Exception: pass
    return x
print(g(tf.constant(1)))
@tf.function
def h(x):
    while x < 10:
        with tf.name_scope('a'):
            x = x * 2
            if x > 4: break
    return x
print(h(tf.constant(1)))
#: nested_functions_calls
import tensorflow as tf, functools
def deco(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k): return fn(*a, **k) + 1
    return wrapper
@deco
def inner(x):
    if x > 0: return x
    return -x
class K:
    def __call__(self, x):
        if x > 0: return x * 2
        return x
    def __getitem__(self, i): return i * 3
    def __len__(self): return 7
    def __iter__(self): return iter([1, 2])
    def __contains__(self, q): return True
    def __enter__(self): return 5
    def __exit__(self, *a): return False
k = K()
@tf.function
def f(x):
    p = functools.partial(inner, x=x)
    with k as five: x = x + five
    return inner(x), p(), k(x), k[x], len(k), [q for q in k], 3 in k, (lambda y, z=2: y * z if y > 0 else z)(x), map(inner, [x]), functools.reduce(lambda a, b: a + b if a > b else a - b, [x, x * 2, x * 3])
r = f(tf.constant(-3)); print(r[:8], r[9])
#: while_conditions
import tensorflow as tf
@tf.function
def f(x, n):
    i = 0
    while i < n and x < 100: x *= 2; i += 1
    while not (x < 10 or i > 20): x //= 2; i += 1
    while (i > 0) if n > 2 else (i > 5): i -= 1
    return x, i
print(f(tf.constant(1), tf.constant(5)), f(tf.constant(3), tf.constant(1)))
@tf.function
def g(x):
    while tf.reduce_any(x > 0):
        x = tf.where(x > 0, x - 1, x)
    return x
print(g(tf.constant([1, 3, -1])))
@tf.function
def h():
    i = tf.constant(0)
    while True:
        i += 1
        if i >= 5: return i
print(h())
#: python_control
import tensorflow as tf
@tf.function
def f(x, flag, n=3, mode='a'):
    if flag: x += 1
    elif mode == 'a': x += 2
    else: x += 3
    for i in range(n):
        if i == 1: continue
        if i > 3: break
        x *= i + 1
    while n: n -= 1; x += n
    if x.shape.rank == 0 and flag is True: x = x + 100
    assert isinstance(x, tf.Tensor)
    return x if mode else None
print(f(tf.constant(1), True), f(tf.constant(1), False, 5), f(tf.constant(1), False, mode=''), f(tf.constant(1), None, mode='b'))
#: loops_over
import tensorflow as tf, numpy as np, collections
@tf.function
def f(x):
    a = b = c = 0
    for k, v in {'p': x, 'q': 2}.items(): a += v
    for v in (x, x + 1): b += v
    for i in range(len([1, 2])): c += i
    for i in np.arange(3): c += int(i)
    for i in tf.range(1, 10, 3): c += i
    for i in tf.range(10, 0, -4): c += i
    for r in tf.constant([[1, 2], [3, 4]]): c += tf.reduce_sum(r)
    for i in tf.linspace(0., 1., 3): a += tf.cast(i * 2, tf.int32)
    return a, b, c
print(f(tf.constant(5)))
@tf.function
def g(x):
    for i in tf.range(3):
        x += i
    return x, i
print(g(tf.constant(1)))
@tf.function
def h(n):
    s = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if j > 2: break
            s += j
        else: s += 100
    return s
try: print(h(tf.constant(5)))
except Exception as e: print(type(e).__name__, e)
@tf.function
def k(t):
    out = tf.zeros([0], t.dtype)
    for v in t:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(out, tf.TensorShape([None]))], parallel_iterations=1, maximum_iterations=2)
        out = tf.concat([out, [v]], 0)
    return out
print(k(tf.constant([1, 2, 3])))
@tf.function
def e(s):
    n = 0
    for c in tf.strings.bytes_split(s): n += 1 if c == 'a' else 0
    return n
print(e(tf.constant('banana')))
#: slices_assign
import tensorflow as tf
@tf.function
def f(x, n):
    l = [x, x]
    l[0] = x * 5
    if n > 0: l[1] = n
    else: l[1] = n * 100
    return l
print(f(tf.constant(1), tf.constant(-2)))
class O: pass
o = O(); o.v = 1
@tf.function
def g(x):
    o.v = x
    if x > 0: o.v = x + 1
    while o.v < 5: o.v = o.v * 2
    return o.v
print(g(tf.constant(1)))
@tf.function
def h(x):
    x[0].assign(5.) if False else None
    y = x[1:] 
    y *= 2
    return y[..., tf.newaxis], x[::-1], x[-1], x[:2, None] if x.shape.rank > 1 else x
print(h(tf.constant([1, 2, 3])))
v = tf.Variable([1., 2., 3.])
@tf.function
def k(i):
    if i > 0: v[i].assign(10.)
    else: v[0].assign(-1.)
    return v + 0.
print(k(tf.constant(1)), k(tf.constant(0)))
#: random_flow
import tensorflow as tf
tf.random.set_seed(1)
g = tf.random.Generator.from_seed(3)
@tf.function
def f(n):
    a = tf.TensorArray(tf.float32, n)
    for i in tf.range(n): a = a.write(i, g.normal([]))
    return a.stack()
print(f(3))
@tf.function
def h(n):
    s = 0.
    for i in tf.range(n): s += tf.random.stateless_uniform([], [i, 2])
    return s
print(h(3))
@tf.function
def k(x):
    if x > 0: return tf.random.uniform([], seed=5)
    return tf.random.uniform([], seed=6)
print(k(1), k(tf.constant(-1)), k(tf.constant(1)))
#: none_structures
import tensorflow as tf
@tf.function
def f(a, b=None, c=(None, 1)):
    print('t', a, b, c)
    if b is None: return a
    return a, b, c
print(f(None)); print(f(tf.constant(1), [None, {'x': None}])); print(f({'k': (tf.constant(1), None)}, c=None)); print(f([], {}, ()))
print(f.experimental_get_tracing_count())
@tf.function
def g(x):
    y = None
    if x > 0: y = x
    else: y = -x
    return y
print(g(tf.constant(-1)))
@tf.function
def h(x):
    y = None
    for i in tf.range(x): y = i
    return y
try: print(h(tf.constant(3)))
except Exception as e: print(type(e).__name__, e)
#: do_not_convert
import tensorflow as tf
@tf.autograph.experimental.do_not_convert
def raw(x): return 1 if x is not None else 2
@tf.function
def f(x): return raw(x) + x
print(f(tf.constant(1)))
@tf.autograph.experimental.do_not_convert
def bad(x):
    if x > 0: return 1
    return 2
@tf.function
def g(x): return bad(x)
try: g(tf.constant(1))
except Exception as e: print(type(e).__name__, e)
print(tf.autograph.to_graph(lambda x: x + 1)(1) if False else '', tf.autograph.to_code(raw)[:30] if False else '')
@tf.function(autograph=False)
def h(x): return tf.cond(x > 0, lambda: x, lambda: -x)
print(h(tf.constant(-4)))
#: loop_of_variables
import tensorflow as tf
v = tf.Variable(0); w = tf.Variable([1, 2])
@tf.function
def f(x):
    while v < x: v.assign_add(10)
    return tf.identity(v)
print(f(50), v.numpy())
@tf.function
def g():
    for i in tf.range(3): v.assign_add(i)
    while tf.reduce_sum(w) < 20:
        if v > 0: w.assign_add([1, 1])
        else: break
    for _ in tf.range(2):
        while v > 40: v.assign_sub(5)
print(g(), v.numpy(), w.numpy())
@tf.function
def h(q):
    while q.size() > 0: tf.print('took', q.dequeue())
q = tf.queue.FIFOQueue(5, tf.int32, shapes=[[]])
for i in range(3): q.enqueue(i)
h(q) if False else None
@tf.function
def k():
    while q.size() > 0: v.assign_add(q.dequeue())
    return v.read_value()
print(k(), q.size().numpy())
@tf.function
def e(x):
    while x > 0: pass
print(e(tf.constant(-1)))
#: loop_and_branch_texts
import tensorflow as tf
def t(fn, *a):
    try: print(tf.function(fn)(*a))
    except Exception as e: print(type(e).__name__, e)
x = tf.constant([1])
t(lambda: tf.while_loop(lambda i: tf.reduce_sum(i) < 3, lambda i: (i, i), [x]))
t(lambda: tf.while_loop(lambda i: tf.reduce_sum(i) < 3, lambda i: None, [x]))
t(lambda: tf.while_loop(lambda i, j: tf.reduce_sum(i) < 3, lambda i, j: i, [x, x]))
t(lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, {'b': j['a']}], [0, {'a': x}]))
t(lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, (j[0], j[0])), [0, [x, x]]))
t(lambda: tf.cond(x[0] > 0, lambda: x, lambda: (x, x)))
t(lambda: tf.cond(x[0] > 0, lambda: (x, x, x), lambda: x))
t(lambda: tf.cond(x[0] > 0, lambda: [x, x], lambda: (x, x)))
t(lambda: tf.cond(x[0] > 0, lambda: [x, None], lambda: [x, x]))
t(lambda: tf.cond(x[0] > 0, lambda: {'a': x}, lambda: {'b': x}))
