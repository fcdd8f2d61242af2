"""Samplers of classes, and losses by them."""

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
    'candidates': 't = tf.constant([[1], [4], [6]], tf.int64); out = [N.uniform_candidate_sampler(t, 1, 4, True, 20, '
                  'seed=3), N.log_uniform_candidate_sampler(t, 1, 4, True, 20, seed=4), '
                  'N.log_uniform_candidate_sampler(t, 1, 4, False, 20, seed=5), N.all_candidate_sampler(t, 1, 9, True), '
                 
                  'N.uniform_candidate_sampler(t, 1, 4, False, 20)]; steps = 3',
    'fixed_unigram': 't = tf.constant([[1], [4], [6]], tf.int64); out = [N.fixed_unigram_candidate_sampler('
                     't, 1, 3, u, 8, unigrams=[1., 2., 3., 4., 5., 6., 7., 8.], seed=2, distortion=0.75) '
                     'for u in (True, False)]; steps = 3',
    'accidental_hits': 't = tf.constant([[1, 2], [4, 2]], tf.int64); '
                       'out = N.compute_accidental_hits(t, tf.constant([2, 9, 4], tf.int64), 2)',
    'nce_loss': 'w = tf.constant(numbers([20, 3])); b = tf.constant(numbers([20])); t = tf.constant([[1], [4]], tf.int64);'
                'out = [N.nce_loss(w, b, t, x, 5, 20), N.sampled_softmax_loss(w, b, t, x, 5, 20, seed=3), '
                'N.nce_loss(w, b, t, x, 5, 20, remove_accidental_hits=True, name="n")]; steps = 2  # values only',
    'sampled_given': 'w = tf.constant(numbers([20, 3])); b = tf.constant(numbers([20])); '
                     't = tf.constant([[1, 2], [4, 5]], tf.int64); s = N.uniform_candidate_sampler(t, 2, 6, True, 20, '
                     'seed=5); out = [N.nce_loss(w, b, t, x, 6, 20, 2, s), N.sampled_softmax_loss(w, b, t, x, 6, 20, 2, '
                     's, partition_strategy="div"), N.nce_loss([w[:10], w[10:]], b, t, x, 6, 20, 2, s)]  # values only',
}.items()}
