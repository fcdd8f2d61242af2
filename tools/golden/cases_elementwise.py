"""Cases of elementwise ops: arithmetic, comparisons, functions, casts."""

import numpy as np

from golden_case import Case, types
from golden_types import (COMPLEX, FLOATS, INTS, NARROW_INTS, PLAIN, QUANTISED,
                          REGISTRY, SIGNED, SMALL_FLOATS, TYPES, WIDE, Tensor,
                          empty, numbers, plain, registered_types, special,
                          tensor)

# A quotient of the lowest integer and -1 has no value: keep them apart.
DIVIDENDS = {"signed": [-7, -1, 0, 5, 13], "unsigned": [0, 1, 5, 13, 200]}
DIVISORS = {"signed": [-3, -2, 2, 5], "unsigned": [1, 2, 5, 100]}


def attrs_of(op, dtype):
    """The type attribute, for ops that have one."""
    return types(T=dtype) if "T" in REGISTRY[op]["attrs"] else {}


# TensorFlow registers these, but answers 0 whatever the number is.
WRONG = {"Round": ("int32", "int64")}


def op_types(op):
    kept = all_types(op)
    return [t for t in kept if t not in WRONG.get(op, ())]


def all_types(op):
    return registered_types(op) if "T" in REGISTRY[op]["attrs"] else ["bool"]


# ---- Two inputs ----


def binary_shapes(op, dtype):
    """Every way two shapes can meet, with plain values."""
    attrs = attrs_of(op, dtype)
    same = (3, 7) if dtype in WIDE else (2, 2)
    yield Case("plain", attrs, [plain(dtype, same), plain(dtype, same, 3)])
    yield Case("scalar", attrs, [plain(dtype, ()), plain(dtype, (), 4)])
    if dtype in WIDE + ("string", "bool"):
        one, three = plain(dtype, (), 4), plain(dtype, (3,))
        yield Case("scalar left", attrs, [one, three])
        yield Case("scalar right", attrs, [three, one])
    yield Case("broadcast", attrs,
               [plain(dtype, (2, 1, 2)), plain(dtype, (2, 1), 4)])
    yield Case("empty", attrs, [empty(dtype, (0, 3)), plain(dtype, (3,))])
    yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,))])


def crossed(op, kind, dtype, left, right):
    """Every value of |left| with every value of |right|."""
    yield Case(kind, attrs_of(op, dtype), [
        tensor(dtype, left, (len(left), 1)), tensor(dtype, right)])


def binary(op):
    for dtype in op_types(op):
        yield from binary_shapes(op, dtype)
        kind = "overflow" if dtype in INTS else "special"
        values = special(dtype)
        if dtype not in ("string", "bool"):
            yield from crossed(op, kind, dtype, values, values)


def division(op):
    for dtype in op_types(op):
        if dtype in FLOATS:
            # No quotient below the normal numbers: TensorFlow may flush it.
            values = special(dtype)[:-1] + [16384.0]
            yield from binary_shapes(op, dtype)
            yield from crossed(op, "special zero", dtype, values, values)
            continue
        if dtype in COMPLEX:
            # TensorFlow's vectors and scalars disagree about zero and
            # infinite divisors; the scalar zero is everybody's.
            yield from binary_shapes(op, dtype)
            yield Case("zero", attrs_of(op, dtype),
                       [tensor(dtype, complex(1.5, -2)), tensor(dtype, 0)])
            continue
        sign = "signed" if dtype in SIGNED else "unsigned"
        info = np.iinfo(TYPES[dtype][1])
        yield from binary_shapes(op, dtype)
        yield from crossed(op, "overflow", dtype,
                           DIVIDENDS[sign] + [info.min, info.max],
                           DIVISORS[sign] + [info.max])
        yield Case("zero", attrs_of(op, dtype),
                   [plain(dtype, (3,)), tensor(dtype, [1, 0, 2])])
        yield Case("zero scalar", attrs_of(op, dtype),
                   [plain(dtype, ()), tensor(dtype, 0)])


def power(op):
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype)
        if dtype in INTS:
            base = [0, 1, 2, 3, 7] + ([-1, -2] if dtype in SIGNED else [])
            yield from crossed(op, "overflow", dtype, base, [0, 1, 2, 3, 9])
            if dtype in SIGNED:
                yield Case("mismatch negative power", attrs,
                           [tensor(dtype, [2, 3]), tensor(dtype, [1, -1])])
        else:
            values = special(dtype)
            yield from crossed(op, "special", dtype, values, values)
        yield Case("plain", attrs, [tensor(dtype, [1, 2, 3, 4]),
                                    tensor(dtype, [2, 3, 1, 0])])
        yield Case("scalar", attrs, [tensor(dtype, 3), tensor(dtype, 2)])
        yield Case("broadcast", attrs, [tensor(dtype, [[1], [2]]),
                                        tensor(dtype, [2, 3, 1])])
        yield Case("empty", attrs, [empty(dtype, (0, 3)), plain(dtype, (1,))])
        yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,))])


def equality(op):
    yield from binary(op)
    for dtype in op_types(op):
        attrs = dict(attrs_of(op, dtype),
                     incompatible_shape_error=("bool", False))
        yield Case("mismatch allowed", attrs,
                   [plain(dtype, (2,)), plain(dtype, (3,))])


# ---- One input ----

# Where the functions bend, saturate and overflow.
BENDS = [0.1, -0.3, 0.7, 1e-3, -20, 20, 88.5, -90, 1e-4, -0.99, 11, 5.5]


def unary_values(op, dtype):
    if op == "Erf" and dtype == "double":
        # TensorFlow's polynomial for double gives NaN for large numbers.
        return BENDS[:6] + [-2.5, -0.0, 1.5, float("nan")]
    if dtype in FLOATS:
        return special(dtype) + BENDS
    if dtype in COMPLEX:
        return [complex(1.5, -2), complex(-0.5, 3), complex(-1, 0.25),
                complex(0.1, -0.3), complex(2, 1), complex(0, 1)]
    return special(dtype)


def unary(op):
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype)
        kind = "overflow" if dtype in INTS else "special"
        yield Case("plain", attrs, [plain(dtype, (2, 3))])
        yield Case("scalar", attrs, [plain(dtype, (), 1)])
        yield Case("empty", attrs, [empty(dtype, (2, 0))])
        if dtype != "bool":
            yield Case(kind, attrs, [tensor(dtype, unary_values(op, dtype))])
        if dtype in COMPLEX:
            # Of one element: vectors may answer another way.
            parts = [complex(2, float("nan")), complex(float("inf"), 1)]
            for part in parts[:1] if op in ("Expm1", "Log1p") else parts:
                yield Case("special infinite", attrs, [tensor(dtype, [part])])


def leaky_relu(op):
    yield from unary(op)
    for dtype in op_types(op):
        for alpha in (0.5, 0.7):
            attrs = dict(attrs_of(op, dtype), alpha=("float", alpha))
            yield Case("plain alpha", attrs, [plain(dtype, (2, 3))])


# ---- Gradients ----


def even(values, zeros):
    """Pairs of |values|, as many as fill TensorFlow's vectors: its single
    elements are computed another way. Where |zeros| is false no left one is
    zero, whose sign matters to vectors alone."""
    left = [x for x in values if zeros or x != 0]
    pairs = [(x, y) for x in left for y in values]
    pairs = pairs + pairs[:-len(pairs) % 16]
    return [x for x, _ in pairs], [y for _, y in pairs]


def grad_numbers(dtype):
    if dtype in FLOATS:
        return special(dtype) + [0.1, -0.3, 6.0, -1.0, 20.0, -2.5]
    return special(dtype) + ([3, 6, 7] if dtype in INTS else [])


def elementwise_grad(op, extra=None):
    for dtype in op_types(op):
        attrs = dict(attrs_of(op, dtype), **(extra or {}))
        yield Case("plain", attrs, [plain(dtype, (4, 8)),
                                    plain(dtype, (4, 8), 3)])
        yield Case("scalar", attrs, [plain(dtype, (), 1), plain(dtype, (), 2)])
        yield Case("empty", attrs, [empty(dtype, (0, 3)), empty(dtype, (0, 3))])
        if dtype not in COMPLEX:
            kind = "overflow" if dtype in INTS else "special"
            left, right = even(grad_numbers(dtype), op != "SqrtGrad")
            yield Case(kind, attrs, [tensor(dtype, left), tensor(dtype, right)])
        else:
            yield Case("zero", attrs, [plain(dtype, (4,)),
                                       tensor(dtype, [0, 0, 1j, 0])])
        yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,))])
        yield Case("mismatch shapes", attrs, [plain(dtype, (2, 3)),
                                              plain(dtype, (6,))])


def leaky_relu_grad(op):
    yield from elementwise_grad(op)
    yield from elementwise_grad(op, {"alpha": ("float", 0.7)})


# ---- Several inputs ----


def add_n(op):
    for dtype in op_types(op):
        def case(kind, tensors, dtype=dtype):
            return Case(kind, dict(N=("int", len(tensors)), **types(T=dtype)),
                        tensors)
        values = tensor(dtype, special(dtype))
        kind = "overflow" if dtype in INTS else "special"
        yield case("plain", [plain(dtype, (2, 3), i) for i in range(3)])
        yield case("plain one", [plain(dtype, (2,))])
        yield case("plain nine", [plain(dtype, (2,), i) for i in range(9)])
        yield case("scalar", [plain(dtype, (), i) for i in range(2)])
        yield case("empty", [empty(dtype, (0, 2))] * 2)
        yield case(kind, [values, values])
        yield case("mismatch", [plain(dtype, (2,)), plain(dtype, (3,))])


def select(op):
    for dtype in op_types(op):
        def case(kind, *tensors, dtype=dtype):
            return Case(kind, types(T=dtype), list(tensors))
        a, b = plain(dtype, (2, 3)), plain(dtype, (2, 3), 4)
        yield case("plain", plain("bool", (2, 3)), a, b)
        yield case("scalar", plain("bool", ()), plain(dtype, ()),
                   plain(dtype, (), 1))
        yield case("broadcast condition", tensor("bool", False), a, b)
        yield case("broadcast rows", tensor("bool", [False, True]), a, b)
        yield case("empty", empty("bool", (0,)), empty(dtype, (0,)),
                   empty(dtype, (0,)))
        yield case("mismatch", plain("bool", (2, 3)), a, plain(dtype, (2, 2)))
        yield case("mismatch condition", plain("bool", (5,)), a, b)
        if op == "SelectV2":
            yield case("broadcast", tensor("bool", [[True], [False]]),
                       plain(dtype, (3,)), plain(dtype, (), 4))
        if dtype in FLOATS:
            values = tensor(dtype, special(dtype))
            yield case("special", plain("bool", (7,)), values,
                       Tensor(dtype, values.shape, bytes(len(values.data))))


# ---- Cast ----

CASTS = [t for t in PLAIN if t not in ("string",) + QUANTISED]
# Types that convert to and from few others: these stand for the rest.
RARE = NARROW_INTS + SMALL_FLOATS
COMMON = ("float", "half", "bfloat16", "double", "int8", "int32", "int64")


def cast_values(source, target):
    """Values of |source| whose conversion to |target| is defined."""
    if source in FLOATS and (target in INTS or target in NARROW_INTS):
        return [0, 1.5, -1.75 if target in SIGNED else 1.75, 2.25, 100.7]
    if source in FLOATS:
        return special(source) + [0.1, 1e-6, 449.0, 0.0625, 1.1875]
    if source in COMPLEX and target in INTS:
        return [complex(1.5, 2), complex(3, -1)]
    if source in INTS:
        return special(source)
    return numbers(source, 4)


def cast(op):
    for source in CASTS:
        for target in CASTS:
            attrs = types(SrcT=source, DstT=target)
            if (source in RARE and target not in COMMON) or (
                    target in RARE and source not in COMMON):
                continue
            kind = "special" if source in FLOATS else (
                "overflow" if source in INTS else "plain")
            yield Case(kind, attrs, [tensor(source,
                                            cast_values(source, target))])
        attrs = types(SrcT=source, DstT="float")
        yield Case("scalar", attrs, [plain(source, (), 1)])
        yield Case("empty", attrs, [empty(source, (0, 2))])
    for source, target in (("float", "half"), ("float", "bfloat16"),
                           ("double", "float"), ("double", "half")):
        attrs = dict(types(SrcT=source, DstT=target), Truncate=("bool", True))
        yield Case("other truncate", attrs,
                   [tensor(source, [1.0009, -1.0009, 3.14159, 1e-7])])
    # TensorFlow copies a quantised type to itself, and converts no other.
    for dtype in QUANTISED + ("string",):
        attrs = types(SrcT=dtype, DstT=dtype)
        yield Case("plain", attrs, [plain(dtype, (3,))])
    yield Case("mismatch", types(SrcT="string", DstT="float"),
               [plain("string", (2,))])


def like(op):
    for dtype in op_types(op):
        attrs = types(T=dtype)
        yield Case("plain", attrs, [plain(dtype, (2, 3))])
        yield Case("scalar", attrs, [plain(dtype, ())])
        yield Case("empty", attrs, [empty(dtype, (2, 0))])


# ---- Special functions ----


# Inside of their domains, and at their edges.
NUMBERS = [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.5, 2, 3.25, 8]
INSIDE = {
    "Acos": [-1, -0.9, -0.3, 0, 0.25, 0.6, 1, 2],
    "Asin": [-1, -0.9, -0.3, 0, 0.25, 0.6, 1, 2],
    "Atanh": [-0.9, -0.3, 0, 0.25, 0.6, 2],
    "Acosh": [0.5, 1, 1.5, 2, 10, 1000],
    "Erfinv": [-0.9, -0.5, 0, 0.1, 0.5, 0.99, 1, 2],
    "Ndtri": [0, 0.001, 0.1, 0.5, 0.75, 0.99, 1, 2],
    "Lgamma": [-1, -0.5, 0, 0.25, 0.5, 3, 10, 100],
    "Digamma": [-1, -0.25, 0, 0.25, 0.5, 3, 10, 100],
    **dict.fromkeys(("Dawsn", "FresnelCos", "FresnelSin"),
                    [-60, -3, -0.25, 0, 0.01, 0.5, 1, 1.6, 2.5, 4, 7, 12,
                     float("inf"), float("nan")]),
    "Expint": [-2, -0.5, 0, 0.01, 0.5, 1, 3, 10, 30, 60, float("inf"),
               float("nan")],
    "Spence": [-1, 0, 0.01, 0.4, 0.75, 1, 1.25, 1.75, 2.5, 30, float("inf"),
               float("nan")],
    # Of 0 it is infinite, or none, as the type has it.
    "BesselY1": NUMBERS,
}


def special_values(op, dtype):
    if dtype in COMPLEX:
        return [complex(1.5, -2), complex(-0.5, 3), complex(0.1, -0.3)]
    return INSIDE.get(op, [0] + NUMBERS)


def one_special(op):
    for dtype in op_types(op):
        if op == "Acos" and dtype in INTS:
            continue
        attrs = attrs_of(op, dtype)
        values = special_values(op, dtype)
        yield Case("plain", attrs, [tensor(dtype, values)])
        yield Case("scalar", attrs, [tensor(dtype, values[1])])
        yield Case("empty", attrs, [empty(dtype, (2, 0))])


def two_special(op):
    left = [1, 2, 3, 4] if op == "Polygamma" else [1.5, 2, 5, 8]
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype)
        if dtype in COMPLEX:
            yield Case("plain", attrs, [plain(dtype, (3,)),
                                        plain(dtype, (3,), 4)])
            continue
        yield Case("plain", attrs, [tensor(dtype, left),
                                    tensor(dtype, NUMBERS[2:6])])
        # TensorFlow's float loses digits where little is left.
        yield Case("broadcast", attrs, [tensor(dtype, left, (4, 1)),
                                        tensor(dtype, NUMBERS[2:])])
        yield Case("empty", attrs, [empty(dtype, (0,)), plain(dtype, (1,))])
        yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,))])


def next_after(op):
    for dtype in op_types(op):
        yield Case("plain", attrs_of(op, dtype), [
            tensor(dtype, [1, 0, -1.5, 2]), tensor(dtype, [2, -1, -1.5, 0])])


def betainc(op):
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype)
        yield Case("plain", attrs, [
            tensor(dtype, [1, 2, 0.5, 5]), tensor(dtype, [3, 2, 0.5, 1.5]),
            tensor(dtype, [0.25, 0.5, 0.75, 0.9])])
        yield Case("scalar", attrs, [tensor(dtype, 2), tensor(dtype, [1, 3]),
                                     tensor(dtype, 0.5)])
        yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,)),
                                       plain(dtype, ())])


def complex_parts(op):
    for dtype, real in (("complex64", "float"), ("complex128", "double")):
        attrs = types(T=dtype)
        if op != "Conj":
            attrs |= types(Tout=real)
        yield Case("plain", attrs, [plain(dtype, (2, 3))])
        yield Case("scalar", attrs, [plain(dtype, ())])
        yield Case("empty", attrs, [empty(dtype, (0, 3))])
        yield Case("special", attrs, [tensor(dtype, [
            0, -1, 1j, complex(-0.0, -0.0), complex(float("inf"), 1),
            complex(3e30, 4e30)])])


def make_complex(op):
    for real, dtype in (("float", "complex64"), ("double", "complex128")):
        attrs = types(T=real, Tout=dtype)
        yield Case("plain", attrs, [plain(real, (2, 3)), plain(real, (2, 3), 4)])
        yield Case("broadcast", attrs, [plain(real, (2, 1)), plain(real, (3,))])
        yield Case("empty", attrs, [empty(real, (0,)), plain(real, (1,))])
        yield Case("mismatch", attrs, [plain(real, (2,)), plain(real, (3,))])


def clip(op):
    for dtype in op_types(op):
        if dtype in COMPLEX:
            continue  # TensorFlow's answers are chance.
        attrs = attrs_of(op, dtype)
        low, high = tensor(dtype, 2), tensor(dtype, 4)
        yield Case("plain", attrs, [plain(dtype, (6,)), low, high])
        yield Case("other limits", attrs, [
            plain(dtype, (3,)), tensor(dtype, [1, 2, 3]), high])
        yield Case("mismatch", attrs, [plain(dtype, (3,)), plain(dtype, (2,)),
                                       high])


def cross(op):
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype)
        yield Case("plain", attrs, [tensor(dtype, [[1, 2, 3], [4, 5, 6]]),
                                    tensor(dtype, [[3, 7, 1], [1, 1, 2]])])
        if dtype == "float":
            yield Case("mismatch", attrs, [plain(dtype, (2,)),
                                           plain(dtype, (2,))])
            yield Case("mismatch shapes", attrs, [plain(dtype, (3,)),
                                                  plain(dtype, (2, 3))])


def approximate(op):
    for dtype in op_types(op):
        attrs = attrs_of(op, dtype) | {"tolerance": ("float", 0.5)}
        yield Case("plain", attrs, [tensor(dtype, [1, 2, 3]),
                                    tensor(dtype, [1.25, 2, 4])])
        yield Case("mismatch", attrs, [plain(dtype, (2,)), plain(dtype, (3,))])


def shift(op):
    for dtype in op_types(op):
        yield Case("plain", attrs_of(op, dtype), [
            plain(dtype, (5,)), tensor(dtype, [0, 1, 2, 7, 120])])


OPS = {
    **dict.fromkeys(
        """Asin Acos Atan Asinh Acosh Atanh Erfinv Ndtri Lgamma Digamma
        BesselI0 BesselI1 BesselI0e BesselI1e BesselK0 BesselK1 BesselK0e
        BesselK1e BesselJ0 BesselJ1 BesselY0 BesselY1 Dawsn Expint FresnelCos
        FresnelSin Spence""".split(), one_special),
    **dict.fromkeys("Igamma Igammac IgammaGradA Zeta Polygamma Xlog1py".split(),
                    two_special),
    **dict.fromkeys("Real Imag Angle ComplexAbs Conj".split(), complex_parts),
    "Complex": make_complex,
    "NextAfter": next_after,
    "Betainc": betainc,
    "ClipByValue": clip,
    "Cross": cross,
    "ApproximateEqual": approximate,
    "LeftShift": shift,
    "RightShift": shift,
    **dict.fromkeys(
        """Add AddV2 Sub Mul Maximum Minimum SquaredDifference Atan2 MulNoNan
        Xlogy Less LessEqual Greater GreaterEqual LogicalAnd
        LogicalOr BitwiseAnd BitwiseOr BitwiseXor""".split(), binary),
    **dict.fromkeys("""RealDiv Div DivNoNan FloorDiv FloorMod TruncateDiv
        TruncateMod Mod Xdivy""".split(), division),
    "Pow": power,
    "Equal": equality,
    "NotEqual": equality,
    **dict.fromkeys(
        """Neg Abs Square Sqrt Rsqrt Exp Expm1 Log Log1p Sigmoid Tanh Relu
        Relu6 Elu Selu Softplus Softsign Sign Sin Cos Tan Sinh Cosh Floor Ceil Round Rint
        Reciprocal Inv Invert Erf Erfc IsNan IsInf IsFinite LogicalNot
        PopulationCount""".split(),
        unary),
    "LeakyRelu": leaky_relu,
    **dict.fromkeys(
        """ReluGrad Relu6Grad EluGrad SeluGrad SoftplusGrad SoftsignGrad
        SigmoidGrad TanhGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad
        """.split(), elementwise_grad),
    "LeakyReluGrad": leaky_relu_grad,
    "AddN": add_n,
    "Select": select,
    "SelectV2": select,
    "Cast": cast,
    "ZerosLike": like,
    "OnesLike": like,
}
