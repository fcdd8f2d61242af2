"""random_gradients - Small random programs of nested branches and loops, whose gradients are compared.

A number makes a program; the same one everywhere, under TensorFlow and under Berth.
"""

import numpy as np

SEEDS = range(60)


class Program:
    """A function of two vectors, made from a number."""

    def __init__(self, tf, seed):
        self._tf, self._random = tf, np.random.RandomState(seed)  # pylint: disable=no-member

    def _number(self, count):
        return int(self._random.randint(count))

    def _pick(self, values):
        return values[self._number(len(values))]

    def value(self, values, depth):
        """Returns something that depends on one or two of |values|, and stays small."""
        kind = self._number(8 if depth > 0 else 5)
        a, b = self._pick(values), self._pick(values)
        if kind >= 6:
            return self._branch(values, depth - 1)
        if kind == 5:
            return self._loop(values, depth - 1)
        return [lambda: self._tf.tanh(a * b), lambda: self._tf.sin(a) + 0.5 * b, lambda: a - 0.3 * b * b,
                lambda: self._tf.tanh(a) * b, lambda: self._tf.sigmoid(a + b)][kind]()

    def block(self, values, depth):
        """Returns the last of a few such values, each of which may use those before."""
        values = list(values)
        for _ in range(1 + self._number(3)):
            values.append(self.value(values, depth))
        return self._tf.tanh(values[-1])

    def _branch(self, values, depth):
        decides = self._tf.reduce_sum(self._pick(values)) > float(self._random.uniform(-1, 1))
        seeds = self._random.randint(1 << 30, size=2)

        def side(seed):
            return lambda: Program(self._tf, seed).block(values, depth)

        return self._tf.cond(decides, side(seeds[0]), side(seeds[1]))

    def _loop(self, values, depth):
        turns, seed = 1 + self._number(3), self._random.randint(1 << 30)
        start = [self._pick(values), self._pick(values)]

        def body(i, a, b):
            made = Program(self._tf, seed)
            return i + 1, made.block([*values, a, b], depth), made.block([a, b], depth)

        found = self._tf.while_loop(lambda i, a, b: i < turns, body, [0, *start])
        return found[1] + (found[2] if self._number(2) else 0.0)


def gradients(tf, seed):
    """Returns the value of a program, and its gradients."""
    with tf.Graph().as_default():
        x, w = [tf.compat.v1.placeholder_with_default(np.array(v, np.float32), [2]) for v in ([0.4, -0.7], [0.9, 0.2])]
        y = tf.reduce_sum(Program(tf, seed).block([x, w], 3))
        slopes = tf.compat.v1.gradients(y, [x, w], unconnected_gradients='zero')
        with tf.compat.v1.Session() as session:
            return [float(f'{n:.7g}') for value in session.run([y, *slopes]) for n in np.reshape(value, [-1])]


def by_differences(tf, seed, step=1e-3):
    """Returns the slope of a program along a way, and that way."""
    way = np.random.RandomState(seed).uniform(-1, 1, [2, 2])  # pylint: disable=no-member
    with tf.Graph().as_default():
        inputs = [tf.compat.v1.placeholder(tf.float32, [2]) for _ in range(2)]
        y = tf.reduce_sum(Program(tf, seed).block(inputs, 3))
        start, ends = np.array([[0.4, -0.7], [0.9, 0.2]]), []
        with tf.compat.v1.Session() as session:
            for sign in (1, -1):
                ends.append(session.run(y, dict(zip(inputs, start + sign * step * way))))
    return (float(ends[0]) - float(ends[1])) / (2 * step), way.reshape(-1)
