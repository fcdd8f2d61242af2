"""gradient_second_cases - Slopes of slopes of loops, in functions: to the third order, as TensorFlow computes them.

Each case gets the module and a number, for the recorder, under TensorFlow, and for the test, under Berth.
"""


def _loop(tf, turns, turn, start):
    return tf.while_loop(lambda i, y: i < turns, lambda i, y: (i + 1, turn(y)), [0, start])[1]


def _written(tf, x):
    array = tf.TensorArray(tf.float32, 3)
    return tf.while_loop(lambda i, array, y: i < 3, lambda i, array, y: (i + 1, array.write(i, tf.sin(y)), y * x),
                         [0, array, x])[1].stack()


def _called(tf, x):
    def inside(y):
        return _loop(tf, 3, lambda z: tf.tanh(z * 1.1 + x), y)
    return tf.function(inside)(x)


CASES = {
    'power': lambda tf, x: _loop(tf, 3, lambda y: y * x, x),
    'sine': lambda tf, x: _loop(tf, 3, lambda y: y * x + tf.sin(y), x),
    'no_turn': lambda tf, x: _loop(tf, 0, lambda y: y * x, x),
    'branch_in_loop': lambda tf, x: _loop(
        tf, 3, lambda y: tf.cond(y > 0.7, lambda: tf.sin(y) * x, lambda: y * y * x), x),
    'constant_in_branch': lambda tf, x: _loop(tf, 3, lambda y: tf.cond(y > 0.7, lambda: x * x, lambda: y * x), x),
    'loop_in_branch': lambda tf, x: tf.cond(
        x > 0.0, lambda: _loop(tf, 3, lambda y: tf.sin(y) * x, x), lambda: x * x * x),
    'loops': lambda tf, x: _loop(tf, 3, lambda y: _loop(tf, 2, lambda z: tf.sin(z) * y + x, y), x),
    'loop_in_branch_in_loop': lambda tf, x: _loop(
        tf, 3, lambda y: tf.cond(y > 0.7, lambda: _loop(tf, 2, lambda z: tf.sin(z) * y + x, y), lambda: y * y * x), x),
    'one_after_another': lambda tf, x: _loop(tf, 2, lambda y: y * tf.sin(x), _loop(tf, 3, lambda y: y * x, x)),
    'branch_after': lambda tf, x: tf.cond(x < 0.0, lambda: tf.sin(_loop(tf, 3, lambda y: y * x, x)), lambda: x * x),
    'array': lambda tf, x: tf.reduce_sum(_written(tf, x)),
    'map': lambda tf, x: tf.reduce_sum(tf.map_fn(lambda a: tf.sin(a * x) * x, tf.stack([x, x * x]))),
    'scan': lambda tf, x: tf.reduce_sum(tf.scan(lambda a, b: tf.sin(a * x) * b, tf.stack([x, x * x, x]), x)),
    'rows': lambda tf, x: _loop(tf, 3, lambda y: y + tf.gather(tf.stack([x, x * x]), [1])[0] * y, x),
    'call': _called,
}
STARTS = (0.8, -0.6)


def run(tf, case, start, inside=True):
    """Returns the value of |case| and its slopes of three orders; taken in a function, or by tapes around one."""
    value = (lambda x: case(tf, x)) if inside else tf.function(lambda x: case(tf, x))

    def third(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as middle:
                middle.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = value(x)
                slope = inner.gradient(y, x)
            second = middle.gradient(slope, x)
        return y, slope, second, outer.gradient(second, x)

    found = (tf.function(third) if inside else third)(tf.constant(start))
    return [None if value is None else float(f'{float(value):.7g}') for value in found]
