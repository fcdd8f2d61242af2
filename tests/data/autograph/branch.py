#: branch_simple
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y
print(f(tf.constant(3)))
print(f(tf.constant(-4)))

#: branch_no_else
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        x = x + 10
    return x
print(f(tf.constant(3)))
print(f(tf.constant(-4)))

#: branch_elif
import tensorflow as tf

@tf.function
def f(x):
    if x > 10:
        y = 1
    elif x > 5:
        y = 2
    elif x > 0:
        y = 3
    else:
        y = 4
    return y
print(f(tf.constant(20)))
print(f(tf.constant(7)))
print(f(tf.constant(2)))
print(f(tf.constant(-1)))

#: branch_nested
import tensorflow as tf

@tf.function
def f(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        z = tf.constant(0)
    return z
print(f(tf.constant(3), tf.constant(2)))
print(f(tf.constant(3), tf.constant(-2)))
print(f(tf.constant(-3), tf.constant(2)))

#: branch_returns
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return x
    return -x
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_returns_both
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return x, 1
    else:
        return -x, 2
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_returns_nested
import tensorflow as tf

@tf.function
def f(x):
    if x > 10:
        if x > 100:
            return 'big'
        return 'middle'
    elif x < 0:
        return 'negative'
    x = x + 1
    if x == 3:
        return 'three'
    return 'small' 
print(f(tf.constant(200)))
print(f(tf.constant(20)))
print(f(tf.constant(-3)))
print(f(tf.constant(2)))
print(f(tf.constant(5)))

#: branch_python_condition
import tensorflow as tf

@tf.function
def f(x, flag):
    if flag:
        x = x + 1
    else:
        x = x - 1
        y = 3
    return x
print(f(tf.constant(1), True))
print(f(tf.constant(1), False))

#: branch_returns_structure
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        r = {'a': x, 'b': (x, [x])}
    else:
        r = {'a': -x, 'b': (x * 2, [x * 3])}
    return r
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_two_outputs
import tensorflow as tf

@tf.function
def f(x):
    a, b = x, x
    if tf.reduce_sum(x) > 0:
        a, b = b + 1, a + 2
    return a, b
print(f(tf.constant([1, 2])))
print(f(tf.constant([-1, -2])))

#: branch_inner_only
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        t = x * 2
        u = t + 1
        x = u
    return x
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_variable
import tensorflow as tf

v = tf.Variable(1)
@tf.function
def f(x):
    if x > 0:
        v.assign_add(x)
    else:
        v.assign(100)
print(f(tf.constant(3)), v.numpy(), f(tf.constant(-3)), v.numpy())

#: branch_variable_condition
import tensorflow as tf

v = tf.Variable(True)
@tf.function
def f(x):
    if v:
        return x
    return -x
print(f(tf.constant(3)))
v.assign(False)
print(f(tf.constant(3)))

#: branch_attribute
import tensorflow as tf

class A:
    pass
a = A()
a.x = tf.constant(1)
@tf.function
def f(c):
    a.x = c
    if c > 0:
        a.x = c * 2
    else:
        a.x = c * 3
    return a.x
print(f(tf.constant(3)), f(tf.constant(-3)))

#: branch_item
import tensorflow as tf

@tf.function
def f(c):
    d = {'k': c}
    l = [c, c]
    if c > 0:
        d['k'] = c * 2
        l[0] = c * 5
    return d['k'], l
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_ternary
import tensorflow as tf

@tf.function
def f(x):
    return x * 2 if x > 0 else x * 3
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_ternary_nested
import tensorflow as tf

@tf.function
def f(x):
    y = 1.0 if x > 5 else 2.0 if x > 2 else 3.0
    return y + (0. if x < 0 else 10.)
print(f(tf.constant(9)))
print(f(tf.constant(3)))
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_ternary_python
import tensorflow as tf

@tf.function
def f(x, flag=None):
    return x if flag is None else flag
print(f(tf.constant(3)))
print(f(tf.constant(3), tf.constant(4)))

#: branch_and_or_not
import tensorflow as tf

@tf.function
def f(x, y):
    a = x > 0 and y > 0
    b = x > 0 or y > 0
    c = not x > 0
    d = not (a and b) or c
    return a, b, c, d
print(f(tf.constant(1), tf.constant(1)))
print(f(tf.constant(1), tf.constant(-1)))
print(f(tf.constant(-1), tf.constant(-1)))

#: branch_and_lazy
import tensorflow as tf

@tf.function
def f(x):
    if tf.size(x) > 0 and x[0] > 0:
        return 1
    return 0
f = tf.function(f.python_function, input_signature=[tf.TensorSpec([None], tf.int32)])
print(f(tf.constant([], tf.int32)), f(tf.constant([5])), f(tf.constant([-5])))

#: branch_mixed_logic
import tensorflow as tf

@tf.function
def f(x, flag):
    if flag and x > 0:
        return 1
    if flag or x > 10:
        return 2
    return 3
print(f(tf.constant(3), True))
print(f(tf.constant(3), False))
print(f(tf.constant(30), False))

#: branch_chain
import tensorflow as tf

@tf.function
def f(x):
    if 0 < x < 10:
        return 'in'
    return 'out' 
print(f(tf.constant(3)))
print(f(tf.constant(30)))

#: branch_equal
import tensorflow as tf

@tf.function
def f(x):
    if x == 3:
        y = 1
    elif x != 4:
        y = 2
    else:
        y = 3
    return y
print(f(tf.constant(3)))
print(f(tf.constant(4)))
print(f(tf.constant(5)))

#: branch_is_none
import tensorflow as tf

@tf.function
def f(x, y=None):
    if y is None:
        y = x
    if y is not None and y > 2:
        return y * 2
    return y
print(f(tf.constant(3)))
print(f(tf.constant(1)))

#: branch_print
import tensorflow as tf

@tf.function
def f(x):
    print('tracing', 1)
    if x > 0:
        print('in body')
        tf.print('positive', x)
    else:
        print('in else')
        tf.print('negative', x)
    return x
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_undefined_else
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = 1
    return y
print(f(tf.constant(3)))

#: branch_undefined_main
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        pass
    else:
        y = 1
    return y
print(f(tf.constant(3)))

#: branch_undefined_python
import tensorflow as tf

@tf.function
def f(x):
    if False:
        y = 1
    return y
print(f(tf.constant(3)))

#: branch_return_missing
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return x
print(f(tf.constant(3)))

#: branch_return_missing_else
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        x = x + 1
    else:
        return x
print(f(tf.constant(3)))

#: branch_return_none
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return None
    return x
print(f(tf.constant(3)))

#: branch_return_nothing
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return
    tf.print('went on')
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_dtype
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y
print(f(tf.constant(3)))

#: branch_dtype_return
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return 1
    return 'text' 
print(f(tf.constant(3)))

#: branch_structure
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y
print(f(tf.constant(3)))

#: branch_structure_list
import tensorflow as tf

@tf.function
def f(x):
    y = []
    if x > 0:
        y = [x]
    return y
print(f(tf.constant(3)))

#: branch_none_main
import tensorflow as tf

@tf.function
def f(x):
    y = x
    if x > 0:
        y = None
    return y
print(f(tf.constant(3)))

#: branch_none_else
import tensorflow as tf

@tf.function
def f(x):
    y = None
    if x > 0:
        y = x
    return y
print(f(tf.constant(3)))

#: branch_not_bool
import tensorflow as tf

@tf.function
def f(x):
    if x:
        return 1
    return 2
print(f(tf.constant(3)))

#: branch_not_scalar
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return 1
    return 2
print(f(tf.constant([1, 2])))

#: branch_one_element
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        return 1
    return 2
print(f(tf.constant([[1]])))

#: branch_shape_merge
import tensorflow as tf

@tf.function
def f(c, x):
    if c:
        y = tf.zeros([2])
    else:
        y = tf.zeros([3])
    print(y.shape)
    return y
print(f(tf.constant(True), 1), f(tf.constant(False), 1))

#: branch_ternary_dtype
import tensorflow as tf

@tf.function
def f(x):
    return 1 if x > 0 else 2.0
print(f(tf.constant(3)))

#: branch_ternary_none
import tensorflow as tf

@tf.function
def f(x):
    return 1 if x > 0 else None
print(f(tf.constant(3)))

#: branch_assert_python
import tensorflow as tf

@tf.function
def f(x):
    assert x.shape == [2], 'wrong shape'
    return x
print(f(tf.constant([3, 4])))
print(f(tf.constant(3)))

#: branch_assert_tensor
import tensorflow as tf

@tf.function
def f(x):
    assert x > 0, 'must be positive'
    return x
print(f(tf.constant(3)))

#: branch_assert_feature
import tensorflow as tf

@tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
def f(x):
    assert x > 0, 'must be positive'
    return x
print(f(tf.constant(3)))
print(f(tf.constant(-3)))

#: branch_raise_python
import tensorflow as tf

@tf.function
def f(x, n):
    if n > 3:
        raise ValueError('too many: %d' % n)
    return x
print(f(tf.constant(3), 2))
print(f(tf.constant(3), 5))

#: branch_raise_tensor
import tensorflow as tf

@tf.function
def f(x):
    if x > 3:
        raise ValueError('too large')
    return x
print(f(tf.constant(1)))

#: branch_with_and_try
import tensorflow as tf

@tf.function
def f(x):
    try:
        with tf.name_scope('inner'):
            if x > 0:
                y = x + 1
            else:
                y = x - 1
    finally:
        z = 2
    return y * z
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_try_except
import tensorflow as tf

@tf.function
def f(x, d):
    try:
        y = d['k']
    except KeyError as e:
        y = x * 2
    if x > 1:
        y = y + 1
    return y
print(f(tf.constant(1), {}))
print(f(tf.constant(2), {"k": tf.constant(5)}))

#: branch_return_in_try
import tensorflow as tf

@tf.function
def f(x):
    try:
        if x > 0:
            return x
        return -x
    finally:
        print('finally')
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_delete
import tensorflow as tf

@tf.function
def f(x):
    y = x * 2
    if x > 0:
        x = y
        del y
    return x
print(f(tf.constant(1)))

#: branch_delete_used
import tensorflow as tf

@tf.function
def f(x):
    y = x * 2
    del y
    return y
print(f(tf.constant(1)))

#: branch_walrus
import tensorflow as tf

@tf.function
def f(x):
    if (y := x * 2) > 4:
        return y
    return x
print(f(tf.constant(1)))
print(f(tf.constant(3)))

#: branch_augmented
import tensorflow as tf

@tf.function
def f(x):
    y = 1
    if x > 0:
        y += x
        y *= 3
    return y
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_undefined_augmented
import tensorflow as tf

@tf.function
def f(x):
    if x > 0:
        y += x
    return y
print(f(tf.constant(1)))

#: branch_unpack
import tensorflow as tf

@tf.function
def f(x):
    (a, (b, *c)) = (1, (2, 3, 4))
    if x > 0:
        a, b = b, a
        c = c[::-1]
    return a, b, c
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_fstring
import tensorflow as tf

@tf.function
def f(x):
    name = f'value {1 if x.shape == () else 2}'
    if x > 0:
        tf.print(f'{name!r} is positive')
    return x
print(f(tf.constant(1)))

#: branch_comprehension
import tensorflow as tf

@tf.function
def f(x):
    l = [x * i for i in range(3) if i != 1]
    d = {k: x + k for k in range(2)}
    if x > 0:
        l = [v + 1 for v in l]
    return l, d
print(f(tf.constant(1)))
print(f(tf.constant(-1)))

#: branch_match
import tensorflow as tf

@tf.function
def f(x, kind):
    match kind:
        case 'a':
            y = x + 1
        case _:
            y = x - 1
    if x > 0:
        y = y * 10
    return y
print(f(tf.constant(1), "a"))
print(f(tf.constant(1), "b"))

#: branch_global
import tensorflow as tf

counter = tf.constant(0)
@tf.function
def f(x):
    global counter
    if x > 0:
        counter = counter + 1
    return counter
print(f(tf.constant(1)))
counter = tf.constant(5)
print(f(tf.constant(-1)))

#: branch_global_python
import tensorflow as tf

calls = 0
@tf.function
def f(x, flag):
    global calls
    if flag:
        calls += 1
    return x
f(tf.constant(1), True); f(tf.constant(1), False)
print(calls)

#: branch_eager_converted
import tensorflow as tf

def f(x):
    if x > 0:
        y = x * 2
    else:
        y = x
    while y < 100:
        y = y * 2
    return y
g = tf.autograph.to_graph(f)
print(g(tf.constant(3)), g(-1) if False else g(5), g.__name__)

