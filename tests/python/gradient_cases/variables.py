"""Variables, and what is read of them; samples; values that are looked at."""


def _variable(tf, x, shape=(4, 2)):
    value = x(list(shape), 1)
    if tf.executing_eagerly():
        return tf.Variable(value)
    with tf.compat.v1.variable_scope('v', use_resource=True):
        return tf.compat.v1.Variable(tf.reshape(tf.range(8.) / 4, shape), use_resource=True)


def _read(tf, x):
    v = _variable(tf, x)
    return v * v, [v]


def _gather(tf, x):
    v = _variable(tf, x)
    return tf.gather(v, tf.constant([[0, 2], [2, 3]])) * 3, [v]


def _lookup(tf, x):
    v = _variable(tf, x)
    return tf.nn.embedding_lookup(v, tf.constant([1, 1, 0])) * v[0], [v]


def _gather_nd(rows):
    def case(tf, x):
        v = _variable(tf, x)
        return tf.gather_nd(v, tf.constant(rows)) * 3, [v]
    return case


def _reference(tf, x):
    v = tf.compat.v1.Variable([1., 2.], use_resource=False)
    return v * v + v, [v]


def _reference_gather(tf, x):
    v = tf.compat.v1.Variable([[1., 2.], [3., 4.]], use_resource=False)
    return tf.gather(v, [1, 0, 1]) * 2, [v]


def _check(tf, x):
    a = x([2], 1)
    return tf.debugging.check_numerics(a * 2, 'twice') * a, [a]


def _print(tf, x):
    a = x([2], 1)
    return tf.raw_ops.Print(input=a * 2, data=[tf.constant(1)], first_n=0) * a, [a]


def _gamma(tf, x):
    a = x([2], 1, 1, 2)
    return tf.raw_ops.StatelessRandomGammaV2(shape=[3, 2], seed=[1, 2], alpha=a), [a]


def _gamma_scalar(tf, x):
    a = x([], 1, 1, 2)
    return tf.raw_ops.StatelessRandomGammaV2(shape=[3], seed=[1, 2], alpha=a), [a]


CASES = {
    'read': _read, 'gather': _gather, 'lookup': _lookup, 'gather_nd': _gather_nd([[0, 1], [2, 0]]),
    'gather_nd_rows': _gather_nd([[0], [2]]), 'reference': _reference, 'reference_gather': _reference_gather,
    'check': _check, 'print': _print, 'gamma': _gamma, 'gamma_scalar': _gamma_scalar,
}
GRAPH_ONLY = ('reference', 'reference_gather')
ROUGH = ('gamma', 'gamma_scalar')
UNNAMED = ('gather', 'reference_gather')
