"""Functions of two values that broadcast, choices, products of batches, complex values."""


def _member(tf, name):
    for part in name.split('.'):
        tf = getattr(tf, part)
    return tf


def _two(name, shapes=((2, 3), (3,)), low=0.5, high=2.0, dtype='float32'):
    def case(tf, x):
        a, b = x(list(shapes[0]), 1, low, high, dtype), x(list(shapes[1]), 2, low, high, dtype)
        function = _member(tf, name)
        y = function(x=a, y=b) if name.startswith('raw_ops') else function(a, b)
        return y, [a, b], {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if dtype == 'complex64' else {}
    return case


def _raw(name, shapes=((2, 3), (3,)), first='x', second='y', low=0.5, high=2.0):
    def case(tf, x):
        a, b = x(list(shapes[0]), 1, low, high), x(list(shapes[1]), 2, low, high)
        return getattr(tf.raw_ops, name)(**{first: a, second: b}), [a, b]
    return case


def _where(shapes):
    def case(tf, x):
        a, b = x(list(shapes[0]), 1), x(list(shapes[1]), 2)
        return tf.where(tf.constant([[True, False, True], [False, False, True]]), a, b), [a, b]
    return case


def _select(tf, x):
    a, b = x([2, 3], 1), x([2, 3], 2)
    return tf.raw_ops.Select(condition=tf.constant([True, False]), x=a, y=b), [a, b]


def _clip(shape):
    def case(tf, x):
        a, low, high = x([2, 3], 1, -2, 2), x(shape, 2, -1.5, -0.5), x(shape, 3, 0.5, 1.5)
        return tf.raw_ops.ClipByValue(t=a, clip_value_min=low, clip_value_max=high), [a, low, high]
    return case


def _betainc(tf, x):
    a, b, c = x([2, 3], 1, 0.5, 2), x([2, 3], 2, 0.5, 2), x([2, 3], 3, 0.1, 0.9)
    return tf.math.betainc(a, b, c), [a, b, c]


def _cast(kind, to):
    def case(tf, x):
        a = x([3], 1, dtype=kind)
        y = tf.cast(a, to)
        return y, [a], {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if to == 'complex64' else {}
    return case


def _part(name):
    def case(tf, x):
        a = x([2, 2], 1, 0.3, 1, 'complex64')
        return _member(tf, name)(a), [a]
    return case


def _conj(tf, x):
    a = x([3], 1, dtype='complex64')
    return tf.math.conj(a) * a, [a], {'grad_ys': [tf.constant(2 + 1j, 'complex64', [3])]}


def _matmul(a_shape, b_shape, dtype='float32', **turn):
    def case(tf, x):
        a, b = x(a_shape, 1, dtype=dtype), x(b_shape, 2, dtype=dtype)
        y = tf.matmul(a, b, **turn)
        return y, [a, b], {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if dtype == 'complex64' else {}
    return case


def _add_n(tf, x):
    a, b = x([2], 1), x([2], 2)
    return tf.add_n([a, b, a]) * a, [a, b]


_SAME = ((2, 3), (2, 3))
_PAIRS = ('add', 'subtract', 'multiply', 'divide', 'pow', 'maximum', 'minimum', 'math.squared_difference',
          'math.floormod', 'math.divide_no_nan', 'raw_ops.MulNoNan', 'atan2', 'math.xlogy', 'math.xlog1py',
          'raw_ops.Xdivy', 'math.igamma', 'math.igammac', 'math.floordiv', 'math.nextafter')
CASES = {name.rpartition('.')[2]: _two(name) for name in _PAIRS}
CASES.update({f'{name.rpartition(".")[2]}_same': _two(name, _SAME) for name in _PAIRS})
CASES.update({f'{name}_complex': _two(name, dtype='complex64') for name in ('multiply', 'divide', 'pow', 'subtract')})
CASES.update({f'{name}_same_double': _two(name, _SAME, dtype='float64') for name in ('multiply', 'add', 'divide')})
CASES.update({f'{name}_empty': _two(name, ((0, 3), (3,))) for name in ('multiply', 'add')})
CASES.update({f'{name}_half': _two(name, dtype=kind) for name, kind in (('multiply', 'float16'), ('pow', 'bfloat16'))})
CASES.update({
    'scalar': _two('multiply', ((2, 3), ())), 'both_broadcast': _two('divide', ((2, 1, 3), (4, 1))),
    'div': _raw('Div'), 'truncate_div': _raw('TruncateDiv'),
    'zeta': _raw('Zeta', _SAME, 'x', 'q', 1.5, 3), 'polygamma': _two('math.polygamma', _SAME, 1, 3),
    'betainc': _betainc, 'where': _where(((2, 3), (3,))), 'where_same': _where(_SAME), 'select': _select,
    'clip': _clip([]), 'cross': _two('linalg.cross', _SAME), 'add_n': _add_n,
    'cast_up': _cast('float32', 'float64'), 'cast_down': _cast('float64', 'float16'), 'cast_int': _cast('float32', 'int32'),
    'cast_complex': _cast('float32', 'complex64'), 'cast_real': _cast('complex64', 'float32'),
    'complex': lambda tf, x: (tf.math.real(tf.complex(*(p := [x([2], 1), x([2], 2)])) * (1 + 2j)), p),
    'real': _part('math.real'), 'imag': _part('math.imag'), 'angle': _part('math.angle'), 'complex_abs': _part('abs'),
    'conj': _conj,
    'batch': _matmul([2, 3, 4], [2, 4, 2]), 'batch_ta': _matmul([2, 4, 3], [2, 4, 2], transpose_a=True),
    'batch_tb': _matmul([2, 3, 4], [2, 2, 4], transpose_b=True),
    'batch_ta_tb': _matmul([2, 4, 3], [2, 2, 4], transpose_a=True, transpose_b=True),
    'batch_broadcast': _matmul([2, 3, 4], [4, 2]), 'batch_broadcast_ones': _matmul([2, 1, 3, 4], [3, 4, 2]),
    'batch_adjoint': _matmul([2, 4, 3], [2, 4, 2], 'complex64', adjoint_a=True),
    'matmul_complex': _matmul([4, 3], [2, 4], 'complex64', adjoint_a=True, transpose_b=True),
    'matmul_half': _matmul([3, 4], [4, 2], 'float16'), 'matmul_bfloat16': _matmul([3, 4], [4, 2], 'bfloat16'),
})
ROUGH = ('floordiv', 'floordiv_same', 'truncate_div', 'nextafter', 'nextafter_same', 'zeta', 'polygamma', 'betainc',
         'cast_int', 'floormod', 'floormod_same')
UNNAMED = ('xlogy', 'xlog1py', 'Xdivy', 'nextafter', 'xlogy_same', 'xlog1py_same', 'Xdivy_same', 'nextafter_same', 'zeta',
           'polygamma', 'betainc', 'clip', 'batch_broadcast', 'batch_broadcast_ones')
