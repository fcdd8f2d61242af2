"""Cases of ops on sequences: of words, and of what is compared like them."""

from golden_case import Case, types
from golden_types import NARROW_INTS, empty, numbers, plain, registered, tensor


def distance(op):
    """Pairs of sequences, each a row of a sparse tensor."""
    def side(dtype, rows, shape=None, values=None):
        places = [[r, i] for r, row in enumerate(rows) for i in range(len(row))]
        pool = numbers(dtype, 8) if dtype != "bool" else [True, False] * 4
        items = values or [pool[v] for row in rows for v in row]
        width = max((len(row) for row in rows), default=0)
        return [tensor("int64", places) if places else empty("int64", (0, 2)), tensor(dtype, items) if items else
                empty(dtype, (0,)), tensor("int64", shape or [len(rows), width])]
    for (dtype,) in registered(op, "T"):
        def case(kind, first, second, normalize=True, dtype=dtype, **more):
            return Case(kind, {**types(T=dtype), "normalize": ("bool", normalize)},
                        side(dtype, first, more.get("first_shape")) + side(dtype, second, more.get("second_shape")))
        yield case("plain", [[0, 1, 2], [3], []], [[0, 2, 2, 4], [3], []])
        if dtype not in ("int64", "string"):
            continue
        yield case("plain steps", [[0, 1, 2], [3]], [[0, 2, 2, 4], [3, 4]], False)
        yield case("zero", [[0], []], [[], [1, 2]])
        yield case("zero steps", [[0], []], [[], [1, 2]], False)
        yield case("other rows", [[0]], [[0], [1]])
        yield case("empty", [], [])
        yield case("mismatch shape", [[0]], [[1]], first_shape=[1, 1, 1])
        yield case("mismatch vector", [[0]], [[1]], first_shape=[[1, 1]])
        yield case("mismatch outside", [[0], [1]], [[1]], first_shape=[1, 1])
    deep = [tensor("int64", [[0, 1, 0], [0, 1, 1], [1, 0, 0]]), tensor("int64", [3, 4, 5]), tensor("int64", [2, 2, 3])]
    other = [tensor("int64", [[0, 0, 0], [0, 1, 0], [1, 0, 0]]), tensor("int64", [1, 4, 5]), tensor("int64", [2, 2, 2])]
    yield Case("other ranks", {**types(T="int64"), "normalize": ("bool", False)}, deep + other)


def ngrams(op):
    words = [b"a", b"b", b"c", b"d", b"e", b"", b"\xff"]
    for (splits_type,) in registered(op, "Tsplits"):
        def case(kind, splits, widths, left="", right="", pad=0, keeps=False, count=7, mark="|",
                 splits_type=splits_type):
            attrs = {**types(Tsplits=splits_type), "separator": ("string", mark), "ngram_widths": ("ints", widths),
                     "left_pad": ("string", left), "right_pad": ("string", right), "pad_width": ("int", pad),
                     "preserve_short_sequences": ("bool", keeps)}
            data = tensor("string", words[:count]) if count else empty("string", (0,))
            return Case(kind, attrs, [data, tensor(splits_type, splits) if splits else empty(splits_type, (0,))], 2)
        yield case("plain", [0, 4, 4, 7], [3])
        yield case("plain widths", [0, 4, 7], [2, 3])
        yield case("plain padded", [0, 4, 5, 7], [3], "LP", "RP", -1)
        yield case("plain less padded", [0, 4, 5, 7], [4, 2], "LP", "RP", 1)
        yield case("plain short", [0, 2, 3, 7], [3], keeps=True)
        yield case("plain short padded", [0, 1, 7], [5], "L", "R", 1, True)
        yield case("plain ones", [0, 7], [1], mark="")
        yield case("empty", [0], [2], count=0)
        yield case("empty splits", [], [2], count=0)
        yield case("mismatch first", [1, 7], [2])
        yield case("mismatch order", [0, 5, 3, 7], [2])
        yield case("mismatch last", [0, 5], [2])
        yield case("mismatch none", [], [2])
    yield Case("mismatch width", {**types(Tsplits="int64"), "separator": ("string", ""), "ngram_widths": ("ints", [0]),
                                  "left_pad": ("string", ""), "right_pad": ("string", ""), "pad_width": ("int", 0),
                                  "preserve_short_sequences": ("bool", False)},
               [tensor("string", [b"a"]), tensor("int64", [0, 1])], 2)


def join(op):
    for ids, size in registered(op, "Tindices", "Tnumsegments"):
        def case(kind, texts, places, count, mark="", ids=ids, size=size):
            return Case(kind, {**types(Tindices=ids, Tnumsegments=size), "separator": ("string", mark)},
                        [texts, tensor(ids, places), tensor(size, count)])
        yield case("plain", tensor("string", [b"a", b"bc", b"", b"d"]), [1, 0, 1, 1], 3, ":")
        yield case("plain rows", tensor("string", [[b"a", b"b"], [b"c", b"d"], [b"e", b"f"]]), [0, 1, 0], 2, ", ")
        yield case("other matrix", tensor("string", [[b"a", b"b"], [b"c", b"d"]]), [[0, 1], [1, 0]], 2)
        yield case("empty", tensor("string", [b"a"]), [0], 0) if ids == "skip" else case(
            "empty", empty("string", (0,)), [], 2)
        yield case("mismatch shapes", tensor("string", [b"a", b"b"]), [0, 1, 0], 2)
        yield case("mismatch place", tensor("string", [b"a", b"b"]), [0, 5], 2)
        yield case("mismatch negative", tensor("string", [b"a", b"b"]), [0, -1], 2)
        yield case("mismatch count", tensor("string", [b"a"]), [0], [2])
        yield case("mismatch few", tensor("string", [b"a"]), [0], -1)
        yield case("mismatch scalar", tensor("string", [b"a"]), 0, 2)
        yield case("mismatch deep", tensor("string", [b"a"]), [[0]], 2)


def fingerprint(op):
    for (dtype,) in registered(op, "T"):
        if dtype in NARROW_INTS:
            continue

        def case(kind, value, method=b"farmhash64", dtype=dtype):
            return Case(kind, types(T=dtype), [value, tensor("string", method)])
        yield case("plain", plain(dtype, (3,)))
        yield case("plain rows", plain(dtype, (2, 3)))
        if dtype not in ("float", "string"):
            continue
        yield case("plain deep", plain(dtype, (2, 1, 4)))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("scalar", plain(dtype, ()))
        yield case("mismatch method", plain(dtype, (2,)), b"md5")
        yield case("mismatch methods", plain(dtype, (2,)), [b"farmhash64"])


OPS = {
    "EditDistance": distance,
    "Fingerprint": fingerprint,
    "StringNGrams": ngrams,
    "UnsortedSegmentJoin": join,
}
