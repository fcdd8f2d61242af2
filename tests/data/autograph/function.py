#: function_input_signature
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.bool)])
def f(x, flag):
    print('tracing')
    if flag:
        return x * 2
    return x
try:
    print(f([1, 2], True))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(f(tf.constant([1, 2, 3]), False))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(f(tf.constant([1.]), True))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(f([[1]], True))
except Exception as e:
    print(type(e).__name__, e)

#: function_concrete
import tensorflow as tf

@tf.function
def f(x, n):
    for i in tf.range(n):
        x = x * 2
    return x
c = f.get_concrete_function(tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int32))
print(c(tf.constant([1, 2]), tf.constant(3)))
print(c.structured_input_signature, c.output_shapes, c.output_dtypes)
print([t.name for t in c.inputs], [t.name for t in c.outputs])

#: function_reduce_retracing
import tensorflow as tf

traces = []
@tf.function(reduce_retracing=True)
def f(x):
    traces.append(x.shape)
    s = 0
    for v in x:
        s += v
    return s
for n in range(1, 5):
    print(f(tf.ones([n])))
print(traces)

#: function_retracing_python
import tensorflow as tf

traces = []
@tf.function
def f(x, n):
    traces.append(n)
    for i in range(n):
        x += i
    return x
print(f(tf.constant(1), 2), f(tf.constant(5), 2), f(tf.constant(1), 3), traces, f.experimental_get_tracing_count())

#: function_variable_first
import tensorflow as tf

v = None
@tf.function
def f(x):
    global v
    if v is None:
        v = tf.Variable(1)
    if x > 0:
        v.assign_add(x)
    return v
@tf.function
def g(x):
    w = tf.Variable(1)
    return w + x
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(f(tf.constant(2)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: function_variable_module
import tensorflow as tf

class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = None
    @tf.function
    def __call__(self, x):
        if self.v is None:
            self.v = tf.Variable(tf.ones_like(x))
        if tf.reduce_sum(x) > 2:
            self.v.assign_add(x)
        return self.v * 2
m = M()
print(m(tf.constant([1, 2])), m(tf.constant([0, 1])))

#: function_method_bound
import tensorflow as tf

class A:
    def __init__(self):
        self.count = 0
    def go(self, x):
        self.count += 1
        if x > 0:
            return x + self.count
        return x
a = A()
f = tf.function(a.go)
print(f(tf.constant(1)), f(tf.constant(2)), a.count)

#: function_side_effects
import tensorflow as tf

log = []
@tf.function
def f(x):
    log.append('traced')
    if x > 0:
        log.append('body')
    else:
        log.append('else')
    for i in tf.range(2):
        log.append('loop')
    while x > 0:
        log.append('while')
        x -= 1
    return x
f(tf.constant(1)); f(tf.constant(2))
print(log)

#: function_loop_side_effects_undefined
import tensorflow as tf

log = []
@tf.function
def f(x):
    for i in tf.range(2):
        log.append('loop')
        y = i + x
    return y
print(f(tf.constant(1)), log)

#: function_assign_in_loop
import tensorflow as tf

v = tf.Variable([0, 0, 0])
@tf.function
def f(n):
    for i in tf.range(n):
        v[i].assign(i * 10)
        if i == 1:
            v.assign_add([1, 1, 1])
    return v.read_value()
print(f(tf.constant(3)))

#: function_order
import tensorflow as tf

v = tf.Variable(1)
@tf.function
def f(x):
    a = v + 0
    if x > 0:
        v.assign(10)
    b = v + 0
    for _ in tf.range(2):
        v.assign(v * 2)
    c = v + 0
    return a, b, c
print(f(tf.constant(1)))
v.assign(1)
print(f(tf.constant(-1)))

#: function_run_eagerly
import tensorflow as tf

tf.config.run_functions_eagerly(True)
@tf.function
def f(x):
    if x > 0:
        print('positive', x.numpy())
    return x
f(tf.constant(3))
tf.config.run_functions_eagerly(False)

#: function_python_arguments
import tensorflow as tf

@tf.function
def f(x, mode='a', *, k=None):
    if mode == 'a':
        x = x + 1
    if k is not None and k > 2:
        x = x * 100
    return x
print(f(tf.constant(1)), f(tf.constant(1), 'b'), f(tf.constant(1), k=3), f(tf.constant(1), k=tf.constant(3)))

#: function_nested_structures
import tensorflow as tf

@tf.function
def f(d):
    out = {}
    for k in sorted(d):
        v = d[k]
        if v > 0:
            out[k] = v
        else:
            out[k] = -v
    return out
print(f({'a': tf.constant(-1), 'b': tf.constant(2)}))

#: function_op_names
import tensorflow as tf

@tf.function
def f(x):
    y = x + 1
    z = y * 2
    return z
print([(o.name, o.type) for o in f.get_concrete_function(tf.constant(1)).graph.get_operations()])

#: function_cond_output_names
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = x
    else:
        y = -x
    print(y)
    for i in tf.range(3):
        y += i
    print(y)
    w = 1 if x > 2 else 2
    print(w)
    while y > 100:
        y -= 1
    print(y)
    return y
print(f(tf.constant(1)))

#: function_decorated_twice
import tensorflow as tf

@tf.function
@tf.function
def f(x):
    if x > 0:
        return x
    return -x
print(f(tf.constant(-1)))

#: function_threads
import tensorflow as tf

import threading
@tf.function
def f(x):
    s = 0
    for i in tf.range(x):
        if i % 2 == 0:
            s += i
    return s
results = [None] * 4
def go(i):
    results[i] = int(f(tf.constant(i * 3)))
threads = [threading.Thread(target=go, args=(i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(results)

#: function_string_switch
import tensorflow as tf

@tf.function
def f(s):
    if s == 'a':
        return 1
    elif s == 'b':
        return 2
    return 3
print(f(tf.constant('a')), f(tf.constant('b')), f(tf.constant('c')))

#: function_newton
import tensorflow as tf

@tf.function
def sqrt(x):
    y = x
    while tf.abs(y * y - x) > 1e-3:
        y = (y + x / y) / 2.
    return y
print(sqrt(tf.constant(2.)))

#: function_bubble_sort
import tensorflow as tf

@tf.function
def sort(a):
    n = tf.size(a)
    for i in tf.range(n):
        for j in tf.range(n - i - 1):
            x, y = a[j], a[j + 1]
            if x > y:
                a = tf.tensor_scatter_nd_update(a, [[j], [j + 1]], [y, x])
    return a
print(sort(tf.constant([5, 2, 9, 1])))

#: function_gcd
import tensorflow as tf

@tf.function
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a
print(gcd(tf.constant(48), tf.constant(36)))

#: function_matrix_power
import tensorflow as tf

@tf.function
def power(m, n):
    r = tf.eye(2)
    while n > 0:
        if n % 2 == 1:
            r = tf.matmul(r, m)
        m = tf.matmul(m, m)
        n = n // 2
    return r
print(power(tf.constant([[1., 1.], [1., 0.]]), tf.constant(10)))

#: function_fizzbuzz
import tensorflow as tf

@tf.function
def fizzbuzz(n):
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            tf.print('FizzBuzz')
        elif i % 3 == 0:
            tf.print('Fizz')
        elif i % 5 == 0:
            tf.print('Buzz')
        else:
            tf.print(i)
fizzbuzz(tf.constant(15))

#: function_early_stop
import tensorflow as tf

@tf.function
def train(steps, tolerance):
    w = tf.constant(5.0)
    losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for step in tf.range(steps):
        loss = w * w
        losses = losses.write(step, loss)
        w = w - 0.3 * 2. * w
        if loss < tolerance:
            break
    return w, losses.stack()
print(train(tf.constant(20), tf.constant(0.01)))

