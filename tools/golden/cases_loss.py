"""Cases of losses made of logits."""

from golden_case import Case, types
from golden_types import (empty, index, plain, registered, registered_types,
                          tensor)

LABELS = [[1, 0, 0, 0], [0.25, 0.25, 0.5, 0]]


def cross_entropy(op):
    for dtype in registered_types(op):
        def case(kind, logits, labels, dtype=dtype):
            return Case(kind, types(T=dtype), [logits, labels], 2)
        labels = tensor(dtype, LABELS)
        yield case("plain", plain(dtype, (2, 4)), labels)
        yield case("broadcast labels", plain(dtype, (2, 4)),
                   tensor(dtype, [[0, 0, 1, 0]]))
        yield case("broadcast logits", plain(dtype, (1, 4)), labels)
        yield case("broadcast vector", plain(dtype, (2, 4)),
                   tensor(dtype, [0, 1, 0, 0]))
        yield case("empty", empty(dtype, (0, 3)), empty(dtype, (0, 3)))
        yield case("special", tensor(dtype, [[float("-inf"), 1, 2, 3],
                                             [100, -100, 0, 50]]), labels)
        if dtype != "float":
            continue
        yield case("other far", tensor(dtype, [[1000, 0, -1000, 0]]),
                   tensor(dtype, [[0, 0, 1, 0]]))
        yield case("mismatch", plain(dtype, (2, 4)), plain(dtype, (2, 3)))
        yield case("mismatch rank", plain(dtype, (4,)), plain(dtype, (4,)))
        yield case("mismatch cube", plain(dtype, (1, 2, 2)),
                   plain(dtype, (1, 2, 2)))
        yield case("empty classes", empty(dtype, (2, 0)), empty(dtype, (2, 0)))
        yield case("other long", tensor(dtype, [
            [(i * 7919) % 101 / 16 for i in range(300)]] * 2), tensor(dtype, [
                [float(i == 7) for i in range(300)]] * 2))


def sparse_cross_entropy(op):
    for dtype, idx in registered(op, "T", "Tlabels"):
        def case(kind, logits, labels, dtype=dtype, idx=idx):
            return Case(kind, types(T=dtype, Tlabels=idx),
                        [logits, index(idx, labels)], 2)
        yield case("plain", plain(dtype, (3, 4)), [0, 3, 1])
        yield case("empty", empty(dtype, (0, 3)), [])
        yield case("special", tensor(dtype, [[float("-inf"), 1, 2, 3],
                                             [100, -100, 0, 50]]), [3, 2])
        yield case("mismatch range", plain(dtype, (3, 4)), [0, 4, 1])
        if dtype != "float":
            continue
        yield case("mismatch negative", plain(dtype, (2, 4)), [-1, 1])
        yield case("mismatch rows", plain(dtype, (3, 4)), [0, 1])
        yield case("mismatch rank", plain(dtype, (4,)), [0])
        yield case("mismatch labels", plain(dtype, (2, 4)), [[0], [1]])
        yield case("mismatch none", empty(dtype, (2, 0)), [0, 0])


OPS = {
    "SoftmaxCrossEntropyWithLogits": cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": sparse_cross_entropy,
}
