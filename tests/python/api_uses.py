"""api_uses.py - One use of every symbol of tests/data/oracle/api_surface.txt.

A use is Python whose value, the last line's, is shown: tensors by what they
hold, the rest by repr. `api_show.py` runs them, on TensorFlow to record and on
Berth to compare. A symbol without a use here is expected to be absent, or to
say that it cannot be done.
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
    "tf.GradientTape":
        "x = tf.constant(3.0)\nwith tf.GradientTape() as t:\n  t.watch(x)\n"
        "  y = x * x\nt.gradient(y, x)",
    "tf.train.GradientDescentOptimizer":
        "v = tf.Variable(2.0)\n"
        "step = tf.train.GradientDescentOptimizer(0.25).minimize(v * v)\n"
        "s = tf.Session(); s.run(v.initializer); s.run(step)\ns.run(v)",
    "tf.train.Optimizer.compute_gradients":
        "v = tf.Variable(2.0)\no = tf.train.GradientDescentOptimizer(0.25)\n"
        "p = o.compute_gradients(v * v)\ns = tf.Session()\n"
        "s.run(v.initializer)\n[(s.run(g), x is v) for g, x in p]",
    "tf.train.Optimizer.apply_gradients":
        "v = tf.Variable(2.0)\no = tf.train.GradientDescentOptimizer(0.25)\n"
        "step = o.apply_gradients([(tf.constant(4.0), v)])\ns = tf.Session()\n"
        "s.run(v.initializer); s.run(step)\n(s.run(v), step.name)",
    "tf.train.exponential_decay":
        "tf.Session().run(tf.train.exponential_decay(0.1, 5, 10, 0.5))",
    "tf.train.ExponentialMovingAverage":
        "tf.train.ExponentialMovingAverage(0.5, name='ema').name",
    "tf.train.ExponentialMovingAverage.apply":
        "v = tf.Variable(2.0)\ne = tf.train.ExponentialMovingAverage(0.5)\n"
        "e.apply([v]).name",
    "tf.train.ExponentialMovingAverage.average":
        "v = tf.Variable(2.0)\ne = tf.train.ExponentialMovingAverage(0.5)\n"
        "_ = e.apply([v])\ne.average(v).name",
    "tf.train.ExponentialMovingAverage.variables_to_restore":
        "v = tf.Variable(2.0)\ne = tf.train.ExponentialMovingAverage(0.5)\n"
        "{k: x.name for k, x in e.variables_to_restore().items()}",
    "tf.train.Saver":
        "v = tf.Variable(2.0)\nsorted(o.name for o in "
        "tf.train.Saver() and tf.get_default_graph().get_operations())",
    "tf.train.Saver.save": "import os, tempfile\nv = tf.Variable(2.0)\n"
        "s = tf.Session(); s.run(v.initializer)\nd = tempfile.mkdtemp()\n"
        "p = tf.train.Saver().save(s, d + '/m', global_step=3)\n"
        "(os.path.basename(p), sorted(os.listdir(d)))",
    "tf.train.Saver.restore": "import tempfile\nv = tf.Variable(2.0)\n"
        "s = tf.Session(); s.run(v.initializer)\nd = tempfile.mkdtemp()\n"
        "k = tf.train.Saver()\np = k.save(s, d + '/m')\n"
        "s = tf.Session(); k.restore(s, p)\ns.run(v)",
    "tf.train.get_checkpoint_state": "import os, tempfile\n"
        "v = tf.Variable(2.0)\ns = tf.Session(); s.run(v.initializer)\n"
        "d = tempfile.mkdtemp()\n_ = tf.train.Saver().save(s, d + '/m')\n"
        "c = tf.train.get_checkpoint_state(d)\n"
        "os.path.basename(c.model_checkpoint_path)",
    "tf.FixedLengthRecordReader":
        "r = tf.FixedLengthRecordReader(record_bytes=3)\n"
        "r.reader_ref.op.type",
    "tf.ReaderBase.read": "import tempfile\nd = tempfile.mkdtemp()\n"
        "with open(d + '/f', 'wb') as f: f.write(b'abcdef')\n"
        "q = tf.FIFOQueue(2, tf.string)\ns = tf.Session()\n"
        "s.run(q.enqueue(d + '/f'))\n"
        "k, v = tf.FixedLengthRecordReader(record_bytes=3).read(q)\n"
        "[s.run(v), s.run(v)]",
    "tf.train.MonitoredTrainingSession":
        "g = tf.train.get_or_create_global_step()\n"
        "step = tf.assign_add(g, 1)\n"
        "with tf.train.MonitoredTrainingSession(hooks=["
        "tf.train.StopAtStepHook(last_step=3)]) as s:\n"
        "  n = 0\n  while not s.should_stop(): n = s.run(step)\nn",
    "tf.train.SessionRunHook": "tf.train.SessionRunHook().begin()",
    "tf.train.SessionRunArgs":
        "tf.train.SessionRunArgs('x', {'a': 1}).feed_dict",
    "tf.train.StopAtStepHook": "tf.train.StopAtStepHook()",
    "tf.train.NanTensorHook":
        "n = tf.constant(float('nan'), name='n')\n"
        "_ = tf.train.get_or_create_global_step()\n"
        "with tf.train.MonitoredTrainingSession(hooks=["
        "tf.train.NanTensorHook(n)]) as s: s.run(n)",
    "tf.summary.scalar":
        "tf.Session().run(tf.summary.scalar('a', 2.0))",
    "tf.summary.histogram":
        "tf.Session().run(tf.summary.histogram('a', [1.0, 2.0]))",
    "tf.summary.image":
        "m = tf.Summary.FromString(tf.Session().run(tf.summary.image('a', "
        "tf.zeros([1, 2, 2, 1]))))\n(m.value[0].tag, m.value[0].image.width)",
    "tf.summary.merge":
        "tf.Session().run(tf.summary.merge([tf.summary.scalar('a', 1.0)]))",
    "tf.summary.merge_all":
        "_ = tf.summary.scalar('a', 1.0)\n"
        "tf.Session().run(tf.summary.merge_all())",
    "tf.summary.FileWriter": "import os, tempfile\nd = tempfile.mkdtemp()\n"
        "tf.summary.FileWriter(d).close()\n"
        "[n.split('.')[:3] for n in os.listdir(d)]",
    "tf.summary.FileWriter.add_summary":
        "import glob, tempfile\nd = tempfile.mkdtemp()\n"
        "w = tf.summary.FileWriter(d)\n"
        "w.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', "
        "simple_value=2.0)]), 7)\nw.close()\n"
        "[(e.step, [v.simple_value for v in e.summary.value]) for e in "
        "tf.train.summary_iterator(glob.glob(d + '/*')[0])]",
    "tf.Summary":
        "str(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=2.0)]))",
    "tf.data.Dataset.from_tensor_slices":
        "[int(x) for x in tf.data.Dataset.from_tensor_slices([3, 4])]",
    "tf.data.Dataset.map":
        "[int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * 2)]",
    "tf.data.Dataset.interleave":
        "d = tf.data.Dataset.range(2).interleave(lambda x: "
        "tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)\n"
        "[int(x) for x in d]",
    "tf.data.Dataset.cache":
        "[int(x) for x in tf.data.Dataset.range(3).cache()]",
    "tf.data.Dataset.batch":
        "[x.numpy().tolist() for x in tf.data.Dataset.range(3).batch(2)]",
    "tf.data.Dataset.prefetch":
        "[int(x) for x in tf.data.Dataset.range(3).prefetch(2)]",
    "tf.data.Dataset.shuffle":
        "[int(x) for x in tf.data.Dataset.range(6).shuffle(4, seed=3)]",
    "tf.data.AUTOTUNE": "tf.data.AUTOTUNE",
    "tf.distribute.MirroredStrategy":
        "tf.distribute.MirroredStrategy(['/cpu:0']).num_replicas_in_sync",
    "tf.distribute.MirroredStrategy.scope":
        "s = tf.distribute.MirroredStrategy(['/cpu:0'])\n"
        "with s.scope(): v = tf.Variable(2.0)\nfloat(v + 1)",
    "tf.keras.layers.Input":
        "x = tf.keras.layers.Input((3,), name='x')\n(x.shape, x.dtype, x.name)",
    "tf.keras.layers.Dense":
        "d = tf.keras.layers.Dense(2, kernel_initializer='ones')\n"
        "d(tf.constant([[1.0, 2.0]])).numpy().tolist()",
    "tf.keras.models.Model":
        "x = tf.keras.Input((2,))\n"
        "m = tf.keras.models.Model(x, tf.keras.layers.Add()([x, x]))\n"
        "m(tf.constant([[1.0, 2.0]])).numpy().tolist()",
    "tf.keras.Model.compile":
        "m = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])\n"
        "m.compile('sgd', 'mse', steps_per_execution=2)\n"
        "(type(m.optimizer).__name__, m.loss, m.steps_per_execution)",
    "tf.keras.Model.fit":
        "d = tf.keras.layers.Dense(1, kernel_initializer='ones')\n"
        "m = tf.keras.Sequential([tf.keras.Input((2,)), d])\n"
        "m.compile(tf.keras.optimizers.SGD(0.1), 'mse')\n"
        "x, y = tf.reshape(tf.range(8.0), [4, 2]) / 8, tf.ones([4, 1])\n"
        "h = m.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)\n"
        "(h.history['loss'], d.kernel.numpy().tolist())",
    "tf.keras.optimizers.SGD":
        "v = tf.Variable(1.0)\n"
        "tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), v)])\n"
        "float(v)",
    "tf.keras.callbacks.TensorBoard":
        "tf.keras.callbacks.TensorBoard('there', profile_batch=(2, 3)).log_dir",
    "tf.keras.mixed_precision.set_global_policy":
        "p = tf.keras.mixed_precision\np.set_global_policy('mixed_bfloat16')\n"
        "d = tf.keras.layers.Dense(1)\np.set_global_policy('float32')\n"
        "(d.compute_dtype, d.variable_dtype)",
    "tf.keras.mixed_precision.LossScaleOptimizer":
        "o = tf.keras.mixed_precision.LossScaleOptimizer(\n"
        "    tf.keras.optimizers.SGD(1.0), initial_scale=4.0)\n"
        "v = tf.Variable(1.0)\n"
        "o.build([v])\no.apply([tf.constant(2.0)])\nfloat(v)",
    "tf.distribute.NcclAllReduce":
        "type(tf.distribute.NcclAllReduce(num_packs=1)).__name__",
    "tf.distribute.OneDeviceStrategy":
        "s = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
        "float(s.run(lambda x: x + 1, (tf.constant(2.0),)))",
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
    "tf.profiler.experimental.start":
        "import tempfile\ntf.profiler.experimental.start(tempfile.mkdtemp())\n"
        "try:\n  tf.profiler.experimental.start('logs')\n"
        "finally:\n  tf.profiler.experimental.stop(save=False)",
    "tf.profiler.experimental.stop": "tf.profiler.experimental.stop()",
    "tf.profiler.experimental.Profile":
        "import os, tempfile\nfolder = tempfile.mkdtemp()\n"
        "with tf.profiler.experimental.Profile(folder):\n"
        "  tf.function(lambda: tf.constant(1.0) + 1.0)()\n"
        "os.listdir(folder), os.listdir(folder + '/plugins')",
    "tf.profiler.experimental.Trace":
        "with tf.profiler.experimental.Trace('train', step_num=1, _r=1) as t:\n"
        "  r = t.set_metadata(loss=2)\nr, type(t).__name__",
    "tf.profiler.experimental.ProfilerOptions":
        "tf.profiler.experimental.ProfilerOptions(3, delay_ms=5)",
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
