#: loop_while
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s, n
print(f(tf.constant(4)))
print(f(tf.constant(0)))

#: loop_while_python
import tensorflow as tf

@tf.function
def f(x):
    i = 0
    while i < 3:
        x = x * 2
        i += 1
    return x
print(f(tf.constant(4)))

#: loop_while_break
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    while True:
        s += n
        n -= 1
        if n < 0:
            break
    return s
print(f(tf.constant(4)))

#: loop_while_break_tensor
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    while n < 100:
        n *= 2
        if n > 20:
            break
        s += 1
    return s, n
print(f(tf.constant(1)))

#: loop_while_continue
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        s += n
    return s
print(f(tf.constant(10)))

#: loop_while_true_tensor
import tensorflow as tf

@tf.function
def f(n):
    i = tf.constant(0)
    while tf.constant(True):
        i += 1
        if i >= n:
            break
    return i
print(f(tf.constant(10)))

#: loop_for_range
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        s += i
    return s
print(f(tf.constant(10)))
print(f(tf.constant(0)))

#: loop_for_builtin_range
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in range(n):
        s += i
    for i in range(2, n):
        s += i * 10
    for i in range(n, 0, -2):
        s += i * 100
    return s
print(f(tf.constant(5)))
print(f(tf.constant(-5)))

#: loop_for_python_range
import tensorflow as tf

@tf.function
def f(x):
    for i in range(3):
        x = x * 2 + i
    return x, i
print(f(tf.constant(5)))

#: loop_for_range_step
import tensorflow as tf

@tf.function
def f(a, b, c):
    s = tf.constant(0)
    for i in tf.range(a, b, c):
        s = s * 10 + i
    return s
print(f(tf.constant(5), tf.constant(0), tf.constant(-1)))
print(f(tf.constant(1), tf.constant(9), tf.constant(3)))

#: loop_for_float_range
import tensorflow as tf

@tf.function
def f(n):
    s = 0.
    for i in tf.range(0., n, 0.5):
        s += i
    return s
print(f(tf.constant(2.)))

#: loop_for_tensor
import tensorflow as tf

@tf.function
def f(x):
    s = tf.zeros([2])
    for row in x:
        s = s * 2 + row
    return s
print(f(tf.constant([[1., 2.], [3., 4.], [5., 6.]])))

#: loop_for_tensor_unknown
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
def f(x):
    s = 0
    for v in x:
        s += v
    return s
print(f(tf.constant([1, 2, 3])))
print(f(tf.constant([], tf.int32)))

#: loop_for_list
import tensorflow as tf

@tf.function
def f(x, y):
    s = 0
    for v in [x, y, 3]:
        s += v
    return s
print(f(tf.constant(1), tf.constant(2)))

#: loop_for_dict
import tensorflow as tf

@tf.function
def f(d):
    s = 0
    for k, v in d.items():
        s += v * len(k)
    return s
print(f({"a": tf.constant(1), "bb": tf.constant(2)}))

#: loop_for_enumerate
import tensorflow as tf

@tf.function
def f(x):
    s = 0
    for i, v in enumerate([x, x * 2]):
        s += i * v
    return s
print(f(tf.constant(3)))

#: loop_for_zip
import tensorflow as tf

@tf.function
def f(x):
    s = 0
    for a, b in zip([1, 2], [x, x + 1]):
        s += a * b
    return s
print(f(tf.constant(3)))

#: loop_for_enumerate_tensor
import tensorflow as tf

@tf.function
def f(x):
    s = 0
    for i, v in enumerate(x):
        s += i * v
    return s
print(f(tf.constant([3, 4])))

#: loop_for_zip_tensor
import tensorflow as tf

@tf.function
def f(x):
    s = 0
    for a, b in zip(x, x):
        s += a * b
    return s
print(f(tf.constant([3, 4])))

#: loop_for_break
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        if i == 5:
            break
        s += i
    return s
print(f(tf.constant(10)))
print(f(tf.constant(3)))

#: loop_for_tensor_break
import tensorflow as tf

@tf.function
def f(x):
    s = 0
    for v in x:
        if v < 0:
            break
        s += v
    return s
print(f(tf.constant([1, 2, -1, 4])))

#: loop_for_continue
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        if i % 3 == 0:
            continue
        s += i
    return s
print(f(tf.constant(10)))

#: loop_for_break_continue
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        if i < 3:
            continue
        s += i
        if s > 20:
            break
        s += 100 if i == 4 else 0
    return s
print(f(tf.constant(20)))

#: loop_for_python_break
import tensorflow as tf

@tf.function
def f(x):
    for i in range(10):
        if i == 3:
            break
        x += i
    return x
print(f(tf.constant(0)))

#: loop_for_python_break_tensor
import tensorflow as tf

@tf.function
def f(x):
    for i in range(10):
        if x > 3:
            break
        x += i
    return x
print(f(tf.constant(0)))

#: loop_for_python_return_tensor
import tensorflow as tf

@tf.function
def f(x):
    for i in range(3):
        x += i
        if x > 3:
            return x
    return x
print(f(tf.constant(0)))

#: loop_while_python_break_tensor
import tensorflow as tf

@tf.function
def f(x):
    i = 0
    while i < 10:
        if x > 3:
            break
        x += i
        i += 1
    return x
print(f(tf.constant(0)))

#: loop_while_turns_tensor
import tensorflow as tf

@tf.function
def f(x):
    i = 0
    while i < 10:
        i = x
    return x
print(f(tf.constant(0)))

#: loop_nested_for
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        for j in tf.range(i):
            s += i * j
    return s
print(f(tf.constant(5)))

#: loop_nested_break
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        for j in tf.range(n):
            if j > i:
                break
            s += j
        if s > 10:
            break
    return s
print(f(tf.constant(5)))

#: loop_nested_while_if
import tensorflow as tf

@tf.function
def f(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps
print(f(tf.constant(27)))

#: loop_nested_python_in_tensor
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        for j in range(3):
            s += i * j
    return s
print(f(tf.constant(5)))

#: loop_nested_tensor_in_python
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for j in range(3):
        for i in tf.range(n):
            s += i * j
    return s
print(f(tf.constant(5)))

#: loop_if_in_loop_local
import tensorflow as tf

@tf.function
def f(n):
    y = 0
    for i in tf.range(n):
        if i > 2:
            x = 1
        else:
            x = 2
        y += x
    return y
print(f(tf.constant(5)))

#: loop_loop_in_if
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    if n > 3:
        for i in tf.range(n):
            s += i
    else:
        while s < 7:
            s += 2
    return s
print(f(tf.constant(5)))
print(f(tf.constant(2)))

#: loop_iterate_after
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        pass
    return i
print(f(tf.constant(5)))

#: loop_iterate_after_tensor
import tensorflow as tf

@tf.function
def f(x):
    for v in x:
        pass
    return v
print(f(tf.constant([5, 6])))

#: loop_defined_in_loop
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        y = i * 2
    return y
print(f(tf.constant(5)))

#: loop_defined_in_loop_no_turn
import tensorflow as tf

@tf.function
def g(n):
    for i in tf.range(n):
        late = i * 2
    return late
print(g(tf.constant(0)))

#: loop_defined_in_while
import tensorflow as tf

@tf.function
def f(n):
    while n > 0:
        y = [n, n * 2]
        n -= 1
    return y
print(f(tf.constant(3)))

#: loop_used_before
import tensorflow as tf

@tf.function
def f(n):
    while n > 0:
        n -= 1
        y = y + n
    return y
print(f(tf.constant(3)))

#: loop_return_in_for
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        if i > 3:
            return i
    return -1
print(f(tf.constant(9)))

#: loop_return_in_for_always
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        return i + 5
    return -1
print(f(tf.constant(9)))

#: loop_return_in_for_only
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        return i + 5
print(f(tf.constant(9)))

#: loop_return_in_while
import tensorflow as tf

@tf.function
def f(n):
    while n > 0:
        n -= 3
        if n == 4:
            return n
    return n
print(f(tf.constant(9)))

#: loop_return_in_python_for
import tensorflow as tf

@tf.function
def f(x, n):
    for i in range(5):
        if i == n:
            return x + i
    return x
print(f(tf.constant(1), 3))
print(f(tf.constant(1), 8))

#: loop_dtype_changes
import tensorflow as tf

@tf.function
def f(n):
    x = 1
    for i in tf.range(n):
        x = x * 1.5
    return x
print(f(tf.constant(3)))

#: loop_dtype_changes_while
import tensorflow as tf

@tf.function
def f(x):
    while x < 10:
        x = tf.cast(x, tf.int64) * 2
    return x
print(f(tf.constant(3)))

#: loop_shape_changes
import tensorflow as tf

@tf.function
def f(n):
    x = tf.constant([0])
    for i in tf.range(n):
        x = tf.concat([x, [i]], 0)
    return x
print(f(tf.constant(3)))

#: loop_rank_changes
import tensorflow as tf

@tf.function
def f(n):
    x = tf.constant(0)
    while tf.size(x) < n:
        x = tf.reshape(tf.stack([x, x]), [-1])
    return x
print(f(tf.constant(3)))

#: loop_invariants
import tensorflow as tf

@tf.function
def f(n):
    x = tf.constant([0])
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, [i]], 0)
    print(x.shape)
    return x
print(f(tf.constant(3)))

#: loop_invariants_while
import tensorflow as tf

@tf.function
def f(n):
    x = tf.ones([1, 2])
    y = 0
    while y < n:
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(x, tf.TensorShape([None, 2]))], parallel_iterations=1, swap_memory=True)
        x = tf.concat([x, x + 1], 0)
        y += 1
    return x, y
print(f(tf.constant(2)))

#: loop_invariants_before
import tensorflow as tf

@tf.function
def f(n):
    x = tf.constant([0])
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([2]))])
        x = tf.concat([x, [i]], 0)
    return x
print(f(tf.constant(3)))

#: loop_invariants_after
import tensorflow as tf

@tf.function
def f(n):
    x = tf.constant([[0]])
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 1]))])
        x = tf.concat([x, x], 1)
    return x
print(f(tf.constant(3)))

#: loop_maximum_iterations
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        s += 1
    return s
print(f(tf.constant(10)))
print(f(tf.constant(2)))

#: loop_options_not_first
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in range(2):
        s += 1
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    return s
print(f(tf.constant(10)))

#: loop_options_outside
import tensorflow as tf

@tf.function
def f(n):
    tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    return n
print(f(tf.constant(10)))

#: loop_structure_changes
import tensorflow as tf

@tf.function
def f(n):
    x = (1, 2)
    for i in tf.range(n):
        x = (1, 2, 3)
    return x
print(f(tf.constant(3)))

#: loop_none_before
import tensorflow as tf

@tf.function
def f(n):
    x = None
    while n > 0:
        n -= 1
        if x is None:
            x = n
    return x
print(f(tf.constant(3)))

#: loop_none_after
import tensorflow as tf

@tf.function
def f(n):
    x = 1
    while n > 0:
        n -= 1
        x = None
    return x
print(f(tf.constant(3)))

#: loop_structures
import tensorflow as tf

@tf.function
def f(n):
    d = {'a': 0, 'b': [1, 2]}
    t = (0., (1., 2.))
    for i in tf.range(n):
        d = {'a': d['a'] + i, 'b': [d['b'][1], d['b'][0] + i]}
        t = (t[0] + 1., (t[1][1], t[1][0]))
    return d, t
print(f(tf.constant(3)))

#: loop_attribute
import tensorflow as tf

class A:
    def __init__(self):
        self.total = tf.constant(0)
    @tf.function
    def run(self, n):
        self.total = tf.constant(0)
        for i in tf.range(n):
            self.total += i
        t = self.total
        self.total = None
        return t
print(A().run(tf.constant(5)))

#: loop_attribute_item
import tensorflow as tf

@tf.function
def f(n):
    d = {'s': tf.constant(0)}
    l = [tf.constant(1), tf.constant(2)]
    for i in tf.range(n):
        d['s'] = d['s'] + i
        l[0] = l[1] + i
        l[1] = l[0]
    return d, l
print(f(tf.constant(5)))

#: loop_list_append_python
import tensorflow as tf

@tf.function
def f(x):
    l = []
    for i in range(3):
        l.append(x * i)
    return l
print(f(tf.constant(5)))

#: loop_list_append_stack
import tensorflow as tf

@tf.function
def f(x):
    l = []
    for i in range(3):
        l.append(x * i)
    return tf.stack(l)
print(f(tf.constant(5)))

#: loop_list_append_tensor
import tensorflow as tf

@tf.function
def f(n):
    l = []
    for i in tf.range(n):
        l.append(i)
    return l
print(f(tf.constant(5)))

#: loop_list_append_branch
import tensorflow as tf

@tf.function
def f(n):
    l = []
    if n > 0:
        l.append(n * 2)
    return l
print(f(tf.constant(5)))

#: loop_tensor_array
import tensorflow as tf

@tf.function
def f(n):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        ta = ta.write(i, i * i)
    return ta.stack()
print(f(tf.constant(5)))

#: loop_tensor_array_if
import tensorflow as tf

@tf.function
def f(n):
    ta = tf.TensorArray(tf.float32, size=n)
    for i in tf.range(n):
        if i % 2 == 0:
            ta = ta.write(i, tf.cast(i, tf.float32))
        else:
            ta = ta.write(i, -1.)
    return ta.stack()
print(f(tf.constant(5)))

#: loop_variable
import tensorflow as tf

v = tf.Variable(0)
@tf.function
def f(n):
    for i in tf.range(n):
        v.assign_add(i)
        if v > 5:
            v.assign_sub(1)
    return v
print(f(tf.constant(5)), v.numpy())

#: loop_captured
import tensorflow as tf

big = tf.range(200)
small = tf.constant([1, 2, 3])
@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        s += big[i] + small[i % 3]
    return s
print(f(tf.constant(5)))

#: loop_print
import tensorflow as tf

@tf.function
def f(n):
    for i in tf.range(n):
        print('tracing', i.dtype)
        tf.print('turn', i)
    return n
print(f(tf.constant(2)))

#: loop_print_while
import tensorflow as tf

@tf.function
def f(n):
    while n > 0:
        print('tracing')
        tf.print('turn', n)
        n -= 1
    return n
print(f(tf.constant(2)))

#: loop_random_state
import tensorflow as tf

@tf.function
def f(n):
    s = tf.constant(0.)
    for _ in tf.range(n):
        s += tf.random.uniform([]) * 0. + 1.
    return s
print(f(tf.constant(4)))

#: loop_fibonacci
import tensorflow as tf

@tf.function
def f(n):
    a, b = 0, 1
    for _ in tf.range(n):
        a, b = b, a + b
    return a
print(f(tf.constant(10)))

#: loop_primes
import tensorflow as tf

@tf.function
def f(n):
    count = 0
    for i in tf.range(2, n):
        prime = True
        for j in tf.range(2, i):
            if i % j == 0:
                prime = False
                break
        if prime:
            count += 1
    return count
print(f(tf.constant(30)))

#: loop_strings
import tensorflow as tf

@tf.function
def f(x):
    s = ''
    for w in x:
        s = tf.strings.join([s, w], '-')
    return s
print(f(tf.constant(["a", "b", "c"])))

#: loop_for_scalar
import tensorflow as tf

@tf.function
def f(x):
    for i in x:
        pass
    return x
print(f(tf.constant(3)))

#: loop_for_else
import tensorflow as tf

@tf.function
def f(x):
    for i in range(3):
        x += i
    else:
        x += 100
    return x
print(f(tf.constant(3)))

#: loop_while_else
import tensorflow as tf

@tf.function
def f(x):
    i = 0
    while i < 3:
        i += 1
    else:
        x += 100
    return x
print(f(tf.constant(3)))

#: loop_condition_vector
import tensorflow as tf

@tf.function
def f(x):
    while x < 3:
        x += 1
    return x
print(f(tf.constant([1, 2])))

#: loop_condition_int
import tensorflow as tf

@tf.function
def f(x):
    while x:
        x -= 1
    return x
print(f(tf.constant(3)))

#: loop_complex_condition
import tensorflow as tf

@tf.function
def f(n, m):
    while n > 0 and m > 0 or n == 7:
        n -= 1
        m -= 2
    return n, m
print(f(tf.constant(9), tf.constant(5)))

#: loop_loop_twice
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    for i in tf.range(n):
        if i > 2:
            break
        s += i
    for i in tf.range(n):
        if i > 3:
            break
        s += i
    return s
print(f(tf.constant(9)))

#: loop_closure_in_loop
import tensorflow as tf

@tf.function
def f(n):
    s = 0
    def add(v):
        nonlocal s
        s = s + v
    for i in range(3):
        add(n)
    return s
print(f(tf.constant(9)))

#: loop_undefined_after_python
import tensorflow as tf

@tf.function
def f(x):
    for i in []:
        y = i
    return y
print(f(tf.constant(9)))

#: loop_ragged_guard
import tensorflow as tf

@tf.function
def f(x):
    total = tf.zeros([])
    for i in tf.range(tf.shape(x)[0]):
        row = x[i]
        if tf.reduce_sum(row) < 0.:
            continue
        total += tf.reduce_sum(row)
    return total
print(f(tf.constant([[1., 2.], [-3., 1.], [2., 2.]])))

#: loop_array_1d_numpy
import tensorflow as tf

import numpy as np
@tf.function
def f(x):
    s = 0
    for v in np.array([1, 2, 3]):
        s += v * x
    return s
print(f(tf.constant(2, tf.int64)))

#: loop_state_python_number
import tensorflow as tf

@tf.function
def f(n):
    i = 0
    x = 1.0
    flag = False
    while i < n:
        i += 1
        x *= 2
        flag = not flag
    return i, x, flag
print(f(tf.constant(3)))

