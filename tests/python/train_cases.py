"""train_cases.py - What tf.train of TF1 makes and computes: programs, and what they print.

    train_cases.py [berth]    the results as JSON, on Berth or on TensorFlow

A program is of graphs or of eager calls. `nodes()` prints the nodes of the graph since the program
began, `values(tensors)` what a session gives, and `show` prints numbers to six digits.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import sys

import optimizer_cases

TIMES = re.compile(r"(?<=\()[0-9.]+(?= sec\))|(?<=/sec: )[0-9.e+]+")

SCHEDULES = {
    "exponential": "tf.train.exponential_decay(0.1, step, 10, 0.5)",
    "staircase": "tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True, name='stairs')",
    "natural": "tf.train.natural_exp_decay(0.1, step, 10, 0.5)",
    "inverse": "tf.train.inverse_time_decay(0.1, step, 10, 0.5)",
    "inverse_stairs": "tf.train.inverse_time_decay(0.1, step, 10, 0.5, True)",
    "polynomial": "tf.train.polynomial_decay(0.1, step, 20, 0.01, power=2.0)",
    "cycle": "tf.train.polynomial_decay(0.1, step, 10, cycle=True)",
    "piecewise": "tf.train.piecewise_constant(step, [5, 20, 30], [1.0, 0.5, 0.25, 0.1])",
    "cosine": "tf.train.cosine_decay(0.1, step, 30, alpha=0.1)",
    "restarts": "tf.train.cosine_decay_restarts(0.1, step, 7, m_mul=0.9)",
    "even_restarts": "tf.train.cosine_decay_restarts(0.1, step, 7, t_mul=1.0)",
    "linear_cosine": "tf.train.linear_cosine_decay(0.1, step, 30, num_periods=1.5)",
}

GRAPH = {f"schedule/{name}": f"""
step = tf.placeholder(tf.int64, [], 'step')
rate = {code}
nodes()
print(rate.name)
for i in (0, 1, 5, 7, 20, 31, 90):
    values(rate, {{step: i}})
""" for name, code in SCHEDULES.items()}
EAGER = {f"schedule/{name}": f"""
step = tf.Variable(0, dtype=tf.int64)
rate = {code}
for i in (0, 1, 5, 7, 20, 31, 90):
    step.assign(i)
    show(rate())
""" for name, code in SCHEDULES.items()}

GRAPH.update({
    "schedule/noisy": """
step = tf.placeholder(tf.int64, [], 'step')
rate = tf.train.noisy_linear_cosine_decay(0.1, step, 30)
nodes()
""",
    "schedule/errors": """
step = tf.placeholder(tf.int64, [])
attempt(lambda: tf.train.piecewise_constant(step, [1.5], [1.0, 2.0]))
attempt(lambda: tf.train.piecewise_constant(step, [1], [1.0, 2]))
attempt(lambda: tf.train.piecewise_constant(step, [1], [1.0]))
""",
    "schedule/reference": """
step = tf.train.create_global_step()
tf.train.exponential_decay(0.1, step, 10, 0.5)
tf.train.piecewise_constant(step, [5, 20], [1.0, 0.5, 0.25])
nodes()
""",
})

for _kind in ("False", "True"):
    GRAPH.update({
        f"average/{_kind}": f"""
w = tf.Variable([1.0, 2.0], name='w', use_resource={_kind})
ema = tf.train.ExponentialMovingAverage(0.9)
update = ema.apply([w])
nodes()
print(update.name, ema.average(w).name, ema.average_name(w), ema.name, ema.average(tf.Variable(1.0)))
print([v.name for v in tf.moving_average_variables()])
grow = w.assign_add([1.0, 1.0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        session.run(grow)
        session.run(update)
        show(session.run(ema.average(w)))
""",
        f"average/updates/{_kind}": f"""
w = tf.Variable([1.0, 2.0], name='w', use_resource={_kind})
step = tf.Variable(3, trainable=False, use_resource={_kind}, name='step')
ema = tf.train.ExponentialMovingAverage(0.9, num_updates=step, name='ema')
update = ema.apply()
nodes()
grow = w.assign_add([1.0, 1.0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        session.run(grow)
        session.run(update)
        show(session.run(ema.average(w)))
""",
        f"average/moving/{_kind}": f"""
from_module = moving_averages
w = tf.Variable([0.0, 0.0], name='w', use_resource={_kind})
value = tf.placeholder(tf.float32, [2])
update = from_module.assign_moving_average(w, value, 0.9)
plain = from_module.assign_moving_average(w, value, 0.5, zero_debias=False, name='plain')
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        show(session.run(update, {{value: [i, 2.0]}}))
    show(session.run(plain, {{value: [1.0, 1.0]}}))
""",
    })
GRAPH.update({
    "average/tensor": """
w = tf.Variable([1.0, 2.0], name='w')
loss = w * 3.0
ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=True)
update = ema.apply([loss, w])
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        session.run(update)
        show(session.run(ema.average(loss)))
        show(session.run(ema.average(w)))
""",
    "average/weighted": """
value = tf.placeholder(tf.float32, [2])
average = moving_averages.weighted_moving_average(value, 0.9, tf.constant(0.5))
other = moving_averages.weighted_moving_average(value, 0.9, tf.constant(0.5), name='other', truediv=False)
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        show(session.run(average, {value: [i, 2.0]}))
""",
    "average/restore": """
w = tf.Variable([1.0, 2.0], name='w')
b = tf.Variable(1.0, name='b')
n = tf.Variable(1, trainable=False, name='n')
ema = tf.train.ExponentialMovingAverage(0.9)
print(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
ema.apply([w])
print(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
print(sorted((k, v.name) for k, v in ema.variables_to_restore([w]).items()))
""",
    "average/errors": """
attempt(lambda: tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1, name='i')]))
""",
    "step/read": """
print(tf.train.get_global_step(), training_util_read())
step = tf.train.get_or_create_global_step()
print(step.name, step.dtype, tf.train.get_global_step() is step, step.aggregation)
read = training_util_read()
print(read is training_util_read(), read.name)
nodes()
attempt(lambda: tf.train.create_global_step())
attempt(lambda: tf.train.assert_global_step(tf.Variable(1.0)))
attempt(lambda: tf.train.assert_global_step(tf.Variable([1, 2])))
attempt(lambda: tf.train.assert_global_step('x'))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(tf.train.global_step(session, step))
""",
})
EAGER.update({
    "average": """
w = tf.Variable([1.0, 2.0], name='w')
ema = tf.train.ExponentialMovingAverage(0.9)
for i in range(3):
    w.assign_add([1.0, 1.0])
    print(ema.apply([w]))
    show(ema.average(w))
print(ema.average(w).name)
attempt(lambda: ema.apply([tf.constant(1.0)]))
""",
    "average/function": """
w = tf.Variable([1.0, 2.0], name='w')
ema = tf.train.ExponentialMovingAverage(0.9, num_updates=4)
@tf.function
def update():
    w.assign_add([1.0, 1.0])
    ema.apply([w])
for i in range(3):
    update()
    show(ema.average(w))
""",
    "step": """
print(tf.train.get_global_step())
step = tf.train.get_or_create_global_step()
print(step, tf.train.get_global_step() is step)
step.assign_add(2)
print(tf.train.global_step(None, step))
attempt(lambda: tf.train.create_global_step())
""",
})

# Slopes by optimisers; what each does to variables is in optimizer_cases.py.
_SLOPES = """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='w', use_resource=False)
r = tf.Variable([[0.5, 0.1], [0.2, 0.3]], name='r', use_resource=True)
y = tf.matmul(w, r) * 2.0
"""
GRAPH.update({f"optimizer/{name}": _SLOPES + code for name, code in {
    "none": "tf.train.GradientDescentOptimizer(0.1).minimize(y, gate_gradients=0)\nnodes()",
    "op": "print(tf.train.GradientDescentOptimizer(0.1).minimize(y, name='all').name)\nnodes()",
    "graph": "tf.train.MomentumOptimizer(0.1, 0.9).minimize(y, gate_gradients=2, var_list=[w])\nnodes()",
    "colocated": "tf.train.AdamOptimizer(0.1).minimize(y, colocate_gradients_with_ops=True, grad_loss=tf.ones([2, 2]))"
                 "\nnodes()",
    "devices": """
with tf.device('/cpu:0'):
    step = tf.train.get_or_create_global_step()
    v = tf.Variable(1.0, name='v', use_resource=False)
tf.train.AdamOptimizer(0.1).minimize(y * v, global_step=step)
nodes()
""",
    "scope": """
with tf.name_scope('outer'), tf.variable_scope('inner'):
    v = tf.get_variable('v', [2, 2], initializer=tf.zeros_initializer())
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(y * v, var_list=[v, w])
    optimizer.apply_gradients(optimizer.compute_gradients(v + w, [v]), name='again')
nodes()
print([x.name for x in optimizer.variables()], [x.name for x in tf.get_collection('train_op')])
""",
    "constraint": """
c = tf.Variable([[1.0, 2.0]], constraint=lambda x: tf.clip_by_value(x, 0.0, 1.5), use_resource=False, name='c')
d = tf.Variable([[1.0, 2.0]], constraint=lambda x: x * 0.5, use_resource=True, name='d')
optimizer = tf.train.GradientDescentOptimizer(0.1)
update = optimizer.minimize(tf.matmul(c, r) + tf.matmul(d, r))
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(update)
    show(session.run(c))
    show(session.run(d))
rows = tf.IndexedSlices(tf.ones([1, 2]), [0], [1, 2])
attempt(lambda: optimizer.apply_gradients([(rows, c)]))
attempt(lambda: optimizer.apply_gradients([(rows, d)]))
""",
    "derived": """
class Own(tf.train.Optimizer):
    def __init__(self): super().__init__(use_locking=False, name='Own')
    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'sum', self._name)
            self._get_or_make_slot(v, tf.ones([2]), 'ones', 'Ones')
    def _prepare(self): self.rate = tf.convert_to_tensor(0.1, name='rate')
    def _apply_dense(self, grad, var): return var.assign_sub(self.rate * self.get_slot(var, 'sum').assign_add(grad)).op
    def _resource_apply_dense(self, grad, var):
        return var.assign_sub(self.rate * self.get_slot(var, 'sum').assign_add(grad))
optimizer = Own()
update = optimizer.minimize(y)
nodes()
print(optimizer.get_slot_names(), [v.name for v in optimizer.variables()], optimizer.get_name())
print(optimizer.get_slot(w, 'ones').name, optimizer.get_slot(w, 'nothing'), optimizer.get_slot(r, 'sum').name)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run(update)
    show(session.run(w))
    show(session.run(r))
""",
    "adam_derived": """
class Decayed(tf.train.AdamOptimizer):
    def _apply_dense(self, grad, var):
        with tf.control_dependencies([var.assign_sub(self._lr_t * 0.1 * var)]):
            return super()._apply_dense(grad, var)
update = Decayed(0.1).minimize(y, var_list=[w])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(update)
    show(session.run(w))
""",
    "placeholder": """
rate = tf.placeholder(tf.float32, [], 'rate')
update = tf.train.GradientDescentOptimizer(rate).minimize(y)
twice = tf.train.GradientDescentOptimizer(lambda: rate * 2.0).minimize(y)
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(update, {rate: 0.5})
    show(session.run(w))
    session.run(twice, {rate: 0.5})
    show(session.run(w))
""",
    "errors": """
optimizer = tf.train.GradientDescentOptimizer(0.1)
attempt(lambda: optimizer.minimize(y, gate_gradients=5))
attempt(lambda: optimizer.minimize(tf.constant(1.0)))
attempt(lambda: optimizer.apply_gradients([]))
attempt(lambda: optimizer.apply_gradients([(None, w)]))
attempt(lambda: optimizer.apply_gradients([(tf.constant(1.0), y)]))
attempt(lambda: optimizer.compute_gradients(y, []))
attempt(lambda: tf.train.GradientDescentOptimizer(0.1, name=''))
attempt(lambda: tf.train.Optimizer(False, 'x').minimize(y))
attempt(lambda: tf.train.AdagradOptimizer(0.1, 0.0))
attempt(lambda: tf.train.AdagradDAOptimizer(0.1, 0, 0.0))
attempt(lambda: tf.train.ProximalAdagradOptimizer(0.1, -1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, 0.5))
attempt(lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0))
""",
    "network": """
import numpy
step = tf.train.get_or_create_global_step()
table = tf.get_variable('table', [6, 4], initializer=tf.constant_initializer(numpy.linspace(-1, 1, 24)))
v = tf.get_variable('v', [4, 1], initializer=tf.ones_initializer())
b = tf.Variable(0.0, name='b')
found = tf.squeeze(tf.matmul(tf.nn.embedding_lookup(table, [1, 2, 3, 1]), v), 1) + b
loss = tf.reduce_mean(tf.square(found - [1.0, 2.0, 3.0, 4.0]))
rate = tf.train.exponential_decay(0.1, step, 5, 0.9, staircase=True)
for optimizer in (tf.train.AdamOptimizer(rate), tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True),
                  tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01), tf.train.AdagradOptimizer(rate)):
    pairs = optimizer.compute_gradients(loss, [table, v, b])
    slopes, _ = tf.clip_by_global_norm([slope for slope, _ in pairs], 1.0)
    update = optimizer.apply_gradients(zip(slopes, [table, v, b]), global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([update]):
        update = ema.apply([v, b])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(15):
            session.run(update)
        for value in session.run([v, b, table, ema.average(v), loss]):
            show(value)
""",
    "unknown_shape": """
v = tf.Variable(tf.placeholder_with_default([1.0, 2.0], None), validate_shape=False, name='v', use_resource=False)
updates = [kind.apply_gradients([(v * 1.0, v)]) for kind in (
    tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdagradOptimizer(0.1), tf.train.RMSPropOptimizer(0.1))]
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for update in updates:
        session.run(update)
        show(session.run(v))
""",
}.items()})
EAGER.update({
    "optimizer": """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='w')
optimizer = tf.train.AdamOptimizer(lambda: 0.1)
for _ in range(3):
    print(optimizer.minimize(lambda: tf.matmul(w, w)))
show(w)
print([v.name for v in optimizer.variables()], optimizer.get_slot(w, 'm').shape)
attempt(lambda: optimizer.minimize(tf.constant(1.0)))
attempt(lambda: optimizer.apply_gradients([(None, w)]))
step = tf.train.get_or_create_global_step()
before = int(step)
optimizer.minimize(lambda: tf.matmul(w, w), global_step=step, var_list=[w])
print(int(step) - before)
pairs = optimizer.compute_gradients(lambda: tf.matmul(w, w))
show(pairs[0][0])
print(pairs[0][1] is w)
""",
    "optimizer/function": """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='w')
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
@tf.function
def train():
    optimizer.minimize(lambda: tf.matmul(w, w))
    return w.read_value()
for _ in range(3):
    show(train())
print([v.name for v in optimizer.variables()])
for node in train.get_concrete_function().graph.as_graph_def().node:
    if node.name.startswith('Momentum'):
        print(node.name, node.op, sum(x[0] != '^' for x in node.input))
""",
    "optimizer/constraint": """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], constraint=lambda x: tf.clip_by_value(x, 0.0, 2.5))
optimizer = tf.train.GradientDescentOptimizer(0.1)
optimizer.minimize(lambda: tf.matmul(w, w))
show(w)
""",
})

# A counter, a variable that grows with it, and what moves both.
_MODEL = """
w = tf.Variable(1.0, name='w')
step = tf.train.get_or_create_global_step()
# Whoever fetches them gets what they were before.
reads = [tf.get_default_graph().get_tensor_by_name(name + '/Read/ReadVariableOp:0') for name in ('w', 'global_step')]
with tf.control_dependencies([training_util_read(), *reads]):
    train = tf.group(w.assign_add(1.0), step.assign_add(1))
"""
GRAPH.update({f"session/{name}": _MODEL + code for name, code in {
    "hooks": """
class Hook(tf.train.SessionRunHook):
    def begin(self): print('begin')
    def after_create_session(self, session, coord): print('made', type(session).__name__, coord.should_stop())
    def before_run(self, context):
        print('before', context.original_args.fetches is train, context.stop_requested)
        return tf.train.SessionRunArgs({'w': w, 'both': [w, step]})
    def after_run(self, context, values): print('after', values.results['w'], values.options, values.run_metadata)
    def end(self, session): print('end', session.run(w))
with logs(), tf.train.MonitoredTrainingSession(hooks=[Hook(), tf.train.StopAtStepHook(3)]) as session:
    while not session.should_stop():
        session.run(train)
    print(session.graph is tf.get_default_graph(), session.graph.finalized)
    attempt(lambda: session.run(train))
print(tf.get_default_graph().finalized)
attempt(lambda: session.close())
print([n.name for n in tf.get_default_graph().as_graph_def().node if not n.name.startswith('save')])
""",
    "logging": """
hooks = [tf.train.LoggingTensorHook({'w': w, 'a': 'w/Read/ReadVariableOp:0'}, every_n_iter=2, at_end=True),
         tf.train.LoggingTensorHook(['w/Read/ReadVariableOp'], at_end=True),
         tf.train.LoggingTensorHook({'third': tf.constant(1 / 3), 'all': tf.constant([1 / 7, 1e-6])}, every_n_iter=3),
         tf.train.LoggingTensorHook([w], every_n_iter=3, formatter=lambda values: 'w is %s' % values[w])]
with logs(), tf.train.SingularMonitoredSession(hooks=hooks) as session:
    for _ in range(4):
        session.run(train)
    print(type(session.raw_session()).__name__)
""",
    "last_step": """
with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=2), tf.train.FinalOpsHook([w, step])]) as s:
    while not s.should_stop():
        print(s.run([train, step])[0])
""",
    "counter": """
with logs(), tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook(every_n_steps=2)]) as session:
    for _ in range(5):
        session.run(train)
    for _ in range(2):
        session.run(w)
""",
    "nan": """
loss = tf.log(2.0 - w)
def loop(**options):
    with logs(), tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss, **options)]) as session:
        while not session.should_stop():
            session.run(train)
    print('over')
loop(fail_on_nan_loss=False)
attempt(loop)
""",
    "feeds": """
x = tf.placeholder(tf.float32, [], 'x')
y = tf.placeholder(tf.float32, [], 'y')
both = x + y
feed = lambda *keys: tf.train.FeedFnHook(lambda: {key: 3.0 for key in keys})
with tf.train.MonitoredSession(hooks=[feed(x)]) as session:
    print(session.run(both, {y: 2.0}))
    attempt(lambda: session.run(both, {x: 2.0}))
with tf.train.MonitoredSession(hooks=[feed(x), feed(y)]) as session:
    print(session.run(both))
with tf.train.MonitoredSession(hooks=[feed(x), feed(x)]) as session:
    attempt(lambda: session.run(both))
""",
    "ends": """
def loop(error):
    with tf.train.MonitoredSession(hooks=[tf.train.FinalOpsHook(w)]) as session:
        session.run(train)
        raise error
    print('over')
attempt(lambda: loop(tf.errors.OutOfRangeError(None, None, 'no more')))
attempt(lambda: loop(StopIteration()))
attempt(lambda: loop(ValueError('wrong')))
with tf.train.MonitoredSession() as session:
    def step_fn(step_context):
        step_context.run_with_hooks(train)
        print(step_context.session.run(w))
        if step_context.session.run(step) == 2:
            step_context.request_stop()
    while not session.should_stop():
        session.run_step_fn(step_fn)
with tf.train.MonitoredSession() as session:
    attempt(lambda: session.run_step_fn(lambda a, b: 1))
""",
    "scaffold": """
local = tf.Variable(5, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='local')
extra = tf.Variable(2.0, name='extra')
scaffold = tf.train.Scaffold(init_op=tf.variables_initializer([w, step]), local_init_op=tf.no_op('mine'))
attempt(lambda: tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)).close())
attempt(lambda: tf.train.Scaffold(copy_from_scaffold=1))
""",
    "init_fn": """
def init(scaffold, session):
    print('init', session.run(w), scaffold.init_op.name)
    session.run(start)
start = w.assign(7.0)
scaffold = tf.train.Scaffold(init_fn=init)
with logs(), tf.train.MonitoredTrainingSession(scaffold=tf.train.Scaffold(copy_from_scaffold=scaffold)) as session:
    print(session.run(w))
print(scaffold.init_op, scaffold.ready_op)
print([tf.get_collection(key)[0].name for key in ('init_op', 'ready_op', 'ready_for_local_init_op', 'local_init_op')])
""",
    "manager": """
ready = tf.report_uninitialized_variables()
manager = tf.train.SessionManager(ready_op=ready, recovery_wait_secs=1)
attempt(lambda: manager.prepare_session(''))
attempt(lambda: manager.prepare_session('', init_op=w.initializer))
print(manager.prepare_session('', init_op=tf.global_variables_initializer()).run(w))
attempt(lambda: manager.recover_session('')[1])
attempt(lambda: manager.wait_for_session('', max_wait_secs=0.5))
attempt(lambda: tf.train.SessionManager(ready_for_local_init_op=tf.constant(['x'])))
""",
    "errors": """
attempt(lambda: tf.train.StopAtStepHook())
attempt(lambda: tf.train.StopAtStepHook(1, 2))
attempt(lambda: tf.train.LoggingTensorHook([w]))
attempt(lambda: tf.train.LoggingTensorHook([w], every_n_iter=0))
attempt(lambda: tf.train.SecondOrStepTimer())
attempt(lambda: tf.train.SecondOrStepTimer(1, 1))
attempt(lambda: tf.train.StepCounterHook(1, 1))
attempt(lambda: tf.train.SummarySaverHook(1))
print(tf.train.NanLossDuringTrainingError())
timer = tf.train.SecondOrStepTimer(every_steps=3)
print([(i, timer.update_last_triggered_step(i)[1]) for i in range(8) if timer.should_trigger_for_step(i)])
print(timer.last_triggered_step())
""",
    "supervisor": """
supervisor = tf.train.Supervisor()
print(supervisor.init_op.name, supervisor.ready_op.name, supervisor.global_step is step, supervisor.summary_op,
      supervisor.is_chief, supervisor.save_path, supervisor.save_model_secs, supervisor.should_stop())
with logs(), supervisor.managed_session() as session:
    for i in range(3):
        session.run(train)
    print(session.run(w))
def loop():
    with supervisor.managed_session() as session:
        raise ValueError('wrong')
attempt(loop)
def run(session, limit):
    session.run(train)
    if session.run(step) >= limit:
        supervisor.request_stop()
        print(session.run(w))
tf.train.basic_train_loop(supervisor, run, args=[4])
print([n.name for n in tf.get_default_graph().as_graph_def().node if not n.name.startswith('save')])
""",
    "queues": """
queue = tf.FIFOQueue(10, [tf.float32])
runner = tf.train.QueueRunner(queue, [queue.enqueue(w)])
tf.train.add_queue_runner(runner)
item = queue.dequeue()
with tf.train.MonitoredSession() as session:
    print(session.run([item, item]))
""",
}.items()})
# What is saved.
SAVING = {name: _MODEL + """
import os, tempfile
folder = tempfile.mkdtemp()
def place(path): return path.replace(folder, 'FOLDER')
""" + code for name, code in {
    "checkpoints": """
class Listener(tf.train.CheckpointSaverListener):
    def begin(self): print('begin')
    def before_save(self, session, step): print('before', step)
    def after_save(self, session, step):
        print('after', step)
        return step >= 4
    def end(self, session, step): print('end', step)
def loop():
    hook = tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()])
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, log_step_count_steps=None, save_summaries_steps=None, save_checkpoint_secs=None,
            hooks=[hook]) as session:
        i = 0
        while not session.should_stop() and i < 3:
            session.run(train)
            i += 1
        print('stopped' if session.should_stop() else session.run(w))
loop()
loop()
with tf.train.SingularMonitoredSession(checkpoint_dir=folder) as session:
    print(session.run([w, step]))
print([name for name in sorted(os.listdir(folder)) if not name.startswith('events')])
latest = tf.train.latest_checkpoint(folder)
print(place(latest))
with tf.train.SingularMonitoredSession(checkpoint_filename_with_path=latest) as session:
    print(session.run([w, step]))
attempt(lambda: tf.train.MonitoredSession(
    tf.train.ChiefSessionCreator(checkpoint_dir=folder, checkpoint_filename_with_path='x')))
attempt(lambda: tf.train.CheckpointSaverHook(folder, 1, 1))
attempt(lambda: tf.train.CheckpointSaverHook(folder, saver=tf.train.Saver(), scaffold=tf.train.Scaffold()))
""",
    "supervisor": """
supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=0, save_model_secs=0, summary_writer=None)
print(place(supervisor.save_path), supervisor.saver is tf.get_collection(tf.GraphKeys.SAVERS)[0])
for _ in range(2):
    with supervisor.managed_session() as session:
        session.run(train)
        print(place(supervisor.saver.save(session, supervisor.save_path, global_step=step)), session.run(w))
print(sorted(os.listdir(folder)))
""",
    "manager": """
saver = tf.train.Saver()
manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
first = manager.prepare_session('', init_op=tf.global_variables_initializer(), saver=saver, checkpoint_dir=folder)
first.run(train)
saver.save(first, folder + '/model', global_step=step)
session, is_done = manager.recover_session('', saver=saver, checkpoint_dir=folder)
print(is_done, session.run(w), saver.last_checkpoints == [folder + '/model-1'])
print(manager.prepare_session('', saver=saver, checkpoint_filename_with_path=folder + '/model-1').run([w, step]))
""",
}.items()}
GRAPH.update({
    "session/no_counter": """
attempt(lambda: tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(3)]))
attempt(lambda: tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook()]))
attempt(lambda: tf.train.MonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(3)]))
attempt(lambda: tf.train.MonitoredSession(hooks=[tf.train.LoggingTensorHook(['nothing'], 1)]))
""",
    "cluster": """
cluster = tf.train.ClusterSpec({'ps': ['a:1', 'b:2'], 'worker': {1: 'c:3'}})
print(cluster, cluster.as_dict(), cluster.jobs, cluster.num_tasks('ps'), cluster.task_address('worker', 1))
print(cluster.job_tasks('worker'), bool(cluster), cluster == {'ps': {0: 'a:1'}}, tf.train.ClusterSpec(cluster))
print(cluster.as_cluster_def(), tf.train.ClusterSpec(cluster.as_cluster_def()).task_indices('ps'))
attempt(lambda: cluster.num_tasks('x'))
attempt(lambda: cluster.task_address('ps', 5))
attempt(lambda: tf.train.ClusterSpec(3))
attempt(lambda: tf.train.ClusterSpec({'a': 3}))
attempt(lambda: tf.train.ClusterSpec({'a': [3]}))
attempt(lambda: tf.train.Server(cluster))
attempt(lambda: tf.train.Server(cluster, 'ps'))
attempt(lambda: tf.train.Server(3))
print(tf.train.Server.create_local_server().server_def)
""",
})


def helpers(tf, is_berth: bool, graph) -> dict:
    """What programs call."""
    first = len(graph.get_operations()) if graph is not None else 0

    def nodes():
        for node in graph.as_graph_def().node[first:]:
            print(optimizer_cases.shown(node))

    def show(value):
        import numpy
        print(" ".join(f"{x:.6g}" for x in numpy.asarray(value).ravel()))

    def values(tensor, feeds):
        with tf.Session() as session:
            show(session.run(tensor, feeds))

    def attempt(function):
        try:
            print(function())
        except Exception as found:
            print(f"{type(found).__name__}: {found}")

    @contextlib.contextmanager
    def logs():
        """Prints what is logged, without times."""
        logger = logging.getLogger("tensorflow")
        level, was = logger.level, logger.propagate
        handler = logging.Handler()
        handler.emit = lambda record: print(f"{record.levelname}: " + TIMES.sub("N", record.getMessage()))
        logger.addHandler(handler)
        logger.propagate = False
        tf.logging.set_verbosity(tf.logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = was

    if is_berth:
        from berth._train import global_step, moving_averages
        read = global_step.get_or_create_global_step_read
    else:
        from tensorflow.python.training import moving_averages, training_util
        read = training_util._get_or_create_global_step_read
    return {"tf": tf, "nodes": nodes, "show": show, "values": values, "logs": logs, "attempt": attempt,
            "moving_averages": moving_averages, "training_util_read": read}


def printed(tf, code: str, is_berth: bool, in_graph: bool) -> list[str]:
    """What |code| prints, then the error that stopped it, if any."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            with tf.Graph().as_default() if in_graph else contextlib.nullcontext() as graph:
                exec(code, helpers(tf, is_berth, graph))
        except Exception as found:
            print(f"{type(found).__name__}: {found}")
    return out.getvalue().splitlines()


def main() -> None:
    is_berth = "berth" in sys.argv[1:]
    tf = optimizer_cases.import_library(is_berth)
    tf.disable_control_flow_v2()
    found = {f"graph/{name}": printed(tf, code, is_berth, True) for name, code in GRAPH.items()}
    found.update({f"saving/{name}": printed(tf, code, is_berth, True) for name, code in SAVING.items()})
    found.update({f"eager/{name}": printed(tf, code, is_berth, False) for name, code in EAGER.items()})
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
