"""Cases of rows in which order matters."""

from golden_case import Case, types
from golden_types import FLOATS, empty, index, registered, tensor


def isotonic(op):
    for dtype, out in registered(op, "T", "output_dtype"):
        def case(kind, values, dtype=dtype, out=out):
            return Case(kind, types(T=dtype, output_dtype=out), [values], 2)
        yield case("plain", tensor(dtype, [3, 1, 2, 5, 4, 0, 1]))
        yield case("other rows", tensor(dtype, [[[3, 2, 1], [1, 2, 3]], [[2, 2, 2], [1, 3, 2]]]))
        yield case("empty", empty(dtype, (0,)))
        if dtype in FLOATS:
            yield case("other fractions", tensor(dtype, [0.1, 0.7, 0.3, -2.5, 0.9, 1.1, -3]))


def shuffled(op):
    for dtype, seed in registered(op, "dtype", "Tseed"):
        def case(kind, places, key, most, rounds=4, dtype=dtype, seed=seed):
            return Case(kind, types(dtype=dtype, Tseed=seed) | {"rounds": ("int", rounds)},
                        [index(dtype, places), index(seed, key), index(dtype, most)])
        key = [5, 77, 123456789]
        yield case("scalar", 3, key, 9)
        yield case("plain", list(range(10)), key, 9)
        yield case("other large", [0, 1, 70000, 123456], key, 123456)
        yield case("other rounds", list(range(5)), key, 4, 8)
        yield case("other keys", [0, 1], [[1, 2, 3], [4, 5, 6]], [9, 1000])
        if dtype == "int64":
            yield case("huge", [0, 1 << 40, (1 << 62) - 1], key, (1 << 62) - 1)
        yield case("zero", 0, key, 0)
        yield case("mismatch seed", [0, 1], [1, 2], 9)
        yield case("mismatch most", [0, 1], key, [9, 9, 9])
        yield case("mismatch rank", [[0, 1]], key, 9)


OPS = {"IsotonicRegression": isotonic, "RandomIndexShuffle": shuffled}
