"""snippets_member.py - Classes, their members and small modules, in both modes and in TF2."""

# The same line in TF1 and TF2.
BOTH = {
    # tf.nest
    "nest_flatten": "tf.nest.flatten({'b': [1, 2], 'a': (3, {'c': 4})}), "
                    "tf.nest.flatten(5), tf.nest.flatten([]), tf.nest.flatten('ab')",
    "nest_flatten_keys": "tf.nest.flatten({1: 2, 'a': 3})",
    "nest_map": "tf.nest.map_structure(lambda x, y: x + y, {'a': [1, 2]}, "
                "{'a': [3, 4]})",
    "nest_map_namedtuple": "import collections\n"
                           "P = collections.namedtuple('P', 'x y')\n"
                           "tf.nest.map_structure(lambda x: x * 2, P(1, [2]))",
    "nest_map_types": "tf.nest.map_structure(lambda x, y: x, [1], (1,))",
    "nest_map_length": "tf.nest.map_structure(lambda x, y: x, [1, 2], [1])",
    "nest_map_keys": "tf.nest.map_structure(lambda x, y: x, {'a': 1}, {'b': 1})",
    "nest_map_not_callable": "tf.nest.map_structure(3, [1])",
    "nest_map_nothing": "tf.nest.map_structure(lambda: 1)",
    "nest_map_unchecked": "tf.nest.map_structure(lambda x, y: x + y, [1, 2], "
                          "(3, 4), check_types=False)",
    "nest_pack": "tf.nest.pack_sequence_as({'b': 0, 'a': (0, [0])}, [1, 2, 3])",
    "nest_pack_wrong": "tf.nest.pack_sequence_as([0, 0], [1, 2, 3])",
    "nest_pack_scalar": "tf.nest.pack_sequence_as(0, [7])",
    "nest_pack_scalar_wrong": "tf.nest.pack_sequence_as(0, [7, 8])",
    "nest_pack_not_sequence": "tf.nest.pack_sequence_as([0], 3)",
    "nest_is_nested": "[tf.nest.is_nested(x) for x in (1, 'a', [1], (), {}, "
                      "{1}, range(2))]",
    "nest_same": "tf.nest.assert_same_structure([1, {'a': 2}], [3, {'a': 4}])",
    "nest_same_wrong": "tf.nest.assert_same_structure([1, 2], [1])",
    "nest_same_types": "tf.nest.assert_same_structure([1, 2], (1, 2))",
    "nest_same_scalar": "tf.nest.assert_same_structure([1], 1)",
    "nest_ordered": "import collections\n"
                    "o = collections.OrderedDict([('b', 1), ('a', 2)])\n"
                    "(tf.nest.flatten(o), "
                    "list(tf.nest.map_structure(lambda x: x, o).items()))",
    "nest_none": "tf.nest.flatten([None, [1, None]])",
    # tf.compat
    "compat_bytes": "tf.compat.as_bytes('ü'), tf.compat.as_bytes(b'x'), "
                    "tf.compat.as_bytes('é', 'latin-1')",
    "compat_bytes_wrong": "tf.compat.as_bytes(3)",
    "compat_text": "tf.compat.as_text(b'ab'), tf.compat.as_str('x'), "
                   "tf.compat.as_str(b'x')",
    "compat_text_wrong": "tf.compat.as_text(3.5)",
    "compat_any": "tf.compat.as_str_any(3), tf.compat.as_str_any(b'a'), "
                  "tf.compat.as_str_any(None)",
    "compat_path": "import pathlib\ntf.compat.path_to_str(pathlib.Path('/a/b')), "
                   "tf.compat.path_to_str('c')",
    "compat_encoding": "tf.compat.as_bytes('a', 'nonsense')",
    "compat_types": "import numbers\n"
                    "[isinstance(1, tf.compat.integral_types), "
                    "isinstance(1.5, tf.compat.real_types), "
                    "isinstance(1j, tf.compat.complex_types), "
                    "isinstance(b'a', tf.compat.bytes_or_text_types), "
                    "isinstance(1.5, tf.compat.integral_types)]",
    "compat_forward": "tf.compat.forward_compatible(2019, 1, 1), "
                      "tf.compat.forward_compatible(2199, 1, 1)",
    "compat_dir": "[n in dir(tf.compat) for n in ('v1', 'v2', 'as_bytes')]",
    "compat_horizon": "with tf.compat.forward_compatibility_horizon(2199, 1, 2): "
                      "r = tf.compat.forward_compatible(2199, 1, 1)\nr",
    # tf.TensorShape
    "shape_supertype": "a = tf.TensorShape([2, 3])\n"
                       "[a.most_specific_common_supertype([tf.TensorShape(s)]) "
                       "for s in ([2, 4], [2, 3], [2], None)]",
    "shape_compatible": "tf.TensorShape([2, 3]).most_specific_compatible_shape("
                        "tf.TensorShape([2, 5])), tf.TensorShape([2])"
                        ".most_specific_compatible_shape([2, 3])",
    "shape_flatten": "tf.TensorShape([2]).flatten() if hasattr(tf.TensorShape([2])"
                     ", 'flatten') else 0",
    "shape_subtype": "[tf.TensorShape([2, 3]).is_subtype_of(tf.TensorShape(s)) "
                     "for s in ([2, None], None, [2], [2, 4])]",
    "shape_proto": "str(tf.TensorShape([2, None]).experimental_as_proto())",
    "shape_proto_back": "s = tf.TensorShape([2, None])\n"
                        "tf.TensorShape.experimental_from_proto("
                        "s.experimental_as_proto()) == s",
    "shape_placeholder": "tf.TensorShape([2]).placeholder_value(None)",
    "shape_cast": "tf.TensorShape([2]).cast(tf.TensorShape([2]), None)",
    "broadcast_static": "tf.broadcast_static_shape(tf.TensorShape([1, 3]), "
                        "tf.TensorShape([5, 1])), tf.broadcast_static_shape("
                        "tf.TensorShape([None, 1]), tf.TensorShape([3]))",
    "broadcast_static_wrong": "tf.broadcast_static_shape(tf.TensorShape([2]), "
                              "tf.TensorShape([3]))",
    "broadcast_static_unknown": "tf.broadcast_static_shape(tf.TensorShape(None), "
                                "tf.TensorShape([3]))",
    # tf.DType
    "dtype_numeric": "[t.is_numeric for t in (tf.float32, tf.int8, tf.string, "
                     "tf.bool, tf.qint8, tf.complex64, tf.resource)]",
    "dtype_limits": "[t.limits for t in (tf.uint8, tf.int16, tf.float32, tf.bool)]",
    "dtype_limits_clip": "tf.uint8.limits, tf.int32.limits",
    "dtype_limits_wrong": "tf.string.limits",
    "dtype_subtype": "tf.float32.is_subtype_of(tf.float32), "
                     "tf.float32.is_subtype_of(tf.int32)",
    "dtype_supertype": "tf.float32.most_specific_common_supertype([tf.float32]), "
                       "tf.float32.most_specific_common_supertype([tf.int32])",
    "dtype_bool": "[t.is_bool for t in (tf.bool, tf.int8)], tf.float32.size, "
                  "tf.complex64.real_dtype, tf.as_dtype('float').name",
    "dtype_wrong": "tf.as_dtype('nonsense')",
    "dtype_compare": "tf.float32 == 'float32', tf.float32 == 1, "
                     "tf.float32 != tf.int32, tf.float32 == None",
    # tf.TensorSpec
    "spec_subtype": "a = tf.TensorSpec([2, 3], tf.float32)\n"
                    "[a.is_subtype_of(tf.TensorSpec(s, t)) for s, t in "
                    "(([2, None], tf.float32), (None, tf.float32), "
                    "([2, 3], tf.int32), ([3, 3], tf.float32))]",
    "spec_supertype": "a = tf.TensorSpec([2, 3], tf.float32)\n"
                      "(a.most_specific_common_supertype([tf.TensorSpec([2, 5])]),"
                      " a.most_specific_common_supertype([tf.TensorSpec([1], "
                      "tf.int32)]))",
    "spec_from_spec": "tf.TensorSpec.from_spec(tf.TensorSpec([1], tf.int8, 'a'), "
                      "name='b')",
    "spec_value_type": "tf.TensorSpec([1]).value_type is tf.Tensor",
    "spec_compatible": "s = tf.TensorSpec([None, 2], tf.float32)\n"
                       "(s.is_compatible_with(tf.TensorSpec([3, 2])), "
                       "s.is_compatible_with(tf.TensorSpec([3, 2], tf.int32)), "
                       "s.is_compatible_with(tf.TensorSpec([3])))",
    "spec_equal": "tf.TensorSpec([1]) == tf.TensorSpec([1], tf.float32), "
                  "tf.TensorSpec([1], name='a') == tf.TensorSpec([1]), "
                  "tf.TensorSpec([1]) != tf.TensorSpec([2])",
    "spec_type": "isinstance(tf.TensorSpec([1]), tf.TypeSpec), "
                 "tf.TypeSpec.__name__",
    "spec_most_specific": "tf.TensorSpec([2]).most_specific_compatible_type("
                          "tf.TensorSpec([3]))",
    "spec_most_specific_wrong": "tf.TensorSpec([2]).most_specific_compatible_type("
                                "tf.TensorSpec([3], tf.int32))",
    "spec_wrong_type": "tf.TensorSpec([2], 'nonsense')",
    "type_spec_of": "tf.type_spec_from_value(tf.constant([1, 2]))",
    "type_spec_wrong": "tf.type_spec_from_value(3)",
    # Enums and constants.
    "aggregation": "[(a.name, a.value) for a in tf.VariableAggregation]",
    "synchronization": "[(a.name, a.value) for a in tf.VariableSynchronization]",
    "aggregation_variable": "v = tf.Variable(1., aggregation="
                            "tf.VariableAggregation.SUM)\n"
                            "(v.aggregation, v.synchronization)",
    "aggregation_default": "v = tf.Variable(1.)\n(str(v.aggregation), "
                           "str(v.synchronization))",
    "aggregation_wrong": "tf.Variable(1., aggregation='sum')",
    # tf.Tensor as a class
    "tensor_class": "[hasattr(tf.Tensor, n) for n in ('dtype', 'shape', 'name', "
                    "'ndim', 'ref', 'experimental_ref', 'eval', 'get_shape', "
                    "'set_shape', 'OVERLOADABLE_OPERATORS')]",
    "tensor_overloadable": "sorted(tf.Tensor.OVERLOADABLE_OPERATORS)",
    "tensor_ref": "t = tf.constant(1)\n(t.ref() == t.ref(), "
                  "len({t.ref(): 1, t.ref(): 2}), t.ref().deref() is t)",
    # tf.graph_util
    # tf.IndexedSlices
    "indexed_slices": "s = tf.IndexedSlices(tf.constant([[1.], [2.]]), "
                      "tf.constant([0, 3]), tf.constant([4, 1]))\n"
                      "(s.dtype, s.values.shape, s.indices.dtype, s.shape)",
    # tf.sysconfig
    # tf.get_static_value
    "static_value": "tf.get_static_value(tf.constant([1, 2])).tolist(), "
                    "tf.get_static_value(3)",
    "static_value_partial": "str(tf.get_static_value(tf.constant(2.5)))",
    # tf.dtypes
    "dtypes_cast": "tf.dtypes.cast([1.7], tf.int32)",
    "dtypes_saturate": "tf.dtypes.saturate_cast([300., -5.], tf.uint8)",
    # tf.debugging
    "assert_near_types": "tf.debugging.assert_near(tf.constant([1.0]), "
                         "tf.constant([1]))",
    "assert_rank_in": "tf.debugging.assert_rank_in([[1]], [1])",
    "assert_rank_in_ok": "tf.debugging.assert_rank_in([[1]], [1, 2])",
    "assert_shapes": "tf.debugging.assert_shapes([(tf.zeros([2, 3]), ('N', 'D')), "
                     "(tf.zeros([3]), ('D',))])",
    "assert_shapes_wrong": "tf.debugging.assert_shapes([(tf.zeros([2, 3]), "
                           "('N', 4))])",
    "assert_shapes_symbol": "tf.debugging.assert_shapes({'a': ('N',)})",
    "assert_same_float": "tf.debugging.assert_same_float_dtype([tf.constant(1.), "
                         "tf.constant(2.)])",
    "assert_same_float_none": "tf.debugging.assert_same_float_dtype()",
    "assert_same_float_int": "tf.debugging.assert_same_float_dtype("
                             "[tf.constant(1)], tf.int32)",
    "assert_proper_iterable": "tf.debugging.assert_proper_iterable([1]), "
                              "tf.debugging.assert_proper_iterable((1, 2))",
    "assert_proper_text": "tf.debugging.assert_proper_iterable('ab')",
    "assert_proper_number": "tf.debugging.assert_proper_iterable(3)",
    "assert_type_wrong": "tf.debugging.assert_type([1.0], tf.int32)",
    "assert_scalar_wrong": "tf.debugging.assert_scalar([1])",
    "traceback_filtering": "a = tf.debugging.is_traceback_filtering_enabled()\n"
                           "tf.debugging.disable_traceback_filtering()\n"
                           "b = tf.debugging.is_traceback_filtering_enabled()\n"
                           "tf.debugging.enable_traceback_filtering()\n"
                           "(a, b, tf.debugging.is_traceback_filtering_enabled())",
    # tf.Module
    "module": "class M(tf.Module):\n"
              "  def __init__(self):\n"
              "    super().__init__(name='m')\n"
              "    self.w = tf.Variable(1., name='w')\n"
              "    self.b = tf.Variable(2., name='b', trainable=False)\n"
              "    self.parts = [tf.Module(name='x')]\n"
              "m = M()\n"
              "(m.name, [v.name for v in m.variables], "
              "[v.name for v in m.trainable_variables], "
              "[v.name for v in m.non_trainable_variables], "
              "[s.name for s in m.submodules])",
    "module_name": "class MyLayer(tf.Module): pass\n"
                   "MyLayer().name, MyLayer(name='a').name",
    "module_name_wrong": "tf.Module(name='a b')",
    "module_nested": "class M(tf.Module):\n"
                     "  def __init__(self, inner=None):\n"
                     "    super().__init__()\n"
                     "    self.inner = {'k': [inner]} if inner else None\n"
                     "    self.v = tf.Variable(1., name='v')\n"
                     "m = M(M())\n(len(m.variables), len(m.submodules))",
    "module_shared": "class M(tf.Module): pass\n"
                     "m = M(); m.a = m.b = tf.Variable(1.)\nlen(m.variables)",
    # tf.errors
    "errors_codes": "[tf.errors.CANCELLED, tf.errors.OK, tf.errors.DATA_LOSS, "
                    "tf.errors.UNAUTHENTICATED]",
    "errors_op_error": "e = tf.errors.OpError(None, None, 'text', 3)\n"
                       "(str(e), e.error_code, e.op, e.node_def, e.message)",
    "errors_class": "e = tf.errors.NotFoundError(None, None, 'x')\n"
                    "(e.error_code, isinstance(e, tf.errors.OpError), repr(e))",
    "errors_bases": "[c.__mro__[1].__name__ for c in (tf.errors.NotFoundError, "
                    "tf.errors.OpError)]",
    "errors_dir": "[n for n in ('Any', 'traceback', 'install') "
                  "if n in dir(tf.errors)]",
    # tf.autograph
    "do_not_convert": "f = tf.autograph.experimental.do_not_convert("
                      "lambda x: x + 1)\nf(2)",
    "do_not_convert_decorator": "@tf.autograph.experimental.do_not_convert\n"
                                "def f(x): return x\nf(5)",
    "autograph_verbosity": "tf.autograph.set_verbosity(0)",
    # tf.types
    "types_tensor_like": "tf.types.experimental.TensorLike is not None",
    # tf.test
    # Names and scopes.
    "variable_save_slice": "tf.Variable.SaveSliceInfo.__name__",
    "variable_class": "[hasattr(tf.Variable, n) for n in ('assign', 'assign_add', "
                      "'scatter_sub', 'gather_nd', 'to_proto', 'from_proto', "
                      "'count_up_to', 'dtype')]",
    "experimental_types": "tf.experimental.float8_e5m2, tf.experimental.int4",
    "name_missing": "tf.Graph().nonsense",
    "graph_operations": "g = tf.Graph()\nwith g.as_default(): tf.constant(1, "
                        "name='a')\n"
                        "(g.operations, g.num_operations(), g.seed, "
                        "g.building_function)",
    "graph_op_def": "str(tf.Graph().op_def_for_type('NoOp'))",
    "graph_create_op": "g = tf.Graph()\n"
                       "with g.as_default(): a = tf.constant([1., 2.])\n"
                       "o = g.create_op('Neg', [a], [tf.float32], name='n')\n"
                       "(o.name, o.type, o.outputs[0].shape, "
                       "o.get_attr('T'))",
    "graph_create_op_number": "g = tf.Graph()\ng.create_op('Neg', [3.0])",
    "graph_container": "g = tf.Graph()\n"
                       "with g.as_default(), g.container('c'):\n"
                       "  v = tf.compat.v1.Variable(1., use_resource=False)\n"
                       "v.op.get_attr('container')",
}

TF2 = {
    "assert_near": "tf.debugging.assert_near([1.0], [1.0 + 1e-9])",
    "sparse_read": "tf.Variable([1, 2, 3]).sparse_read([2, 0])",
    "scatter": "r = []\n"
               "d = tf.IndexedSlices(tf.constant([2., 3., 4.]), "
               "tf.constant([0, 2, 2]))\n"
               "for k in ('add', 'sub', 'mul', 'div', 'min', 'max', 'update'):\n"
               "  v = tf.Variable([1., 5., 8.])\n"
               "  w = getattr(v, 'scatter_' + k)(d)\n"
               "  r.append((k, v.numpy().tolist(), w.numpy().tolist()))\nr",
    "scatter_nd": "r = []\n"
                  "for k in ('add', 'sub', 'min', 'max', 'update'):\n"
                  "  v = tf.Variable([[1., 5.], [8., 2.]])\n"
                  "  getattr(v, 'scatter_nd_' + k)([[0, 1], [1, 0]], [3., 4.])\n"
                  "  r.append((k, v.numpy().tolist()))\nr",
    "scatter_rows": "v = tf.Variable([[1, 2], [3, 4]])\n"
                    "v.scatter_update(tf.IndexedSlices([[9, 9]], [1]))\n"
                    "v.numpy().tolist()",
    "scatter_wrong": "tf.Variable([1.]).scatter_add(3)",
    "scatter_repr": "tf.Variable([1.]).scatter_add(tf.IndexedSlices([1.], [0]))",
    "variable_load": "v = tf.Variable([1., 2.]); v.load([3., 4.])\nv.numpy()",
    "variable_set_shape": "tf.Variable([1., 2.]).set_shape([3])",
    "variable_initial_value": "tf.Variable(1.).initial_value",
    "variable_op": "tf.Variable(1.).op",
    "variable_scoped": "with tf.name_scope('a'):\n"
                       "  with tf.name_scope('b'): v = tf.Variable(1., name='v')\n"
                       "(v.name, tf.Variable(1.).name)",
    "slice_spec": "tf.Variable.SaveSliceInfo('a', [4, 2], [0, 0], [2, 2]).spec",
    "type_spec_slices": "tf.type_spec_from_value(tf.IndexedSlices("
                        "tf.constant([1.]), tf.constant([2])))",
    "type_spec_abstract": "tf.TypeSpec()",
    "indexed_slices_str": "str(-tf.IndexedSlices(tf.constant([1.]), "
                          "tf.constant([2])))",
    "indexed_slices_no_shape": "tf.convert_to_tensor(tf.IndexedSlices("
                               "tf.constant([1.]), tf.constant([2])))",
    "conversion_result": "class C: pass\n"
                         "tf.register_tensor_conversion_function(C, "
                         "lambda v, dtype=None, name=None, as_ref=False: "
                         "tf.constant(1) if dtype is None else NotImplemented)\n"
                         "tf.convert_to_tensor(C()) + 1",
    "conversion_type": "tf.register_tensor_conversion_function(3, print)",
    "conversion_number": "tf.register_tensor_conversion_function(int, print)",
    "tensor_proto_shape": "str(tf.make_tensor_proto(1, shape=[3]))",
    "tensor_proto_verify": "tf.make_tensor_proto([1, 2], shape=[2, 1], "
                           "verify_shape=True)",
    "tensor_proto_broadcast": "tf.make_tensor_proto([1, 2], shape=[3], "
                              "allow_broadcast=True)",
    "assert_shapes_letters": "tf.debugging.assert_shapes([(tf.zeros([2, 3]), "
                             "'ND'), (tf.zeros([4]), 'D')])",
    "assert_shapes_rank": "tf.debugging.assert_shapes([(tf.zeros([2, 3]), "
                          "('N', 'D', 'E'))])",
    "assert_shapes_any": "tf.debugging.assert_shapes([(tf.zeros([2, 3]), "
                         "('.', 3)), (tf.zeros([2, 1]), (None, 1))])",
    "assert_rank_scalar": "tf.debugging.assert_rank(tf.zeros([2]), [1, 2])",
    "assert_rank_float": "tf.debugging.assert_rank(tf.zeros([2]), 2.5)",
    "assert_rank_message": "tf.debugging.assert_rank(tf.zeros([2]), 2, "
                           "message='mm')",
    "assert_integer_message": "tf.debugging.assert_integer(1.0, message='hm')",
    "assert_same_types": "tf.debugging.assert_same_float_dtype([tf.constant(1.), "
                         "tf.constant(1., tf.float64)])",
    "assert_near_int": "tf.debugging.assert_near(1.0, 1.0, rtol=0, atol=0)",
    "inside_function": "tf.inside_function(), "
                       "tf.function(lambda: tf.inside_function())()",
    "current_name_scope": "a = tf.get_current_name_scope()\n"
                          "with tf.name_scope('s'):\n"
                          "  with tf.name_scope('t'): "
                          "b = tf.get_current_name_scope()\n(a, b)",
    "assert_near_wrong": "tf.debugging.assert_near([1.0, 2.0], [1.0, 3.0])",
    "assert_near_message": "tf.debugging.assert_near(1.0, 1.1, rtol=0.01, "
                           "message='not near')",
    "assert_all_finite": "tf.debugging.assert_all_finite([1.0, 2.0], 'm')",
    "assert_all_finite_wrong": "tf.debugging.assert_all_finite([1.0, "
                               "float('inf')], 'm')",
    "assert_rank_in_wrong_text": "tf.debugging.assert_rank_in(1.0, [1, 2], "
                                 "message='bad rank')",
    "eager_tensor_members": "t = tf.constant([1])\n(t.is_packed, "
                            "t.backing_device == t.device, "
                            "len(t.OVERLOADABLE_OPERATORS))",
    "eager_experimental_ref": "t = tf.constant(1)\n"
                              "t.experimental_ref() == t.ref()",
    "eager_numpy_methods": "tf.constant([1]).tolist()",
    "eager_numpy_other": "tf.constant([1]).nonsense",
    "module_with_scope": "class M(tf.Module):\n"
                         "  def __init__(self):\n"
                         "    super().__init__(name='m')\n"
                         "    with self.name_scope:\n"
                         "      self.w = tf.Variable(1., name='w')\n"
                         "  @tf.Module.with_name_scope\n"
                         "  def __call__(self, x):\n"
                         "    if not hasattr(self, 'k'): "
                         "self.k = tf.Variable(x, name='k')\n"
                         "    return self.w * x\n"
                         "m = M(); y = m(3.)\n"
                         "([v.name for v in m.variables], y, m.name_scope.name)",
    "indexed_slices_repr": "tf.IndexedSlices(tf.constant([1.]), tf.constant([2]))",
    "variable_aggregation": "[a.name for a in tf.VariableAggregation]",
    "variable_members": "v = tf.Variable([1., 2.], name='v')\n"
                        "(v.graph if 0 else 1, v.op if 0 else 1, v.get_shape(), "
                        "v.is_initialized(), v.value())",
    "variable_eval": "tf.Variable(1.).eval()",
    "variable_initializer": "tf.Variable(1.).initializer",
    "variable_no_copy": "tf.Variable(2.).read_value_no_copy()",
    "variable_to_proto": "tf.Variable(2.).to_proto()",
    "variable_hash": "hash(tf.Variable(1.))",
    "variable_graph": "tf.Variable(1.).graph",
    "variable_numpy": "tf.Variable([1, 2]).numpy().tolist()",
    "variable_experimental_ref": "v = tf.Variable(1.)\nv.ref() == v.ref()",
    "test_evaluate": "class T(tf.test.TestCase):\n  def test_a(self): pass\n"
                     "t = T('test_a')\n"
                     "(t.evaluate(tf.constant([1, 2])).tolist(), "
                     "t.evaluate({'a': tf.constant(1), 'b': [tf.constant(2)]}), "
                     "t.evaluate(3))",
    "spec_from_tensor": "tf.TensorSpec.from_tensor(tf.constant([1.]), 'n'), "
                        "tf.TensorSpec.from_tensor(tf.constant([1.]))",
    "spec_check": "tf.TensorSpec([None], tf.float32).is_compatible_with("
                  "tf.constant([1.])), tf.TensorSpec([None], tf.float32)"
                  ".is_compatible_with(tf.constant(1.))",
    "check_numerics_enable": "tf.debugging.disable_check_numerics()",
    "optional_spec": "tf.errors.OperatorNotAllowedInGraphError.__name__",
}
