"""test_model_profiler.py - TF1's tf.profiler: the text that TensorFlow 2.21 prints, and the messages beside it."""

from __future__ import annotations

from script import run

NETWORK = '''
import sys
import berth as tf
x = tf.placeholder(tf.float32, [8, 28, 28, 1])
with tf.variable_scope('conv'):
    w, b = tf.get_variable('w', [5, 5, 1, 6]), tf.get_variable('b', [6])
    h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding='SAME'), b))
    h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
with tf.variable_scope('fc'):
    y = tf.matmul(tf.reshape(h, [8, -1]), tf.get_variable('k', [14 * 14 * 6, 10])) + 1.0
step = tf.Variable(0, trainable=False, name='step')
profile, builder = tf.profiler.profile, tf.profiler.ProfileOptionBuilder
'''
PARAMETERS = '''
=========================Options=============================
-max_depth                  10000
-min_bytes                  0
-min_peak_bytes             0
-min_residual_bytes         0
-min_output_bytes           0
-min_micros                 0
-min_accelerator_micros     0
-min_cpu_micros             0
-min_params                 0
-min_float_ops              0
-min_occurrence             0
-step                       -1
-order_by                   name
-account_type_regexes       _trainable_variables
-start_name_regexes         .*
-trim_name_regexes          
-show_name_regexes          .*
-hide_name_regexes          
-account_displayed_op_only  true
-select                     params
-output                     stdout:

==================Model Analysis Report======================

Doc:
scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.
param: Number of parameters (in the Variable).

Profile:
node name | # parameters
_TFProfRoot (--/11.92k params)
  conv (--/156 params)
    conv/b (6, 6/6 params)
    conv/w (5x5x1x6, 150/150 params)
  fc (--/11.76k params)
    fc/k (1176x10, 11.76k/11.76k params)

======================End of Report==========================
'''  # noqa: W291
OPERATIONS = '''node name | # float_ops
_TFProfRoot (--/2.17m flops)
  conv/Conv2D (1.88m/1.88m flops)
  fc/MatMul (188.16k/188.16k flops)
  conv/BiasAdd (37.63k/37.63k flops)
  conv/MaxPool (37.63k/37.63k flops)
  fc/k/Initializer/random_uniform (11.76k/23.52k flops)
    fc/k/Initializer/random_uniform/mul (11.76k/11.76k flops)
    fc/k/Initializer/random_uniform/sub (1/1 flops)
  conv/w/Initializer/random_uniform (150/301 flops)
    conv/w/Initializer/random_uniform/mul (150/150 flops)
    conv/w/Initializer/random_uniform/sub (1/1 flops)
  fc/add (80/80 flops)
  conv/b/Initializer/random_uniform (6/13 flops)
    conv/b/Initializer/random_uniform/mul (6/6 flops)
    conv/b/Initializer/random_uniform/sub (1/1 flops)
'''


def test_parameters() -> None:
    """Variables that are trained are counted and printed; the older name does the same."""
    for call in ('found = profile(tf.get_default_graph())',
                 'a = tf.contrib.tfprof.model_analyzer; found = a.print_model_analysis(tf.get_default_graph(), '
                 'tfprof_options=a.TRAINABLE_VARS_PARAMS_STAT_OPTIONS)'):
        printed = run(NETWORK + call + """
assert found.total_parameters == 11916 and found.name == '_TFProfRoot' and found.total_definition_count == 6
assert [(c.name, c.total_parameters, [(d.name, d.parameters) for d in c.children]) for c in found.children] == [
    ('conv', 156, [('conv/b', 6), ('conv/w', 150)]), ('fc', 11760, [('fc/k', 11760)])]
""")
        assert printed == PARAMETERS


def test_operations() -> None:
    """Operations on numbers are counted by TensorFlow's formulas, and shown with the most first."""
    printed = run(NETWORK + """
found = profile(tf.get_default_graph(), options=builder.float_operation())
assert found.total_float_ops == 2168939 and len(found.children) == 8 and found.total_parameters == 0
conv = found.children[0]
assert (conv.name, conv.float_ops) == ('conv/Conv2D', 8 * 28 * 28 * 6 * 5 * 5 * 2)
assert [[d.size for d in conv.input_shapes[i].dim] for i in (0, 1)] == [[8, 28, 28, 1], [5, 5, 1, 6]]
""")
    assert printed.partition('Profile:\n')[2] == OPERATIONS + '\n======================End of Report==========================\n'


def test_formulas() -> None:
    """Each formula gives what TensorFlow gives; what has no full shape is left out, and said to be."""
    run("""
import contextlib, io
import berth as tf
x = tf.ones([2, 8, 8, 3], name='x'); u = tf.placeholder(tf.float32, [None, 3], name='u')
pooled = tf.nn.avg_pool(x, 2, 2, 'VALID', name='avg')
deep = tf.nn.depthwise_conv2d_native(x, tf.ones([3, 3, 3, 2]), [1, 2, 2, 1], 'SAME', name='deep')
conv = tf.nn.conv2d(x, tf.get_variable('w', [3, 3, 3, 4]), strides=[1, 2, 2, 1], padding='SAME', name='conv')
space = tf.nn.conv3d(tf.ones([1, 4, 4, 4, 2]), tf.ones([2, 2, 2, 2, 3]), [1] * 5, 'SAME', name='space')
tf.gradients(tf.nn.max_pool(x * 1.0, 2, 2, 'VALID'), x); tf.gradients([conv, pooled], [x, tf.trainable_variables()[0]])
tf.matmul(tf.ones([3, 4]), tf.ones([3, 5]), transpose_a=True, name='turned'); tf.matmul(u, tf.ones([3, 2]), name='open')
tf.matmul(tf.ones([6, 3, 4]), tf.ones([6, 4, 5]), name='batch'); tf.nn.l2_loss(x, name='l2')
tf.nn.softmax(tf.ones([2, 5]), name='soft'); tf.rsqrt(tf.ones([7]), name='rsqrt'); tf.add_n([x, x, x], name='n')
tf.reduce_mean(tf.ones([6, 7]), 1, name='mean'); tf.reduce_sum(tf.ones([6, 7]), 1, name='sum')
tf.squared_difference(tf.ones([5]), 1.0, name='apart')
errors = io.StringIO()
with contextlib.redirect_stderr(errors):
    log = tf.profiler.OpLogProto()
    log.log_entries.add(name='l2').types.append('mine')
    found = tf.profiler.profile(options=tf.profiler.ProfileOptionBuilder(
        tf.profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build(), cmd='scope')
assert errors.getvalue() == '1 ops no flops stats due to incomplete shapes.\\n', errors.getvalue()
counts = {}
def walk(node):
    counts[node.name] = node.float_ops
    for child in node.children: walk(child)
walk(found)
expected = {'avg': 384, 'deep': 3456, 'conv': 6912, 'space': 6144, 'turned': 120, 'batch': 720, 'l2': 1151, 'soft': 50,
            'rsqrt': 14, 'n': 768, 'mean': 42, 'sum': 36, 'apart': 10,
            'gradients_1/conv_grad/Conv2DBackpropInput': 6912,
            'gradients_1/conv_grad/Conv2DBackpropFilter': 6912, 'gradients_1/avg_grad/AvgPoolGrad': 768}
assert {name: counts.get(name) for name in expected} == expected, {n: counts.get(n) for n in expected}
assert 'open' not in counts
""")


RUN = '''
def metadata(factor):
    made = tf.RunMetadata()
    stats = made.step_stats.dev_stats.add(device='/job:localhost/replica:0/task:0/device:CPU:0')
    for name, micros, size in (('fc/MatMul', 1500, 320), ('conv/Conv2D', 2500, 150528), ('conv/w', 0, 600)):
        node = stats.node_stats.add(node_name=name, all_start_micros=1, op_end_rel_micros=micros * factor)
        node.memory.add(allocator_name='cpu', total_bytes=size, peak_bytes=size + 8, live_bytes=8)
    return made
'''


def test_runs() -> None:
    """Times and memory of a run are shown by types, each with what those behind it take; steps by themselves and in the mean."""
    printed = run(NETWORK + RUN + """
options = builder(builder.time_and_memory()).select(['micros', 'bytes', 'occurrence']).build()
found = profile(tf.get_default_graph(), metadata(1), cmd='op', options=options)
assert found.total_exec_micros == 4001 and found.children[0].name == 'Conv2D'
assert found.children[0].children[0].graph_nodes[0].name == 'fc/MatMul'
assert found.children[0].graph_nodes[0].run_count == 1 and found.children[0].float_ops == 1881600
steps = tf.profiler.Profiler(tf.get_default_graph())
steps.add_step(3, metadata(1)); steps.add_step(5, metadata(3))
quiet = builder(options).with_empty_output()
for step, micros in ((3, 2500), (5, 7500), (-1, 5000)):
    assert steps.profile_operations(quiet.with_step(step).build()).children[0].exec_micros == micros
assert steps.profile_name_scope(quiet.build()).children[0].children[0].exec_micros == 5000
assert steps.profile_graph(quiet.with_step(4).build()).name == ''
""")
    kind = 'VariableV2' if 'VariableV2' in printed else 'VarHandleOp'
    assert printed.partition('Profile:\n')[2] == (
        'node name | requested bytes | total execution time | accelerator execution time | cpu execution time | '
        'op occurrence (run|defined)\n'
        'Conv2D                       150.53KB (100.00%, 99.39%),       2.50ms (100.00%, 62.48%),             '
        '0us (0.00%, 0.00%),       2.50ms (100.00%, 62.48%),        1|1\n'
        'MatMul                              320B (0.61%, 0.21%),        1.50ms (37.52%, 37.49%),             '
        '0us (0.00%, 0.00%),        1.50ms (37.52%, 37.49%),        1|1\n'
        f'{kind:25}           600B (0.40%, 0.40%),             1us (0.02%, 0.02%),             '
        '0us (0.00%, 0.00%),             1us (0.02%, 0.02%),        1|4\n'
        '\n======================End of Report==========================\n')


def test_options(tmp_path: object) -> None:
    """Options choose, hide and trim nodes; files are written; what Berth does not have says so."""
    run(NETWORK + f"""
folder = {str(tmp_path)!r}
""" + """
def names(node): return [node.name] + [name for child in node.children for name in names(child)]
def shown(cmd='scope', **named):
    chosen = builder(builder.trainable_variables_parameter()).with_empty_output().with_node_names(**named)
    return names(profile(options=chosen.build(), cmd=cmd))
assert shown(hide_name_regexes=['conv']) == ['_TFProfRoot', 'conv/b', 'conv/w', 'fc', 'fc/k']
assert shown(trim_name_regexes=['conv']) == ['_TFProfRoot', 'conv', 'fc', 'fc/k']
assert shown(start_name_regexes=['.*/k', 'conv/w']) == ['_TFProfRoot', 'conv/w', 'fc/k']
assert shown('graph', show_name_regexes=['fc.*']) == ['_TFProfRoot', 'fc/k']
assert names(profile(options=builder().with_max_depth(1).with_empty_output().build(), cmd='graph')) == ['_TFProfRoot']
profile(options=builder(builder.trainable_variables_parameter()).with_file_output(folder + '/profile').build())
text = open(folder + '/profile').read()
assert text.startswith('\\nDoc:\\nscope: ') and text.endswith('    fc/k (1176x10, 11.76k/11.76k params)\\n'), text
log = tf.profiler.OpLogProto()
log.log_entries.add(name='fc/add', float_ops=7).types.append('mine')
chosen = builder(builder.float_operation()).with_accounted_types(['mine']).with_empty_output().build()
assert [(c.name, c.float_ops) for c in profile(op_log=log, options=chosen).children] == [('fc/add', 7)]
tf.profiler.write_op_log(tf.get_default_graph(), folder)
read = tf.profiler.OpLogProto.FromString(open(folder + '/tfprof_log', 'rb').read())
by_name = {entry.name: entry for entry in read.log_entries}
assert by_name['fc/MatMul'].float_ops == 188160 and list(by_name['conv/w'].types) == ['_trainable_variables']
assert '<string>' in {read.id_to_string[t.file_id] for t in by_name['fc/MatMul'].code_def.traces}
for call, kind in ((lambda: profile(cmd='what'), tf.errors.InvalidArgumentError),
                   (lambda: profile(cmd='code'), NotImplementedError), (tf.profiler.advise, NotImplementedError),
                   (lambda: profile(options=builder().with_timeline_output('x').build()), NotImplementedError)):
    try: call()
    except kind: continue
    raise AssertionError(kind)
""")
