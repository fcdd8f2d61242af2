"""gradient_flow_cases - Branches and loops whose gradients are held against TensorFlow's.

Each case gets the module and returns ys and xs; for the recorder, under TensorFlow, and for the test,
under Berth: no line knows which.
"""

import numpy as np


def given(tf, *values):
    """Returns values whose shapes are known, and which nobody folds."""
    return [tf.compat.v1.placeholder_with_default(np.array(v, np.float32), np.shape(v)) for v in values]


def shapeless(tf, *values):
    """Returns values of which no size is known."""
    return [tf.compat.v1.placeholder_with_default(np.array(v, np.float32), None) for v in values]


def _cond(pick):
    def case(tf):
        x, w = given(tf, pick, 2.0)
        return tf.cond(x > w, lambda: x * w, lambda: x + w * w), [x, w]
    return case


def _cond_matrix(tf):
    x, w = shapeless(tf, [[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [1.5, -1.0]])
    p = tf.compat.v1.placeholder_with_default(True, [])
    return tf.cond(p, lambda: tf.matmul(x, w), lambda: x) * x, [x, w]


def _cond_one_side(tf):
    x, w = given(tf, 1.0, 2.0)
    return tf.cond(x > w, lambda: w * w, lambda: x * 3.0), [x, w]


def _cond_nested(tf):
    x, w = given(tf, 3.0, 2.0)
    inner = lambda: tf.cond(x > 10.0, lambda: x, lambda: x * w * w)  # noqa: E731
    return tf.cond(x > w, inner, lambda: x + w * w) * x, [x, w]


def _cond_several(tf):
    x, w = given(tf, [3.0, 4.0], 2.0)
    p = tf.compat.v1.placeholder_with_default(False, [])
    a, b = tf.cond(p, lambda: (x * w, x + w), lambda: (x + w, x * x))
    return [a, b * w], [x, w]


def _case(tf):
    x, w = given(tf, 3.0, 2.0)
    y = tf.case([(x < 1.0, lambda: x), (x < 5.0, lambda: x * x * w)], default=lambda: w)
    return y, [x, w]


def _switch_case(tf):
    x, w = given(tf, 3.0, 2.0)
    index = tf.compat.v1.placeholder_with_default(1, [])
    return tf.switch_case(index, [lambda: x, lambda: x * w * x, lambda: w]), [x, w]


def _power(tf):
    x, w = given(tf, 3.0, 2.0)
    return tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * w), [0, x])[1], [x, w]


def _turns(count):
    def case(tf):
        x, w = given(tf, 1.5, 1.2)
        return tf.while_loop(lambda i, y: i < count, lambda i, y: (i + 1, y * w), [0, x])[1], [x, w]
    return case


def _several(tf):
    x, w = given(tf, [1.0, 2.0], [3.0, 4.0])
    found = tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: (i + 1, y * w + z, z * y), [0, x, w])
    return found[1], [x, w]


def _several_shapeless(tf):
    x, w = shapeless(tf, [[1.0, 2.0], [3.0, 4.0]], [0.5, 1.5])
    found = tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: (i + 1, y * w + z, z * y), [0, x, x])
    return found[1:], [x, w]


def _nested(tf):
    x, w = given(tf, 1.5, 1.2)

    def body(i, y):
        z = tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * w * y), [0, y])[1]
        return i + 1, z + y

    return tf.while_loop(lambda i, y: i < 2, body, [0, x])[1], [x, w]


def _nested_shapeless(tf):
    x, w = shapeless(tf, [[0.5, 0.2], [0.3, 0.4]], [0.5, 1.5])

    def body(i, y):
        z, u = tf.while_loop(lambda j, z, u: j < i, lambda j, z, u: (j + 1, z * w + y, z * u), [0, y, y])[1:]
        return i + 1, z + u

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1], [x, w]


def _cond_in_loop(tf):
    x, w = given(tf, 1.5, 1.2)

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * w * y, lambda: y + w)

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1], [x, w]


def _cond_in_loop_shapeless(tf):
    x, w = shapeless(tf, [1.5, 0.5], [1.2, 0.1])

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * w * y, lambda: y + w * w)

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1], [x, w]


def _loop_in_cond(pick):
    def case(tf):
        x, w = given(tf, pick, 1.2)
        loop = lambda: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), [0, x])[1]  # noqa: E731
        return tf.cond(x > 1.0, loop, lambda: x * w), [x, w]
    return case


def _unused(tf):
    x, w = given(tf, 1.5, 1.2)
    found = tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: (i + 1, w * 2.0 * z, z + x), [0, x, w])
    return found[1], [x, w]


def _independent(tf):
    x, w = given(tf, 1.5, 1.2)
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, w * x), [0, x])[1], [x, w]


def _deep(tf):
    x, w = given(tf, 1.5, 1.2)

    def turn(j, z):
        return j + 1, tf.cond(z > 2.0, lambda: z * w, lambda: z * z * w)

    def body(i, y):
        loop = lambda: tf.while_loop(lambda j, z: j < i, turn, [0, y])[1]  # noqa: E731
        return i + 1, tf.cond(y > 1.6, loop, lambda: y * y * w)

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1], [x, w]


def _limited(tf):
    x, w = given(tf, 1.5, 1.2)
    return tf.while_loop(lambda y: y < 100.0, lambda y: [y * w], [x], maximum_iterations=3)[0], [x, w]


def _two_loops(tf):
    x, w = given(tf, 1.1, 1.2)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), [0, x])[1]
    z = tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z * y), [0, y])[1]
    return [z, y * x], [x, w, y]


def _matrix_loop(tf):
    x, w = given(tf, [[1.0, 2.0]], [[0.5, -1.0], [1.5, 0.25]])

    def body(i, y):
        return i + 1, tf.nn.relu(tf.matmul(y, w)) + x

    return tf.while_loop(lambda i, y: i < 5, body, [0, x])[1], [x, w]


def _inside(tf):
    """Gradients that are asked for in a loop, of what is in the same turn."""
    x, w = given(tf, 1.5, 1.2)

    def body(i, y):
        return i + 1, tf.compat.v1.gradients(y * y * w, y)[0]

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1] * x * w, [x]


def _variable(tf):
    v = tf.compat.v1.get_variable('v', initializer=2.0, use_resource=True)
    x, = given(tf, 1.5)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, x])[1]
    return y, [v, x]


def _variable_in_cond(tf):
    v = tf.compat.v1.get_variable('v', initializer=[2.0, 3.0], use_resource=True)
    x, = given(tf, [1.5, 0.5])
    p = tf.compat.v1.placeholder_with_default(True, [])
    return tf.cond(p, lambda: x * v, lambda: x), [v, x]


def _array_loop(tf):
    x, w = given(tf, [1.0, 2.0, 3.0], 2.0)
    source = tf.TensorArray(tf.float32, 3).unstack(x)

    def body(i, array):
        return i + 1, array.write(i, source.read(i) * w)

    array = tf.while_loop(lambda i, array: i < 3, body, [0, tf.TensorArray(tf.float32, 3)])[1]
    return array.stack() * x, [x, w]


def _array_split(tf):
    x, = given(tf, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2]).concat() * x, [x]


def _array_scatter(tf):
    x, = shapeless(tf, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).scatter([2, 0, 1], x)
    return [array.gather([1, 2, 0]) * x, array.read(2) * 3.0], [x]


def _scan(tf):
    x, w = given(tf, [1.0, 2.0, 3.0], 2.0)
    return tf.scan(lambda s, e: s * w + e, x, initializer=w), [x, w]


def _map_fn(tf):
    x, w = given(tf, [[1.0, 2.0], [3.0, 0.5]], 2.0)
    return tf.map_fn(lambda e: e * e * w, x), [x, w]


def _foldl(tf):
    x, w = given(tf, [1.0, 2.0, 3.0], 2.0)
    return tf.foldl(lambda s, e: s * e * w, x), [x, w]


def _foldr(tf):
    x, w = given(tf, [1.0, 2.0, 3.0], 2.0)
    return tf.foldr(lambda s, e: s * e + w, x), [x, w]


def _in_branch(tf):
    """Gradients that are asked for in a branch, of what is in it."""
    x, w = given(tf, 1.5, 1.2)
    return tf.cond(x > w, lambda: tf.compat.v1.gradients(x * x * w, x)[0] * w, lambda: x) * x, [x]


def _references(tf):
    v = tf.compat.v1.get_variable('v', initializer=2.0, use_resource=False)
    x, = given(tf, 1.5)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, x])[1]
    return tf.cond(x > 1.0, lambda: y * v, lambda: v), [v, x]


def _gather_in_loop(tf):
    v = tf.compat.v1.get_variable('v', initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
    x, = given(tf, [1.5, 0.5])
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.gather(v, [i, 2])), [0, tf.stack([x, x])])[1]
    return y, [v, x]


def _gather_in_cond(tf):
    v = tf.compat.v1.get_variable('v', initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
    x, = given(tf, 1.5)
    return tf.cond(x > 1.0, lambda: tf.gather(v, [0, 2, 0]) * x, lambda: v * 2.0), [v, x]


def _growing(tf):
    x, = given(tf, [[1.0, 2.0]])

    def body(i, y):
        return i + 1, tf.concat([y, y[:1] * x], 0)

    invariants = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    return tf.while_loop(lambda i, y: i < 3, body, [0, x], shape_invariants=invariants)[1], [x]


def _doubles(tf):
    x = tf.compat.v1.placeholder_with_default(np.array([0.5, 1.5]), [2])
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1]
    return tf.cond(x[0] > 0.0, lambda: y * x, lambda: x), [x]


def _several_maps(tf):
    x, w = given(tf, [[1.0, 2.0], [3.0, 0.5]], [2.0, 1.0])
    a, b = tf.map_fn(lambda e: (e * w, tf.reduce_sum(e) * w[0]), x, dtype=(tf.float32, tf.float32))
    inner = tf.map_fn(lambda row: tf.map_fn(lambda e: e * e * w[1], row), x)
    return [a, b, inner], [x, w]


def _case_of_loops(tf):
    x, w = given(tf, 1.3, 0.7)

    def times(count):
        return lambda: tf.while_loop(lambda i, y: i < count, lambda i, y: (i + 1, y * w * x), [0, x])[1]

    return tf.while_loop(lambda k, y: k < 3, lambda k, y: (
        k + 1, y * tf.switch_case(k, [times(1), times(2), times(0)])), [0, x])[1], [x, w]


def _invariant_of_loops(tf):
    x, w = given(tf, [1.3, 0.2], [[0.7, 0.1], [0.4, 0.3]])

    def inner(j, z):
        return j + 1, tf.tanh(tf.linalg.matvec(w, z) + x)

    def body(i, y):
        return i + 1, tf.while_loop(lambda j, z: j < 2, inner, [0, y])[1] * x

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1], [x, w]


def _stopped(tf):
    x, w = given(tf, [1.3, 0.2], [0.7, 0.4])

    def body(i, y):
        held = tf.stop_gradient(y) * x
        picked = tf.one_hot(tf.argmax(y), 2) * tf.cast(tf.size(y), tf.float32) + tf.ones_like(y)
        return i + 1, held + w * y * picked

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1], [x, w]


CASES = {
    'stopped': _stopped,
    'in_branch': _in_branch, 'references': _references,
    'gather_in_loop': _gather_in_loop, 'gather_in_cond': _gather_in_cond, 'growing': _growing, 'doubles': _doubles,
    'several_maps': _several_maps, 'case_of_loops': _case_of_loops, 'invariant_of_loops': _invariant_of_loops,
    'array_loop': _array_loop, 'array_split': _array_split, 'array_scatter': _array_scatter, 'scan': _scan,
    'map_fn': _map_fn, 'foldl': _foldl, 'foldr': _foldr,
    'cond_true': _cond(3.0), 'cond_false': _cond(1.0), 'cond_matrix': _cond_matrix, 'cond_one_side': _cond_one_side,
    'cond_nested': _cond_nested, 'cond_several': _cond_several, 'case': _case, 'switch_case': _switch_case,
    'power': _power, 'no_turn': _turns(0), 'one_turn': _turns(1), 'many_turns': _turns(60), 'several': _several,
    'several_shapeless': _several_shapeless, 'nested': _nested, 'nested_shapeless': _nested_shapeless,
    'cond_in_loop': _cond_in_loop, 'cond_in_loop_shapeless': _cond_in_loop_shapeless,
    'loop_in_cond': _loop_in_cond(1.5), 'loop_not_taken': _loop_in_cond(0.5), 'unused': _unused,
    'independent': _independent, 'deep': _deep, 'limited': _limited, 'two_loops': _two_loops,
    'matrix_loop': _matrix_loop, 'inside': _inside, 'variable': _variable, 'variable_in_cond': _variable_in_cond,
}


def run(tf, case, **options):
    """Returns the gradients of |case|, as arrays."""
    with tf.Graph().as_default():
        ys, xs = case(tf)
        found = tf.compat.v1.gradients(ys, xs, **options)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            values = iter(session.run([tf.convert_to_tensor(f) for f in found if f is not None]))
        return [None if f is None else next(values) for f in found]
