#: ordinary_enumerate_zip
import tensorflow as tf

@tf.function
def f(x, y):
    s = 0
    for i, v in enumerate(x):
        s += tf.cast(i, tf.int32) * v
    for a, b in zip(x, y):
        s += a * b
    for i, (a, b) in enumerate(zip(x, y)):
        s += tf.cast(i, tf.int32) + a - b
    return s
try:
    print(f(tf.constant([1, 2, 3]), tf.constant([4, 5, 6])))
except Exception as error:
    print(type(error).__name__, error)

#: ordinary_enumerate_dataset
import tensorflow as tf

@tf.function
def f(n):
    s = tf.constant(0, tf.int64)
    for i, v in enumerate(tf.data.Dataset.range(n)):
        s += i * v
    for a, b in zip(tf.data.Dataset.range(n), tf.data.Dataset.range(n)):
        s += a * b
    return s
try:
    print(f(tf.constant(4, tf.int64)))
except Exception as error:
    print(type(error).__name__, error)

#: ordinary_dict_items
import tensorflow as tf

@tf.function
def f(d):
    s = tf.constant(0)
    for k, v in d.items():
        if v > 1:
            s += v * len(k)
    for k in d:
        s += d[k]
    for v in d.values():
        s -= v
    return s
print(f({'a': tf.constant(1), 'bb': tf.constant(2)}))

#: ordinary_while_else
import tensorflow as tf

@tf.function
def f(n):
    i = 0
    while i < n:
        i += 1
    else:
        i = i + 100
    return i
try:
    print(f(tf.constant(3)), f(3))
except Exception as error:
    print(type(error).__name__, error)

#: ordinary_for_else
import tensorflow as tf

@tf.function
def f(n):
    for i in range(n):
        if i == 2:
            break
    else:
        return -1
    return i
@tf.function
def g(n):
    s = 0
    for i in tf.range(n):
        s += i
    else:
        s += 100
    return s
for fn, arg in ((f, 5), (f, 1), (g, tf.constant(3))):
    try:
        print(fn(arg))
    except Exception as error:
        print(type(error).__name__, error)

#: ordinary_nested_breaks
import tensorflow as tf

@tf.function
def f(n):
    found = -1
    for i in tf.range(n):
        for j in tf.range(n):
            if i * j == 6:
                found = i * 10 + j
                break
            if j > i:
                continue
            if i + j > 100:
                return -5
        if found > 0:
            break
    return found
print(f(tf.constant(3)), f(tf.constant(5)))

#: ordinary_nested_returns
import tensorflow as tf

@tf.function
def f(m, t):
    for i in tf.range(tf.shape(m)[0]):
        for j in tf.range(tf.shape(m)[1]):
            if m[i, j] == t:
                return i, j
    return -1, -1
m = tf.constant([[1, 2], [3, 4]])
print(f(m, tf.constant(3)), f(m, tf.constant(9)))

#: ordinary_while_true
import tensorflow as tf

@tf.function
def f(x):
    n = 0
    while True:
        if x > 100:
            break
        x = x * 2
        n += 1
        if n > 50:
            return x, -1
    return x, n
try:
    print(f(tf.constant(3)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_try_finally
import tensorflow as tf

log = []
@tf.function
def f(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = x
    finally:
        log.append('end')
    return y
print(f(tf.constant(2)), f(tf.constant(-2)), log)

#: ordinary_try_except_trace
import tensorflow as tf

@tf.function
def f(x):
    try:
        return tf.reshape(x, [7])
    except ValueError as error:
        return tf.constant(str(error)[:40])
print(f(tf.constant([1, 2])))

#: ordinary_try_except_outside
import tensorflow as tf

@tf.function
def f(x, i):
    tf.debugging.assert_less(i, 3, message='too far')
    return x[i]
for i in (1, 5):
    try:
        print(f(tf.constant([1, 2, 3]), tf.constant(i)))
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__, str(error).split('\n')[0])

#: ordinary_return_in_try
import tensorflow as tf

@tf.function
def f(x):
    try:
        if x > 0:
            return x
    except KeyError:
        return -x
    return x - 1
try:
    print(f(tf.constant(2)), f(tf.constant(-2)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_raise
import tensorflow as tf

@tf.function
def f(x, k):
    if k > 3:
        raise ValueError('k is %d' % k)
    return x + k
print(f(tf.constant(1), 2))
try:
    f(tf.constant(1), 4)
except ValueError as error:
    print(error)

#: ordinary_with
import contextlib
import tensorflow as tf

@contextlib.contextmanager
def note(name):
    print('in', name)
    yield name + '!'
    print('out', name)
@tf.function
def f(x):
    with note('a') as a, note('b'), tf.name_scope('scope'):
        if x > 0:
            x = x + len(a)
        else:
            x = x - 1
    return x
print(f(tf.constant(1)), f(tf.constant(-1)))

#: ordinary_comprehensions
import tensorflow as tf

@tf.function
def f(x, n):
    a = [x * i for i in range(n)]
    b = {i: x + i for i in range(n) if i % 2}
    c = {i for i in range(n)}
    d = sum(v for v in a)
    e = [[x[i] if i < 2 else 0 for i in range(3)] for _ in range(2)]
    return a, b, len(c), d, e
print(f(tf.constant([1, 2]), 3))

#: ordinary_comprehension_over_tensor
import tensorflow as tf

@tf.function
def f(x):
    return [v * 2 for v in x]
try:
    print(f(tf.constant([1, 2])))
except Exception as error:
    print(type(error).__name__, str(error))

#: ordinary_lambdas
import tensorflow as tf

@tf.function
def f(x):
    g = lambda v: v * 2 if v > 0 else -v
    h = lambda v, k=3: g(v) + k
    return g(x), h(x), (lambda: x + 1)()
print(f(tf.constant(2)), f(tf.constant(-2)))

#: ordinary_generators
import tensorflow as tf

def count(n, x):
    for i in range(n):
        yield x + i
@tf.function
def f(x):
    s = 0
    for v in count(3, x):
        s += v
    return s, list(count(2, x)), next(count(1, x))
print(f(tf.constant(5)))

#: ordinary_nonlocal_in_loop
import tensorflow as tf

@tf.function
def f(n):
    total = 0
    calls = 0
    def add(v):
        nonlocal total, calls
        total = total + v
        calls += 1
    for i in tf.range(n):
        add(i)
    return total, calls
try:
    print(f(tf.constant(4)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_nonlocal_python
import tensorflow as tf

@tf.function
def f(x):
    total = 0
    def add(v):
        nonlocal total
        total = total + v
    for i in range(3):
        add(x * i)
    return total
print(f(tf.constant(4)))

#: ordinary_global
import tensorflow as tf

calls = 0
last = None
@tf.function
def f(x):
    global calls, last
    calls += 1
    if x > 0:
        y = x
    else:
        y = -x
    last = 'done'
    return y
print(f(tf.constant(1)), f(tf.constant(-1)), calls, last)

#: ordinary_global_in_branch
import tensorflow as tf

g = 1
@tf.function
def f(x):
    global g
    if x > 0:
        g = 2
    return x
try:
    print(f(tf.constant(1)), g)
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_classes
import tensorflow as tf

class Base:
    def go(self, x):
        if x > 0:
            return x
        return -x
class Child(Base):
    def go(self, x):
        return super().go(x) + self.extra(x)
    def extra(self, x):
        return x if x > 1 else 0
c = Child()
print(tf.function(c.go)(tf.constant(3)), tf.function(c.go)(tf.constant(-3)))
@tf.function
def f(x):
    class Local:
        def twice(self, v):
            return v * 2
    return Local().twice(x)
print(f(tf.constant(4)))

#: ordinary_properties
import tensorflow as tf

class Box:
    def __init__(self, v):
        self._v = v
    @property
    def v(self):
        return self._v
    @v.setter
    def v(self, value):
        self._v = value
    def __getitem__(self, i):
        return self._v * i
    def __len__(self):
        return 3
    def __iter__(self):
        return iter([self._v, self._v + 1])
    def __contains__(self, x):
        return x == 1
    def __bool__(self):
        return True
@tf.function
def f(x):
    b = Box(x)
    if x > 0:
        b.v = x * 10
    s = b.v + b[2] + len(b)
    for v in b:
        s += v
    if b:
        s += 1000
    return s, 1 in b, 2 in b
try:
    print(f(tf.constant(1)), f(tf.constant(-1)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_augmented
import tensorflow as tf

class S:
    pass
@tf.function
def f(x):
    s = S()
    s.a = x
    s.a += 1
    s.l = [x, x]
    s.l[0] *= 3
    d = {'k': x}
    d['k'] -= 2
    t = x
    t **= 2
    t //= 3
    t %= 5
    s.b = S()
    s.b.c = 1
    if x > 2:
        s.a += 10
        s.b.c += 5
    return s.a, s.l, d, t, s.b.c
print(f(tf.constant(4)), f(tf.constant(1)))

#: ordinary_augmented_subscripts
import tensorflow as tf

@tf.function
def f(x):
    l = [x, x + 1]
    d = {'a': x}
    for i in tf.range(3):
        l[0] += i
        d['a'] *= 2
    if x > 0:
        l[1] = x * 100
    return l, d
try:
    print(f(tf.constant(4)), f(tf.constant(-1)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_ternary_and_chains
import tensorflow as tf

@tf.function
def f(x):
    a = 1 if x > 0 else 2
    b = 0 < x < 10
    c = x > 0 and x < 5 or x == 7
    d = not (x > 3)
    e = 0 < x <= 4 != 3
    g = (x if x > 2 else x + 1) if x < 5 else -x
    return a, b, c, d, e, g
for v in (3, 7, -1):
    print(f(tf.constant(v)))

#: ordinary_in_operator
import tensorflow as tf

@tf.function
def f(x):
    return x in [1, 2]
@tf.function
def g(x, xs):
    if x in xs:
        return 1
    return 0
for fn, args in ((f, (tf.constant(1),)), (f, (1,)), (g, (1, (1, 2))), (g, (5, (1, 2))), (g, (tf.constant(1), tf.constant([1])))):
    try:
        print(fn(*args))
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_is_operator
import tensorflow as tf

@tf.function
def f(x, y=None):
    if y is None:
        return x
    if y is not x:
        return x + y
    return x * 2
print(f(tf.constant(1)), f(tf.constant(1), tf.constant(2)))

#: ordinary_del
import tensorflow as tf

@tf.function
def f(x):
    y = x + 1
    d = {'a': x, 'b': y}
    del d['a']
    z = y * 2
    del y
    if x > 0:
        t = z
        del t
    return z, d
print(f(tf.constant(1)))
@tf.function
def g(x):
    y = x
    del y
    return y
try:
    g(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_f_strings
import tensorflow as tf

@tf.function
def f(x, k):
    s = f'{k:03d}|{k!r}|{x.shape}|{x.dtype.name}|{"nested"}'
    return tf.constant(s)
print(f(tf.constant([1.]), 7))
@tf.function
def g(x):
    print(f'tracing {x}')
    tf.print(f'static', x, [x, x], {'a': x}, sep='|')
    return x
g(tf.constant(1))

#: ordinary_print
import sys
import tensorflow as tf

@tf.function
def f(x):
    print('trace', x, x.shape)
    for i in tf.range(2):
        tf.print('run', i, x, output_stream=sys.stdout)
        print('body', i)
    return x
f(tf.constant([1., 2.]))
f(tf.constant([1., 2.]))

#: ordinary_assert
import tensorflow as tf

@tf.function
def f(x):
    assert x > 0, 'must be positive'
    assert x.shape.rank == 0
    return x
print(f(tf.constant(1)))
try:
    f(tf.constant(-1))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[0])
@tf.function
def g(x, k):
    assert k > 0, f'k {k}'
    return x
try:
    g(tf.constant(1), -1)
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_builtins
import tensorflow as tf

@tf.function
def f(x):
    return len(x), abs(x), sum(x), min(x), max(x), sorted(x), any(x > 2), all(x > 0)
try:
    print(f(tf.constant([3, -1, 2])))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_builtins_each
import tensorflow as tf

x = tf.constant([3, -1, 2])
def attempt(name, fn, *args):
    try:
        print(name, tf.function(fn)(*args))
    except Exception as error:
        print(name, type(error).__name__, str(error).split('\n')[-1])
attempt('len', lambda v: len(v), x)
attempt('abs', lambda v: abs(v), x)
attempt('sum', lambda v: sum(v), x)
attempt('sum start', lambda v: sum(v, 10), x)
attempt('min', lambda v: min(v), x)
attempt('max', lambda v: max(v), x)
attempt('min two', lambda v: min(v[0], v[1]), x)
attempt('max two', lambda v: max(v[0], 5), x)
attempt('sorted', lambda v: sorted(v), x)
attempt('sorted reverse', lambda v: sorted(v, reverse=True), x)
attempt('sorted key', lambda v: sorted(v, key=lambda u: -u), x)
attempt('any', lambda v: any(v > 2), x)
attempt('all', lambda v: all(v > 2), x)
attempt('map', lambda v: list(map(lambda u: u * 2, v)), x)
attempt('filter', lambda v: list(filter(lambda u: u > 0, v)), x)
attempt('zip', lambda v: list(zip(v, v)), x)
attempt('enumerate', lambda v: list(enumerate(v)), x)
attempt('reversed', lambda v: list(reversed(v)), x)
attempt('range', lambda v: list(range(v[0])), x)
attempt('int', lambda v: int(v[0]), x)
attempt('float', lambda v: float(v[0]), x)
attempt('bool', lambda v: bool(v[0]), x)
attempt('round', lambda v: round(v), tf.constant(1.6))
attempt('pow', lambda v: pow(v, 2), x)
attempt('divmod', lambda v: divmod(v, 2), x)
attempt('str', lambda v: str(v), x)
attempt('list', lambda v: list(v), x)
attempt('tuple', lambda v: tuple(v), x)
attempt('isinstance', lambda v: isinstance(v, tf.Tensor), x)
attempt('type', lambda v: type(v).__name__, x)
attempt('getattr', lambda v: getattr(v, 'dtype').name, x)
attempt('hasattr', lambda v: hasattr(v, 'numpy'), x)
attempt('callable', lambda v: callable(v), x)
attempt('iter', lambda v: next(iter(v)), x)
attempt('id', lambda v: id(v) > 0, x)
attempt('dict', lambda v: dict(a=v), x)
attempt('set', lambda v: len({1, 2}), x)
attempt('eval', lambda v: eval('v + 1'), x)
attempt('locals', lambda v: sorted(locals()), x)
attempt('numpy', lambda v: v.numpy(), x)
attempt('item', lambda v: v[0].numpy(), x)
attempt('unpack', lambda v: (lambda a, b, c: a - b - c)(*v), x)
attempt('slices', lambda v: (v[::-1], v[1:], v[-1], v[..., tf.newaxis]), x)
attempt('matmul', lambda v: (v[:, None] @ v[None, :]), x)
attempt('shift', lambda v: v >> 1, x)
attempt('invert', lambda v: ~v, x)
attempt('bits', lambda v: (v & 1, v | 4, v ^ 1), x)
attempt('neg', lambda v: (-v, +v), x)
attempt('format', lambda v: '{}'.format(v), x)
attempt('percent', lambda v: '%s' % v, x)
attempt('python len', lambda v: len([1, 2]) + len('abc') + len({}), x)
attempt('min key', lambda v: min([3, 1, 2], key=lambda u: -u), x)
attempt('super', lambda v: max([v[0], v[1]]), x)

#: ordinary_tensor_array
import tensorflow as tf

@tf.function
def f(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
    for i in tf.range(n):
        if i % 2 == 0:
            ta = ta.write(ta.size(), i * i)
    s = ta.read(0)
    return ta.stack(), ta.size(), s, ta.concat() if False else ta.gather([0])
print(f(tf.constant(6)))
@tf.function
def g(n):
    ta = tf.TensorArray(tf.float32, n, element_shape=[2])
    i = 0
    while i < n:
        ta = ta.write(i, tf.fill([2], tf.cast(i, tf.float32)))
        i += 1
    return ta.stack(), ta.concat()
print(g(tf.constant(3)))
@tf.function
def h(x):
    ta = tf.TensorArray(tf.int32, 3).unstack(x)
    out = tf.TensorArray(tf.int32, 3)
    for i in range(3):
        out = out.write(i, ta.read(2 - i))
    return out.stack()
print(h(tf.constant([1, 2, 3])))

#: ordinary_lists_of_tensors
import tensorflow as tf

@tf.function
def f(x):
    l = []
    for i in range(3):
        l.append(x * i)
    l.extend([x, x])
    l.insert(0, -x)
    l.pop()
    last = l.pop(0)
    return tf.stack(l), last, l.index(l[1]) if False else len(l), l[::-1]
print(f(tf.constant(2)))
@tf.function
def g(n):
    l = []
    for i in tf.range(n):
        l.append(i)
    return tf.stack(l)
try:
    print(g(tf.constant(3)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_shapes
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def f(x):
    print(x.shape, x.shape[0], x.shape[1], x.shape.as_list(), x.shape.rank, len(x.shape), x.get_shape().is_fully_defined())
    n, m = x.shape
    s = 0
    for i in tf.range(tf.shape(x)[0]):
        for j in range(m):
            s += tf.cast(i * j, tf.float32) * x[i, j]
    for d in x.shape:
        print(d)
    return s, tf.shape(x)[0], tf.size(x), n is None
print(f(tf.ones([2, 3])))

#: ordinary_shape_invariants
import tensorflow as tf

@tf.function
def f(n):
    x = tf.zeros([1])
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, [1.]], 0)
    return x
print(f(tf.constant(3)))
@tf.function
def g(n):
    x = tf.zeros([1])
    for i in tf.range(n):
        x = tf.concat([x, [1.]], 0)
    return x
try:
    g(tf.constant(3))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_recursion
import tensorflow as tf

def depth(t):
    if isinstance(t, (list, tuple)):
        return 1 + max([depth(u) for u in t])
    return 0
def power(x, n):
    if n == 0:
        return tf.ones_like(x)
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half
@tf.function
def f(x, n):
    return power(x, n), depth([[x], x])
print(f(tf.constant(2), 10))

#: ordinary_recursion_on_tensor
import tensorflow as tf

@tf.function
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
try:
    print(fib(tf.constant(5)))
except Exception as error:
    print(type(error).__name__)

#: ordinary_early_returns
import tensorflow as tf

@tf.function
def f(x):
    if x > 10:
        return x, 'big'
    if x > 5:
        return x + 1, 'middle'
    return x - 1, 'small'
for v in (20, 7, 1):
    print(f(tf.constant(v)))
@tf.function
def g(x):
    if x > 0:
        return 1
    return 2.5
try:
    print(g(tf.constant(1)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def h(x):
    if x > 0:
        return x
try:
    print(h(tf.constant(1)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def k(x):
    if x > 0:
        return [x, x]
    return x
try:
    print(k(tf.constant(1)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_undefined_in_branch
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = 1
    return y
try:
    f(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def g(n):
    for i in tf.range(n):
        y = i
    return y
try:
    print(g(tf.constant(2)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def h(n):
    while n > 0:
        n -= 1
        z = n
    return z
try:
    print(h(tf.constant(2)))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_types_change
import tensorflow as tf

def attempt(fn, *args):
    try:
        print(tf.function(fn)(*args))
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[-1])
def a(n):
    s = 0
    for i in tf.range(n):
        s += 0.5
    return s
def b(n):
    s = 1.
    while n > 0:
        s = 'x'
        n -= 1
    return s
def c(n):
    s = None
    for i in tf.range(n):
        s = i
    return s
def d(n):
    s = (1, 2)
    for i in tf.range(n):
        s = (1, 2, 3)
    return s
def e(n):
    s = {'a': 1}
    for i in tf.range(n):
        s['b'] = i
    return s
def g(n):
    s = tf.zeros([2])
    for i in tf.range(n):
        s = tf.zeros([3])
    return s
for fn in (a, b, c, d, e, g):
    attempt(fn, tf.constant(2))

#: ordinary_star_assignments
import tensorflow as tf

@tf.function
def f(x):
    a, *b = x, x + 1, x + 2
    (c, d), e = (1, x), 3
    g = h = x * 2
    if x > 0:
        a, b[0] = b[0], a
    k, l = tf.unstack(tf.stack([x, x + 5]))
    return a, b, c, d, e, g, h, k, l
print(f(tf.constant(1)))

#: ordinary_walrus
import tensorflow as tf

@tf.function
def f(x):
    if (y := x * 2) > 4:
        return y
    return x - y
print(f(tf.constant(3)), f(tf.constant(1)))

#: ordinary_keyword_only
import tensorflow as tf

def g(a, /, b, *, c=1):
    if a > b:
        return a + c
    return b - c
@tf.function
def f(x, *, flag=True):
    return g(x, 2, c=3) if flag else g(x, b=5)
print(f(tf.constant(3)), f(tf.constant(3), flag=False))

#: ordinary_annotations
from typing import Optional
import tensorflow as tf

@tf.function
def f(x: tf.Tensor, k: Optional[int] = None) -> tf.Tensor:
    total: tf.Tensor = x
    count: int
    count = 2
    if k is not None:
        total = total * k
    return total + count
print(f(tf.constant(1)), f(tf.constant(1), 4))

#: ordinary_match
import tensorflow as tf

@tf.function
def f(x, mode):
    match mode:
        case 'double':
            y = x * 2
        case 'negate' | 'minus':
            y = -x
        case (a, b):
            y = x + a + b
        case _:
            y = x
    return y
print(f(tf.constant(3), 'double'), f(tf.constant(3), 'minus'), f(tf.constant(3), (1, 2)), f(tf.constant(3), 'other'))

#: ordinary_async_and_yield
import tensorflow as tf

@tf.function
def f(x):
    yield x
try:
    print(type(f(tf.constant(1))).__name__)
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1].split('0x')[0])

#: ordinary_data_loop_break
import tensorflow as tf

@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        if x % 2 == 0:
            continue
        s += x
    return s
print(f(tf.data.Dataset.range(20)))
@tf.function
def g(ds):
    s = 0
    for d in ds:
        a, b = d['a'], d['b']
        if a > 1:
            s += a + b
    return s
print(g(tf.data.Dataset.from_tensor_slices({'a': [1, 2], 'b': [3, 4]})))

#: ordinary_iterator_loop
import tensorflow as tf

@tf.function
def f(it):
    s = tf.constant(0, tf.int64)
    for x in it:
        s += x
    return s
it = iter(tf.data.Dataset.range(5))
print(next(it), f(it))

#: ordinary_ragged_loop
import tensorflow as tf

@tf.function
def f(r):
    s = 0
    for i in tf.range(r.nrows()):
        row = r[i]
        for v in row:
            s += v
    return s
print(f(tf.ragged.constant([[1, 2], [], [3]])))
@tf.function
def g(r):
    s = 0
    for row in r:
        s += tf.reduce_sum(row)
    return s
try:
    print(g(tf.ragged.constant([[1, 2], [], [3]])))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_string_tensors
import tensorflow as tf

@tf.function
def f(words):
    best = ''
    for w in words:
        if tf.strings.length(w) > tf.strings.length(best):
            best = w
    return best
print(f(tf.constant(['a', 'ccc', 'bb'])))

#: ordinary_range_forms
import tensorflow as tf

@tf.function
def f(n):
    a = 0
    for i in range(n):
        a += i
    for i in range(1, n, 2):
        a += 100 * i
    for i in range(n, 0, -1):
        a += 10000 * i
    return a
print(f(tf.constant(4)), f(4))

#: ordinary_zero_iterations
import tensorflow as tf

@tf.function
def f(x):
    s = tf.constant(7)
    for v in x:
        s = v
    for i in tf.range(0):
        s += 1
    for i in []:
        s += 1
    while s < 0:
        s += 1
    return s
print(f(tf.constant([], tf.int32)))

#: ordinary_module_functions
import math
import operator
import itertools
import functools
import tensorflow as tf

@tf.function
def f(x):
    a = functools.reduce(lambda p, q: p + q, [x, x * 2, x * 3])
    b = list(itertools.chain([x], [x + 1]))
    c = operator.add(x, 1)
    d = math.sqrt(16)
    e = [i * j for i, j in itertools.product(range(2), range(2))]
    g = list(itertools.accumulate([1, 2, 3]))
    return a, b, c, d, e, g
print(f(tf.constant(1)))
@tf.function
def h(x):
    return math.sqrt(x)
try:
    h(tf.constant(4.))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_numpy_on_tensors
import numpy as np
import tensorflow as tf

@tf.function
def f(x):
    return np.sum(x)
try:
    print(f(tf.constant([1., 2.])))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])
@tf.function
def g(x):
    return x * np.array([1., 2.], np.float32) + np.float32(3)
print(g(tf.constant([1., 2.])))

#: ordinary_python_side_effects
import tensorflow as tf

calls = []
@tf.function
def f(x):
    calls.append('trace')
    if x > 0:
        calls.append('then')
        y = 1
    else:
        calls.append('else')
        y = 2
    for i in tf.range(3):
        calls.append('body')
        y += i
    return y
f(tf.constant(1)), f(tf.constant(2))
print(calls)

#: ordinary_variables_in_loops
import tensorflow as tf

v = tf.Variable([1., 2.])
@tf.function
def f(n):
    for i in tf.range(n):
        if v[0] < 5:
            v.assign_add([1., 1.])
        else:
            v.assign(v * 2)
    return v
print(f(tf.constant(6)))
@tf.function
def g():
    v[0].assign(100.)
    return v + 0
print(g())

#: ordinary_py_function
import tensorflow as tf

def slow(x):
    return x.numpy() * 2
@tf.function
def f(x):
    y = tf.py_function(slow, [x], tf.float32)
    z = tf.numpy_function(lambda a: a + 1, [x], tf.float32)
    if y > 2:
        return y + z
    return z
print(f(tf.constant(3.)), f(tf.constant(0.5)))

#: ordinary_do_not_convert
import tensorflow as tf

@tf.autograph.experimental.do_not_convert
def raw(x):
    return 'tensor' if isinstance(x, tf.Tensor) else 'value'
@tf.autograph.experimental.do_not_convert
def bad(x):
    if x > 0:
        return 1
    return 2
@tf.function
def f(x):
    return raw(x)
print(f(tf.constant(1)))
try:
    tf.function(bad)(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error).split('\n')[-1])

#: ordinary_name_errors
import tensorflow as tf

@tf.function
def f(x):
    return missing + x
try:
    f(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error))
@tf.function
def g(x):
    return x.nothing
try:
    g(tf.constant(1))
except Exception as error:
    print(type(error).__name__, str(error))
@tf.function
def h(x):
    return x[0]['a']
try:
    h(tf.constant([1]))
except Exception as error:
    print(type(error).__name__, str(error))
@tf.function
def k(x):
    return x + 'a'
try:
    k(tf.constant([1]))
except Exception as error:
    print(type(error).__name__, str(error))

#: ordinary_control_dependencies
import tensorflow as tf

v = tf.Variable(0)
@tf.function
def f(x):
    with tf.control_dependencies([v.assign(x)]):
        y = v + 1
    v.assign_add(10)
    return y, v.read_value()
print(f(tf.constant(3)))

#: ordinary_cond_and_while_by_hand
import tensorflow as tf

@tf.function
def f(x):
    y = tf.cond(x > 0, lambda: x * 2, lambda: -x)
    z = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, y))
    w = tf.case([(x > 10, lambda: 1), (x > 1, lambda: 2)], default=lambda: 3)
    u = tf.switch_case(tf.constant(1), [lambda: 5, lambda: 6])
    return y, z, w, u
print(f(tf.constant(3)), f(tf.constant(-3)))

#: ordinary_map_scan_fold
import tensorflow as tf

@tf.function
def f(x):
    def clip(v):
        if v > 2:
            return 2
        return v
    return (tf.map_fn(clip, x), tf.scan(lambda a, v: a + v if v > 1 else a, x), tf.foldl(lambda a, v: a * v, x),
            tf.vectorized_map(lambda v: v * 2, x))
print(f(tf.constant([1, 2, 3, 4])))

#: ordinary_builtins_of_datasets
import tensorflow as tf
D = tf.data.Dataset
def attempt(name, fn, *args):
    try:
        r = tf.function(fn)(*args)
        if isinstance(r, D): r = list(r.as_numpy_iterator())
        print(name, r)
    except Exception as error:
        print(name, type(error).__name__, str(error).split('\n')[-1] or str(error).split('\n')[-2])
def body(make):
    def f():
        s = tf.constant(0, tf.int64)
        for x in make():
            if isinstance(x, tuple):
                s += x[0] * 10 + tf.cast(x[1], tf.int64)
            else:
                s += x
        return s
    return f
R = lambda n=4: D.range(n)
attempt('enumerate', body(lambda: enumerate(R())))
attempt('enumerate start', body(lambda: enumerate(R(), 5)))
attempt('enumerate start kw', body(lambda: enumerate(R(), start=5)))
attempt('zip', body(lambda: zip(R(), R(6))))
attempt('map', body(lambda: map(lambda v: v * 2, R())))
attempt('map two', body(lambda: map(lambda v, w: v * w, R(), R(3))))
attempt('filter', body(lambda: filter(lambda v: v > 1, R())))
attempt('abs', body(lambda: abs(D.from_tensor_slices(tf.constant([-1, 2], tf.int64)))))
attempt('len', lambda: len(R()))
attempt('len filter', lambda: len(R().filter(lambda v: v > 1)))
attempt('len inf', lambda: len(R().repeat()))
attempt('any', lambda: any(R().map(lambda v: v > 2)))
attempt('all', lambda: all(R().map(lambda v: v > 2)))
attempt('all true', lambda: all(R().map(lambda v: v > -2)))
attempt('any int', lambda: any(R()))
attempt('all int', lambda: all(R()))
attempt('any pair', lambda: any(D.zip((R().map(lambda v: v > 2), R().map(lambda v: v > 2)))))
attempt('sorted', lambda x: sorted(x), tf.constant([3, 1, 2]))
attempt('sorted rev', lambda x: sorted(x, reverse=True), tf.constant([3, 1, 2]))
attempt('sorted key', lambda x: sorted(x, key=lambda v: -v), tf.constant([3, 1, 2]))
attempt('sorted key rev', lambda x: sorted(x, key=lambda v: -v, reverse=True), tf.constant([3, 1, 2]))
attempt('sorted 2d', lambda x: sorted(x), tf.constant([[3, 1], [2, 5]]))
attempt('sorted scalar', lambda x: sorted(x), tf.constant(3))
attempt('next', lambda: next(iter(R())))
attempt('next default', lambda: next(iter(R(0)), tf.constant(7, tf.int64)))
attempt('next default python', lambda: next(iter(R(0)), 7))
attempt('next default wrong', lambda: next(iter(R(0)), 7.5))
attempt('next none', lambda: next(iter(R(0)), None))
attempt('next list', lambda: next(iter([1, 2]), None))
def nested(n):
    s = 0
    for i, (a, b) in enumerate(zip([1, 2, n], (3, 4, 5))):
        s += i * a * b
    return s
attempt('python', nested, tf.constant(7))
attempt('enumerate tensor array', lambda: len(tf.TensorArray(tf.int32, 3)))
attempt('any list', lambda x: any([x > 1, x > 2]), tf.constant(5))
attempt('any py', lambda x: any([True, False]), tf.constant(5))
attempt('all list', lambda x: all(v for v in [1, 0]), tf.constant(5))
attempt('map py', lambda x: list(map(lambda a: a + x, [1, 2])), tf.constant(5))
attempt('filter py', lambda x: list(filter(lambda a: a > 1, [1, 2])), tf.constant(5))
