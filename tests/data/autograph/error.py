#: error_plain
import tensorflow as tf

@tf.function
def f(x):
    y = x + 1
    raise ValueError('no good')
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_line_in_branch
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = x
    else:
        y = tf.reshape(x, [2,
                           3])
    return y
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_line_in_loop
import tensorflow as tf

@tf.function
def f(x):
    for i in tf.range(3):
        if i > 1:
            x = x + tf.constant('a')
    return x
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_callee
import tensorflow as tf

def g(x):
    z = x
    return h(z)
def h(x):
    if x > 0:
        x = x + 'text'
    return x
@tf.function
def f(x):
    return g(
        x)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_callee_unconverted
import tensorflow as tf

@tf.autograph.experimental.do_not_convert
def g(x):
    return k(x)
def k(x):
    return x.nothing
@tf.function
def f(x):
    return g(x)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_nested_function
import tensorflow as tf

@tf.function
def f(x):
    def inner(y):
        return 1 / 0
    z = inner(x)
    return z
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_lambda
import tensorflow as tf

f = tf.function(lambda x: x + undefined_name)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_key
import tensorflow as tf

@tf.function
def f(d):
    return d['missing']
try:
    print(f({"a": tf.constant(1)}))
except Exception as e:
    print(type(e).__name__, e)

#: error_index
import tensorflow as tf

@tf.function
def f(x):
    return [1, 2][5]
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_attribute
import tensorflow as tf

@tf.function
def f(x):
    return x.no_such_thing
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_own_class
import tensorflow as tf

class Mine(Exception):
    pass
class Odd(Exception):
    def __init__(self, a, b):
        super().__init__(f'{a} {b}')
@tf.function
def f(x):
    raise Mine('mine')
@tf.function
def g(x):
    raise Odd(1, 2)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_op_error
import tensorflow as tf

@tf.function
def f(x):
    return tf.matmul(x, x)
@tf.function
def g(x):
    raise tf.errors.NotFoundError(None, None, 'not found')
try:
    print(f(tf.constant([[1., 2.]])))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_caught_inside
import tensorflow as tf

@tf.function
def f(x):
    try:
        y = tf.reshape(x, [5])
    except ValueError as e:
        print('caught', type(e).__name__)
        y = x
    if tf.size(y) > 0:
        y = y * 2
    return y
print(f(tf.constant([1, 2])))

#: error_function_in_function
import tensorflow as tf

@tf.function
def g(x):
    return x + 'a'
@tf.function
def f(x):
    y = g(x)
    return y
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_bool
import tensorflow as tf

@tf.function
def f(x):
    return [v for v in range(3) if x > v]
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_iterate
import tensorflow as tf

@tf.function
def f(x):
    a, b = x
    return a
try:
    print(f(tf.constant([1, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: error_used_before
import tensorflow as tf

@tf.function
def f(x):
    y = z + x
    z = 1
    return y
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_argument_count
import tensorflow as tf

def g(x):
    return x
@tf.function
def f(x):
    return g(x, x)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_not_callable
import tensorflow as tf

@tf.function
def f(x):
    return x(3)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_item_assignment
import tensorflow as tf

@tf.function
def f(x):
    x[0] = 3
    return x
try:
    print(f(tf.constant([1])))
except Exception as e:
    print(type(e).__name__, e)

#: error_item_assignment_loop
import tensorflow as tf

@tf.function
def f(x):
    for i in tf.range(2):
        x[i] = 3
    return x
try:
    print(f(tf.constant([1, 2])))
except Exception as e:
    print(type(e).__name__, e)

#: error_run_time
import tensorflow as tf

@tf.function
def f(x, i):
    if i > 0:
        y = tf.gather(x, i)
    else:
        y = x[0]
    return y
try:
    print(f(tf.constant([1]), tf.constant(5)))
except Exception as e:
    print(type(e).__name__, e)

#: error_run_time_callee
import tensorflow as tf

def g(x):
    for i in tf.range(3):
        tf.debugging.assert_less(x, 3, 'too large')
        x = x + 1
    return x
@tf.function
def f(x):
    y = g(x)
    return y
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_return_type
import tensorflow as tf

@tf.function
def f(x):
    return object
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_leak
import tensorflow as tf

@tf.function
def f(x):
    l = []
    if x > 0:
        l.append(x * 2)
    return l[0] + 1
@tf.function
def g(n):
    l = []
    for i in tf.range(n):
        l.append(i + 1)
    return tf.stack(l)
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(g(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_chained
import tensorflow as tf

@tf.function
def f(x):
    try:
        {}['k']
    except KeyError as e:
        raise RuntimeError('second') from e
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_stop_iteration
import tensorflow as tf

@tf.function
def f(x):
    return next(iter([]))
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_with_block
import tensorflow as tf

import contextlib
@contextlib.contextmanager
def scope():
    yield 1
@tf.function
def f(x):
    with scope() as s:
        if x > 0:
            raise TypeError('inside')
    return x
try:
    print(f(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

#: error_multiline_call
import tensorflow as tf

@tf.function
def f(x):
    y = tf.concat(
        [x,
         x],
        axis=7)
    return y
try:
    print(f(tf.constant([1])))
except Exception as e:
    print(type(e).__name__, e)

#: error_in_default_method
import tensorflow as tf

class A:
    @tf.function
    def go(self, x):
        return self.other(x)
    def other(self, x):
        return x + self.missing
a = A()
try:
    print(a.go(tf.constant(1)))
except Exception as e:
    print(type(e).__name__, e)

