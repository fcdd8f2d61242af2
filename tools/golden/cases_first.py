"""Cases of ops of the first releases, which only graphs of that time may have."""

import numpy as np

from golden_case import GraphCase, Run, const, hidden, node, types
from golden_types import REGISTRY, empty, i32, index, plain, registered_types, tensor

# Types that mistakes are tried with.
FEW = ("float", "half")


def old(op, kind, dtype, inputs, outputs=1, runs=1, attr="T", **attrs):
    """One node of |op| in a graph of the last version that may have it."""
    nodes, names = [], [f"i{k}" for k in range(len(inputs))]
    for name, value in zip(names, inputs):
        nodes += hidden(name, value)
    nodes.append(node("y", op, *names, **types(**{attr: dtype}), **attrs))
    fetches = [f"y:{i}" for i in range(outputs)]
    return GraphCase(kind, dtype, nodes, [Run(list(fetches)) for _ in range(runs)],
                     producer=REGISTRY[op]["deprecated"][0] - 1)


def seeds(first=3, second=5):
    return {"seed": ("int", first), "seed2": ("int", second)}


def poisson(op):
    for dtype in registered_types(op, "dtype"):
        for size in ("int32", "int64"):
            def case(kind, shape, rate, size=size, dtype=dtype):
                return old(op, kind, dtype, [index(size, shape), rate], attr="dtype", runs=2, **types(S=size), **seeds())
            yield case("plain", [5], tensor(dtype, [0.5, 3, 20]))
            yield case("scalar", [], tensor(dtype, 4, ()))
            yield case("empty", [0], tensor(dtype, [2]))
            yield case("other below zero", [3], tensor(dtype, [-1, 2]))


def random_crop(op):
    for dtype in registered_types(op):
        def case(kind, image, size, runs=1, dtype=dtype):
            return old(op, kind, dtype, [image, index("int64", size)], runs=runs, **seeds())
        image = plain(dtype, (5, 7, 2))
        yield case("plain", image, [3, 4], 3)
        yield case("plain rows", image, [2, 7], 2)
        yield case("plain columns", image, [5, 1], 2)
        yield case("plain all", image, [5, 7], 2)
        yield case("empty", image, [0, 4])
        if dtype not in ("float", "int32"):
            continue
        yield case("mismatch rows", image, [6, 2])
        yield case("mismatch columns", image, [2, 8])
        yield case("mismatch rank", plain(dtype, (5, 7)), [2, 2])
        yield case("mismatch size", image, [2, 2, 2])
        yield case("mismatch size rank", image, [[2, 2]])


def eighths(dtype, shape, first=0):
    """Numbers of which every type has products and sums."""
    count = int(np.prod(shape))
    return tensor(dtype, np.reshape([((i + first) * 5 % 13 - 6) / 8 for i in range(count)], shape))


def conv(op):
    is_filter = op.endswith("Filter")
    for dtype in registered_types(op):
        def case(kind, image, filter_, slope, strides=(1, 1, 1), padding="VALID", dtype=dtype):
            inputs = [eighths(dtype, image), eighths(dtype, filter_, 3), eighths(dtype, slope, 1)]
            return old(op, kind, dtype, inputs, strides=("ints", [1, *strides, 1]), padding=("string", padding))
        yield case("plain", (2, 3, 4, 3, 2), (2, 2, 1, 2, 3), (2, 2, 3, 3, 3))
        yield case("plain same", (1, 3, 4, 3, 2), (2, 3, 3, 2, 1), (1, 2, 2, 2, 1), (2, 2, 2), "SAME")
        yield case("empty", (0, 3, 4, 3, 2), (2, 2, 1, 2, 3), (0, 2, 3, 3, 3))
        if dtype not in FEW:
            continue
        yield case("mismatch slope rank", (2, 3, 4, 3, 2), (2, 2, 1, 2, 3), (2, 3, 3, 3))
        yield case("mismatch slope", (2, 3, 4, 3, 2), (2, 2, 1, 2, 3), (2, 2, 3, 2, 3))
        yield case("mismatch batch", (1, 3, 4, 3, 2), (2, 2, 1, 2, 3), (2, 2, 3, 3, 3))
        yield case("mismatch channels", (2, 3, 4, 3, 1), (2, 2, 1, 2, 3), (2, 2, 3, 3, 3))
        yield case("mismatch depth", (2, 3, 4, 3, 2), (2, 2, 1, 2, 2), (2, 2, 3, 3, 3))
        if is_filter:
            yield case("mismatch image rank", (3, 4, 3, 2), (2, 2, 1, 2, 3), (2, 2, 3, 3, 3))
        else:
            yield case("mismatch filter rank", (2, 3, 4, 3, 2), (2, 2, 2, 3), (2, 2, 3, 3, 3))


def norm(op):
    outputs = 5 if op.endswith("Grad") else 1
    for dtype in registered_types(op):
        for scales in (True, False):
            def case(kind, shape, count, dtype=dtype, scales=scales):
                # Roots of these are whole.
                variance = tensor(dtype, [[0.25, 4, 1][i % 3] - 0.125 for i in range(count)])
                vectors = [eighths(dtype, (count,), k) for k in range(2)]
                inputs = [eighths(dtype, shape), vectors[0], variance]
                inputs += [vectors[1], eighths(dtype, shape, 5)] if outputs > 1 else [vectors[1], vectors[0]]
                return old(op, kind, dtype, inputs, outputs, variance_epsilon=("float", 0.125),
                           scale_after_normalization=("bool", scales))
            yield case("plain", (2, 1, 2, 3), 3)
            yield case("empty", (0, 1, 2, 3), 3)


def eigen(op):
    def case(kind, dtype, value):
        # Which way a vector points is chance.
        nodes = [*hidden("i0", value), node("y", op, "i0", **types(T=dtype)), node("a", "Abs", "y", **types(T=dtype))]
        nodes += [const("zero", i32(0)), const("axis", i32(-2)),
                  node("e", "GatherV2", "y", "zero", "axis", **types(Tparams=dtype, Tindices="int32", Taxis="int32"))]
        return GraphCase(kind, dtype, nodes, [Run(["a", "e"])], producer=REGISTRY[op]["deprecated"][0] - 1)
    for dtype in registered_types(op):
        yield case("plain", dtype, tensor(dtype, [[2, 1], [1, 2]]))
        yield case("plain lower", dtype, tensor(dtype, [[2, 9], [1, 2]]))
        yield case("other batch", dtype, tensor(dtype, [[[2, 1], [1, 2]], [[-4, 0], [0, 3]]]))
        yield case("scalar one", dtype, tensor(dtype, [[-2]]))
        yield case("empty batch", dtype, empty(dtype, (0, 2, 2)))
        if dtype == "float":
            yield case("mismatch", dtype, plain(dtype, (3,)))
            yield case("mismatch square", dtype, plain(dtype, (2, 3)))


def contrast(op):
    for dtype in registered_types(op):
        def case(kind, image, *limits, dtype=dtype):
            return old(op, kind, dtype, [image, *(tensor("float", x, np.shape(x)) for x in limits)])
        image = plain(dtype, (2, 2, 4, 3))
        yield case("plain", image, 2.5, -4, 5)
        yield case("plain one", plain(dtype, (2, 4, 1)), 0.5, 0, 200)
        yield case("other turned", plain(dtype, (4, 1, 1)), 1, 9, 3)
        yield case("empty", empty(dtype, (2, 0, 4, 3)), 2, 0, 9)
        if dtype != "float":
            continue
        yield case("mismatch rank", plain(dtype, (4, 3)), 2, 0, 9)
        for i in range(3):
            limits = [2, 0, 9]
            limits[i] = [1, 2]
            yield case("mismatch scalar", image, *limits)


def quantize(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype, **attrs):
            return old(op, kind, dtype, [value], **attrs)
        x = plain(dtype, (3, 4))
        for signed in (True, False):
            for bits in (3, 8, 16):
                attrs = {"signed_input": ("bool", signed), "num_bits": ("int", bits)}
                yield case("plain", x, **attrs)
                yield case("plain range", x, range_given=("bool", True), input_min=("float", -1.5),
                           input_max=("float", 3), **attrs)
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("mismatch range", x, range_given=("bool", True), input_min=("float", 1), input_max=("float", -1))
        for bits in (0, 63, -1):
            yield case("mismatch bits", x, num_bits=("int", bits))


def exponential(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return old(op, kind, dtype, [value])
        yield case("plain", tensor(dtype, [[0, 0.25], [0.5, -0.125]]))
        yield case("plain nilpotent", tensor(dtype, [[0, 2, 1], [0, 0, 4], [0, 0, 0]]))
        yield case("other batch", tensor(dtype, [[[1, 0], [0, 2]], [[0, 0], [0, 0]]]))
        yield case("scalar one", tensor(dtype, [[-3]]))
        if dtype.startswith("complex"):
            yield case("plain turned", tensor(dtype, [[0, 1j], [1j, 0.5]]))
        yield case("empty", empty(dtype, (0, 0)))
        yield case("empty batch", empty(dtype, (0, 2, 2)))
        if dtype == "float":
            yield case("mismatch", plain(dtype, (3,)))
            yield case("mismatch square", plain(dtype, (2, 3)))


def stateful_normal(op):
    """The state begins with the number of the algorithm."""
    def case(kind, label, state, shape, dtype="float", idx="int64", runs=2):
        held = state.dtype
        nodes = [node("v", "VarHandleOp", dtype=("type", held), shape=("shape", None)), const("c", state),
                 node("set", "AssignVariableOp", "v", "c", **types(dtype=held)),
                 node("r", "ReadVariableOp", "v", **types(dtype=held)), *hidden("s", index(idx, shape)),
                 node("y", op, "v", "s", **types(dtype=dtype, shape_dtype=idx))]
        more = [Run(["y"]) for _ in range(runs)]
        return GraphCase(kind, label, nodes, [Run(targets=["set"]), *more, Run(["r"])],
                         producer=REGISTRY[op]["deprecated"][0] - 1)
    state = index("int64", [1, 5, 6, 7])
    for dtype in registered_types(op, "dtype"):
        yield case("plain", dtype, state, [2, 3], dtype)
        yield case("empty", dtype, state, [0], dtype)
    yield case("scalar", "float", state, [])
    yield case("plain int32", "float", state, [3], idx="int32")
    yield case("plain any", "float", index("int64", [3, 2**62, -1, 7]), [9])
    yield case("plain long", "float", index("int64", [1, 5, 6, 7, 8]), [3])
    for wrong in ([2, 5, 6, 7], [4, 5, 6, 7], [1, 5, 6], [], [[1, 5, 6, 7]]):
        yield case("mismatch state", "float", index("int64", wrong), [3], runs=1)
    yield case("mismatch type", "float", i32([1, 5, 6, 7]), [3], runs=1)
    yield case("mismatch shape", "float", state, [[3]], runs=1)
    yield case("mismatch size", "float", state, [-3], runs=1)


OPS = {"StatefulStandardNormal": stateful_normal, "MatrixExponential": exponential, "RandomPoisson": poisson, "RandomCrop": random_crop, "Conv3DBackpropFilter": conv, "Conv3DBackpropInput": conv,
       "BatchNormWithGlobalNormalization": norm, "BatchNormWithGlobalNormalizationGrad": norm, "SelfAdjointEig": eigen,
       "BatchSelfAdjointEig": eigen, "AdjustContrast": contrast, "QuantizeAndDequantize": quantize}
