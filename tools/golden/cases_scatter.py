"""Cases of ops that read and write slices at places given as coordinates."""

import numpy as np

from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import UNSIGNED, empty, index, plain, registered


def gather_nd(op):
    for dtype, idx in registered(op, "Tparams", "Tindices"):
        def case(kind, params, places, dtype=dtype, idx=idx):
            return Case(kind, types(Tparams=dtype, Tindices=idx),
                        [params, index(idx, places)])
        yield case("plain", plain(dtype, (3, 2)), [[2, 0], [0, 1]])
        if idx != "int32":
            continue
        yield case("other rows", plain(dtype, (3, 2)), [[1], [0]])
        if dtype != "float":
            continue
        yield case("empty", plain(dtype, (3, 2)), np.zeros((0, 2)))
        yield case("empty rows", empty(dtype, (3, 0)), [[1], [2]])
        yield case("other whole", plain(dtype, (3, 2)), np.zeros((2, 0)))
        yield case("other vector", plain(dtype, (3, 2)), [1, 1])
        yield case("other deep", plain(dtype, (2, 2, 3)), [[[0, 1]], [[1, 0]]])
        yield case("mismatch", plain(dtype, (3, 2)), [[0, 0], [3, 0]])
        yield case("mismatch negative", plain(dtype, (3, 2)), [[[0], [-1]]])
        yield case("mismatch depth", plain(dtype, (3,)), [[0, 0]])
        yield case("mismatch params", plain(dtype, ()), [[0]])
        yield case("mismatch indices", plain(dtype, (3,)), 0)
        yield case("mismatch none", empty(dtype, (0, 2)), [[0]])
        yield case("other eight", plain(dtype, (1,) * 6 + (2, 2)),
                   [[0] * 6 + [1, 0]])


def scatter_nd(op):
    for dtype, idx in registered(op, "T", "Tindices"):
        def case(kind, places, updates, shape, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tindices=idx), [
                index(idx, places), updates, index(idx, shape)])
        if idx == "int16":
            continue
        yield case("plain", [[3], [1]], plain(dtype, (2,)), [4])
        if idx != "int32":
            continue
        yield case("other rows", [[2], [0]], plain(dtype, (2, 3)), [3, 3])
        yield case("other equal", [[1], [1], [0]], plain(dtype, (3,)), [2])
        if dtype != "float":
            continue
        yield case("empty", np.zeros((0, 1)), empty(dtype, (0,)), [3])
        yield case("empty shape", np.zeros((0, 1)), empty(dtype, (0,)), [0])
        yield case("mismatch", [[4]], plain(dtype, (1,)), [4])
        yield case("mismatch negative", [[0, -1]], plain(dtype, (1,)), [2, 4])
        yield case("mismatch updates", [[0], [1]], plain(dtype, (3,)), [4])
        yield case("mismatch inner", [[0], [1]], plain(dtype, (2, 3)), [4, 2])
        yield case("mismatch depth", [[0, 0]], plain(dtype, (1,)), [4])
        yield case("mismatch none", [[0]], plain(dtype, (1,)), [0])
        yield case("mismatch shape", [[0]], plain(dtype, (1,)), [[4]])
        yield case("mismatch size", [[0]], plain(dtype, (1,)), [-4])


def tensor_scatter(op):
    for dtype, idx in registered(op, "T", "Tindices"):
        def case(kind, value, places, updates, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tindices=idx), [
                value, index(idx, places), updates])
        if idx in ("int16", "uint16"):
            continue
        yield case("plain", plain(dtype, (4,)), [[3], [1]],
                   plain(dtype, (2,), 4))
        if idx != "int32":
            continue
        yield case("other rows", plain(dtype, (3, 2)), [[2], [0]],
                   plain(dtype, (2, 2), 3))
        yield case("other equal", plain(dtype, (2,)), [[1], [1], [0]],
                   plain(dtype, (3,), 5))
        if dtype != "float":
            continue
        yield case("empty", plain(dtype, (3,)), np.zeros((0, 1)),
                   empty(dtype, (0,)))
        yield case("mismatch", plain(dtype, (3,)), [[3]], plain(dtype, (1,)))
        yield case("mismatch updates", plain(dtype, (3,)), [[0], [1]],
                   plain(dtype, (3,)))
        yield case("mismatch scalar", plain(dtype, ()), [[0]],
                   plain(dtype, (1,)))
        yield case("mismatch depth", plain(dtype, (3,)), [[0, 0]],
                   plain(dtype, (1,)))


def non_aliasing(op):
    for dtype, idx in registered(op, "T", "Tindices"):
        attrs = types(T=dtype, Tindices=idx)
        yield Case("plain", attrs, [plain(dtype, (4,)),
                                    index(idx, [[3], [1], [3]]),
                                    plain(dtype, (3,), 4)])


# ---- Variables ----


def reference(dtype, value):
    return [node("v", "VariableV2", dtype=("type", dtype),
                 shape=("shape", value.shape)), const("first", value),
            node("set", "Assign", "v", "first", T=("type", dtype))]


def handle(dtype, value):
    return [node("v", "VarHandleOp", dtype=("type", dtype),
                 shape=("shape", value.shape), shared_name=("string", "v")),
            const("first", value),
            node("set", "AssignVariableOp", "v", "first",
                 dtype=("type", dtype)),
            node("read", "ReadVariableOp", "v", dtype=("type", dtype))]


def scatter_story(op, dtype, idx, attr, kind, value, places, updates):
    """Sets a variable, scatters into it, and looks."""
    is_handle = op.startswith("Resource")
    nodes = handle(dtype, value) if is_handle else reference(dtype, value)
    nodes += [*hidden("places", index(idx, places)),
              *hidden("updates", updates),
              node("do", op, "v", "places", "updates",
                   **{attr: ("type", dtype)}, Tindices=("type", idx))]
    read = "read" if is_handle else "v"

    def do():
        return Run([], {}, ["do"]) if is_handle else Run(["do"])
    return GraphCase(kind, f"{dtype},{idx}", nodes, [
        do(), Run([], {}, ["set"]), do(), Run([read])])


def scatter(op):
    attr = "dtype" if op.startswith("Resource") else "T"
    first = 4 if "Div" in op else 3
    for dtype, idx in registered(op, attr, "Tindices"):
        def story(kind, value, places, updates, dtype=dtype, idx=idx):
            return scatter_story(op, dtype, idx, attr, kind, value, places,
                                 updates)
        value = plain(dtype, (3, 2))
        yield story("plain", value, [2, 0], plain(dtype, (2, 2), first))
        if idx != "int32":
            continue
        if dtype not in UNSIGNED or "Div" not in op:
            yield story("other equal", value, [1, 1], plain(dtype, (2, 2), 6))
        if dtype != "float":
            continue
        yield story("scalar", value, [2, 1], plain(dtype, ()))
        yield story("scalar place", value, 1, plain(dtype, (2,)))
        yield story("empty", value, np.zeros(0), empty(dtype, (0, 2)))
        # TensorFlow has written what comes before a bad place.
        yield story("mismatch", value, [3, 0], plain(dtype, (2, 2)))
        yield story("mismatch negative", value, [[-1]], plain(dtype, (1, 1, 2)))
        if attr == "T":  # Of resources TensorFlow takes what it finds.
            yield story("mismatch updates", value, [0, 1],
                        plain(dtype, (2, 3)))
        yield story("mismatch count", value, [0, 1], plain(dtype, (1, 2)))


def scatter_nd_variable(op):
    for dtype, idx in registered(op, "T", "Tindices"):
        def story(kind, value, places, updates, dtype=dtype, idx=idx):
            return scatter_story(op, dtype, idx, "T", kind, value, places,
                                 updates)
        value = plain(dtype, (3, 2))
        yield story("plain", value, [[2, 0], [0, 1]], plain(dtype, (2,), 3))
        if idx != "int32":
            continue
        yield story("other rows", value, [[1], [2]], plain(dtype, (2, 2), 6))
        if dtype != "float":
            continue
        yield story("empty", value, np.zeros((0, 1)), empty(dtype, (0, 2)))
        yield story("mismatch", value, [[3]], plain(dtype, (1, 2)))
        yield story("mismatch updates", value, [[0], [1]], plain(dtype, (2, 3)))
        yield story("mismatch depth", value, [[0, 0, 0]], plain(dtype, (1,)))


def resource_gather(op):
    for dtype, idx in registered(op, "dtype", "Tindices"):
        def story(kind, value, places, dtype=dtype, idx=idx, **attrs):
            nodes = handle(dtype, value)
            nodes += [*hidden("places", index(idx, places)),
                      node("got", op, "v", "places", dtype=("type", dtype),
                           Tindices=("type", idx), **attrs)]
            return GraphCase(kind, f"{dtype},{idx}", nodes, [
                Run(["got"]), Run([], {}, ["set"]), Run(["got"])])
        value = plain(dtype, (3, 2))
        nested = op == "ResourceGatherNd"
        yield story("plain", value, [[2], [0]] if nested else [2, 0])
        if idx != "int32" or dtype != "float":
            continue
        if nested:
            yield story("other", value, [[2, 0], [0, 1]])
            yield story("mismatch", value, [[2, 0], [0, 2]])
            yield story("mismatch depth", value, [[2, 0, 0]])
            continue
        yield story("scalar", value, 1)
        yield story("empty", value, np.zeros(0))
        yield story("mismatch", value, [0, 3])
        yield story("mismatch negative", value, [[0, -1]])
        yield story("other batch", value, [[1], [0], [1]],
                    batch_dims=("int", 1))


OPS = {
    "GatherNd": gather_nd,
    "ResourceGather": resource_gather,
    "ResourceGatherNd": resource_gather,
    "ScatterNd": scatter_nd,
    "ScatterNdNonAliasingAdd": non_aliasing,
}
OPS |= {f"TensorScatter{what}": tensor_scatter
        for what in ("Update", "Add", "Sub", "Min", "Max")}
OPS |= {f"{prefix}Scatter{what}": scatter for prefix in ("", "Resource")
        for what in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")}
OPS |= {f"{prefix}ScatterNd{what}": scatter_nd_variable
        for prefix in ("", "Resource")
        for what in ("Update", "Add", "Sub", "Min", "Max")}
