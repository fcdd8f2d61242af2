"""snippets_eager.py - What people try with eager tensors and variables. TF2."""

CASES = {
    "repr_types":
        "import numpy as np\n"
        "[repr(tf.constant(v)) for v in (1, 1.5, 0.1, True, 'a', b'b', 1j, "
        "[1, 2], [[1.5]], [], [True], ['x', 'yz'], np.int8(1), np.uint16(3), "
        "np.float16(0.1), np.float64(0.1))]",
    "str_types":
        "[str(tf.constant(v)) for v in (1, 0.1, True, 'a', [1, 2], [[1, 2], "
        "[3, 4]], ['x'], [])]",
    "repr_ranks": "[repr(tf.zeros([1] * n)) for n in range(5)]",
    "repr_long": "repr(tf.range(2000)), repr(tf.reshape(tf.range(12), [2, 2, 3]))",
    "format":
        "f'{tf.constant(1.5):.3f}', '%d' % tf.constant(3), "
        "'{}'.format(tf.constant([1, 2])), f'{tf.constant(2)!r}'",
    "iterate_2d": "[r for r in tf.constant([[1, 2], [3, 4]])]",
    "unpack":
        "a, b = tf.constant([1, 2])\n"
        "(a, b)",
    "len": "len(tf.zeros([3, 2])), len(tf.constant([]))",
    "bool_forms":
        "bool(tf.constant(0)), bool(tf.constant([True])), bool(tf.constant(''))",
    "bool_empty": "bool(tf.constant([]))",
    "if_tensor":
        "r = 'yes' if tf.constant(3) > 2 else 'no'\n"
        "r",
    "and_or": "(tf.constant(True) and tf.constant(False)), not tf.constant(True)",
    "in_list": "tf.constant(1) in [tf.constant(1), tf.constant(2)]",
    "hash_text": "{tf.constant(1): 2}",
    "ref":
        "t = tf.constant(1)\n"
        "({t.ref(): 5}[t.ref()], t.ref().deref() is t, t.ref() == t.ref(), "
        "t.experimental_ref if False else '')",
    "eq_forms":
        "t = tf.constant([1, 2])\n"
        "(t == [1, 2], t == 1, t != 1, t == None, t is None, (t == "
        "tf.constant([1, 2, 3])))",
    "eq_wrong_type": "tf.constant(1) == tf.constant(1.0)",
    "int_index":
        "[10, 20][tf.constant(1)], list(range(tf.constant(3))), "
        "'ab'[tf.constant(0)]",
    "index_float": "[1, 2][tf.constant(1.0)]",
    "int_float_forms":
        "int(tf.constant(2.7)), float(tf.constant(3)), "
        "complex(tf.constant(1.0)), round(tf.constant(2.6)) if False else ''",
    "numpy_types":
        "[type(tf.constant(v).numpy()).__name__ for v in (1, 1.5, True, 'a', "
        "[1])]",
    "attributes":
        "t = tf.constant([[1.5]])\n"
        "(t.dtype, t.shape, t.ndim, t.device, t.backing_device, "
        "t.shape.rank, t.get_shape().as_list())",
    "no_graph_attrs": "tf.constant(1).name",
    "no_op_attr": "tf.constant(1).op",
    "no_graph": "tf.constant(1).graph",
    "eval": "tf.constant(1).eval()",
    "tensor_attr_missing": "tf.constant(1).nope",
    "numpy_method": "tf.constant([1]).tolist()",
    "numpy_method2": "tf.constant([1]).astype('f')",
    "numpy_method3": "tf.constant([1]).reshape([1])",
    "set_item": "t = tf.constant([1, 2]); t[0] = 5",
    "set_attr": "t = tf.constant([1, 2]); t.shape = [1]",
    "copy":
        "import copy\n"
        "t = tf.constant([1, 2])\n"
        "(copy.copy(t) is t, copy.deepcopy(t).numpy().tolist())",
    "pickle":
        "import pickle\n"
        "pickle.loads(pickle.dumps(tf.constant([1, 2])))",
    "np_functions":
        "import numpy as np\n"
        "t = tf.constant([1., 4.])\n"
        "(np.sqrt(t), np.add(t, 1), np.asarray(t).dtype, np.array(t), "
        "np.mean(t), np.concatenate([t, t]), np.dot(t, t))",
    "np_left":
        "import numpy as np\n"
        "(np.array([1., 2.]) + tf.constant([1., 2.], tf.float64), "
        "np.float32(2) * tf.constant([1., 2.]), np.int64(2) - tf.constant(1, "
        "tf.int64))",
    "np_mixed":
        "import numpy as np\n"
        "tf.constant([1., 2.]) + np.array([1., 2.])",
    "np_mixed_int":
        "import numpy as np\n"
        "tf.constant([1, 2]) + np.array([1, 2])",
    "np_assign":
        "import numpy as np\n"
        "a = np.zeros(2); a[:] = tf.constant([1., 2.])\n"
        "a",
    "np_buffer":
        "memoryview(tf.constant([1, 2])).shape, bytes(tf.constant([1], tf.uint8))",
    "ops_reflected":
        "t = tf.constant([2, 3])\n"
        "[1 + t, 10 - t, 2 * t, 12 / t, 7 // t, 7 % t, 2 ** t, 1 < t, [1, 1] "
        "+ t, t + (1, 1)]",
    "ops_inplace":
        "t = tf.constant(1); u = t; t += 1; t *= 5\n"
        "(t, u)",
    "ops_shift": "tf.constant(1) << 2",
    "ops_pos": "+tf.constant(1)",
    "ops_bits": "tf.constant([True, False]) & [True, True], ~tf.constant([True])",
    "ops_none": "tf.constant(1) + None",
    "ops_object": "tf.constant(1) + object()",
    "ops_str": "tf.constant('a') + 'b'",
    "ops_matmul": "tf.constant([[1., 2.]]) @ [[3.], [4.]]",
    "ops_matmul_vector": "tf.constant([1., 2.]) @ tf.constant([3., 4.])",
    "ops_divide":
        "tf.constant(7) / 2, tf.constant(7) // 2, tf.constant(7.) // 2, "
        "tf.divide(7, 2), tf.truediv(7, 2), tf.math.floordiv(7, 2)",
    "ops_pow": "tf.constant(2) ** 3, tf.constant(2.0) ** 0.5, tf.pow(2, 3)",
    "ops_compare": "tf.constant(1) < tf.constant(1.5)",
    "ops_bool_arith": "tf.constant(True) + tf.constant(True)",
    "getitem_errors":
        "r = []\n"
        "t = tf.constant([1, 2, 3])\n"
        "for i in ('a', 1.5, [0, 1], (0, 0), 5, -4, tf.constant([0]), "
        "tf.constant(1.0), object):\n"
        "  try: r.append(t[i].numpy().tolist())\n"
        "  except Exception as e: r.append(type(e).__name__ + ': ' + str(e))\n"
        "r",
    "getitem_forms":
        "t = tf.reshape(tf.range(24), [2, 3, 4])\n"
        "[t[0, 1, 2], t[..., 0], t[0], t[-1, -1], t[:, 1:, ::2], t[None, "
        "0].shape, t[..., tf.newaxis].shape, t[0, ..., 1], t[::-1, 0, 0], "
        "t[tf.constant(1), 0, 0], t[tf.constant(0):tf.constant(1), 0, 0], "
        "t[1:1].shape]",
    "getitem_mask":
        "t = tf.constant([1, 2, 3])\n"
        "t[t > 1], t[[True, False, True]] if False else ''",
    "getitem_scalar": "tf.constant(1)[0]",
    "getitem_string": "tf.constant(['a', 'b'])[1]",
    "var_api":
        "v = tf.Variable([1., 2.], name='w')\n"
        "(v.name, v.dtype, v.shape, v.trainable, v.device, v.numpy(), "
        "v.value(), v.read_value(), v.ref() == v.ref(), v.synchronization if "
        "False else '', v.get_shape(), v.handle.dtype if False else '', "
        "v.constraint, v.initial_value if False else '')",
    "var_reprs":
        "repr(tf.Variable(1.5)), str(tf.Variable([[1, 2]], name='n')), "
        "repr(tf.Variable(['a'])), repr(tf.Variable(True))",
    "var_assign_returns":
        "v = tf.Variable(1.)\n"
        "(repr(v.assign(2.)), repr(v.assign_add(1.)), v.assign(5., "
        "read_value=False))",
    "var_assign_type":
        "v = tf.Variable(1)\n"
        "v.assign(2.5)",
    "var_assign_type2":
        "v = tf.Variable(1.)\n"
        "v.assign(2)\n"
        "v.numpy()",
    "var_assign_tensor_type":
        "v = tf.Variable(1.)\n"
        "v.assign(tf.constant(2))",
    "var_assign_shape": "tf.Variable([1., 2.]).assign([[1., 2.]])",
    "var_assign_add_type": "tf.Variable(1).assign_add(1.5)",
    "var_no_shape":
        "v = tf.Variable([1.], shape=tf.TensorShape(None)); v.assign([1., 2.])\n"
        "(v.shape, v.numpy())",
    "var_shape_wrong": "tf.Variable([1.], shape=[2])",
    "var_no_value": "tf.Variable()",
    "var_none": "tf.Variable(None)",
    "var_dtype":
        "tf.Variable(1, dtype=tf.float32), tf.Variable([1, 2], "
        "dtype='int64').dtype",
    "var_of_var":
        "v = tf.Variable(1); w = tf.Variable(v); v.assign(5)\n"
        "w.numpy()",
    "var_lambda": "tf.Variable(lambda: tf.ones([2])).numpy()",
    "var_ops":
        "v = tf.Variable([4., 9.])\n"
        "[v + 1, 2 * v, -v, abs(v), v ** 2, v / 2, v > 5, v[0], v[1:], "
        "tf.sqrt(v), v @ v if False else '', 1 - v, v == v, v % 2, v // 2]",
    "var_inplace":
        "v = tf.Variable(1); v += 1\n"
        "type(v).__name__",
    "var_python":
        "v = tf.Variable(3)\n"
        "(int(v), float(v), bool(v), [x.numpy() for x in tf.Variable([1, 2])])",
    "var_hash": "{tf.Variable(1, name='h'): 1}",
    "var_numpy":
        "import numpy as np\n"
        "v = tf.Variable([1., 2.])\n"
        "(np.array(v), np.sum(v), np.asarray(v).dtype)",
    "var_slice_assign":
        "v = tf.Variable([1, 2, 3]); v[0].assign(9)\n"
        "v.numpy()",
    "var_getitem_bad": "v = tf.Variable([1, 2, 3]); v[0] = 1",
    "var_trainable":
        "tf.Variable(1., trainable=False).trainable, tf.Variable(1).trainable",
    "var_name_dup":
        "tf.Variable(1, name='n').name, tf.Variable(1, name='n').name, "
        "tf.Variable(1).name",
    "var_scope_name":
        "with tf.name_scope('s'): v = tf.Variable(1, name='n')\n"
        "v.name",
    "var_device":
        "with tf.device('cpu:0'): v = tf.Variable(1)\n"
        "v.device",
    "var_copy":
        "import copy\n"
        "v = tf.Variable(1); w = copy.deepcopy(v); v.assign(3)\n"
        "(w.numpy(), w.name)",
    "var_is_tensor":
        "v = tf.Variable(1)\n"
        "(tf.is_tensor(v), isinstance(v, tf.Tensor), isinstance(v, "
        "tf.Variable), tf.convert_to_tensor(v))",
    "var_cast":
        "tf.cast(tf.Variable(1), tf.float32), tf.reduce_sum(tf.Variable([1, 2]))",
    "shape_api":
        "s = tf.TensorShape([2, None])\n"
        "(s.ndims, s.rank, s.dims, s.as_list(), s[0], s[1], "
        "s.num_elements(), s.is_fully_defined(), s.merge_with([None, 3]), "
        "s.concatenate([4]), s == [2, None], s == (2, None), len(s), "
        "list(s), s[:1], str(s), repr(s), s + [3] if False else '')",
    "shape_eq":
        "tf.TensorShape([1, 2]) == [1, 2], tf.TensorShape(None) == "
        "tf.TensorShape(None), tf.TensorShape([None]) == "
        "tf.TensorShape([None]), tf.TensorShape([1]) != [2]",
    "shape_errors":
        "r = []\n"
        "for f in (lambda: tf.TensorShape([2]).merge_with([3]), lambda: "
        "tf.TensorShape(None).as_list(), lambda: tf.TensorShape(['a']), "
        "lambda: len(tf.TensorShape(None)), lambda: tf.TensorShape([2, "
        "None]).num_elements(), lambda: tf.TensorShape(None)[0], lambda: "
        "tf.TensorShape([1]) + [2], lambda: tf.TensorShape(3)):\n"
        "  try: r.append(repr(f()))\n"
        "  except Exception as e: r.append(type(e).__name__ + ': ' + str(e))\n"
        "r",
    "shape_proto":
        "tf.TensorShape([2, None]).as_proto(), "
        "tf.TensorShape(tf.TensorShape([1, 2]).as_proto())",
    "spec":
        "s = tf.TensorSpec([None, 2], tf.float32, 'n')\n"
        "(s.shape, s.dtype, s.name, repr(s), s == tf.TensorSpec([None, 2], "
        "tf.float32, 'n'), s.is_compatible_with(tf.zeros([3, 2])), "
        "tf.TensorSpec.from_tensor(tf.constant([1])), hash(s) == "
        "hash(tf.TensorSpec([None, 2], tf.float32, 'n')))",
    "spec_defaults":
        "repr(tf.TensorSpec([1])), repr(tf.TensorSpec(None, tf.int32)), "
        "tf.TensorSpec.from_spec(tf.TensorSpec([1]), 'q') if False else ''",
    "spec_bad": "tf.TensorSpec('a')",
    "dtypes_api":
        "d = tf.float32\n"
        "(d.name, d.size, d.min, d.max, d.as_numpy_dtype.__name__, repr(d), "
        "str(d), d == 'float32', d == 1, d != tf.int32, hash(d) == "
        "hash(tf.float32))",
    "as_dtype_bad": "tf.as_dtype('x')",
    "convert_forms":
        "import numpy as np\n"
        "[tf.convert_to_tensor(v) for v in (1, [1., 2.], np.ones([2]), (1, "
        "2), np.float32(3), [np.float32(1), 2], 'a')]",
    "convert_dtype":
        "tf.convert_to_tensor([1, 2], tf.float32), "
        "tf.convert_to_tensor(np.ones([1]), dtype=tf.int32) if False else ''",
    "cast_forms":
        "tf.cast(1.9, tf.int32), tf.cast([1, 0], tf.bool), tf.cast(True, "
        "tf.float32), tf.cast(-1, tf.uint8), tf.cast(tf.constant(1), 'float64')",
    "zeros_forms":
        "tf.zeros(3), tf.zeros([2, 1], tf.int32), tf.zeros(()), "
        "tf.ones_like([1, 2]), tf.zeros_like(tf.constant(['a'])), "
        "tf.fill([2], 7), tf.zeros(tf.constant([2])), tf.ones((1, 2))",
    "range_forms":
        "tf.range(3), tf.range(1, 4), tf.range(10, 0, -3), tf.range(0., 1., "
        "0.25), tf.range(3, dtype=tf.float32), tf.range(tf.constant(2))",
    "range_bad": "tf.range(0, 10, -1)",
    "linspace": "tf.linspace(0., 1., 3)",
    "eye": "tf.eye(2), tf.eye(2, 3), tf.eye(2, dtype=tf.int32)",
    "split_forms":
        "tf.split(tf.range(6), 3), tf.split(tf.range(6), [1, 2, 3]), "
        "tf.split(tf.zeros([2, 4]), 2, axis=1)",
    "stack_forms":
        "tf.stack([[1, 2], [3, 4]], axis=1), tf.unstack(tf.constant([[1, 2], "
        "[3, 4]]), axis=1), tf.concat([[1], [2, 3]], 0)",
    "where_forms":
        "tf.where([[True, False]], 1, 2), tf.where(tf.constant([1, -1]) > 0, "
        "[1., 2.], 0.)",
    "where_bad": "tf.where([True], [1])",
    "reduce_forms":
        "t = tf.constant([[1., 2.], [3., 4.]])\n"
        "[tf.reduce_sum(t, 0), tf.reduce_mean(t, [0, 1]), tf.reduce_max(t, "
        "-1, keepdims=True), tf.reduce_prod(t), tf.reduce_any([True, "
        "False]), tf.reduce_all([True, False], 0), tf.reduce_logsumexp(t), "
        "tf.math.reduce_std(t), tf.math.reduce_variance(t), tf.norm(t)]",
    "reduce_int_mean": "tf.reduce_mean([1, 2])",
    "reduce_bad_axis": "tf.reduce_sum([1], axis=3)",
    "arg_forms":
        "tf.argmax([[1, 3], [4, 2]], 1), tf.argmin([3, 1]), tf.argmax([1, "
        "2], output_type=tf.int32)",
    "gather_forms":
        "t = tf.constant([[1, 2], [3, 4]])\n"
        "[tf.gather(t, [1]), tf.gather(t, 0, axis=1), tf.gather_nd(t, [[0, "
        "1]]), tf.boolean_mask(t, [True, False])]",
    "math_names":
        "[tf.abs(-1), tf.sign(-2.), tf.round([0.5, 1.5, 2.5]), "
        "tf.floor(1.5), tf.math.ceil(1.5), tf.maximum(1, 2), tf.minimum([1, "
        "5], 3), tf.square(3), tf.sqrt(4.), tf.exp(0.), tf.math.log(1.), "
        "tf.sin(0.), tf.tanh(0.), tf.sigmoid(0.), tf.math.rsqrt(4.), "
        "tf.negative(1), tf.math.reciprocal(2.)]",
    "logical":
        "tf.logical_and(True, False), tf.logical_or([True], [False]), "
        "tf.logical_not(True), tf.math.logical_xor(True, True)",
    "matmul_flags":
        "tf.matmul([[1., 2.]], [[3., 4.]], transpose_b=True), "
        "tf.matmul(tf.ones([2, 1, 2]), tf.ones([2, 2, 1])).shape, "
        "tf.linalg.matmul([[1]], [[2]])",
    "nn_names":
        "[tf.nn.relu([-1., 1.]), tf.nn.softmax([0., 0.]), tf.nn.sigmoid(0.), "
        "tf.nn.elu([-1., 1.]), tf.nn.leaky_relu([-1.]), tf.nn.softplus(0.), "
        "tf.nn.relu6([7.]), tf.nn.log_softmax([0., 0.]), "
        "tf.nn.bias_add([[1., 2.]], [1., 1.]), tf.nn.l2_normalize([3., 4.]), "
        "tf.nn.moments(tf.constant([1., 3.]), [0])]",
    "config_bad":
        "tf.config.set_visible_devices([], 'GPU'); "
        "tf.config.get_visible_devices('GPU')",
    "config_growth_bad": "tf.config.experimental.set_memory_growth('GPU:0', True)",
    "config_growth_cpu":
        "tf.config.experimental.set_memory_growth(tf.config.list_physical_de"
        "vices('CPU')[0], True)",
    "config_visible_late": "tf.constant(1); tf.config.set_visible_devices([], 'CPU')",
    "config_threads_late":
        "tf.constant(1); tf.config.threading.set_intra_op_parallelism_threads(2)",
    "config_memory_info": "tf.config.experimental.get_memory_info('CPU:0')",
    "config_memory_info2": "tf.config.experimental.get_memory_info('GPU:0')",
    "config_logical":
        "tf.config.set_logical_device_configuration(tf.config.list_physical_"
        "devices('CPU')[0], [tf.config.LogicalDeviceConfiguration(), "
        "tf.config.LogicalDeviceConfiguration()])\n"
        "[d.name for d in tf.config.list_logical_devices('CPU')]",
    "config_logical_late":
        "tf.constant(1); tf.config.set_logical_device_configuration(tf.confi"
        "g.list_physical_devices('CPU')[0], "
        "[tf.config.LogicalDeviceConfiguration()])",
    "device_forms":
        "r = []\n"
        "for d in ('cpu', 'CPU:0', '/cpu:0', '/device:CPU:0', "
        "'/job:localhost/replica:0/task:0/device:CPU:0'):\n"
        "  with tf.device(d): r.append(tf.constant(1).device)\n"
        "r",
    "device_bad_forms":
        "r = []\n"
        "for d in ('/job:nope', 'CPU:7', '/foo', 3, '/gpu:x'):\n"
        "  try:\n"
        "    with tf.device(d): r.append(tf.constant(1).device)\n"
        "  except Exception as e: r.append(type(e).__name__ + ': ' + str(e))\n"
        "r",
    "device_none":
        "with tf.device(None): t = tf.constant(1)\n"
        "t.device",
    "device_spec":
        "tf.DeviceSpec.from_string('/gpu:1').to_string(), "
        "tf.DeviceSpec(job='a').replace(task=1).to_string(), "
        "tf.DeviceSpec(device_type='GPU', device_index=0) == "
        "tf.DeviceSpec.from_string('GPU:0')",
    "random_names":
        "tf.random.set_seed(3)\n"
        "[tf.random.uniform([1], 0, 10, tf.int32), tf.random.normal([1]), "
        "tf.random.truncated_normal([1]), tf.random.shuffle([1, 2, 3])]",
    "random_int_nomax": "tf.random.uniform([1], dtype=tf.int32)",
    "graph_mode":
        "g = tf.Graph()\n"
        "with g.as_default():\n"
        "  t = tf.constant(1) + 1\n"
        "(t.name, repr(t), t.op.type, t.graph is g, tf.executing_eagerly())",
    "graph_mix":
        "e = tf.constant(1)\n"
        "with tf.Graph().as_default():\n"
        "  t = e + 1\n"
        "t.name",
    "graph_numpy":
        "with tf.Graph().as_default(): g = tf.constant(1)\n"
        "g.numpy()",
    "compat_session":
        "with tf.compat.v1.Session(graph=tf.Graph()) as s: r = "
        "s.run(tf.constant(3))\n"
        "r",
    "compat_session_eager":
        "t = tf.constant(1)\n"
        "tf.compat.v1.Session().run(t)",
    "compat_names":
        "tf.compat.v1.get_default_graph().as_default is not None, "
        "tf.compat.v1.executing_eagerly(), tf.compat.as_bytes('a'), "
        "tf.compat.as_str(b'a'), tf.compat.as_text(b'a'), tf.compat.as_str_any(3)",
    "v1_names_missing":
        "r = []\n"
        "for n in ('Session', 'placeholder', 'global_variables_initializer', "
        "'get_variable', 'ConfigProto', 'app', 'logging'):\n"
        "  try: r.append(repr(getattr(tf, n)))\n"
        "  except AttributeError as e: r.append(str(e))\n"
        "r",
    "nest":
        "[tf.nest.flatten({'b': 2, 'a': [1, (3,)]}), "
        "tf.nest.map_structure(lambda x: x + 1, {'a': 1, 'b': (2, 3)}), "
        "tf.nest.is_nested([1]), tf.nest.pack_sequence_as([1, (2,)], [5, 6])]",
    "name_scope":
        "with tf.name_scope('s') as n: pass\n"
        "n",
    "print_eager": "print(tf.constant(1)); print([tf.constant(1)])",
    "executing":
        "tf.executing_eagerly(), tf.inside_function() if hasattr(tf, "
        "'inside_function') else '', tf.compat.v1.executing_eagerly_outside_"
        "functions()",
    "get_static_value":
        "tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(3)",
    "make_ndarray": "tf.make_ndarray(tf.make_tensor_proto([1, 2]))",
    "complex":
        "tf.complex(1., 2.), tf.math.real(tf.complex(1., 2.)), "
        "tf.math.imag(tf.constant(1+2j))",
    "var_len": "len(tf.Variable([1, 2]))",
    "var_index": "[1, 2, 3, 4][tf.Variable(3)]",
    "ctc_loss_dense":
        "x = tf.reshape(tf.cast(tf.range(24), tf.float32) % 7. / 2., [4, 2, 3])\n"
        "[round(float(v), 4) for v in tf.nn.ctc_loss([[1, 2], [2, 0]], x, [2, 1], [4, 3])]",
    "ctc_loss_sparse":
        "x = tf.reshape(tf.cast(tf.range(24), tf.float32) % 7. / 2., [2, 4, 3])\n"
        "labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])\n"
        "[round(float(v), 4) for v in tf.nn.ctc_loss(labels, x, None, [4, 4], False, blank_index=-1)]",
    "ctc_loss_no_blank":
        "tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [0], [1, 1]), tf.zeros([2, 1, 3]), None, [2])",
    "ctc_greedy":
        "x = tf.reshape(tf.cast(tf.range(24), tf.float32) * 5. % 7., [4, 2, 3])\n"
        "d, p = tf.nn.ctc_greedy_decoder(x, [4, 3])\n"
        "d[0].indices.numpy().tolist(), d[0].values.numpy().tolist(), d[0].dense_shape.numpy().tolist(), "
        "p.numpy().tolist()",
    "sparse_kernels":
        "a = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1., 2., 3.], [2, 3])\n"
        "b = tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [4., -1., 6.], [2, 3])\n"
        "def show(x): return (x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist())\n"
        "s = tf.sparse\n"
        "[show(x) for x in (s.add(a, b), s.concat(1, [a, b]), s.slice(a, [0, 1], [2, 2]), s.reshape(a, [3, -1]), "
        "s.maximum(a, b), s.minimum(a, b), s.reduce_sum(a, 1, output_is_sparse=True), a * [1., 2., 3.], a / 2., "
        "s.fill_empty_rows(tf.SparseTensor([[1, 0]], [1.], [3, 2]), 7.)[0], *s.split(a, 2, 1))]",
    "sparse_dense_kernels":
        "a = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1., 2., 3.], [2, 3])\n"
        "[x.numpy().tolist() for x in (tf.sparse.add(a, tf.ones([2, 3])), tf.sparse.reduce_max(a), "
        "tf.sparse.reduce_sum(a, 0), tf.sparse.sparse_dense_matmul(a, tf.ones([3, 2])), "
        "tf.sparse.sparse_dense_matmul(tf.ones([2, 2]), a), tf.sparse.softmax(a).values)]",
    "sparse_reshape_bad": "tf.sparse.reshape(tf.SparseTensor([[0, 1]], [1.], [2, 3]), [4, 2])",
    "sparse_times_bad": "tf.SparseTensor([[0, 1]], [1.], [2, 3]) * tf.constant([1., 2.])",
    "quantize_names":
        "q = tf.quantization\n"
        "x = tf.constant([-1.2, 0.3, 2.5])\n"
        "[v.numpy().tolist() for v in (q.fake_quant_with_min_max_args_gradient(x, x), "
        "*q.fake_quant_with_min_max_vars_gradient(x, x, 0., 1.), q.quantize_and_dequantize_v2(x, -1., 1.))]",
    "raw_any": "tf.raw_ops.Any(input=[True, False], axis=0), tf.raw_ops.All(input=[True], axis=0)",
    "complex_abs_width": "tf.raw_ops.ComplexAbs(x=tf.constant([1j], tf.complex64), Tout=tf.float64)",
    "complex_abs_narrow": "tf.raw_ops.ComplexAbs(x=tf.constant([1j], tf.complex128), Tout=tf.float32)",
    "fake_quant_of_nothing":
        "tf.quantization.fake_quant_with_min_max_vars_per_channel(tf.zeros([2, 0]), tf.zeros([0]), tf.zeros([0]))",
    "prevented_gradient":
        "x = tf.constant(1.)\n"
        "with tf.GradientTape() as t:\n"
        "  t.watch(x)\n"
        "  y = tf.raw_ops.PreventGradient(input=x, message='not here')\n"
        "t.gradient(y, x)",
}
