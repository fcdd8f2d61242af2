"""api_uses.py - One use of every symbol of tests/data/oracle/api_surface.txt.

A use is Python whose value, the last line's, is shown: tensors by what they
hold, the rest by repr. `api_show.py` runs them, on TensorFlow to record and on
Berth to compare. A symbol without a use here belongs to training, Keras, data
or profiling and is expected to be absent until it comes.
"""

# Both modes, or the only one the symbol has.
USES = {
    "tf.Session": "with tf.Session() as s: r = s.run(tf.constant(3.0))\nr",
    "tf.Session.run":
        "p = tf.placeholder(tf.float32, [2])\n"
        "tf.Session().run({'a': p, 'b': [p * 2, p.name]}, {p: [1, 2]})",
    "tf.Session.close": "s = tf.Session(); s.close()\ns.run(tf.constant(1.0))",
    "tf.Session.list_devices":
        "[(d.name, d.device_type) for d in tf.Session().list_devices()]",
    "tf.Session.graph": "tf.Session().graph is tf.get_default_graph()",
    "tf.InteractiveSession": "s = tf.InteractiveSession()\ntf.constant(2).eval()",
    "tf.ConfigProto":
        "str(tf.ConfigProto(allow_soft_placement=True, device_count={'GPU': 0}))",
    "tf.GPUOptions":
        "str(tf.GPUOptions(per_process_gpu_memory_fraction=0.25, "
        "allow_growth=True))",
    "tf.RunOptions":
        "str(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))",
    "tf.RunMetadata":
        "m = tf.RunMetadata()\n"
        "_ = tf.Session().run(tf.constant(1.0), run_metadata=m, "
        "options=tf.RunOptions(output_partition_graphs=True))\n"
        "len(m.partition_graphs)",
    "tf.OptimizerOptions":
        "str(tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0))",
    "tf.Graph":
        "g = tf.Graph()\nwith g.as_default(): tf.constant(1.0, name='c')\n"
        "[o.name for o in g.get_operations()]",
    "tf.Graph.as_default":
        "g = tf.Graph()\nwith g.as_default() as h: r = g is h\nr",
    "tf.get_default_graph": "tf.get_default_graph().get_operations()",
    "tf.reset_default_graph":
        "tf.constant(1); tf.reset_default_graph()\n"
        "tf.get_default_graph().get_operations()",
    "tf.device": "with tf.device('/cpu:0'): c = tf.constant(1.0)\nc.device",
    "tf.DeviceSpec": "tf.DeviceSpec(job='a', device_type='GPU', device_index=1)"
                     ".to_string()",
    "tf.DeviceSpec.from_string":
        "s = tf.DeviceSpec.from_string('/job:w/task:1/gpu:2')\n"
        "(s.job, s.replica, s.task, s.device_type, s.device_index)",
    "tf.DeviceSpec.to_string":
        "tf.DeviceSpec.from_string('/gpu:*').to_string()",
    "tf.colocate_with":
        "with tf.device('/cpu:0'): a = tf.constant(1.0, name='a')\n"
        "with tf.colocate_with(a): b = tf.constant(2.0)\nb.op.colocation_groups()",
    "tf.control_dependencies":
        "with tf.Graph().as_default():\n"
        "  a = tf.constant(1.0, name='a')\n"
        "  with tf.control_dependencies([a]): b = tf.identity(a)\n"
        "[o.name for o in b.op.control_inputs]",
    "tf.name_scope":
        "with tf.Graph().as_default():\n"
        "  with tf.name_scope('s') as n: c = tf.constant(1.0)\n(n, c.name)",
    "tf.group":
        "with tf.Graph().as_default():\n"
        "  a = tf.constant(1.0, name='a'); g = tf.group(a, name='g')\n"
        "(g.type, [o.name for o in g.control_inputs])",
    "tf.no_op": "with tf.Graph().as_default(): n = tf.no_op()\nn.type",
    "tf.get_collection":
        "tf.add_to_collection('k', 3)\ntf.get_collection('k')",
    "tf.add_to_collection":
        "tf.add_to_collection('k', 1); tf.add_to_collection('k', 1)\n"
        "tf.get_collection('k')",
    "tf.GraphKeys":
        "(tf.GraphKeys.SUMMARIES, tf.GraphKeys.GLOBAL_VARIABLES, "
        "tf.GraphKeys.QUEUE_RUNNERS, tf.GraphKeys.TRAINABLE_VARIABLES)",
    "tf.errors.InvalidArgumentError":
        "e = tf.errors.InvalidArgumentError(None, None, 'text')\n"
        "(str(e), e.error_code, isinstance(e, tf.errors.OpError))",
    "tf.errors.OutOfRangeError":
        "tf.errors.OutOfRangeError(None, None, 'end').error_code",
    "tf.errors.ResourceExhaustedError":
        "tf.errors.ResourceExhaustedError(None, None, 'oom').error_code",
    "tf.app.run": "tf.app.run(lambda argv: print(len(argv)), argv=['x'])",
    "tf.app.flags.DEFINE_string":
        "tf.app.flags.DEFINE_string('s_flag', 'a', 'help')\n"
        "tf.app.flags.FLAGS(['x', '--s_flag=b']); tf.app.flags.FLAGS.s_flag",
    "tf.app.flags.DEFINE_integer":
        "tf.app.flags.DEFINE_integer('i_flag', 1, 'help')\n"
        "tf.app.flags.FLAGS(['x', '--i_flag', '7']); tf.app.flags.FLAGS.i_flag",
    "tf.app.flags.DEFINE_boolean":
        "tf.app.flags.DEFINE_boolean('b_flag', True, 'help')\n"
        "tf.app.flags.FLAGS(['x', '--nob_flag']); tf.app.flags.FLAGS.b_flag",
    "tf.app.flags.FLAGS":
        "tf.app.flags.DEFINE_string('t_flag', 'z', 'help')\n"
        "tf.app.flags.FLAGS(['x']); tf.app.flags.FLAGS.t_flag",
    "tf.config.list_physical_devices": "tf.config.list_physical_devices()",
    "tf.config.list_logical_devices": "tf.config.list_logical_devices('CPU')",
    "tf.config.set_visible_devices":
        "tf.config.set_visible_devices([], 'GPU')\n"
        "tf.config.get_visible_devices('GPU')",
    "tf.config.get_visible_devices": "tf.config.get_visible_devices()",
    "tf.config.set_logical_device_configuration":
        "c = tf.config.list_physical_devices('CPU')[0]\n"
        "tf.config.set_logical_device_configuration(c, "
        "[tf.config.LogicalDeviceConfiguration()] * 2)\n"
        "tf.config.list_logical_devices()",
    "tf.config.get_logical_device_configuration":
        "tf.config.get_logical_device_configuration("
        "tf.config.list_physical_devices('CPU')[0])",
    "tf.config.LogicalDeviceConfiguration":
        "tf.config.LogicalDeviceConfiguration(memory_limit=100)",
    "tf.config.experimental.VirtualDeviceConfiguration":
        "tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1)",
    "tf.config.experimental.set_virtual_device_configuration":
        "c = tf.config.list_physical_devices('CPU')[0]\n"
        "tf.config.experimental.set_virtual_device_configuration(c, "
        "[tf.config.experimental.VirtualDeviceConfiguration()])\n"
        "tf.config.experimental.get_virtual_device_configuration(c)",
    "tf.config.experimental.set_memory_growth":
        "tf.config.experimental.set_memory_growth("
        "tf.config.list_physical_devices('CPU')[0], True)",
    "tf.config.experimental.get_memory_growth":
        "tf.config.experimental.get_memory_growth("
        "tf.config.list_physical_devices('CPU')[0])",
    "tf.config.experimental.get_memory_info":
        "tf.config.experimental.get_memory_info('GPU:0')",
    "tf.config.experimental.reset_memory_stats":
        "tf.config.experimental.reset_memory_stats('GPU:0')",
    "tf.config.experimental.get_memory_usage":
        "tf.config.experimental.get_memory_usage('GPU:0')",
    "tf.config.experimental.get_device_details":
        "tf.config.experimental.get_device_details("
        "tf.config.list_physical_devices('CPU')[0])",
    "tf.config.set_soft_device_placement":
        "tf.config.set_soft_device_placement(False)\n"
        "tf.config.get_soft_device_placement()",
    "tf.config.get_soft_device_placement":
        "tf.config.get_soft_device_placement()",
    "tf.config.threading.set_inter_op_parallelism_threads":
        "tf.config.threading.set_inter_op_parallelism_threads(3)\n"
        "tf.config.threading.get_inter_op_parallelism_threads()",
    "tf.config.threading.set_intra_op_parallelism_threads":
        "tf.config.threading.set_intra_op_parallelism_threads(2)\n"
        "tf.config.threading.get_intra_op_parallelism_threads()",
    "tf.config.optimizer.set_jit":
        "tf.config.optimizer.set_jit(False)\ntf.config.optimizer.get_jit()",
    "tf.config.experimental.set_device_policy":
        "tf.config.experimental.set_device_policy('warn')\n"
        "tf.config.experimental.get_device_policy()",
    "tf.config.experimental.enable_tensor_float_32_execution":
        "tf.config.experimental.enable_tensor_float_32_execution(False)\n"
        "tf.config.experimental.tensor_float_32_execution_enabled()",
    "tf.config.PhysicalDevice": "tf.config.PhysicalDevice('n', 'CPU')",
    "tf.config.LogicalDevice": "tf.config.LogicalDevice('n', 'CPU')",
    "tf.debugging.set_log_device_placement":
        "tf.debugging.set_log_device_placement(True)\n"
        "tf.debugging.get_log_device_placement()",
    "tf.test.is_gpu_available": "tf.test.is_gpu_available()",
    "tf.test.gpu_device_name": "tf.test.gpu_device_name()",
    "tf.test.is_built_with_cuda": "type(tf.test.is_built_with_cuda()).__name__",
    "tf.constant": "tf.constant([1, 2, 3, 4], tf.float32, shape=[2, 2])",
    "tf.matmul": "tf.matmul([[1., 2.], [3., 4.]], [[1., 0.], [0., 2.]], "
                 "transpose_a=True)",
    "tf.add_n": "tf.add_n([tf.constant([1., 2.]), tf.constant([3., 4.])])",
    "tf.add": "tf.add([1, 2], 3)",
    "tf.multiply": "tf.multiply([1., 2.], [3., 4.])",
    "tf.cast": "tf.cast([1.7, -1.7], tf.int32)",
    "tf.reshape": "tf.reshape([1, 2, 3, 4], [2, -1])",
    "tf.transpose": "tf.transpose([[1, 2], [3, 4]])",
    "tf.strided_slice": "tf.strided_slice([1, 2, 3, 4, 5], [1], [5], [2])",
    "tf.expand_dims": "tf.expand_dims([1, 2], 0)",
    "tf.concat": "tf.concat([[1, 2], [3]], 0)",
    "tf.reduce_mean": "tf.reduce_mean([[1., 2.], [3., 5.]], axis=1)",
    "tf.identity": "tf.identity([1.5])",
    "tf.placeholder": "repr(tf.placeholder(tf.float32, [None, 2], name='p'))",
    "tf.Variable": "tf.Variable([1., 2.], name='v').dtype",
    "tf.unique": "tuple(tf.unique([4, 4, 2, 4]))",
    "tf.while_loop":
        "tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])",
    "tf.decode_raw": "tf.decode_raw(b'\\x01\\x00\\x02\\x00', tf.int16)",
    "tf.random_crop": "tf.random_crop([1, 2, 3, 4], [2], seed=3)",
    "tf.random_uniform": "tf.random_uniform([3], seed=5)",
    "tf.truncated_normal": "tf.truncated_normal([3], seed=5)",
    "tf.nn.conv2d":
        "tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), "
        "strides=[1, 1, 1, 1], padding='SAME')",
    "tf.nn.bias_add": "tf.nn.bias_add([[1., 2.]], [10., 20.])",
    "tf.nn.relu": "tf.nn.relu([-1., 2.])",
    "tf.nn.max_pool":
        "tf.nn.max_pool(tf.reshape(tf.range(16.), [1, 4, 4, 1]), "
        "[1, 2, 2, 1], [1, 2, 2, 1], 'VALID')",
    "tf.nn.lrn": "tf.nn.lrn(tf.ones([1, 1, 1, 4]), 2, bias=1.0, alpha=0.5)",
    "tf.nn.l2_loss": "tf.nn.l2_loss([3., 4.])",
    "tf.nn.zero_fraction": "tf.nn.zero_fraction([0., 1., 0., 2.])",
    "tf.nn.sparse_softmax_cross_entropy_with_logits":
        "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], "
        "logits=[[0., 0.]])",
    "tf.nn.in_top_k":
        "tf.nn.in_top_k(predictions=[[0.1, 0.9], [0.8, 0.2]], targets=[1, 1], "
        "k=1)",
    "tf.image.random_flip_left_right":
        "tf.image.random_flip_left_right(tf.ones([2, 2, 1]), seed=1)",
    "tf.image.random_brightness":
        "tf.image.random_brightness(tf.zeros([1, 1, 1]), 0.0, seed=1)",
    "tf.image.random_contrast":
        "tf.image.random_contrast(tf.ones([2, 2, 1]), 0.2, 0.9, seed=1)",
    "tf.image.per_image_standardization":
        "tf.image.per_image_standardization([[[1.], [2.]], [[3.], [4.]]])",
    "tf.image.resize_image_with_crop_or_pad":
        "tf.image.resize_image_with_crop_or_pad(tf.ones([2, 2, 1]), 1, 4)",
    "tf.float32 / float16 / int32 / int64 / uint8":
        "[repr(t) for t in (tf.float32, tf.float16, tf.int32, tf.int64, "
        "tf.uint8)]",
    "tf.get_variable":
        "v = tf.get_variable('w', [2], initializer=tf.zeros_initializer())\n"
        "s = tf.Session(); s.run(v.initializer); (v.name, s.run(v).tolist())",
    "tf.variable_scope":
        "with tf.variable_scope('s') as s: v = tf.get_variable('w', [1])\n"
        "with tf.variable_scope(s, reuse=True): w = tf.get_variable('w', [1])\n"
        "(v.name, v is w)",
    "tf.get_variable_scope":
        "with tf.variable_scope('a'): n = tf.get_variable_scope().name\nn",
    "tf.VariableScope.reuse_variables":
        "v = tf.get_variable('w', [1])\n"
        "tf.get_variable_scope().reuse_variables()\n"
        "tf.get_variable('w', [1]) is v",
    "tf.constant_initializer":
        "v = tf.get_variable('w', [2], initializer=tf.constant_initializer(3))\n"
        "s = tf.Session(); s.run(v.initializer); s.run(v).tolist()",
    "tf.truncated_normal_initializer":
        "v = tf.get_variable('w', [2], "
        "initializer=tf.truncated_normal_initializer(seed=1))\n"
        "s = tf.Session(); s.run(v.initializer); s.run(v).tolist()",
    "tf.global_variables_initializer":
        "v = tf.Variable(3.0); s = tf.Session()\n"
        "s.run(tf.global_variables_initializer()); s.run(v)",
    "tf.global_variables":
        "tf.Variable(1.0, name='x')\n[v.name for v in tf.global_variables()]",
    "tf.trainable_variables":
        "tf.Variable(1.0, name='x'); tf.Variable(1.0, trainable=False)\n"
        "[v.name for v in tf.trainable_variables()]",
    "tf.gfile.Exists": "tf.gfile.Exists('/'), tf.gfile.Exists('/no/such/file')",
    "tf.gfile.MakeDirs":
        "import tempfile\nd = tempfile.mkdtemp()\ntf.gfile.MakeDirs(d + '/a/b')\n"
        "tf.gfile.Exists(d + '/a/b')",
    "tf.gfile.DeleteRecursively":
        "import tempfile\nd = tempfile.mkdtemp() + '/a'\ntf.gfile.MakeDirs(d)\n"
        "tf.gfile.DeleteRecursively(d)\ntf.gfile.Exists(d)",
    "tf.train.get_or_create_global_step":
        "v = tf.train.get_or_create_global_step(); s = tf.Session(); s.run(v.initializer)\n"
        "v.name, s.run(tf.assign_add(v, 1)), tf.train.get_or_create_global_step() is v",
    "tf.train.Coordinator":
        "c = tf.train.Coordinator(); a = c.should_stop(); c.request_stop(); c.join()\n"
        "a, c.should_stop(), c.joined",
    "tf.train.QueueRunner.create_threads":
        "q = tf.FIFOQueue(2, tf.int32, name='q'); r = tf.train.QueueRunner(q, [q.enqueue(1)])\n"
        "[t.name for t in r.create_threads(tf.Session(), tf.train.Coordinator())]",
    "tf.train.string_input_producer":
        "q = tf.train.string_input_producer(['a', 'b'], shuffle=False); s = tf.Session()\n"
        "c = tf.train.Coordinator(); t = tf.train.start_queue_runners(s, c); x = q.dequeue()\n"
        "r = [s.run(x) for _ in range(3)]; c.request_stop(); c.join(t); r, q.name",
    "tf.train.batch":
        "b = tf.train.batch([tf.constant(3), tf.constant([1.0, 2.0])], 2); s = tf.Session()\n"
        "c = tf.train.Coordinator(); t = tf.train.start_queue_runners(s, c)\n"
        "r = [x.tolist() for x in s.run(b)]; c.request_stop(); c.join(t); r, [x.name for x in b]",
    "tf.train.shuffle_batch":
        "b = tf.train.shuffle_batch([tf.constant(3)], 2, 10, 4); s = tf.Session()\n"
        "c = tf.train.Coordinator(); t = tf.train.start_queue_runners(s, c)\n"
        "r = s.run(b).tolist(); c.request_stop(); c.join(t); r, b.name, b.shape.as_list()",
    "tf.train.start_queue_runners":
        "len(tf.train.start_queue_runners(tf.Session())), tf.get_collection('queue_runners')",
    "tf.function": "tf.function(lambda x: x * 2 + 1)(tf.constant(3.0))",
}
