"""train_cases.py - What tf.train of TF1 makes and computes: programs, and what they print.

    train_cases.py [berth]    the results as JSON, on Berth or on TensorFlow

A program is of graphs or of eager calls. `nodes()` prints the nodes of the graph since the program
began, `values(tensors)` what a session gives, and `show` prints numbers to six digits.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

import optimizer_cases

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

    if is_berth:
        from berth.train import global_step, moving_averages
        read = global_step.get_or_create_global_step_read
    else:
        from tensorflow.python.training import moving_averages, training_util
        read = training_util._get_or_create_global_step_read
    return {"tf": tf, "nodes": nodes, "show": show, "values": values, "attempt": attempt,
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
    found.update({f"eager/{name}": printed(tf, code, is_berth, False) for name, code in EAGER.items()})
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
