"""Cases of ops of files, bytes and records."""

import struct

import numpy as np

from cases_string import text
from cases_text import raw, string
from golden_case import Case, types
from golden_types import TYPES, empty, plain, registered_types, tensor


def read_file(op):
    yield Case("plain", {}, [text("/dev/null", shape=())])
    yield Case("mismatch", {}, [text("a", "b")])
    yield Case("mismatch missing", {}, [text("/dev/null/none", shape=())])
    yield Case("mismatch missing file", {}, [text("/no such folder/x", shape=())])


def write_file(op):
    yield Case("plain", {}, [text("/dev/null", shape=()), text("x", shape=())], 0)
    yield Case("mismatch", {}, [text("a", "b"), text("x", shape=())], 0)
    yield Case("mismatch contents", {}, [text("/dev/null", shape=()), text("x", "y")], 0)


def matching_files(op):
    yield Case("plain", {}, [text("/dev/nul[l]", shape=())])
    yield Case("other several", {}, [text("/dev/zer?", "/dev/null", "/none/*")])
    yield Case("empty", {}, [empty("string", (0,))])
    yield Case("mismatch", {}, [text("a", "b", shape=(1, 2))])


def decode_raw(op):
    for dtype in registered_types(op, "out_type"):
        size = np.dtype(TYPES[dtype][1]).itemsize
        some = bytes(range(1, 1 + 2 * size)) if dtype != "bool" else b"\1\0"
        attrs = types(out_type=dtype)
        yield Case("plain", attrs, [raw(some, some)])
        yield Case("scalar", attrs, [raw(some, shape=())])
        yield Case("empty", attrs, [empty("string", (0,))])
        yield Case("other none", attrs, [raw(b"", shape=(1, 1))])
        yield Case("other big", {**attrs, "little_endian": ("bool", False)}, [raw(some)])
        if size > 1:
            yield Case("mismatch size", attrs, [raw(some[1:])])
        yield Case("mismatch sizes", attrs, [raw(some, some[:size])])


def serialize(op):
    for dtype in registered_types(op):
        yield Case("plain", types(T=dtype), [plain(dtype, (2, 2))])
        yield Case("scalar", types(T=dtype), [plain(dtype, ())])
        yield Case("empty", types(T=dtype), [empty(dtype, (0, 3))])


def parse_tensor(op):
    whole = b"\x08\x03\x12\x04\x12\x02\x08\x02\"\x08\1\0\0\0\2\0\0\0"
    yield Case("plain", types(out_type="int32"), [raw(whole, shape=())])
    yield Case("other texts", types(out_type="string"), [raw(b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc", shape=())])
    yield Case("other list", types(out_type="float"), [
        raw(b"\x08\x01\x12\x04\x12\x02\x08\x03*\x04" + struct.pack("<f", 1.5), shape=())])
    yield Case("mismatch type", types(out_type="float"), [raw(whole, shape=())])
    yield Case("mismatch bytes", types(out_type="float"), [raw(b"\xff\xff", shape=())])
    yield Case("mismatch rank", types(out_type="int32"), [raw(whole)])


def decode_csv(op):
    def case(kind, records, defaults, **attrs):
        return Case(kind, {"OUT_TYPE": ("types", [d.dtype for d in defaults]), **attrs}, [records, *defaults],
                    len(defaults))
    none = [tensor("int32", [7]), tensor("float", [0.5]), text("x")]
    rows = text("1,2.5,a", "3,,b", ",1e3,", "4,5,\"q,\"\"r\"\"\"")
    yield case("plain", rows, none)
    yield case("scalar", text("1,2,3", shape=()), none)
    yield case("empty", empty("string", (0,)), none)
    wide = [tensor("int64", [7]), tensor("double", [0.5])]
    yield case("other wide", text("-9000000000, 0.1", "1,2"), wide)
    yield case("other mark", text("1|2"), wide, field_delim=string("|"))
    yield case("other missing", text("NA,2", "1,NA"), wide, na_value=string("NA"))
    yield case("other columns", text("1,2,3,4"), wide, select_cols=("ints", [1, 3]))
    yield case("other quotes", text("\"1\",2"), [text(""), text("")], use_quote_delim=("bool", False))
    must = [empty("int32", (0,)), tensor("int32", [1])]
    for kind, row in (("few", "1"), ("many", "1,2,3"), ("number", "x,1"), ("large", "99999999999,1"), ("none", ",1"),
                      ("quote", "\"1,2"), ("inner", "\"1\"2,3"), ("middle", "1\"2,3"), ("line", "1\n,2")):
        yield case(f"mismatch {kind}", text("1,2", row), must)
    yield case("mismatch mark", text("1"), [text("")], field_delim=string("ab"))
    yield case("mismatch defaults", text("1"), [text("a", "b")])


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def record(**features):
    """A serialised Example: lists of texts, floats or whole numbers by name."""
    entries = b""
    for key, values in features.items():
        if values and isinstance(values[0], bytes):
            feature = field(1, b"".join(field(1, v) for v in values))
        elif values and isinstance(values[0], float):
            feature = field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            feature = field(3, field(1, bytes(values)) if values else b"")
        entries += field(1, field(1, key.encode()) + field(2, feature))
    return field(1, entries)


def parse_example(op):
    def case(kind, records, sparse=(), dense=(), shape=None):
        keys = [text(*(k for k, *_ in part)) if part else empty("string", (0,)) for part in (sparse, dense, ())]
        attrs = {"Tdense": ("types", [t for _, t, _, _ in dense]), "num_sparse": ("int", len(sparse)),
                 "sparse_types": ("types", [t for _, t in sparse]), "ragged_value_types": ("types", []),
                 "ragged_split_types": ("types", []), "dense_shapes": ("shapes", [s for _, _, s, _ in dense])}
        names = empty("string", (0,))
        return Case(kind, attrs, [raw(*records, shape=shape), names, *keys, *(d for *_, d in dense)],
                    3 * len(sparse) + len(dense))
    a = record(i=[1, 2], f=[0.5], s=[b"x", b"yz"])
    b = record(i=[3, 4], f=[1.5], s=[])
    nothing = {t: empty(t, (0,)) for t in ("int64", "float", "string")}
    dense = (("i", "int64", (2,), nothing["int64"]), ("f", "float", (), nothing["float"]))
    yield case("plain", [a, b], (("s", "string"),), dense)
    yield case("scalar", [a], (("s", "string"), ("n", "int64")), dense, ())
    yield case("empty", [], (("s", "string"),), dense)
    yield case("other defaults", [a, b], (("n", "float"),), (
        ("m", "int64", (2, 1), tensor("int64", [[8], [9]])), ("t", "string", (), text("none", shape=()))))
    yield case("other sparse", [a, b], (("f", "float"), ("i", "int64"), ("s", "string")))
    for kind, key, dtype, shape in (("type", "i", "float", (2,)), ("count", "i", "int64", (3,)),
                                    ("none", "m", "int64", ()), ("text", "s", "string", (1,)), ("few", "s", "string", (3,))):
        yield case(f"mismatch {kind}", [a, b], (), ((key, dtype, shape, nothing[dtype]),))
        yield case(f"mismatch {kind} of one", [a], (), ((key, dtype, shape, nothing[dtype]),), ())
    yield case("mismatch sparse type", [a], (("i", "string"),))


OPS = {"ReadFile": read_file, "WriteFile": write_file, "MatchingFiles": matching_files, "DecodeRaw": decode_raw,
       "SerializeTensor": serialize, "ParseTensor": parse_tensor, "DecodeCSV": decode_csv,
       "ParseExampleV2": parse_example}
