"""snippets_member_graph.py - Classes, their members and small modules, in TF1."""

TF1 = {
    "assert_rank_nodes": "tf.assert_rank(tf.placeholder(tf.float32), 1)\n"
                         "tf.assert_rank_in(tf.placeholder(tf.float32), [1, 2])\n"
                         "tf.assert_rank_at_least(tf.constant([1.]), 1)\n"
                         "[(o.name, o.type) for o in "
                         "tf.get_default_graph().get_operations()]",
    "assert_type_nodes": "a = tf.assert_type(tf.constant(1.), tf.float32)\n"
                         "b = tf.assert_integer(tf.constant(1))\n(a.name, b.name)",
    "assert_rank_run": "p = tf.placeholder(tf.float32, name='p')\n"
                       "a = tf.assert_rank(p, 1)\n"
                       "try: tf.Session().run(a, {p: 1.0})\n"
                       "except tf.errors.InvalidArgumentError as e: "
                       "r = 'must have rank' in str(e)\nr",
    "static_value_feed": "c = tf.constant(1); tf.get_static_value(c)\n"
                         "tf.Session().run(c, {c: 2})",
    "variable_resource_members": "v = tf.get_variable('v', [1], "
                                 "use_resource=True)\n"
                                 "(v.create.name, v.handle.name, "
                                 "v.is_initialized().name)",
    "variable_numpy": "tf.get_variable('v', [1], use_resource=True).numpy()",
    "variable_scatter_type": "tf.Variable([1.]).scatter_add(3)",
    "container_queue": "with tf.container('c'): q = tf.FIFOQueue(1, tf.int32)\n"
                       "q.queue_ref.op.get_attr('container')",
    "graph_util_sub": "a = tf.constant(1, name='a'); b = tf.constant(2, name='b')"
                      "\nc = tf.add(a, 1, name='c'); d = tf.add(b, c, name='d')\n"
                      "[n.name for n in tf.graph_util.extract_sub_graph("
                      "tf.get_default_graph().as_graph_def(), ['c']).node]",
    "graph_util_sub_wrong": "tf.graph_util.extract_sub_graph("
                            "tf.get_default_graph().as_graph_def(), ['c'])",
    "graph_util_sub_text": "tf.graph_util.extract_sub_graph("
                           "tf.get_default_graph().as_graph_def(), 'c')",
    "graph_util_sub_type": "tf.graph_util.extract_sub_graph(3, ['c'])",
    "graph_util_shape": "tf.constant([1, 2], name='a')\n"
                        "tf.graph_util.tensor_shape_from_node_def_name("
                        "tf.get_default_graph(), 'a')",
    "graph_util_cpu": "a = tf.constant(1, name='a'); s = tf.constant('x')\n"
                      "v = tf.Variable(1., name='v')\n"
                      "[tf.graph_util.must_run_on_cpu(x.op) for x in (a, s, v)], "
                      "tf.graph_util.must_run_on_cpu(v.op, pin_variables_on_cpu="
                      "True)",
    "graph_util_training": "a = tf.constant(1., name='a')\n"
                           "b = tf.identity(a, name='b')\n"
                           "c = tf.negative(b, name='c')\n"
                           "g = tf.graph_util.remove_training_nodes("
                           "tf.get_default_graph().as_graph_def())\n"
                           "[(n.name, list(n.input)) for n in g.node]",
    "graph_util_constants": "v = tf.Variable([3.], name='v')\n"
                            "y = tf.multiply(v, 2., name='y')\n"
                            "s = tf.Session(); s.run(v.initializer)\n"
                            "g = tf.graph_util.convert_variables_to_constants("
                            "s, s.graph.as_graph_def(), ['y'])\n"
                            "with tf.Graph().as_default(): "
                            "tf.import_graph_def(g, name=''); "
                            "r = tf.Session().run('y:0')\n"
                            "([(n.name, n.op) for n in g.node], r)",
    "graph_util_resource": "v = tf.get_variable('v', initializer=[3.], "
                           "use_resource=True)\n"
                           "y = tf.multiply(v, 2., name='y')\n"
                           "s = tf.Session(); s.run(v.initializer)\n"
                           "g = tf.graph_util.convert_variables_to_constants("
                           "s, s.graph.as_graph_def(), ['y'])\n"
                           "with tf.Graph().as_default(): "
                           "tf.import_graph_def(g, name=''); "
                           "r = tf.Session().run('y:0')\n"
                           "(sorted((n.name, n.op) for n in g.node), r)",
    "gfile": "import os, tempfile\nd = tempfile.mkdtemp(); p = os.path.join(d, "
             "'a', 'b')\n"
             "tf.gfile.MakeDirs(p); f = os.path.join(p, 'f.txt')\n"
             "with tf.gfile.GFile(f, 'w') as h: h.write('one\\ntwo\\n')\n"
             "r = [tf.gfile.Exists(f), tf.gfile.IsDirectory(p), "
             "tf.gfile.ListDirectory(p), tf.gfile.Stat(f).length, "
             "[os.path.basename(x) for x in tf.gfile.Glob(p + '/*.txt')], "
             "tf.gfile.GFile(f).read(), tf.gfile.GFile(f).readline(), "
             "tf.gfile.GFile(f).readlines(), list(tf.gfile.GFile(f)), "
             "tf.gfile.Open(f, 'rb').read(3), tf.gfile.FastGFile(f).size()]\n"
             "tf.gfile.Copy(f, f + '2'); tf.gfile.Rename(f + '2', f + '3')\n"
             "r += [sorted(tf.gfile.ListDirectory(p))]\n"
             "tf.gfile.Remove(f)\n"
             "r += [[(x[len(d):], y, z) for x, y, z in tf.gfile.Walk(d)]]\n"
             "tf.gfile.DeleteRecursively(d); r += [tf.gfile.Exists(d)]\nr",
    "gfile_missing": "tf.gfile.GFile('/no/such/file').read()",
    "gfile_missing_stat": "tf.gfile.Stat('/no/such/file')",
    "gfile_missing_remove": "tf.gfile.Remove('/no/such/file')",
    "gfile_missing_list": "tf.gfile.ListDirectory('/no/such/folder')",
    "gfile_glob_none": "tf.gfile.Glob('/no/such/*')",
    "gfile_mode": "import tempfile\nf = tempfile.mkstemp()[1]\n"
                  "tf.gfile.GFile(f, 'r').write('a')",
    "gfile_mode_read": "import tempfile\nf = tempfile.mkstemp()[1]\n"
                       "tf.gfile.GFile(f, 'w').read()",
    "gfile_mode_bad": "tf.gfile.GFile('f', 'q')",
    "gfile_seek": "import tempfile\nf = tempfile.mkstemp()[1]\n"
                  "h = tf.gfile.GFile(f, 'w'); h.write('abcdef'); h.close()\n"
                  "h = tf.gfile.GFile(f); h.seek(2); a = h.read(2)\n"
                  "(a, h.tell(), h.name == f, h.mode)",
    "gfile_copy_exists": "import tempfile\nf = tempfile.mkstemp(suffix='.x')[1]\n"
                         "try: tf.gfile.Copy(f, f)\n"
                         "except tf.errors.AlreadyExistsError as e: "
                         "r = 'already' in str(e)\nr",
    "gfile_append": "import tempfile\nf = tempfile.mkstemp()[1]\n"
                    "h = tf.gfile.GFile(f, 'a'); h.write('a'); h.flush(); "
                    "h.close()\nh = tf.gfile.GFile(f, 'a'); h.write('b'); "
                    "h.close()\ntf.gfile.GFile(f, 'rb').read()",
    "indexed_slices_graph": "s = tf.IndexedSlices(tf.constant([1.], name='v'), "
                            "tf.constant([2], name='i'))\n"
                            "(str(s), s.name, s.op.name, s.device, "
                            "s.graph is tf.get_default_graph())",
    "static_value_graph": "a = tf.constant([2, 3])\n"
                          "(tf.get_static_value(tf.shape(tf.zeros([4, 5])))"
                          ".tolist(), tf.get_static_value(tf.placeholder("
                          "tf.int32)), tf.get_static_value(tf.fill([2], 7)) "
                          "is None)",
    "assert_rank_in_dynamic": "p = tf.placeholder(tf.float32)\n"
                              "a = tf.assert_rank_in(p, [1])\n"
                              "tf.Session().run(a, {p: [1.0]})",
    "assert_all_finite": "tf.Session().run(tf.debugging.assert_all_finite("
                         "tf.constant([1.0, 2.0]), 'm'))",
    "verify_finite": "tf.Session().run(tf.verify_tensor_all_finite("
                     "tf.constant([1.0]), 'm'))",
    "variable_aggregation": "[a.name for a in tf.VariableAggregation]",
    "variable_scope_members": "with tf.variable_scope('s') as s: pass\n"
                              "(s.name, s.reuse, s.initializer, s.regularizer, "
                              "s.caching_device, s.partitioner, s.custom_getter, "
                              "s.dtype, s.use_resource, s.constraint, "
                              "s.original_name_scope)",
    "variable_scope_set": "with tf.variable_scope('s') as s:\n"
                          "  s.set_initializer(tf.zeros_initializer())\n"
                          "  s.set_regularizer(None); s.set_dtype(tf.float64)\n"
                          "  s.set_custom_getter(None); s.set_partitioner(None)\n"
                          "  s.set_caching_device(None)\n"
                          "  v = tf.get_variable('v', [1])\n"
                          "(v.dtype, s.global_variables(), s.local_variables(), "
                          "s.trainable_variables())",
    "variable_custom_getter": "def get(getter, name, *a, **k):\n"
                              "  return getter(name + '_x', *a, **k)\n"
                              "with tf.variable_scope('s', custom_getter=get):\n"
                              "  v = tf.get_variable('v', [1])\nv.name",
    "graph_keys": "tf.GraphKeys.TRAINABLE_RESOURCE_VARIABLES, "
                  "tf.GraphKeys.GLOBAL_VARIABLES",
    "op_from_node_def": "g = tf.get_default_graph()\n"
                        "n = tf.NodeDef(name='x', op='NoOp')\n"
                        "o = tf.Operation.from_node_def(n, g)\n"
                        "(o.name, o.type)",
    "flags": "F = tf.app.flags\n"
             "F.DEFINE_multi_integer('n', [1], 'h'); "
             "F.DEFINE_multi_float('x', None, 'h')\n"
             "F.DEFINE_multi_enum('e', ['a'], ['a', 'b'], 'h'); "
             "F.DEFINE_spaceseplist('w', ['p'], 'h')\n"
             "F.DEFINE_enum('k', 'u', ['u', 'v'], 'h'); "
             "F.DEFINE_alias('nn', 'n')\n"
             "F.FLAGS(['p', '--n=2', '--n=3', '--x=1.5', '--e=b', '--w=a b', "
             "'--k=v', 'rest'])\n"
             "(F.FLAGS.n, F.FLAGS.x, F.FLAGS.e, F.FLAGS.w, F.FLAGS.k, F.FLAGS.nn)",
    "flags_enum_wrong": "F = tf.app.flags; F.DEFINE_enum('k', 'u', ['u', 'v'], "
                        "'h')\nF.FLAGS(['p', '--k=z'])",
    "flags_required": "F = tf.app.flags; F.DEFINE_string('k', None, 'h')\n"
                      "F.mark_flag_as_required('k')\nF.FLAGS(['p'])",
    "flags_validator": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')\n"
                       "F.register_validator('k', lambda v: v < 5, "
                       "message='too large')\nF.FLAGS(['p', '--k=9'])",
    "flags_validator_decorator": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')"
                                 "\n@F.validator('k')\ndef check(v):\n"
                                 "  if v > 5: raise F.ValidationError('no')\n"
                                 "  return True\n"
                                 "F.FLAGS(['p', '--k=9'])",
    "flags_unknown": "tf.app.flags.FLAGS(['p', '--kk=9'])",
    "flags_twice": "F = tf.app.flags; F.DEFINE_string('k', 'a', 'h')\n"
                   "try: F.DEFINE_string('k', 'b', 'h2')\n"
                   "except F.DuplicateFlagError as e: r = type(e).__name__\n"
                   "r if 'r' in dir() else 0",
    "flags_number_wrong": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')\n"
                          "F.FLAGS(['p', '--k=x'])",
    "flags_bounds": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h', "
                    "lower_bound=0)\nF.FLAGS(['p', '--k=-3'])",
    "flags_bool_wrong": "F = tf.app.flags; F.DEFINE_bool('k', True, 'h')\n"
                        "F.FLAGS(['p', '--k=maybe'])",
    "flags_exclusive": "F = tf.app.flags; F.DEFINE_string('a', None, 'h'); "
                       "F.DEFINE_string('b', None, 'h')\n"
                       "F.mark_flags_as_mutual_exclusive(['a', 'b'])\n"
                       "F.FLAGS(['p', '--a=1', '--b=2'])",
    "flags_multi_validator": "F = tf.app.flags; F.DEFINE_integer('a', 1, 'h'); "
                             "F.DEFINE_integer('b', 2, 'h')\n"
                             "F.register_multi_flags_validator(['a', 'b'], "
                             "lambda d: d['a'] < d['b'], message='a < b')\n"
                             "F.FLAGS(['p', '--a=7'])",
    "flags_enum_class": "import enum\nclass E(enum.Enum):\n  A = 1\n  B = 2\n"
                        "F = tf.app.flags; F.DEFINE_enum_class('k', E.A, E, 'h')"
                        "\nF.FLAGS(['p', '--k=b'])\nF.FLAGS.k",
    "flags_default": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')\n"
                     "F.FLAGS.set_default('k', 3); F.FLAGS(['p'])\n"
                     "(F.FLAGS.k, F.FLAGS['k'].default, F.FLAGS['k'].present, "
                     "F.FLAGS['k'].help)",
    "flags_holder": "F = tf.app.flags; h = F.DEFINE_integer('k', 1, 'h')\n"
                    "F.FLAGS(['p', '--k=4'])\n(h.value, h.name, h.default, "
                    "h.present)",
    "flags_list": "F = tf.app.flags; F.DEFINE_list('k', 'a,b', 'h')\n"
                  "F.FLAGS(['p', '--k=c,d'])\nF.FLAGS.k",
    "flags_missing_value": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')\n"
                           "F.FLAGS(['p', '--k'])",
    "flags_near": "F = tf.app.flags; F.DEFINE_integer('batch_size', 1, 'h')\n"
                  "F.FLAGS(['p', '--batch_sise=3'])",
    "flags_assign": "F = tf.app.flags; F.DEFINE_integer('k', 1, 'h')\n"
                    "F.FLAGS(['p']); F.FLAGS.k = 5\nF.FLAGS.k",
    "flags_dict": "F = tf.app.flags; F.DEFINE_integer('kz', 1, 'h')\n"
                  "F.FLAGS(['p']); F.FLAGS.flag_values_dict()['kz']",
    "resource_loader": "import os\n"
                       "os.path.basename(tf.resource_loader"
                       ".get_path_to_datafile('a.txt'))",
    "logging_dir": "[n for n in ('Any', 'sys', 'deprecated') "
                   "if n in dir(tf.logging)]",
    "test_session": "class T(tf.test.TestCase):\n  def test_a(self): pass\n"
                    "t = T('test_a')\n"
                    "with t.session() as s: a = t.evaluate(tf.constant([1]))\n"
                    "with t.cached_session() as s: b = s.run(tf.constant(2))\n"
                    "(a, b)",
    "seed": "tf.set_random_seed(5)\ntf.get_default_graph().seed",
    "register_conversion": "class C: pass\n"
                           "tf.register_tensor_conversion_function(C, "
                           "lambda v, dtype=None, name=None, as_ref=False: "
                           "tf.constant(7))\n"
                           "tf.Session().run(tf.convert_to_tensor(C()) + 1)",
    "op_scope": "with tf.op_scope([], 's') as n: pass\nn",
    "container": "with tf.container('c'): v = tf.Variable(1.)\n"
                 "v.op.get_attr('container')",
    "tensor_info": "tf.make_tensor_proto([1, 2]).dtype, "
                   "tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()",
}
