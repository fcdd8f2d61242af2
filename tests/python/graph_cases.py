"""graph_cases.py - Small TF1 programs whose graphs have to be TensorFlow's.

Nodes, their number, order, names, inputs, devices and attributes: log lines,
unique names and seeds depend on all of them. Each program begins in an empty
graph with `x`, a 2x3 placeholder of floats, `i`, a vector of three integers, and
`u`, a float of unknown shape.
"""

import graph_value_cases

CASES = {
    # Arrays.
    "constant": "tf.constant([1, 2], name='c'); tf.constant(2.5, tf.float64); "
                "tf.constant('text'); tf.constant(1, shape=[2, 2])",
    "zeros": "tf.zeros([2, 2]); tf.zeros([3], tf.int32); tf.zeros([64, 64]); "
             "tf.zeros(tf.shape(x))",
    "ones": "tf.ones([2]); tf.ones([64, 64]); tf.ones([], tf.bool)",
    "zeros_like": "tf.zeros_like(x); tf.zeros_like(u); tf.ones_like(x); "
                  "tf.zeros_like(x, dtype=tf.int32)",
    "fill": "tf.fill([2, 3], 9.0)",
    "range": "tf.range(5); tf.range(1, 6, 2); tf.range(0.0, 1.0, 0.5)",
    "linspace": "tf.linspace(0.0, 1.0, 5)",
    "reshape": "tf.reshape(x, [-1]); tf.reshape(x, [3, 2], name='r')",
    "transpose": "tf.transpose(x); tf.transpose(x, [1, 0]); tf.transpose(u)",
    "expand_dims": "tf.expand_dims(x, 0); tf.expand_dims(x, -1)",
    "squeeze": "tf.squeeze(tf.expand_dims(x, 0)); "
               "tf.squeeze(tf.expand_dims(x, 0), [0])",
    "concat": "tf.concat([x, x], 0); tf.concat([x], 0); tf.concat([x, x], -1)",
    "stack": "tf.stack([x, x]); tf.stack([1, 2]); tf.stack([x, x], axis=1)",
    "unstack": "tf.unstack(x); tf.unstack(x, axis=1)",
    "split": "tf.split(x, 3, 1); tf.split(x, [1, 2], 1)",
    "tile": "tf.tile(x, [1, 2])",
    "pad": "tf.pad(x, [[1, 1], [0, 0]]); tf.pad(x, [[1, 1], [1, 1]], 'REFLECT')",
    "gather": "tf.gather(x, [0, 1]); tf.gather(x, i, axis=1); "
              "tf.gather_nd(x, [[0, 1]])",
    "slice": "tf.slice(x, [0, 1], [2, 1]); x[1]; x[0, 1:]; x[..., 0]; "
             "x[:, tf.newaxis]; x[::-1]; u[0]",
    "strided_slice": "tf.strided_slice(x, [0, 0], [2, 2], [1, 1])",
    "boolean_mask": "tf.boolean_mask(i, [True, False, True])",
    "where": "tf.where(x > 0); tf.where(x > 0, x, x)",
    "one_hot": "tf.one_hot(i, 4); tf.one_hot(i, 4, 2, 1, dtype=tf.int32)",
    "shape": "tf.shape(x); tf.shape(u); tf.size(x); tf.size(u); tf.rank(x); "
             "tf.rank(u)",
    "identity": "tf.identity(x); tf.identity_n([x, i]); tf.stop_gradient(x)",
    "reverse": "tf.reverse(x, [0]); tf.unique(i)",
    "cast": "tf.cast(x, tf.int32); tf.cast(x, tf.float32); tf.to_float(i); "
            "tf.saturate_cast(x, tf.uint8)",
    "placeholder": "tf.placeholder(tf.int32, [None, 3]); "
                   "tf.placeholder_with_default(1.0, [])",
    "sequence_mask": "tf.sequence_mask([1, 3], 5)",
    "meshgrid": "tf.meshgrid([1, 2], [3, 4, 5])",
    "eye": "tf.eye(3)",
    "diag_part": "tf.diag_part(tf.placeholder(tf.float32, [3, None])); "
                 "tf.linalg.tensor_diag_part(u, name='d')",
    # Arithmetic.
    "operators": "x + 1; 1 - x; x * x; x / 2; x // 2; x % 2; -x; x ** 2; "
                 "abs(x); x @ tf.transpose(x)",
    "comparisons": "x < 1; x <= 1; x > 1; x >= 1; tf.equal(x, x); "
                   "tf.not_equal(x, x); ~(x < 1); (x < 1) & (x > 0); "
                   "(x < 1) | (x > 0); (x < 1) ^ (x > 0)",
    "integer_division": "i / 2; i // 2; tf.truediv(i, 2); tf.div(i, 2)",
    "binary": "tf.add(x, x); tf.subtract(x, x); tf.multiply(x, 2); "
              "tf.divide(x, 2); tf.maximum(x, 0); tf.minimum(x, x); "
              "tf.pow(x, 2); tf.squared_difference(x, x); tf.floordiv(x, 2); "
              "tf.mod(i, 2); tf.atan2(x, x)",
    "unary": "tf.abs(x); tf.negative(x); tf.sign(x); tf.square(x); tf.sqrt(x); "
             "tf.rsqrt(x); tf.exp(x); tf.log(x); tf.log1p(x); tf.expm1(x); "
             "tf.sin(x); tf.cos(x); tf.tan(x); tf.tanh(x); tf.sigmoid(x); "
             "tf.floor(x); tf.ceil(x); tf.round(x); tf.is_nan(x); "
             "tf.reciprocal(x); tf.erf(x)",
    "reductions": "tf.reduce_sum(x); tf.reduce_mean(x, 0); "
                  "tf.reduce_max(x, [0, 1], keepdims=True); tf.reduce_min(x); "
                  "tf.reduce_prod(x); tf.reduce_all(x > 0); "
                  "tf.reduce_any(x > 0); tf.reduce_sum(u)",
    "reduce_more": "tf.reduce_logsumexp(x); tf.math.reduce_std(x); "
                   "tf.math.reduce_variance(x, 0)",
    "matmul": "tf.matmul(x, x, transpose_b=True); "
              "tf.matmul(tf.ones([2, 3, 4]), tf.ones([2, 4, 5])); "
              "tf.matmul(u, u)",
    "tensordot": "tf.tensordot(x, tf.ones([3, 2]), 1)",
    "argmax": "tf.argmax(x, 1); tf.argmin(x, 0); tf.argmax(x)",
    "cumsum": "tf.cumsum(x); tf.cumprod(x, 1, exclusive=True)",
    "add_n": "tf.add_n([x, x]); tf.add_n([x]); tf.accumulate_n([x, x])",
    "clip": "tf.clip_by_value(x, 0.0, 1.0); tf.clip_by_norm(x, 1.0)",
    "segment": "tf.unsorted_segment_sum(x, [0, 1], 2); "
               "tf.segment_sum(x, [0, 1])",
    "diagonals": "tf.matrix_diag(x); tf.linalg.diag_part(x, k=1); tf.matrix_set_diag(x, [1., 2.]); "
                 "tf.linalg.trace(x)",
    "weighted_losses": "tf.nn.weighted_cross_entropy_with_logits(x, x, 2.0); tf.nn.log_poisson_loss(x, x)",
    "scatters": "v = tf.Variable(tf.zeros([4])); tf.scatter_sub(v, [0], [1.]); tf.scatter_nd_add(v, [[1]], [2.]); "
                "tf.tensor_scatter_nd_update(x, [[0, 0]], [1.]); tf.scatter_max(v, [1], [1.], name='m')",
    "counts": "tf.math.bincount([1, 2]); tf.histogram_fixed_width(x, [0., 1.], 5); "
              "tf.setdiff1d([1, 2], [1])",
    "special": "tf.math.lbeta(x); tf.math.erfinv(x); tf.math.bessel_i0(x); tf.math.reciprocal_no_nan(x); "
               "tf.math.cumulative_logsumexp(x); tf.log_sigmoid(x)",
    "factors": "q = tf.placeholder(tf.float32, [2, 2]); tf.svd(q); tf.linalg.svd(q, compute_uv=False); "
               "tf.self_adjoint_eig(q, name='e'); tf.self_adjoint_eigvals(q); tf.linalg.qr(q); tf.linalg.lu(q); "
               "tf.linalg.sqrtm(q); tf.linalg.lstsq(q, q, fast=False)",
    "parameters": "s = tf.constant([1, 2]); r = tf.constant([1., 2.]); tf.random_gamma([2], [1., 2.], seed=3); "
                  "tf.random.poisson(r, [3], seed=4); tf.random.stateless_gamma([2], s, 3.); "
                  "tf.random.stateless_poisson([2], s, r); tf.random.stateless_categorical([[1., 2.]], 3, s); "
                  "tf.random.stateless_parameterized_truncated_normal([3], s); "
                  "tf.random.experimental.stateless_shuffle([1, 2], s); tf.math.special.dawsn(1.)",
    "generators": "g = tf.random.Generator.from_seed(5); g.normal([2]); "
                  "g.uniform([2], 1, 9, tf.int32); g.uniform([], dtype=tf.float64, name='u'); "
                  "g.truncated_normal([2], name='t'); g.uniform_full_int([3]); g.binomial([2], [9., 8.], 0.5); "
                  "g.make_seeds(2); g.skip(3); tf.random.stateless_binomial([2], [1, 2], 9., 0.5)",
    "sequences": "s = tf.SparseTensor([[0, 0], [0, 1]], ['a', 'b'], [1, 2]); tf.edit_distance(s, s, normalize=False); "
                 "tf.fingerprint(['a', 'b']); tf.strings.unsorted_segment_join(['a', 'b'], [0, 0], 1, ':')",
    "filters": "p = tf.placeholder(tf.float32, [1, 4, 5, 3]); "
               "q = tf.compat.v2.image.resize(p, [2, 3], 'lanczos3'); "
               "tf.compat.v2.image.resize(p, [2, 3], antialias=True); "
               "tf.compat.v2.image.resize(p, [2, 3], 'bicubic', antialias=True); tf.gradients(q, p)",
    "dilations": "w = tf.ones([1, 3, 4, 1]); f = tf.ones([2, 2, 1]); steps = [1, 1, 1, 1]; "
                 "tf.nn.dilation2d(w, f, steps, steps, 'SAME'); tf.nn.erosion2d(w, f, steps, steps, 'VALID'); "
                 "tf.unravel_index([5, 3], [2, 3])",
    "spectra": "tf.signal.rfft2d(x, [2, 3]); tf.signal.rfft2d(x); c = tf.cast(x, tf.complex64); "
               "tf.signal.irfft2d(c); tf.signal.irfft2d(c, [2, 3]); tf.signal.fft3d(tf.reshape(c, [1, 2, -1]))",
    "matrices": "q = tf.placeholder(tf.float32, [2, 2]); tf.matrix_inverse(q); tf.linalg.logdet(q); "
                "tf.linalg.matvec(q, [1., 2.]); tf.cholesky_solve(q, q); tf.matrix_triangular_solve(q, q)",
    "top_k": "tf.nn.top_k(x, 2); tf.nn.in_top_k(x, [0, 1], 1)",
    "approx_max_k": "tf.math.approx_max_k(x, 2); tf.math.approx_max_k(x, 1, recall_target=0.5, name='best')",
    "sobol_sample": "tf.math.sobol_sample(3, 4); tf.math.sobol_sample(2, i[0], skip=7, dtype=tf.float64, name='s')",
    "l2_normalize": "tf.nn.l2_normalize(x, 1)",
    "norm": "tf.norm(x)",
    "bincount": "tf.invert_permutation(i); tf.logical_not(x > 0); "
                "tf.logical_and(x > 0, x < 1)",
    # Networks.
    "relu": "tf.nn.relu(x); tf.nn.relu6(x); tf.nn.elu(x); tf.nn.selu(x); "
            "tf.nn.softplus(x); tf.nn.softsign(x); tf.nn.leaky_relu(x); "
            "tf.nn.sigmoid(x); tf.nn.tanh(x)",
    "softmax": "tf.nn.softmax(x); tf.nn.log_softmax(x); "
               "tf.nn.softmax(tf.ones([2, 2, 2]))",
    "conv2d": "tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), "
              "[1, 1, 1, 1], 'SAME')",
    "pool": "tf.nn.max_pool(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], "
            "[1, 2, 2, 1], 'VALID'); tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), "
            "[1, 2, 2, 1], [1, 2, 2, 1], 'SAME')",
    "pool_more": "i = tf.ones([1, 4, 4, 2]); l = tf.ones([1, 6, 2]); v = tf.ones([1, 4, 4, 4, 2]); "
                 "tf.nn.max_pool1d(l, 2, 2, 'VALID'); tf.nn.avg_pool1d(l, 2, 2, 'SAME', name='line'); "
                 "tf.nn.max_pool2d(i, 2, 2, 'SAME'); tf.nn.avg_pool2d(i, [2, 2], 2, 'SAME'); "
                 "tf.nn.max_pool3d(v, 2, 2, 'SAME'); tf.nn.avg_pool3d(v, [1, 2, 2, 2, 1], 2, 'SAME'); "
                 "tf.nn.max_pool_v2(i, 2, 2, [[0, 0], [1, 1], [0, 1], [0, 0]]); "
                 "tf.nn.max_pool_v2(v, 2, 2, 'VALID'); tf.nn.avg_pool_v2(l, 2, 2, 'VALID'); "
                 "tf.nn.max_pool_with_argmax(i, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME', output_dtype=tf.int32)",
    "pool_any": "tf.nn.pool(tf.ones([1, 4, 4, 2]), [2, 2], 'MAX', 'VALID', strides=[2, 2]); "
                "tf.nn.pool(tf.ones([1, 4, 2]), [2], 'AVG', 'SAME'); "
                "tf.nn.pool(tf.ones([1, 4, 4, 4, 2]), [2, 2, 2], 'AVG', 'VALID', name='deep')",
    "fused_batch_norm": "c = tf.ones([2]); tf.nn.fused_batch_norm(tf.ones([1, 2, 2, 2]), c, c); "
                        "tf.nn.fused_batch_norm(tf.ones([1, 2, 2, 2]), c, c, c, c, is_training=False, name='f')",
    "image_resize": "i = tf.ones([1, 4, 4, 2]); tf.image.resize_bilinear(i, [2, 3]); "
                    "tf.image.resize_nearest_neighbor(i, [2, 3], align_corners=True); "
                    "tf.image.resize_bicubic(i, [2, 3], half_pixel_centers=True); tf.image.resize_area(i, [2, 3]); "
                    "tf.image.resize_images(i, [2, 3]); tf.image.resize_images(i[0], [2, 3], method=2)",
    "image_boxes": "b = [[0., 0., 1., 1.]]; "
                   "tf.image.crop_and_resize(tf.ones([1, 4, 4, 2]), b, [0], [2, 2], name='crop'); "
                   "tf.image.draw_bounding_boxes(tf.ones([1, 4, 4, 3]), [b], name='drawn'); "
                   "tf.image.draw_bounding_boxes(tf.ones([1, 4, 4, 3]), [b], colors=[[1., 0., 0.]]); "
                   "tf.image.non_max_suppression(b, [1.], 3); "
                   "tf.image.non_max_suppression_with_scores(b, [1.], 3, soft_nms_sigma=0.5, name='soft'); "
                   "tf.image.non_max_suppression_overlaps([[1.]], [1.], 3); "
                   "tf.image.combined_non_max_suppression(tf.ones([1, 2, 1, 4]), tf.ones([1, 2, 1]), 2, 3); "
                   "tf.image.extract_patches(tf.ones([1, 4, 4, 2]), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')",
    "bias_add": "tf.nn.bias_add(x, [1., 2., 3.]); tf.nn.xw_plus_b("
                "tf.ones([2, 2]), x, [1., 2., 3.])",
    "lrn": "tf.nn.lrn(tf.ones([1, 1, 1, 4]), 4, bias=1.0, alpha=0.1, beta=0.75)",
    "losses": "tf.nn.l2_loss(x); tf.nn.sparse_softmax_cross_entropy_with_logits("
              "labels=[0, 1], logits=x); "
              "tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=x); "
              "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x)",
    "softmax_v1": "tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)",
    "dropout": "tf.nn.dropout(x, rate=0.5, seed=1)",
    "zero_fraction": "tf.nn.zero_fraction(x)",
    "moments": "tf.nn.moments(x, [0])",
    "batch_normalization": "tf.nn.batch_normalization(x, 0.0, 1.0, 0.0, 1.0, "
                           "1e-3)",
    "embedding": "tf.nn.embedding_lookup(x, [0, 1])",
    # Random numbers.
    "random": "tf.random_uniform([2]); tf.random_normal([2]); "
              "tf.truncated_normal([2], seed=3); tf.random_shuffle(x)",
    "random_int": "tf.random_uniform([2], maxval=10, dtype=tf.int32); "
                  "tf.random_uniform([2], -1.0, 1.0)",
    "graph_seed": "tf.set_random_seed(42); tf.random_uniform([2]); "
                  "tf.random_normal([2], seed=7); tf.random_uniform([2])",
    "multinomial": "tf.multinomial(x, 4, seed=1)",
    # Variables.
    "variable": "tf.Variable(1.0); tf.Variable([1, 2], name='v')",
    "variable_resource": "tf.Variable([1., 2.], use_resource=True)",
    "variable_ops": "v = tf.Variable(1.0); v + 1; tf.assign(v, 2.0); "
                    "v.assign_add(1.0); tf.assign_sub(v, 1.0); v.read_value(); "
                    "v.initialized_value()",
    "resource_ops": "v = tf.Variable(1.0, use_resource=True); v + 1; "
                    "v.assign(2.0); v.assign_add(1.0); v.read_value()",
    "get_variable":
        "with tf.variable_scope('s'): tf.get_variable('w', [2, 2])\n"
        "with tf.variable_scope('s', reuse=True): tf.get_variable('w', [2, 2])",
    "initializers":
        "tf.get_variable('a', [2], initializer=tf.zeros_initializer())\n"
        "tf.get_variable('b', [2], initializer=tf.constant_initializer(0.1))\n"
        "tf.get_variable('c', [2, 2], initializer="
        "tf.truncated_normal_initializer(stddev=0.1, seed=1))\n"
        "tf.get_variable('d', initializer=tf.constant([1, 2]))\n"
        "tf.get_variable('e', [2], initializer=tf.random_normal_initializer())\n"
        "tf.get_variable('f', [2, 2], initializer="
        "tf.random_uniform_initializer(-1, 1))",
    "regularizer":
        "tf.get_variable('w', [2], regularizer=lambda w: 0.1 * tf.nn.l2_loss(w))",
    "initialize": "tf.Variable(1.0); tf.Variable(2.0); "
                  "tf.global_variables_initializer(); "
                  "tf.local_variables_initializer()",
    "report_uninitialized": "tf.Variable(1.0); "
                            "tf.is_variable_initialized(tf.global_variables()[0])",
    # Control.
    "scopes": "with tf.name_scope('a'):\n"
              "  tf.constant(1)\n"
              "  with tf.name_scope('b'): tf.constant(1)\n"
              "with tf.name_scope('a'): tf.constant(1)",
    "devices": "with tf.device('/gpu:0'):\n"
               "  a = tf.constant(1.0)\n"
               "  with tf.device('/job:w'): tf.constant(1.0)\n"
               "  with tf.device(None): tf.constant(1.0)\n"
               "with tf.colocate_with(a): tf.constant(1.0)",
    "group": "a = tf.constant(1.0)\n"
             "with tf.device('/cpu:0'): b = tf.constant(1.0)\n"
             "tf.group(a, b); tf.group(); tf.no_op()",
    "tuple": "tf.tuple([x, i])",
    "control": "a = tf.constant(1.0); b = tf.constant(2.0)\n"
               "with tf.control_dependencies([a, b]): tf.identity(x)\n"
               "with tf.control_dependencies([a]): tf.add(a, b)",
    "cond": "tf.cond(x[0, 0] > 0, lambda: x + 1, lambda: x - 1)",
    "while_loop": "tf.while_loop(lambda n: n < 5, lambda n: n + 1, "
                  "[tf.constant(0)])",
    "case": "tf.Assert(x[0, 0] > 0, [x]); tf.check_numerics(x, 'message')",
    "print": "tf.Print(x, [x], 'message')",
    "convert": "tf.convert_to_tensor([1.0, 2]); tf.convert_to_tensor([x, x]); "
               "tf.convert_to_tensor(x)",
    "strings": "tf.as_string(i); tf.string_join(['a', 'b']); "
               "tf.string_to_number(['1'])",
    "image": "tf.image.per_image_standardization(tf.ones([4, 4, 3]))",
    "flip": "tf.image.flip_left_right(tf.ones([4, 4, 3])); "
            "tf.image.random_flip_left_right(tf.ones([4, 4, 3]), seed=1)",
    "crop": "tf.random_crop(tf.ones([4, 4, 3]), [2, 2, 3], seed=1); "
            "tf.image.resize_image_with_crop_or_pad(tf.ones([4, 4, 3]), 2, 6)",
    "brightness": "tf.image.random_brightness(tf.ones([4, 4, 3]), 63, seed=1); "
                  "tf.image.random_contrast(tf.ones([4, 4, 3]), 0.2, 1.8, seed=1)",
}

CASES |= graph_value_cases.CASES
