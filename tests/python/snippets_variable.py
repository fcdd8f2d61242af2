"""snippets_variable.py - What people try with scopes and variables. TF1."""

CASES = {
    "scope_nested":
        "with tf.name_scope('a'):\n"
        "  with tf.name_scope('b') as n: t = tf.constant(1)\n"
        "(t.name, n)",
    "scope_root":
        "with tf.name_scope('a'):\n"
        "  with tf.name_scope(None): t = tf.constant(1)\n"
        "  with tf.name_scope(''): u = tf.constant(1)\n"
        "(t.name, u.name)",
    "scope_absolute":
        "with tf.name_scope('a') as s: pass\n"
        "with tf.name_scope(s): t = tf.constant(1)\n"
        "t.name",
    "scope_default":
        "with tf.name_scope(None, 'd'): t = tf.constant(1)\n"
        "with tf.name_scope(None, 'd', [t]): u = tf.constant(1)\n"
        "(t.name, u.name)",
    "scope_bad": "with tf.name_scope('a b'): pass",
    "scope_bad2": "with tf.name_scope(3): pass",
    "scope_bad3": "with tf.name_scope('_a'): pass",
    "scope_bad_op": "tf.constant(1, name='_a')",
    "scope_slash_name":
        "tf.constant(1, name='a/b').name, tf.constant(1, name='a/b/').name",
    "scope_unique":
        "g = tf.get_default_graph()\n"
        "[g.unique_name('a'), g.unique_name('a'), g.unique_name('A'), "
        "g.unique_name('a', mark_as_used=False), g.unique_name('a')]",
    "scope_case": "[tf.constant(1, name='x').name, tf.constant(1, name='X').name]",
    "scope_get":
        "g = tf.get_default_graph()\n"
        "with tf.name_scope('a'): n = g.get_name_scope()\n"
        "(n, g.get_name_scope())",
    "op_scope":
        "with tf.op_scope([], None, 'd'): t = tf.constant(1)\n"
        "t.name",
    "vs_names":
        "with tf.variable_scope('a'):\n"
        "  v = tf.get_variable('v', [1]); t = tf.constant(1)\n"
        "with tf.variable_scope('a'):\n"
        "  u = tf.constant(1)\n"
        "(v.name, t.name, u.name)",
    "vs_reuse":
        "with tf.variable_scope('a') as s: v = tf.get_variable('v', [1])\n"
        "with tf.variable_scope(s, reuse=True): w = tf.get_variable('v')\n"
        "(v is w, s.name, s.original_name_scope, s.reuse)",
    "vs_reuse_variables":
        "with tf.variable_scope('a') as s:\n"
        "  v = tf.get_variable('v', [1]); s.reuse_variables(); w = "
        "tf.get_variable('v', [1])\n"
        "v is w",
    "vs_default":
        "with tf.variable_scope(None, 'd'): v = tf.get_variable('v', [1])\n"
        "with tf.variable_scope(None, 'd'): w = tf.get_variable('v', [1])\n"
        "(v.name, w.name)",
    "vs_default_reuse": "with tf.variable_scope(None, 'd', reuse=True): pass",
    "vs_none": "with tf.variable_scope(None): pass",
    "vs_number": "with tf.variable_scope(3): pass",
    "vs_initializer":
        "with tf.variable_scope('a', initializer=tf.constant_initializer(5.)"
        "): v = tf.get_variable('v', [2])\n"
        "s = tf.Session(); s.run(v.initializer); s.run(v)",
    "vs_dtype":
        "with tf.variable_scope('a', dtype=tf.float64): v = "
        "tf.get_variable('v', [2])\n"
        "v.dtype",
    "vs_regularizer":
        "with tf.variable_scope('a', regularizer=lambda w: "
        "tf.reduce_sum(w)): tf.get_variable('v', [2])\n"
        "[t.name for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]",
    "vs_no_regularizer":
        "with tf.variable_scope('a', regularizer=lambda w: "
        "tf.reduce_sum(w)): tf.get_variable('v', [2], "
        "regularizer=tf.no_regularizer)\n"
        "tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)",
    "vs_custom_getter":
        "def g(getter, name, *a, **k):\n"
        "  return getter('x_' + name, *a, **k)\n"
        "with tf.variable_scope('a', custom_getter=g): v = "
        "tf.get_variable('v', [1])\n"
        "v.name",
    "vs_reuse_new":
        "with tf.variable_scope('a', reuse=True): tf.get_variable('q', [1])",
    "vs_auto_reuse_shape":
        "with tf.variable_scope('a', reuse=tf.AUTO_REUSE): "
        "tf.get_variable('q', [1]); tf.get_variable('q', [2])",
    "vs_reuse_dtype":
        "with tf.variable_scope('a') as s:\n"
        "  tf.get_variable('q', [1]); s.reuse_variables(); "
        "tf.get_variable('q', [1], dtype=tf.float64)",
    "vs_aux":
        "with tf.variable_scope('a', auxiliary_name_scope=False): t = "
        "tf.constant(1)\n"
        "t.name",
    "vs_get":
        "with tf.variable_scope('a'):\n"
        "  with tf.variable_scope('b'): s = tf.get_variable_scope()\n"
        "(s.name, s.reuse, s.original_name_scope)",
    "vs_get_variables":
        "with tf.variable_scope('a') as s: tf.get_variable('v', [1]); "
        "tf.get_variable('w', [1], trainable=False)\n"
        "[v.name for v in s.global_variables()], [v.name for v in "
        "s.trainable_variables()]",
    "vs_set":
        "s = tf.get_variable_scope(); s.set_initializer(tf.ones_initializer("
        ")); v = tf.get_variable('v', [1]); q = tf.Session(); "
        "q.run(v.initializer)\n"
        "q.run(v)",
    "gv_twice": "tf.get_variable('v', [1]); tf.get_variable('v', [1])",
    "gv_no_shape": "tf.get_variable('v')",
    "gv_partial_shape": "tf.get_variable('v', [None, 2])",
    "gv_shape_and_tensor":
        "tf.get_variable('v', [2], initializer=tf.constant([1., 2.]))",
    "gv_number_initializer":
        "tf.get_variable('v', initializer=3.5).dtype, tf.get_variable('w', "
        "initializer=3).shape",
    "gv_numpy_initializer":
        "import numpy as np\n"
        "v = tf.get_variable('v', initializer=np.ones([2], 'f'))\n"
        "(v.shape, v.dtype)",
    "gv_int_default":
        "v = tf.get_variable('v', [2], tf.int32); s = tf.Session(); "
        "s.run(v.initializer)\n"
        "s.run(v)",
    "gv_bool_default": "tf.get_variable('v', [2], tf.bool).initial_value",
    "gv_string_default": "tf.get_variable('v', [2], tf.string)",
    "gv_callable_initializer":
        "v = tf.get_variable('v', initializer=lambda: tf.ones([2]))\n"
        "v.shape",
    "gv_initializer_class":
        "v = tf.get_variable('v', [2], initializer=tf.zeros_initializer)\n"
        "v.shape",
    "gv_collections":
        "v = tf.get_variable('v', [1], collections=['mine'])\n"
        "[x.name for x in tf.get_collection('mine')], tf.global_variables()",
    "gv_trainable":
        "tf.get_variable('v', [1], trainable=False)\n"
        "(tf.trainable_variables(), len(tf.global_variables()))",
    "gv_local":
        "tf.get_local_variable('v', [1])\n"
        "([v.name for v in tf.local_variables()], tf.global_variables())",
    "gv_validate":
        "tf.get_variable('v', initializer=tf.placeholder(tf.float32), "
        "validate_shape=False).shape",
    "gv_validate_bad": "tf.get_variable('v', initializer=tf.placeholder(tf.float32))",
    "gv_resource":
        "v = tf.get_variable('v', [1], use_resource=True)\n"
        "(type(v).__name__, repr(v))",
    "gv_bad_dtype": "tf.get_variable('v', [1], dtype='nope')",
    "gv_bad_initializer": "tf.get_variable('v', [1], initializer='zeros')",
    "gv_ref_type": "type(tf.get_variable('v', [1])).__name__",
    "var_repr": "repr(tf.Variable(1.)), str(tf.Variable([1, 2], name='n'))",
    "var_attrs":
        "v = tf.Variable([1., 2.], name='n', trainable=False)\n"
        "(v.name, v.op.name, v.shape, v.get_shape(), v.dtype, v.device, "
        "v.initial_value.name, v.initializer.name, v.trainable, v.graph is "
        "tf.get_default_graph())",
    "var_no_value": "tf.Variable()",
    "var_none": "tf.Variable(None)",
    "var_dtype":
        "tf.Variable(1, dtype=tf.float32).dtype, tf.Variable([1.5], "
        "dtype='float64').dtype",
    "var_bad": "tf.Variable('a', dtype=tf.int32)",
    "var_unknown_shape": "tf.Variable(tf.placeholder(tf.float32))",
    "var_callable": "tf.Variable(lambda: tf.zeros([2])).name",
    "var_len": "len(tf.Variable([1, 2]))",
    "var_iter": "for x in tf.Variable([1, 2]): pass",
    "var_bool": "bool(tf.Variable(True))",
    "var_hash":
        "v = tf.Variable(1)\n"
        "{v: 1}[v]",
    "var_eq":
        "v = tf.Variable(1)\n"
        "(v == v, v == 1, v != v)",
    "var_array":
        "import numpy as np\n"
        "np.array(tf.Variable(1))",
    "var_getitem":
        "v = tf.Variable([1, 2, 3]); s = tf.Session(); s.run(v.initializer)\n"
        "s.run([v[0], v[1:], v[..., ::-1]])",
    "var_assign_ops":
        "v = tf.Variable(1.); s = tf.Session(); s.run(v.initializer)\n"
        "[s.run(v.assign(3.)), s.run(v.assign_add(1.)), "
        "s.run(v.assign_sub(2.)), s.run(tf.assign_add(v, 5.)), s.run(v)]",
    "var_assign_shape": "v = tf.Variable([1., 2.]); v.assign([1., 2., 3.])",
    "var_assign_type": "v = tf.Variable([1., 2.]); v.assign(['a', 'b'])",
    "var_assign_noshape":
        "v = tf.Variable([1., 2.], name='q', validate_shape=False); s = "
        "tf.Session(); s.run(v.initializer)\n"
        "s.run(tf.assign(v, [1., 2., 3.], validate_shape=False))",
    "var_assign_tensor": "tf.assign(tf.constant(1), 2)",
    "var_scatter":
        "v = tf.Variable([1, 2, 3]); s = tf.Session(); s.run(v.initializer)\n"
        "[s.run(tf.scatter_add(v, [0], [10])), s.run(tf.scatter_update(v, "
        "[2], [7]))]",
    "var_count_up":
        "v = tf.Variable(0); c = v.count_up_to(2); s = tf.Session(); "
        "s.run(v.initializer)\n"
        "[s.run(c), s.run(c)]",
    "var_ops":
        "v = tf.Variable([4.]); s = tf.Session(); s.run(v.initializer)\n"
        "s.run([v + 1, 2 * v, -v, abs(v), v ** 2, v / 2, v > 3, v @ v if "
        "False else v, 1 - v])",
    "var_value":
        "v = tf.Variable(1)\n"
        "(v.value().name, v.read_value().name, v.initialized_value().name if "
        "False else '')",
    "var_eval":
        "v = tf.Variable(3); s = tf.Session(); s.run(v.initializer)\n"
        "v.eval(s)",
    "var_set_shape":
        "v = tf.Variable(tf.placeholder(tf.float32), validate_shape=False); "
        "v.set_shape([2])\n"
        "v.shape",
    "var_uninitialized":
        "v = tf.Variable(1, name='v'); s = tf.Session()\n"
        "s.run(tf.report_uninitialized_variables())",
    "var_is_initialized":
        "v = tf.Variable(1); s = tf.Session(); a = "
        "s.run(tf.is_variable_initialized(v)); s.run(v.initializer)\n"
        "(a, s.run(tf.is_variable_initialized(v)))",
    "var_initialize_all": "tf.Variable(1); tf.initialize_all_variables().name",
    "var_initializer_list":
        "v = tf.Variable(1); tf.variables_initializer([v]).name, "
        "tf.variables_initializer([]).name",
    "var_collections":
        "tf.Variable(1, collections=[tf.GraphKeys.LOCAL_VARIABLES])\n"
        "(tf.global_variables(), len(tf.local_variables()))",
    "var_collections_bad": "tf.Variable(1, collections='a')",
    "var_device":
        "with tf.device('/gpu:1'): v = tf.Variable(1)\n"
        "(v.device, v.initial_value.device, v.initializer.device)",
    "var_constraint":
        "v = tf.Variable(1., constraint=lambda x: x)\n"
        "v.constraint is not None",
    "var_caching":
        "v = tf.Variable(1., caching_device='/cpu:0')\n"
        "v.value().device",
    "var_resource_repr": "repr(tf.Variable(1., use_resource=True))",
    "var_resource_ops":
        "v = tf.Variable([1., 2.], use_resource=True); s = tf.Session(); "
        "s.run(v.initializer)\n"
        "[s.run(v.assign_add([1., 1.])), s.run(v), s.run(v[0]), s.run(v + "
        "1), s.run(v.read_value())]",
    "var_resource_load":
        "v = tf.Variable(1., use_resource=True); s = tf.Session(); "
        "s.run(v.initializer); v.load(4., s)\n"
        "s.run(v)",
    "var_uninit_resource":
        "v = tf.Variable(1., use_resource=True, name='v')\n"
        "try: tf.Session().run(v)\n"
        "except tf.errors.FailedPreconditionError as e: r = e.error_code\n"
        "r",
}
