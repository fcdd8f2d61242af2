"""gradient_call_cases - How tf.gradients and what goes with it are called, and what they refuse.

Each case gets the module and is run in a graph of its own; no line knows whether it is TensorFlow's.
"""

import numpy as np


def given(tf, value):
    """Returns a value that nobody folds."""
    return tf.compat.v1.placeholder_with_default(np.array(value, np.float32), np.shape(value))


def values(tf, *args, **kwargs):
    """Returns what tf.gradients gives, as lists."""
    found = tf.compat.v1.gradients(*args, **kwargs)
    with tf.compat.v1.Session() as session:
        return [None if f is None else session.run(tf.convert_to_tensor(f)).tolist() for f in found]


def _loop(tf, x, **kwargs):
    return tf.compat.v1.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], **kwargs)[1]


def _aggregations(tf):
    x = given(tf, 3.0)
    return [values(tf, x * x * 2.0 + x, x, aggregation_method=method) for method in (None, 0, 1, 2)]


def _aggregation_unknown(tf):
    x = given(tf, 3.0)
    return values(tf, x * x, x, aggregation_method=7)


def _lengths(tf):
    x = given(tf, 3.0)
    return values(tf, x, x, grad_ys=[x, x])


def _complex(tf):
    x = given(tf, 3.0)
    return values(tf, tf.cast(x, tf.complex64), x)


def _slope_of_text(tf):
    x = given(tf, 3.0)
    return values(tf, x * 2.0, x, grad_ys=tf.constant('a'))


def _slope_complex(tf):
    x = given(tf, 3.0)
    return values(tf, x * 2.0, x, grad_ys=tf.constant(1 + 2j))


def _unconnected(tf):
    x, z = given(tf, 3.0), given(tf, [1.0, 2.0])
    return values(tf, x * 2.0, [x, z]), values(tf, x * 2.0, [x, z], unconnected_gradients='zero')


def _unconnected_unknown(tf):
    x = given(tf, 3.0)
    return values(tf, x, x, unconnected_gradients='foo')


def _whole_numbers(tf):
    x = given(tf, 3.0)
    return values(tf, tf.cast(x, tf.int32), x)


def _stops(tf):
    x = given(tf, 3.0)
    a = x * x
    return values(tf, a * x, [x, a], stop_gradients=[a])


def _slopes_given(tf):
    x = given(tf, 3.0)
    return values(tf, [x * x, x * 3.0], [x], grad_ys=[given(tf, 10.0), None])


def _itself(tf):
    x = given(tf, 3.0)
    return values(tf, x, x), values(tf, (x * x,), (x,))


def _twice(tf):
    x = given(tf, 3.0)
    y = x * x
    return values(tf, [y, y], x)


def _no_rule(tf):
    x = given(tf, 3.0)
    return values(tf, tf.raw_ops.SoftsignGrad(gradients=x, features=x), x)


def _no_back_prop(tf):
    x = given(tf, 3.0)
    return values(tf, _loop(tf, x, back_prop=False) + x * x, x)


def _swaps(tf):
    x = given(tf, 3.0)
    return values(tf, _loop(tf, x, swap_memory=True, parallel_iterations=1), x)


def _hessians(tf):
    x, z = given(tf, [1.0, 2.0]), given(tf, [[1.0, 2.0]])
    found = tf.compat.v1.hessians(x * x * x * 2.0, x) + tf.compat.v1.hessians(tf.reduce_sum(z) ** 2, z)
    with tf.compat.v1.Session() as session:
        return [value.tolist() for value in session.run(found)]


def _rows_given(tf):
    x = given(tf, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return values(tf, x * 2.0, x, grad_ys=rows)


def _map_of_number(tf):
    with tf.compat.v1.get_default_graph().gradient_override_map(3):
        return None


def _map_of_numbers(tf):
    with tf.compat.v1.get_default_graph().gradient_override_map({1: 'a'}):
        return None


def _register_number(tf):
    return tf.RegisterGradient(3)


def _no_gradient_number(tf):
    return tf.compat.v1.NoGradient(3)


def _override_missing(tf):
    x = given(tf, 3.0)
    with tf.compat.v1.get_default_graph().gradient_override_map({'Square': 'NoSuch'}):
        y = tf.square(x)
    return values(tf, y, x)


def _too_many(tf):
    @tf.RegisterGradient('TooMany')
    def _(_, d):
        return d, d
    x = given(tf, 3.0)
    with tf.compat.v1.get_default_graph().gradient_override_map({'Square': 'TooMany'}):
        y = tf.square(x)
    return values(tf, y, x)


def _checker(tf):
    x = given(tf, [1.0, 2.0])
    y, start = x * x * x, np.array([1.0, 2.0], np.float32)
    with tf.compat.v1.Session():
        rules, differences = tf.compat.v1.test.compute_gradient(x, [2], y, [2], x_init_value=start)
        error = tf.compat.v1.test.compute_gradient_error(x, [2], y, [2], x_init_value=start)
    return np.round(rules, 1).tolist(), np.round(differences, 1).tolist(), bool(error < 0.1)


CASES = {name[1:]: case for name, case in list(globals().items()) if name.startswith('_') and name[1] != '_'
         and name != '_loop'}


def run(tf, case):
    """Returns what |case| gives, or how it fails."""
    with tf.Graph().as_default():
        try:
            return case(tf)
        except Exception as error:  # pylint: disable=broad-exception-caught
            return f'{type(error).__name__}: {error}'
