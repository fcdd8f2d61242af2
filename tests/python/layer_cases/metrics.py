"""Metrics of TF1: each has a value and an update; both are fetched twice."""

_BEGIN = '''
y = tf.constant([0., 1., 1., 0., 1.]); p = tf.constant([.2, .7, .4, .6, .9]); w = tf.constant([1., 0., 2., 1., .5])
l = tf.placeholder(tf.float32, [None]); u = tf.placeholder(tf.float32); k = tf.constant([[2], [0], [1]], tf.int64)
s = tf.constant([[.1, .2, .7], [.3, .4, .3], [.2, .5, .3]])
feed = {l: [.1, .9, .4, .2, .8], u: [.1, .9, .4, .2, .8]}
steps = 2
def fetch(pair):
    with tf.control_dependencies([pair[1]]): return [pair[1], pair[0]]
'''
_SIMPLE = ('false_negatives false_positives true_negatives true_positives precision recall').split()
_PAIRS = 'mean_absolute_error mean_squared_error root_mean_squared_error'.split()
_THRESHOLDS = ('false_negatives false_positives true_negatives true_positives precision recall').split()

CASES = {name: _BEGIN + code for name, code in {
    'mean': 'out = [tf.metrics.mean(p)[1], tf.metrics.mean(p, w)[1], tf.metrics.mean(l, w, name="m")[1], '
            'tf.metrics.mean(p, 2.0)[1]]; tf.metrics.mean(u, u)',
    'mean_value': 'v, t = tf.metrics.mean(p, w, "values", "updates"); out = t',
    'mean_tensor': 'out = [tf.metrics.mean_tensor(p)[1], tf.metrics.mean_tensor(p, w)[1]]',
    'accuracy': 'out = [tf.metrics.accuracy([1, 0, 2], [1, 1, 2])[1], tf.metrics.accuracy([[1], [0], [2]], [1, 1, 2])[1], '
                'tf.metrics.accuracy([1, 0], [1, 1], [1., 3.])[1], '
                'tf.metrics.accuracy(tf.constant([1, 0], tf.int64), [1, 1], name="a")[1]]',
    'accuracy_fed': 'out = tf.metrics.accuracy(tf.round(l), tf.round(p))[1]',
    'scope': 'with tf.name_scope("eval"): out = [tf.metrics.accuracy([1, 0], [1, 1])[1], '
             'tf.metrics.mean(p)[1]]\nwith tf.variable_scope("e"): tf.metrics.mean(p)',
    **{name: f'out = [tf.metrics.{name}(y, p)[1], tf.metrics.{name}(y, l, w, "values", "updates")[1], '
             f'tf.metrics.{name}(y, p, name="n")[1]]' for name in _PAIRS},
    **{name: f'r = tf.round(p); out = [tf.metrics.{name}(y, r)[1], tf.metrics.{name}(y, r, w, "values", "updates")[1], '
             f'tf.metrics.{name}([True, False], [True, True], name="n")[1]]' for name in _SIMPLE},
    **{f'{name}_at_thresholds': f'out = [tf.metrics.{name}_at_thresholds(y, p, [.3, .5])[1], '
       f'tf.metrics.{name}_at_thresholds(y, l, [.3, .5], w, "values", "updates")[1]]' for name in _THRESHOLDS},
    'auc': 'out = tf.metrics.auc(y, p)[1]; tf.metrics.auc(tf.cast(y, tf.bool), p, w, 10, "values", "updates", name="n")',
    'auc_pr': 'out = [tf.metrics.auc(y, p, num_thresholds=20, curve="PR", summation_method=m)[1] for m in '
              '("trapezoidal", "careful_interpolation", "minoring", "majoring")]',
    'auc_thresholds': 'out = tf.metrics.auc(y, l, thresholds=[.5, .2])[1]',
    'auc_curve': 'tf.metrics.auc(y, p, curve="X")',
    'auc_method': 'tf.metrics.auc(y, p, summation_method="X")',
    'mean_cosine_distance': 'out = tf.metrics.mean_cosine_distance(s, s * 2, 1)[1]',
    'mean_iou': 'out = [tf.metrics.mean_iou(tf.constant([0, 1, 1, 2]), tf.constant([0, 1, 2, 2]), 3)[1], '
                'tf.metrics.mean_iou(tf.constant([0, 1]), tf.constant([1, 1]), 3, tf.constant([.5, 2.]))[1]]',
    'mean_per_class_accuracy': 'out = [tf.metrics.mean_per_class_accuracy(tf.constant([0, 1, 1, 2]), '
                               'tf.constant([0, 1, 2, 2]), 3)[1], tf.metrics.mean_per_class_accuracy('
                               'tf.constant([[0, 1]]), tf.constant([[1, 1]]), 3, tf.constant([[.5, 2.]]))[1]]',
    'mean_relative_error': 'out = tf.metrics.mean_relative_error(y, p, [1., 2., 0., 2., 1.])[1]',
    'percentage_below': 'out = [tf.metrics.percentage_below(p, .5)[1], tf.metrics.percentage_below(p, .5, w)[1]]',
    'sensitivity_at_specificity': 'out = tf.metrics.sensitivity_at_specificity(y, p, 0.5, num_thresholds=20)[1]',
    'specificity_at_sensitivity': 'out = tf.metrics.specificity_at_sensitivity(y, p, 0.5, num_thresholds=20)[1]',
    'specificity_range': 'tf.metrics.sensitivity_at_specificity(y, p, 1.5)',
    'recall_at_k': 'out = [tf.metrics.recall_at_k(k, s, 2)[1], tf.metrics.recall_at_k(k, s, 2, class_id=1)[1], '
                   'tf.metrics.recall_at_k(k, s, 2, weights=[1., 0., 2.])[1]]',
    'recall_at_top_k': 'out = [tf.metrics.recall_at_top_k(k, tf.constant([[2, 1], [1, 2], [0, 1]]), 2)[1], '
                       'tf.metrics.recall_at_top_k(tf.reshape(k, [3]), tf.constant([[2, 1], [1, 2], [0, 1]]))[1]]',
    'precision_at_k': 'out = [tf.metrics.precision_at_k(k, s, 2)[1], tf.metrics.precision_at_k(k, s, 2, class_id=1)[1], '
                      'tf.metrics.precision_at_k(k, s, 2, None, [1., 0., 2.], "values", "updates", "n")[1]]',
    'precision_at_top_k': 'out = tf.metrics.precision_at_top_k(k, tf.constant([[2, 1], [1, 2], [0, 1]]), 2)[1]',
    'sparse_precision_at_k': 'out = tf.metrics.sparse_precision_at_k(k, s, 2)[1]',
    'average_precision_at_k': 'out = [tf.metrics.average_precision_at_k(k, s, 2)[1], '
                              'tf.metrics.average_precision_at_k(k, s, 1, weights=[1., 0., 2.])[1]]',
    'average_precision_sparse': 'l = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0]], tf.constant([2, 1, 0, 9], '
                                'tf.int64), [3, 2]); out = [tf.metrics.sparse_average_precision_at_k(l, s, 2)[1], '
                                'tf.metrics.recall_at_k(l, s, 2)[1]]',
    'average_precision_k': 'tf.metrics.average_precision_at_k(k, s, 0)',
}.items()}
