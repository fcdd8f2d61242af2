"""What tf.nn and tf.initializers have beside single ops."""

_BEGIN = '''
x = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3) / 4); q = tf.placeholder(tf.float32, [None, 3])
u = tf.placeholder(tf.float32)
im = tf.constant(np.sin(np.arange(2 * 6 * 6 * 3, dtype=np.float32)).reshape(2, 6, 6, 3))
im1 = tf.constant(np.sin(np.arange(2 * 6 * 3, dtype=np.float32)).reshape(2, 6, 3))
table = tf.constant(np.arange(20, dtype=np.float32).reshape(10, 2)); N = tf.nn
def numbers(shape, start=0): return np.sin(np.arange(np.prod(shape), dtype=np.float32) + start).reshape(shape)
feed = {q: [[1., 2., 3.]], u: [[1., 2., 3.]]}
'''

CASES = {name: _BEGIN + code for name, code in {
    'conv1d': 'out = N.conv1d(im1, numbers([2, 3, 4]), 1, "SAME")',
    'separable': 'out = [N.separable_conv2d(im, numbers([2, 2, 3, 2]), numbers([1, 1, 6, 4]), [1, 1, 1, 1], "SAME"), '
                 'N.depthwise_conv2d(im, numbers([2, 2, 3, 2]), [1, 2, 2, 1], "VALID")]',
    'conv2d_transpose': 'out = [N.conv2d_transpose(im, numbers([2, 2, 4, 3]), [2, 12, 12, 4], [1, 2, 2, 1]), '
                        'N.conv2d_transpose(im, numbers([2, 2, 4, 3]), [2, 12, 12, 4], 2, "SAME", name="n")]',
    'atrous': 'out = N.atrous_conv2d(im, numbers([2, 2, 3, 4]), 2, "SAME")  # values only',
    'moments': 'out = [N.moments(x, [0]), N.moments(im, [0, 1, 2], keep_dims=True), '
               'N.weighted_moments(x, [0], [[1.], [3.]]), N.moments(tf.cast(x, tf.float16), [0])]',
    'sufficient': 'c, m, v, s = N.sufficient_statistics(x, [0]); out = [c, m, v, N.normalize_moments(c, m, v, None)]; '
                  'c, m, v, s = N.sufficient_statistics(q, [0, 1], shift=tf.constant(0.5)); '
                  'out += [c, m, v, N.normalize_moments(c, m, v, s)]',
    'batch_normalization': 'm, v = N.moments(x, [0]); out = [N.batch_normalization(x, m, v, None, None, 1e-3), '
                           'N.batch_normalization(x, m, v, tf.ones([3]), 2 * tf.ones([3]), 1e-3, "n"), '
                           'N.batch_norm_with_global_normalization(x, m, v, tf.ones([3]), tf.ones([3]), 1e-3, True)]',
    'fused_batch_norm': 'out = [N.fused_batch_norm(im, tf.ones([3]), tf.zeros([3])), '
                        'N.fused_batch_norm(im, tf.ones([3]), tf.zeros([3]), tf.zeros([3]), tf.ones([3]), 1e-3, '
                        'is_training=False)[0]]',
    'dropout': 'out = [N.dropout(x, 0.5), N.dropout(x, rate=0.3, seed=4), N.dropout(x, tf.constant(0.4), '
               'noise_shape=[2, 1]), N.dropout(x, keep_prob=0.6, noise_shape=[None, 3], name="d")]; steps = 2',
    'dropout_none': 'out = [N.dropout(x, rate=0.0), N.dropout(x, 1.0)]',
    'dropout_wrong': 'N.dropout(x, rate=1.5)',
    'dropout_missing': 'N.dropout(x)',
    'dropout_integer': 'N.dropout(tf.ones([2], tf.int32), 0.5)',
    'l2_normalize': 'out = [N.l2_normalize(x, 1), N.l2_normalize(x, dim=[0, 1]), N.l2_loss(x), N.zero_fraction(x)]',
    'in_top_k': 'out = [N.in_top_k(x, [2, 0], 1), N.in_top_k(x, [1, 2], 2, "n"), N.top_k(x, 2), N.top_k(x)]',
    'embedding_lookup': 'out = [N.embedding_lookup(table, [1, 3, 3]), N.embedding_lookup([table[:5], table[5:]], '
                        '[0, 3, 9]), N.embedding_lookup([table[:5], table[5:]], [[0, 3], [9, 1]], "div", name="n")]',
    'embedding_max_norm': 'out = [N.embedding_lookup(table, [1, 3], max_norm=2.0), '
                          'N.embedding_lookup([table[:5], table[5:]], [0, 9], max_norm=3.0)]',
    'embedding_variable': 'v = tf.get_variable("t", initializer=numbers([10, 2])); w = tf.get_variable("w", '
                          'initializer=numbers([10, 2]), use_resource=True); '
                          'out = [N.embedding_lookup(v, [1, 2]), N.embedding_lookup(w, [1, 2])]',
    'embedding_lookup_sparse': 's = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 4], tf.int64), [3, 2]);'
                               'w = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2., 1., 3.], [3, 2]);'
                               'out = [N.embedding_lookup_sparse(table, s, None, combiner=c) for c in '
                               '("sum", "mean", "sqrtn")] + [N.embedding_lookup_sparse(table, s, w, combiner=c) '
                               'for c in ("sum", "mean", "sqrtn")]',
    'embedding_sparse_parts': 's = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 4], tf.int32), [3, 2]);'
                              'out = N.embedding_lookup_sparse([table[:5], table[5:]], s, None, "mod", "n", "mean")',
    'embedding_combiner': 's = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [3, 2]); '
                          'N.embedding_lookup_sparse(table, s, None, combiner="x")',
    'safe_embedding': 's = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, -1, 4], tf.int64), [3, 2]); '
                      'out = [N.safe_embedding_lookup_sparse(table, s), '
                      'N.safe_embedding_lookup_sparse(table, s, default_id=2, combiner="sum")]  # values only',
    'entropies': 'out = [N.sigmoid_cross_entropy_with_logits(labels=x, logits=x), '
                 'N.softmax_cross_entropy_with_logits(labels=x, logits=x), '
                 'N.softmax_cross_entropy_with_logits_v2(labels=im, logits=im, name="n"), '
                 'N.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=x), '
                 'N.sparse_softmax_cross_entropy_with_logits(labels=np.ones([2, 6], np.int32), logits=im1), '
                 'N.weighted_cross_entropy_with_logits(labels=x, logits=x, pos_weight=2.0)]',
    'entropies_axis': 'out = N.softmax_cross_entropy_with_logits_v2(labels=x, logits=x, axis=0)  # values only',
    'entropies_unknown': 'out = [N.softmax_cross_entropy_with_logits_v2(labels=u, logits=u), '
                         'N.sparse_softmax_cross_entropy_with_logits(labels=tf.placeholder_with_default([1], None), '
                         'logits=u)]',
    'entropies_half': 'h = tf.cast(x, tf.float16); out = [N.softmax_cross_entropy_with_logits_v2(labels=h, logits=h), '
                      'N.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=h)]',
    'small': 'out = [N.xw_plus_b(x, numbers([3, 2]), [1., 2.]), N.relu_layer(x, numbers([3, 2]), [1., 2.]), N.crelu(x),'
             '  N.leaky_relu(x), N.lrn(im), N.local_response_normalization(im, 2), tf.nn.relu6(x)]',
    'swish': 'out = N.swish(x)  # values only',
    'initializers': 'I = tf.initializers; out = [tf.get_variable(f"v{n}", [3, 4], initializer=i) for n, i in enumerate(['
                    'I.zeros(), I.ones(), I.constant(2.), I.random_uniform(-1, 1, seed=1), I.random_normal(seed=2), '
                    'I.truncated_normal(stddev=.1, seed=3), I.variance_scaling(seed=4), I.glorot_uniform(seed=5), '
                    'I.glorot_normal(seed=6), I.he_normal(seed=7), I.he_uniform(seed=8), I.lecun_normal(seed=9), '
                    'I.lecun_uniform(seed=10), I.identity(), tf.uniform_unit_scaling_initializer(seed=11)])]',
    'orthogonal': 'out = tf.get_variable("o", [4, 4], initializer=tf.orthogonal_initializer(seed=3)); '
                  'tf.get_variable("p", [2, 3, 4], initializer=tf.initializers.orthogonal(gain=2.0, seed=3)); '
                  'out = tf.matmul(out, out, transpose_a=True)',
    'orthogonal_rank': 'tf.get_variable("o", [4], initializer=tf.orthogonal_initializer())',
}.items()}
