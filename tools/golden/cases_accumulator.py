"""Cases of accumulators of gradients: each is a walk through the ops on one, in a session."""

from golden_case import GraphCase, Run, node, types
from golden_types import empty, plain, tensor

DTYPES = ("half", "float", "double")


def fed(name, dtype):
    return node(name, "Placeholder", dtype=("type", dtype), shape=("shape", None))


def common(op, dtype, shape, reduction):
    """The accumulator, what counts and sets its step, and what is fed."""
    kind = "ResourceAccumulator" if op.startswith("Resource") else "Accumulator"
    return kind, [
        fed("step", "int64"), fed("wanted", "int32"), fed("grad", dtype),
        node("acc", op, shape=("shape", shape), reduction_type=("string", reduction), **types(dtype=dtype)),
        node("count", kind + "NumAccumulated", "acc"), node("set", kind + "SetGlobalStep", "acc", "step")]


def i64(value):
    return tensor("int64", value)


def add(step, **parts):
    return Run(feeds={"step": i64(step), **parts}, targets=["add"])


def take(number, fetches=("f",)):
    return Run(feeds={"wanted": tensor("int32", number)}, fetches=list(fetches))


def counted():
    return Run(fetches=["count"])


def dense(op):
    for dtype in DTYPES:
        for reduction in ("MEAN", "SUM"):
            kind, nodes = common(op, dtype, [2, 3], reduction)
            nodes += [node("add", kind + "ApplyGradient", "acc", "step", "grad", **types(dtype=dtype)),
                      node("f", kind + "TakeGradient", "acc", "wanted", **types(dtype=dtype))]
            one, two = plain(dtype, (2, 3)), plain(dtype, (2, 3), 5)
            yield GraphCase("plain", dtype, nodes, [
                add(0, grad=one), counted(), add(0, grad=two), add(3, grad=one), counted(), take(2), counted(),
                add(0, grad=one), counted(), Run(feeds={"step": i64(5)}, targets=["set"]), add(4, grad=one), counted(),
                add(5, grad=two), take(1)])
            if dtype == "float":
                yield GraphCase("mismatch", dtype, nodes, [
                    add(0, grad=plain(dtype, (3, 2))), add(0, grad=plain(dtype, ())), take(0), take(-1),
                    add(-1, grad=plain(dtype, (9,))), counted()])
        kind, nodes = common(op, dtype, None, "MEAN")
        nodes += [node("add", kind + "ApplyGradient", "acc", "step", "grad", **types(dtype=dtype)),
                  node("f", kind + "TakeGradient", "acc", "wanted", **types(dtype=dtype))]
        yield GraphCase("other any shape", dtype, nodes, [
            add(0, grad=plain(dtype, (2,))), add(0, grad=plain(dtype, (3,))), take(1), add(1, grad=plain(dtype, ())),
            take(1), add(2, grad=empty(dtype, (0, 2))), add(2, grad=empty(dtype, (0, 2))), take(2)])


def rows(op):
    fetches = ("f", "f:1", "f:2")
    for dtype in DTYPES:
        for reduction in ("MEAN", "SUM"):
            kind, nodes = common(op, dtype, [5, 2], reduction)
            nodes += [fed("at", "int64"), fed("whole", "int64"),
                      node("add", "SparseAccumulatorApplyGradient", "acc", "step", "at", "grad", "whole",
                           has_known_shape=("bool", True), **types(dtype=dtype)),
                      node("f", "SparseAccumulatorTakeGradient", "acc", "wanted", **types(dtype=dtype))]

            def put(step, at, shape, whole=(5, 2), number=0):
                values = plain(dtype, shape, number) if 0 not in shape else empty(dtype, shape)
                places = i64(at) if at else empty("int64", (0,))
                return add(step, at=places, grad=values, whole=i64(list(whole)))
            yield GraphCase("plain", dtype, nodes, [
                put(0, [0, 2], (2, 2)), put(0, [1, 2, 4], (3, 2), number=3), put(0, [2], (1, 2), number=7), counted(),
                take(3, fetches), counted(), put(0, [1], (1, 2)), counted(), put(1, [], (0, 2)), take(1, fetches)])
            if dtype == "float":
                yield GraphCase("mismatch", dtype, nodes, [
                    put(0, [0], (1, 2), (5, 3)), put(0, [0], (1, 2), (5,)), put(0, [5], (1, 2)), put(0, [0], (1, 3)),
                    put(0, [0], (1,)), put(0, [0, 1], (1, 2)), put(0, [0], ()), put(0, [[0]], (1, 2)),
                    put(0, [1], (1, 2)), put(0, [1], (1, 3)), put(0, [1], (1,)), take(0, fetches), counted()])


OPS = {"ConditionalAccumulator": dense, "ResourceConditionalAccumulator": dense, "SparseConditionalAccumulator": rows}
