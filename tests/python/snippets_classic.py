"""snippets_classic.py - What people try with errors, logs, tests, messages and shapes. TF1."""

CASES = {
    "err_attributes":
        "a = tf.placeholder_with_default(0, [], name='z')\n"
        "try: tf.Session().run(tf.constant(1, name='o') // a)\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.error_code, "
        "e.op.name, e.op.type, e.node_def.name, type(e).__name__, "
        "isinstance(e, tf.OpError), isinstance(e, tf.errors.OpError), "
        "e.experimental_payloads)\n"
        "r",
    "err_message":
        "a = tf.placeholder_with_default(0, [], name='z')\n"
        "try: tf.Session().run(tf.constant(1, name='o') // a)\n"
        "except tf.errors.InvalidArgumentError as e: r = "
        "e.message.split('\\n')[0]\n"
        "r",
    "err_make":
        "e = tf.errors.InvalidArgumentError(None, None, 'text')\n"
        "(str(e), e.message, e.op, e.node_def, e.error_code, repr(e))",
    "err_make_op":
        "a = tf.constant(1, name='a')\n"
        "e = tf.errors.NotFoundError(a.op.node_def, a.op, 'gone')\n"
        "(e.op.name, e.message, e.error_code)",
    "err_codes":
        "sorted((n, getattr(tf.errors, n)) for n in dir(tf.errors) if "
        "n.isupper())",
    "err_classes": "sorted(n for n in dir(tf.errors) if n.endswith('Error'))",
    "err_from_code":
        "tf.errors.exception_type_from_error_code(5).__name__, "
        "tf.errors.error_code_from_exception_type(tf.errors.AbortedError)",
    "err_from_code_bad": "tf.errors.exception_type_from_error_code(99)",
    "err_hierarchy":
        "issubclass(tf.errors.OutOfRangeError, tf.errors.OpError), "
        "issubclass(tf.errors.OpError, Exception), tf.errors.OpError is "
        "tf.OpError",
    "err_pickle":
        "import pickle\n"
        "e = pickle.loads(pickle.dumps(tf.errors.AbortedError(None, None, "
        "'x')))\n"
        "(type(e).__name__, e.message)",
    "err_raise": "raise tf.errors.UnavailableError(None, None, 'down')",
    "err_oom": "tf.errors.ResourceExhaustedError(None, None, 'm').error_code",
    "err_placeholder":
        "p = tf.placeholder(tf.float32, [2], name='p')\n"
        "import re\n"
        "try: tf.Session().run(p * 2)\n"
        "except Exception as e: r = type(e).__name__\n"
        "r",
    "err_matmul":
        "p = tf.placeholder(tf.float32, name='p')\n"
        "try: tf.Session().run(tf.matmul(p, p, name='m'), {p: [[1., 2.]]})\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.op.name, "
        "e.message.split('\\n')[0])\n"
        "r",
    "err_reshape":
        "p = tf.placeholder(tf.int32, name='p')\n"
        "try: tf.Session().run(tf.reshape([1, 2, 3], p, name='r'), {p: [2, 2]})\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.op.name, "
        "e.message.split('\\n')[0])\n"
        "r",
    "err_concat":
        "p = tf.placeholder(tf.int32, name='p')\n"
        "try: tf.Session().run(tf.concat([p, [1]], 0, name='c'), {p: [[2, 2]]})\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.op.name, "
        "e.message.split('\\n')[0])\n"
        "r",
    "err_gather":
        "p = tf.placeholder(tf.int32, name='p')\n"
        "try: tf.Session().run(tf.gather([1, 2], p, name='c'), {p: 7})\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.op.name, "
        "e.message.split('\\n')[0])\n"
        "r",
    "err_check_numerics":
        "p = tf.placeholder(tf.float32, name='p')\n"
        "try: tf.Session().run(tf.check_numerics(p, 'oh', name='c'), {p: "
        "float('inf')})\n"
        "except tf.errors.InvalidArgumentError as e: r = (e.op.name, "
        "e.message.split('\\n')[0])\n"
        "r",
    "err_device":
        "with tf.device('/gpu:9'): c = tf.constant(1, name='c')\n"
        "try: tf.Session().run(c)\n"
        "except tf.errors.InvalidArgumentError as e: r = (type(e).__name__, "
        "e.message.split('\\n')[0][:150])\n"
        "r",
    "is_numeric":
        "[tf.is_numeric_tensor(x) for x in (tf.constant(1), tf.constant('a'), 3)]",
    "log_levels":
        "tf.logging.DEBUG, tf.logging.INFO, tf.logging.WARN, "
        "tf.logging.WARNING if hasattr(tf.logging, 'WARNING') else 0, "
        "tf.logging.ERROR, tf.logging.FATAL",
    "log_verbosity":
        "a = tf.logging.get_verbosity(); "
        "tf.logging.set_verbosity(tf.logging.INFO)\n"
        "(a, tf.logging.get_verbosity())",
    "log_functions":
        "sorted(n for n in dir(tf.logging) if not n.startswith('_') and n "
        "not in ('absolute_import', 'division', 'print_function', 'sys'))",
    "log_text":
        "import io, contextlib, logging\n"
        "s = io.StringIO(); h = logging.StreamHandler(s); l = "
        "logging.getLogger('tensorflow'); l.addHandler(h)\n"
        "tf.logging.set_verbosity(tf.logging.INFO); tf.logging.info('hello "
        "%s', 'x'); tf.logging.log_every_n(tf.logging.INFO, 'n', 2); "
        "tf.logging.log_first_n(tf.logging.INFO, 'f', 1); "
        "tf.logging.log_if(tf.logging.INFO, 'i', True)\n"
        "s.getvalue()",
    "tc_equal":
        "class T(tf.test.TestCase):\n"
        "  def runTest(self): pass\n"
        "t = T(); t.assertAllEqual([1, 2], [1, 3])",
    "tc_close":
        "class T(tf.test.TestCase):\n"
        "  def runTest(self): pass\n"
        "t = T(); t.assertAllClose([1., 2.], [1., 2.0000001]); "
        "t.assertAllClose({'a': [1.]}, {'a': [1.]}); t.assertAllClose([1., "
        "2.], [1., 3.])",
    "tc_methods":
        "[m for m in ('assertAllEqual', 'assertAllClose', 'assertNear', "
        "'assertArrayNear', 'assertAllCloseAccordingToType', "
        "'assertNotAllClose', 'assertNotAllEqual', 'assertShapeEqual', "
        "'assertAllGreater', 'assertAllLess', 'assertAllInRange', "
        "'assertDeviceEqual', 'assertProtoEquals', 'assertRaisesOpError', "
        "'assertRaisesWithPredicateMatch', 'assertStartsWith', 'evaluate', "
        "'session', 'cached_session', 'test_session', 'get_temp_dir', "
        "'assertDTypeEqual', 'assertAllInSet') if not "
        "hasattr(tf.test.TestCase, m)]",
    "tc_run":
        "import unittest\n"
        "class T(tf.test.TestCase):\n"
        "  def test_a(self):\n"
        "    with self.test_session() as s: "
        "self.assertEqual(s.run(tf.constant(3)), 3)\n"
        "    with self.cached_session(): "
        "self.assertAllEqual(tf.constant([1]).eval(), [1])\n"
        "    with self.session(): self.assertAllEqual(self.evaluate(tf.const"
        "ant([1, 2])), [1, 2])\n"
        "    with self.assertRaisesOpError('boom'): raise "
        "tf.errors.InternalError(None, None, 'boom')\n"
        "    self.assertDeviceEqual('/cpu:0', '/device:CPU:0'); "
        "self.assertShapeEqual(__import__('numpy').zeros([2]), "
        "tf.zeros([2])); self.assertNear(1., 1.01, 0.1); "
        "self.assertStartsWith('abc', 'a'); self.assertAllGreater([2], 1); "
        "self.assertAllLess([0], 1); self.assertAllInRange([1], 0, 2); "
        "self.assertNotAllClose([1.], [2.]); "
        "self.assertAllCloseAccordingToType([1.], [1.]); "
        "self.assertAllInSet([1], {1, 2})\n"
        "r = unittest.TextTestRunner(stream=open('/dev/null', "
        "'w')).run(unittest.TestLoader().loadTestsFromTestCase(T))\n"
        "(r.wasSuccessful(), [str(e[1])[-300:] for e in r.errors + r.failures])",
    "test_gpu":
        "tf.test.is_gpu_available(), tf.test.gpu_device_name(), "
        "tf.test.is_built_with_cuda() in (True, False)",
    "device_lib_fields":
        "from tensorflow.python.client import device_lib\n"
        "d = device_lib.list_local_devices()[0]\n"
        "[f.name for f in d.DESCRIPTOR.fields]",
    "timeline_json":
        "import json\n"
        "from tensorflow.python.client import timeline\n"
        "m = tf.RunMetadata(); s = tf.Session(); _ = s.run(tf.constant(1.) + "
        "tf.placeholder_with_default(2., []), "
        "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), "
        "run_metadata=m)\n"
        "j = json.loads(timeline.Timeline(m.step_stats).generate_chrome_trac"
        "e_format())\n"
        "(sorted(j), sorted({e['ph'] for e in j['traceEvents']}))",
    "run_metadata":
        "m = tf.RunMetadata(); s = tf.Session(); _ = s.run(tf.constant(1.) + "
        "1, options=tf.RunOptions(output_partition_graphs=True), "
        "run_metadata=m)\n"
        "len(m.partition_graphs)",
    "config_repr":
        "str(tf.ConfigProto(allow_soft_placement=True, "
        "log_device_placement=True, intra_op_parallelism_threads=2))",
    "config_gpu":
        "c = tf.ConfigProto(); c.gpu_options.allow_growth = True; "
        "c.gpu_options.per_process_gpu_memory_fraction = 0.5; "
        "c.device_count['GPU'] = 0\n"
        "str(c)",
    "config_gpu_arg":
        "str(tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list='0"
        ",1', per_process_gpu_memory_fraction=0.25), device_count={'CPU': 2}))",
    "config_bad_type": "tf.ConfigProto(allow_soft_placement='yes')",
    "config_bad_attr": "c = tf.ConfigProto(); c.nope = 1",
    "config_equal":
        "tf.ConfigProto() == tf.ConfigProto(), "
        "tf.ConfigProto(allow_soft_placement=True) == tf.ConfigProto()",
    "config_round":
        "c = tf.ConfigProto.FromString(tf.ConfigProto(allow_soft_placement=T"
        "rue).SerializeToString())\n"
        "c.allow_soft_placement",
    "config_optimizer":
        "c = tf.ConfigProto(); c.graph_options.optimizer_options.opt_level = "
        "tf.OptimizerOptions.L0; c.graph_options.optimizer_options.global_ji"
        "t_level = tf.OptimizerOptions.ON_1\n"
        "str(c.graph_options)",
    "run_options":
        "str(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, "
        "timeout_in_ms=5))",
    "dtype_api":
        "d = tf.float32\n"
        "(d.name, d.size, d.min, d.max, d.as_numpy_dtype.__name__, "
        "d.base_dtype, d.is_floating, d.is_integer, d.real_dtype, d._as_ref "
        "if False else '', repr(d), str(d), d.as_datatype_enum, d == "
        "'float32', d == tf.float64, hash(d) == hash(tf.float32), d.limits)",
    "dtype_convert":
        "import numpy as np\n"
        "[tf.as_dtype(x) for x in ('int32', np.float32, np.dtype('int8'), 3, "
        "tf.bool, float, bool, str, object)]",
    "dtype_bad": "tf.as_dtype('floaty')",
    "dtype_bad2": "tf.as_dtype(99)",
    "dtype_bad3": "tf.as_dtype(int)",
    "dtype_minmax":
        "[(t.name, t.min, t.max) for t in (tf.int8, tf.uint8, tf.int16, "
        "tf.int32, tf.int64, tf.uint16, tf.float16)]",
    "dtype_min_string": "tf.string.min",
    "dtype_all":
        "[(t.name, t.size, t.is_numpy_compatible) for t in (tf.bool, "
        "tf.string, tf.complex64, tf.bfloat16, tf.qint8, tf.resource, "
        "tf.variant, tf.half, tf.double)]",
    "shape_api":
        "s = tf.TensorShape([2, None])\n"
        "(s.ndims, s.rank, s.dims, s.as_list(), s[0], s[1], "
        "s.num_elements(), s.is_fully_defined(), s.merge_with([None, 3]), "
        "s.concatenate([4]), s.with_rank(2), s.is_compatible_with([2, 5]), s "
        "== tf.TensorShape([2, None]), len(s), list(s), s[:1], str(s), repr(s))",
    "shape_unknown":
        "s = tf.TensorShape(None)\n"
        "(s.ndims, s.dims, str(s), repr(s), s.num_elements(), "
        "s.is_compatible_with([1]), s.merge_with([2]), s.concatenate([1]))",
    "shape_errors":
        "r = []\n"
        "for f in (lambda: tf.TensorShape([2]).merge_with([3]), lambda: "
        "tf.TensorShape([2]).with_rank(3), lambda: tf.TensorShape([2, "
        "None]).assert_is_fully_defined(), lambda: "
        "tf.TensorShape(None).as_list(), lambda: tf.TensorShape(['a']), "
        "lambda: tf.TensorShape([-1]), lambda: tf.TensorShape([2])[5], "
        "lambda: len(tf.TensorShape(None)), lambda: "
        "tf.TensorShape([2]).assert_is_compatible_with([3]), lambda: "
        "tf.TensorShape(None).assert_has_rank(1), lambda: "
        "tf.TensorShape([2]).assert_has_rank(1), lambda: "
        "tf.TensorShape([2]).with_rank_at_least(2), lambda: "
        "tf.TensorShape([2]).with_rank_at_most(0), lambda: "
        "bool(tf.TensorShape(None)), lambda: iter(tf.TensorShape(None)), "
        "lambda: tf.TensorShape([2.5]), lambda: tf.TensorShape('a')):\n"
        "  try: r.append(repr(f()))\n"
        "  except Exception as e: r.append(type(e).__name__ + ': ' + str(e))\n"
        "r",
    "dimension":
        "d = tf.Dimension(3); n = tf.Dimension(None)\n"
        "(d.value, int(d), d + 1, d * 2, d // 2, 10 - d, d == 3, d == n, n + "
        "1, d < 5, d < n, str(d), str(n), repr(d), d.merge_with(None), "
        "d.is_compatible_with(3), hash(d) == hash(3), d % 2, "
        "tf.dimension_value(d))",
    "dimension_errors":
        "r = []\n"
        "for f in (lambda: tf.Dimension('a'), lambda: tf.Dimension(-1), "
        "lambda: tf.Dimension(3).merge_with(4), lambda: "
        "int(tf.Dimension(None)), lambda: tf.Dimension(3) / 2, lambda: "
        "tf.Dimension(2.5)):\n"
        "  try: r.append(repr(f()))\n"
        "  except Exception as e: r.append(type(e).__name__ + ': ' + str(e))\n"
        "r",
    "spec_api":
        "d = tf.DeviceSpec(job='w', task=1, device_type='GPU', device_index=0)\n"
        "(d.to_string(), d.job, d.task, d.replica, "
        "tf.DeviceSpec.from_string('/job:a/gpu:1').to_string(), d == "
        "tf.DeviceSpec.from_string(d.to_string()), str(d), repr(d)[:20])",
    "spec_merge":
        "a = tf.DeviceSpec(job='w'); a.merge_from(tf.DeviceSpec(device_type="
        "'CPU', device_index=0))\n"
        "a.to_string()",
    "spec_parse":
        "d = tf.DeviceSpec(); d.parse_from_string('/job:x/cpu:0')\n"
        "d.to_string()",
    "spec_bad": "tf.DeviceSpec.from_string('/foo')",
    "spec_bad2": "tf.DeviceSpec.from_string('/cpu:0/gpu:1')",
    "py_func_types":
        "import numpy as np\n"
        "s = tf.Session()\n"
        "[s.run(tf.py_func(lambda: np.float32(2), [], tf.float32)), "
        "s.run(tf.py_func(lambda a, b: (a + b, a - b), [3, 1], [tf.int64, "
        "tf.int64])), s.run(tf.py_func(lambda: 'x', [], tf.string))]",
    "py_func_wrong_type":
        "import numpy as np\n"
        "try: tf.Session().run(tf.py_func(lambda: np.float64(2), [], "
        "tf.float32))\n"
        "except Exception as e: r = (type(e).__name__, "
        "str(e).split('\\n')[0][:60])\n"
        "r",
    "print_op":
        "tf.Session().run(tf.Print(tf.constant([1, 2]), [tf.constant(3)], 'msg'))",
    "group_types":
        "tf.group(tf.constant(1), [tf.constant(2), {'a': "
        "tf.constant(3)}]).type, tf.group().type",
    "group_bad": "tf.group(3)",
    "tuple_bad": "tf.tuple([])",
    "tuple_none":
        "a = tf.constant(1)\n"
        "[t if t is None else t.name for t in tf.tuple([a, None])]",
    "identity_name": "tf.identity(tf.constant(1), name='x').name, tf.identity(5).name",
    "no_op": "tf.no_op().name, tf.no_op(name='x').name, tf.Session().run(tf.no_op())",
    "placeholder_attrs":
        "p = tf.placeholder('float32', (None, 2)); p.name, p.dtype, p.shape, "
        "p.op.type",
    "placeholder_default":
        "p = tf.placeholder_with_default([1, 2], [None]); s = tf.Session()\n"
        "(s.run(p), s.run(p, {p: [3]}), p.shape)",
    "eager_flags":
        "tf.executing_eagerly(), tf.resource_variables_enabled(), "
        "tf.control_flow_v2_enabled(), tf.executing_eagerly_outside_functions()",
    "enable_eager_late": "tf.constant(1); tf.enable_eager_execution()",
    "constant_graph":
        "[tf.constant(v).dtype.name for v in (1, 1.5, True, 'a', 1j, [1, "
        "2.5], 2**40)]",
    "convert_names":
        "tf.convert_to_tensor([1, 2], name='n').name, "
        "tf.convert_to_tensor(1).name, tf.convert_to_tensor([tf.constant(1), "
        "2], name='p').name",
}
