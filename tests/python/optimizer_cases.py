"""optimizer_cases.py - Optimisers of TF1: twenty steps of each, and the graph of its update.

    optimizer_cases.py [berth]    the results as JSON, on Berth or on TensorFlow

Every optimiser gets a whole slope for a matrix and rows of slopes, two of them for one row, for a
table of embeddings; with variables by reference, with handles, and where ops run at once.
"""

from __future__ import annotations

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
STEPS = 20

OPTIMIZERS = {
    "descent": "tf.train.GradientDescentOptimizer(0.1)",
    "descent_locked": "tf.train.GradientDescentOptimizer(rate, use_locking=True, name='GD')",
    "momentum": "tf.train.MomentumOptimizer(0.1, 0.9)",
    "nesterov": "tf.train.MomentumOptimizer(rate, 0.8, use_nesterov=True)",
    "adagrad": "tf.train.AdagradOptimizer(0.5)",
    "adagrad_da": "tf.train.AdagradDAOptimizer(0.5, step, l1_regularization_strength=0.01, "
                  "l2_regularization_strength=0.02)",
    "adadelta": "tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-4)",
    "rmsprop": "tf.train.RMSPropOptimizer(0.01, momentum=0.5)",
    "rmsprop_centered": "tf.train.RMSPropOptimizer(rate, centered=True, epsilon=1e-3)",
    "adam": "tf.train.AdamOptimizer(0.05)",
    "adam_scope": "tf.train.AdamOptimizer(rate, beta1=lambda: 0.8, name='A', "
                  "use_own_namescope_for_non_slot_vars=True)",
    "ftrl": "tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01)",
    "ftrl_shrinkage": "tf.train.FtrlOptimizer(0.5, l2_regularization_strength=0.01, beta=0.1, "
                      "l2_shrinkage_regularization_strength=0.02, accum_name='a', linear_name='l')",
    "proximal_descent": "tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01)",
    "proximal_adagrad": "tf.train.ProximalAdagradOptimizer(0.5, l2_regularization_strength=0.02)",
}


def import_library(is_berth: bool):
    if is_berth:
        os.environ["BERTH_TF"] = "2"
        import berth
        return berth.compat.v1
    import tensorflow
    return tensorflow.compat.v1


def shown(node) -> str:
    """One node as a line of text, without what its op says of types."""
    attrs = [f"{key}={' '.join(str(node.attr[key]).split())}" for key in sorted(node.attr)
             if key in ("_class", "use_locking", "use_nesterov", "shape", "dtype", "value", "DstT")]
    return f"{node.name} = {node.op}({', '.join(node.input)}) [{node.device}] {{{'; '.join(attrs)}}}"


def slopes_of(tf, w, e):
    """A whole slope for |w|, and rows of slopes for |e|, two of them for one row."""
    rows = tf.constant([1, 3, 1])
    return [(w * 0.8 - 0.3, w), (tf.IndexedSlices(tf.gather(e, rows) * 1.5 + 0.2, rows, tf.constant([5, 3])), e)]


def rate_of(tf):
    return tf.constant(0.05, name="rate")


def numbers(values) -> list:
    return [[float(f"{x:.8g}") for x in value.ravel()] for value in values]


def variables_of(tf, dtype, kind):
    import numpy
    w = tf.Variable(numpy.linspace(-0.5, 0.7, 6).reshape(3, 2), dtype=dtype, name="w", use_resource=kind)
    e = tf.Variable(numpy.linspace(0.9, -0.8, 15).reshape(5, 3), dtype=dtype, name="e", use_resource=kind)
    return w, e


def in_graph(tf, code: str, is_resource: bool, dtype: str = "float32") -> dict:
    """Steps in a session, and the nodes of the graph from the update on."""
    with tf.Graph().as_default() as graph:
        w, e = variables_of(tf, dtype, is_resource)
        step = tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step", use_resource=is_resource)
        optimizer = eval(code, {"tf": tf, "rate": rate_of(tf), "step": step})
        pairs = slopes_of(tf, w, e)
        first = len(graph.get_operations())
        update = optimizer.apply_gradients(pairs, global_step=step)
        values = []
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            kept = [w, e] + optimizer.variables()
            for i in range(STEPS):
                session.run(update)
                if i in (0, STEPS - 1):
                    values.append(numbers(session.run(kept)))
        nodes = [shown(node) for node in graph.as_graph_def().node[first:] if node.name != "init"]
        return {"nodes": nodes, "names": [v.name for v in kept],
                "slots": optimizer.get_slot_names(), "values": values, "update": update.name}


def at_once(tf, code: str, in_function: bool) -> dict:
    """Steps of eager calls, or of a function."""
    w, e = variables_of(tf, "float32", True)
    step = tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step")
    optimizer = eval(code, {"tf": tf, "rate": lambda: rate_of(tf), "step": step})

    def train():
        optimizer.apply_gradients(slopes_of(tf, w, e), global_step=step)

    run = tf.function(train) if in_function else train
    for _ in range(STEPS):
        run()
    kept = [w, e] + optimizer.variables()
    return {"names": [v.name for v in kept], "values": numbers([v.numpy() for v in kept]), "step": int(step)}


def attempt(function, *args):
    try:
        return function(*args)
    except Exception as found:  # What TensorFlow raises is what Berth has to raise.
        return f"{type(found).__name__}: {str(found).splitlines()[0] if str(found) else ''}"


def results(tf) -> dict:
    found = {}
    for name, code in OPTIMIZERS.items():
        found[f"{name}/ref"] = attempt(in_graph, tf, code, False)
        found[f"{name}/resource"] = attempt(in_graph, tf, code, True)
        found[f"{name}/double"] = attempt(in_graph, tf, code, True, "float64")
        found[f"{name}/eager"] = attempt(at_once, tf, code, False)
        found[f"{name}/function"] = attempt(at_once, tf, code, True)
    return found


if __name__ == "__main__":
    json.dump(results(import_library("berth" in sys.argv[1:])), sys.stdout, indent=1)
