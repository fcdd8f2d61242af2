"""function_cases.py - What people do with tf.function, as snippet_cases.py has it."""

# Counts traces: |n| grows by one for each.
_COUNTED = (
    "n = []\n@tf.function{}\ndef f(*args, **kwargs):\n  n.append(1)\n"
    "  return tf.constant(0)\ndef count(*calls):\n  seen = []\n"
    "  for call in calls:\n    del n[:]\n    f(*call)\n    seen.append(len(n))\n"
    "  return seen, f.experimental_get_tracing_count()\nc = tf.constant\n")


def _counts(calls: str, options: str = "") -> str:
    return _COUNTED.format(options) + f"count({calls})"


_TWO = "a = tf.constant([[1., 2.]]); b = tf.constant([[3.], [4.]])\n"
_SPEC = "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])\n" \
        "def f(x): return x * 2\n"
_LATER = "f = tf.function(lambda x, y=2, *, z=None: x + y)\n" \
         "c = f.get_concrete_function(tf.TensorSpec([None], tf.int32), y=3)\n"
_NO_AUTOGRAPH = "@tf.function(autograph=False)\n"

TF2 = {
    # Which calls trace anew.
    "trace_python": _counts("(1,), (1,), (2,), (1.0,), (True,), ('a',), (b'a',), (None,)"),
    "trace_nan": _counts("(float('nan'),), (float('nan'),), (1 << 40,), (1 << 40,)"),
    "trace_tensors": _counts("(c(1),), (c(2),), (c(1.),), (c([1]),), (c([1, 2]),), (c([3, 4]),)"),
    "trace_numpy": "import numpy as np\n" + _counts(
        "(np.array([1, 2]),), (np.array([3, 4]),), (np.float32(1),), (np.float32(2),), (c(2.),)"),
    "trace_lists": _counts("([1, 2],), ((1, 2),), ([1, 2],), ([c(1), c(2)],), ([c(3), c(4)],), "
                           "({'a': c(1)},), ({'a': c(2)},), ({'b': c(1)},)"),
    "trace_namedtuple": "import collections\nP = collections.namedtuple('P', 'x y')\n" + _counts(
        "(P(1, 2),), (P(1, 2),), ((1, 2),), (P(c(1), 2),), (P(c(2), 2),)"),
    "trace_objects": "class O: pass\no1, o2 = O(), O()\n" + _counts("(o1,), (o1,), (o2,), (len,), (int,)"),
    "trace_types": _counts("(tf.float32,), (tf.float32,), (tf.int32,), (tf.TensorShape([1]),), "
                           "(tf.TensorShape([1]),), (range(3),), (range(3),)"),
    "trace_variables": "v = tf.Variable(1.); w = tf.Variable(2.); i = tf.Variable(1)\n" + _counts(
        "(v,), (v,), (w,), (i,), (v, v), (v, w), (w, v), (w, w)"),
    "trace_unhashable": _counts("({1},)"),
    "trace_reduced": _counts("(c([1]),), (c([1, 2]),), (c([1, 2, 3]),), (c([[1]]),), (c([[1, 2]]),), (c(1),)",
                             "(reduce_retracing=True)"),
    "trace_reduced_python": _counts("(1,), (2,), (3,)", "(reduce_retracing=True)"),
    "trace_wider": "n = []\n@tf.function\ndef f(x):\n  n.append(1)\n  return x\n"
                   "f.get_concrete_function(tf.TensorSpec([None], tf.int32))\n"
                   "f(tf.constant([1])); f(tf.constant([1, 2])); f(tf.constant([[1]]))\nlen(n)",
    "trace_defaults": "n = []\n@tf.function\ndef f(x, y=tf.constant(1)):\n  n.append(1)\n"
                      "  return x + y\n"
                      "r = [f(tf.constant(1)), f(tf.constant(1), tf.constant(2)), f(tf.constant(1), y=tf.constant(3))]\n"
                      "(r, len(n))",
    "trace_keywords": "n = []\n@tf.function\ndef f(x, training=False):\n  n.append(1)\n  return x\n"
                      "for t in (True, True, False): f(tf.constant(1), training=t)\nf(tf.constant(1))\nlen(n)",
    "trace_device": "n = []\n@tf.function\ndef f(x):\n  n.append(1)\n  return x\nf(tf.constant(1))\n"
                    "with tf.device('CPU:0'): f(tf.constant(1))\nlen(n)",
    "trace_methods": "n = []\nclass K:\n  @tf.function\n  def f(self, x):\n    n.append(1)\n    return x\n"
                     "k, l = K(), K()\nk.f(tf.constant(1)); k.f(tf.constant(2)); l.f(tf.constant(1))\n"
                     "(len(n), K.f.experimental_get_tracing_count(), k.f.experimental_get_tracing_count(), k.f is k.f)",
    "trace_weakly": "import gc, weakref\nclass K:\n  @tf.function\n  def f(self, x): return x\n"
                    "k = K(); k.f(tf.constant(1)); r = weakref.ref(k); del k; gc.collect()\nr() is None",
    "trace_side_effects": "n = []\n@tf.function\ndef f(x):\n  n.append('traced')\n  return x\n"
                          "f(tf.constant(1)); f(tf.constant(1))\nn",
    "trace_unbound": "class K:\n  @tf.function\n  def f(self, x): return x + 1\nK.f(K(), tf.constant(1))",
    # Arguments and signatures.
    "missing_argument": "tf.function(lambda x, y=2, *, z=None: x)()",
    "many_arguments": "tf.function(lambda x: x)(1, 2)",
    "unknown_keyword": "tf.function(lambda x: x)(1, w=3)",
    "signature_list": _SPEC + "f([1., 2.])",
    "signature_type": _SPEC + "f(tf.constant([1]))",
    "signature_rank": _SPEC + "f(1.0)",
    "signature_many": _SPEC + "f(1., 2.)",
    "signature_missing": _SPEC + "f()",
    "signature_attribute": _SPEC + "f.input_signature",
    "signature_concrete": _SPEC + "f.get_concrete_function().structured_input_signature",
    "signature_wrong": _SPEC + "f.get_concrete_function(tf.TensorSpec([3], tf.int32))",
    "signature_number": "tf.function(lambda x: x, input_signature=3)",
    "signature_numbers": "tf.function(lambda x: x, input_signature=[3])",
    "signature_extra": "tf.function(lambda x: x, input_signature=[tf.TensorSpec([])] * 2)",
    "signature_few": "tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([])])",
    "signature_nested": "@tf.function(input_signature=[(tf.TensorSpec([]), tf.TensorSpec([]))])\n"
                        "def f(p): return p[0] + p[1]\nf((1., tf.constant(2.)))",
    "not_callable": "tf.function(3)",
    # One trace.
    "concrete_signature": _LATER + "c.structured_input_signature",
    "concrete_text": _LATER + "(str(c), c.pretty_printed_signature())",
    "concrete_tensors": _LATER + "(c.inputs, c.outputs, c.structured_outputs, c.graph.name, c.captured_inputs)",
    "concrete_results": "f = tf.function(lambda x: (x, [x, None], {'b': x, 'a': 1}))\n"
                        "c = f.get_concrete_function(tf.constant(1))\n"
                        "(c.structured_outputs, c.output_shapes, c.output_dtypes, c.outputs, str(c))",
    "concrete_keyword": _LATER + "c(x=tf.constant([1, 2]))",
    "concrete_type": _LATER + "c(tf.constant([1., 2.]))",
    "concrete_missing": _LATER + "c()",
    "concrete_many": _LATER + "c(tf.constant([1]), tf.constant([2]))",
    "concrete_python": _LATER + "c(tf.constant([1]), y=3)",
    "concrete_nested": "@tf.function\ndef f(a, b=(1,), *args, k=3, **kw): return tf.constant(0)\n"
                       "c = f.get_concrete_function(tf.constant(1), [tf.constant(1.), {'z': tf.constant(2)}], "
                       "tf.constant([3]), k=tf.constant(4), w=tf.constant(5))\n"
                       "(c.structured_input_signature, str(c), c.inputs)",
    "concrete_variable": "v = tf.Variable([1., 2.])\nc = tf.function(lambda w: w * 2).get_concrete_function(v)\n"
                         "(c.structured_input_signature, c.inputs, str(c), c(v))",
    "concrete_nodes": "v = tf.Variable(1.); a = tf.constant(7.)\n"
                      "c = tf.function(lambda x: x + a + v).get_concrete_function(tf.constant(1.))\n"
                      "(c.graph.get_operations(), c.variables, c.trainable_variables, c.inputs)",
    "concrete_captures": "big = tf.zeros([200])\n"
                         "c = tf.function(lambda x: x + big).get_concrete_function(tf.zeros([200]))\n"
                         "(c.graph.get_operations(), [t.shape for t in c.captured_inputs])",
    "concrete_calls": "g = tf.function(lambda x: x + 1)\n"
                      "tf.function(lambda x: g(g(x)) * 2).get_concrete_function(tf.constant(1)).graph.get_operations()",
    "signatures_text": "f = tf.function(lambda x: x + 1); f(tf.constant(1)); f(tf.constant(1.))\n"
                       "f.pretty_printed_concrete_signatures()",
    # Results.
    "result_nested": "tf.function(lambda x: (x, [x, None], {'b': x, 'a': 1}))(tf.constant(1))",
    "result_object": "tf.function(lambda: object())()",
    "result_operation": "tf.function(lambda x: tf.group(x))(tf.constant(1))",
    "result_text": "tf.function(lambda: 'a')()",
    "result_numpy": "import numpy as np\ntf.function(lambda: np.float64(1))()",
    "result_variable": "v = tf.Variable(2.)\ntf.function(lambda: v)()",
    "result_shape": "tf.function(lambda x: x.shape)(tf.constant([1, 2]))",
    "result_argument": "f = tf.function(lambda x: x); x = tf.constant([1, 2])\n(f(x), f(x) is x)",
    # Variables.
    "variable_each_call": "tf.function(lambda: tf.Variable(1.0), autograph=False)()",
    "variable_first_call": "n = []\nclass M:\n  v = None\n  @tf.function\n  def __call__(self, x):\n    n.append(1)\n"
                           "    if self.v is None: self.v = tf.Variable(2.0)\n    return self.v * x\n"
                           "m = M()\n(m(tf.constant(3.)), m(tf.constant(4.)), m.v, len(n))",
    "variable_from_tensor": "class M:\n  v = None\n  @tf.function\n  def __call__(self, x):\n"
                            "    if self.v is None: self.v = tf.Variable(tf.ones([2]) * 3.)\n"
                            "    return self.v * x\nm = M()\n(m(tf.constant(3.)), m.v)",
    "variable_later": "n = []\n" + _NO_AUTOGRAPH + "def f(x):\n  if len(n) > 0: tf.Variable(1.)\n  return x\n"
                      "f(tf.constant(1)); n.append(1)\nf(tf.constant(1.))",
    "variable_order": "v = tf.Variable(1.)\n@tf.function\ndef f(x):\n  a = v + 0.\n  v.assign_add(x)\n  b = v + 0.\n"
                      "  v.assign(v * 3.)\n  return a, b, v.read_value()\n(f(tf.constant(2.)), f(tf.constant(1.)), v)",
    "variable_unread": "v = tf.Variable(1)\n@tf.function\ndef f(): v.assign_add(1)\n(f(), f(), v)",
    "variable_nested": "v = tf.Variable(1)\n@tf.function\ndef g(x):\n  v.assign_add(x)\n  return v.read_value()\n"
                       "@tf.function\ndef f(x):\n  a = g(x)\n  v.assign(v * 10)\n  return a, g(x)\n(f(tf.constant(1)), v)",
    # Captures and nesting.
    "capture_outer": "@tf.function\ndef f(x):\n  y = x * 2\n  g = tf.function(lambda z: y + z)\n  return g(x) + g(y)\n"
                     "f(tf.constant(3))",
    "nested_traces": "n = []\n@tf.function\ndef g(x):\n  n.append(1)\n  return x + 1\n"
                     "@tf.function\ndef f(x): return g(g(g(x)))\n(f(tf.constant(1)), len(n))",
    "recursion": "@tf.function\ndef f(x, k):\n  return x if k == 0 else f(x + 1, k - 1)\nf(tf.constant(1), 3)",
    "init_scope": "n = []\n@tf.function\ndef f(x):\n  n.append(tf.executing_eagerly())\n  with tf.init_scope():\n"
                  "    n.append(tf.executing_eagerly()); z = tf.constant(5.)\n  return x + z\n(f(tf.constant(1.)), n)",
    "inside_function": "tf.inside_function(), tf.function(lambda: tf.inside_function())()",
    "run_eagerly": "n = []\nf = tf.function(lambda x: n.append(1) or x)\ntf.config.run_functions_eagerly(True)\n"
                   "f(tf.constant(1)); f(tf.constant(1)); r = tf.config.functions_run_eagerly()\n"
                   "tf.config.run_functions_eagerly(False)\nf(tf.constant(1)); f(tf.constant(1))\n(len(n), r)",
    "loop": "@tf.function\ndef f(x):\n  for i in range(4): x = x * 2 + i\n  return x\nf(tf.constant(1))",
    "names": "f = tf.function(lambda x: x); (f.__name__, f.name, f.python_function is f.__wrapped__)",
    # What a tensor of a graph cannot do.
    "branch": _NO_AUTOGRAPH + "def f(x):\n  if x > 0: return x\n  return -x\nf(tf.constant(1.))",
    "while": _NO_AUTOGRAPH + "def f(x):\n  while x > 0: x -= 1\n  return x\nf(tf.constant(1.))",
    "iterate": _NO_AUTOGRAPH + "def f(x):\n  for i in x: pass\n  return x\nf(tf.constant([1.]))",
    "range_of_tensor": "tf.function(lambda x: list(range(x)), autograph=False)(tf.constant(1))",
    "int_of_tensor": "tf.function(lambda x: int(x), autograph=False)(tf.constant(1))",
    "len_of_tensor": "tf.function(lambda x: len(x), autograph=False)(tf.constant([1]))",
    "numpy_of_tensor": "tf.function(lambda x: x.numpy(), autograph=False)(tf.constant(1))",
    # Errors.
    "error_python": _NO_AUTOGRAPH + "def f(x): raise KeyError('hello')\nf(1)",
    "error_shape": _NO_AUTOGRAPH + "def f(x): return tf.reshape(x, [5])\nf(tf.constant([1, 2]))",
    "error_assert": "@tf.function\ndef f(x):\n  with tf.control_dependencies([tf.debugging.Assert(x > 5, [x])]):\n"
                    "    return tf.identity(x)\nf(tf.constant(7)), f(tf.constant(2))",
    # Devices, seeds.
    "device_missing": "@tf.function\ndef f(x):\n  with tf.device('GPU:7'): y = x + 1\n  return y\n"
                      "r = f(tf.constant(1)).device\n(r, f(tf.constant(1)))",
    "device_hard": "tf.config.set_soft_device_placement(False)\n@tf.function\ndef f(x):\n"
                   "  with tf.device('GPU:7'): y = x + 1\n  return y\nf(tf.constant(1))",
    "seeds": "tf.random.set_seed(5)\n@tf.function\ndef f():\n"
             "  return tf.random.uniform([]), tf.random.normal([]), tf.random.uniform([], seed=3)\n"
             "a, b = f(), f()\ntf.random.set_seed(5)\n[float(x) for x in (*a, *b, *f())]",
    "seeds_of_two": "tf.random.set_seed(5)\nf = tf.function(lambda: tf.random.uniform([]))\n"
                    "g = tf.function(lambda: tf.random.uniform([]))\n[float(x()) for x in (f, g, f, g)]",
    "seed_of_op": "f = tf.function(lambda: tf.random.uniform([], seed=3))\n[float(f()) for _ in range(3)]",
    # Arguments of all kinds.
    "arguments_named": "(tf.function(lambda *, a, b=2: a + b)(a=tf.constant(1)), "
                       "tf.function(lambda **k: k['z'] - k['a'])(z=tf.constant(5), a=tf.constant(2)))",
    "arguments_dict": "tf.function(lambda d: d['z'] - d['a'])({'z': tf.constant(5), 'a': tf.constant(2)})",
    "arguments_many": "[int(t) for t in tf.function(lambda *a: a)(*[tf.constant(i) for i in range(50)])]",
    "arguments_types": "f = tf.function(lambda x: x)\n[f(tf.constant(v)) for v in ('a', ['a', 'b'], 1 + 2j, True)]",
    "arguments_empty": "tf.function(lambda x: x)(tf.zeros([0, 3]))",
    "arguments_swapped": "tf.function(lambda x, y: (y, x))(tf.constant(1), tf.constant(2))",
    "arguments_partial": "import functools\n"
                         "tf.function(functools.partial(lambda a, b: a - b, b=tf.constant(3)))(tf.constant(10))",
    "arguments_callable": "class C:\n  def __call__(self, x): return x + 1\n"
                          "(tf.function(C())(tf.constant(1)), tf.function(C().__call__)(tf.constant(1)))",
    "shape_not_known": "f = tf.function(lambda a: (tf.shape(a)[0] + a.shape[1], a.shape[0] is None, "
                       "tf.reshape(a, [tf.shape(a)[0], -1])), input_signature=[tf.TensorSpec([None, 4])])\n"
                       "(f(tf.zeros([1, 4])), f(tf.zeros([2, 4])))",
    "variable_deleted": "import gc\nd = {'v': tf.Variable(2.)}\nf = tf.function(lambda x: x * d['v'])\n"
                        "f(tf.constant(1.)); d.clear(); gc.collect()\nf(tf.constant(3.))",
    "variable_any_shape": "v = tf.Variable([1., 2.], shape=tf.TensorShape(None))\nf = tf.function(lambda x: v + x)\n"
                          "a = f(tf.constant(1.)); v.assign([1., 2., 3.])\n(a, f(tf.constant(1.)))",
    "variable_updates": "w = tf.Variable(1.)\n(tf.function(lambda: w.assign(5.))(), "
                        "tf.function(lambda: w.assign_add(5.))(), tf.function(lambda: w > 3.)())",
    "variable_numpy": "w = tf.Variable(1.)\ntf.function(lambda: w.numpy(), autograph=False)()",
    "variable_control": "u = tf.Variable(0.)\n@tf.function\ndef f(x):\n"
                        "  with tf.control_dependencies([u.assign(x)]): return u + 1\nf(tf.constant(1.))",
    "variable_joined": "w = tf.Variable(1.)\n(tf.function(lambda a: tf.concat([a, [1.], [w]], 0))(tf.constant([2.])), "
                       "tf.function(lambda a: tf.stack([a, a * 2, w]))(tf.constant(2.)))",
    "error_division": "@tf.function\ndef f(x): return 1 // x\nf(tf.constant(0))",
    "error_lambda": "tf.function(lambda x: 1 // x)(tf.constant(0))",
    "error_product": "@tf.function(input_signature=[tf.TensorSpec([None, None])] * 2)\n"
                     "def f(x, y): return tf.matmul(x, y)\nf(tf.ones([2, 3]), tf.ones([2, 3]))",
    "name_scopes": "@tf.function\ndef f(x):\n  with tf.name_scope('a'):\n    y = x * 2.\n"
                   "    with tf.name_scope('b'): y = tf.add(y, 1., name='sum')\n  return y\n"
                   "[o.name for o in f.get_concrete_function(tf.constant(1.)).graph.get_operations()]",
    "product": _TWO + "f = tf.function(tf.matmul)\n(f(a, b), f(b, a))",
}
