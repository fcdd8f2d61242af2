"""Golden cases and how they are written down; tests/golden/README.md explains
the format."""

from dataclasses import dataclass, field

import numpy as np

from golden_types import SMALL_FLOATS, TYPES, Tensor

# Types whose elements are written as bytes: C has no numbers of their kind.
HEXADECIMAL = ("half", "bfloat16") + SMALL_FLOATS
# Complex numbers are written as two numbers each.
PARTS = {"complex64": np.float32, "complex128": np.float64}

# The words a case's kind may begin with.
KINDS = ("plain", "scalar", "empty", "broadcast", "axis", "special",
         "overflow", "zero", "mismatch", "huge", "other")


@dataclass
class Case:
    """One eager call: attributes, inputs, and what came of it.

    |attrs| maps a name to (kind, value), kind as in the file.
    """
    kind: str
    attrs: dict
    inputs: list
    output_count: int = 1
    outputs: list = None
    error: tuple = None  # (code, text)
    # Where arguments are lists: how many inputs each has, None for a single one.
    lists: list = None


@dataclass
class Node:
    name: str
    op: str
    inputs: list  # "x", "x:1", a list of those for a list argument, "^x"
    attrs: dict


@dataclass
class Run:
    """One run of a session: feeds {out: Tensor}, fetches, targets."""
    fetches: list = field(default_factory=list)
    feeds: dict = field(default_factory=dict)
    targets: list = field(default_factory=list)
    outputs: list = None
    error: tuple = None
    said: str = None  # What it wrote to stderr.


@dataclass
class GraphCase:
    """A small graph and some runs of it in one session."""
    kind: str
    label: str  # The types it is about.
    nodes: list
    runs: list
    listen: bool = False  # Record what runs write to stderr.
    producer: int = None  # The GraphDef version, of ops that newer ones may not have.


def node(name, op, *inputs, **attrs):
    return Node(name, op, list(inputs), attrs)


def const(name, value):
    return node(name, "Const", dtype=("type", value.dtype),
                value=("tensor", value))


def hidden(name, value):
    """A constant of which nothing is known before it runs."""
    return [const(f"{name}_value", value),
            node(name, "PlaceholderWithDefault", f"{name}_value",
                 dtype=("type", value.dtype), shape=("shape", None))]


def types(**attrs):
    """Attributes that are types: types(T="float")."""
    return {name: ("type", value) for name, value in attrs.items()}


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def shape_text(shape):
    if shape is None:
        return "?"
    return "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"


def number_text(value):
    """The shortest text that reads back as |value|."""
    if isinstance(value, np.floating):
        if np.isnan(value):
            return "nan"
        return str(value).removesuffix(".0").replace("e+", "e")
    return str(int(value))


def data_text(tensor):
    if not tensor.data:
        return "-"
    if tensor.dtype == "string":
        return "".join(item.hex() + "." for item in tensor.data)
    if tensor.dtype in HEXADECIMAL:
        return tensor.data.hex()
    kind = PARTS.get(tensor.dtype, TYPES[tensor.dtype][1])
    return ",".join(number_text(v) for v in np.frombuffer(tensor.data, kind))


def tensor_text(tensor):
    return f"{tensor.dtype} {shape_text(tensor.shape)} {data_text(tensor)}"


def attr_text(kind, value):
    if kind == "tensor":
        return tensor_text(value)
    if kind == "shape":
        return shape_text(value)
    if kind == "bool":
        return "true" if value else "false"
    if kind == "string":
        return escape(value)
    if kind == "float":
        return repr(float(value))
    if kind in ("ints", "floats", "types", "strings"):
        return ",".join(str(v) for v in value) or "-"
    if kind == "shapes":
        return " ".join(shape_text(v) for v in value) or "-"
    return str(value)


def attr_lines(attrs):
    """One line for each attribute that is not a type."""
    return [f"attr {name} {kind} {attr_text(kind, value)}"
            for name, (kind, value) in attrs.items() if kind != "type"]


def type_words(attrs):
    """The type attributes: "T=float", "Tidx=int32"."""
    return [f"{name}={value}" for name, (kind, value) in attrs.items()
            if kind == "type"]


def result_lines(outputs, error):
    if error is not None:
        return [f"error {error[0]} {escape(error[1])}"]
    return [f"out {tensor_text(t)}" for t in outputs]


def node_lines(node):
    if node.op == "Const":
        return [f"const {node.name} {tensor_text(node.attrs['value'][1])}"]
    inputs = ["[" + ",".join(i) + "]" if isinstance(i, list) else i
              for i in node.inputs]
    line = " ".join(["node", node.name, node.op, *inputs,
                     *type_words(node.attrs)])
    return [line, *attr_lines(node.attrs)]


def case_lines(case):
    assert case.kind.split()[0] in KINDS, case.kind
    if isinstance(case, Case):
        words = ",".join(type_words(case.attrs)) or "-"
        lines = [f"case {words} {case.kind}", *attr_lines(case.attrs)]
        if case.lists is not None:
            lines.append("lists " + ",".join("-" if n is None else str(n) for n in case.lists))
        lines += [f"in {tensor_text(t)}" for t in case.inputs]
        return lines + result_lines(case.outputs, case.error)
    lines = [f"graph {case.label} {case.kind}"]
    if case.producer is not None:
        lines.append(f"producer {case.producer}")
    for item in case.nodes:
        lines += node_lines(item)
    for run in case.runs:
        lines.append("run")
        lines += [f"feed {out} {tensor_text(t)}"
                  for out, t in run.feeds.items()]
        lines += [f"fetch {out}" for out in run.fetches]
        lines += [f"target {name}" for name in run.targets]
        lines += result_lines(run.outputs, run.error)
        if run.said is not None:
            lines.append(f"said {escape(run.said)}")
    return lines


def write(path, op, cases, version):
    """Writes the file of one op."""
    lines = [f"# {op}, as TensorFlow {version} does it; "
             "written by tools/golden/record.py."]
    for case in cases:
        lines += case_lines(case)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# Reading back, for comparisons ------------------------------------------------


def parse_tensor(words):
    """Reads TYPE SHAPE DATA."""
    dtype, shape, data = words
    dims = tuple(int(d) for d in shape[1:-1].split(",") if d)
    if dtype == "string":
        items = () if data == "-" else tuple(
            bytes.fromhex(item) for item in data.split(".")[:-1])
        return Tensor(dtype, dims, items)
    if data == "-":
        return Tensor(dtype, dims, b"")
    if dtype in HEXADECIMAL:
        return Tensor(dtype, dims, bytes.fromhex(data))
    kind = PARTS.get(dtype, TYPES[dtype][1])
    read_one = float if np.issubdtype(kind, np.floating) else int
    values = [read_one(v) for v in data.split(",")]
    return Tensor(dtype, dims, np.array(values).astype(kind).tobytes())


def read(path):
    """Reads a file as a list of (title, question lines, result lines)."""
    cases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        word = line.split(" ", 1)[0]
        if word in ("case", "graph"):
            cases.append((line, [], []))
        elif word in ("out", "error", "said"):
            cases[-1][2].append(line)
        else:
            cases[-1][1].append(line)
    return cases


