"""Cases of random numbers from a state that a variable keeps."""

import numpy as np

from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import index, registered, tensor

STATE = (5, 1 << 40, 91)  # Counter, low word first, and key.


def graph(kind, label, op, inputs, attrs, state=STATE, state_type="int64", runs=2, fetches=True):
    """One node |r| over a variable and values that are not known before, run |runs| times."""
    nodes = [*hidden("first", tensor(state_type, state)),
             node("v", "VarHandleOp", **types(dtype=state_type), shape=("shape", None), shared_name=("string", "v")),
             node("set", "AssignVariableOp", "v", "first", **types(dtype=state_type)),
             # TensorFlow's binomial numbers write to what a variable shares with others.
             const("none", tensor(state_type, np.zeros(np.shape(state), np.int64))),
             node("alone", "AssignAddVariableOp", "v", "none", **types(dtype=state_type))]
    names = ["v"]
    for i, value in enumerate(inputs):
        nodes += hidden(f"in{i}", value)
        names.append(f"in{i}")
    nodes += [node("r", op, *names, **attrs),
              node("now", "ReadVariableOp", "v", **types(dtype=state_type))]
    steps = [Run([], targets=["set"]), Run([], targets=["alone"])]
    for _ in range(runs):
        steps += [Run(["r"]) if fetches else Run([], targets=["r"]), Run(["now"])]
    return GraphCase(kind, label, nodes, steps)


def numbers(op, limits=()):
    """Numbers of |op|, between |limits| where it takes some."""
    for (dtype,) in registered(op, "dtype"):
        def case(kind, dims, alg=1, state=STATE, limits=limits, idx="int64", state_type="int64", runs=2, dtype=dtype):
            inputs = [tensor("int64", alg), index(idx, dims), *(tensor(dtype, limit) for limit in limits)]
            return graph(kind, dtype, op, inputs, types(dtype=dtype, shape_dtype=idx), state, state_type, runs)
        yield case("plain", [2, 3])
        yield case("plain long", [43], idx="int32")
        if dtype not in ("float", "int64"):
            continue
        yield case("scalar", [])
        yield case("empty", [0, 2])
        yield case("overflow", [5], state=(-2, -1, 7))
        yield case("other long state", [5], state=(1, 2, 3, 4))
        yield case("mismatch negative", [2, -1], runs=1)
        yield case("mismatch rank", [[2]], runs=1)
        yield case("mismatch state", [2], state=(1, 2), runs=1)
        yield case("mismatch state rank", [2], state=((1, 2, 3),), runs=1)
        yield case("mismatch state type", [2], state_type="int32", state=(1, 2, 3), runs=1)
        yield case("mismatch algorithm", [2], alg=2, runs=1)
        yield case("mismatch unknown algorithm", [2], alg=7, runs=1)
        yield case("mismatch algorithms", [2], alg=(1,), runs=1)
        if limits:
            yield case("mismatch limits", [2], limits=(3, 3), runs=1)
            yield case("mismatch limit", [2], limits=([1], 3), runs=1)


def integers(op):
    yield from numbers(op, (3, 1000))


def skip(op):
    reads = op == "RngReadAndSkip"

    def case(kind, delta, alg=1, state=STATE, state_type="int64", runs=2):
        inputs = [tensor("int32" if reads else "int64", alg), tensor("uint64" if reads else "int64", delta)]
        return graph(kind, "int64", op, inputs, {}, state, state_type, runs, fetches=reads)
    yield case("plain", 3)
    yield case("zero", 0)
    yield case("overflow", 5, state=(-2, -1, 7))
    yield case("huge", (1 << 62) - 1, runs=1)  # TensorFlow forgets to carry, then.
    if not reads:  # TensorFlow writes behind the end of what it reads into.
        yield case("other long state", 5, state=(1, 2, 3, 4))
    yield case("mismatch vector", [3], runs=1)
    yield case("mismatch state", 2, state=(1, 2), runs=1)
    yield case("mismatch state rank", 2, state=((1, 2, 3),), runs=1)
    yield case("mismatch state type", 2, state_type="int32", state=(1, 2, 3), runs=1)
    yield case("mismatch algorithm", 2, alg=2, runs=1)
    yield case("mismatch unknown algorithm", 2, alg=7, runs=1)
    yield case("mismatch algorithms", 2, alg=(1,), runs=1)


def binomial(op):
    for dtype, kind_of in registered(op, "dtype", "T"):
        def case(kind, dims, counts, probs, alg=1, runs=2, idx="int32", dtype=dtype, kind_of=kind_of):
            inputs = [tensor("int64", alg), index(idx, dims), tensor(kind_of, counts), tensor(kind_of, probs)]
            return graph(kind, f"{dtype},{kind_of}", op, inputs, types(S=idx, T=kind_of, dtype=dtype), runs=runs)
        yield case("plain", [4, 3], [5, 40, 1000], [0.25, 0.5, 0.75])
        if dtype != "float" or kind_of != "float":
            continue
        yield case("scalar", [], 10, 0.5)
        yield case("empty", [0, 2], [1, 2], 0.5)
        yield case("mismatch", [3], [1, 2], 0.5, runs=1)
        yield case("mismatch algorithm", [2], [1, 2], 0.5, alg=2, runs=1)


def unforeseen(op):
    """Nothing to compare but how many there are."""
    for dtype, idx in registered(op, "dtype", "shape_dtype"):
        if idx not in ("int32", "int64"):
            continue
        def case(kind, dims, dtype=dtype, idx=idx):
            return Case(kind, types(dtype=dtype, shape_dtype=idx), [index(idx, dims)])
        yield case("empty", [0, 2])
        yield case("mismatch rank", [[2]])
        yield case("mismatch negative", [-2])


OPS = {
    "NonDeterministicInts": unforeseen,
    "RngReadAndSkip": skip,
    "RngSkip": skip,
    "StatefulRandomBinomial": binomial,
    "StatefulStandardNormalV2": numbers,
    "StatefulTruncatedNormal": numbers,
    "StatefulUniform": numbers,
    "StatefulUniformFullInt": numbers,
    "StatefulUniformInt": integers,
}
