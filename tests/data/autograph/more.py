#: more_nonlocal_outer
import tensorflow as tf

def outer():
    count = tf.constant(0)
    n = 0
    @tf.function
    def f(x):
        nonlocal count, n
        n += 1
        if x > 0:
            count = count + x
        r = count
        count = tf.constant(0)
        return r
    print(f(tf.constant(3)), n)
outer()

#: more_library_functions
import tensorflow as tf

print(tf.function(tf.nn.relu)(tf.constant([-1., 2.])), tf.function(abs)(tf.constant(-1)))
print(tf.function(len)(tf.constant([1, 2])))

#: more_function_in_loop
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def g(x):
    if x > 1:
        return 1
    return 2
@tf.function
def h(n):
    s = 0
    for i in tf.range(n):
        s += g(3.) + g(0.5)
        t = g(tf.cast(i, tf.float32))
        s += t
    return s
print(h(tf.constant(3)))

#: more_acting_function_in_loop
import tensorflow as tf

v = tf.Variable(0)
@tf.function
def act(x):
    v.assign_add(x)
    return v
@tf.function
def loop(n):
    for i in tf.range(n):
        if i > 1:
            act(i)
    return v + 0
print(loop(tf.constant(4)))

#: more_map_by_name
import tensorflow as tf

@tf.function
def k(x):
    return tf.map_fn(fn=lambda v: v * 2 if v > 2 else v, elems=x), tf.vectorized_map(lambda v: v + 1, x)
print(k(tf.constant([1, 3])))

#: more_collections
import tensorflow as tf

import collections
@tf.function
def dd(x):
    d = collections.defaultdict(list)
    d['a'].append(x)
    c = collections.OrderedDict(b=x)
    if x > 0:
        c['b'] = x * 2
    return dict(d), c
print(dd(tf.constant(1)))

#: more_one_line
import tensorflow as tf

@tf.function
def onel(x): return x if x > 0 else -x
print(onel(tf.constant(-2)))

#: more_long_string
import tensorflow as tf

def outer():
    @tf.function
    def doc(x):
        s = """
multi
  line"""
        if x > 0:
            tf.print(s)
        return x
    doc(tf.constant(1))
outer()

#: more_slices
import tensorflow as tf

@tf.function
def f(x):
    y = x[..., 0]
    z = x[:, 1]
    if tf.reduce_sum(y) > 0:
        z = z + 1
    return z
print(f(tf.constant([[1, 2]])))

#: more_assign_twice
import tensorflow as tf

@tf.function
def st(x):
    a = b = x
    if x > 0:
        a += 1
    return a, b
print(st(tf.constant(1)))

#: more_annotations
import tensorflow as tf

@tf.function
def ann(x: tf.Tensor) -> tf.Tensor:
    y: int = 3
    z: 'int'
    if x > 0:
        y = 4
    return x * y
print(ann(tf.constant(1)))

#: more_shape_in_branch
import tensorflow as tf

@tf.function
def f(x):
    y = x + 1
    if x > 0:
        z = tf.reshape(y, [5])
    else:
        z = tf.reshape(x, [1])
    return z
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: more_shape_in_loop
import tensorflow as tf

v = tf.Variable(tf.ones([4, 4]))
@tf.function
def f(x):
    for i in tf.range(3):
        x = tf.matmul(x, v)
    return x
@tf.function
def g(x, w):
    for i in tf.range(3):
        while i > 3:
            x = tf.matmul(w, x)
    return x
try:
    print(f(tf.ones([3, 1])))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.ones([3, 1]), tf.ones([2, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: more_shape_nested
import tensorflow as tf

@tf.function
def f(x, w):
    y = tf.matmul(w, w)
    for i in tf.range(3):
        x = x + 1.
        if i > 2:
            x = tf.matmul(y, x)
    return x
@tf.function
def g(x, w):
    for i in tf.range(3):
        a = x + 1.
        if i > 2:
            if i > 3:
                tf.print(tf.matmul(w, a))
    return x
try:
    print(f(tf.ones([3, 1]), tf.ones([2, 2])))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.ones([3, 1]), tf.ones([2, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: more_code
import tensorflow as tf

def f(x, k=2, *args, **named):
    """Doc."""
    if x > 0 and k:
        x = x * x + len(args)
    while x > 10:
        x = x - 1 if x % 2 == 0 else x - g(*args, **named)
    for i in tf.range(3):
        x += i
    print('x', x)
    del k
    return (lambda v: v + 1)(x)
print(tf.autograph.to_code(f))
print(tf.autograph.to_code(lambda a, b=1: a if a else b).splitlines()[-1])

#: more_undefined_update
import tensorflow as tf

@tf.function
def f(x, flag):
    if flag:
        y = 1
    x += y
    return x
try:
    print(f(tf.constant(1), False))
except Exception as e:
    print(type(e).__name__, e)

#: more_name_scope_decorator
import tensorflow as tf

class M(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x):
        if x > 0:
            y = x * 2
        else:
            y = x
        return y
m = M()
@tf.function
def f(x):
    return m(x) + 1
print(f(tf.constant(1)), tf.function(m)(tf.constant(2)))

#: more_context_managers
import contextlib
import tensorflow as tf

@contextlib.contextmanager
def scope(name):
    yield name + '!'
@tf.function
def f(x):
    with scope('a') as a, tf.name_scope('b'):
        if x > 0:
            tf.print(a, x)
            x = x + 1
        with tf.control_dependencies([tf.print('dep')]):
            x = tf.identity(x)
    return x
print(f(tf.constant(1)))

#: more_logging
import logging
import random
import tensorflow as tf

@tf.function
def f(x):
    logging.getLogger('quiet').debug('never %s', x)
    k = random.Random(3).randint(5, 5)
    if x > 0:
        x = x * k
    return x
print(f(tf.constant(2)))

#: more_init_scope
import tensorflow as tf

made = []
@tf.function
def f(x):
    with tf.init_scope():
        if not made:
            made.append(tf.Variable(3))
    if x > 0:
        made[0].assign_add(x)
    return made[0] + 0
print(f(tf.constant(1)), f(tf.constant(-1)))

#: more_while_variable
import tensorflow as tf

v = tf.Variable(5)
@tf.function
def f():
    n = 0
    while v > 0:
        v.assign_sub(2)
        n += 1
    return n, v.read_value()
print(f())

#: more_loop_variable_object
import tensorflow as tf

v = tf.Variable([1, 2, 3])
@tf.function
def f(n):
    s = 0
    for x in v:
        s += x
    w = v
    for i in tf.range(n):
        w = w + i
    if n > 1:
        u = v
    else:
        u = w
    return s, w, u
print(f(tf.constant(2)))

#: more_conditional_import
import tensorflow as tf

@tf.function
def f(x):
    try:
        import no_such_module
        y = no_such_module.k
    except ImportError:
        y = 7
    for _ in tf.range(2):
        x += y
    return x
print(f(tf.constant(1)))

#: more_inner_loops_share_names
import tensorflow as tf

@tf.function
def f(n):
    total = 0
    for i in tf.range(n):
        i = i * 2
        total += i
    for i in range(3):
        total += i
    i = 10
    while i > 7:
        i -= 1
        total += i
    return total, i
print(f(tf.constant(3)))

#: more_tuple_targets
import tensorflow as tf

@tf.function
def f(x):
    s, p = 0, 1
    for a, (b, c) in [(1, (2, x)), (3, (4, x))]:
        s += a * b
        p *= c
    for r in x + tf.zeros([2, 2], tf.int32):
        u, w = r[0], r[1]
        s += u * w
    return s, p
print(f(tf.constant(2)))

#: more_return_loop_value
import tensorflow as tf

@tf.function
def f(x):
    def first_over(limit):
        r = 0
        for i in tf.range(10):
            if i * i > limit:
                r = i
                break
        return r
    return first_over(x), first_over(x * 2)
print(f(tf.constant(10)))

