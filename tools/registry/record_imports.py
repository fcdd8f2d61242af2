#!/usr/bin/env python3
"""record_imports.py - Records what TensorFlow makes of graphs of ops that Berth only
knows.

    python record_imports.py SEED tests/data/oracle/registry.txt known.def > tests/data/oracle/imports.txt

Needs tensorflow 2.21. A random node of every op that a chance picks, with its
sources, and the same with a mistake: an attribute that is missing, of another
kind or not allowed, a list that is too short, too few or too many inputs, inputs
of another type. Each case is

    graph GRAPHDEF          as text, in one line
    node NODEDEF            the last node as it is exported
    error TEXT              or why it is refused; lines after the first begin
                            with a blank

An op whose shape function refuses the node without the mistake is left out: those
of Berth do not look at such ops. The full types that TensorFlow infers for some
nodes (experimental_type) are left out too.
"""

import copy
import json
import os
import random
import re
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import cases  # noqa: E402
import registry  # noqa: E402
import tensorflow as tf  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.python.client import pywrap_tf_session as c_api  # noqa: E402
from tensorflow.python.framework import c_api_util  # noqa: E402

FUNCTION = 'library { function { signature { name: "f" } } }'
WRONG = {"type": ("int", 3), "int": ("string", "no"), "float": ("bool", True),
         "bool": ("float", 0.5), "string": ("type", "float"), "shape": ("int", 1),
         "tensor": ("string", "no"), "func": ("int", 2)}


# ---- Mistakes ----


def drop_attr(rng, op, nodes, lines):
    names = [n for n in nodes[-1].given if "default" not in op["attrs"][n]]
    if not names:
        return False
    nodes[-1].given.discard(rng.choice(sorted(names)))
    return True


def change_kind(rng, op, nodes, lines):
    name = rng.choice(sorted(op["attrs"])) if op["attrs"] else None
    if name is None:
        return False
    kind = op["attrs"][name]["type"]
    base = kind.removeprefix("list(").removesuffix(")")
    wrong, value = WRONG[base]
    if rng.random() < 0.5 and kind.startswith("list("):
        wrong, value = f"list({wrong})", [value]
    nodes[-1].given.discard(name)
    lines.append(f'attr {{ key: "{name}" value {{ {" ".join(cases.value_lines(wrong, value))} }} }}')
    return True


def forbid(rng, op, nodes, lines):
    names = [n for n, a in op["attrs"].items() if "allowed" in a and n in nodes[-1].given]
    if not names:
        return False
    name = rng.choice(names)
    attr = op["attrs"][name]
    value = "nix" if "string" in attr["type"] else rng.choice(
        [t for t in cases.TYPES if t not in attr["allowed"]])
    nodes[-1].attrs[name] = [value] if attr["type"].startswith("list") else value
    return True


def go_below(rng, op, nodes, lines):
    names = [n for n, a in op["attrs"].items() if a.get("min", 0) > 0]
    if not names:
        return False
    name = rng.choice(names)
    attr = op["attrs"][name]
    nodes[-1].attrs[name] = [] if attr["type"].startswith("list") else attr["min"] - 1
    nodes[-1].given.add(name)
    return True


def drop_input(rng, op, nodes, lines):
    if not nodes[-1].inputs:
        return False
    nodes[-1].inputs.pop(rng.randrange(len(nodes[-1].inputs)))
    return True


def add_input(rng, op, nodes, lines):
    if not nodes[-1].inputs:
        return False
    nodes[-1].inputs.append(nodes[-1].inputs[0])
    return True


def change_input(rng, op, nodes, lines):
    if len(nodes) < 2:
        return False
    source = rng.choice(nodes[:-1])
    source.attrs["dtype"] = rng.choice([t for t in cases.TYPES if t != source.attrs["dtype"]])
    return True


def lose_reference(rng, op, nodes, lines):
    names = [i for i, node in enumerate(nodes[:-1]) if node.op == "VariableV2"]
    if not names:
        return False
    at = rng.choice(names)
    nodes[at] = cases.Node(nodes[at].name, "Placeholder", [], {"dtype": nodes[at].attrs["dtype"]},
                           {"dtype"})
    return True


def add_attr(rng, op, nodes, lines):
    lines.append('attr { key: "zzz" value { i: 1 } }')
    return True


MISTAKES = (drop_attr, change_kind, forbid, go_below, drop_input, add_input, change_input,
            lose_reference, add_attr)


# ---- TensorFlow ----


def graph_text(ops, nodes, extra, producer):
    """The GraphDef in one line, with |extra| in the last node."""
    body = [" ".join(line.strip() for line in cases.node_lines(ops, n, n.given)) for n in nodes]
    body[-1] = " ".join([body[-1][:-2], *extra, "}"])
    has_function = "func {" in body[-1]
    return " ".join([*body, *([FUNCTION] if has_function else []),
                     f"versions {{ producer: {producer} }}"])


def ask(text):
    """(what the last node became, None), (None, error), or (None, None) where
    TensorFlow crashes: another process asks it."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writer, "w") as file:
            json.dump(ask_here(text), file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        answer = file.read()
    os.wait()
    return json.loads(answer) if answer else (None, None)


def ask_here(text):
    graph_def = text_format.Parse(text, graph_pb2.GraphDef())
    graph = tf.Graph()
    options = c_api_util.ScopedTFImportGraphDefOptions()
    try:
        with graph._c_graph.get() as c_graph, c_api_util.tf_buffer(
                graph_def.SerializeToString()) as buffer:
            c_api.TF_GraphImportGraphDefWithResults(c_graph, buffer, options.options)
        with c_api_util.tf_buffer() as buffer, graph._c_graph.get() as c_graph:
            c_api.TF_GraphToGraphDef(c_graph, buffer)
            result = graph_pb2.GraphDef.FromString(c_api.TF_GetBuffer(buffer))
    except (tf.errors.OpError, ValueError) as error:
        return None, error.message if hasattr(error, "message") else str(error)
    name = graph_def.node[-1].name
    node = next(n for n in result.node if n.name == name)
    attrs = sorted(node.attr)
    texts = [f'attr {{ key: "{n}" value {{ {text_format.MessageToString(node.attr[n], as_one_line=True)} }} }}'
             for n in attrs]
    node.ClearField("attr")
    node.ClearField("experimental_type")
    return " ".join([text_format.MessageToString(node, as_one_line=True), *texts]), None


def print_case(text, node, error):
    if node is None and error is None:
        print(f"TensorFlow crashes: {text}", file=sys.stderr)
        return
    print("graph", text)
    print("node " + node if error is None else "error " + error.replace("\n", "\n "))


def main():
    rng = random.Random(int(sys.argv[1]))
    ops = registry.read(sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as file:
        names = re.findall(r"^op (\S+)", file.read(), re.M)
    for name in names:
        op = ops[name]
        if rng.random() > 0.25:
            continue
        if "deprecated" in op:
            nodes = cases.make(rng, ops, "n", name)
            text = graph_text(ops, nodes, [], cases.PRODUCER)
            print_case(text, *ask(text))
        producer = cases.producer_for(op)
        nodes = cases.make(rng, ops, "n", name)
        text = graph_text(ops, nodes, [], producer)
        node, error = ask(text)
        if node is None:
            print(f"left out {name}: {error}", file=sys.stderr)
            continue
        if rng.random() < 0.3:
            print_case(text, node, error)
        # One that the node can have, each as likely.
        possible = [m for m in MISTAKES if m(rng, op, copy.deepcopy(nodes), [])]
        wrong, extra = copy.deepcopy(nodes), []
        if rng.choice(possible)(rng, op, wrong, extra):
            text = graph_text(ops, wrong, extra, producer)
            print_case(text, *ask(text))


if __name__ == "__main__":
    main()
