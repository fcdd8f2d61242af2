"""Cases of sparse tensors that are joined, cut, put in order or filled."""

from cases_sparse_math import AT, NONE, SHAPE, i64, some
from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import empty, plain, registered_types


def graph(op, dtype, kind, inputs, lists, attrs, outputs):
    """One node of |op| whose inputs are given as lists of tensors, or tensors where |lists| says no."""
    nodes, arguments = [], []
    for number, (value, is_list) in enumerate(zip(inputs, lists)):
        names = []
        for k, one in enumerate(value if is_list else [value]):
            names.append(f"i{number}_{k}")
            nodes += hidden(names[-1], one)
        arguments.append(names if is_list else names[0])
    nodes.append(node("f", op, *arguments, **attrs))
    return GraphCase(kind, dtype, nodes, [Run(fetches=[f"f:{k}" if k else "f" for k in range(outputs)])])


def concat(op):
    for dtype in registered_types(op):
        def case(kind, axis, *parts):
            attrs = {**types(T=dtype), "concat_dim": ("int", axis), "N": ("int", len(parts))}
            return graph(op, dtype, kind, list(zip(*parts)), (True, True, True), attrs, 3)
        a, b = some(dtype), some(dtype, 4, [[0, 0], [1, 2]])
        for axis in (0, 1, -1):
            yield case("axis", axis, a, b)
        yield case("plain three", 1, a, b, some(dtype, 2, [[0, 3]], [2, 4]))
        yield case("empty", 1, some(dtype, at=NONE), some(dtype, at=NONE))
        yield case("empty one", 0, some(dtype, at=NONE), a)
        yield case("other deep", 1, some(dtype, at=[[0, 0, 1], [1, 1, 0]], shape=[2, 2, 2]),
                   some(dtype, 3, [[0, 0, 0], [1, 0, 1]], [2, 1, 2]))
        if dtype == "float":
            yield case("mismatch axis", 2, a, b)
            yield case("mismatch axis", -3, a, b)
            yield case("mismatch sizes", 0, a, some(dtype, shape=[2, 4]))
            yield case("mismatch ranks", 0, a, some(dtype, at=[[0]], shape=[2]))
            yield case("mismatch values", 0, a, [i64(AT), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch indices", 0, a, [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch vector", 0, a, [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)])
            yield case("mismatch shape", 0, a, [i64(AT), plain(dtype, (3,)), i64([SHAPE])])
            yield case("mismatch far", 0, a, some(dtype, at=[[2, 0]]))


def split(op):
    for dtype in registered_types(op):
        def case(kind, axis, count, sparse):
            axis = i64(axis) if isinstance(axis, int) else axis
            attrs = {**types(T=dtype), "num_split": ("int", count)}
            return Case(kind, attrs, [axis, *sparse], output_count=3 * count)
        a = some(dtype)
        yield case("axis", 0, 2, a)
        yield case("axis", 1, 3, a)
        yield case("axis uneven", 1, 2, a)
        yield case("axis one", 1, 1, a)
        yield case("empty", 1, 2, some(dtype, at=NONE))
        if dtype == "float":
            yield case("axis", -1, 2, a)
            yield case("other deep", 2, 2, some(dtype, at=[[0, 0, 1], [1, 1, 0]], shape=[2, 2, 3]))
            yield case("mismatch axis", 2, 2, a)
            yield case("mismatch axis", -3, 2, a)
            yield case("mismatch many", 0, 3, a)
            yield case("mismatch scalar", i64([0, 1]), 2, a)
            yield case("mismatch values", 0, 2, [i64(AT), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch indices", 0, 2, [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch vector", 0, 2, [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)])
            yield case("mismatch shape", 0, 2, [i64(AT), plain(dtype, (3,)), i64([SHAPE])])
            yield case("mismatch columns", 0, 2, some(dtype, at=[[0, 1, 0]]))
            yield case("mismatch far", 0, 2, some(dtype, at=[[5, 0]]))


def slices(op):
    for dtype in registered_types(op):
        def case(kind, sparse, start, size):
            return Case(kind, types(T=dtype), [*sparse, i64(start), i64(size)], output_count=3)
        a = some(dtype)
        yield case("plain", a, [0, 1], [2, 2])
        yield case("plain one", a, [1, 0], [1, 1])
        yield case("other beyond", a, [1, 1], [5, 5])
        yield case("other outside", a, [4, 4], [1, 1])
        yield case("empty", some(dtype, at=NONE), [0, 0], [1, 1])
        yield case("empty size", a, [0, 0], [0, 2])
        if dtype == "float":
            yield case("mismatch start", a, [0], [1, 1])
            yield case("mismatch size", a, [0, 0], [1])
            yield case("mismatch rank", a, [[0, 0]], [1, 1])
            yield case("mismatch negative", a, [0, 0], [-1, 1])
            yield case("mismatch before", a, [-1, 0], [1, 1])
            yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)], [0, 0], [1, 1])
            yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)], [0, 0], [1, 1])
            yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)], [0, 0], [1, 1])
            yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([SHAPE])], [0, 0], [1, 1])
            yield case("mismatch columns", some(dtype, at=[[0, 1, 0]]), [0, 0], [1, 1])


def slice_grad(op):
    for dtype in registered_types(op):
        def case(kind, grad, at, start, cut):
            return Case(kind, types(T=dtype), [grad, *(v if hasattr(v, "data") else i64(v) for v in (at, start, cut))])
        yield case("plain", plain(dtype, (2,)), AT, [0, 1], [[0, 0], [1, 1]])
        yield case("empty", empty(dtype, (0,)), AT, [0, 0], NONE)
        if dtype == "float":
            yield case("mismatch grads", plain(dtype, (3,)), AT, [0, 1], [[0, 0], [1, 1]])
            yield case("mismatch rank", plain(dtype, (2, 1)), AT, [0, 1], [[0, 0], [1, 1]])
            yield case("mismatch indices", plain(dtype, (2,)), [0, 1], [0, 1], [[0, 0], [1, 1]])
            yield case("mismatch start", plain(dtype, (2,)), AT, [[0, 1]], [[0, 0], [1, 1]])
            yield case("mismatch columns", plain(dtype, (2,)), AT, [0, 1, 2], [[0, 0], [1, 1]])
            yield case("mismatch cut", plain(dtype, (2,)), AT, [0, 1], [[0, 0, 0], [1, 1, 1]])
            yield case("mismatch elsewhere", plain(dtype, (2,)), AT, [0, 1], [[0, 0], [0, 1]])


def reorder(op):
    for dtype in registered_types(op):
        def case(kind, sparse):
            return Case(kind, types(T=dtype), sparse, output_count=2)
        yield case("plain", some(dtype, at=AT[::-1]))
        yield case("other ordered", some(dtype))
        yield case("empty", some(dtype, at=NONE))
        if dtype == "float":
            yield case("other deep", some(dtype, at=[[1, 0, 1], [0, 1, 1], [0, 1, 0]], shape=[2, 2, 2]))
            yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)])
            yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)])
            yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([SHAPE])])
            yield case("mismatch columns", some(dtype, at=[[0, 1, 0]]))
            yield case("mismatch far", some(dtype, at=[[1, 5], [0, 7]]))


def reshape(op):
    def case(kind, at, shape, new):
        at = at if hasattr(at, "data") else i64(at)
        return Case(kind, {}, [at, i64(shape), i64(new)], output_count=2)
    for new in ([6], [3, 2], [1, 2, 3], [-1], [2, -1], [3, -1, 1], [2, 3]):
        yield case("plain", AT, SHAPE, new)
    yield case("empty", NONE, SHAPE, [3, 2])
    yield case("empty size", NONE, [0, 3], [3, 0])
    yield case("empty size", NONE, [0, 3], [2, 0, 5])
    yield case("mismatch size", AT, SHAPE, [5])
    yield case("mismatch size", AT, SHAPE, [4, -1])
    yield case("mismatch unknown", AT, SHAPE, [-1, -1])
    yield case("mismatch negative", AT, SHAPE, [-2, 3])
    yield case("mismatch zero", NONE, [0, 3], [0, -1])
    yield case("mismatch indices", [0, 1], SHAPE, [6])
    yield case("mismatch columns", [[0, 1, 0]], SHAPE, [6])
    yield case("mismatch shape", AT, [SHAPE], [6])
    yield case("mismatch new", AT, SHAPE, [[6]])


def fill_rows(op):
    for dtype in registered_types(op):
        def case(kind, sparse, default):
            return Case(kind, types(T=dtype), [*sparse, default], output_count=4)
        default = plain(dtype, (), 3)
        yield case("plain", some(dtype, at=[[0, 1], [2, 0], [2, 3]], shape=[5, 6]), default)
        yield case("other full", some(dtype), default)
        yield case("other order", some(dtype, at=[[2, 1], [0, 2], [2, 0]], shape=[4, 3]), default)
        yield case("empty", some(dtype, at=NONE), default)
        yield case("empty rows", some(dtype, at=NONE, shape=[0, 3]), default)
        if dtype == "float":
            yield case("other vector", some(dtype, at=[[1]], shape=[3]), default)
            yield case("mismatch far", some(dtype, at=[[0, 1], [5, 0]]), default)
            yield case("mismatch before", some(dtype, at=[[0, 1], [-1, 0]]), default)
            yield case("mismatch rows", some(dtype, shape=[0, 3]), default)
            yield case("mismatch default", some(dtype), plain(dtype, (1,)))
            yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)], default)
            yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)], default)
            yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)], default)
            yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([SHAPE])], default)
            yield case("mismatch scalar", [empty("int64", (0, 0)), plain(dtype, (0,)), empty("int64", (0,))], default)


def fill_grad(op):
    for dtype in registered_types(op):
        def case(kind, back, grads):
            return Case(kind, types(T=dtype), [back, grads], output_count=2)
        yield case("plain", i64([0, 2, 3]), plain(dtype, (5,)))
        yield case("other full", i64([1, 0, 2]), plain(dtype, (3,)))
        yield case("empty", empty("int64", (0,)), plain(dtype, (3,)))
        if dtype == "float":
            yield case("mismatch far", i64([0, 5]), plain(dtype, (3,)))
            yield case("mismatch before", i64([-1]), plain(dtype, (3,)))
            yield case("mismatch rank", i64([[0]]), plain(dtype, (3,)))
            yield case("mismatch grads", i64([0]), plain(dtype, (3, 1)))


OPS = {"SparseConcat": concat, "SparseSplit": split, "SparseSlice": slices, "SparseSliceGrad": slice_grad,
       "SparseReorder": reorder, "SparseReshape": reshape, "SparseFillEmptyRows": fill_rows,
       "SparseFillEmptyRowsGrad": fill_grad}
