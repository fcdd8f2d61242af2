"""Sums, products and extremes: along axes, up to each element, of segments."""


def _reduce(op, axis=1, keepdims=False, shape=(2, 3, 2), dtype='float32', low=0.5):
    def case(tf, x):
        a = x(list(shape), 1, low, 2, dtype)
        y = getattr(tf, op)(a, axis, keepdims)
        options = {'grad_ys': [tf.zeros_like(y) + (2 + 1j)]} if dtype == 'complex64' else {}
        return y, [a], options
    return case


def _two_sums(tf, x):
    a = x([2, 3], 1)
    b = tf.reduce_sum(a, 1) * tf.reduce_sum(a, -1) * tf.reduce_sum(a * a, 1)
    return b, [a]


def _ties(op):
    def case(tf, x):
        a = tf.concat([x([2, 2], 1), tf.ones([2, 2]) * (3 if op == 'reduce_max' else -3)], 1)
        return getattr(tf, op)(a, 1) * [2., 3.], [a]
    return case


def _product_with_zero(tf, x):
    a = x([2, 3], 1)
    b = a * tf.constant([[0., 1., 1.], [0., 0., 1.]])
    return tf.reduce_prod(b, 1), [a]


def _scan(op, **how):
    def case(tf, x):
        a = x([2, 3], 1, 0.5, 2)
        return getattr(tf, op)(a, **how), [a]
    return case


def _logsumexp(**how):
    def case(tf, x):
        a = x([2, 3], 1)
        y = tf.math.cumulative_logsumexp(a, axis=1, **how)
        return y, [a], {'grad_ys': [tf.constant([[1., -2., 3.], [2., 1., -1.]])]}
    return case


def _segment(op):
    def case(tf, x):
        a = x([5, 2], 1, 0.5, 2)
        return getattr(tf.math, f'segment_{op}')(a, tf.constant([0, 0, 1, 3, 3])), [a]
    return case


def _unsorted(op, zeros=False):
    def case(tf, x):
        a = x([5, 2], 1, 0.5, 2)
        b = a * [[0.], [1.], [0.], [0.], [1.]] if zeros else a
        return getattr(tf.math, f'unsorted_segment_{op}')(b, tf.constant([2, 0, 2, -1, 0]), 3), [a]
    return case


def _segment_zeros(tf, x):
    a = x([5, 2], 1, 0.5, 2)
    b = a * [[0.], [1.], [0.], [0.], [1.]]
    return tf.math.segment_prod(b, tf.constant([0, 0, 1, 1, 2])), [a]


def _sparse_segment(op, **how):
    def case(tf, x):
        a = x([5, 2], 1)
        y = getattr(tf.raw_ops, op)(data=a, indices=[4, 0, 0, 2], segment_ids=[0, 0, 1, 2], **how)
        return y, [a]
    return case


_OPS = ('reduce_sum', 'reduce_mean', 'reduce_max', 'reduce_min', 'reduce_prod')
def _isotonic(tf, x):
    a = x([3, 5], 1, dtype='float32')
    y = tf.raw_ops.IsotonicRegression(input=a)
    return y.output * [1., 2., 3., 4., 5.], [a]


CASES = {f'{op[7:]}': _reduce(op) for op in _OPS}
CASES.update({f'{op[7:]}_all': _reduce(op, None) for op in _OPS})
CASES.update({f'{op[7:]}_kept': _reduce(op, -1, True) for op in _OPS})
CASES.update({f'{op[7:]}_axes': _reduce(op, [-1, 0]) for op in _OPS})
CASES.update({f'{op[7:]}_half': _reduce(op, dtype='float16', shape=(2, 3)) for op in _OPS})
CASES.update({f'{op[7:]}_complex': _reduce(op, dtype='complex64', shape=(2, 3))
              for op in ('reduce_sum', 'reduce_mean', 'reduce_prod')})
CASES.update({f'{op[7:]}_empty': _reduce(op, shape=(2, 0)) for op in ('reduce_sum', 'reduce_mean')})
CASES.update({
    'no_axes': _reduce('reduce_sum', []), 'sum_scalar': _reduce('reduce_sum', None, shape=()),
    'isotonic': _isotonic, 'two_sums': _two_sums, 'max_ties': _ties('reduce_max'), 'min_ties': _ties('reduce_min'),
    'product_with_zero': _product_with_zero,
    'logsumexp': _reduce('reduce_logsumexp', low=-1),
    'cumsum': _scan('cumsum', axis=1), 'cumsum_exclusive': _scan('cumsum', axis=-1, exclusive=True),
    'cumsum_reverse': _scan('cumsum', reverse=True),
    'cumprod': lambda tf, x: _scan('cumprod', axis=1)(tf.math, x),
    'cumprod_both': lambda tf, x: _scan('cumprod', axis=0, exclusive=True, reverse=True)(tf.math, x),
    'cumulative_logsumexp': _logsumexp(), 'cumulative_logsumexp_reverse': _logsumexp(reverse=True, exclusive=True),
})
CASES.update({f'segment_{op}': _segment(op) for op in ('sum', 'mean', 'min', 'max', 'prod')})
CASES.update({f'unsorted_segment_{op}': _unsorted(op) for op in ('sum', 'min', 'max', 'prod')})
CASES.update({
    'unsorted_segment_prod_zeros': _unsorted('prod', True), 'segment_prod_zeros': _segment_zeros,
    'sparse_segment_sum': _sparse_segment('SparseSegmentSum'),
    'sparse_segment_mean': _sparse_segment('SparseSegmentMean'),
    'sparse_segment_sqrt_n': _sparse_segment('SparseSegmentSqrtN'),
    'sparse_segment_sum_count': _sparse_segment('SparseSegmentSumWithNumSegments', num_segments=4),
    'sparse_segment_mean_count': _sparse_segment('SparseSegmentMeanWithNumSegments', num_segments=4),
    'sparse_segment_sqrt_n_count': _sparse_segment('SparseSegmentSqrtNWithNumSegments', num_segments=4),
    'sparse_segment_rows': _sparse_segment('SparseSegmentSum', sparse_gradient=True),
    'sparse_segment_mean_rows': _sparse_segment('SparseSegmentMean', sparse_gradient=True),
})
ROUGH = ('max_ties', 'min_ties', 'mean_empty', 'cumulative_logsumexp_reverse', 'unsorted_segment_min',
         'unsorted_segment_max')
# TensorFlow's rule goes through the rows one by one, and needs to know how many there are.
STATIC = ('isotonic',)
RENAMED = ('isotonic',)
UNNAMED = ([name for name in CASES if name.startswith(('prod', 'segment_', 'unsorted_segment_'))])
