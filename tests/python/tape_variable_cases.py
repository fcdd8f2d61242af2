"""tape_variable_cases - Slopes of calls in whose branches and loops variables are read, and written at some time.

Each case gets the module and returns tensors in lists, as those of tape_cases.py do.
"""


def _slopes(tf, function, variables, after=None):
    """Returns what |function| gives for 2, its slopes, and the variables at last."""
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    if after is not None:
        after()
    first = tape.gradient(y, [x, *variables])
    again = tape.gradient(y, [x, *variables])
    return [y, first, again, [v.read_value() for v in variables]]


def _written_after_cond(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        if x > 0.0:
            y = x * v * v
        else:
            y = x
        v.assign_add(1.0)
        return y
    return [_slopes(tf, f, [v]), _slopes(tf, lambda x: f(-x), [v]), _slopes(tf, f, [v])]


def _written_after_loop(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            y = y * v
        v.assign_add(1.0)
        return y
    return [_slopes(tf, lambda x, n=n: f(x, tf.constant(n)), [v]) for n in (2, 0, 3)]


def _written_before_gradient(tf):
    v, w = tf.Variable(2.0), tf.Variable([1.0, 3.0])

    @tf.function
    def f(x):
        y = x
        for i in tf.range(3):
            if i > 0:
                y = y * v * w[1]
            else:
                y = tf.reduce_sum(y * w)
        return y
    return _slopes(tf, f, [v, w], lambda: (v.assign(7.0), w.assign([5.0, 5.0])))


def _written_before_and_after(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign(v * x)
        y = x
        for _ in tf.range(2):
            if y > 0.0:
                y = y * v
        v.assign_add(1.0)
        z = tf.cond(x > 0.0, lambda: y * v, lambda: y)
        v.assign_add(1.0)
        return z
    return [_slopes(tf, f, [v]), _slopes(tf, f, [v])]


def _written_in_branch(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x, training):
        if training:
            y = x * x * v
            v.assign(y)
        else:
            y = x * v
        return y * v
    return [_slopes(tf, lambda x, t=t: f(x, tf.constant(t)), [v]) for t in (True, False, True)]


def _written_in_call(tf):
    v = tf.Variable(2.0)

    @tf.function
    def inner(x):
        y = tf.cond(x > 0.0, lambda: x * v * v, lambda: v)
        v.assign_add(1.0)
        return y

    @tf.function
    def f(x):
        return inner(x) * inner(-x) * inner(x)
    return _slopes(tf, f, [v])


def _other_written_in_loop(tf):
    v, count = tf.Variable(2.0), tf.Variable(0.0)

    @tf.function
    def f(x):
        y = x
        for i in tf.range(3):
            if i > 0:
                y = y * x * v
                count.assign_add(1.0)
            else:
                y = y * v
            count.assign_add(10.0)
        return y
    return [_slopes(tf, f, [v]), count.read_value()]


def _other_written_in_branch(tf):
    v, count = tf.Variable(2.0), tf.Variable(0.0)

    @tf.function
    def f(x):
        if x > 0.0:
            with tf.control_dependencies([count.assign_add(1.0)]):
                y = tf.identity(x * x) * v
        else:
            y = x
        with tf.control_dependencies([count.assign_add(10.0)]):
            return tf.identity(y)
    return [_slopes(tf, f, [v]), count.read_value()]


def _rows_read_in_loop(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function
    def f(x):
        y = x
        for i in tf.range(2):
            y = y * tf.reduce_sum(tf.gather(v.read_value(), [i, 2]))
        v.assign_add(tf.ones([3, 2]))
        return y
    return [tf.convert_to_tensor(part) for part in tf.nest.flatten(_slopes(tf, f, [v]), expand_composites=False)]


def _read_in_condition(tf):
    v = tf.Variable(20.0)

    @tf.function
    def f(x):
        y = x
        while y < v:
            y = y * x
        v.assign(3.0)
        return y
    return [_slopes(tf, f, []), v.read_value()]


def _loops_in_branches(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x, n):
        y = x
        if n > 1:
            for i in tf.range(n):
                for _ in tf.range(i):
                    y = y * v
                y += v
        else:
            y = y * tf.cond(n > 0, lambda: v * v, lambda: x)
        v.assign(-v)
        return y
    return [_slopes(tf, lambda x, n=n: f(x, tf.constant(n)), [v]) for n in (3, 1, 0)]


def _second_after_write(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return x * x * v * v

    @tf.function
    def branch(x):
        y = tf.cond(x > 0.0, lambda: x * x * v * v, lambda: x)
        v.assign_add(1.0)
        return y

    bias = tf.Variable([1.0, 0.5, 0.25])

    @tf.function
    def logits(x):  # Only the slopes of their slopes need them.
        given = tf.nn.bias_add([x * [1.0, 2.0, 0.5]], bias)
        return tf.nn.sparse_softmax_cross_entropy_with_logits([1], given)

    def second(function):
        x = tf.constant(2.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            slope = inner.gradient(y, x)
        v.assign_add(1.0)
        bias.assign_add([1.0, 2.0, 3.0])
        return [slope, outer.gradient(slope, [x, v])]
    return [second(f), second(branch), second(logits)]


CASES = {
    'written_after_cond': _written_after_cond, 'written_after_loop': _written_after_loop,
    'written_before_gradient': _written_before_gradient, 'written_before_and_after': _written_before_and_after,
    'written_in_branch': _written_in_branch, 'written_in_call': _written_in_call,
    'other_written_in_loop': _other_written_in_loop, 'other_written_in_branch': _other_written_in_branch,
    'rows_read_in_loop': _rows_read_in_loop, 'read_in_condition': _read_in_condition,
    'loops_in_branches': _loops_in_branches, 'second_after_write': _second_after_write,
}
