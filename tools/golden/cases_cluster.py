"""Cases of centers of clusters: which are near, and where to begin."""

import numpy as np

from golden_case import Case
from golden_types import empty, index, tensor


def points(rows, columns, first=0):
    """Points of which squares and products are exact."""
    count = rows * columns
    return tensor("float", np.reshape([((i + first) * 7 % 17 - 8) / 4 for i in range(count)], (rows, columns)))


def i64(value):
    return index("int64", value)


def nearest(_):
    def case(kind, x, c, k):
        return Case(kind, {}, [x, c, i64(k)], 2)
    x, c = points(9, 3), points(5, 3, 2)
    for k in (1, 2, 5, 7, 0):
        yield case("plain", x, c, k)
    same = tensor("float", [[0], [2], [0], [2], [1]])
    yield case("plain same", tensor("float", [[0], [1], [2]]), same, 1)
    yield case("plain same", tensor("float", [[0], [1], [2]]), same, 4)
    yield case("empty columns", empty("float", (3, 0)), empty("float", (2, 0)), 1)
    yield case("empty centers", x, empty("float", (0, 3)), 1)
    yield case("mismatch none", empty("float", (0, 3)), c, 1)
    yield case("mismatch columns", x, points(5, 2), 1)
    yield case("mismatch points", points(1, 3), tensor("float", [1, 2, 3]), 1)
    yield case("mismatch centers", tensor("float", [1, 2, 3]), c, 1)
    yield case("mismatch k", x, c, [1])


def first_centers(_):
    def case(kind, x, *numbers):
        return Case(kind, {}, [x, *(i64(n) for n in numbers)])
    x = points(12, 3)
    for seed in (0, 1, 5, 2**40 + 3):
        for retries in (0, 1, 3, -1):
            yield case("plain", x, 5, seed, retries)
    yield case("plain one", x, 1, 4, 2)
    yield case("plain all", points(7, 2), 7, 3, 2)
    yield case("plain power", points(8, 2), 3, 3, 0)
    yield case("empty columns", empty("float", (3, 0)), 1, 3, 1)
    for wrong in (0, -1, 13):
        yield case("mismatch count", x, wrong, 1, 1)
    yield case("mismatch none", empty("float", (0, 3)), 1, 1, 1)
    yield case("mismatch points", tensor("float", [1, 2]), 1, 1, 1)
    for i in range(3):
        numbers = [2, 1, 1]
        numbers[i] = [1]
        yield case("mismatch rank", x, *numbers)


def chain(_):
    def case(kind, distances, seed):
        return Case(kind, {}, [tensor("float", distances), i64(seed)])
    for seed in range(4):
        yield case("plain", [0.5, 2, 1, 4, 0, 8, 3, 3, 1, 0.25, 2, 5], seed)
    yield case("plain none", [0, 0, 0], 3)
    yield case("plain one", [2], 3)
    yield case("mismatch empty", [], 3)
    yield case("mismatch matrix", [[1]], 3)
    yield case("mismatch scalar", 1, 3)
    yield case("mismatch seed", [1], [3])


OPS = {"NearestNeighbors": nearest, "KmeansPlusPlusInitialization": first_centers, "KMC2ChainInitialization": chain}
