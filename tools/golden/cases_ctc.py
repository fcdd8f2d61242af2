"""Cases of connectionist temporal classification."""

import numpy as np

from golden_case import Case, types
from golden_types import registered_types, tensor

TIME, BATCH, CLASSES = 5, 2, 4


def logits(dtype, shape=(TIME, BATCH, CLASSES), first=0):
    values = np.cos(np.arange(first, first + int(np.prod(shape))) * 1.3) * 2
    return tensor(dtype, np.round(values, 2).reshape(shape))


def loss(op):
    for dtype in registered_types(op):
        def case(kind, x, at, labels, lengths, **attrs):
            at = np.reshape(np.array(at, np.int64), (-1, 2)) if np.ndim(at) != 1 or not len(at) else np.array(at)
            return Case(kind, {**types(T=dtype), **attrs},
                        [x, tensor("int64", at), tensor("int32", labels), tensor("int32", lengths)], output_count=2)
        # Gradients are small differences: what they are to the last digit is chance for most logits.
        x, at = logits(dtype, first=2 if dtype == "double" else 0), [[0, 0], [0, 1], [1, 0], [1, 1]]
        yield case("plain", x, at, [0, 1, 2, 0], [5, 5])
        yield case("plain shorter", x, at, [0, 1, 2, 0], [5, 3])
        yield case("other repeated", x, at, [1, 1, 2, 2], [5, 4])
        yield case("other repeated", x, at, [1, 1, 2, 2], [5, 4], preprocess_collapse_repeated=("bool", True))
        yield case("other repeated", x, at, [1, 1, 2, 2], [5, 4], ctc_merge_repeated=("bool", False))
        yield case("other none", x, at[2:], [2, 1], [5, 5])
        yield case("other no time", x, at[:2], [2, 1], [5, 0])
        yield case("other ignored", x, at, [0, 1, 2, 0], [5, 1], ignore_longer_outputs_than_inputs=("bool", True))
        yield case("special", logits(dtype, (3, 1, 3)), [[0, 0]], [1], [3])
        if dtype != "float":
            continue
        yield case("mismatch time", x, at, [0, 1, 2, 0], [5, 1])
        yield case("mismatch length", x, at, [0, 1, 2, 0], [5, 6])
        yield case("mismatch lengths", x, at, [0, 1, 2, 0], [5, 5, 5])
        yield case("mismatch label", x, at, [0, 1, 2, 4], [5, 5])
        yield case("mismatch label", x, at, [0, 1, -1, 2], [5, 5])
        yield case("mismatch blank", x, at, [0, 1, 3, 2], [5, 5])
        yield case("mismatch rank", logits(dtype, (5, 4)), at, [0, 1, 2, 0], [5, 5])
        yield case("mismatch values", x, at, [0, 1, 2], [5, 5])
        yield case("mismatch row", x, [[0, 0], [2, 0]], [0, 1], [5, 5])
        yield case("mismatch order", x, [[1, 0], [0, 0]], [0, 1], [5, 5])


def greedy(op):
    for dtype in registered_types(op):
        def case(kind, x, lengths, **attrs):
            return Case(kind, {**types(T=dtype), **attrs}, [x, tensor("int32", lengths)], output_count=4)
        x = logits(dtype, (6, 3, 3))
        for merge in (False, True):
            for blank in (-1, 0, 1):
                yield case("plain", x, [6, 4, 0], merge_repeated=("bool", merge), blank_index=("int", blank))
        yield case("empty", logits(dtype, (0, 2, 3)), [0, 0])
        if dtype != "float":
            continue
        yield case("mismatch blank", x, [6, 4, 0], blank_index=("int", 3))
        yield case("mismatch blank", x, [6, 4, 0], blank_index=("int", -4))
        yield case("mismatch length", x, [6, 7, 0])
        yield case("mismatch lengths", x, [6, 4])
        yield case("mismatch rank", logits(dtype, (6, 3)), [6, 4, 0])
        yield case("mismatch vector", x, [[6, 4, 0]])


def uneven(dtype, shape, first=0):
    """Logits of which no two rows of labels are equally likely: which of those comes first is chance."""
    values = np.cos(np.arange(first, first + int(np.prod(shape))) ** 1.5 * 0.37) * 2
    return tensor(dtype, np.round(values, 4).reshape(shape))


def beam(op):
    for dtype in registered_types(op):
        def case(kind, x, lengths, width=4, paths=2, merge=False, dtype=dtype):
            return Case(kind, {**types(T=dtype), "beam_width": ("int", width), "top_paths": ("int", paths),
                               "merge_repeated": ("bool", merge)}, [x, tensor("int32", lengths)], output_count=3 * paths + 1)
        x = uneven(dtype, (9, 3, 4))
        for merge in (False, True):
            for width, paths in ((1, 1), (4, 2), (100, 3)):
                yield case("plain", x, [9, 4, 7], width, paths, merge)
        yield case("other long", uneven(dtype, (60, 1, 7), 5), [60], 20, 4)
        yield case("other no time", x, [9, 0, 1], 3, 1)
        yield case("empty", logits(dtype, (0, 2, 3)), [0, 0])
        if dtype != "float":
            continue
        yield case("mismatch paths", x, [9, 4, 7], 2, 3)
        yield case("mismatch leaves", x, [9, 0, 7], 4, 2)
        yield case("mismatch length", x, [6, 10, 0])
        yield case("mismatch lengths", x, [6, 4])
        yield case("mismatch rank", logits(dtype, (6, 3)), [6, 4, 0])
        yield case("mismatch vector", x, [[6, 4, 0]])


OPS = {"CTCLoss": loss, "CTCGreedyDecoder": greedy, "CTCBeamSearchDecoder": beam}
