"""Cases of crossed features: every combination of what rows hold."""

from golden_case import Case, types
from golden_types import Tensor, empty, index, tensor

KEY = 956888297470


def i64(values):
    return index("int64", values)


def column(dtype, values):
    if dtype == "int64":
        return i64(values)
    return tensor("string", [v if isinstance(v, bytes) else f"s{v}".encode() for v in values]) if not isinstance(
        values[0] if values else 0, list) else tensor("string", [[f"s{v}".encode() for v in row] for row in values])


def sparse(dtype, at, values, shape):
    at = i64(at) if at else empty("int64", (0, 2))
    return at, column(dtype, values) if values else empty(dtype, (0,)), i64(shape)


AT = [[0, 0], [0, 1], [1, 0], [2, 0]]
OTHER = [[0, 0], [2, 0], [2, 1]]


def sparse_cross(op):
    def case(kind, columns, dense, extra, attrs, **more):
        inputs = [*(c[0] for c in columns), *(c[1] for c in columns), *(c[2] for c in columns), *dense, *extra]
        count = len(columns)
        attrs = {"N": ("int", count), "sparse_types": ("types", [c[1].dtype for c in columns]),
                 "dense_types": ("types", [d.dtype for d in dense]), **attrs}
        lists = [count, count, count, len(dense), *(None for _ in extra)]
        return Case(kind, attrs, inputs, output_count=3, lists=lists, **more)

    def ways():
        if op == "SparseCrossV2":
            yield "", [tensor("string", b"_X_", ())], {}
            yield " other", [tensor("string", b"", ())], {}
        elif op == "SparseCrossHashed":
            for buckets, strong, salt in ((0, False, [1, 2]), (100, False, [1, 2]), (100, True, [1, 2]), (0, True, [7, 9])):
                yield f" {buckets} {strong}", [i64(buckets), tensor("bool", strong, ()), i64(salt)], {}
        else:
            for out, hashed, buckets in (("string", False, 0), ("int64", True, 0), ("int64", True, 100)):
                yield f" {out} {buckets}", [], {
                    "hashed_output": ("bool", hashed), "num_buckets": ("int", buckets), "hash_key": ("int", KEY),
                    **types(out_type=out, internal_type="string")}

    for name, extra, attrs in ways():
        def one(kind, columns, dense=()):
            attrs_now = dict(attrs)
            if "internal_type" in attrs_now:
                kinds = {c[1].dtype for c in columns} | {d.dtype for d in dense}
                attrs_now["internal_type"] = ("type", "int64" if "int64" in kinds and kind != "mismatch type" else "string")
            return case(kind + name, columns, list(dense), extra, attrs_now)
        texts = sparse("string", AT, [1, 2, 3, 4], [3, 2])
        more = sparse("string", OTHER, [5, 6, 7], [3, 2])
        whole = sparse("int64", OTHER, [5, 6, 7], [3, 2])
        yield one("plain", [texts, more])
        yield one("plain mixed", [texts, whole])
        yield one("plain whole", [whole, whole])
        yield one("plain dense", [texts], [column("string", [[1, 2], [3, 4], [5, 6]])])
        if "True" not in name:  # TensorFlow takes numbers for texts there.
            yield one("plain dense whole", [whole], [i64([[1], [3], [5]])])
            yield one("plain dense alone", [], [column("string", [[1, 2], [3, 4]]), i64([[1, 7], [3, 8]])])
        yield one("plain three", [texts, more, whole])
        yield one("plain long", [sparse("string", [[0, 0]], [b"a text that is longer than others, and more"], [1, 1]), sparse(
            "string", [[0, 0]], [b""], [1, 1])])
        yield one("plain one", [texts])
        yield one("empty", [sparse("string", [], [], [3, 2]), more])
        yield one("empty rows", [sparse("string", [], [], [0, 2]), sparse("int64", [], [], [0, 1])])
        if op == "SparseCross":
            yield one("mismatch type", [texts, whole])
            yield one("mismatch type", [texts], [i64([[1], [3], [5]])])
        yield one("mismatch rows", [texts, sparse("string", OTHER, [5, 6, 7], [4, 2])])
        yield one("mismatch dense rows", [texts], [i64([[1], [3]])])
        yield one("mismatch rank", [(i64([0, 1]), column("string", [1, 2]), i64([3, 2]))])
        yield one("mismatch sizes", [(i64(AT), column("string", [1, 2]), i64([3, 2]))])
        yield one("mismatch shape", [(i64(AT), column("string", [1, 2, 3, 4]), i64([3]))])
        yield one("mismatch values", [(i64(AT), column("string", [[1, 2], [3, 4]]), i64([3, 2]))])
        yield one("mismatch dense rank", [texts], [i64([1, 3, 5])])
        yield one("mismatch many", [(i64([[0, 0, 0]]), column("string", [1]), i64([3, 2, 1]))])


def ragged_cross(op):
    for splits_out in ("int32", "int64"):
        def rows(values):
            return index(splits_out, values)
        for out, hashed, buckets in (("string", False, 0), ("int64", True, 0), ("int64", True, 100)):
            def case(kind, ragged, columns=(), dense=(), order=None):
                inputs = [*(r[1] for r in ragged), *(r[0] for r in ragged), *(c[0] for c in columns),
                          *(c[1] for c in columns), *(c[2] for c in columns), *dense]
                order = "R" * len(ragged) + "S" * len(columns) + "D" * len(dense) if order is None else order
                attrs = {"Nsparse": ("int", len(columns)), "input_order": ("string", order),
                         "hashed_output": ("bool", hashed), "num_buckets": ("int", buckets), "hash_key": ("int", KEY),
                         "ragged_values_types": ("types", [r[1].dtype for r in ragged]),
                         "ragged_splits_types": ("types", [r[0].dtype for r in ragged]),
                         "sparse_values_types": ("types", [c[1].dtype for c in columns]),
                         "dense_types": ("types", [d.dtype for d in dense]),
                         **types(out_values_type=out, out_row_splits_type=splits_out)}
                lists = [len(ragged), len(ragged), len(columns), len(columns), len(columns), len(dense)]
                return Case(f"{kind} {buckets}", attrs, inputs, output_count=2, lists=lists)
            one = (rows([0, 2, 2, 3]), column("string", [1, 2, 3]))
            two = (rows([0, 1, 2, 4]), i64([4, 5, 6, 7]))
            texts = sparse("string", AT, [1, 2, 3, 4], [3, 2])
            yield case("plain", [one, two])
            yield case("plain mixed", [one], [texts], [i64([[1], [3], [5]])])
            yield case("plain order", [one, two], [texts], [i64([[1], [3], [5]])], "DRSR")
            yield case("plain dense", [], [], [column("string", [[1, 2], [3, 4]]), i64([[1, 7], [3, 8]])])
            yield case("plain one", [one])
            yield case("plain sparse", [one], [sparse("int64", OTHER, [5, 6, 7], [3, 2])])
            yield case("empty", [(rows([0]), empty("string", (0,))), (rows([0]), empty("int64", (0,)))])
            if splits_out == "int32":
                continue
            yield case("mismatch rows", [one, (i64([0, 1, 2]), i64([4, 5]))])
            yield case("mismatch rows", [one], [], [i64([[1], [3]])])
            yield case("mismatch first", [(i64([1, 2, 3]), i64([4, 5, 7]))])
            yield case("mismatch last", [(i64([0, 2, 5]), i64([4, 5, 7]))])
            yield case("mismatch back", [(i64([0, 2, 1, 3]), i64([4, 5, 7]))])
            yield case("mismatch order", [one], [], [], "RR")
            yield case("mismatch order", [one], [], [], "X")
            yield case("mismatch none", [(empty("int64", (0,)), i64([4]))])
            yield case("mismatch rank", [(i64([[0, 1]]), i64([4]))])
            yield case("mismatch dense rank", [one], [], [i64([1, 3, 5])])
            yield case("mismatch sparse rank", [], [(i64([0, 1]), column("string", [1, 2]), i64([3, 2]))])


OPS = {"SparseCross": sparse_cross, "SparseCrossV2": sparse_cross, "SparseCrossHashed": sparse_cross,
       "RaggedCross": ragged_cross}
