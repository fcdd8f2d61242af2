"""Cases of what tools, and scripts of old, leave in graphs."""

import itertools

from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import FLOATS, empty, i32, numbers, plain, registered_types, special, tensor

# Types that mistakes are tried with.
FEW = ("float", "int32", "string")


def same(op):
    """Ops that hand on what they get."""
    for dtype in registered_types(op):
        for shape in ((2, 3), ()):
            x = plain(dtype, shape)
            yield Case("plain" if shape else "scalar", types(T=dtype), [x])
        yield Case("empty", types(T=dtype), [empty(dtype, (0, 2))])


def to_bool(op):
    for dtype in registered_types(op):
        for value in numbers(dtype, 3):
            yield Case("scalar", types(T=dtype), [tensor(dtype, value, ())])
        if dtype != "string":
            yield Case("scalar zero", types(T=dtype), [tensor(dtype, 0, ())])
        yield Case("plain", types(T=dtype), [plain(dtype, (2,))])
        yield Case("empty", types(T=dtype), [empty(dtype, (0, 2))])
    for dtype in FLOATS:
        for value in special(dtype):
            yield Case("special", types(T=dtype), [tensor(dtype, value, ())])


def inplace(op):
    def case(kind, dtype, x, i, v):
        # TensorFlow writes into what it is given.
        nodes = [*hidden("a", x), node("x", "DeepCopy", "a", **types(T=dtype)), *hidden("i", i), *hidden("v", v),
                 node("y", op, "x", "i", "v", **types(T=dtype))]
        return GraphCase(kind, dtype, nodes, [Run(["y"])])
    for dtype in registered_types(op):
        x = plain(dtype, (4, 3))
        yield case("plain", dtype, x, i32([2, 0]), plain(dtype, (2, 3), 5))
        yield case("plain twice", dtype, x, i32([1, -1, 1, 9]), plain(dtype, (4, 3), 5))
        yield case("empty", dtype, x, i32([]), empty(dtype, (0, 3)))
        yield case("empty rows", dtype, empty(dtype, (0, 3)), i32([0]), plain(dtype, (1, 3)))
        if dtype not in FEW:
            continue
        yield case("plain vector", dtype, plain(dtype, (4,)), i32([3]), plain(dtype, (1,), 2))
        yield case("mismatch ranks", dtype, x, i32([1]), plain(dtype, (3,)))
        yield case("mismatch columns", dtype, x, i32([1]), plain(dtype, (1, 2)))
        yield case("mismatch rows", dtype, x, i32([1, 2]), plain(dtype, (1, 3)))
        yield case("mismatch index", dtype, x, i32(1), plain(dtype, (1, 3)))
        yield case("mismatch scalars", dtype, plain(dtype, ()), i32([0]), plain(dtype, ()))


def empty_ones(op):
    for dtype in registered_types(op, "dtype"):
        def case(kind, shape, init=True):
            return Case(kind, {**types(dtype=dtype), "init": ("bool", init)}, [shape])
        yield case("plain", i32([2, 3]))
        yield case("scalar", i32([]))
        yield case("empty", i32([2, 0]))
        yield case("empty not set", i32([0]), False)
        yield case("mismatch scalar", i32(2))
        yield case("mismatch below zero", i32([2, -1]))
        yield case("mismatch matrix", i32([[2, 1]]))


def parallel_concat(op):
    for dtype in registered_types(op):
        def case(kind, shape, *values):
            nodes = [item for i, v in enumerate(values) for item in (node(
                f"x{i}", "Const", dtype=("type", dtype), value=("tensor", v)),)]
            nodes.append(node("y", op, [f"x{i}" for i in range(len(values))], N=("int", len(values)),
                              shape=("shape", shape), **types(T=dtype)))
            return GraphCase(kind, dtype, nodes, [Run(["y"])])
        yield case("plain", (2, 3), plain(dtype, (1, 3)), plain(dtype, (1, 3), 3))
        yield case("plain one", (1, 2, 2), plain(dtype, (1, 2, 2)))
        yield case("empty", (3, 0), *(empty(dtype, (1, 0)) for _ in range(3)))
        yield case("plain vector", (3,), *(plain(dtype, (1,), i) for i in range(3)))


FORMATS = (("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NHWC", "HWNC"), ("NDHWC", "NCDHW"), ("NCDHW", "NDHWC"))


def formats(source, target):
    return {"src_format": ("string", source), "dst_format": ("string", target)}


WRONG = (("NHW", "NCHW"), ("NHWC", "NC"), ("NHWC", "NCDHW"), ("NHWC", "NHWX"), ("NHWC", "NNHW"), ("NHWCXY", "NHWC"))


def dim_map(op):
    for dtype in registered_types(op):
        def case(kind, names, x):
            return Case(kind, {**types(T=dtype), **formats(*names)}, [x])
        for names in FORMATS:
            yield case("plain", names, tensor(dtype, range(-len(names[0]), len(names[0]))))
        yield case("scalar", FORMATS[0], tensor(dtype, 3, ()))
        yield case("empty", FORMATS[0], empty(dtype, (0,)))
        yield case("plain matrix", FORMATS[1], tensor(dtype, [[0, 1], [2, -1]]))
        for names in WRONG:
            yield case("mismatch", names, tensor(dtype, [0]))


def vec_permute(op):
    for dtype in registered_types(op):
        def case(kind, names, x):
            return Case(kind, {**types(T=dtype), **formats(*names)}, [x])
        for names in FORMATS:
            size = len(names[0])
            yield case("plain", names, tensor(dtype, range(10, 10 + size)))
            yield case("plain pairs", names, tensor(dtype, range(10, 10 + 2 * size), (size, 2)))
            yield case("plain sizes", names, tensor(dtype, range(10, 8 + size)))
            yield case("plain pairs of sizes", names, tensor(dtype, range(10, 6 + 2 * size), (size - 2, 2)))
        for shape in ((3,), (5,), (1,), (0,), (), (4, 3), (3, 2), (2, 2, 2), (6, 2)):
            yield case("mismatch shape", FORMATS[0], plain(dtype, shape))
        for shape in ((2,), (4,), (4, 2), (2, 2)):
            yield case("mismatch shape", FORMATS[3], plain(dtype, shape))
        for names in WRONG:
            yield case("mismatch", names, tensor(dtype, [0, 1, 2, 3]))
        yield case("plain others", ("CHWN", "HWCN"), tensor(dtype, [5, 6]))
        yield case("plain others", ("NHWC", "HWCN"), tensor(dtype, [5, 6, 7, 8]))


def check_numerics(op):
    for dtype in registered_types(op):
        def case(kind, values):
            return Case(kind, {**types(T=dtype), "message": ("string", "found")}, [tensor(dtype, values)])
        yield case("plain", numbers(dtype, 9))
        yield Case("empty", {**types(T=dtype), "message": ("string", "")}, [empty(dtype, (0,))])
        bad = [float("-inf"), float("inf"), float("nan")]
        for count in (1, 2, 3):
            for some in itertools.combinations(bad, count):
                yield case("special", [1, *some, 2])


def volume_patches(op):
    for dtype in registered_types(op):
        def case(kind, shape, sizes, strides, padding="VALID"):
            return Case(kind, {"ksizes": ("ints", [1, *sizes, 1]), "strides": ("ints", [1, *strides, 1]),
                               **types(T=dtype), "padding": ("string", padding)}, [plain(dtype, shape)])
        for padding in ("VALID", "SAME"):
            yield case("plain", (2, 3, 4, 3, 2), (2, 3, 2), (1, 2, 1), padding)
            yield case("plain far", (1, 5, 4, 4, 1), (1, 2, 2), (3, 3, 3), padding)
        yield case("empty", (0, 3, 3, 3, 2), (2, 2, 2), (1, 1, 1))
        if dtype not in ("float", "int32"):
            continue
        yield case("mismatch rank", (3, 3, 3, 2), (2, 2, 2), (1, 1, 1))
        for name, value in (("ksizes", [2, 2, 2, 2, 1]), ("strides", [1, 1, 1, 1, 2]), ("strides", [1, 0, 1, 1, 1]),
                            ("ksizes", [1, 0, 1, 1, 1])):
            one = case("mismatch attribute", (1, 3, 3, 3, 2), (2, 2, 2), (1, 1, 1))
            one.attrs[name] = ("ints", value)
            yield one


OPS = {"GuaranteeConst": same, "DeepCopy": same, "ToBool": to_bool, "InplaceAdd": inplace, "InplaceSub": inplace,
       "InplaceUpdate": inplace, "Empty": empty_ones, "ParallelConcat": parallel_concat, "DataFormatDimMap": dim_map,
       "DataFormatVecPermute": vec_permute, "CheckNumericsV2": check_numerics, "ExtractVolumePatches": volume_patches}
