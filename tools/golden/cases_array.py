"""Cases of ops that move elements: shapes, joining, cutting, gathering."""

import numpy as np

from cases_scatter import handle, reference
from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import (FLOATS, PLAIN, QUANTISED, TYPES, empty, i32, index,
                          plain, registered, registered_types, special, tensor)

# ---- Values handed on ----


def identity(op):
    if op in ("Identity", "StopGradient", "_EagerConst"):
        yield from handles(op)
    for dtype in registered_types(op):
        attrs = types(T=dtype)
        yield Case("plain", attrs, [plain(dtype, (2, 3))])
        yield Case("scalar", attrs, [plain(dtype, ())])
        yield Case("empty", attrs, [empty(dtype, (2, 0))])
        if dtype in FLOATS:
            yield Case("special", attrs, [tensor(dtype, special(dtype))])


def watched(op):
    for case in identity(op):
        if op != "DebugIdentityV2":
            case.attrs["tensor_name"] = ("string", "a/b:1")
        yield case
    if op == "DebugIdentityV2":
        return
    # Names without the number of an output, and what is none.
    for name in ("", "a", "a:x", "a:1:2", ":", "a:", ":1"):
        yield Case("mismatch" if name != "a" else "other", {**types(T="float"), "tensor_name": ("string", name)},
                   [plain("float", (2,))])


def handles(op):
    """A variable's handle goes through as any value does."""
    several = op == "IdentityN"
    nodes = [node("h", "VarHandleOp", dtype=("type", "float"),
                  shape=("shape", (2,)), shared_name=("string", "v")),
             const("one", plain("float", (2,))),
             node("set", "AssignVariableOp", "h", "one",
                  dtype=("type", "float")),
             node("same", op, ["h"] if several else "h",
                  T=("types", ["resource"]) if several
                  else ("type", "resource")),
             node("read", "ReadVariableOp", "same", dtype=("type", "float"))]
    yield GraphCase("plain", "resource", nodes,
                    [Run([], {}, ["set"]), Run(["read"])])


def identity_n(op):
    yield from handles(op)
    for dtype in PLAIN:
        attrs = {"T": ("types", [dtype, "float"])}
        yield Case("plain", attrs, [plain(dtype, (2,)), plain("float", ())], 2)
    attrs = {"T": ("types", ["int32", "string", "bool"])}
    yield Case("empty", attrs, [empty("int32", (0,)), plain("string", ()),
                                empty("bool", (2, 0))], 3)


def no_op(op):
    yield Case("plain", {}, [], 0)


def constants(op):
    for dtype in PLAIN:
        values = {"plain": plain(dtype, (2, 3)), "scalar": plain(dtype, ()),
                  "empty": empty(dtype, (0, 2))}
        if dtype in FLOATS:
            values["special"] = tensor(dtype, special(dtype))
        for kind, value in values.items():
            yield GraphCase(kind, dtype, [const("c", value)], [Run(["c"])])


def placeholders(op):
    for dtype in PLAIN:
        attrs = {"dtype": ("type", dtype)}
        nodes = [node("x", op, shape=("shape", (2, 3)), **attrs),
                 node("y", "Identity", "x", T=("type", dtype))]
        runs = [Run(["y"])]
        if dtype not in QUANTISED:  # numpy has no such arrays to feed.
            runs.append(Run(["y"], {"x": plain(dtype, (2, 3))}))
        yield GraphCase("plain", dtype, nodes, runs)
    attrs = {"dtype": ("type", "float")}
    for kind, shape in (("scalar", ()), ("other unknown rank", None),
                        ("empty", (0,)), ("other partial", (None, 3))):
        yield GraphCase(kind, "float",
                        [node("x", op, shape=("shape", shape), **attrs),
                         node("y", "Identity", "x", T=("type", "float"))],
                        [Run(["y"]), Run(["y"], {"x": plain("float", (0,))}),
                         Run(["x"], {"x": plain("float", ())})])


def placeholder_with_default(op):
    for dtype in PLAIN:
        nodes = [const("c", plain(dtype, (2,))),
                 node("x", op, "c", dtype=("type", dtype),
                      shape=("shape", (None,)))]
        nodes.append(node("y", "Identity", "x", T=("type", dtype)))
        runs = [Run(["y"])]
        if dtype not in QUANTISED:
            runs.append(Run(["y"], {"x": plain(dtype, (3,), 1)}))
        yield GraphCase("plain", dtype, nodes, runs)
    for kind, value in (("scalar", plain("float", ())),
                        ("empty", empty("float", (0, 2)))):
        yield GraphCase(kind, "float", [
            const("c", value), node("x", op, "c", dtype=("type", "float"),
                                    shape=("shape", None))], [Run(["x"])])


# ---- Shapes ----


def shape(op):
    for dtype, out in registered(op, "T", "out_type"):
        attrs = types(T=dtype, out_type=out)
        yield Case("plain", attrs, [plain(dtype, (2, 3))])
        if out == "int32":
            yield Case("scalar", attrs, [plain(dtype, ())])
            yield Case("empty", attrs, [empty(dtype, (2, 0, 3))])


def shape_n(op):
    for dtype, out in registered(op, "T", "out_type"):
        attrs = dict(types(T=dtype, out_type=out), N=("int", 2))
        yield Case("plain", attrs, [plain(dtype, (2, 3)), plain(dtype, ())], 2)
        if out == "int32":
            yield Case("empty", attrs,
                       [empty(dtype, (0,)), empty(dtype, (2, 0))], 2)


def rank(op):
    for dtype in registered_types(op):
        attrs = types(T=dtype)
        yield Case("plain", attrs, [plain(dtype, (2, 1, 3))])
        yield Case("scalar", attrs, [plain(dtype, ())])
        yield Case("empty", attrs, [empty(dtype, (0,))])


def reshape(op):
    for dtype, idx in registered(op, "T", "Tshape"):
        def case(kind, value, target, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tshape=idx),
                        [value, index(idx, target)])
        value = plain(dtype, (2, 3))
        yield case("plain", value, [3, -1])
        if idx == "int64":
            continue
        yield case("scalar", plain(dtype, (1, 1)), np.zeros(0))
        yield case("empty", empty(dtype, (0, 3)), [3, 0, 2])
        yield case("mismatch", value, [4, 2])
        if dtype != "float":
            continue
        yield case("plain same", value, [2, 3])
        yield case("empty unknown", empty(dtype, (0, 3)), [-1, 3])
        yield case("empty unknown impossible", empty(dtype, (0, 3)), [-1, 0])
        yield case("mismatch unknown", value, [-1, 4])
        yield case("mismatch two unknown", value, [-1, -1])
        yield case("mismatch negative", value, [-2, 3])
        yield case("mismatch rank", value, [[2, 3]])
        yield case("mismatch scalar shape", value, 6)
    for kind, dims in (("huge", [1 << 40, 1 << 40]),
                       ("huge unknown", [-1, 1 << 40])):
        yield Case(kind, types(T="float", Tshape="int64"),
                   [plain("float", (2, 3)), index("int64", dims)])


def expand_dims(op):
    for dtype, idx in registered(op, "T", "Tdim"):
        def case(kind, value, dim, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tdim=idx),
                        [value, index(idx, dim)])
        value = plain(dtype, (2, 3))
        yield case("axis", value, 1)
        if idx == "int64":
            continue
        yield case("axis negative", value, -1)
        yield case("scalar", plain(dtype, ()), 0)
        yield case("empty", empty(dtype, (0,)), 1)
        yield case("mismatch", value, 3)
        if dtype == "float":
            yield case("axis last", value, 2)
            yield case("mismatch negative", value, -4)
            yield case("other axis in a vector", value, [1])
            yield case("mismatch two axes", value, [0, 1])
            yield case("mismatch no axis", value, np.zeros(0))


def squeeze(op):
    for dtype in registered_types(op):
        def case(kind, value, dims=None, dtype=dtype):
            attrs = types(T=dtype)
            if dims is not None:
                attrs["squeeze_dims"] = ("ints", dims)
            return Case(kind, attrs, [value])
        value = plain(dtype, (1, 2, 1))
        yield case("plain", value)
        yield case("axis negative", value, [-1])
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (1, 0)))
        yield case("mismatch", value, [1])
        if dtype == "float":
            yield case("axis", value, [0, 2])
            yield case("axis twice", value, [0, 0])
            yield case("mismatch range", value, [3])
            yield case("mismatch negative", value, [-4])


def transpose(op):
    for dtype, idx in registered(op, "T", "Tperm"):
        if op == "ConjugateTranspose" and dtype == "string":
            continue
        def case(kind, value, perm, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tperm=idx),
                        [value, index(idx, perm)])
        yield case("plain", plain(dtype, (2, 3)), [1, 0])
        if idx == "int64":
            continue
        yield case("plain rank three", plain(dtype, (2, 1, 3)), [2, 0, 1])
        yield case("scalar", plain(dtype, ()), np.zeros(0))
        yield case("empty", empty(dtype, (0, 3)), [1, 0])
        yield case("mismatch", plain(dtype, (2, 3)), [0])
        if dtype in ("float", "complex64"):
            yield case("plain odd sizes", plain(dtype, (9, 17)), [1, 0])
            yield case("plain rank four", plain(dtype, (2, 3, 2, 2)),
                       [0, 3, 1, 2])
            yield case("plain same", plain(dtype, (2, 3)), [0, 1])
            yield case("mismatch range", plain(dtype, (2, 3)), [0, 2])
            yield case("axis negative", plain(dtype, (2, 3)), [-1, 0])
            yield case("mismatch twice", plain(dtype, (2, 3)), [1, 1])
            yield case("mismatch rank", plain(dtype, (2, 3)), [[1, 0]])


def broadcast_to(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        def case(kind, value, target, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tidx=idx),
                        [value, index(idx, target)])
        yield case("broadcast", plain(dtype, (2, 1)), [2, 2, 3])
        if idx == "int64":
            continue
        yield case("scalar", plain(dtype, ()), [2, 2])
        yield case("plain same", plain(dtype, (3,)), [3])
        yield case("empty", plain(dtype, (1, 3)), [0, 3])
        yield case("mismatch", plain(dtype, (2,)), [3])
        if dtype == "float":
            yield case("mismatch rank", plain(dtype, (2, 1)), [2])
            yield case("mismatch negative", plain(dtype, (1,)), [-1])
            yield case("mismatch matrix", plain(dtype, (1,)), [[2, 2]])
            yield case("mismatch scalar", plain(dtype, (1,)), 2)


# ---- Joining and cutting ----


def concat(op):
    axis_first = op == "Concat"
    names = ["T"] if axis_first else ["T", "Tidx"]
    for combination in registered(op, *names):
        dtype, idx = (combination + ("int32",))[:2]

        def case(kind, axis, *values, dtype=dtype, idx=idx):
            attrs = dict(types(T=dtype), N=("int", len(values)))
            if axis_first:
                return Case(kind, attrs, [i32(axis), *values])
            attrs.update(types(Tidx=idx))
            return Case(kind, attrs, [*values, index(idx, axis)])
        a, b = plain(dtype, (2, 2)), plain(dtype, (2, 1), 3)
        yield case("axis", 1, a, b)
        if idx == "int64":
            continue
        yield case("axis negative", -2, a, a)
        yield case("empty", 0, empty(dtype, (0, 2)), a)
        yield case("scalar", 0, plain(dtype, ()), plain(dtype, ()))
        yield case("mismatch", 0, a, b)
        if dtype == "float":
            yield case("axis three", 1, a, b, plain(dtype, (2, 3), 1))
            yield case("empty all", 1, empty(dtype, (2, 0)),
                       empty(dtype, (2, 0)))
            yield case("mismatch axis", 2, a, b)
            yield case("mismatch negative axis", -3, a, b)
            yield case("mismatch rank", 0, a, plain(dtype, (2,)))
            yield case("mismatch axis rank", [0], a, b)
    values = [const("a", plain("float", (2, 2))),
              const("b", plain("float", (2, 1)))]
    attrs = dict(N=("int", 2), **types(T="float"))
    inputs = ["axis", ["a", "b"]] if axis_first else [["a", "b"], "axis"]
    if not axis_first:
        attrs.update(types(Tidx="int32"))
    nodes = [node("axis", "Placeholder", dtype=("type", "int32"),
                  shape=("shape", ())),
             *values, node("c", op, *inputs, **attrs)]
    yield GraphCase("axis fed", "float", nodes, [
        Run(["c"], {"axis": i32(axis)}) for axis in (1, -1, 0, 2)])


def split(op):
    for dtype in registered_types(op):
        def case(kind, axis, value, parts, dtype=dtype):
            attrs = dict(types(T=dtype), num_split=("int", parts))
            return Case(kind, attrs, [i32(axis), value], parts)
        value = plain(dtype, (2, 4))
        yield case("axis", 1, value, 2)
        yield case("axis negative", -2, value, 2)
        yield case("empty", 0, empty(dtype, (0, 2)), 2)
        yield case("scalar", 0, plain(dtype, ()), 1)
        yield case("mismatch", 1, value, 3)
        if dtype == "float":
            yield case("axis one part", 1, value, 1)
            yield case("mismatch axis", 2, value, 2)
            yield case("mismatch negative axis", -3, value, 2)
            yield case("mismatch axis rank", [0], value, 2)


def split_v(op):
    for dtype, idx in registered(op, "T", "Tlen"):
        def case(kind, axis, value, sizes, dtype=dtype, idx=idx):
            attrs = dict(types(T=dtype, Tlen=idx),
                         num_split=("int", len(sizes)))
            return Case(kind, attrs, [value, index(idx, sizes), i32(axis)],
                        len(sizes))
        value = plain(dtype, (2, 4))
        yield case("axis", 1, value, [1, 3])
        if idx != "int32":
            continue
        yield case("axis negative", -1, value, [2, -1])
        yield case("empty", 1, value, [4, 0])
        yield case("mismatch", 1, value, [1, 2])
        yield case("scalar", 0, plain(dtype, ()), [1])
        if dtype == "float":
            yield case("mismatch two unknown", 1, value, [-1, -1])
            yield case("mismatch axis", 2, value, [1, 3])
            yield case("mismatch negative", 1, value, [-2, 6])


def pack(op):
    for dtype in registered_types(op):
        def case(kind, axis, *values, dtype=dtype):
            attrs = dict(types(T=dtype), N=("int", len(values)),
                         axis=("int", axis))
            return Case(kind, attrs, list(values))
        a, b = plain(dtype, (2,)), plain(dtype, (2,), 2)
        yield case("axis", 1, a, b)
        yield case("axis negative", -2, a, b)
        yield case("scalar", 0, plain(dtype, ()), plain(dtype, (), 1))
        yield case("empty", 0, empty(dtype, (0,)), empty(dtype, (0,)))
        yield case("mismatch", 0, a, plain(dtype, (3,)))
        if dtype == "float":
            yield case("axis one value", 0, a)
            yield case("mismatch axis", 2, a, b)
            yield case("mismatch negative axis", -3, a, b)


def unpack(op):
    for dtype in registered_types(op):
        def case(kind, axis, value, parts, dtype=dtype):
            attrs = dict(types(T=dtype), num=("int", parts),
                         axis=("int", axis))
            return Case(kind, attrs, [value], parts)
        value = plain(dtype, (2, 3))
        yield case("axis", 0, value, 2)
        yield case("axis negative", -1, value, 3)
        yield case("empty", 1, empty(dtype, (0, 2)), 2)
        yield case("scalar", 0, plain(dtype, ()), 1)
        yield case("mismatch", 0, value, 3)
        if dtype == "float":
            yield case("plain vector", 0, plain(dtype, (3,)), 3)
            yield case("mismatch axis", 2, value, 2)
            yield case("mismatch negative axis", -3, value, 2)


def cut(op):
    for dtype, idx in registered(op, "T", "Index"):
        def case(kind, value, begin, size, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Index=idx),
                        [value, index(idx, begin), index(idx, size)])
        value = plain(dtype, (3, 2))
        none = np.zeros(0)
        yield case("plain", value, [1, 0], [2, 1])
        if idx != "int32":
            continue
        yield case("axis rest", value, [1, 0], [-1, -1])
        yield case("scalar", plain(dtype, ()), none, none)
        yield case("empty", value, [3, 0], [0, 2])
        yield case("mismatch", value, [1, 0], [3, 1])
        if dtype == "float":
            yield case("plain whole", value, [0, 0], [3, 2])
            yield case("plain rank four", plain(dtype, (2, 2, 3, 2)),
                       [1, 0, 1, 0], [1, 2, 2, 1])
            yield case("mismatch begin", value, [4, 0], [0, 1])
            yield case("mismatch negative", value, [-1, 0], [1, 1])
            yield case("mismatch size", value, [0, 0], [-2, 1])
            yield case("mismatch lengths", value, [0], [1, 1])


# begin, end, strides and masks of strided slices of a 3 by 4 matrix.
STRIDES = {
    "plain": ([0, 1], [2, 3], [1, 1], {}),
    "axis negative": ([-1, -1], [-3, -4], [-1, -2], {}),
    "axis masks": ([9, 1], [9, 9], [1, 2], {"begin_mask": 1, "end_mask": 3}),
    "axis shrink": ([1, 0], [2, 4], [1, 1], {"shrink_axis_mask": 1}),
    "axis new": ([0, 0, 0], [0, 2, 2], [1, 1, 1], {"new_axis_mask": 1}),
    "axis ellipsis": ([0, 1], [0, 3], [1, 1], {"ellipsis_mask": 1}),
    "empty": ([2, 0], [1, 4], [1, 1], {}),
    "mismatch": ([3, 0], [4, 4], [1, 1], {"shrink_axis_mask": 1}),
}
# The same for float alone.
MORE_STRIDES = {
    "axis ellipsis middle": ([1, 0, 1], [2, 0, 2], [1, 1, 1],
                             {"ellipsis_mask": 2, "shrink_axis_mask": 4}),
    "axis fewer": ([1], [3], [1], {}),
    "axis reversed": ([0], [0], [-1], {"begin_mask": 1, "end_mask": 1}),
    "axis clamped": ([-9, -9], [9, 9], [2, 3], {}),
    "axis shrink negative": ([-1, -2], [0, 0], [1, 1],
                             {"shrink_axis_mask": 3}),
    "mismatch shrink stride": ([1, 0], [2, 4], [-1, 1],
                               {"shrink_axis_mask": 1}),
    "zero stride": ([0, 0], [2, 2], [0, 1], {}),
    "mismatch rank": ([0, 0, 0], [1, 1, 1], [1, 1, 1], {}),
    "mismatch lengths": ([0, 0], [1], [1, 1], {}),
    "mismatch ellipses": ([0, 0], [1, 1], [1, 1], {"ellipsis_mask": 3}),
}


def strided_slice(op):
    for dtype, idx in registered(op, "T", "Index"):
        def case(kind, value, begin, end, strides, masks, dtype=dtype, idx=idx):
            attrs = dict(types(T=dtype, Index=idx),
                         **{k: ("int", v) for k, v in masks.items()})
            return Case(kind, attrs, [value, index(idx, begin),
                                      index(idx, end), index(idx, strides)])
        value = plain(dtype, (3, 4))
        if idx != "int32":
            yield case("plain", value, *STRIDES["plain"])
            continue
        for kind, arguments in STRIDES.items():
            yield case(kind, value, *arguments)
        none = np.zeros(0)
        yield case("scalar", plain(dtype, ()), none, none, none, {})
        if dtype == "float":
            for kind, arguments in MORE_STRIDES.items():
                yield case(kind, value, *arguments)
            yield case("scalar new axis", plain(dtype, ()), [0], [0], [1],
                       {"new_axis_mask": 1})


# Values that go into slices of a 3 by 4 matrix: of which slice, and their shape.
UPDATES = {
    "plain": ("plain", (2, 2)),
    "broadcast": ("plain", (2, 1)),
    "broadcast scalar": ("plain", ()),
    "axis negative": ("axis negative", (2, 2)),
    "axis masks": ("axis masks", (3, 2)),
    "axis shrink": ("axis shrink", (4,)),
    "axis new": ("axis new", (1, 2, 2)),
    "axis ellipsis": ("axis ellipsis", (3, 2)),
    "empty": ("empty", (0, 4)),
    "mismatch": ("mismatch", (4,)),
    "mismatch value": ("plain", (3, 2)),
}
# The same for float alone.
MORE_UPDATES = {
    "axis ellipsis middle": (1,), "axis fewer": (2, 4), "axis reversed": (3, 4),
    "axis clamped": (2, 2), "axis shrink negative": (), "zero stride": (2, 2),
    "mismatch shrink stride": (4,), "mismatch rank": (), "mismatch lengths": (1,),
    "mismatch ellipses": (1,)}


def strided_slice_update(op):
    for dtype, idx in registered(op, "T", "Index"):
        if dtype.startswith(("q", "float8")):
            continue
        def case(kind, value, arguments, update, dtype=dtype, idx=idx):
            begin, end, strides, masks = arguments
            attrs = dict(types(T=dtype, Index=idx),
                         **{k: ("int", v) for k, v in masks.items()})
            return Case(kind, attrs, [
                value, index(idx, begin), index(idx, end), index(idx, strides),
                plain(dtype, update, 5)])
        value = plain(dtype, (3, 4))
        if idx != "int32":
            yield case("plain", value, STRIDES["plain"], (2, 2))
            continue
        for kind, (which, update) in UPDATES.items():
            yield case(kind, value, STRIDES[which], update)
        none = np.zeros(0)
        yield case("scalar", plain(dtype, ()), (none, none, none, {}), ())
        if dtype == "float":
            for kind, update in MORE_UPDATES.items():
                yield case(kind, value, MORE_STRIDES[kind], update)
            yield case("broadcast more dimensions", value, STRIDES["plain"], (1, 1, 2, 2))


def strided_slice_assign(op):
    """Sets a variable, writes a slice of it, and looks."""
    is_handle = op.startswith("Resource")
    for dtype, idx in registered(op, "T", "Index"):
        # TensorFlow sets no variable to these, and reads none of those.
        if dtype.startswith(("float8", "q") if is_handle else "float8"):
            continue
        def case(kind, value, arguments, update, dtype=dtype, idx=idx):
            begin, end, strides, masks = arguments
            nodes = handle(dtype, value) if is_handle else reference(dtype, value)
            for name, numbers in (("begin", begin), ("end", end),
                                  ("strides", strides)):
                nodes += hidden(name, index(idx, numbers))
            nodes += hidden("value", plain(dtype, update, 5))
            nodes.append(node(
                "do", op, "v", "begin", "end", "strides", "value",
                T=("type", dtype), Index=("type", idx),
                **{k: ("int", v) for k, v in masks.items()}))

            def do():
                return Run([], {}, ["do"]) if is_handle else Run(["do"])
            return GraphCase(kind, f"{dtype},{idx}", nodes, [
                do(), Run([], {}, ["set"]), do(),
                Run(["read" if is_handle else "v"])])
        value = plain(dtype, (3, 4))
        if idx != "int32":
            yield case("plain", value, STRIDES["plain"], (2, 2))
            continue
        for kind, (which, update) in UPDATES.items():
            yield case(kind, value, STRIDES[which], update)
        if dtype == "float":
            for kind, update in MORE_UPDATES.items():
                yield case(kind, value, MORE_STRIDES[kind], update)
            yield case("plain rank five", plain(dtype, (2, 2, 2, 2, 2)),
                       ([0, 1], [2, 2], [1, 1], {}), (2, 1, 2, 1, 2))


def strided_slice_grad(op):
    for dtype, idx in registered(op, "T", "Index"):
        def case(kind, shape, arguments, gradient, dtype=dtype, idx=idx):
            begin, end, strides, masks = arguments
            attrs = dict(types(T=dtype, Index=idx),
                         **{k: ("int", v) for k, v in masks.items()})
            return Case(kind, attrs, [
                index(idx, shape), index(idx, begin), index(idx, end),
                index(idx, strides), plain(dtype, gradient, 5)])
        if idx != "int32":
            yield case("plain", [3, 4], STRIDES["plain"], (2, 2))
            continue
        for kind, (which, gradient) in UPDATES.items():
            if not kind.startswith("broadcast"):
                yield case(kind, [3, 4], STRIDES[which], gradient)
        none = np.zeros(0)
        yield case("scalar", none, (none, none, none, {}), ())
        if dtype == "float":
            for kind, gradient in MORE_UPDATES.items():
                yield case(kind, [3, 4], MORE_STRIDES[kind], gradient)
            yield case("mismatch scalar", [3, 4], STRIDES["plain"], ())
            yield case("mismatch shape", [[3, 4]], STRIDES["plain"], (2, 2))
            yield case("mismatch negative", [3, -4], STRIDES["plain"], (2, 2))
            yield case("empty all", [0, 4], STRIDES["plain"], (0, 2))


def reverse(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        def case(kind, value, axes, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tidx=idx),
                        [value, index(idx, axes)])
        value = plain(dtype, (2, 3))
        yield case("axis", value, [1])
        if idx == "int64":
            continue
        yield case("axis negative", value, [-2, -1])
        yield case("scalar", plain(dtype, ()), np.zeros(0))
        yield case("empty", empty(dtype, (0, 3)), [1])
        yield case("mismatch", value, [2])
        if dtype == "float":
            yield case("mismatch twice", value, [1, -1])
            yield case("plain rank three", plain(dtype, (2, 3, 2)), [0, 2])
            yield case("axis none", value, np.zeros(0))
            yield case("empty any axes", empty(dtype, (0, 3)), [[5, 1]])
            yield case("scalar any axes", plain(dtype, ()), [-2, -1])


def diag_part(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        yield case("plain", plain(dtype, (3, 3)))
        yield case("plain rank four", plain(dtype, (2, 3, 2, 3)))
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (0, 2, 0, 2)))
        yield case("mismatch", plain(dtype, (2, 3)))
        if dtype == "float":
            yield case("plain one", plain(dtype, (1, 1)))
            yield case("plain ones between", plain(dtype, (2, 1, 3, 2, 1, 3)))
            yield case("plain odd size", plain(dtype, (17, 17)))
            yield case("plain rank six", plain(dtype, (2, 2, 2, 2, 2, 2)))
            yield case("mismatch last", plain(dtype, (2, 3, 2, 4)))
            yield case("mismatch empty", empty(dtype, (0, 1)))
            yield case("mismatch rank one", plain(dtype, (4,)))
            yield case("mismatch rank three", plain(dtype, (2, 2, 2)))


# ---- Repeating and making ----


def tile(op):
    for dtype, idx in registered(op, "T", "Tmultiples"):
        def case(kind, value, multiples, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tmultiples=idx),
                        [value, index(idx, multiples)])
        value = plain(dtype, (1, 2))
        yield case("plain", value, [2, 3])
        if idx == "int64":
            continue
        yield case("scalar", plain(dtype, ()), np.zeros(0))
        yield case("empty", value, [0, 2])
        yield case("mismatch", value, [2])
        if dtype == "float":
            yield case("plain rank three", plain(dtype, (2, 1, 2)), [1, 2, 2])
            yield case("plain same", value, [1, 1])
            yield case("mismatch negative", value, [-1, 2])
            yield case("mismatch rank", value, [[2, 3]])
    yield Case("huge", types(T="float", Tmultiples="int64"),
               [plain("float", (2, 2)), index("int64", [1 << 40, 1 << 40])])


def fill(op):
    for dtype, idx in registered(op, "T", "index_type"):
        def case(kind, dims, value, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, index_type=idx),
                        [index(idx, dims), value])
        value = plain(dtype, (), 2)
        yield case("plain", [2, 3], value)
        if idx == "int64":
            continue
        yield case("scalar", np.zeros(0), value)
        yield case("empty", [0, 2], value)
        yield case("mismatch", [2], plain(dtype, (2,)))
        if dtype == "float":
            yield case("plain odd size", [37], value)
            yield case("mismatch dims", [[2]], value)
            yield case("mismatch negative", [2, -1], value)
            yield case("mismatch dims scalar", 2, value)
        if dtype in FLOATS:
            yield case("special", [2], tensor(dtype, float("nan")))
    yield Case("huge", types(T="float", index_type="int64"),
               [index("int64", [1 << 40, 1 << 40]), plain("float", ())])


def steps(op):
    for dtype in registered_types(op, "Tidx"):
        def case(kind, *values, dtype=dtype):
            return Case(kind, types(Tidx=dtype),
                        [tensor(dtype, v) for v in values])
        yield case("plain", 1, 9, 2)
        yield case("plain down", 5, -4, -3)
        yield case("empty", 3, 3, 1)
        yield case("scalar", 0, 1, 1)
        yield case("zero", 0, 5, 0)
        yield case("mismatch up", 5, 0, 1)
        yield case("mismatch down", 0, 5, -1)
        yield case("mismatch rank", [0], 5, 1)
        if dtype in FLOATS:
            yield case("plain fractions", 0.5, 2.0, 0.25)
            yield case("special infinite", 0, float("inf"), 1)
            yield case("special nan", 0, float("nan"), 1)
        else:
            most = np.iinfo(TYPES[dtype][1]).max
            yield case("overflow", most - 3, most, 2)


# ---- Indices ----


def gather(op):
    attrs_of = (("Tparams", "Tindices", "Taxis") if op == "GatherV2"
                else ("Tparams", "Tindices"))
    for combination in registered(op, *attrs_of):
        names = dict(zip(attrs_of, combination))
        dtype, idx = names["Tparams"], names["Tindices"]
        axis_type = names.get("Taxis")

        def case(kind, params, indices, axis=0, batch=None, names=names,
                 idx=idx, axis_type=axis_type):
            inputs = [params, index(idx, indices)]
            attrs = types(**names)
            if axis_type:
                inputs.append(index(axis_type, axis))
            if batch is not None:
                attrs["batch_dims"] = ("int", batch)
            return Case(kind, attrs, inputs)
        params = plain(dtype, (3, 2))
        if axis_type != "int64":
            yield case("plain", params, [2, 0])
        elif idx == "int32":
            yield case("axis", params, [1, 0], 1)
        if idx != "int32" or axis_type == "int64":
            continue
        yield case("scalar", params, 1)
        yield case("empty", params, np.zeros(0))
        yield case("mismatch", params, [0, 3])
        if axis_type:
            yield case("axis negative", params, [[1], [1]], -1)
        if dtype != "float":
            continue
        yield case("mismatch negative", params, [0, -1])
        yield case("empty params", empty(dtype, (0, 2)), np.zeros(0))
        yield case("mismatch empty params", empty(dtype, (0, 2)), [0])
        yield case("mismatch scalar params", plain(dtype, ()), [0])
        if axis_type:
            yield case("mismatch axis", params, [0], 2)
            yield case("mismatch axis rank", params, [0], [0])
            yield case("other batch", plain(dtype, (2, 3)), [[0, 2], [1, 1]],
                       1, 1)
            yield case("other batch rows", plain(dtype, (2, 2, 2)),
                       [[1], [0]], 1, 1)
            yield case("other batch negative", plain(dtype, (2, 3)),
                       [[0], [2]], 1, -1)
            yield case("mismatch batch", plain(dtype, (2, 3)), [[0], [1], [2]],
                       1, 1)
            yield case("mismatch batch index", plain(dtype, (2, 3)),
                       [[0], [3]], 1, 1)


def one_hot(op):
    for dtype, idx in registered(op, "T", "TI"):
        def case(kind, indices, depth, axis=None, dtype=dtype, idx=idx):
            attrs = types(T=dtype, TI=idx)
            if axis is not None:
                attrs["axis"] = ("int", axis)
            return Case(kind, attrs, [indices, depth, plain(dtype, (), 0),
                                      plain(dtype, (), 1)])
        yield case("plain", index(idx, [0, 2, 1]), i32(3))
        if idx != "int32":
            continue
        yield case("axis negative", index(idx, [1, -1]), i32(2), -1)
        yield case("axis", index(idx, [1, 5]), i32(2), 0)
        yield case("scalar", index(idx, 1), i32(3))
        yield case("empty", index(idx, np.zeros(0)), i32(3))
        yield case("mismatch", index(idx, [0]), i32(-1))
        if dtype == "float":
            yield case("axis middle", index(idx, [[0, 1]]), i32(2), 1)
            yield case("empty depth", index(idx, [0, 1]), i32(0))
            yield case("mismatch axis", index(idx, [0]), i32(2), 2)
            yield case("mismatch depth rank", index(idx, [0]), i32([2]))
    for kind, on, off in (("mismatch on", [1, 2], 0), ("mismatch off", 1, [0])):
        yield Case(kind, types(T="float", TI="int32"),
                   [i32([0]), i32(2), tensor("float", on),
                    tensor("float", off)])


def invert_permutation(op):
    for dtype in registered_types(op):
        def case(kind, values, dtype=dtype):
            return Case(kind, types(T=dtype), [index(dtype, values)])
        yield case("plain", [2, 0, 3, 1])
        yield case("empty", np.zeros(0))
        yield case("mismatch", [0, 3])
        yield case("mismatch twice", [1, 1])
        yield case("mismatch negative", [0, -1])
        yield case("scalar", 0)


def lin_space(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        def case(kind, start, stop, num, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tidx=idx),
                        [tensor(dtype, start), tensor(dtype, stop),
                         index(idx, num)])
        yield case("plain", 0.0, 1.0, 5)
        yield case("other down", 1.0, -1.0, 4)
        yield case("other one", 2.0, 3.0, 1)
        yield case("other fine", 0.0, 0.1, 7)
        yield case("mismatch", 0.0, 1.0, 0)
        yield case("mismatch negative", 0.0, 1.0, -2)
        yield case("mismatch start", [0.0], 1.0, 3)
        yield case("mismatch stop", 0.0, [1.0], 3)
        yield case("mismatch num", 0.0, 1.0, [3])


OPS = {
    **dict.fromkeys(
        "Identity StopGradient PreventGradient _EagerConst Copy CopyHost DebugGradientIdentity Snapshot".split(), identity),
    **dict.fromkeys("DebugIdentity DebugIdentityV2 DebugIdentityV3".split(), watched),
    "IdentityN": identity_n,
    "NoOp": no_op,
    "Const": constants,
    "Placeholder": placeholders,
    "PlaceholderWithDefault": placeholder_with_default,
    "Shape": shape,
    "Size": shape,
    "ShapeN": shape_n,
    "Rank": rank,
    "Reshape": reshape,
    "ExpandDims": expand_dims,
    "Squeeze": squeeze,
    "ConjugateTranspose": transpose,
    "Transpose": transpose,
    "BroadcastTo": broadcast_to,
    "Concat": concat,
    "ConcatV2": concat,
    "Split": split,
    "SplitV": split_v,
    "Pack": pack,
    "Unpack": unpack,
    "Slice": cut,
    "StridedSlice": strided_slice,
    "TensorStridedSliceUpdate": strided_slice_update,
    "StridedSliceGrad": strided_slice_grad,
    "StridedSliceAssign": strided_slice_assign,
    "ResourceStridedSliceAssign": strided_slice_assign,
    "ReverseV2": reverse,
    "DiagPart": diag_part,
    "Tile": tile,
    "Fill": fill,
    "Range": steps,
    "LinSpace": lin_space,
    "Gather": gather,
    "GatherV2": gather,
    "OneHot": one_hot,
    "InvertPermutation": invert_permutation,
}
