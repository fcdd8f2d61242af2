"""tape_cases - What tf.GradientTape and tf.custom_gradient are held against TensorFlow with.

Each case gets the module and returns tensors in lists and dicts; for the recorder, under TensorFlow, and for
the test, under Berth: no line knows which.
"""

import numpy as np


def show(tf, value):
    """Returns a result as JSON has it."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [show(tf, item) for item in value]
    if isinstance(value, dict):
        return {key: show(tf, item) for key, item in value.items()}
    if isinstance(value, tf.IndexedSlices):
        return ['slices', show(tf, value.values), show(tf, value.indices), show(tf, value.dense_shape)]
    return np.round(np.asarray(value, np.float64), 4).tolist()


def run(tf, case):
    """Returns what |case| gives, or how it fails."""
    try:
        return show(tf, case(tf))
    except Exception as error:  # pylint: disable=broad-exception-caught
        return f'{type(error).__name__}: {error}'


def _tripled(tf):
    """A square whose slope is said to be another."""
    @tf.custom_gradient
    def square(x):
        def grad(dy):
            return dy * 3.0 * x
        return x * x, grad
    return square


def _custom_in_function_outer_tape(tf):
    f = tf.function(lambda x: _tripled(tf)(x) * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, x)


def _custom_var_in_function(tf):
    v = tf.Variable(3.0)
    @tf.custom_gradient
    def g(x):
        def grad(dy, variables=None):
            return dy * v, [dy * x * 10.0 for _ in variables]
        return x * v, grad
    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x) * x
        return t.gradient(y, [x, v])
    return f(tf.constant(2.0))


def _custom_two(tf):
    @tf.custom_gradient
    def g(x, y):
        def grad(da, db):
            return da * 2.0 + db, db * y * 7.0
        return (x * y, x + y), grad
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x, y])
        a, b = g(x, y)
        z = a * b
    return t.gradient(z, [x, y])


def _custom_one_unused(tf):
    @tf.custom_gradient
    def g(x):
        def grad(da, db):
            return da * 2.0 + db
        return (x * x, x + x), grad
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a, b = g(x)
    return t.gradient(a, x)


def _custom_kwargs(tf):
    @tf.custom_gradient
    def g(x, *, k=1.0):
        def grad(dy):
            return dy * k
        return x * k, grad
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = g(x, k=5.0)
    return t.gradient(y, x)


def _custom_wrong_count(tf):
    @tf.custom_gradient
    def g(x, y):
        def grad(dy):
            return dy
        return x * y, grad
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = g(x, x)
    return t.gradient(y, x)


def _custom_no_variables(tf):
    v = tf.Variable(3.0, name='v')
    @tf.custom_gradient
    def g(x):
        def grad(dy):
            return dy
        return x * v, grad
    return g(tf.constant(1.0))


def _custom_var_count(tf):
    v = tf.Variable(3.0)
    @tf.custom_gradient
    def g(x):
        def grad(dy, variables):
            return dy, []
        return x * v, grad
    with tf.GradientTape() as t:
        y = g(tf.constant(1.0))
    return t.gradient(y, v)


def _custom_nested(tf):
    @tf.custom_gradient
    def inner(x, dy):
        def grad(ddy):
            return ddy * 100.0, ddy * 7.0
        return dy * 2.0 * x, grad
    @tf.custom_gradient
    def outer(x):
        def grad(dy):
            return inner(x, dy)
        return x * x, grad
    x = tf.constant(3.0)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = outer(x)
        g = t.gradient(y, x)
    return g, t2.gradient(g, x)


def _custom_method(tf):
    class A:
        @tf.custom_gradient
        def f(self, x):
            def grad(dy):
                return dy * 9.0
            return x * 2.0, grad
    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = A().f(x)
    return t.gradient(y, x)


def _custom_none(tf):
    @tf.custom_gradient
    def g(x, y):
        def grad(dy):
            return None, dy
        return x * y, grad
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x, y])
        z = g(x, y)
    return t.gradient(z, [x, y])


def _recompute(tf):
    v = tf.Variable(3.0)
    r = tf.recompute_grad(lambda x: x * v * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = r(x)
    @tf.function
    def f2(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = r(x)
        return t.gradient(y, [x, v])
    return y, t.gradient(y, [x, v]), f2(x)


def _registered(tf):
    @tf.RegisterGradient('MySquare')
    def _(op, d):
        return d * 100.0
    with tf.Graph().as_default() as g:
        x = tf.constant(3.0)
        with g.gradient_override_map({'Square': 'MySquare'}):
            y = tf.square(x)
        d = tf.compat.v1.gradients(y * tf.square(x), x)
        with tf.compat.v1.Session() as s:
            return s.run(d)


def _loop_in_function_outer(tf):
    @tf.function
    def f(x, w):
        y = x
        for i in tf.range(4):
            if y > 3.0:
                y = y * w
            else:
                y = y * y + w
        return y
    x, w = tf.constant(1.5), tf.constant(1.2)
    with tf.GradientTape() as t:
        t.watch([x, w])
        y = f(x, w)
    return y, t.gradient(y, [x, w])


def _loop_in_function_inner(tf):
    @tf.function
    def f(x, w):
        with tf.GradientTape() as t:
            t.watch([x, w])
            y = x
            i = 0
            while i < tf.constant(4):
                y = y * w
                i += 1
        return y, t.gradient(y, [x, w])
    return f(tf.constant(1.5), tf.constant(1.2))


def _array_in_function(tf):
    @tf.function
    def f(x):
        a = tf.TensorArray(tf.float32, 3)
        s = x
        for i in tf.range(3):
            s = s * x
            a = a.write(i, s)
        return a.stack()
    x = tf.constant(1.5)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return y, t.gradient(y, x)


def _variable_in_loop(tf):
    v = tf.Variable([1.0, 2.0])
    @tf.function
    def f(x):
        for _ in tf.range(3):
            x = x * v
        return x
    x = tf.constant([1.5, 0.5])
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


def _second_function(tf):
    f = tf.function(lambda x: x * x * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return g, t2.gradient(g, x)


def _second_function_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x * x
            g = t.gradient(y, x)
        return g, t2.gradient(g, x)
    return f(tf.constant(2.0))


def _third(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = x * x * x * x
            d1 = c.gradient(y, x)
        d2 = b.gradient(d1, x)
    return d1, d2, a.gradient(d2, x)


def _nested_functions(tf):
    g = tf.function(lambda x: x * x)
    f = tf.function(lambda x: g(x) * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, x)


def _gradients_in_function(tf):
    @tf.function
    def f(x):
        y = x * x
        return tf.gradients(y, x)
    return f(tf.constant(3.0))


def _persistent(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        z = y * x
    return t.gradient(y, x), t.gradient(z, [x, y]), t.gradient([y, z], x)


def _used_twice(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    t.gradient(y, x)
    return t.gradient(y, x)


def _no_watch(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as t:
        y = v * v
    a = t.gradient(y, v)
    with tf.GradientTape(watch_accessed_variables=False) as t:
        t.watch(v)
        y = v * v
    return a, t.gradient(y, v), [w.name for w in t.watched_variables()] and 1


def _stop_rec(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
        with t.stop_recording():
            z = y * y
        w = y + z
    return t.gradient(w, x)


def _stop_rec_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            with t.stop_recording():
                z = y * y
            w = y + z
        return t.gradient(w, x)
    return f(tf.constant(2.0))


def _after_tape_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        z = y * 2.0
        return t.gradient(y, x), t.gradient(z, x) is None if False else 1.0
    return f(tf.constant(2.0))


def _reset(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
        t.reset()
        t.watch(x)
        y = y + x * 3.0
    return t.gradient(y, x)


def _structures(tf):
    x = {'a': tf.constant(2.0), 'b': [tf.constant(3.0), tf.constant(4.0)]}
    with tf.GradientTape() as t:
        t.watch(x)
        y = x['a'] * x['b'][0]
    return t.gradient(y, x)


def _zero_unconnected(tf):
    x, z = tf.constant(2.0), tf.constant([1., 2.])
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = x * x
    return t.gradient(y, [x, z], unconnected_gradients=tf.UnconnectedGradients.ZERO)


def _jacobian(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    return t.jacobian(y, x)


def _jacobian_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x * x
        return t.jacobian(y, x)
    return f(tf.constant([1., 2.]))


def _batch_jacobian(tf):
    x = tf.constant([[1., 2.], [3., 4.]])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    return t.batch_jacobian(y, x)


def _batch_jacobian_function(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        return t.batch_jacobian(y, x)
    return f(tf.constant([[1., 2.], [3., 4.]]))


def _jacobian_var(tf):
    v = tf.Variable([[1., 2.], [3., 4.]])
    x = tf.constant([[1., 2.]])
    with tf.GradientTape(persistent=True) as t:
        y = tf.matmul(x, v)
    return t.jacobian(y, v), t.jacobian(y, [v, x])


def _int_target(tf):
    x = tf.constant(2)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    return t.gradient(y, x)


def _stopg(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * tf.stop_gradient(x * x)
    return t.gradient(y, x)


def _watch_wrong(tf):
    with tf.GradientTape() as t:
        t.watch(3.0)


def _reenter(tf):
    with tf.GradientTape() as t:
        with t:
            pass


def _output_gradients(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    return t.gradient(y, x, output_gradients=tf.constant([10., 1.]))


def _variable_assign(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        y = v * v
        v.assign(5.0)
        z = y * v
    return t.gradient(z, v)


def _py_func(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    return t.gradient(y, x)


def _gradients_eager(tf):
    return tf.gradients(tf.constant(1.0), tf.constant(1.0))


def _no_gradient_op(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.raw_ops.Bucketize(input=x, boundaries=[0.5])
        z = tf.cast(y, tf.float32)
    return t.gradient(z, x)


def _second_cond(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x * x if x > 1.0 else x
            g = t.gradient(y, x)
        return g, t2.gradient(g, x)
    return f(tf.constant(1.5))


def _nested_in_loop_tape(tf):
    @tf.function
    def f(x):
        total = 0.0
        for i in tf.range(3):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x * tf.cast(i, tf.float32)
            total += t.gradient(y, x)
        return total
    return f(tf.constant(2.0))



def _checker(tf):
    rules, differences = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])
    return [np.round(v, 1) for v in rules], [np.round(v, 1) for v in differences]


def _rows(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as t:
        y = tf.gather(v, [0, 2, 0]) * 2.0
    return t.gradient(y, v)


def _forward(tf):
    x, w = tf.constant([2.0, 3.0]), tf.Variable([0.5, 1.5])
    with tf.autodiff.ForwardAccumulator([x, w], [tf.constant([1.0, 10.0]), tf.constant([0.0, 1.0])]) as acc:
        y = tf.reduce_sum(x * x * w)
        z = {'a': y * y, 'b': tf.constant(1.0)}
    return acc.jvp(y), acc.jvp(z), acc.jvp(z['b'], tf.UnconnectedGradients.ZERO), acc.jvp(x)


def _forward_over_back(tf):
    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * x)
        found = tape.gradient(y, x)
    return found, acc.jvp(found)


def _gradients_of_calls(tf):
    v = tf.Variable(2.0)
    inner = tf.function(lambda x, y: (x * x * y, y))
    outer = tf.function(lambda x: inner(x, v)[0] + x)
    loop = tf.function(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1])

    @tf.function
    def slopes(x):
        return tf.gradients(outer(x) * x, x), tf.gradients(loop(x), x)

    return slopes(tf.constant(3.0))


CUSTOM = {
    'custom_in_function_outer_tape': _custom_in_function_outer_tape,
    'custom_var_in_function': _custom_var_in_function, 'custom_two': _custom_two,
    'custom_one_unused': _custom_one_unused, 'custom_kwargs': _custom_kwargs,
    'custom_wrong_count': _custom_wrong_count, 'custom_no_variables': _custom_no_variables,
    'custom_var_count': _custom_var_count, 'custom_nested': _custom_nested, 'custom_method': _custom_method,
    'custom_none': _custom_none, 'recompute': _recompute, 'registered': _registered,
}
TAPE = {
    'gradients_of_calls': _gradients_of_calls,
    'checker': _checker, 'rows': _rows, 'forward': _forward, 'forward_over_back': _forward_over_back,
    'loop_in_function_outer': _loop_in_function_outer, 'loop_in_function_inner': _loop_in_function_inner,
    'array_in_function': _array_in_function, 'variable_in_loop': _variable_in_loop,
    'second_function': _second_function, 'second_function_inside': _second_function_inside, 'third': _third,
    'nested_functions': _nested_functions, 'gradients_in_function': _gradients_in_function, 'persistent': _persistent,
    'used_twice': _used_twice, 'no_watch': _no_watch, 'stop_rec': _stop_rec, 'stop_rec_function': _stop_rec_function,
    'after_tape_function': _after_tape_function, 'reset': _reset, 'structures': _structures,
    'zero_unconnected': _zero_unconnected, 'jacobian': _jacobian, 'jacobian_function': _jacobian_function,
    'batch_jacobian': _batch_jacobian, 'batch_jacobian_function': _batch_jacobian_function,
    'jacobian_var': _jacobian_var, 'int_target': _int_target, 'stopg': _stopg, 'watch_wrong': _watch_wrong,
    'reenter': _reenter, 'output_gradients': _output_gradients, 'variable_assign': _variable_assign,
    'py_func': _py_func, 'gradients_eager': _gradients_eager, 'no_gradient_op': _no_gradient_op,
    'second_cond': _second_cond, 'nested_in_loop_tape': _nested_in_loop_tape,
}
