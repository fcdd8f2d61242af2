"""Cases of ops of files, bytes and records."""

import gzip
import struct
import zlib

import numpy as np

from cases_string import text
from cases_text import raw, string
from golden_case import Case, GraphCase, Run, const, node, types
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


def decode_padded(op):
    for dtype in registered_types(op, "out_type"):
        size = np.dtype(TYPES[dtype][1]).itemsize
        some = bytes(range(1, 1 + 3 * size))
        attrs = types(out_type=dtype)

        def case(kind, texts, length, attrs=attrs, size=size):
            return Case(kind, attrs, [texts, tensor("int32", length * size)])
        yield case("plain", raw(some, some[:size]), 2)
        yield case("plain longer", raw(some, some[:size]), 4)
        yield case("scalar", raw(some, shape=()), 3)
        yield case("empty", empty("string", (0,)), 2)
        yield case("other none", raw(b"", shape=(1, 1)), 2)
        yield case("other big", raw(some, some[:size + size // 2]), 3, {**attrs, "little_endian": ("bool", False)})
        yield case("mismatch zero", raw(some), 0)
        yield case("mismatch negative", raw(some), -1)
        yield case("mismatch vector", raw(some), np.array([1]))
        if size > 1:
            yield case("mismatch length", raw(some), 1, size=size + 1)
            yield case("other part", raw(some[1:]), 3)

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
    yield case("mismatch matrix", text("1"), [text("a", shape=(1, 1))])


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


def parse_rows(case, nothing):
    """Dense features whose number of rows is not known."""
    long, short, none = record(i=[1, 2, 3, 4], s=[b"x"], f=[1.5, 2.5]), record(i=[5, 6]), record(g=[1])
    for kind, shape in (("rows", (-1,)), ("rows of two", (-1, 2))):
        dense = (("i", "int64", shape, tensor("int64", 9)), ("s", "string", (-1,), text("none", shape=())),
                 ("f", "float", shape, tensor("float", 0.5)))
        yield case(f"other {kind}", [long, short, none], (), dense)
        yield case(f"other {kind} of one", [long], (), dense, ())
        yield case(f"other {kind} missing", [none], (), dense, ())
    yield case("empty rows", [], (), dense)
    for records, shape in (([long, short], None), ([long], ())):
        kind = " of one" if shape == () else ""
        yield case(f"mismatch rows{kind}", records, (), (("i", "int64", (-1, 3), tensor("int64", 9)),), shape)
        yield case(f"mismatch rows type{kind}", records, (), (("i", "float", (-1,), tensor("float", 9.)),), shape)
        yield case(f"mismatch rows default{kind}", records, (), (("i", "int64", (-1,), tensor("int64", [1, 2])),), shape)
        yield case(f"mismatch default{kind}", records, (), (("i", "int64", (4,), tensor("int64", [1, 2])),), shape)


def parse_ragged(case):
    """Features of any number of values, one behind the other, and where each record's begin."""
    a, b, c = record(i=[1, 2, 3], s=[b"x"]), record(f=[1.5]), record(i=[], s=[b"y", b""], f=[2.5, 3.5])
    for split in ("int32", "int64"):
        ragged = (("i", "int64", split), ("s", "string", split), ("f", "float", split))
        yield case(f"other ragged {split}", [a, b, c], ragged=ragged)
        yield case(f"other ragged {split} of one", [a], ragged=ragged, shape=())
        yield case(f"empty ragged {split}", [], ragged=ragged)
    yield case("other ragged and sparse", [a, b, c], (("f", "float"),), (), None, (("i", "int64", "int64"),))
    yield case("mismatch ragged", [a, b], ragged=(("i", "float", "int32"),))
    yield case("mismatch ragged of one", [a], ragged=(("i", "float", "int32"),), shape=())


def parse_bytes(case, nothing):
    """What else the bytes of a record may be."""
    dense = (("i", "int64", (2,), nothing["int64"]),)
    loose = field(3, b"\x08\x01\x08\xac\x02")  # Numbers that are not packed.
    entry = field(1, field(1, b"i") + field(2, loose))
    yield case("other loose", [field(1, entry)], (), dense)
    loose = field(2, b"\x0d" + struct.pack("<f", 1.5) + b"\x0d" + struct.pack("<f", 2.5))
    yield case("other loose floats", [field(1, field(1, field(1, b"i") + field(2, loose)))], (("i", "float"),))
    twice = field(1, entry + field(1, field(1, b"i") + field(2, field(3, field(1, b"\x07\x08")))))
    yield case("other twice", [twice], (("i", "int64"),))
    yield case("other split", [record(i=[1, 2]) + record(f=[0.5])], (("f", "float"),), dense)
    minus = field(3, field(1, b"\xff" * 9 + b"\x01" + b"\x05"))
    yield case("other minus", [field(1, field(1, field(1, b"i") + field(2, minus)))], (), dense)
    for kind, data in (("cut", record(i=[1, 2])[:-1]), ("text", b"no record"), ("cut number", field(1, field(
            1, field(1, b"i") + field(2, field(3, field(1, b"\x81"))))))):
        yield case(f"mismatch {kind}", [data], (("i", "int64"),))
        yield case(f"mismatch {kind} dense", [data], (), dense)
        yield case(f"mismatch {kind} of one", [data], (("i", "int64"),), shape=())


def parse_example(op):
    def case(kind, records, sparse=(), dense=(), shape=None, ragged=(), names=None):
        keys = [text(*(k for k, *_ in part)) if part else empty("string", (0,)) for part in (sparse, dense, ragged)]
        attrs = {"Tdense": ("types", [t for _, t, _, _ in dense]), "num_sparse": ("int", len(sparse)),
                 "sparse_types": ("types", [t for _, t in sparse]),
                 "ragged_value_types": ("types", [t for _, t, _ in ragged]),
                 "ragged_split_types": ("types", [t for _, _, t in ragged]),
                 "dense_shapes": ("shapes", [s for _, _, s, _ in dense])}
        names = empty("string", (0,)) if names is None else names
        return Case(kind, attrs, [raw(*records, shape=shape), names, *keys, *(d for *_, d in dense)],
                    3 * len(sparse) + len(dense) + 2 * len(ragged))
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
    yield case("mismatch sparse type of one", [a], (("i", "string"),), shape=())
    yield case("mismatch named", [a, b], (), (("i", "float", (2,), nothing["float"]),), names=text("one", "two"))
    yield case("mismatch named none", [a, b], (), (("m", "float", (2,), nothing["float"]),), names=text("one", "two"))
    yield case("mismatch names", [a, b], (), (("f", "float", (), nothing["float"]),), names=text("one"))
    yield from parse_rows(case, nothing)
    yield from parse_ragged(case)
    yield from parse_bytes(case, nothing)


def parse_example_v1(op):
    """ParseExample, whose keys are inputs of their own, and ParseSingleExample, whose keys are attributes."""
    is_one = op == "ParseSingleExample"

    def case(kind, records, sparse, dense):
        attrs = {"sparse_types": ("types", [t for _, t in sparse]), "Tdense": ("types", [t for _, t, _, _ in dense]),
                 "dense_shapes": ("shapes", [s for _, _, s, _ in dense])}
        defaults = [d for *_, d in dense]
        count = 3 * len(sparse) + len(dense)
        if is_one:
            attrs.update(num_sparse=("int", len(sparse)), sparse_keys=("strings", [k for k, _ in sparse]),
                         dense_keys=("strings", [k for k, *_ in dense]))
            lists, start = {"v": defaults}, [const("records", raw(records[0], shape=()))]
        else:
            attrs.update(Nsparse=("int", len(sparse)), Ndense=("int", len(dense)))
            start = [const("records", raw(*records)), const("names", empty("string", (0,)))]
            lists = {"s": [text(k, shape=()) for k, _ in sparse], "d": [text(k, shape=()) for k, *_ in dense],
                     "v": defaults}
        consts = [const(f"{part}{i}", value) for part, values in lists.items() for i, value in enumerate(values)]
        inputs = [[f"{part}{i}" for i in range(len(values))] for part, values in lists.items()]
        nodes = [*start, *consts, node("p", op, *(n.name for n in start), *inputs, **attrs)]
        return GraphCase(kind, "string", nodes, [Run([f"p:{i}" if i else "p" for i in range(count)])])

    a, b = record(i=[1, 2], f=[0.5], s=[b"x", b"yz"]), record(i=[3, 4])
    dense = (("i", "int64", (2,), empty("int64", (0,))), ("f", "float", (), tensor("float", 7.5)))
    yield case("plain", [a, b], (("s", "string"), ("n", "int64")), dense)
    yield case("other dense", [a, b], (), dense)
    yield case("other sparse", [a, b], (("f", "float"), ("i", "int64")), ())
    yield case("other rows", [a, b], (), (("i", "int64", (-1,), tensor("int64", 9)),))
    yield case("mismatch type", [a], (("i", "float"),), ())
    yield case("mismatch none", [b], (), (("m", "int64", (2,), empty("int64", (0,))),))
    yield case("mismatch bytes", [b"no record"], (("i", "float"),), ())


def sequence(context, lists):
    """A serialised SequenceExample."""
    steps = b"".join(field(1, field(1, key.encode()) + field(2, b"".join(
        field(1, record(x=step)[4 + 3 + 2:]) for step in rows))) for key, rows in lists.items())
    return record(**context) + field(2, steps)


def parse_sequence(op):
    """A context of every kind, and lists of every kind."""
    none = empty("string", (0,))
    attrs = {"Ncontext_sparse": ("int", 1), "Tcontext_dense": ("types", ["int64"]),
             "context_sparse_types": ("types", ["string"]), "context_ragged_value_types": ("types", ["float"]),
             "context_ragged_split_types": ("types", ["int32"]), "context_dense_shapes": ("shapes", [(2,)]),
             "Nfeature_list_sparse": ("int", 1), "Nfeature_list_dense": ("int", 1),
             "feature_list_dense_types": ("types", ["int64"]), "feature_list_sparse_types": ("types", ["string"]),
             "feature_list_ragged_value_types": ("types", ["float"]),
             "feature_list_ragged_split_types": ("types", ["int64"]), "feature_list_dense_shapes": ("shapes", [(2,)])}

    def case(kind, records, names=none, may_miss=True):
        parts = {"records": raw(*records), "names": names, "cs": text("s"), "cd": text("i"), "cr": text("f"),
                 "ls": text("ls"), "ld": text("li"), "lr": text("lf"), "miss": tensor("bool", [may_miss])}
        nodes = [*(const(name, value) for name, value in parts.items()), const("d", empty("int64", (0,))),
                 node("p", op, *parts, ["d"], **attrs)]
        fetches = ["p", *(f"p:{i}" for i in range(1, 14))]
        return GraphCase(kind, "string", nodes, [Run(fetches)])

    a = sequence({"i": [1, 2], "s": [b"x"], "f": [0.5]},
                 {"li": [[1, 2], [3, 4]], "ls": [[b"u", b"v"], [b"w"]], "lf": [[1.5], [2.5, 3.5]]})
    b = sequence({"i": [3, 4]}, {"li": [[5, 6]]})
    yield case("plain", [a, b])
    yield case("other one", [a])
    yield case("mismatch size", [sequence({"i": [1]}, {}), b])
    yield case("mismatch none", [sequence({}, {}), b])
    yield case("mismatch list", [a, sequence({"i": [1, 2]}, {"li": [[1, 2], [3]]})], text("one", "two"))
    yield case("mismatch list none", [a, sequence({"i": [1, 2]}, {})], may_miss=False)
    yield case("mismatch list type", [a, sequence({"i": [1, 2]}, {"ls": [[1]]})])
    yield case("mismatch type", [a, sequence({"i": [b"x"]}, {})])
    yield case("mismatch bytes", [a, b"no record"])


OLD_SEQUENCE = {
    "Ncontext_sparse": ("int", 1), "Ncontext_dense": ("int", 1), "Nfeature_list_sparse": ("int", 1),
    "Nfeature_list_dense": ("int", 1), "context_sparse_types": ("types", ["string"]), "Tcontext_dense": ("types", ["int64"]),
    "feature_list_dense_types": ("types", ["int64"]), "context_dense_shapes": ("shapes", [(2,)]),
    "feature_list_sparse_types": ("types", ["string"]), "feature_list_dense_shapes": ("shapes", [(2,)])}


def old_sequences():
    """Two sound records, and some that are not."""
    a = sequence({"i": [1, 2], "s": [b"x", b"y"]}, {"li": [[1, 2], [3, 4]], "ls": [[b"u", b"v"], [b"w"]]})
    return a, sequence({"i": [3, 4]}, {"li": [[5, 6]]}), {
        "size": sequence({"i": [1]}, {"li": [[5, 6]]}), "none": sequence({"s": [b"x"]}, {"li": [[5, 6]]}),
        "list": sequence({"i": [1, 2]}, {"li": [[1, 2], [3]]}), "list none": sequence({"i": [1, 2]}, {}),
        "bytes": b"no record"}


def parse_sequence_v1(op):
    """Keys are attributes."""
    def case(kind, records, names, default, missing=(), outputs=9):
        attrs = OLD_SEQUENCE | {
            "feature_list_dense_missing_assumed_empty": ("strings", list(missing)), "context_sparse_keys": ("strings", ["s"]),
            "context_dense_keys": ("strings", ["i"]), "feature_list_sparse_keys": ("strings", ["ls"]),
            "feature_list_dense_keys": ("strings", ["li"])}
        return Case(kind, attrs, [records, names, default], outputs, lists=[None, None, 1])

    none, names, default = empty("string", (0,)), text("one", "two"), empty("int64", (0,))
    a, b, bad = old_sequences()
    yield case("plain", raw(a, b), none, default)
    yield case("scalar", raw(a, shape=()), none, default)
    yield case("other default", raw(a, bad["none"]), none, tensor("int64", [8, 9]))
    yield case("other missing", raw(a, bad["list none"]), none, default, ["li"])
    yield case("empty", empty("string", (0,)), none, tensor("int64", [8, 9]))
    for kind, record in bad.items():
        yield case(f"mismatch {kind}", raw(a, record), names, default)
    yield case("mismatch default", raw(a, b), none, tensor("int64", [8, 9, 9]))
    yield case("mismatch rank", raw(a, b, shape=(1, 2)), none, default)


def parse_single_sequence(op):
    """One record; keys are inputs of their own."""
    def case(kind, record, default, missing=(), name="one", **shape):
        keys = [raw(key, shape=()) for key in (b"s", b"i", b"ls", b"li")]
        inputs = [raw(record, **({"shape": ()} | shape)), raw(*missing) if missing else empty("string", (0,)), *keys, default,
                  raw(name.encode(), shape=())]
        return Case(kind, OLD_SEQUENCE, inputs, 8, lists=[None, None, 1, 1, 1, 1, 1, None])

    default = empty("int64", (0,))
    a, b, bad = old_sequences()
    yield case("plain", a, default)
    yield case("other few", b, default)
    yield case("other default", bad["none"], tensor("int64", [8, 9]))
    yield case("other missing", bad["list none"], default, [b"li"])
    for kind, record in bad.items():
        yield case(f"mismatch {kind}", record, default)
    yield case("mismatch default", a, tensor("int64", [8, 9, 9]))
    yield case("mismatch rank", a, default, shape=(1,))


def decode_compressed(op):
    plain = [b"", b"abc", b"long text " * 500]
    for kind, pack in (("", bytes), ("ZLIB", zlib.compress), ("GZIP", lambda data: gzip.compress(data, mtime=0))):
        attrs = {"compression_type": string(kind)}
        yield Case(f"plain {kind}", attrs, [raw(*(pack(data) for data in plain))])
        yield Case(f"scalar {kind}", attrs, [raw(pack(b"abc"), shape=())])
        yield Case(f"empty {kind}", attrs, [empty("string", (0, 2))])
        if kind:
            yield Case(f"mismatch {kind}", attrs, [raw(b"no such thing")])
            yield Case(f"other cut {kind}", attrs, [raw(pack(b"abc" * 100)[:-7])])
    yield Case("mismatch kind", {"compression_type": string("BZIP2")}, [raw(b"")])


OPS = {"ReadFile": read_file, "WriteFile": write_file, "MatchingFiles": matching_files, "DecodeRaw": decode_raw,
       "DecodePaddedRaw": decode_padded,
       "SerializeTensor": serialize, "ParseTensor": parse_tensor, "DecodeCSV": decode_csv,
       "ParseSequenceExample": parse_sequence_v1, "ParseSingleSequenceExample": parse_single_sequence,
       "ParseExampleV2": parse_example, "ParseExample": parse_example_v1, "ParseSingleExample": parse_example_v1,
       "ParseSequenceExampleV2": parse_sequence, "DecodeCompressed": decode_compressed}
