"""Cases of what tools, and scripts of old, leave in graphs."""

import itertools

import numpy as np

from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import FLOATS, empty, i32, numbers, plain, registered_types, special, tensor

# Types that every one of them is cast to.
CASTS = ("float", "half", "int32", "uint8", "bool", "complex64")
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


def eighths(dtype, shape, first=0):
    """Numbers of which every type has products and sums."""
    count = int(np.prod(shape))
    return tensor(dtype, np.reshape([((i + first) * 5 % 13 - 6) / 8 for i in range(count)], shape))


def fused_conv(op):
    """Convolutions of images that are resized and mirrored first."""
    resizes = "Resize" in op
    for dtype in registered_types(op):
        def case(kind, image, weights, pads, mode="REFLECT", size=(5, 6), strides=(1, 1), padding="VALID", aligns=False,
                 dtype=dtype):
            attrs = {**types(T=dtype), "mode": ("string", mode), "padding": ("string", padding),
                     "strides": ("ints", [1, *strides, 1] if len(strides) == 2 else strides)}
            inputs = [eighths(dtype, image), i32(pads), eighths(dtype, weights, 3)]
            if resizes:
                # In which order halves are summed is the vectors' business: theirs have exact sums.
                size = [2 * image[1], 2 * image[2]] if dtype == "half" else size
                attrs["resize_align_corners"] = ("bool", aligns and dtype != "half")
                inputs.insert(1, i32(size) if isinstance(size, (list, tuple)) else size)
            return Case(kind, attrs, inputs)
        one, none = [[0, 0], [1, 1], [1, 1], [0, 0]], [[0, 0]] * 4
        yield case("plain", (1, 4, 5, 2), (2, 3, 2, 3), one)
        # TensorFlow takes rows of the first image for those of the next ones, so there is one.
        yield case("plain symmetric", (1, 4, 5, 3), (3, 3, 3, 4), [[0, 0], [2, 1], [0, 3], [0, 0]], "SYMMETRIC")
        yield case("plain same", (1, 5, 4, 1), (3, 3, 1, 2), one, strides=(2, 2), padding="SAME")
        yield case("other none", (1, 4, 5, 2), (2, 2, 2, 1), none)
        yield case("other points", (1, 3, 3, 4), (1, 1, 4, 5), one, "SYMMETRIC")
        if resizes:
            yield case("other smaller", (1, 7, 9, 2), (2, 2, 2, 3), one, size=(3, 4))
            yield case("other corners", (1, 3, 4, 2), (2, 2, 2, 3), one, size=(6, 7), aligns=True)
            yield case("other same size", (1, 4, 5, 2), (2, 3, 2, 3), one, size=(4, 5))
        if dtype != "float":
            continue
        if resizes:  # TensorFlow ends where nothing is resized.
            yield case("mismatch rank", (4, 5, 2), (2, 3, 2, 3), one)
        yield case("mismatch filter", (1, 4, 5, 2), (3, 2, 3), one)
        yield case("mismatch depth", (1, 4, 5, 2), (2, 3, 3, 3), one)
        yield case("mismatch pads", (1, 4, 5, 2), (2, 3, 2, 3), [[0, 0], [1, 1], [1, 1]])
        yield case("mismatch columns", (1, 4, 5, 2), (2, 3, 2, 3), [[0], [1], [1], [0]])
        yield case("mismatch below zero", (1, 4, 5, 2), (2, 3, 2, 3), [[0, 0], [-1, 1], [1, 1], [0, 0]])
        yield case("mismatch far", (1, 4, 5, 2), (2, 3, 2, 3), [[0, 0], [7, 1], [1, 1], [0, 0]])
        yield case("mismatch far symmetric", (1, 4, 5, 2), (2, 3, 2, 3), [[0, 0], [7, 1], [1, 1], [0, 0]], "SYMMETRIC")
        yield case("mismatch batch", (1, 4, 5, 2), (2, 3, 2, 3), [[1, 0], [1, 1], [1, 1], [0, 0]], "SYMMETRIC")
        yield case("mismatch channels", (1, 4, 5, 2), (2, 3, 4, 3), [[0, 0], [1, 1], [1, 1], [1, 1]], "SYMMETRIC")
        yield case("mismatch window", (1, 4, 5, 2), (9, 9, 2, 3), one)
        yield case("mismatch strides", (1, 4, 5, 2), (2, 3, 2, 3), one, strides=(2, 1, 1, 1))
        yield case("mismatch few strides", (1, 4, 5, 2), (2, 3, 2, 3), one, strides=(1, 1, 1))
        if resizes:
            yield case("mismatch size", (1, 4, 5, 2), (2, 3, 2, 3), one, size=(0, 4))
            yield case("mismatch sizes", (1, 4, 5, 2), (2, 3, 2, 3), one, size=(5, 4, 3))
            yield case("mismatch sizes rank", (1, 4, 5, 2), (2, 3, 2, 3), one, size=i32(4))


def graph(op, kind, dtype, inputs, **attrs):
    """One node of |op|, which is no op for eager calls."""
    names = [f"i{k}" for k in range(len(inputs))]
    nodes = sum((hidden(name, value) for name, value in zip(names, inputs)), [])
    return GraphCase(kind, dtype, [*nodes, node("y", op, *names, **attrs)], [Run(["y"])])


COMPOSED = ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Expm1", "Elu", "Exp",
            "Floor", "Inv", "Log", "Log1p", "Neg", "Reciprocal", "Rint", "Round", "Rsqrt", "Selu", "Sigmoid", "Sin",
            "Sinh", "Sqrt", "Square", "Tan", "Tanh", "Relu", "Relu6")


def composition(op):
    for dtype in registered_types(op):
        def case(kind, names, x, dtype=dtype):
            return graph(op, kind, dtype, [x], op_names=("strings", names), **types(T=dtype))
        fractions = tensor(dtype, [[0.5, 0.125, 0.75], [0.25, 1, 0.0625]])
        for name in COMPOSED:
            yield case(f"plain {name}", [name], tensor(dtype, [1, 2.5]) if name == "Acosh" else fractions)
        yield case("plain three", ["Neg", "Relu6", "Square"], plain(dtype, (2, 5)))
        yield case("plain long", ["Square", "Sqrt", "Neg", "Abs"], plain(dtype, (3, 700)))
        yield case("scalar", ["Neg", "Square"], plain(dtype, ()))
        yield case("empty", ["Neg", "Tanh"], empty(dtype, (0, 2)))
        yield case("mismatch none", [], plain(dtype, (2,)))
        yield case("mismatch name", ["Abs", "Softplus"], plain(dtype, (2,)))
        yield case("mismatch part", ["Relu6 Abs"], plain(dtype, (2,)))


def hash_numbers(op):
    for dtype in registered_types(op):
        def case(kind, x, count, dtype=dtype):
            return graph(op, kind, dtype, [x], num_buckets=("int", count), **types(T=dtype))
        yield case("plain", plain(dtype, (2, 5)), 1000)
        yield case("special", tensor(dtype, special(dtype)), 2**62)
        yield case("scalar", tensor(dtype, 7, ()), 1)
        yield case("empty", empty(dtype, (0, 2)), 3)


def host_cast(op):
    for dtype in registered_types(op, "SrcT"):
        if dtype == "string":
            continue
        x = plain(dtype, (2, 3))
        yield graph(op, "plain", dtype, [x], **types(SrcT=dtype, DstT=dtype))
        if dtype in CASTS:
            for other in CASTS:
                yield graph(op, "plain", f"{dtype},{other}", [x], **types(SrcT=dtype, DstT=other))


OPS = {"_UnaryOpsComposition": composition, "_TensorToHashBucketFast": hash_numbers, "_HostCast": host_cast,
       "FusedPadConv2D": fused_conv, "FusedResizeAndPadConv2D": fused_conv, "GuaranteeConst": same, "DeepCopy": same, "ToBool": to_bool, "InplaceAdd": inplace, "InplaceSub": inplace,
       "InplaceUpdate": inplace, "Empty": empty_ones, "ParallelConcat": parallel_concat, "DataFormatDimMap": dim_map,
       "DataFormatVecPermute": vec_permute, "CheckNumericsV2": check_numerics, "ExtractVolumePatches": volume_patches}
