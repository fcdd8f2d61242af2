"""gradient_modes - Runs a case of gradient_cases in each of the ways there are.

For the recorder, under TensorFlow, and for the test, under Berth: no line knows which.
"""

import numpy as np

GRAPH_MODES = ('constant', 'sizes', 'rank')  # What is known of a shape: all, its rank, nothing.


def numbers(shape, seed, low, high, dtype):
    """The same numbers everywhere."""
    values = np.random.RandomState(seed).uniform(low, high, shape)  # pylint: disable=no-member
    if np.dtype(dtype).kind == 'c':
        values = values + 1j * np.random.RandomState(seed + 1000).uniform(low, high, shape)
    return values.astype(dtype)


def split(made):
    """Returns ys, xs and options of what a case returns."""
    ys, xs, *rest = made
    return ys, xs, rest[0] if rest else {}


def in_graph(tf, case, mode):
    """Returns the values of the gradients of |case| and the names of all nodes."""
    with tf.Graph().as_default() as graph:
        def x(shape, seed, low=-1.0, high=1.0, dtype='float32'):
            value = numbers(shape, seed, low, high, dtype)
            if mode == 'constant':
                return tf.constant(value, name=f'x{seed}')
            known = [None] * len(shape) if mode == 'sizes' else None
            return tf.compat.v1.placeholder_with_default(value, known, name=f'x{seed}')

        ys, xs, options = split(case(tf, x))
        found = tf.compat.v1.gradients(ys, xs, **options)
        with tf.compat.v1.Session(graph=graph) as session:
            values = session.run([tf.convert_to_tensor(f) for f in found if f is not None])
        given = iter(values)
        names = [f'{op.name} {op.type}' for op in graph.get_operations()]
        return [None if f is None else next(given) for f in found], names


def by_tape(tf, case):
    """Returns the gradients of |case| where ops run at once."""
    xs = []

    def x(shape, seed, low=-1.0, high=1.0, dtype='float32'):
        xs.append(tf.constant(numbers(shape, seed, low, high, dtype)))
        tape.watch(xs[-1])
        return xs[-1]

    with tf.GradientTape() as tape:
        ys, asked, options = split(case(tf, x))
    found = tape.gradient(ys, asked, options.get('grad_ys'))
    return [None if f is None else tf.convert_to_tensor(f).numpy() for f in found]
