"""Cases of random ops: the same seeds give the same numbers, run after run."""

from golden_case import GraphCase, Run, const, hidden, node
from golden_types import index, registered, tensor


def seeds(seed, seed2):
    return {"seed": ("int", seed), "seed2": ("int", seed2)}


def graph(kind, label, op, shape, runs, attrs, seed=(87654321, 42), more=()):
    """One random node over a constant shape, run |runs| times."""
    inputs = ["shape"] + (["low", "high"] if more else [])
    nodes = [*hidden("shape", shape), *more,
             node("r", op, *inputs, **attrs, **seeds(*seed))]
    return GraphCase(kind, label, nodes, [Run(["r"]) for _ in range(runs)])


def distribution(op):
    for dtype, idx in registered(op, "dtype", "T"):
        attrs = {"dtype": ("type", dtype), "T": ("type", idx)}
        label = f"{dtype},{idx}"

        def case(kind, dims, runs=1, attrs=attrs, label=label, idx=idx, **more):
            return graph(kind, label, op, index(idx, dims), runs, attrs, **more)
        yield case("plain", [2, 3], 3)
        if idx == "int64":
            continue
        yield case("plain long", [43], 2)
        yield case("scalar", [], 2)
        yield case("empty", [0, 2])
        yield case("other seed", [3], seed=(1, 0))
        yield case("other second seed", [3], seed=(0, 7))
        yield case("mismatch negative", [2, -1])
        yield case("mismatch rank", [[2]])


def integers(op):
    for dtype, idx in registered(op, "Tout", "T"):
        attrs = {"Tout": ("type", dtype), "T": ("type", idx)}
        label = f"{dtype},{idx}"

        def case(kind, dims, low, high, runs=1, attrs=attrs, label=label,
                 dtype=dtype, idx=idx):
            more = [*hidden("low", tensor(dtype, low)),
                    *hidden("high", tensor(dtype, high))]
            return graph(kind, label, op, index(idx, dims), runs, attrs,
                         more=more)
        yield case("plain", [2, 3], -10, 10, 3)
        if idx == "int64":
            continue
        yield case("plain long", [43], 0, 1000, 2)
        yield case("scalar", [], 0, 2)
        yield case("empty", [0], 0, 2)
        yield case("overflow", [9], -(1 << 31), (1 << 31) - 1)
        yield case("mismatch", [2], 3, 3)
        yield case("mismatch rank", [2], [0], 3)
        yield case("mismatch negative", [-2], 0, 3)


def several(op):
    """Two nodes of one graph have sequences of their own."""
    yield from distribution(op)
    nodes = [const("shape", index("int32", [3]))]
    attrs = {"dtype": ("type", "float"), "T": ("type", "int32")}
    nodes += [node("a", op, "shape", **attrs, **seeds(5, 9)),
              node("b", op, "shape", **attrs, **seeds(5, 9)),
              node("c", op, "shape", **attrs, **seeds(5, 10))]
    yield GraphCase("other several", "float,int32", nodes,
                    [Run(["a", "b"]), Run(["b", "c"]), Run(["a", "b", "c"])])


def other_sizes(op):
    """A sequence goes on where it was when the size changes."""
    yield from several(op)
    attrs = {"dtype": ("type", "float"), "T": ("type", "int32")}
    nodes = [node("shape", "Placeholder", dtype=("type", "int32"),
                  shape=("shape", (None,))),
             node("r", op, "shape", **attrs, **seeds(5, 9))]
    runs = [Run(["r"], {"shape": index("int32", dims)})
            for dims in ([5], [2, 2], [1], [5])]
    yield GraphCase("other sizes", "float,int32", nodes, runs)


OPS = {
    "RandomUniform": other_sizes,
    "RandomStandardNormal": other_sizes,
    "TruncatedNormal": other_sizes,
    "RandomUniformInt": integers,
}
