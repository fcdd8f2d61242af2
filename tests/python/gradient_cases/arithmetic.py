"""Ops of two inputs that broadcast, and products."""


def _broadcast(op):
    def case(tf, x):
        a, b = x([2, 3, 4], 1, 0.5, 2), x([3, 1], 2, 0.5, 2)
        return op(tf)(a, b), [a, b]
    return case


def _same(op):
    def case(tf, x):
        a, b = x([2, 3], 1, 0.5, 2), x([2, 3], 2, 0.5, 2)
        return op(tf)(a, b), [a, b]
    return case


def _matmul(turn_a, turn_b):
    def case(tf, x):
        a = x([4, 3] if turn_a else [3, 4], 1)
        b = x([2, 4] if turn_b else [4, 2], 2)
        return tf.matmul(a, b, turn_a, turn_b), [a, b]
    return case


def _reused(tf, x):
    a, b = x([2, 2], 1), x([2], 2)
    y = tf.matmul(a, a) + b
    z = tf.nn.relu(y) * y + b
    return z, [a, b], {'gate_gradients': True}


CASES = {
    'add': _broadcast(lambda tf: tf.add),
    'add_same': _same(lambda tf: tf.add),
    'subtract': _broadcast(lambda tf: tf.subtract),
    'multiply': _broadcast(lambda tf: tf.multiply),
    'multiply_same': _same(lambda tf: tf.multiply),
    'divide': _broadcast(lambda tf: tf.divide),
    'matmul': _matmul(False, False),
    'matmul_ta': _matmul(True, False),
    'matmul_tb': _matmul(False, True),
    'matmul_ta_tb': _matmul(True, True),
    'reused': _reused,
}
