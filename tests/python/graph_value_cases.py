"""graph_value_cases.py - Small TF1 programs about slices, operators, constants and initialisers."""

CASES = {
    "slice_tensor":
        "j = i[0]; x[j]; x[j:]; x[:j]; x[j:2]; x[::j]; x[1:j:2]; x[j, 1]; "
        "x[0, j]; x[..., j]; x[j:, tf.newaxis]; x[0:j]",
    "slice_int64": "j = tf.constant(1, tf.int64); x[j]; x[j:]; x[:j, 0]; x[0, j]",
    "slice_variable":
        "v = tf.Variable([1, 2, 3]); v[0]; v[1:]; r = tf.Variable([1, 2, 3], "
        "use_resource=True); r[0]; r[1:]",
    "slice_forms":
        "x[()]; x[...]; x[:]; x[None]; x[-1]; x[::-1, ::2]; x[-2:-1]; "
        "x[0][1]; x[tf.newaxis, ..., tf.newaxis]; x[:, None, 0]; x[1:2, ..., 0:1]",
    "slice_numpy":
        "import numpy as np\n"
        "x[np.int64(1)]; x[np.int32(0):np.int64(1)]",
    "slice_bool": "x[x > 0]; import numpy as np; i[np.array([True, False, True])]",
    "slice_bad": "x['a']",
    "slice_bad2": "x[1.5]",
    "slice_bad3": "x[0, 0, 0]",
    "slice_bad4": "x[5]",
    "slice_bad5": "x[..., ...]",
    "slice_bad6": "x[[0, 1]]",
    "slice_bad7": "x[tf.constant([0, 1])]",
    "slice_bad8": "x[::0]",
    "slice_bad9": "x[True]",
    "ops_numpy":
        "import numpy as np\n"
        "x + np.ones([2, 3]); np.ones([2, 3]) * x; x - np.float64(2); "
        "np.float32(2) / x; x > np.zeros([3]); i + np.int64(1); np.int32(3) - i",
    "ops_python":
        "2 + x; 2 - x; 2 * x; 2 / x; 2 // x; 2 % x; 2 ** x; 2 < x; 2 <= x; 2 "
        "> x; 2 >= x; -x; abs(x); [1., 2., 3.] + x; x * [1., 2., 3.]; (1., "
        "2., 3.) - x",
    "ops_int":
        "i + 1; i / 2; i // 2; i % 2; i ** 2; 7 // i; 7 % i; i & 1; ~i; "
        "abs(i); 2 ** i",
    "ops_bool": "b = x > 0; b & True; True | b; b ^ b; ~b; b & (x < 1)",
    "ops_bad": "x + i",
    "ops_bad2": "x * 'a'",
    "ops_bad3": "x @ x",
    "ops_bad4": "x + None",
    "ops_bad5": "i + 1.5",
    "ops_bad6": "x & x",
    "ops_bad8": "x % 'a'",
    "ops_bad9": "(x > 0) + 1",
    "compare_bad": "x < 'a'",
    "constant_encoding":
        "import numpy as np\n"
        "for t in (tf.float32, tf.float64, tf.int64, tf.int8, tf.uint16, "
        "tf.half, tf.bfloat16, tf.bool, tf.complex64):\n"
        "  one = t == tf.bool or 1\n"
        "  tf.constant([one, one], t); tf.constant(one, t, shape=[2, 2]); "
        "tf.constant([one, one], t, shape=[3]); tf.zeros([3], t); "
        "tf.constant([], t)\n"
        "tf.constant(['a', 'a']); tf.constant('a', shape=[2]); "
        "tf.constant(np.ones([3])); tf.constant([2.5] * 20)",
    "imported_constant":
        "with tf.Graph().as_default() as g: tf.zeros([4]); tf.constant([1, "
        "1]); tf.constant([1, 2], shape=[3])\n"
        "tf.import_graph_def(g.as_graph_def(), name='i')",
    "reduce_list":
        "tf.reduce_sum([1., 2.], 0); tf.reduce_max([[1, 2]], [1]); "
        "tf.reduce_mean(x, -1)",
    "plain_ops":
        "tf.arg_max(x, 1); tf.reverse_v2(x, [0]); tf.as_string(i); "
        "tf.matrix_inverse(x[:, :2]); tf.fft(tf.zeros([4], tf.complex64)); "
        "tf.bitwise.invert(i); tf.bitwise.left_shift(i, 1)",
    "complex": "tf.complex(x, x)",
    "initializers_more":
        "with tf.variable_scope('s', initializer=tf.ones_initializer()): "
        "tf.get_variable('a', [2]); tf.get_variable('b', [2], tf.int32)\n"
        "tf.get_variable('c', [2, 2], initializer=tf.glorot_uniform_initiali"
        "zer(seed=2))\n"
        "tf.get_variable('d', [2], initializer=tf.constant_initializer([1., "
        "2.]))\n"
        "tf.get_variable('e', [3, 3], initializer=tf.variance_scaling_initia"
        "lizer(seed=1))",
    "colocated":
        "v = tf.Variable(1.0, name='v')\n"
        "with tf.colocate_with(v): tf.constant(1); tf.add(v, 1.0)\n"
        "with tf.control_dependencies([v]): tf.no_op(); tf.constant(2)\n"
        "with tf.control_dependencies([tf.constant(3)]), "
        "tf.device('/gpu:1'): tf.identity(v)",
    "casts":
        "tf.cast(i, tf.float64); tf.to_int64(x); tf.to_double(i); tf.cast(x "
        "> 0, tf.int32); tf.bitcast(x, tf.int32)",
}
