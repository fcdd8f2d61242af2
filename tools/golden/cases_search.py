"""Cases of ops that look for elements: places, the largest, equal ones."""

from golden_case import Case, types
from golden_types import (COMPLEX, FLOATS, empty, plain, registered_types,
                          tensor)


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


OPS = {
    "Where": where,
}
