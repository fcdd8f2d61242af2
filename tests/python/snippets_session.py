"""snippets_session.py - What people try with sessions: fetches, feeds, callables. TF1."""

CASES = {
    "fetch_dict_nested":
        "a = tf.constant(1)\n"
        "tf.Session().run({'x': a, 'y': [a, {'z': a}]})",
    "fetch_names_list":
        "tf.constant(1, name='a'); tf.constant(2, name='b')\n"
        "tf.Session().run(['a:0', 'b:0'])",
    "fetch_op_name":
        "tf.constant(1, name='a')\n"
        "tf.Session().run('a')",
    "fetch_op_in_list":
        "a = tf.constant(1, name='a')\n"
        "tf.Session().run([a.op, a, tf.no_op()])",
    "fetch_tuple":
        "a = tf.constant(1)\n"
        "tf.Session().run((a, a))",
    "fetch_empty_dict":
        "a = tf.constant(1)\n"
        "tf.Session().run({})",
    "fetch_variable":
        "v = tf.Variable([1., 2.]); s = tf.Session(); "
        "s.run(tf.global_variables_initializer())\n"
        "s.run([v, {'v': v}])",
    "fetch_bytes":
        "tf.constant(1, name='a')\n"
        "tf.Session().run(b'a:0')",
    "fetch_set":
        "a = tf.constant(1)\n"
        "tf.Session().run({a})",
    "fetch_numpy":
        "import numpy as np\n"
        "a = tf.constant(1)\n"
        "tf.Session().run(np.array([1]))",
    "fetch_list_none":
        "a = tf.constant(1)\n"
        "tf.Session().run([a, None])",
    "fetch_generator":
        "a = tf.constant(1)\n"
        "tf.Session().run(x for x in [a])",
    "fetch_bad_name":
        "tf.constant(1, name='a')\n"
        "tf.Session().run('a:5')",
    "fetch_bad_name2":
        "tf.constant(1, name='a')\n"
        "tf.Session().run('a:b')",
    "fetch_bad_name3":
        "tf.constant(1, name='a')\n"
        "tf.Session().run('b')",
    "fetch_bad_name4":
        "tf.constant(1, name='a')\n"
        "tf.Session().run('^a')",
    "fetch_device":
        "tf.constant(1)\n"
        "tf.Session().run(tf.int32)",
    "fetch_result_type":
        "a = tf.constant(1)\n"
        "[type(r).__name__ for r in tf.Session().run([a, tf.constant([1])])] "
        "+ [type(tf.Session().run(tf.constant('x'))).__name__, "
        "type(tf.Session().run(tf.constant(True))).__name__]",
    "fetch_ordered":
        "import collections\n"
        "a = tf.constant(1)\n"
        "tf.Session().run(collections.OrderedDict([('b', a), ('a', a)]))",
    "fetch_attrs":
        "import collections\n"
        "class D(dict): pass\n"
        "a = tf.constant(1)\n"
        "type(tf.Session().run(D(x=a))).__name__",
    "feed_wrong_rank":
        "p = tf.placeholder(tf.float32, [None, 2], name='p')\n"
        "tf.Session().run(p, {p: [1, 2]})",
    "feed_wrong_dtype_array":
        "import numpy as np\n"
        "p = tf.placeholder(tf.float32, [2], name='p')\n"
        "tf.Session().run(p, {p: np.array([1, 2])})",
    "feed_int_from_float_array":
        "import numpy as np\n"
        "p = tf.placeholder(tf.int32, [2], name='p')\n"
        "tf.Session().run(p, {p: np.array([1.5, 2])})",
    "feed_string_to_float":
        "p = tf.placeholder(tf.float32, [], name='p')\n"
        "tf.Session().run(p, {p: 'a'})",
    "feed_none":
        "p = tf.placeholder(tf.float32, name='p')\n"
        "tf.Session().run(p, {p: None})",
    "feed_other_graph":
        "with tf.Graph().as_default(): p = tf.placeholder(tf.float32)\n"
        "a = tf.constant(1)\n"
        "tf.Session().run(a, {p: 1})",
    "feed_unknown_name":
        "a = tf.constant(1)\n"
        "tf.Session().run(a, {'nope:0': 1})",
    "feed_name_no_output":
        "a = tf.constant(1, name='a')\n"
        "tf.Session().run(a, {'a': 1})",
    "feed_operation":
        "a = tf.constant(1)\n"
        "tf.Session().run(a, {a.op: 1})",
    "feed_number_key":
        "a = tf.constant(1)\n"
        "tf.Session().run(a, {3: 1})",
    "feed_list":
        "a = tf.constant(1)\n"
        "tf.Session().run(a, [1])",
    "feed_not_dict":
        "a = tf.constant(1)\n"
        "tf.Session().run(a, 3)",
    "feed_ragged":
        "p = tf.placeholder(tf.float32, name='p')\n"
        "tf.Session().run(p, {p: [[1], [1, 2]]})",
    "feed_dict_value":
        "p = tf.placeholder(tf.float32, name='p')\n"
        "tf.Session().run(p, {p: {}})",
    "feed_tuple_key":
        "a = tf.placeholder(tf.int32); b = tf.placeholder(tf.int32)\n"
        "tf.Session().run(a + b, {(a, b): (1, 2)})",
    "feed_bool":
        "p = tf.placeholder(tf.bool)\n"
        "tf.Session().run(p, {p: 1})",
    "feed_int_as_bool":
        "p = tf.placeholder(tf.int32)\n"
        "tf.Session().run(p, {p: True})",
    "feed_int64_to_int32":
        "p = tf.placeholder(tf.int32)\n"
        "tf.Session().run(p, {p: 2**40})",
    "feed_int_list_float":
        "p = tf.placeholder(tf.int32, [2])\n"
        "tf.Session().run(p, {p: [1, 2.5]})",
    "feed_string_list":
        "p = tf.placeholder(tf.string)\n"
        "tf.Session().run(p, {p: ['a', b'b']})",
    "feed_string_number":
        "p = tf.placeholder(tf.string)\n"
        "tf.Session().run(p, {p: 3})",
    "feed_unfeedable":
        "v = tf.Variable(1., name='v'); g = tf.get_default_graph(); "
        "g.prevent_feeding(v)\n"
        "tf.Session().run(v, {v: 2.})",
    "feed_scalar_for_vector":
        "p = tf.placeholder(tf.float32, [3], name='p')\n"
        "tf.Session().run(p, {p: 1.0})",
    "feed_fetch_same":
        "a = tf.constant([1, 2])\n"
        "tf.Session().run([a, a + 1], {a: [5, 6]})",
    "feed_shape_scalar":
        "p = tf.placeholder(tf.float32, [], name='p')\n"
        "tf.Session().run(p, {p: [1.0]})",
    "feed_variable":
        "v = tf.Variable(1.0); s = tf.Session(); s.run(v.initializer)\n"
        "s.run(v + 1, {v: 5.0})",
    "run_closed":
        "a = tf.constant(1); s = tf.Session(); s.close(); s.close()\n"
        "s.run(a)",
    "interactive":
        "s = tf.InteractiveSession(); r = tf.constant(3).eval(); s.close()\n"
        "r",
    "interactive_default":
        "s = tf.InteractiveSession()\n"
        "tf.get_default_session() is s",
    "default_session_none": "tf.get_default_session()",
    "session_graph":
        "g = tf.Graph(); s = tf.Session(graph=g)\n"
        "(s.graph is g, s.graph_def.versions.producer > 0, s.sess_str)",
    "session_with_twice":
        "s = tf.Session()\n"
        "with s: pass\n"
        "with s: r = 1\n"
        "r",
    "session_as_default":
        "s = tf.Session()\n"
        "with s.as_default(): r = tf.constant(2).eval()\n"
        "(r, s.run(tf.constant(1)))",
    "session_other_graph":
        "with tf.Graph().as_default(): s = tf.Session(); c = tf.constant(1)\n"
        "s.run(c)",
    "eval_other_graph":
        "with tf.Graph().as_default(): c = tf.constant(1)\n"
        "with tf.Session(): c.eval()",
    "eval_feed":
        "p = tf.placeholder(tf.int32)\n"
        "with tf.Session() as s: r = (p + 1).eval({p: 2}), (p + "
        "1).eval(feed_dict={p: 3}, session=s)\n"
        "r",
    "op_run":
        "v = tf.Variable(1)\n"
        "with tf.Session() as s: r = v.initializer.run(), v.eval()\n"
        "r",
    "op_run_without": "tf.no_op().run()",
    "run_options_wrong":
        "tf.constant(1)\n"
        "tf.Session().run(tf.constant(1), options=3)",
    "run_metadata_wrong": "tf.Session().run(tf.constant(1), run_metadata=3)",
    "session_positional":
        "tf.Session('', tf.get_default_graph())\n"
        "1",
    "session_target_type": "tf.Session(3)",
    "list_devices": "[(d.name, d.device_type) for d in tf.Session().list_devices()]",
    "list_devices_repr": "repr(tf.Session().list_devices()[0])[:60]",
    "make_callable_none":
        "a = tf.constant(1)\n"
        "tf.Session().make_callable(a)()",
    "make_callable_dict":
        "a = tf.constant(1)\n"
        "tf.Session().make_callable({'a': a})()",
    "make_callable_options":
        "a = tf.constant(1); m = tf.RunMetadata()\n"
        "tf.Session().make_callable(a, accept_options=True)(options=tf.RunOp"
        "tions(), run_metadata=m)",
    "partial_no_setup":
        "a = tf.constant(1)\n"
        "tf.Session().partial_run('x', a)",
    "partial_twice":
        "a = tf.placeholder(tf.float32); b = a + 1; s = tf.Session(); h = "
        "s.partial_run_setup([b], [a]); s.partial_run(h, b, {a: 1})\n"
        "s.partial_run(h, b, {a: 1})",
    "partial_not_setup":
        "a = tf.placeholder(tf.float32); b = a + 1; c = a * 2; s = "
        "tf.Session(); h = s.partial_run_setup([b], [a])\n"
        "s.partial_run(h, c, {a: 1})",
    "partial_steps":
        "a = tf.placeholder(tf.float32); b = tf.placeholder(tf.float32); c = "
        "a + 1; d = c * b; s = tf.Session(); h = s.partial_run_setup([c, d], "
        "[a, b])\n"
        "[s.partial_run(h, c, {a: 1}), s.partial_run(h, d, {b: 5})]",
    "partial_empty":
        "s = tf.Session()\n"
        "s.partial_run_setup([])",
    "reset": "tf.Session.reset('')",
}
