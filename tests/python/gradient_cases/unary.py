"""Functions of one value."""

_PLAIN = {
    'abs': (-1, 1), 'negative': (-1, 1), 'math.reciprocal': (0.5, 2), 'square': (-1, 1), 'sqrt': (0.5, 2),
    'math.rsqrt': (0.5, 2), 'exp': (-1, 1), 'math.expm1': (-1, 1), 'math.log': (0.5, 2), 'math.log1p': (-0.5, 1),
    'sin': (-1, 1), 'cos': (-1, 1), 'tan': (-1, 1), 'asin': (-0.8, 0.8), 'acos': (-0.8, 0.8), 'atan': (-1, 1),
    'sinh': (-1, 1), 'cosh': (-1, 1), 'tanh': (-1, 1), 'asinh': (-1, 1), 'acosh': (1.5, 3), 'atanh': (-0.8, 0.8),
    'sigmoid': (-1, 1), 'math.erf': (-1, 1), 'math.erfc': (-1, 1), 'math.erfinv': (-0.8, 0.8),
    'math.ndtri': (0.1, 0.9), 'math.lgamma': (0.5, 3), 'math.digamma': (0.5, 3), 'sign': (-1, 1),
    'floor': (-1, 1), 'math.ceil': (-1, 1), 'round': (-1, 1), 'math.rint': (-1, 1),
}
_COMPLEX = ('negative', 'math.reciprocal', 'square', 'sqrt', 'math.rsqrt', 'exp', 'math.expm1', 'math.log', 'math.log1p',
            'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'sigmoid')
_SPECIAL = {
    'dawsn': (-1, 1), 'expint': (0.5, 2), 'fresnel_cos': (-1, 1), 'fresnel_sin': (-1, 1), 'spence': (0.5, 2),
    'bessel_i0': (-1, 1), 'bessel_i0e': (-1, 1), 'bessel_i1': (-1, 1), 'bessel_i1e': (-1, 1), 'bessel_k0': (0.5, 2),
    'bessel_k0e': (0.5, 2), 'bessel_k1': (0.5, 2), 'bessel_k1e': (0.5, 2), 'bessel_j0': (-1, 1),
    'bessel_j1': (-1, 1), 'bessel_y0': (0.5, 2), 'bessel_y1': (0.5, 2),
}


def _member(tf, name):
    for part in name.split('.'):
        tf = getattr(tf, part)
    return tf


def _case(name, low, high, dtype):
    def case(tf, x):
        a = x([2, 2], 1, low, high, dtype)
        y = _member(tf, name)(a)
        return y, [a], {'grad_ys': [tf.constant(2 + 1j, y.dtype, [2, 2])]} if dtype == 'complex64' else {}
    return case


def _name(name, dtype):
    short = name.rpartition('.')[2]
    return short if dtype == 'float32' else f'{short}_{dtype}'


CASES = {_name(n, 'float32'): _case(n, *_PLAIN[n], 'float32') for n in _PLAIN}
CASES.update({_name(n, 'complex64'): _case(n, 0.3, 0.7, 'complex64') for n in _COMPLEX})
CASES.update({_name(n, 'float32'): _case(f'math.special.{n}', *_SPECIAL[n], 'float32') for n in _SPECIAL})
CASES.update({_name(n, 'float64'): _case(n, *_PLAIN[n], 'float64') for n in ('tanh', 'math.erf', 'square', 'atan')})
CASES.update({_name(n, t): _case(n, *_PLAIN[n], t) for n in ('tanh', 'math.log', 'sigmoid') for t in ('float16', 'bfloat16')})
CASES.update({f'{n}_float64': _case(f'math.special.{n}', *_SPECIAL[n], 'float64') for n in ('bessel_i1', 'spence')})
ROUGH = ('floor', 'ceil', 'round', 'rint')
