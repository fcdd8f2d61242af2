#: call_callee
import tensorflow as tf

def g(x):
    if x > 0:
        return x * 2
    return x * 3
@tf.function
def f(x):
    return g(x) + g(-x)
print(f(tf.constant(3)))

#: call_callee_loop
import tensorflow as tf

def total(n):
    s = 0
    for i in tf.range(n):
        s += i
    return s
def twice(fn, n):
    return fn(fn(n))
@tf.function
def f(n):
    return twice(total, n)
print(f(tf.constant(5)))

#: call_callee_deep
import tensorflow as tf

def a(x):
    if x > 0:
        x = b(x)
    return x
def b(x):
    while x < 100:
        x = c(x)
    return x
def c(x):
    return x * 3 if x > 5 else x + 5
@tf.function
def f(x):
    return a(x)
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_lambda
import tensorflow as tf

g = lambda x: x * 2 if x > 0 else x * 3
@tf.function
def f(x):
    h = lambda y: y + 1 if y > 0 else y - 1
    return g(x) + h(x)
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_lambda_function
import tensorflow as tf

f = tf.function(lambda x, y: x + y if x > y else x - y)
print(f(tf.constant(3), tf.constant(2)), f(tf.constant(1), tf.constant(2)))

#: call_lambda_multiline
import tensorflow as tf

f = tf.function(
    lambda x: x * 2
    if x > 0
    else x * 3)
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_lambda_two_on_a_line
import tensorflow as tf

f, g = tf.function(lambda x: x if x > 0 else -x), tf.function(lambda y: y if y > 0 else -y)
print(f(tf.constant(-3)), g(tf.constant(-3)))

#: call_lambda_two_alike
import tensorflow as tf

f, g = tf.function(lambda q: q if q > 0 else -q), tf.function(lambda q: q if q > 0 else -q)
try:
    print(f(tf.constant(-3)))
except Exception as e:
    print(type(e).__name__, e)

#: call_lambda_default
import tensorflow as tf

f = tf.function(lambda x, k=2: x * k if x > 0 else x)
print(f(tf.constant(3)), f(tf.constant(3), 5))

#: call_lambda_in_call
import tensorflow as tf

def apply(fn, x):
    return fn(x)
@tf.function
def f(x):
    return apply(lambda v: v * 2 if v > 0 else v, x)
print(f(tf.constant(3)))

#: call_nested_function
import tensorflow as tf

@tf.function
def f(x):
    def inner(y):
        if y > 0:
            return y
        return -y
    return inner(x) + inner(-x)
print(f(tf.constant(3)))

#: call_nested_closure
import tensorflow as tf

@tf.function
def f(x):
    k = 10
    def inner(y):
        if y > 0:
            z = y * k
        else:
            z = y
        return z
    k = 20
    return inner(x)
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_nested_nonlocal
import tensorflow as tf

@tf.function
def f(x):
    total = tf.constant(0)
    def add(v):
        nonlocal total
        if v > 0:
            total += v
        else:
            total -= v
    add(x)
    add(-x)
    return total
print(f(tf.constant(3)))

#: call_closure
import tensorflow as tf

def make(k):
    scale = tf.constant(k)
    @tf.function
    def f(x):
        if x > scale:
            return x * scale
        return x
    return f
print(make(2)(tf.constant(3)), make(5)(tf.constant(3)))

#: call_closure_late
import tensorflow as tf

def make():
    @tf.function
    def f(x):
        return later(x)
    def later(x):
        if x > 0:
            return x + 1
        return x
    return f
print(make()(tf.constant(3)))

#: call_method
import tensorflow as tf

class A:
    def __init__(self, k):
        self.k = k
    @tf.function
    def run(self, x):
        if x > 0:
            return self.scale(x)
        return x
    def scale(self, x):
        while x < 50:
            x = x * self.k
        return x
a, b = A(2), A(3)
print(a.run(tf.constant(3)), b.run(tf.constant(3)), b.run(tf.constant(-3)))

#: call_static_and_class_method
import tensorflow as tf

class A:
    k = 4
    @staticmethod
    def s(x):
        return x if x > 0 else -x
    @classmethod
    def c(cls, x):
        if x > 0:
            return x * cls.k
        return x
@tf.function
def f(x):
    return A.s(x), A.c(x), A().s(x), A().c(x)
print(f(tf.constant(-3)), f(tf.constant(3)))

#: call_callable_object
import tensorflow as tf

class A:
    def __call__(self, x):
        if x > 0:
            return x * 2
        return x
a = A()
@tf.function
def f(x):
    return a(x)
print(f(tf.constant(3)), tf.function(a)(tf.constant(4)), tf.function(A().__call__)(tf.constant(5)))

#: call_super
import tensorflow as tf

class A:
    def go(self, x):
        if x > 0:
            return x + 1
        return x
class B(A):
    @tf.function
    def go(self, x):
        if x > 2:
            y = super().go(x)
        else:
            y = super().go(-x)
        return y
b = B()
print(b.go(tf.constant(3)), b.go(tf.constant(-3)))

#: call_super_args
import tensorflow as tf

class A:
    def go(self, x):
        return x + 1 if x > 0 else x
class B(A):
    def go(self, x):
        return super(B, self).go(x)
b = B()
@tf.function
def f(x):
    return b.go(x)
print(f(tf.constant(3)))

#: call_property
import tensorflow as tf

class A:
    def __init__(self):
        self._x = tf.constant(2)
    @property
    def x(self):
        return self._x * 2
a = A()
@tf.function
def f(y):
    if y > 0:
        return a.x
    return y
print(f(tf.constant(3)))

#: call_module
import tensorflow as tf

class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.)
    def __call__(self, x):
        if tf.reduce_sum(x) > 0:
            return x * self.w
        return x
m = M()
print(tf.function(m)(tf.constant([1., 2.])), tf.function(m.__call__)(tf.constant([-1., -2.])))

#: call_constructor
import tensorflow as tf

class P:
    def __init__(self, x):
        self.x = x
        self.y = x * 2
@tf.function
def f(x):
    p = P(x)
    if x > 0:
        p.x = p.y
    return p.x
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_namedtuple
import tensorflow as tf

import collections
P = collections.namedtuple('P', 'x y')
@tf.function
def f(x):
    p = P(x, x + 1)
    if x > 0:
        p = P(p.y, p.x)
    return p
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_decorator
import tensorflow as tf

import functools
def double(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        r = fn(*args, **kwargs)
        if r > 10:
            return r * 2
        return r
    return wrapper
@tf.function
@double
def f(x):
    return x if x > 0 else -x
print(f(tf.constant(3)), f(tf.constant(-30)))

#: call_partial
import tensorflow as tf

import functools
def g(a, b, c=1):
    return a + b * c if a > 0 else b
@tf.function
def f(x):
    return functools.partial(g, x, c=3)(2), functools.partial(g, b=x)(1)
print(f(tf.constant(3)), f(tf.constant(-3)))
print(tf.function(functools.partial(g, b=5))(tf.constant(2)))

#: call_star_args
import tensorflow as tf

def g(*args, **kwargs):
    s = 0
    for a in args:
        s += a
    for k in sorted(kwargs):
        s = s * 10 + kwargs[k]
    if s > 100:
        s = s - 100
    return s
@tf.function
def f(x, *rest, **named):
    return g(x, *rest, 1, **named, z=x)
print(f(tf.constant(1), tf.constant(2), a=tf.constant(3)))

#: call_defaults
import tensorflow as tf

def g(x, k=3, *, m=4):
    return x * k + m if x > 0 else x
@tf.function
def f(x, k=2):
    return g(x), g(x, k), g(x, m=k)
print(f(tf.constant(1)), f(tf.constant(1), 7))

#: call_recursion
import tensorflow as tf

def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
@tf.function
def f(n, x):
    return x * fact(n)
print(f(5, tf.constant(2)))

#: call_recursion_function
import tensorflow as tf

@tf.function
def f(n, x):
    if n == 0:
        return x
    return f(n - 1, x * 2)
print(f(3, tf.constant(1)))

#: call_function_in_function
import tensorflow as tf

@tf.function
def g(x):
    if x > 0:
        return x * 2
    return x
@tf.function
def f(x):
    s = g(x)
    for i in tf.range(3):
        s += g(i)
    if s > 5:
        s = g(s)
    return s
print(f(tf.constant(3)))

#: call_do_not_convert
import tensorflow as tf

@tf.autograph.experimental.do_not_convert
def g(x):
    if x > 0:
        return x
    return -x
@tf.function
def f(x):
    return g(x)
@tf.function
def h(x):
    y = x * 2
    return tf.autograph.experimental.do_not_convert(lambda v: v + 1)(y)
try:
    print(h(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_do_not_convert_inner
import tensorflow as tf

def inner(x):
    return 1 if x > 0 else 2
@tf.autograph.experimental.do_not_convert()
def g(x):
    return inner(x)
@tf.function
def outer(x):
    return g(x)
try:
    print(outer(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_autograph_false
import tensorflow as tf

def g(x):
    return 1 if x > 0 else 2
@tf.function(autograph=False)
def f(x):
    return g(x)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_autograph_false_inside
import tensorflow as tf

@tf.function
def g(x):
    return 1 if x > 0 else 2
@tf.function(autograph=False)
def f(x):
    return g(x)
print(f(tf.constant(1)))

#: call_generator
import tensorflow as tf

def gen(n):
    for i in range(n):
        yield i
@tf.function
def f(x):
    s = x
    for i in gen(3):
        s += i
    if s > 3:
        s = s * 2
    return s
@tf.function
def g(x):
    yield x
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(type(g(tf.constant(1))).__name__)
except Exception as e:
    print(type(e).__name__, e)

#: call_exec
import tensorflow as tf

space = {'tf': tf}
exec('def g(x):\n  return x + 1\ndef h(x):\n  return 1 if x > 0 else 2', space)
f = tf.function(lambda x: space['g'](x))
k = tf.function(lambda x: space['h'](x))
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.function(space["g"])(tf.constant(4)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(k(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_no_source
import tensorflow as tf

space = {'tf': tf}
exec(compile('def g(x):\n  return x + 1\ndef h(x):\n  return 1 if x > 0 else 2', '<stdin>', 'exec'), space)
f = tf.function(lambda v: space['g'](v))
k = tf.function(lambda w: space['h'](w))
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.function(space["g"])(tf.constant(4)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(k(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_mangled
import tensorflow as tf

class A:
    def __init__(self):
        self.__x = 3
    def f(self, y):
        return self.__x + y
a = A()
@tf.function
def f(y):
    return a.f(y)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_lru_cache
import tensorflow as tf

import functools
@functools.lru_cache(None)
def g(n):
    return n * 2
@tf.function
def f(x):
    return x + g(3)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_eval
import tensorflow as tf

@tf.function
def f(x):
    y = x + 1
    z = eval('y * 2')
    return z, 'y' in locals(), 'f' in globals()
print(f(tf.constant(1)))

#: call_print_python
import tensorflow as tf

@tf.function
def f(x):
    print('a', 1, sep='-', end='!\n')
    print('tensor', x)
    return x
print(f(tf.constant(1)))

#: call_builtins
import tensorflow as tf

@tf.function
def f(x, v):
    return (abs(x), float(x), int(float(x)), len(v), max(2, 3), min(2, 3), sum([x, x]), sorted([3, 1, 2]), any([0, 1]),
            all([1, 1]), list(map(lambda q: q * x, [1, 2])), list(filter(lambda q: q > 1, [1, 2, 3])),
            list(reversed([1, 2])), round(2.5), divmod(7, 2), isinstance(x, tf.Tensor), tuple(range(3)), str(5), bool(3))
r = f(tf.constant(-3), tf.constant([1, 2]))
print(r)

#: call_len_unknown
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None, 2])])
def f(v):
    n = len(v)
    s = 0.
    for i in range(n):
        s += v[i][0]
    return n, s
print(f(tf.ones([3, 2])))

#: call_len_scalar
import tensorflow as tf

@tf.function
def f(v):
    return len(v)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: call_len_no_rank
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec(None)])
def f(v):
    return len(v)
print(f(tf.ones([3, 2])))

#: call_max_tensors
import tensorflow as tf

@tf.function
def f(x, y):
    return max(x, y)
try:
    print(f(tf.constant(1), tf.constant(2)))
except Exception as e:
    print(type(e).__name__, e)

#: call_sum_tensor
import tensorflow as tf

@tf.function
def f(x):
    return sum(x)
try:
    print(f(tf.constant([1, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: call_bool_tensor
import tensorflow as tf

@tf.function
def f(x):
    return bool(x)
try:
    print(f(tf.constant(True)))
except Exception as e:
    print(type(e).__name__, e)

#: call_any_tensor
import tensorflow as tf

@tf.function
def f(x):
    return any(x)
try:
    print(f(tf.constant([True])))
except Exception as e:
    print(type(e).__name__, e)

#: call_list_tensor
import tensorflow as tf

@tf.function
def f(x):
    return list(x)
try:
    print(f(tf.constant([1, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: call_int_string
import tensorflow as tf

@tf.function
def f(x):
    return int(x), float(x)
print(f(tf.constant('12')))

#: call_int_base
import tensorflow as tf

@tf.function
def f(x):
    return int('ff', 16), int(x, 10)
@tf.function
def g(x):
    return int(x, 16)
try:
    print(f(tf.constant(3.7)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.constant(3)))
except Exception as e:
    print(type(e).__name__, e)

#: call_map_fn
import tensorflow as tf

@tf.function
def f(x):
    return tf.map_fn(lambda v: v * 2 if v > 2 else v, x)
print(f(tf.constant([1, 2, 3, 4])))

#: call_py_function
import tensorflow as tf

def square(v):
    if v > 2:
        return v * v
    return v
@tf.function
def f(x):
    y = tf.py_function(square, [x], tf.int32)
    z = tf.numpy_function(lambda a: a + 1 if a > 2 else a, [x], tf.int32)
    return y, z
print(f(tf.constant(3)), f(tf.constant(1)))

#: call_cond_and_while
import tensorflow as tf

@tf.function
def f(x):
    y = tf.cond(x > 0, lambda: x * 2, lambda: x * 3)
    i, = tf.while_loop(lambda i: i < 10, lambda i: [i + y], [x])
    if i > 12:
        i = i - 1
    return i
print(f(tf.constant(3)))

#: call_global_function
import tensorflow as tf

k = 2
def g(x):
    return x * k
@tf.function
def f(x):
    return g(x) if x > 0 else x
print(f(tf.constant(3)))
k = 3
print(f(tf.constant(3)), f(tf.constant([3])[0]), f(tf.constant(3.)))

#: call_class_in_function
import tensorflow as tf

@tf.function
def f(x):
    class A:
        k = 3
        def go(self, v):
            if v > 0:
                return v * self.k
            return v
    return A().go(x)
print(f(tf.constant(3)), f(tf.constant(-3)))

#: call_import_in_function
import tensorflow as tf

@tf.function
def f(x):
    import math as m
    from math import pi
    if x > 0:
        y = x * m.e
    else:
        y = x * pi
    return y
print(f(tf.constant(1.)), f(tf.constant(-1.)))

#: call_docstring
import tensorflow as tf

@tf.function
def f(x):
    """What f does."""
    if x > 0:
        return x
    return -x
print(f(tf.constant(-1)), f.__doc__, f.__name__, f.python_function.__name__)

#: call_async
import tensorflow as tf

@tf.function
async def f(x):
    return x
try:
    print(type(f(tf.constant(1))).__name__)
except Exception as e:
    print(type(e).__name__, e)

#: call_numpy_callee
import tensorflow as tf

import numpy as np
@tf.function
def f(x):
    a = np.arange(3).sum()
    return x + int(a) if x > 0 else x
print(f(tf.constant(1)))

#: call_method_of_list
import tensorflow as tf

@tf.function
def f(x):
    l = [3, 1, 2]
    l.sort()
    l.append(x)
    d = dict(a=x)
    d.update(b=2)
    s = 'a-b'.split('-')
    return l, d, s
print(f(tf.constant(1)))

#: call_keyword_only_tensor
import tensorflow as tf

def g(*, x, flag):
    if flag and x > 0:
        return x
    return -x
@tf.function
def f(x):
    return g(x=x, flag=True), g(flag=False, x=x)
print(f(tf.constant(1)))

#: call_optional_features
import tensorflow as tf

opts = tf.autograph.experimental.Feature
@tf.function(experimental_autograph_options=(opts.EQUALITY_OPERATORS, opts.BUILTIN_FUNCTIONS, opts.NAME_SCOPES))
def f(x):
    if x == 3:
        return x + 1
    return x
print(f(tf.constant(3)), [o.name for o in f.get_concrete_function(tf.constant(3)).graph.get_operations()][:2])
print(sorted(x.name for x in opts.all()), sorted(x.name for x in opts.all_but(opts.ALL)), opts.LISTS)

#: call_to_graph
import tensorflow as tf

def f(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y
class A:
    def m(self, x):
        return x if x > 0 else -x
try:
    print(tf.autograph.to_graph(f)(tf.constant(-2)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.function(tf.autograph.to_graph(f))(tf.constant(3)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.autograph.to_graph(A.m)(A(), tf.constant(-2)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.autograph.to_graph(len))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(tf.autograph.to_graph(tf.function(f)))
except Exception as e:
    print(type(e).__name__, e)

#: call_to_code
import tensorflow as tf

def f(x):
    if x > 0:
        x = x * x
    return x
code = tf.autograph.to_code(f)
print(code.startswith('def tf__f(x):'), 'ag__.if_stmt(' in code, "('x',), 1)" in code, 'def if_body' in code)

#: call_trace_print
import tensorflow as tf

@tf.function
def f(x):
    tf.autograph.trace('tracing', x)
    return x
print(f(tf.constant(2)))

