"""gradient_modes - Runs a case of gradient_cases in each of the ways there are.

For the recorder, under TensorFlow, and for the test, under Berth: no line knows which.
"""

import numpy as np

GRAPH_MODES = ('constant', 'sizes', 'rank')  # What is known of a shape: all, its rank, nothing.
STEP = 4e-3


def modes(module, case):
    """Returns the modes in which a case of |module| is run as a graph."""
    return GRAPH_MODES[:1] if case in getattr(module, 'STATIC', ()) else GRAPH_MODES


def numbers(shape, seed, low, high, dtype):
    """The same numbers everywhere."""
    values = np.random.RandomState(seed).uniform(low, high, shape)  # pylint: disable=no-member
    if dtype.startswith('complex'):
        values = values + 1j * np.random.RandomState(seed + 1000).uniform(low, high, shape)
    return values.astype('float32' if dtype == 'bfloat16' else dtype)


def split(made):
    """Returns ys, xs and options of what a case returns."""
    ys, xs, *rest = made
    ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    return ys, xs, rest[0] if rest else {}


def maker(tf, mode):
    """Returns what makes the values of a case."""
    def x(shape, seed, low=-1.0, high=1.0, dtype='float32'):
        value = numbers(shape, seed, low, high, dtype)
        if mode == 'constant':
            return tf.constant(value, dtype, name=f'x{seed}')
        known = [None] * len(shape) if mode == 'sizes' else None
        default = tf.constant(value, dtype) if dtype == 'bfloat16' else value
        return tf.compat.v1.placeholder_with_default(default, known, name=f'x{seed}')

    return x


def run(tf, graph, found):
    """Returns the values of gradients."""
    with tf.compat.v1.Session(graph=graph) as session:
        if tf.compat.v1.global_variables():
            session.run(tf.compat.v1.global_variables_initializer())
        given = iter(session.run([tf.convert_to_tensor(f) for f in found if f is not None]))
    return [None if f is None else next(given) for f in found]


def nodes(graph, scope):
    """Returns the nodes of |scope|: names, and types where the name does not say it."""
    def line(op):
        name = op.name[len(scope):]
        base = name.split('/')[-1]
        return name if base.rstrip('0123456789').rstrip('_') == op.type or base == op.type else f'{name}:{op.type}'

    return [line(op) for op in graph.get_operations() if op.name.startswith(scope)]


def in_graph(tf, case, mode):
    """Returns the values of the gradients of |case| and the nodes that compute them."""
    with tf.Graph().as_default() as graph:
        ys, xs, options = split(case(tf, maker(tf, mode)))
        found = tf.compat.v1.gradients(ys, xs, **options)
        made = nodes(graph, 'gradients/')
        return run(tf, graph, found), made


def twice(tf, case):
    """Returns the values of second gradients of |case|, and their nodes.

    The slopes by ys are ys themselves, so that the first gradients depend on those too.
    """
    with tf.Graph().as_default() as graph:
        ys, xs, options = split(case(tf, maker(tf, 'constant')))
        first = tf.compat.v1.gradients(ys, xs, **{**options, 'grad_ys': [tf.identity(y) for y in ys]})
        first = [tf.convert_to_tensor(f) for f in first if f is not None]
        second = tf.compat.v1.gradients(first, xs, [tf.ones_like(f) for f in first])
        made = nodes(graph, 'gradients_1/')
        return run(tf, graph, second), made


def by_tape(tf, case):
    """Returns the gradients of |case| where ops run at once."""
    def x(shape, seed, low=-1.0, high=1.0, dtype='float32'):
        value = tf.constant(numbers(shape, seed, low, high, dtype), dtype)
        tape.watch(value)
        return value

    with tf.GradientTape() as tape:
        ys, asked, options = split(case(tf, x))
    found = tape.gradient(ys, asked, options.get('grad_ys'))
    return [None if f is None else tf.convert_to_tensor(f).numpy() for f in found]


def moved(tf, case, step):
    """Returns the sum of what |case| computes where every input goes |step| along, and by which ways the xs go.

    None where an x is not made by the case's x, or not of a type that is fine enough.
    """
    made = []

    def x(shape, seed, low=-1.0, high=1.0, dtype='float32'):
        way = np.random.RandomState(seed + 2000).uniform(-1, 1, shape)
        value = tf.constant(numbers(shape, seed, low, high, dtype) + step * way, dtype)
        made.append((value, way))
        return value

    ys, asked, options = split(case(tf, x))
    ways = [next((way for value, way in made if value is a), None) for a in asked]
    if len(made) != len(asked) or any(way is None for way in ways):
        return None
    if any(v.dtype.name not in ('float32', 'float64') for v in [*ys, *asked]):
        return None
    weights = options.get('grad_ys') or [1.0] * len(ys)
    total = sum(float(np.sum(np.asarray(y, 'float64') * np.asarray(w, 'float64'))) for y, w in zip(ys, weights))
    return total, ways


def slope_by_differences(tf, case):
    """Returns the slope of the sum of |case| along a way, and the way by each x; None where there is no such thing."""
    high, low = moved(tf, case, STEP), moved(tf, case, -STEP)
    return None if high is None else ((high[0] - low[0]) / (2 * STEP), high[1])
