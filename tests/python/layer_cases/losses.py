"""Losses of TF1."""

_BEGIN = '''
p = tf.constant([[.1, .8, .3], [.5, .2, .9]]); y = tf.constant([[0., 1., 0.], [1., 0., 1.]])
q = tf.placeholder(tf.float32, [None, 3]); u = tf.placeholder(tf.float32)
feed = {q: [[.2, .4, .6], [.1, .7, .3]], u: [[.2, .4, .6], [.1, .7, .3]]}
'''

CASES = {name: _BEGIN + code for name, code in {
    'absolute_difference': 'out = tf.losses.absolute_difference(y, p); tf.losses.absolute_difference(y, q, scope="s")',
    'weights': 'out = [tf.losses.mean_squared_error(y, p, 2.0), tf.losses.mean_squared_error(y, p, [[1.0], [0.0]]),'
               ' tf.losses.mean_squared_error(y, q, [[1.0], [0.0]]), tf.losses.mean_squared_error(y, p, q),'
               ' tf.losses.mean_squared_error(y, p, 0.0), tf.losses.mean_squared_error(y, u)]',
    'unknown_weights': 'out = [tf.losses.absolute_difference(u, u, u), tf.losses.huber_loss(q, q * 3, u)]',
    'reductions': 'out = [tf.losses.mean_squared_error(y, p, [[1.0], [0.5]], reduction=r) '
                  'for r in ("none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size", '
                  '"weighted_sum_by_nonzero_weights")]',
    'reduction_names': 'text = tf.losses.Reduction.all(); tf.losses.Reduction.validate("x")',
    'cosine_distance': 'out = [tf.losses.cosine_distance(y, p, axis=1), tf.losses.cosine_distance(y, p, dim=0)]',
    'cosine_axis': 'tf.losses.cosine_distance(y, p)',
    'hinge_loss': 'out = tf.losses.hinge_loss(y, p * 2 - 1)',
    'huber_loss': 'out = [tf.losses.huber_loss(y, p * 3), tf.losses.huber_loss(y, p * 3, delta=0.5)]',
    'log_loss': 'out = [tf.losses.log_loss(y, p), tf.losses.log_loss(y, p, epsilon=1e-3)]',
    'mean_pairwise_squared_error': 'out = [tf.losses.mean_pairwise_squared_error(y, p), '
                                   'tf.losses.mean_pairwise_squared_error(y, p, [[1.0], [0.0]])]',
    'mean_squared_error': 'out = tf.losses.mean_squared_error(y, p); tf.losses.mean_squared_error(tf.cast(y, tf.int32), p)',
    'sigmoid_cross_entropy': 'out = [tf.losses.sigmoid_cross_entropy(y, p), '
                             'tf.losses.sigmoid_cross_entropy(y, p, label_smoothing=0.1)]',
    'softmax_cross_entropy': 'out = [tf.losses.softmax_cross_entropy([[0, 1, 0], [0, 0, 1]], p), '
                             'tf.losses.softmax_cross_entropy([[0, 1, 0], [0, 0, 1]], p, label_smoothing=0.2), '
                             'tf.losses.softmax_cross_entropy(q, q, [1., 2.])]',
    'sparse_softmax_cross_entropy': 'out = [tf.losses.sparse_softmax_cross_entropy([1, 2], p), '
                                    'tf.losses.sparse_softmax_cross_entropy([[1], [2]], p, [[1.], [0.]]), '
                                    'tf.losses.sparse_softmax_cross_entropy([1, 2], logits=q, weights=0.5)]',
    'sparse_unknown': 'l = tf.placeholder(tf.int64); feed[l] = [[0], [1]]; '
                      'out = tf.losses.sparse_softmax_cross_entropy(l, q, u[:, 0])',
    'compute_weighted_loss': 'out = tf.losses.compute_weighted_loss([1., 2., 3.], [0., 1., 2.]); '
                             'tf.losses.compute_weighted_loss(tf.constant([1, 2]), loss_collection=None)',
    'half': 'h = tf.cast(p, tf.float16); out = tf.losses.sigmoid_cross_entropy(tf.cast(y, tf.float16), h)',
    'sets': 'a = tf.losses.mean_squared_error(y, p); tf.losses.add_loss(tf.constant(3.0)); '
            'tf.losses.add_loss(tf.constant(4.0), "mine"); '
            'tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5)); '
            'out = [tf.losses.get_total_loss(), tf.losses.get_total_loss(False, "t"), '
            'tf.losses.get_regularization_loss(), tf.losses.get_losses(), '
            'tf.losses.get_losses(loss_collection="mine"), tf.losses.get_regularization_losses(), '
            'tf.losses.get_losses("mean")]',
    'no_regularization': 'out = tf.losses.get_regularization_loss()',
    'in_scope': 'tf.losses.log_loss(y, p)\nwith tf.name_scope("net"): out = [tf.losses.log_loss(y, p), '
                'tf.losses.log_loss(y, p, scope="loss")]',
    'wrong_weights': 'tf.losses.mean_squared_error(y, p, [1.0, 2.0, 3.0])',
    'wrong_sizes': 'tf.losses.mean_squared_error(y, p, [[1.0], [1.0], [3.0]])',
    'no_labels': 'tf.losses.mean_squared_error(None, p)',
    'no_logits': 'tf.losses.hinge_loss(y, None)',
    'shapes': 'tf.losses.mean_squared_error(tf.ones([3, 2]), p)',
    'broadcast': 'out = [tf.confusion_matrix([1, 0, 2], [[1], [1], [2]]), tf.confusion_matrix([1, 0], [1, 1], 3, '
                 'weights=[2, 3])]',
}.items()}
