"""Cases of ops that look for elements: places, the largest, equal ones."""

from golden_case import Case, types
from golden_types import (COMPLEX, FLOATS, INTS, empty, index, plain,
                          registered, registered_types, special, tensor)


def where(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        yield case("plain", tensor(dtype, [[0, 1, 0], [1, 1, 0]]))
        yield case("scalar", tensor(dtype, 1))
        yield case("scalar zero", tensor(dtype, 0))
        yield case("empty", empty(dtype, (2, 0)))
        yield case("zero", tensor(dtype, [0, 0]))
        yield case("other all", plain(dtype, (2, 2, 2)))
        if dtype in FLOATS:
            yield case("special", tensor(dtype, [
                0.0, -0.0, float("nan"), float("-inf"), 2]))
        if dtype in COMPLEX:
            yield case("special", tensor(dtype, [
                0, 1j, complex(-0.0, -0.0), complex(0, float("nan")), 2]))
    value = [float(i % 7 == 3) for i in range(3000)]
    yield Case("other long", types(T="float"), [tensor("float", value)])
    deep = tensor("float", [0, 1], (1, 1, 1, 1, 2, 1, 1, 1))
    yield Case("other eight dimensions", types(T="float"), [deep])
    yield Case("mismatch rank", types(T="float"), [plain("float", (1,) * 9)])


def top_k(op):
    """Without the attribute sorted the order is nobody's promise."""
    for dtype, k_type, index_type in registered(op, "T", "Tk", "index_type"):
        def case(kind, value, k, dtype=dtype, k_type=k_type,
                 index_type=index_type):
            return Case(kind, types(T=dtype, Tk=k_type, index_type=index_type),
                        [value, index(k_type, k)], 2)
        yield case("plain", plain(dtype, (2, 5)), 3)
        if (k_type, index_type) != ("int32", "int32"):
            continue
        yield case("other all", plain(dtype, (2, 3)), 3)
        yield case("other one", plain(dtype, (2, 2, 3)), 1)
        yield case("other equal", tensor(dtype, [1, 2, 1, 2, 2, 1]), 4)
        yield case("empty", plain(dtype, (2, 3)), 0)
        if dtype in FLOATS:
            inf = float("inf")
            yield case("special", tensor(dtype, [
                0.0, inf, -0.0, -inf, -2.5, 1, -0.0]), 7)
        elif dtype in INTS:
            yield case("special", tensor(dtype, special(dtype)), 7)
        if dtype != "float":
            continue
        yield case("empty rows", empty(dtype, (0, 3)), 2)
        yield case("empty columns", empty(dtype, (2, 0)), 0)
        yield case("scalar", plain(dtype, ()), 1)
        yield case("mismatch few", plain(dtype, (2,)), 3)
        yield case("mismatch negative", plain(dtype, (2,)), -1)
        yield case("mismatch rank", plain(dtype, (2,)), [1])
        long = [(i * 7919) % 1009 / 8 for i in range(1500)]
        yield case("other long", tensor(dtype, long), 40)
        yield case("other sorting", tensor(dtype, long[:300]), 300)


def approx_top_k(op):
    """What the CPU finds is right, whatever recall is asked for."""
    for dtype in registered_types(op):
        def case(kind, value, k, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), "k": ("int", k), **attrs}, [value], 2)
        x = plain(dtype, (3, 12))
        yield case("plain", x, 4)
        yield case("plain one", x, 1, recall_target=("float", 0.5))
        yield case("plain all", x, 12, reduction_input_size_override=("int", 100))
        yield case("plain loose", x, 2, aggregate_to_topk=("bool", False))
        yield case("plain vector", plain(dtype, (9,)), 3)
        yield case("empty none", x, 0)
        yield case("empty", empty(dtype, (0, 3)), 2)
        yield case("special", tensor(dtype, [float("inf"), 1, float("-inf"), 2]), 3)
        yield case("mismatch many", x, 13)
        yield case("mismatch scalar", plain(dtype, ()), 1)


def in_top_k(op):
    """InTopK has k as an attribute, InTopKV2 as an input."""
    rows = tensor("float", [[1, 3, 2], [5, 4, 6], [2, 2, 1], [0, 1, 2]])
    for dtype in registered_types(op):
        def case(kind, predictions, targets, k, dtype=dtype):
            attrs, inputs = types(T=dtype), [predictions, index(dtype, targets)]
            if op == "InTopK":
                attrs["k"] = ("int", k)
            else:
                inputs.append(index(dtype, k))
            return Case(kind, attrs, inputs)
        yield case("plain", rows, [1, 0, 1, 0], 1)
        yield case("plain two", rows, [2, 1, 2, 0], 2)
        yield case("other range", rows, [3, -1, 0, 2], 2)
        yield case("other none", rows, [1, 2, 0, 2], 0)
        yield case("empty", empty("float", (0, 3)), [], 1)
        inf, nan = float("inf"), float("nan")
        yield case("special", tensor("float", [[1, inf], [nan, 1], [-inf, 2]]),
                   [0, 1, 1], 2)
        yield case("mismatch", rows, [1, 0], 1)
        yield case("mismatch predictions", plain("float", (3,)), [1, 0, 1], 1)
        yield case("mismatch targets", rows, [[1], [0], [1], [0]], 1)


def unique(op):
    for dtype, idx in registered(op, "T", "out_idx"):
        def case(kind, value, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, out_idx=idx), [value], 2)
        yield case("plain", plain(dtype, (20,)))
        yield case("empty", empty(dtype, (0,)))
        if idx == "int64":
            continue
        if dtype in FLOATS:
            yield case("special", tensor(dtype, [
                0.0, float("inf"), -0.0, 1, float("inf"), 0.0]))
        if dtype != "float":
            continue
        yield case("scalar", plain(dtype, ()))
        yield case("mismatch", plain(dtype, (2, 2)))
        yield case("other long", tensor(dtype, [
            (i * 7919) % 211 for i in range(1000)]))


OPS = {
    "ApproxTopK": approx_top_k,
    "InTopK": in_top_k,
    "InTopKV2": in_top_k,
    "TopKV2": top_k,
    "Unique": unique,
    "Where": where,
}
