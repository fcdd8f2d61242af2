"""Cases of ragged tensors."""

from golden_case import Case, GraphCase, Run, const, node, types
from golden_types import FLOATS, Tensor, empty, i32, index, plain, registered, registered_types, tensor

FEW = ("float", "string")


def i64(values):
    return index("int64", values)


def ragged_range(op):
    for dtype, splits in registered(op, "T", "Tsplits"):
        def case(kind, *values):
            inputs = [v if isinstance(v, Tensor) else tensor(dtype, v) for v in values]
            return Case(kind, types(T=dtype, Tsplits=splits), inputs, output_count=2)
        yield case("scalar", 0, 5, 2)
        yield case("plain", [0, 5, 8], [3, 0, 8], [1, -2, 1])
        yield case("broadcast", 1, [4, 9, 0], 3)
        yield case("empty", empty(dtype, (0,)), empty(dtype, (0,)), empty(dtype, (0,)))
        yield case("empty rows", [3, 3], [3, 1], 1)
        yield case("mismatch sizes", [0, 5], [3, 0, 8], 1)
        yield case("mismatch zero", 0, 5, [1, 0])
        yield case("mismatch rank", [[0]], 5, 1)
        yield case("mismatch rank", 0, [[5]], 1)
        yield case("mismatch rank", 0, 5, [[1]])
        if dtype in FLOATS:
            yield case("plain broken", 0.5, [2.75, -1], [0.25, -0.5])
            yield case("special", [0, 1], [float("inf"), 4], 1)
            yield case("special", 0, float("nan"), 1)
        if (dtype, splits) == ("int64", "int32"):
            yield case("overflow", [0], [2**62], [1])
        if dtype == "int32":
            yield case("plain back", 10, -11, -7)


def to_sparse(op):
    for dtype, splits in registered(op, "T", "Tsplits"):
        def case(kind, values, *rows):
            attrs = {**types(T=dtype, Tsplits=splits), "RAGGED_RANK": ("int", len(rows))}
            return Case(kind, attrs, [*(r if isinstance(r, Tensor) else index(splits, r) for r in rows), values],
                        output_count=3, lists=[len(rows), None])
        yield case("plain", plain(dtype, (5,)), [0, 2, 2, 5])
        if splits == "int64":
            yield case("empty", empty(dtype, (0,)), [0])
        if dtype not in FEW:
            continue
        yield case("plain twice", plain(dtype, (5,)), [0, 2, 2, 3], [0, 2, 2, 5])
        yield case("plain inner", plain(dtype, (5, 2)), [0, 2, 2, 5])
        yield case("plain inner deep", plain(dtype, (3, 2, 2)), [0, 1, 2], [0, 2, 3])
        yield case("empty rows", empty(dtype, (0,)), [0, 0, 0])
        yield case("empty inner", empty(dtype, (2, 0)), [0, 0, 2])
        yield case("mismatch first", plain(dtype, (5,)), [1, 2, 5])
        yield case("mismatch last", plain(dtype, (5,)), [0, 2, 4])
        yield case("mismatch last", plain(dtype, (5,)), [0, 2, 7])
        yield case("mismatch back", plain(dtype, (5,)), [0, 3, 2, 5])
        yield case("mismatch nested", plain(dtype, (5,)), [0, 2, 3], [0, 2, 5])
        yield case("mismatch none", plain(dtype, (5,)), empty(splits, (0,)))
        yield case("mismatch scalar", plain(dtype, ()), [0, 1])


def gather(op):
    for dtype, indices, splits in registered(op, "Tvalues", "Tindices", "Tsplits"):
        def case(kind, values, at, *rows):
            at = at if isinstance(at, Tensor) else index(indices, at)
            rank = len(rows) + len(at.shape) - 1
            attrs = {**types(Tvalues=dtype, Tindices=indices, Tsplits=splits),
                     "PARAMS_RAGGED_RANK": ("int", len(rows)), "OUTPUT_RAGGED_RANK": ("int", max(rank, 0))}
            return Case(kind, attrs, [*(r if isinstance(r, Tensor) else index(splits, r) for r in rows), values, at],
                        output_count=max(rank, 0) + 1, lists=[len(rows), None, None])
        yield case("plain", plain(dtype, (5,)), [2, 0, 2, 1], [0, 2, 2, 5])
        yield case("empty", plain(dtype, (5,)), empty(indices, (0,)), [0, 2, 2, 5])
        if dtype not in FEW:
            continue
        yield case("plain matrix", plain(dtype, (5,)), [[2, 0], [1, 2]], [0, 2, 2, 5])
        yield case("plain deep", plain(dtype, (5,)), [[[2], [0]], [[1], [2]]], [0, 2, 2, 5])
        yield case("plain twice", plain(dtype, (5,)), [1, 2, 0, 0], [0, 2, 2, 3], [0, 2, 2, 5])
        yield case("plain inner", plain(dtype, (5, 2)), [2, 0], [0, 2, 2, 5])
        yield case("scalar", plain(dtype, (5,)), 2, [0, 2, 2, 5])
        yield case("scalar", plain(dtype, (5,)), 0, [0, 2, 2, 3], [0, 2, 2, 5])
        yield case("mismatch index", plain(dtype, (5,)), [0, 3], [0, 2, 2, 5])
        yield case("mismatch index", plain(dtype, (5,)), [-1], [0, 2, 2, 5])
        yield case("mismatch back", plain(dtype, (5,)), [0, 1], [0, 3, 2, 5])
        yield case("mismatch far", plain(dtype, (5,)), [0, 1], [0, 3, 9])
        yield case("mismatch below zero", plain(dtype, (5,)), [0, 1], [-1, 3, 5])
        yield case("mismatch scalar", plain(dtype, ()), [0], [0, 1])
        yield case("mismatch rank", plain(dtype, (5,)), [0], [[0, 5]])
        yield case("mismatch none", plain(dtype, (5,)), [0], empty(splits, (0,)))
        yield case("mismatch nested", plain(dtype, (5,)), [0], [0, 9], [0, 2, 5])


# TensorFlow reads beyond the end of values that are fewer than rows say.
def to_tensor(op):
    for dtype, rows, sizes in registered(op, "T", "Tindex", "Tshape"):
        def case(kind, shape, values, parts, default=None):
            shape = shape if isinstance(shape, Tensor) else index(sizes, shape)
            default = plain(dtype, (), 3) if default is None else default
            attrs = {**types(T=dtype, Tindex=rows, Tshape=sizes), "num_row_partition_tensors": ("int", len(parts)),
                     "row_partition_types": ("strings", [p[0] for p in parts])}
            return Case(kind, attrs, [shape, values, default,
                                      *(p[1] if isinstance(p[1], Tensor) else index(rows, p[1]) for p in parts)],
                        lists=[None, None, None, len(parts)])
        one = [("ROW_SPLITS", [0, 2, 2, 5])]
        yield case("plain", -1, plain(dtype, (5,)), one)
        ids = [("FIRST_DIM_SIZE", 4), ("VALUE_ROWIDS", [0, 0, 2, 2, 2])]
        yield case("plain ids", [-1, -1], plain(dtype, (5,)), ids)
        if rows == "int64":
            yield case("empty", -1, empty(dtype, (0,)), [("ROW_SPLITS", [0])])
        if dtype not in FEW:
            continue
        yield case("plain cut", [2, 1], plain(dtype, (5,)), one)
        yield case("plain longer", [5, 4], plain(dtype, (5,)), one)
        yield case("plain longer", [5, 4], plain(dtype, (5,)), ids)
        two = [("ROW_SPLITS", [0, 2, 2, 3]), ("ROW_SPLITS", [0, 2, 2, 5])]
        yield case("plain twice", -1, plain(dtype, (5,)), two)
        yield case("plain twice", [-1, 3, 2], plain(dtype, (5,)), two)
        yield case("plain twice", [2, 1, 4], plain(dtype, (5,)), two)
        mixed = [("FIRST_DIM_SIZE", 3), ("VALUE_ROWIDS", [0, 0, 2]), ("VALUE_ROWIDS", [0, 0, 1, 2, 2])]
        yield case("plain thrice", -1, plain(dtype, (5,)), mixed)
        yield case("plain mixed", -1, plain(dtype, (5,)), [*mixed[:2], ("ROW_SPLITS", [0, 2, 2, 5])])
        yield case("plain mixed", -1, plain(dtype, (5,)), [two[0], ("VALUE_ROWIDS", [0, 0, 1, 2, 2])])
        yield case("plain inner", -1, plain(dtype, (5, 2)), one)
        yield case("plain inner", [-1, 2, 2], plain(dtype, (5, 2)), one, plain(dtype, (2,), 7))
        yield case("plain inner", -1, plain(dtype, (5, 2)), one, plain(dtype, (1,), 7))
        yield case("plain inner deep", -1, plain(dtype, (5, 2, 2)), one, plain(dtype, (2, 1), 7))
        yield case("empty rows", -1, empty(dtype, (0,)), [("ROW_SPLITS", [0, 0, 0])])
        yield case("empty rows", [3, 2], empty(dtype, (0,)), [("ROW_SPLITS", [0, 0, 0])])
        yield case("empty", [0, 0], plain(dtype, (5,)), one)
        yield case("mismatch rank", [2, 2, 2], plain(dtype, (5,)), one)
        yield case("mismatch rank", [2], plain(dtype, (5,)), one)
        yield case("mismatch shape", 3, plain(dtype, (5,)), one)
        yield case("mismatch shape", [[2, 3]], plain(dtype, (5,)), one)
        yield case("mismatch shape", [-2, 3], plain(dtype, (5,)), one)
        yield case("mismatch inner", [-1, -1, 3], plain(dtype, (5, 2)), one)
        yield case("mismatch default", -1, plain(dtype, (5, 2)), one, plain(dtype, (3,)))
        yield case("mismatch default", -1, plain(dtype, (5,)), one, plain(dtype, (1,)))
        yield case("mismatch default", -1, plain(dtype, (5, 2)), one, plain(dtype, (1, 2)))
        yield case("mismatch first", -1, plain(dtype, (5,)), [("ROW_SPLITS", [1, 2, 5])])
        yield case("mismatch back", -1, plain(dtype, (5,)), [("ROW_SPLITS", [0, 3, 2, 5])])
        yield case("mismatch none", -1, plain(dtype, (5,)), [("ROW_SPLITS", empty(rows, (0,)))])
        yield case("mismatch ids", -1, plain(dtype, (5,)), [("FIRST_DIM_SIZE", 2), ("VALUE_ROWIDS", [0, 0, 2, 2, 2])])
        yield case("mismatch kind", -1, plain(dtype, (5,)), [("VALUE_ROWIDS", [0, 0, 2, 2, 2])])
        yield case("mismatch kind", -1, plain(dtype, (5,)), [("ROW_LIMITS", [0, 0, 2, 2, 2])])
        yield case("mismatch kind", -1, plain(dtype, (5,)), [("FIRST_DIM_SIZE", 2)])
        yield case("mismatch first size", -1, plain(dtype, (5,)), [("FIRST_DIM_SIZE", [4]), ids[1]])
        yield case("mismatch scalar", -1, plain(dtype, ()), one)


def fill_rows(op):
    for dtype in registered_types(op):
        def case(kind, ids, values, rows, default=None):
            default = plain(dtype, (), 3) if default is None else default
            return Case(kind, types(T=dtype), [
                ids if isinstance(ids, Tensor) else i64(ids), values,
                rows if isinstance(rows, Tensor) else i64(rows), default], output_count=4)
        yield case("plain", [0, 0, 2, 4], plain(dtype, (4,)), 6)
        yield case("plain full", [0, 1, 1], plain(dtype, (3,)), 2)
        yield case("empty", empty("int64", (0,)), empty(dtype, (0,)), 3)
        if dtype not in FEW:
            continue
        yield case("plain unordered", [2, 0, 2], plain(dtype, (3,)), 4)
        yield case("mismatch far", [0, 6], plain(dtype, (2,)), 6)
        yield case("mismatch below zero", [-1, 2], plain(dtype, (2,)), 6)
        yield case("mismatch none", [0, 2], plain(dtype, (2,)), 0)
        yield case("mismatch sizes", [0, 2, 3], plain(dtype, (2,)), 6)
        yield case("mismatch rank", [[0, 2]], plain(dtype, (2,)), 6)
        yield case("mismatch values", [0, 2], plain(dtype, (2, 1)), 6)
        yield case("mismatch rows", [0, 2], plain(dtype, (2,)), [6])
        yield case("mismatch rows", [0, 2], plain(dtype, (2,)), -1)
        yield case("mismatch default", [0, 2], plain(dtype, (2,)), 6, plain(dtype, (1,)))


def fill_grad(op):
    for dtype in registered_types(op):
        def case(kind, back, grads):
            return Case(kind, types(T=dtype), [back if isinstance(back, Tensor) else i64(back), grads], output_count=2)
        yield case("plain", [0, 1, 3], plain(dtype, (5,)))
        yield case("empty", empty("int64", (0,)), plain(dtype, (3,)))
        if dtype not in FEW:
            continue
        yield case("empty both", empty("int64", (0,)), empty(dtype, (0,)))
        yield case("mismatch far", [0, 5], plain(dtype, (5,)))
        yield case("mismatch below zero", [-1, 0], plain(dtype, (5,)))
        yield case("mismatch rank", [[0]], plain(dtype, (5,)))
        yield case("mismatch grads", [0], plain(dtype, (5, 1)))


def through_variants(op):
    """Ragged tensors made variants, and joined again."""
    def case(kind, splits, values, is_batch=True, shape=None, rank=-1, more=None, out=None, dtype=None):
        sort = splits[0].dtype if splits else "int64"
        names = [f"s{i}" for i in range(len(splits))]
        given = {"Tvalues": ("type", values.dtype), "Tsplits": ("type", sort)}
        nodes = [*(const(name, value) for name, value in zip(names, splits)), const("v", values),
                 node("to", "RaggedTensorToVariant", names, "v", RAGGED_RANK=("int", len(splits)),
                      batched_input=("bool", is_batch), **given)]
        last = "to"
        if shape is not None:
            nodes += [const("shape", index("int32", shape)),
                      node("turned", "Reshape", "to", "shape", T=("type", "variant"), Tshape=("type", "int32"))]
            last = "turned"
        out = (len(splits) if out is None else out) + (len(shape) - 1 if shape is not None else 0)
        nodes.append(node("from", op, last, input_ragged_rank=("int", rank), output_ragged_rank=("int", out),
                          **given | ({"Tvalues": ("type", dtype)} if dtype else {})))
        return GraphCase(kind, values.dtype, nodes, [Run(["from", *(f"from:{i}" for i in range(1, out + 1))])])

    for dtype, splits in registered(op, "Tvalues", "Tsplits"):
        rows = index(splits, [0, 2, 2, 5])
        yield case("plain", [rows], plain(dtype, (5,)))
        yield case("other inner", [index(splits, [0, 1, 3]), rows], plain(dtype, (5, 2)))
    values, rows = plain("float", (5,)), i64([0, 2, 2, 5])
    yield case("other whole", [rows], values, False)
    yield case("other matrix", [i64([0, 2, 2, 5, 5])], values, shape=[2, 2])
    yield case("other deep", [i64([0, 1, 3]), rows], values, rank=1)
    yield case("empty", [i64([0])], empty("float", (0,)))
    yield case("empty values", [i64([0, 0, 0])], empty("float", (0, 3)))
    yield case("mismatch out", [i64([0, 1, 3]), rows], values, out=1)
    yield case("mismatch type", [rows], values, dtype="double")
    yield case("other dense", [], plain("float", (3, 2)), out=1)


def through_gradients(op):
    """Slopes by variants, joined."""
    def case(kind, splits, values, is_batch=True, sizes=None, dtype=None):
        names = [f"s{i}" for i in range(len(splits))]
        sort = splits[0].dtype if splits else "int64"
        given = {"Tvalues": ("type", values.dtype), "Tsplits": ("type", sort)}
        nodes = [*(const(name, value) for name, value in zip(names, splits)), const("v", values),
                 const("sizes", index("int32", list(values.shape) if sizes is None else sizes)),
                 node("to", "RaggedTensorToVariant", names, "v", RAGGED_RANK=("int", len(splits)),
                      batched_input=("bool", is_batch), **given)]
        nodes.append(node("back", op, "to", names[0], "sizes", **given | ({"Tvalues": ("type", dtype)} if dtype else {})))
        return GraphCase(kind, values.dtype, nodes, [Run(["back"])])

    def missing(dtype):
        """A list in which not every slope is."""
        nodes = [const("rows", i64([0, 1, 3, 5])), const("v", plain(dtype, (5, 2))), const("sizes", index("int32", [5, 2])),
                 const("one", index("int32", 1)), const("three", index("int32", 3)), const("none", empty("int32", (0,))),
                 node("to", "RaggedTensorToVariant", ["rows"], "v", RAGGED_RANK=("int", 1), batched_input=("bool", True),
                      Tvalues=("type", dtype), Tsplits=("type", "int64")),
                 node("item", "GatherV2", "to", "one", "zero", Tparams=("type", "variant"), Tindices=("type", "int32"),
                      Taxis=("type", "int32")),
                 const("zero", index("int32", 0)),
                 node("list", "TensorListReserve", "none", "three", element_dtype=("type", "variant"), shape_type=("type", "int32")),
                 node("set", "TensorListSetItem", "list", "one", "item", element_dtype=("type", "variant")),
                 node("all", "TensorListStack", "set", "none", element_dtype=("type", "variant"), num_elements=("int", 3)),
                 node("back", op, "all", "rows", "sizes", Tvalues=("type", dtype), Tsplits=("type", "int64"))]
        nodes = [n for n in nodes if n.name == "zero"] + [n for n in nodes if n.name != "zero"]
        return GraphCase("other missing", dtype, nodes, [Run(["back"])])

    for dtype, splits in registered(op, "Tvalues", "Tsplits"):
        yield case("plain", [index(splits, [0, 2, 2, 5])], plain(dtype, (5,)))
    rows = i64([0, 2, 2, 5])
    yield case("plain rows", [rows], plain("float", (5, 2)))
    yield case("plain nested", [i64([0, 1, 3]), rows], plain("float", (5, 2)))
    yield case("other whole", [rows], plain("double", (5, 2)), False)
    yield case("other one", [i64([0, 5])], plain("double", (5, 2)))
    yield case("empty", [i64([0, 0, 0])], empty("float", (0, 3)))
    yield missing("float")


OPS = {"RaggedTensorToVariantGradient": through_gradients, "RaggedRange": ragged_range, "RaggedTensorToSparse": to_sparse, "RaggedGather": gather,
       "RaggedTensorToTensor": to_tensor, "RaggedTensorFromVariant": through_variants, "RaggedFillEmptyRows": fill_rows, "RaggedFillEmptyRowsGrad": fill_grad}
