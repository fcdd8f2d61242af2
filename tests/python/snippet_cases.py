"""snippet_cases.py - What people try: a line or two of TF1 or TF2 each.

The value of the last line is compared with TensorFlow's, or the exception with
its text. The modules snippets_* have more of them, by what they are about.
"""

import function_cases
import snippets_assertion
import snippets_classic
import snippets_constant
import snippets_eager
import snippets_graph
import snippets_member
import snippets_member_graph
import snippets_programs
import snippets_session
import snippets_variable

TF2 = {
    "repr": "repr(tf.constant([1.5, 2.5]))",
    "repr_scalar": "repr(tf.constant(3)), str(tf.constant(3))",
    "repr_string": "repr(tf.constant('abc')), str(tf.constant(['a', 'b']))",
    "repr_bool": "repr(tf.constant([True, False]))",
    "repr_big": "repr(tf.zeros([100, 100]))",
    "attributes": "t = tf.constant([[1, 2]])\n"
                  "(t.shape, t.dtype, t.ndim, t.device, len(t))",
    "shape_list": "tf.zeros([2, 3]).shape.as_list(), "
                  "tf.zeros([2, 3]).get_shape() == (2, 3)",
    "numpy": "a = tf.constant([1, 2]).numpy(); a[0] = 9\n"
             "(a.tolist(), a.flags.writeable, str(a.dtype))",
    "numpy_scalar": "type(tf.constant(2.0).numpy()).__name__",
    "numpy_string": "tf.constant('x').numpy(), tf.constant(['a']).numpy()",
    "numpy_private": "t = tf.constant([1, 2]); a = t.numpy(); a[0] = 9\n"
                     "t.numpy().tolist()",
    "asarray": "import numpy as np\nnp.asarray(tf.constant([1., 2.])).tolist()",
    "numpy_function": "import numpy as np\nnp.sum(tf.constant([1., 2.]))",
    "int_float_bool": "int(tf.constant(3)), float(tf.constant(2.5)), "
                      "bool(tf.constant(True))",
    "index": "[10, 20, 30][tf.constant(1)]",
    "bool_of_many": "bool(tf.constant([1, 2]))",
    "int_of_many": "int(tf.constant([1, 2]))",
    "len_of_scalar": "len(tf.constant(1))",
    "iterate": "[int(v) for v in tf.constant([1, 2, 3])]",
    "iterate_scalar": "list(tf.constant(1))",
    "hash": "hash(tf.constant(1))",
    "equality": "tf.constant([1, 2]) == tf.constant([1, 3])",
    "equality_other": "tf.constant(1) == 'a'",
    "not_equal": "tf.constant([1, 2]) != [1, 3]",
    "operators": "t = tf.constant([4., 9.])\n"
                 "[t + 1, 1 - t, t * t, t / 2, t // 2, t % 5, -t, t ** 2, "
                 "abs(-t), t < 5, t >= 9]",
    "operators_int": "t = tf.constant([7, -7])\n[t / 2, t // 2, t % 3]",
    "operators_bool": "a = tf.constant([True, False])\n"
                      "[a & True, a | True, a ^ True, ~a]",
    "matmul_operator": "tf.constant([[1., 2.]]) @ tf.constant([[3.], [4.]])",
    "numpy_left": "import numpy as np\nnp.array([1., 2.], 'f') + "
                  "tf.constant([1., 2.])",
    "slices": "t = tf.reshape(tf.range(12), [3, 4])\n"
              "[t[0], t[1:, 2], t[:, ::2], t[..., -1], t[-1, -1], "
              "t[:, tf.newaxis, 0]]",
    "slice_tensor": "t = tf.range(5); i = tf.constant(2)\nt[i], t[:i]",
    "slice_out": "tf.range(3)[5]",
    "mixed_types": "tf.constant(1) + tf.constant(1.0)",
    "mixed_float": "tf.constant(1) + 1.5",
    "shapes_wrong": "tf.constant([1., 2.]) + tf.constant([1., 2., 3.])",
    "matmul_wrong": "tf.matmul([[1., 2.]], [[1., 2.]])",
    "matmul_rank": "tf.matmul([1., 2.], [[1., 2.]])",
    "constant_wrong": "tf.constant([1, 2], shape=[3])",
    "constant_ragged": "tf.constant([[1], [1, 2]])",
    "constant_type": "tf.constant('a', tf.int32)",
    "constant_none": "tf.constant(None)",
    "constant_numpy": "import numpy as np\n"
                      "[tf.constant(np.float64(1)), tf.constant(np.arange(2)), "
                      "tf.constant(np.uint8(3))]",
    "convert": "tf.convert_to_tensor([1, 2.5]), "
               "tf.convert_to_tensor(3, dtype=tf.float64)",
    "cast": "tf.cast(tf.constant([1.9, -1.9]), tf.int8)",
    "concat": "tf.concat([[[1]], [[2]]], axis=0)",
    "concat_wrong": "tf.concat([[1, 2], [[3]]], 0)",
    "reshape_wrong": "tf.reshape([1, 2, 3], [2, 2])",
    "stack": "tf.stack([1, 2]), tf.unstack(tf.constant([1, 2]))",
    "split": "tf.split(tf.range(4), 2)",
    "reduce": "t = tf.constant([[1., 2.], [3., 4.]])\n"
              "[tf.reduce_sum(t), tf.reduce_mean(t, 0), tf.reduce_max(t, 1), "
              "tf.argmax(t, 1)]",
    "where": "tf.where([True, False], [1, 2], [3, 4]), tf.where([True, False])",
    "gather": "tf.gather([10, 20, 30], [2, 0])",
    "one_hot": "tf.one_hot([0, 2], 3)",
    "range": "tf.range(3), tf.range(1, 10, 3)",
    "random_seed": "tf.random.set_seed(1)\n"
                   "tf.random.uniform([2]), tf.random.normal([2])",
    "random_op_seed": "tf.random.set_seed(1)\n"
                      "tf.random.uniform([2], seed=5), "
                      "tf.random.uniform([2], seed=5)",
    "device_scope": "with tf.device('/CPU:0'): t = tf.constant(1)\nt.device",
    "device_bad": "with tf.device('nonsense'): tf.constant(1)",
    "device_missing": "tf.config.set_soft_device_placement(False)\n"
                      "with tf.device('/GPU:3'): tf.constant(1)",
    "cpu_copy": "tf.constant([1, 2]).cpu().device",
    "gpu_copy": "tf.constant([1, 2]).gpu()",
    "variable": "v = tf.Variable([1., 2.]); v.assign_add([1., 1.])\nv.numpy()",
    "variable_repr": "repr(tf.Variable([1., 2.], name='v'))",
    "variable_attributes": "v = tf.Variable(1, name='n')\n"
                           "(v.name, v.dtype, v.shape, v.trainable, v.device)",
    "variable_arithmetic": "v = tf.Variable(2.0)\n[v + 1, v * v, -v, v ** 2]",
    "variable_assign": "v = tf.Variable([1, 2]); v.assign([3, 4])\nv.read_value()",
    "variable_wrong": "tf.Variable([1., 2.]).assign([1., 2., 3.])",
    "variable_type": "tf.Variable(1).assign(1.5)",
    "variable_slice": "tf.Variable([1, 2, 3])[1:]",
    "variable_assign_sub": "v = tf.Variable(5); v.assign_sub(2)\nint(v)",
    "function": "@tf.function\ndef f(x): return x * x\nf(tf.constant(3.0))",
    "function_python": "f = tf.function(lambda x, y=2: x + y)\n[f(1), f(1, 3)]",
    "function_traces": "n = []\n@tf.function\ndef f(x):\n  n.append(1)\n"
                       "  return x + 1\n"
                       "f(tf.constant(1)); f(tf.constant(2)); f(tf.constant(1.))"
                       "; f(1); f(2); f(1)\nlen(n)",
    "function_signature":
        "n = []\n@tf.function(input_signature=[tf.TensorSpec([None], "
        "tf.float32)])\ndef f(x):\n  n.append(1)\n  return x * 2\n"
        "f(tf.constant([1.])); r = f(tf.constant([1., 2.]))\n(len(n), r)",
    "function_structure": "f = tf.function(lambda x: {'a': x, 'b': (x, 1)})\n"
                          "sorted(f(tf.constant(1)).items())[0]",
    "function_variable": "v = tf.Variable(1.0)\n@tf.function\n"
                         "def f(): return v.assign_add(1.0)\nf(); f()\nv.numpy()",
    "function_closure": "a = tf.constant(5.0)\n"
                        "tf.function(lambda x: x + a)(tf.constant(1.0))",
    "function_nested": "g = tf.function(lambda x: x + 1)\n"
                       "tf.function(lambda x: g(x) * 2)(tf.constant(3))",
    "function_none": "tf.function(lambda: None)()",
    "concrete": "f = tf.function(lambda x: x + 1)\n"
                "f.get_concrete_function(tf.TensorSpec([], tf.float32))"
                "(tf.constant(2.0))",
    "executing_eagerly": "tf.executing_eagerly(), "
                         "tf.function(lambda: tf.executing_eagerly())()",
    "graph_session": "g = tf.Graph()\nwith g.as_default():\n"
                     "  c = tf.constant(2) * 3\n"
                     "tf.compat.v1.Session(graph=g).run(c)",
    "graph_tensor_bool": "with tf.Graph().as_default(): c = tf.constant(True)\n"
                         "bool(c)",
    "placeholder_eager": "tf.compat.v1.placeholder(tf.float32)",
    "tensor_shape": "repr(tf.TensorShape([2, None])), str(tf.TensorShape(None)),"
                    " tf.TensorShape([2]).as_list()",
    "tensor_spec": "repr(tf.TensorSpec([2], tf.float32, 'n'))",
    "dtypes": "[tf.float32.name, tf.int8.max, tf.as_dtype('int64'), "
              "tf.bool.is_bool, tf.float16.size]",
    "is_tensor": "tf.is_tensor(tf.constant(1)), tf.is_tensor(1)",
    "strings": "tf.strings.join(['a', 'b']).numpy(), "
               "tf.strings.as_string([1, 2]).numpy()",
    "raw_ops": "tf.raw_ops.Add(x=[1], y=[2]), tf.raw_ops.MatMul(a=[[1.]], "
               "b=[[2.]])",
    "raw_ops_positional": "tf.raw_ops.Add([1], [2])",
    "raw_ops_missing": "tf.raw_ops.Add(x=[1])",
    "assert_equal": "tf.debugging.assert_equal(1, 2)",
    "check_numerics": "tf.debugging.check_numerics([1.0, float('nan')], 'bad')",
    "clip": "tf.clip_by_value([-1., 0.5, 2.], 0., 1.)",
    "softmax": "tf.nn.softmax([1., 1.])",
    "norm": "tf.norm([3., 4.]), tf.linalg.norm([3., 4.])",
    "einsum": "tf.einsum('ij,jk->ik', tf.ones([1, 2]), tf.ones([2, 1]))",
    "tensordot": "tf.tensordot([1., 2.], [3., 4.], 1)",
    "transpose": "tf.transpose(tf.constant([[1, 2], [3, 4]]))",
    "pad_tile": "tf.pad([[1]], [[1, 0], [0, 1]]), tf.tile([1, 2], [2])",
    "sort": "tf.sort([3, 1, 2]), tf.argsort([3, 1, 2]), "
            "tf.math.top_k([1, 3, 2], 2).values",
    "version": "type(tf.__version__).__name__, tf.version.VERSION == "
               "tf.__version__",
    "rank_size": "tf.rank([[1]]), tf.size([1, 2]), tf.shape([[1, 2]])",
    "print": "tf.print('a', tf.constant([1, 2]))",
    "while_loop": "tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), "
                  "[tf.constant(0)])",
    "cond": "tf.cond(tf.constant(True), lambda: 1, lambda: 2)",
    "dlpack": "from tensorflow.experimental import dlpack as d\n"
              "d.from_dlpack(d.to_dlpack(tf.constant([1., 2.])))",
}

TF1 = {
    "nested_fetches": "a = tf.constant(1); b = tf.constant(2.5)\n"
                      "tf.Session().run([a, (b, {'k': a}), []])",
    "fetch_name": "tf.constant(1, name='n')\ntf.Session().run('n:0')",
    "fetch_op": "tf.constant(1, name='n')\n"
                "tf.Session().run(tf.get_default_graph()"
                ".get_operation_by_name('n'))",
    "fetch_twice": "a = tf.constant([1])\ntf.Session().run([a, a])",
    "fetch_none": "tf.no_op()\ntf.Session().run(None)",
    "fetch_number": "tf.no_op()\ntf.Session().run(3)",
    "fetch_unknown": "tf.no_op()\ntf.Session().run('no:0')",
    "fetch_other_graph": "tf.no_op()\nwith tf.Graph().as_default(): a = tf.constant(1)\n"
                         "tf.Session().run(a)",
    "fetch_namedtuple": "import collections\nP = collections.namedtuple('P', 'x')"
                        "\ntf.Session().run(P(tf.constant(1)))",
    "fetch_string": "tf.Session().run(tf.constant(['a', 'b']))",
    "feed_shape": "p = tf.placeholder(tf.float32, [2], name='p')\n"
                  "tf.Session().run(p, {p: [1, 2, 3]})",
    "feed_type": "p = tf.placeholder(tf.int32, [], name='p')\n"
                 "tf.Session().run(p, {p: 1.5})",
    "feed_string": "p = tf.placeholder(tf.int32, [], name='p')\n"
                   "tf.Session().run(p, {p: 'a'})",
    "feed_name": "p = tf.placeholder(tf.int32, [], name='p')\n"
                 "tf.Session().run(p, {'p:0': 3})",
    "feed_constant": "c = tf.constant(1); d = c + 1\n"
                     "tf.Session().run(d, {c: 5})",
    "feed_tensor": "p = tf.placeholder(tf.float32, [])\n"
                   "tf.Session().run(p, {p: tf.constant(1.0)})",
    "feed_list": "p = tf.placeholder(tf.float32, [None, 2])\n"
                 "tf.Session().run(p * 2, {p: [[1, 2], [3, 4]]})",
    "uninitialized": "v = tf.Variable(1.0, name='v')\n"
                     "str(0)\ntry: tf.Session().run(v)\n"
                     "except tf.errors.FailedPreconditionError as e: "
                     "r = e.error_code\nr",
    "eval": "with tf.Session(): r = tf.constant(4).eval()\nr",
    "eval_without": "tf.constant(1).eval()",
    "closed": "s = tf.Session(); s.close()\ns.run(tf.constant(1))",
    "session_with": "with tf.Session() as s: pass\ns.run(tf.constant(1))",
    "empty_graph": "tf.Session().run([])",
    "fetch_nothing": "tf.no_op()\ntf.Session().run([])",
    "tensor_repr": "repr(tf.constant([1, 2])), str(tf.constant(1.0))",
    "op_repr": "repr(tf.constant(1).op), tf.no_op().name",
    "tensor_attributes": "t = tf.constant([[1]])\n"
                         "(t.name, t.op.name, t.shape, t.dtype, t.device, "
                         "t.value_index, t.consumers(), t.graph is "
                         "tf.get_default_graph())",
    "op_attributes": "o = (tf.constant(1) + 2).op\n"
                     "(o.type, [i.name for i in o.inputs], o.outputs, "
                     "o.get_attr('T'), o.control_inputs, o.node_def.op)",
    "get_attr_missing": "tf.constant(1).op.get_attr('nope')",
    "tensor_bool": "bool(tf.constant(True))",
    "tensor_if": "if tf.constant(1) == 1: r = 'same'\nelse: r = 'other'\nr",
    "tensor_iterate": "for t in tf.constant([1, 2]): pass",
    "tensor_len": "len(tf.constant([1, 2]))",
    "tensor_hash": "t = tf.constant(1)\n{t: 5}[t]",
    "tensor_equality": "a = tf.constant(1)\n(a == a, a == 1, a != a)",
    "array_of_tensor": "import numpy as np\nnp.array(tf.constant(1))",
    "operators": "t = tf.constant([4., 9.])\n"
                 "tf.Session().run([t + 1, 1 - t, t * t, t / 2, t // 2, t % 5, "
                 "-t, t ** 2, abs(-t), t < 5, t >= 9])",
    "operators_int": "t = tf.constant([7, -7])\n"
                     "tf.Session().run([t / 2, t // 2, t % 3])",
    "shapes_wrong": "tf.constant([1., 2.]) + tf.constant([1., 2., 3.])",
    "matmul_wrong": "tf.matmul([[1., 2.]], [[1., 2.]])",
    "types_wrong": "tf.constant(1) + tf.constant(1.0)",
    "matmul_types": "tf.matmul(tf.constant([[1]]), tf.constant([[1.0]]))",
    "constant_wrong": "tf.constant([1, 2], shape=[3])",
    "constant_more": "tf.Session().run(tf.constant([1, 2], shape=[3, 2]))",
    "reshape_wrong": "tf.reshape([1, 2, 3], [2, 2])",
    "name_bad": "tf.constant(1, name='a b')",
    "name_unique": "[tf.constant(1, name='a').name for _ in range(3)]",
    "scope_names": "with tf.name_scope('s'): a = tf.constant(1)\n"
                   "with tf.name_scope('s') as n: b = tf.constant(1)\n"
                   "(a.name, b.name, n)",
    "variable_name": "tf.Variable(1).name, tf.Variable(1).name",
    "variable_twice": "tf.get_variable('v', [1]); tf.get_variable('v', [1])",
    "variable_reuse_missing":
        "with tf.variable_scope('s', reuse=True): tf.get_variable('v', [1])",
    "variable_shape_missing": "tf.get_variable('v')",
    "variable_shape_other":
        "tf.get_variable('v', [1])\n"
        "with tf.variable_scope('', reuse=True): tf.get_variable('v', [2])",
    "variable_auto_reuse":
        "with tf.variable_scope('s', reuse=tf.AUTO_REUSE): "
        "a = tf.get_variable('v', [1]); b = tf.get_variable('v', [1])\na is b",
    "variable_repr": "repr(tf.Variable([1., 2.], name='v'))",
    "variable_assign": "v = tf.Variable(1); s = tf.Session()\n"
                       "s.run(v.initializer); s.run(tf.assign(v, 5)); s.run(v)",
    "variable_load": "v = tf.Variable(1); s = tf.Session()\n"
                     "s.run(v.initializer); v.load(7, s); s.run(v)",
    "collections": "tf.add_to_collection('c', 1)\n"
                   "(tf.get_collection('c'), "
                   "sorted(tf.get_default_graph().get_all_collection_keys()))",
    "regularizer": "tf.get_variable('w', [2], regularizer=tf.nn.l2_loss)\n"
                   "[t.name for t in "
                   "tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]",
    "control_other_graph":
        "with tf.Graph().as_default(): a = tf.constant(1)\n"
        "with tf.control_dependencies([a]): tf.constant(1)",
    "finalize": "tf.get_default_graph().finalize()\ntf.constant(1)",
    "device_function": "with tf.device(lambda op: '/gpu:1' if op.type == "
                       "'Const' else ''): a = tf.constant(1); b = a + 1\n"
                       "(a.device, b.device)",
    "device_bad": "with tf.device('/nonsense:x'): tf.constant(1)",
    "as_graph_def": "tf.constant(1, name='a')\n"
                    "str(tf.get_default_graph().as_graph_def().node[0].name)",
    "import_graph_def":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "tf.import_graph_def(g.as_graph_def(), name='i')\n"
        "tf.Session().run('i/a:0')",
    "import_elements":
        "with tf.Graph().as_default() as g: tf.constant(1, name='a')\n"
        "[e.name for e in tf.import_graph_def(g.as_graph_def(), "
        "return_elements=['a:0'])]",
    "graph_lookup": "tf.constant(1, name='a')\ng = tf.get_default_graph()\n"
                    "(g.get_tensor_by_name('a:0'), "
                    "g.as_graph_element('a').name)",
    "graph_lookup_bad": "tf.get_default_graph().get_tensor_by_name('a')",
    "graph_version": "tf.constant(1); tf.constant(2)\n"
                     "tf.get_default_graph().version",
    "py_func": "tf.Session().run(tf.py_func(lambda a: a * 2, "
               "[tf.constant([1.0])], tf.float32))",
    "py_func_error": "def f(): raise ValueError('inside')\n"
                     "try: tf.Session().run(tf.py_func(f, [], tf.float32))\n"
                     "except tf.errors.InvalidArgumentError as e: "
                     "r = 'ValueError: inside' in str(e)\nr",
    "assert_fails": "tf.Session().run(tf.Assert(tf.constant(False), "
                    "[tf.constant('x')], name='a'))",
    "group": "v = tf.Variable(1); s = tf.Session(); s.run(v.initializer)\n"
             "s.run(tf.group(tf.assign(v, 3))); s.run(v)",
    "tuple": "tf.Session().run(tf.tuple([tf.constant(1), tf.constant(2)]))",
    "make_callable": "p = tf.placeholder(tf.float32)\n"
                     "f = tf.Session().make_callable(p * 2, [p])\nf(3)",
    "partial_run": "a = tf.placeholder(tf.float32); b = a + 1\n"
                   "s = tf.Session(); h = s.partial_run_setup([b], [a])\n"
                   "s.partial_run(h, b, {a: 1})",
    "seeds": "tf.set_random_seed(1)\n"
             "tf.Session().run([tf.random_uniform([2]), tf.random_normal([2])])",
    "seeds_twice": "a = tf.random_uniform([1], seed=1); s = tf.Session()\n"
                   "[s.run(a), s.run(a)]",
    "shape_static": "tf.placeholder(tf.float32, [None, 3]).shape, "
                    "tf.placeholder(tf.float32).shape",
    "set_shape": "p = tf.placeholder(tf.float32); p.set_shape([2])\np.shape",
    "set_shape_wrong": "p = tf.placeholder(tf.float32, [3]); p.set_shape([2])",
    "division_zero": "tf.Session().run(tf.constant(1) // tf.constant(0))",
    "gather_out": "tf.Session().run(tf.gather([1, 2], "
                  "tf.placeholder_with_default(5, [])))",
    "eager_off": "tf.executing_eagerly()",
    "logging": "tf.logging.set_verbosity(tf.logging.ERROR)\n"
               "tf.logging.get_verbosity()",
    "test_case": "class T(tf.test.TestCase):\n  pass\n"
                 "hasattr(T, 'assertAllEqual')",
    "timeline": "from tensorflow.python.client import timeline\n"
                "hasattr(timeline, 'Timeline')",
    "device_lib": "from tensorflow.python.client import device_lib\n"
                  "[d.name for d in device_lib.list_local_devices()]",
    "config_bad_field": "tf.ConfigProto(nope=1)",
    "config_wrong_type": "tf.Session(config=3)",
    "graph_wrong_type": "tf.Session(graph=3)",
    "trace": "m = tf.RunMetadata()\n_ = tf.Session().run(tf.constant(1.0) + 1, "
             "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), "
             "run_metadata=m)\nlen(m.step_stats.dev_stats) > 0",
    "print": "tf.Session().run(tf.Print(tf.constant(1), ['a']))",
    "concat_old": "tf.concat(0, [[1], [2]])",
}

TF2 |= {f"function_{name}": code for name, code in function_cases.TF2.items()}

def _named(about: str, cases: dict[str, str]) -> dict[str, str]:
    """Puts what cases are about before their names."""
    return {f"{about}/{name}": code for name, code in cases.items()}


TF1 |= _named("session", snippets_session.CASES)
TF1 |= _named("variable", snippets_variable.CASES)
TF1 |= _named("graph", snippets_graph.CASES)
TF1 |= _named("classic", snippets_classic.CASES)
TF1 |= _named("program", snippets_programs.CASES)
TF1 |= _named("constant", snippets_constant.CASES)
TF2 |= _named("eager", snippets_eager.CASES)
TF2 |= _named("program", snippets_programs.TF2)
TF2 |= _named("constant", snippets_constant.CASES)
TF1 |= _named("member", snippets_member.BOTH | snippets_member_graph.TF1)
TF2 |= _named("member", snippets_member.BOTH | snippets_member.TF2)
TF2 |= _named("assertion", snippets_assertion.TF2)
