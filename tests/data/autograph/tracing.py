#: tracing_python_ints
import tensorflow as tf

traces = []
@tf.function
def f(x, n):
    traces.append(n)
    return x * n
for n in (1, 2, 1, True, 1.0, 2, tf.constant(1), tf.constant(5), None and 1 or 3):
    print(f(tf.constant(2.), tf.cast(n, tf.float32) if isinstance(n, tf.Tensor) else n))
print(len(traces), f.experimental_get_tracing_count())

#: tracing_none_and_strings
import tensorflow as tf

count = 0
@tf.function
def f(x=None, mode='a'):
    global count
    count += 1
    if x is None:
        return tf.constant(mode)
    return tf.strings.as_string(x) + mode
print(f(), f(None), f(None, 'a'), f(mode='a'), f(mode='b'), f(tf.constant(1)), f(x=tf.constant(2), mode='a'))
print(count)

#: tracing_kwargs_and_defaults
import tensorflow as tf

seen = []
@tf.function
def f(a, b=2, *args, c=3, **kw):
    seen.append((b, len(args), c, sorted(kw)))
    return a + b + c + sum(args) + sum(kw.values())
x = tf.constant(1)
print(f(x), f(x, 2), f(x, b=2), f(b=2, a=x), f(x, 2, 3), f(x, 2, c=3), f(x, d=4), f(x, d=4, e=5), f(x, e=5, d=4))
for one in seen:
    print(one)
try:
    f()
except TypeError as error:
    print(type(error).__name__, error)
try:
    f(x, a=x)
except TypeError as error:
    print(type(error).__name__, error)

#: tracing_shapes
import tensorflow as tf

shapes = []
@tf.function
def f(x):
    shapes.append(str(x.shape))
    return tf.reduce_sum(x)
for n in (1, 2, 3, 4):
    print(f(tf.zeros([n])).numpy(), f.experimental_get_tracing_count())
print(f(tf.zeros([2, 2])).numpy(), f(tf.zeros([3, 2])).numpy(), f(tf.zeros([4, 3])).numpy())
print(shapes)

#: tracing_reduce_retracing
import tensorflow as tf

shapes = []
@tf.function(reduce_retracing=True)
def f(x):
    shapes.append(str(x.shape))
    return tf.reduce_sum(x)
for n in (1, 2, 3, 4):
    f(tf.zeros([n]))
f(tf.zeros([2, 2]))
f(tf.zeros([2, 3]))
f(tf.zeros([5, 3]))
print(shapes, f.experimental_get_tracing_count())

#: tracing_reduce_retracing_nested
import tensorflow as tf

shapes = []
@tf.function(reduce_retracing=True)
def f(d, n):
    shapes.append((str(d['a'].shape), str(d['b'][0].shape), n))
    return tf.reduce_sum(d['a']) + tf.reduce_sum(d['b'][0]) * n
for k in (1, 2, 3):
    f({'a': tf.zeros([k, 2]), 'b': (tf.zeros([k]),)}, 1.)
f({'a': tf.zeros([4, 2]), 'b': (tf.zeros([3]),)}, 2.)
print(shapes)

#: tracing_relax_shapes
import tensorflow as tf

shapes = []
@tf.function(experimental_relax_shapes=True)
def f(x):
    shapes.append(str(x.shape))
    return x
f(tf.zeros([1])), f(tf.zeros([2])), f(tf.zeros([3]))
print(shapes)

#: tracing_input_signature
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
def f(x, n):
    return x * tf.cast(n, tf.float32)
print(f([1., 2.], 3), f(tf.constant([1.]), tf.constant(2)), f(x=[1.], n=2))
print(f.input_signature)
for args in (([[1.]], 1), ([1.], 1.5), ([1.],), ([1.], 1, 2), (tf.constant([1]), 1), ('a', 1)):
    try:
        print(f(*args))
    except Exception as error:
        print(type(error).__name__, error)
print(f.experimental_get_tracing_count())

#: tracing_input_signature_nested
import tensorflow as tf

@tf.function(input_signature=[{'a': tf.TensorSpec([], tf.int32), 'b': [tf.TensorSpec([2], tf.float32)]}])
def f(d):
    return d['b'][0] + tf.cast(d['a'], tf.float32)
print(f({'a': 1, 'b': [[1., 2.]]}))
for arg in ({'a': 1}, {'a': 1, 'b': ([1., 2.],)}, [1], {'a': 1, 'b': [[1.]]}):
    try:
        print(f(arg))
    except Exception as error:
        print(type(error).__name__, error)

#: tracing_input_signature_defaults
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def f(x, k=2.):
    return x * k
print(f(3.))
try:
    print(f(3., 4.))
except Exception as error:
    print(type(error).__name__, error)
try:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)] * 2)
    def g(x):
        return x
    g(1., 2.)
except Exception as error:
    print(type(error).__name__, error)
try:
    @tf.function(input_signature=tf.TensorSpec([], tf.float32))
    def h(x):
        return x
    print(h(1.))
except Exception as error:
    print(type(error).__name__, error)

#: tracing_namedtuple
import collections
import tensorflow as tf

P = collections.namedtuple('P', 'x y')
Q = collections.namedtuple('Q', 'x y')
count = 0
@tf.function
def f(p):
    global count
    count += 1
    return p._replace(x=p.x + p.y)
print(f(P(tf.constant(1), tf.constant(2))))
print(f(P(tf.constant(3), tf.constant(2))))
print(f(P(tf.constant(3), 2)))
print(f(Q(tf.constant(3), tf.constant(2))))
print(count)

#: tracing_dataclass
import dataclasses
import tensorflow as tf

@dataclasses.dataclass(frozen=True)
class Config:
    n: int
    name: str = 'c'
count = 0
@tf.function
def f(x, c):
    global count
    count += 1
    return x * c.n
print(f(tf.constant(2), Config(3)), f(tf.constant(2), Config(3)), f(tf.constant(2), Config(4)), count)

#: tracing_plain_objects
import tensorflow as tf

class Thing:
    def __init__(self, k):
        self.k = k
count = 0
@tf.function
def f(x, t):
    global count
    count += 1
    return x * t.k
a, b = Thing(2), Thing(2)
print(f(tf.constant(1), a), f(tf.constant(1), a), f(tf.constant(1), b), count)
a.k = 5
print(f(tf.constant(1), a), count)
class Equal:
    def __init__(self, k):
        self.k = k
    def __eq__(self, other):
        return isinstance(other, Equal) and self.k == other.k
    def __hash__(self):
        return hash(self.k)
print(f(tf.constant(1), Equal(7)), f(tf.constant(1), Equal(7)), f(tf.constant(1), Equal(8)), count)

#: tracing_nested_structures
import collections
import tensorflow as tf

count = 0
@tf.function
def f(s):
    global count
    count += 1
    return tf.nest.map_structure(lambda v: v + 1, s)
t = tf.constant
print(f([t(1), (t(2), {'k': t(3)})]))
print(f([t(4), (t(5), {'k': t(6)})]))
print(f((t(4), [t(5), {'k': t(6)}])))
print(f(collections.OrderedDict(b=t(1), a=t(2))))
print(f({'b': t(1), 'a': t(2)}))
print(f({'a': t(1), 'b': 2}))
print(f([]), f({}), f(()))
print(count)

#: tracing_ragged_and_sparse
import tensorflow as tf

count = 0
@tf.function
def f(x):
    global count
    count += 1
    if isinstance(x, tf.RaggedTensor):
        return x * 2
    return tf.sparse.map_values(tf.multiply, x, 3)
print(f(tf.ragged.constant([[1], [2, 3]])))
print(f(tf.ragged.constant([[1, 5, 6], [2]])))
print(f(tf.ragged.constant([[1], [2], []])))
print(tf.sparse.to_dense(f(tf.sparse.from_dense([[1, 0], [0, 2]]))))
print(tf.sparse.to_dense(f(tf.sparse.from_dense([[1, 0, 0], [0, 2, 4]]))))
print(count)

#: tracing_numpy
import numpy as np
import tensorflow as tf

count = 0
@tf.function
def f(x):
    global count
    count += 1
    return x + 1
print(f(np.float32(1)), f(np.float32(2)), f(np.array([1, 2])), f(np.array([3, 4])), f(np.int64(4)), f(np.bool_(True)) if False else '')
print(count, f.experimental_get_tracing_count())

#: tracing_variable_arguments
import tensorflow as tf

count = 0
@tf.function
def f(v, x):
    global count
    count += 1
    v.assign_add(x)
    return v.read_value()
a, b = tf.Variable(1.), tf.Variable(2.)
print(f(a, 1.), f(b, 1.), f(a, 1.), f(a, tf.constant(2.)), f(b, tf.constant(2.)), count)
@tf.function
def g(u, v):
    return u + v
print(g(a, b), g(a, a), g.experimental_get_tracing_count())

#: tracing_variables_made
import tensorflow as tf

@tf.function
def f(x):
    v = tf.Variable(1.)
    return v + x
try:
    print(f(1.))
except ValueError as error:
    print(type(error).__name__, str(error).split('\n')[-1] or str(error).split('\n')[-2])
v = None
@tf.function
def g(x):
    global v
    if v is None:
        v = tf.Variable(x * 2)
    return v + x
print(g(tf.constant(1.)), g(tf.constant(3.)), v.numpy())
class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = None
    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([x.shape[-1], 2]), name='w')
        return x @ self.w
m, n = M(), M()
print(m(tf.ones([1, 3])), n(tf.ones([1, 2])), len(m.trainable_variables), m.w.name, m.w.shape)
u = None
@tf.function
def h(x):
    global u
    if u is None:
        u = tf.Variable(0.)
    u.assign_add(x)
    return u
print(h(1.), h(1.), h(2.))

#: tracing_methods
import gc
import weakref
import tensorflow as tf

class A:
    count = 0
    def __init__(self, k):
        self.k = k
    @tf.function
    def f(self, x):
        A.count += 1
        return x * self.k
a, b = A(2), A(3)
print(a.f(tf.constant(1)), b.f(tf.constant(1)), a.f(tf.constant(5)), A.count)
print(a.f is a.f, A.f is A.f, a.f.experimental_get_tracing_count(), b.f.experimental_get_tracing_count())
print(A.f(a, tf.constant(3)), A.count)
dead = weakref.ref(a)
del a
gc.collect()
print(dead() is None)

#: tracing_weak_arguments
import gc
import weakref
import tensorflow as tf

class T:
    pass
@tf.function
def f(x, t):
    return x
t = T()
f(tf.constant(1), t)
w = weakref.ref(t)
del t
gc.collect()
print(w() is None)
print(f(tf.constant(1), T()), f.experimental_get_tracing_count())

#: tracing_static_and_class_methods
import tensorflow as tf

class A:
    k = 3
    @classmethod
    def make(cls, x):
        return x * cls.k
    @staticmethod
    def plus(x):
        return x + 1
    go = staticmethod(tf.function(lambda x: x - 1))
print(tf.function(A.make)(tf.constant(2)), tf.function(A.plus)(tf.constant(2)), A.go(tf.constant(2)), A().go(tf.constant(2)))

#: tracing_decorators
import functools
import tensorflow as tf

def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        print('call', fn.__name__)
        return fn(*args, **kwargs)
    return wrapper
@tf.function
@logged
def f(x):
    if x > 0:
        return x
    return -x
print(f(tf.constant(-3)), f(tf.constant(3)), f.__name__)
@logged
@tf.function
def g(x):
    return x + 1
print(g(tf.constant(1)), g(tf.constant(2)), g.__name__)

#: tracing_partial
import functools
import tensorflow as tf

def add(a, b, c=1):
    return a * 100 + b * 10 + c
f = tf.function(functools.partial(add, c=5))
print(f(tf.constant(1), tf.constant(2)), f(tf.constant(1), b=tf.constant(2)))
g = tf.function(functools.partial(add, tf.constant(7)))
print(g(tf.constant(1)), g(tf.constant(1), c=9))
h = functools.partial(tf.function(add), b=3)
print(h(tf.constant(1)), h(tf.constant(2), c=2))

#: tracing_callable_objects
import tensorflow as tf

class Scale:
    def __init__(self, k):
        self.k = k
    def __call__(self, x):
        if x > 0:
            return x * self.k
        return x
f = tf.function(Scale(3))
print(f(tf.constant(2)), f(tf.constant(-2)))
print(tf.function(lambda x, y=2: x * y)(tf.constant(4)))

#: tracing_attributes
import tensorflow as tf

@tf.function
def f(x, k=2):
    """Doc of f."""
    return x * k
print(f.__name__, f.__doc__, f.python_function.__name__, f.python_function(3), f.input_signature, f.__wrapped__ is f.python_function)
print(f.function_spec.fullargspec.args if hasattr(f, 'function_spec') else None)
print(f.function_spec.fullargspec, f.__qualname__, f.__module__)
g = tf.function(f.python_function, autograph=False, name='other')
print(g(tf.constant(3)), g.__name__)
print(repr(f).split(' at ')[0].split('0x')[0])

#: tracing_function_of_function
import tensorflow as tf

@tf.function
def f(x):
    return x + 1
g = tf.function(f)
print(g(tf.constant(1)), f.experimental_get_tracing_count(), g.experimental_get_tracing_count())

#: tracing_jit_compile
import tensorflow as tf

@tf.function(jit_compile=True)
def f(x):
    s = 0
    for i in tf.range(3):
        s += i
    return x + tf.cast(s, x.dtype)
print(f(tf.constant(1.)), f.jit_compile, f.experimental_get_tracing_count())

#: tracing_follow_type_hints
import tensorflow as tf

count = 0
@tf.function(experimental_follow_type_hints=True)
def f(x: tf.Tensor, k: int = 3):
    global count
    count += 1
    return x * k
print(f(1), f(2), f(3, 4), count)

#: tracing_implements
import tensorflow as tf

@tf.function(experimental_implements='my.relu')
def f(x):
    return tf.maximum(x, 0.)
print(f(tf.constant([-1., 2.])))

#: tracing_autograph_options
import tensorflow as tf

@tf.function(autograph=True, experimental_autograph_options=tf.autograph.experimental.Feature.EQUALITY_OPERATORS)
def f(x):
    if x == 1:
        return 'one'
    return 'other'
print(f(tf.constant(1)), f(tf.constant(2)))

#: tracing_run_functions_eagerly
import tensorflow as tf

@tf.function
def f(x):
    print('python', x)
    if x > 0:
        return x
    return -x
tf.config.run_functions_eagerly(True)
print(tf.config.functions_run_eagerly(), f(tf.constant(-1)), f(tf.constant(2)))
tf.config.run_functions_eagerly(False)
print(f(tf.constant(-1)), f(tf.constant(2)), f.experimental_get_tracing_count())

#: tracing_globals_and_closures
import tensorflow as tf

scale = 2
t = tf.constant(10)
@tf.function
def f(x):
    return x * scale + t
print(f(tf.constant(1)))
scale = 3
t = tf.constant(20)
print(f(tf.constant(1)), f(tf.constant(1.) if False else tf.constant([1])))

#: tracing_closures_change
import tensorflow as tf

def make():
    k = 1
    @tf.function
    def f(x):
        return x * k
    def bump():
        nonlocal k
        k += 1
    return f, bump
f, bump = make()
print(f(tf.constant(5)))
bump()
print(f(tf.constant(5)), f(tf.constant(5.) * 0 + 5 if False else tf.constant([5])))

#: tracing_many_warns
import tensorflow as tf

@tf.function
def f(n):
    return n
for i in range(7):
    f(i)
print(f.experimental_get_tracing_count())

#: tracing_function_in_loop_warns
import tensorflow as tf

def plus(x):
    return x + 1
for i in range(7):
    tf.function(plus)(tf.constant(i))
print('done')

#: tracing_outputs
import collections
import tensorflow as tf

P = collections.namedtuple('P', 'a b')
@tf.function
def f(x):
    return {'t': x, 'l': [x, (x + 1, None)], 'n': 3, 's': 'text', 'p': P(x, 2.5), 'f': True}
out = f(tf.constant(1))
print(type(out), type(out['l']), type(out['p']).__name__, out)
@tf.function
def g():
    pass
print(g())
@tf.function
def h():
    return 1, [2.5], 'a', None
print(h())
@tf.function
def k(x):
    return lambda: x
try:
    print(k(tf.constant(1)))
except Exception as error:
    print(type(error).__name__, str(error).split(' at ')[0].split('0x')[0])
@tf.function
def o(x):
    return object()
try:
    o(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error).split('0x')[0])

#: tracing_errors_leave_no_trace
import tensorflow as tf

bad = True
@tf.function
def f(x):
    if bad:
        raise ValueError('bad')
    return x
try:
    f(tf.constant(1))
except ValueError as error:
    print(str(error).split('\n')[-1])
bad = False
print(f(tf.constant(1)), f.experimental_get_tracing_count())

#: tracing_recursion
import tensorflow as tf

@tf.function
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
print(fact(5), fact.experimental_get_tracing_count())

#: tracing_leaked_tensor
import tensorflow as tf

kept = []
@tf.function
def f(x):
    kept.append(x + 1)
    return x
f(tf.constant(1))
try:
    print(kept[0] + 1)
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def g(x):
    return x + kept[0]
try:
    g(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: tracing_generator_argument
import tensorflow as tf

@tf.function
def f(xs):
    s = 0
    for x in xs:
        s += x
    return s
print(f(range(4)), f(iter([1, 2])) if False else '', f([1, 2, 3]), f((1, 2)), f.experimental_get_tracing_count())

#: tracing_unhashable
import tensorflow as tf

@tf.function
def f(x, s):
    return x + len(s)
for arg in ({1, 2}, bytearray(b'ab'), frozenset([1]), b'bytes', slice(1, 2), Ellipsis):
    try:
        print(f(tf.constant(1), arg) if not isinstance(arg, slice) and arg is not Ellipsis else tf.function(lambda a, b: a[b])(tf.constant([1, 2, 3]), arg))
    except Exception as error:
        print(type(error).__name__, error)

#: tracing_types_as_arguments
import tensorflow as tf

count = 0
@tf.function
def f(x, dtype, shape):
    global count
    count += 1
    return tf.cast(tf.reshape(x, shape), dtype)
print(f(tf.constant([1, 2]), tf.float32, [2, 1]), f(tf.constant([1, 2]), tf.float32, (2, 1)), f(tf.constant([1, 2]), tf.int64, tf.TensorShape([1, 2])))
print(f(tf.constant([3, 4]), tf.float32, [2, 1]), count)

#: tracing_functions_as_arguments
import tensorflow as tf

count = 0
@tf.function
def apply(fn, x):
    global count
    count += 1
    return fn(x)
def twice(x):
    return x * 2
print(apply(twice, tf.constant(1)), apply(twice, tf.constant(2)), apply(tf.nn.relu, tf.constant(-1.)), apply(lambda x: x, tf.constant(1)), apply(lambda x: x, tf.constant(1)), count)

#: tracing_dataset_arguments
import tensorflow as tf

count = 0
@tf.function
def f(ds):
    global count
    count += 1
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += x
    return s
print(f(tf.data.Dataset.range(4)), f(tf.data.Dataset.range(5)))
it = iter(tf.data.Dataset.range(4))
@tf.function
def g(it):
    return next(it) + next(it)
print(g(it), g(it))
try:
    g(it)
except Exception as error:
    print(type(error).__name__)

#: tracing_get_concrete
import tensorflow as tf

count = 0
@tf.function
def f(x, k=2):
    global count
    count += 1
    return x * k
a = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
b = f.get_concrete_function(tf.TensorSpec([None], tf.float32, name='x'), 3)
c = f.get_concrete_function(tf.constant([1., 2.]))
print(a(tf.constant([1., 2.])), b(tf.constant([1.])), c(tf.constant([3., 4.])), count)
print(f(tf.constant([5.])), count)
for args in (([1.],), (tf.constant([1]),), (tf.constant([[1.]]),), (), (tf.constant([1.]), 5), (tf.constant([1.]), tf.constant(5))):
    try:
        print(a(*args))
    except Exception as error:
        print(type(error).__name__, error)
try:
    print(a(x=tf.constant([2.])), a(y=tf.constant([2.])))
except Exception as error:
    print(type(error).__name__, error)

#: tracing_concrete_signature
import tensorflow as tf

@tf.function
def f(x, d, k=2):
    return {'y': x * k, 'z': (d['a'], d['b'])}
c = f.get_concrete_function(tf.TensorSpec([None], tf.float32), {'a': tf.TensorSpec([], tf.int32), 'b': tf.TensorSpec([2], tf.int32, name='bb')})
print(c.structured_input_signature)
print(c.structured_outputs)
print(c.output_shapes)
print(c.output_dtypes)
print(c.pretty_printed_signature())
print(c.pretty_printed_signature(verbose=False))
print(c)
print([t.name for t in c.inputs], [t.name for t in c.outputs], [t.dtype.name for t in c.inputs])

#: tracing_concrete_variables
import tensorflow as tf

class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2., name='w')
        self.b = tf.Variable(1., trainable=False, name='b')
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name='inp')])
    def go(self, x):
        return self.w * x + self.b
m = M()
c = m.go.get_concrete_function()
print([v.name for v in c.variables], [v.name for v in c.trainable_variables], c(tf.constant(3.)), c(inp=tf.constant(4.)))
print(len(c.captured_inputs), [t.name for t in c.inputs], c.structured_input_signature)
m.w.assign(5.)
print(c(tf.constant(3.)))

#: tracing_concrete_names
import tensorflow as tf

@tf.function
def f(x, y, *rest, **kw):
    return x + y + sum(rest) + sum(kw.values())
s = tf.TensorSpec([], tf.float32)
c = f.get_concrete_function(s, s, s, z=s)
print([t.name for t in c.inputs], c.structured_input_signature)
print(c.pretty_printed_signature())
print(c(tf.constant(1.), tf.constant(2.), tf.constant(3.), z=tf.constant(4.)))
d = f.get_concrete_function(tf.TensorSpec([], tf.float32, name='first'), tf.TensorSpec([], tf.float32, name='second'))
print([t.name for t in d.inputs], d(tf.constant(1.), tf.constant(2.)))
print(d(first=tf.constant(1.), second=tf.constant(2.)))

#: tracing_casts
import tensorflow as tf, collections
S=tf.TensorSpec
def attempt(f, *a, **k):
    try: print(f(*a, **k))
    except Exception as e: print(type(e).__name__, e)
P=collections.namedtuple('P','x y')
def make(sig, n=1):
    if n==1: return tf.function(lambda d: tf.constant(1), input_signature=sig, autograph=False)
s=S([],tf.int32)
attempt(make([[s,s]]), [1,2])
attempt(make([[s,s]]), (1,2))
attempt(make([(s,s)]), (1,2))
attempt(make([(s,s)]), [1,2])
attempt(make([(s,s)]), (1,))
attempt(make([P(s,s)]), P(1,2))
attempt(make([P(s,s)]), (1,2))
attempt(make([P(s,s)]), 5)
attempt(make([{'a':s}]), {'a':1,'b':2})
attempt(make([{'a':s}]), {'b':2})
attempt(make([{'a':s}]), 5)
attempt(make([{'a':s}]), collections.OrderedDict(a=1))
attempt(make([s]), [1])
attempt(make([s]), 'text')
attempt(make([s]), None)
attempt(make([s]), 1.5)
attempt(make([S([],tf.string)]), 5)
attempt(make([S([2],tf.float32)]), [1,2])
@tf.function(input_signature=[s])
def f(x, k=2, m=None, *, z='a'): return x
attempt(f, 1); attempt(f, 1, 2); attempt(f, 1, k=2); attempt(f,1,k=3); attempt(f,1,m=tf.constant(1)); attempt(f,1,z='b')
try:
    @tf.function(input_signature=[s])
    def g(x, *, z): return x
    attempt(g, 1, z=3)
except Exception as e: print(type(e).__name__, e)
@tf.function
def h(x, d, k=2): return x
c=h.get_concrete_function(s, {'a': s, 'b': [s]})
t=tf.constant
attempt(c, t(1), {'a':t(1),'b':[t(2)]})
attempt(c, t(1), {'a':t(1),'b':[t(2)]}, 2)
attempt(c, t(1), {'a':t(1),'b':[t(2)]}, k=2)
attempt(c, t(1), {'a':t(1),'b':[t(2)]}, 3)
attempt(c, t(1), {'a':t(1)}, 2)
attempt(c, t(1), {'a':1,'b':[2]}, 2)
attempt(c, 1, {'a':1,'b':[2]}, 2)
attempt(c, t(1), t(2), t(3))
attempt(c, 1, 2, 3)
attempt(c, x=t(1), d=t(2), d_1=t(3))
attempt(c, t([1]), {'a':t(1),'b':[t(2)]}, 2)
attempt(c, t(1.), {'a':t(1),'b':[t(2)]}, 2)
print(c.inputs)
v=tf.Variable(1)
attempt(c, v, {'a':t(1),'b':[t(2)]}, 2)
