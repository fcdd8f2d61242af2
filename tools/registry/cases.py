"""cases.py - Random nodes of the ops of the registry, and what is known of them.

A node is made from the recorded registry alone: allowed types and values by
chance, a source for every input, and attributes that have a default sometimes left
out. text() writes it as a GraphDef's text; expected() is what an import makes of
it; devices() says which types of device have a kernel for it. Standard library
only.
"""

import json
import re
import struct
from dataclasses import dataclass, field

import registry

TYPES = """float double int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8
qint32 bfloat16 qint16 quint16 uint16 complex128 half resource variant uint32 uint64
float8_e5m2 float8_e4m3fn int4 uint4""".split()
PRODUCER = 2474  # Of TensorFlow 2.21.
# What shape functions ask of attributes beyond what the registry says.
WINDOWS = ("ksize", "strides", "dilations", "rates", "pooling_ratio")


@dataclass
class Node:
    name: str
    op: str
    inputs: list = field(default_factory=list)  # Names of nodes.
    attrs: dict = field(default_factory=dict)   # name -> value; kinds are the op's.
    given: set = field(default_factory=set)     # Those that the GraphDef has.


# ---- Making nodes ----


def _length(rng, attr):
    return max(attr.get("min", 0), rng.choice((1, 2)))


def _value(rng, kind, attr, attrs):
    """A value that the op allows."""
    if kind.startswith("list("):
        return [_value(rng, kind[5:-1], attr, attrs) for _ in range(_length(rng, attr))]
    if kind == "type":
        return rng.choice(attr.get("allowed") or TYPES)
    if kind == "string":
        return rng.choice(attr.get("allowed") or ["", "abc", 'a "b"\n'])
    if kind == "int":
        return max(attr.get("min", -3), rng.randint(0, 3))
    if kind == "float":
        return rng.choice((0.5, -2.0, 1e-5))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "shape":
        return rng.choice(("unknown", [], [2, -1]))
    if kind == "tensor":
        return "%s(1)" % ("int32" if attrs.get("dtype") not in ("int64", "int8") else attrs["dtype"])
    return "f"  # A function.


def _counts(op):
    """The attributes that say how many values an argument has."""
    return {a["number"] for a in op["inputs"] + op["outputs"] if "number" in a}


def make(rng, ops, name, op_name, types=None):
    """A random node of an op with its sources: a list whose last one it is.

    |types| settles some of its attributes.
    """
    op = ops[op_name]
    node = Node(name, op_name)
    for attr_name, attr in op["attrs"].items():
        has_default = "default" in attr
        if types and attr_name in types:
            value = types[attr_name]
            value = [value] * _length(rng, attr) if attr["type"] == "list(type)" else value
            is_given = True
        elif attr_name == "explicit_paddings":
            value, is_given = [0] * 8 if node.attrs.get("padding") == "EXPLICIT" else [], True
        elif has_default and rng.random() < 0.5:
            value, is_given = attr["default"], False
        elif attr_name in _counts(op):
            value, is_given = _length(rng, attr), True
        elif attr_name in WINDOWS:
            value, is_given = [1] * max(attr.get("min", 0), 5 if "3D" in op_name else 4), True
        else:
            value, is_given = _value(rng, attr["type"], attr, node.attrs), True
        node.attrs[attr_name] = value
        if is_given:
            node.given.add(attr_name)
    sources = [_source(f"{name}i{i}", dtype, is_ref)
               for i, (dtype, is_ref) in enumerate(input_types(op, node))]
    node.inputs = [s.name for s in sources]
    return sources + [node]


def input_types(op, node):
    """(type, is a reference) of every input."""
    for arg in op["inputs"]:
        if "type_list" in arg:
            yield from ((t, False) for t in node.attrs[arg["type_list"]])
            continue
        dtype = arg.get("type") or node.attrs[arg["type_attr"]]
        for _ in range(node.attrs[arg["number"]] if "number" in arg else 1):
            yield dtype, arg.get("ref", False)


def _source(name, dtype, is_ref):
    if is_ref:
        # Of texts: the two that say which queue, reader or table it is.
        shape = [2] if dtype == "string" else []
        return Node(name, "VariableV2", [], {"shape": shape, "dtype": dtype, "container": "",
                                             "shared_name": ""}, {"shape", "dtype"})
    return Node(name, "Placeholder", [], {"dtype": dtype, "shape": "unknown"}, {"dtype"})


# ---- Writing them ----


def float_text(value):
    """The shortest decimal with a point or exponent that is the same float."""
    if float(value).is_integer() and abs(value) < 1e16 or value in (float("inf"), float("-inf")):
        return str(float(value))
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    return next(t for t in texts if struct.pack("f", float(t)) == struct.pack("f", value))


def _quoted(text):
    return json.dumps(text).replace("'", "\\'")


def _shape(value):
    if value == "unknown":
        return ["unknown_rank: true"]
    return [line for dim in value for line in ("dim {", f"  size: {dim}", "}")]


def _tensor(value):
    dtype, values = re.fullmatch(r"(\w+)[(\[](.*)[)\]]", value).groups()
    values = values.split(", ")
    shape = [len(values)] if value.endswith("]") else []
    word = "int64_val" if dtype == "int64" else "int_val"
    return [f"dtype: DT_{dtype.upper()}", "tensor_shape {", *("  " + line for line in _shape(shape)),
            "}", *(f"{word}: {v}" for v in values)]


def _block(word, lines):
    return [f"{word} {{", *("  " + line for line in lines), "}"]


def value_lines(kind, value):
    """An AttrValue, line by line."""
    if kind.startswith("list("):
        return _block("list", [line for v in value for line in value_lines(kind[5:-1], v)])
    if kind in ("shape", "tensor", "func"):
        inner = {"shape": _shape, "tensor": _tensor, "func": lambda v: [f'name: "{v}"']}[kind]
        return _block(kind, inner(value))
    word, text = {
        "string": ("s", lambda: _quoted(value)),
        "int": ("i", lambda: str(value)),
        "float": ("f", lambda: float_text(value)),
        "bool": ("b", lambda: str(value).lower()),
        "type": ("type", lambda: f"DT_{value.upper()}"),
    }[kind]
    return [f"{word}: {text()}"]


def node_lines(ops, node, names):
    """A NodeDef with the attributes |names|, line by line."""
    lines = [f'name: "{node.name}"', f'op: "{node.op}"']
    lines += [f'input: "{i}"' for i in node.inputs]
    for name in sorted(names):
        kind = ops[node.op]["attrs"][name]["type"]
        lines += _block("attr", [f'key: "{name}"', *_block("value", value_lines(kind, node.attrs[name]))])
    return _block("node", lines)


def _graph(nodes, producer):
    return "\n".join([line for node in nodes for line in node]
                     + _block("versions", [f"producer: {producer}"])) + "\n"


def text(ops, nodes, producer=PRODUCER):
    """A GraphDef that says of its nodes what was given."""
    return _graph([node_lines(ops, n, n.given) for n in nodes], producer)


def expected(ops, nodes, producer=PRODUCER):
    """The same with all attributes, as it is exported."""
    return _graph([node_lines(ops, n, n.attrs) for n in nodes], producer)


def producer_for(op):
    """A GraphDef version that still has |op|."""
    return op["deprecated"][0] - 1 if "deprecated" in op else PRODUCER


# ---- Kernels ----


def _fits(op, node, kernel):
    names = list(kernel.get("types", {}))
    if kernel.get("label"):
        return False
    if not names:
        return True
    names = names[0].split("+")
    if not set(names) <= set(op["attrs"]):
        return False
    for row in next(iter(kernel["types"].values())):
        parts = [set(part.split("|")) for part in row.split(" ")]
        values = [node.attrs[n] if isinstance(node.attrs[n], list) else [node.attrs[n]] for n in names]
        if all(all(str(v) in part for v in value) for part, value in zip(parts, values)):
            return True
    return False


def devices(ops, node):
    """The types of device with a kernel for |node|, and its priority."""
    op, found = ops[node.op], {}
    for device in ("CPU", "GPU"):
        for wanted in (device, "DEFAULT"):
            fits = [k.get("priority", 0) for k in op["kernels"]
                    if k["device"] == wanted and _fits(op, node, k)]
            if fits:
                found[device] = max(fits)
                break
    return found
