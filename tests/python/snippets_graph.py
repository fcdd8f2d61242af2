"""snippets_graph.py - What people try with graphs, devices and collections. TF1."""

CASES = {
    "dev_nested":
        "with tf.device('/job:a'):\n"
        "  with tf.device('/gpu:0'): t = tf.constant(1)\n"
        "  with tf.device('/job:b/cpu:1'): u = tf.constant(1)\n"
        "(t.device, u.device)",
    "dev_none":
        "with tf.device('/gpu:0'):\n"
        "  with tf.device(None): t = tf.constant(1)\n"
        "  with tf.device(''): u = tf.constant(1)\n"
        "(t.device, u.device)",
    "dev_forms":
        "r = []\n"
        "for d in ['/cpu:0', 'cpu:0', '/device:GPU:1', '/gpu:*', "
        "'/job:w/task:3', '/job:w/replica:1/task:2/device:GPU:0', 'GPU:0', "
        "'/GPU:1', '/device:cpu:0']:\n"
        "  with tf.device(d): r.append(tf.constant(1).device)\n"
        "r",
    "dev_bad": "with tf.device('/foo:bar:x'): tf.constant(1)",
    "dev_bad2": "with tf.device('/cpu:0/gpu:1'): tf.constant(1)",
    "dev_bad3": "with tf.device('/job:a/job:b'): tf.constant(1)",
    "dev_bad4":
        "with tf.device('cpu'): t = tf.constant(1)\n"
        "t.device",
    "dev_bad5": "with tf.device('/gpu:a'): tf.constant(1)",
    "dev_number": "with tf.device(3): tf.constant(1)",
    "dev_spec":
        "with tf.device(tf.DeviceSpec(job='w', device_type='GPU', "
        "device_index=1)): t = tf.constant(1)\n"
        "t.device",
    "dev_function":
        "def f(op): return '/gpu:0' if op.type == 'AddV2' else '/cpu:0'\n"
        "with tf.device(f):\n"
        "  a = tf.constant(1); b = a + 1\n"
        "(a.device, b.device)",
    "dev_function_none":
        "with tf.device('/gpu:1'):\n"
        "  with tf.device(lambda op: None): t = tf.constant(1)\n"
        "t.device",
    "dev_function_nested":
        "with tf.device(lambda op: '/job:x'):\n"
        "  with tf.device('/gpu:1'): t = tf.constant(1)\n"
        "t.device",
    "dev_function_bad": "with tf.device(lambda op: 3): tf.constant(1)",
    "dev_set":
        "t = tf.constant(1); t.op._set_device('/gpu:7')\n"
        "t.device",
    "colocate":
        "with tf.device('/gpu:0'): a = tf.constant(1, name='a')\n"
        "with tf.colocate_with(a): b = tf.constant(1)\n"
        "(b.device, b.op.colocation_groups())",
    "colocate_nested":
        "a = tf.constant(1, name='a'); b = tf.constant(1, name='b')\n"
        "with tf.colocate_with(a):\n"
        "  with tf.colocate_with(b): c = tf.constant(1)\n"
        "  with tf.colocate_with(None, ignore_existing=True): d = "
        "tf.constant(1)\n"
        "(c.op.colocation_groups(), d.op.colocation_groups())",
    "colocate_number": "with tf.colocate_with(3): tf.constant(1)",
    "colocate_variable":
        "v = tf.Variable(1, name='v')\n"
        "with tf.colocate_with(v): b = tf.constant(1)\n"
        "b.op.colocation_groups()",
    "control_names":
        "a = tf.constant(1, name='a'); b = tf.constant(1, name='b')\n"
        "with tf.control_dependencies([a, b.op]): c = tf.constant(1)\n"
        "[o.name for o in c.op.control_inputs]",
    "control_none":
        "a = tf.constant(1)\n"
        "with tf.control_dependencies([a]):\n"
        "  with tf.control_dependencies(None): c = tf.constant(1)\n"
        "c.op.control_inputs",
    "control_nested":
        "a = tf.constant(1, name='a'); b = tf.constant(1, name='b')\n"
        "with tf.control_dependencies([a]):\n"
        "  with tf.control_dependencies([b]): c = tf.constant(1)\n"
        "[o.name for o in c.op.control_inputs]",
    "control_input":
        "a = tf.constant(1, name='a')\n"
        "with tf.control_dependencies([a]): c = tf.identity(a)\n"
        "c.op.control_inputs",
    "control_variable":
        "v = tf.Variable(1, name='v')\n"
        "with tf.control_dependencies([v]): c = tf.constant(1)\n"
        "[o.name for o in c.op.control_inputs]",
    "control_bad": "with tf.control_dependencies([3]): tf.constant(1)",
    "control_bad2": "with tf.control_dependencies(3): tf.constant(1)",
    "control_name":
        "tf.constant(1, name='a')\n"
        "with tf.control_dependencies(['a']): c = tf.constant(1)\n"
        "c.op.control_inputs[0].name",
    "control_callable": "with tf.control_dependencies([lambda: 1]): c = tf.constant(1)",
    "control_empty":
        "with tf.control_dependencies([]): c = tf.constant(1)\n"
        "c.op.control_inputs",
    "coll_keys":
        "tf.Variable(1, name='v')\n"
        "sorted(tf.get_default_graph().get_all_collection_keys()), "
        "sorted(tf.get_default_graph().collections, key=str)",
    "coll_ref":
        "r = tf.get_collection_ref('c'); r.append(5)\n"
        "(tf.get_collection('c'), tf.get_collection('none'))",
    "coll_scope":
        "with tf.name_scope('a'): t = tf.constant(1, name='t')\n"
        "tf.add_to_collection('c', t); tf.add_to_collection('c', "
        "tf.constant(2, name='u'))\n"
        "[x.name for x in tf.get_collection('c', scope='a')]",
    "coll_many":
        "tf.add_to_collections(['a', 'b'], 3); tf.add_to_collections('c', 4)\n"
        "(tf.get_collection('a'), tf.get_collection('b'), tf.get_collection('c'))",
    "coll_copy":
        "tf.add_to_collection('c', 1); tf.get_collection('c').append(2)\n"
        "tf.get_collection('c')",
    "coll_clear":
        "tf.add_to_collection('c', 1); tf.get_default_graph().clear_collecti"
        "on('c')\n"
        "tf.get_collection('c')",
    "coll_graphkeys_values":
        "tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.VARIABLES, "
        "tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.SUMMARIES, "
        "tf.GraphKeys.UPDATE_OPS",
    "graph_finalize":
        "g = tf.get_default_graph(); tf.constant(1); g.finalize()\n"
        "(g.finalized, g.version)",
    "graph_finalize_run":
        "a = tf.constant(1); tf.get_default_graph().finalize()\n"
        "tf.Session().run(a)",
    "graph_finalize_add":
        "tf.get_default_graph().finalize()\n"
        "tf.constant(1) + 1",
    "graph_reset":
        "tf.constant(1); tf.reset_default_graph()\n"
        "(len(tf.get_default_graph().get_operations()), tf.constant(1).name)",
    "graph_reset_nested": "with tf.Graph().as_default(): tf.reset_default_graph()",
    "graph_default":
        "g = tf.Graph()\n"
        "with g.as_default(): a = tf.get_default_graph() is g\n"
        "(a, tf.get_default_graph() is g)",
    "graph_two":
        "with tf.Graph().as_default(): a = tf.constant(1)\n"
        "with tf.Graph().as_default(): b = a + tf.constant(1)",
    "graph_two_concat":
        "with tf.Graph().as_default(): a = tf.constant([1])\n"
        "b = tf.constant([1]); tf.concat([a, b], 0)",
    "graph_ops":
        "a = tf.constant(1, name='a'); b = a + 1\n"
        "[o.name for o in tf.get_default_graph().get_operations()]",
    "graph_get_op": "tf.get_default_graph().get_operation_by_name('nope')",
    "graph_get_op_tensor":
        "tf.constant(1, name='a'); tf.get_default_graph().get_operation_by_n"
        "ame('a:0')",
    "graph_get_op_type": "tf.get_default_graph().get_operation_by_name(3)",
    "graph_get_tensor":
        "tf.constant(1, name='a'); tf.get_default_graph().get_tensor_by_name('a')",
    "graph_get_tensor2":
        "tf.constant(1, name='a'); tf.get_default_graph().get_tensor_by_name"
        "('a:1')",
    "graph_get_tensor3":
        "tf.constant(1, name='a'); tf.get_default_graph().get_tensor_by_name"
        "('b:0')",
    "graph_get_tensor4":
        "tf.constant(1, name='a'); tf.get_default_graph().get_tensor_by_name"
        "('a:x')",
    "graph_get_tensor5": "tf.get_default_graph().get_tensor_by_name(3)",
    "graph_element":
        "a = tf.constant(1, name='a'); g = tf.get_default_graph()\n"
        "[g.as_graph_element(x).name for x in ('a', 'a:0', a, a.op)]",
    "graph_element_bad": "tf.get_default_graph().as_graph_element(3)",
    "graph_element_bad2":
        "tf.constant(1, name='a'); tf.get_default_graph().as_graph_element('"
        "a:0', allow_tensor=False)",
    "graph_element_bad3":
        "tf.constant(1, name='a'); tf.get_default_graph().as_graph_element('"
        "a', allow_operation=False)",
    "graph_element_bad4":
        "with tf.Graph().as_default(): a = tf.constant(1)\n"
        "tf.get_default_graph().as_graph_element(a)",
    "graph_element_bad5": "tf.get_default_graph().as_graph_element('a', False, False)",
    "graph_def_versions": "tf.get_default_graph().as_graph_def().versions",
    "graph_def_from":
        "tf.constant(1, name='a'); v = tf.get_default_graph().version; "
        "tf.constant(1, name='b')\n"
        "[n.name for n in tf.get_default_graph().as_graph_def(from_version=v"
        ").node]",
    "graph_def_shapes":
        "tf.placeholder(tf.float32, [None, 2], name='p')\n"
        "str(tf.get_default_graph().as_graph_def(add_shapes=True).node[0].at"
        "tr['_output_shapes'])",
    "graph_seed":
        "g = tf.get_default_graph(); tf.set_random_seed(3)\n"
        "(g.seed, tf.get_seed(None), tf.get_seed(5))",
    "graph_is_feedable":
        "a = tf.constant(1); g = tf.get_default_graph(); "
        "g.prevent_feeding(a); g.prevent_fetching(a.op)\n"
        "(g.is_feedable(a), g.is_fetchable(a))",
    "graph_unfetchable":
        "a = tf.constant(1); g = tf.get_default_graph(); "
        "g.prevent_fetching(a.op)\n"
        "tf.Session().run(a)",
    "graph_building_function": "tf.get_default_graph().building_function",
    "graph_equal_ops":
        "a = tf.constant(1)\n"
        "(a.op == a.op, a == a, a.op is a.op, a.op.outputs[0] is a)",
    "import_map":
        "with tf.Graph().as_default() as g: p = tf.placeholder(tf.int32, [], "
        "name='p'); tf.add(p, 1, name='s')\n"
        "c = tf.constant(41)\n"
        "r, = tf.import_graph_def(g.as_graph_def(), {'p:0': c}, ['s:0'])\n"
        "(tf.Session().run(r), r.name)",
    "import_map_unused":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), {'nope:0': tf.constant(1)})",
    "import_map_type":
        "with tf.Graph().as_default() as g: p = tf.placeholder(tf.int32, [], "
        "name='p'); tf.add(p, 1, name='s')\n"
        "tf.import_graph_def(g.as_graph_def(), {'p:0': tf.constant(1.0)})",
    "import_elements_missing":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), return_elements=['b:0'])",
    "import_elements_ops":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "[e.name for e in tf.import_graph_def(g.as_graph_def(), "
        "return_elements=['a', 'a:0'], name='x')]",
    "import_elements_bad":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), return_elements=[3])",
    "import_noname":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), name='')\n"
        "[o.name for o in tf.get_default_graph().get_operations()]",
    "import_noname_twice":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), name=''); "
        "tf.import_graph_def(g.as_graph_def(), name='')",
    "import_default_name":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def()); "
        "tf.import_graph_def(g.as_graph_def())\n"
        "[o.name for o in tf.get_default_graph().get_operations()]",
    "import_wrong": "tf.import_graph_def(3)",
    "import_wrong_op":
        "d = tf.GraphDef(); n = d.node.add(); n.name = 'a'; n.op = 'Nope'\n"
        "tf.import_graph_def(d)",
    "import_wrong_input":
        "d = tf.GraphDef(); n = d.node.add(); n.name = 'a'; n.op = "
        "'Identity'; n.input.append('b'); n.attr['T'].type = 1\n"
        "tf.import_graph_def(d)",
    "import_missing_attr":
        "d = tf.GraphDef(); n = d.node.add(); n.name = 'a'; n.op = "
        "'Placeholder'\n"
        "tf.import_graph_def(d)",
    "import_in_scope":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "with tf.name_scope('s'): tf.import_graph_def(g.as_graph_def(), "
        "name='i')\n"
        "[o.name for o in tf.get_default_graph().get_operations()]",
    "import_device":
        "with tf.Graph().as_default() as g:\n"
        "  with tf.device('/gpu:1'): tf.constant(1, name='a')\n"
        "with tf.device('/job:w'): tf.import_graph_def(g.as_graph_def(), "
        "name='')\n"
        "tf.get_default_graph().get_operations()[0].device",
    "op_attrs":
        "o = tf.placeholder(tf.float32, [2, None]).op\n"
        "(o.get_attr('dtype'), o.get_attr('shape').dim[0].size)",
    "op_attr_types":
        "o = tf.matmul(tf.zeros([1, 1]), tf.zeros([1, 1])).op\n"
        "(o.get_attr('transpose_a'), o.get_attr('T'), "
        "tf.constant(1).op.get_attr('value').int_val[0])",
    "op_inputs":
        "a = tf.constant(1, name='a'); o = (a + a).op\n"
        "(len(o.inputs), o.inputs[0] is a, [c.name for c in a.consumers()])",
    "op_def": "tf.constant(1).op.op_def.name",
    "op_type_device":
        "with tf.device('/gpu:2'): o = tf.no_op(name='n')\n"
        "(o.type, o.device, o.name, repr(o), str(o).strip()[:8])",
    "op_traceback": "type(tf.constant(1).op.traceback).__name__ != ''",
    "op_values":
        "o = tf.constant(1).op\n"
        "(o.values()[0] is o.outputs[0], o.name, o.graph is "
        "tf.get_default_graph())",
    "tensor_shape_api":
        "t = tf.placeholder(tf.float32, [None, 3])\n"
        "(t.shape.as_list(), t.get_shape().ndims, t.shape[1], t.shape[0], "
        "t.shape.is_fully_defined(), len(t.shape), repr(t.shape), str(t.shape))",
    "tensor_set_shape":
        "t = tf.placeholder(tf.float32); t.set_shape([None, 3]); "
        "t.set_shape([2, None])\n"
        "t.shape",
    "tensor_op_index":
        "a, b = tf.split(tf.constant([1, 2]), 2)\n"
        "(a.value_index, b.value_index, b.name, b.op.name)",
    "tensor_str":
        "str(tf.placeholder(tf.float32, [None, 2], name='p')), "
        "repr(tf.placeholder(tf.string, name='q'))",
    "tensor_bool_ops": "tf.constant(1) and tf.constant(2)",
    "tensor_not": "not tf.constant(1)",
    "tensor_in": "tf.constant(1) in [1, 2]",
    "tensor_float": "float(tf.constant(1.0))",
    "tensor_int": "int(tf.constant(1))",
    "tensor_index": "[1, 2][tf.constant(0)]",
    "tensor_setitem": "t = tf.constant([1, 2]); t[0] = 5",
    "tensor_numpy": "tf.constant(1).numpy()",
    "tensor_attr": "tf.constant(1).nope",
    "tensor_unpack": "a, b = tf.constant([1, 2])",
    "tensor_shape_of":
        "import numpy as np\n"
        "np.shape(tf.constant([1, 2]))",
    "tensor_np_sum":
        "import numpy as np\n"
        "np.sum(tf.constant([1, 2]))",
    "tensor_sum": "sum([tf.constant(1), tf.constant(2)]).name",
    "raw_default_types":
        "r = tf.raw_ops\n"
        "made = [r.StatelessRandomUniform(shape=[2], seed=[1, 2]), r.RandomPoissonV2(shape=[2], rate=[1., 2.]),\n"
        "        r.SparseTensorDenseMatMul(a_indices=[[0, 1]], a_values=[1.], a_shape=[2, 2], b=[[1.], [3.]]),\n"
        "        r.RaggedTensorToSparse(rt_nested_splits=[[0, 1]], rt_dense_values=[1.])[0]]\n"
        "[[x.dtype.name for x in t.op.inputs] for t in made]",
    "gather_any_axis":
        "x, i = tf.placeholder(tf.float32, [3, 5, 8, 3]), tf.placeholder(tf.int32, [3, 5, 5, 1])\n"
        "[str(tf.gather(x, i, axis=tf.placeholder(tf.int32, []), batch_dims=n).shape) for n in (0, 1, 2)]",
}
