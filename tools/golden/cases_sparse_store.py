"""Cases of sparse tensors that are put away, as strings or under numbers."""

from cases_lists import ELEMENTS
from cases_sparse_math import NONE, i64, some
from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import empty, plain, tensor

AT, SHAPE = [[0, 0], [0, 2], [2, 1]], [4, 3]


def bad_inputs(dtype):
    """Sparse tensors that are none."""
    values = plain(dtype, (3,))
    yield "mismatch indices", [i64([0, 1]), values, i64(SHAPE)]
    yield "mismatch values", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)]
    yield "mismatch shape", [i64(AT), values, i64([SHAPE])]
    yield "mismatch count", [i64(AT), plain(dtype, (2,)), i64(SHAPE)]
    yield "mismatch columns", [i64(AT), values, i64([4, 3, 2])]
    yield "mismatch one", [i64([[0], [1], [2]]), values, i64([4])]
    yield "mismatch far", [i64(AT), values, i64([2, 3])]
    yield "mismatch order", [i64(AT[::-1]), values, i64(SHAPE)]
    yield "mismatch twice", [i64([[0, 0], [0, 0], [1, 0]]), values, i64(SHAPE)]
    yield "mismatch before", [i64([[-1, -1], [0, 0], [1, 0]]), values, i64(SHAPE)]
    yield "mismatch below", [i64(AT), values, i64([-4, 3])]
    yield "huge", [i64(AT), values, i64([2**62, 2**62])]


def good_inputs(dtype):
    yield "plain", some(dtype, at=AT, shape=SHAPE)
    yield "other deep", some(dtype, 4, at=[[0, 1, 2], [3, 0, 0]], shape=[4, 2, 3])
    yield "empty", some(dtype, at=NONE, shape=[2, 5])
    yield "empty rows", some(dtype, at=NONE, shape=[0, 5])


def serialize(op):
    for dtype in ELEMENTS:
        inputs = list(good_inputs(dtype)) + (list(bad_inputs(dtype)) if dtype == "float" else [])
        for kind, sparse in inputs:
            yield Case(kind, types(T=dtype, out_type="string"), sparse, output_count=1)


def parts_of(name, dtype, sparse, op="SerializeSparse"):
    """The nodes that make strings of a sparse tensor."""
    nodes = [made for k in range(3) for made in hidden(f"{name}{k}", sparse[k])]
    return [*nodes, node(name, op, f"{name}0", f"{name}1", f"{name}2", **types(T=dtype, out_type="string"))]


def joined(op, dtype, kind, names, nodes, asked=None):
    pack = node("all", "Pack", names, N=("int", len(names)), T=("type", "string"), axis=("int", 0))
    attrs = types(dtype=asked or dtype) | (types(Tserialized="string") if op == "DeserializeSparse" else {})
    return GraphCase(kind, dtype, [*nodes, pack, node("f", op, "all", **attrs)],
                     [Run(fetches=["f", "f:1", "f:2"])])


def deserialize(op):
    for dtype in ELEMENTS:
        a = parts_of("a", dtype, some(dtype, at=AT, shape=SHAPE))
        b = parts_of("b", dtype, some(dtype, 4, at=[[1, 4]], shape=[2, 7]))
        none = parts_of("none", dtype, some(dtype, at=NONE, shape=[1, 1]))
        yield joined(op, dtype, "plain", ["a", "b"], a + b)
        yield joined(op, dtype, "plain one", ["b"], b)
        yield joined(op, dtype, "empty", ["none", "none"], none)
        yield joined(op, dtype, "empty one", ["none", "a"], a + none)
        if dtype == "float":
            deep = parts_of("deep", dtype, some(dtype, at=[[1, 4, 0]], shape=[2, 7, 1]))
            yield joined(op, dtype, "mismatch ranks", ["a", "deep"], a + deep)
            yield joined(op, dtype, "mismatch type", ["a", "b"], a + b, "int32")
    for kind, texts in (("mismatch junk", [[b"xx", b"", b""]]), ("mismatch rows", empty("string", (0, 3))),
                        ("mismatch columns", [[b"a", b"b"]]), ("mismatch scalar", b"a")):
        value = texts if not isinstance(texts, (list, bytes)) else tensor("string", texts)
        attrs = types(dtype="float") | (types(Tserialized="string") if op == "DeserializeSparse" else {})
        yield Case(kind, attrs, [value], output_count=3)


def stored(name, op, dtype, sparse):
    """The nodes that put a sparse tensor away."""
    nodes = [made for k in range(3) for made in hidden(f"{name}{k}", sparse[k])]
    return [*nodes, node(name, op, f"{name}0", f"{name}1", f"{name}2", shared_name=("string", "map"),
                         **types(T=dtype))]


def take(handles, dtype):
    return node("f", "TakeManySparseFromTensorsMap", handles, shared_name=("string", "map"), **types(dtype=dtype))


def add(op):
    """What is added and taken again, in the order in which it is asked for."""
    for dtype in ELEMENTS:
        nodes = stored("a", op, dtype, some(dtype, at=AT, shape=SHAPE)) + \
            stored("b", op, dtype, some(dtype, 4, at=[[1, 4]], shape=[2, 7])) + [
                node("x", "Placeholder", dtype=("type", "int64"), shape=("shape", [None])), take("x", dtype)]
        runs = [Run(fetches=["a"]), Run(fetches=["b"]),
                Run(feeds={"x": i64([1, 0])}, fetches=["f", "f:1", "f:2"]),
                Run(feeds={"x": i64([1])}, fetches=["f", "f:1", "f:2"])]
        yield GraphCase("plain", dtype, nodes, runs)
        inputs = list(bad_inputs(dtype)) if dtype == "float" else []
        for kind, sparse in inputs:
            yield GraphCase(kind, dtype, stored("a", op, dtype, sparse), [Run(fetches=["a"])])


def taken(op):
    del op
    for dtype in ELEMENTS:
        nodes = stored("a", "AddManySparseToTensorsMap", dtype, some(dtype, at=AT, shape=SHAPE)) + [take("a", dtype)]
        yield GraphCase("plain", dtype, nodes, [Run(fetches=["a", "f", "f:1", "f:2"]) for _ in range(2)])
    one = stored("a", "AddSparseToTensorsMap", "float", some("float", at=AT, shape=SHAPE))
    deep = stored("b", "AddSparseToTensorsMap", "float", some("float", at=[[1, 4, 0]], shape=[2, 7, 1]))
    for kind, handles, dtype in (("mismatch type", [0], "int32"), ("mismatch ranks", [0, 1], "float"),
                                 ("mismatch number", [5], "float"), ("mismatch twice", [0, 0], "float")):
        nodes = [*one, *deep, const("x", i64(handles)), take("x", dtype)]
        yield GraphCase(kind, dtype, nodes, [Run(fetches=["a"]), Run(fetches=["b"]),
                                             Run(fetches=["f", "f:1", "f:2"])])
    yield GraphCase("empty", "float", [const("x", empty("int64", (0,))), take("x", "float")], [Run(fetches=["f"])])


OPS = {"SerializeSparse": serialize, "SerializeManySparse": serialize, "DeserializeSparse": deserialize,
       "DeserializeManySparse": deserialize, "AddSparseToTensorsMap": add, "AddManySparseToTensorsMap": add,
       "TakeManySparseFromTensorsMap": taken}
