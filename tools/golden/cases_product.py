"""Cases of products and reductions: MatMul, BiasAdd, Softmax, Sum, ArgMax."""

import numpy as np

from golden_case import Case, types
from golden_types import (FLOATS, INTS, empty, i32, index, plain,
                          registered, registered_types, special, tensor)


def ramp(dtype, shape, step=0.37):
    """Many different values of moderate size. All are positive: where terms
    cancel, the order of summation would show."""
    values = np.sin(np.arange(int(np.prod(shape))) * step) + 1.25
    return tensor(dtype, values.reshape(shape))


def quarters(dtype, shape):
    """Values whose sums are exact in any order, in 16 bits too."""
    values = (np.arange(int(np.prod(shape))) * 5 % 8 + 1) / 4
    return tensor(dtype, values.reshape(shape))


def powers(dtype, shape):
    """Values whose products are exact in any order."""
    values = 2.0 ** ((np.arange(int(np.prod(shape))) * 5) % 4 - 1)
    return tensor(dtype, values.reshape(shape))


# ---- Products ----


def matmul(op):
    for dtype in registered_types(op):
        def case(kind, a, b, dtype=dtype, **flags):
            attrs = dict(types(T=dtype),
                         **{k: ("bool", v) for k, v in flags.items()})
            return Case(kind, attrs, [a, b])
        a, b = plain(dtype, (2, 3)), plain(dtype, (3, 2), 2)
        yield case("plain", a, b)
        yield case("plain transposes", plain(dtype, (3, 2)),
                   plain(dtype, (2, 3), 2), transpose_a=True, transpose_b=True)
        yield case("plain transpose b", a, plain(dtype, (2, 3), 1),
                   transpose_b=True)
        yield case("plain vector", plain(dtype, (1, 3)), b)
        yield case("empty", empty(dtype, (0, 3)), b)
        yield case("empty inner", empty(dtype, (2, 0)), empty(dtype, (0, 2)))
        yield case("mismatch", a, plain(dtype, (2, 2)))
        yield case("mismatch transposed", a, b, transpose_b=True)
        yield case("mismatch rank", plain(dtype, (3,)), b)
        yield case("scalar", plain(dtype, ()), b)
        if dtype in FLOATS:
            values = tensor(dtype, special(dtype), (7, 1))
            yield case("special", values, tensor(dtype, [1, 0, 2], (1, 3)))
            yield case("plain odd sizes", ramp(dtype, (5, 17)),
                       ramp(dtype, (17, 7), 0.61))
        if dtype in INTS:
            values = tensor(dtype, special(dtype), (7, 1))
            yield case("overflow", values, tensor(dtype, [3, -1], (1, 2)))


def sparse_matmul(op):
    for ta, tb in registered(op, "Ta", "Tb"):
        def case(kind, a, b, ta=ta, tb=tb, **flags):
            attrs = dict(types(Ta=ta, Tb=tb), **{k: ("bool", v) for k, v in flags.items()})
            return Case(kind, attrs, [plain(ta, a), plain(tb, b, 2)])
        yield case("plain", (2, 3), (3, 2), a_is_sparse=True)
        yield case("plain transposes", (3, 2), (4, 3), transpose_a=True, transpose_b=True, b_is_sparse=True)
        yield case("other wide", (5, 40), (40, 33), a_is_sparse=True)
        yield case("empty", (0, 3), (3, 2))
        yield case("empty inner", (2, 0), (0, 2))
        yield case("mismatch", (2, 3), (2, 2))
        yield case("mismatch rank", (3,), (3, 2))
        yield case("mismatch rank b", (2, 3), (3,))


def batch_matmul(op):
    for dtype in registered_types(op):
        def case(kind, a, b, dtype=dtype, **flags):
            attrs = dict(types(T=dtype),
                         **{k: ("bool", v) for k, v in flags.items()})
            return Case(kind, attrs, [a, b])
        a, b = plain(dtype, (2, 2, 3)), plain(dtype, (2, 3, 1), 2)
        yield case("plain", a, b)
        yield case("plain adjoint", plain(dtype, (2, 3, 2)),
                   plain(dtype, (2, 1, 3), 1), adj_x=True, adj_y=True)
        yield case("plain matrices", plain(dtype, (2, 3)), plain(dtype, (3, 2)))
        yield case("broadcast", a, plain(dtype, (3, 2), 1))
        yield case("broadcast both", plain(dtype, (2, 1, 1, 2)),
                   plain(dtype, (2, 2, 1), 1))
        yield case("empty", empty(dtype, (0, 2, 3)), plain(dtype, (1, 3, 1)))
        yield case("empty inner", empty(dtype, (2, 1, 0)),
                   empty(dtype, (2, 0, 1)))
        yield case("mismatch", a, plain(dtype, (2, 2, 1)))
        yield case("mismatch batch", a, plain(dtype, (3, 3, 1)))
        yield case("mismatch rank", plain(dtype, (3,)), plain(dtype, (3, 1)))
        yield case("scalar", plain(dtype, ()), plain(dtype, ()))
        if dtype in FLOATS:
            values = tensor(dtype, special(dtype), (1, 7, 1))
            yield case("special", values, tensor(dtype, [1, 0], (1, 1, 2)))
        if dtype in INTS:
            values = tensor(dtype, special(dtype), (1, 7, 1))
            yield case("overflow", values, tensor(dtype, [3, -1], (1, 1, 2)))


def batch_matmul_mixed(op):
    """Both inputs and the output may be of types of their own."""
    for left, right, out in registered(op, "Ta", "Tb", "Tout"):
        def case(kind, a, b, attrs=types(Ta=left, Tb=right, Tout=out), **flags):
            more = {k: ("bool", v) for k, v in flags.items()}
            return Case(kind, attrs | more, [a, b])
        a, b = plain(left, (2, 2, 3)), plain(right, (2, 3, 1), 2)
        yield case("plain", a, b)
        yield case("plain adjoint", plain(left, (2, 3, 2)),
                   plain(right, (2, 1, 3), 1), adj_x=True, adj_y=True)
        yield case("broadcast", a, plain(right, (3, 2), 1))
        yield case("empty", empty(left, (0, 2, 3)), plain(right, (1, 3, 1)))
        yield case("empty inner", empty(left, (2, 1, 0)),
                   empty(right, (2, 0, 1)))
        yield case("mismatch", a, plain(right, (2, 2, 1)))
        yield case("scalar", plain(left, ()), plain(right, ()))
        if left == right in FLOATS:
            values = tensor(left, special(left), (1, 7, 1))
            yield case("special", values, tensor(left, [1, 0], (1, 1, 2)))
        if left in INTS and right in INTS:
            values = tensor(left, special(left), (1, len(special(left)), 1))
            yield case("overflow", values, tensor(right, [3, 1], (1, 1, 2)))


def bias_add(op):
    for dtype in registered_types(op):
        def case(kind, value, bias, layout=None, dtype=dtype):
            attrs = types(T=dtype)
            if layout is not None:
                attrs["data_format"] = ("string", layout)
            return Case(kind, attrs, [value, bias])
        yield case("plain", plain(dtype, (2, 3)), plain(dtype, (3,), 1))
        if op == "BiasAdd":
            yield case("plain channels first", plain(dtype, (2, 2, 1, 2)),
                       plain(dtype, (2,), 1), "NCHW")
            yield case("plain channels first matrix", plain(dtype, (2, 3)),
                       plain(dtype, (3,), 1), "NCHW")
        yield case("empty", empty(dtype, (0, 3)), plain(dtype, (3,)))
        yield case("scalar", plain(dtype, ()), plain(dtype, (1,)))
        yield case("mismatch", plain(dtype, (2, 3)), plain(dtype, (2,)))
        if dtype == "float":
            yield case("mismatch rank", plain(dtype, (3,)), plain(dtype, (3,)))
            yield case("mismatch bias rank", plain(dtype, (2, 3)),
                       plain(dtype, (1, 3)))
        values = special(dtype)
        yield case("overflow" if dtype in INTS else "special",
                   tensor(dtype, values, (1, len(values))),
                   tensor(dtype, values))


def bias_add_grad(op):
    for dtype in registered_types(op):
        def case(kind, value, layout=None, dtype=dtype):
            attrs = types(T=dtype)
            if layout is not None:
                attrs["data_format"] = ("string", layout)
            return Case(kind, attrs, [value])
        yield case("plain", plain(dtype, (2, 3)))
        yield case("plain rank four", plain(dtype, (2, 2, 1, 3)))
        yield case("plain channels first", plain(dtype, (2, 3, 2)), "NCHW")
        yield case("plain channels first rank five",
                   plain(dtype, (2, 2, 1, 2, 1)), "NCHW")
        yield case("plain one row", plain(dtype, (1, 3)))
        yield case("empty", empty(dtype, (0, 3)))
        yield case("empty channels", empty(dtype, (2, 0)))
        yield case("scalar", plain(dtype, ()))
        yield case("mismatch rank", plain(dtype, (3,)))
        values = special(dtype)
        yield case("overflow" if dtype in INTS else "special",
                   tensor(dtype, values + values[::-1], (2, len(values))))


def softmax(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        yield case("plain", plain(dtype, (2, 3)))
        yield case("plain long", ramp(dtype, (2, 19), 0.9))
        yield case("plain vector", plain(dtype, (5,)))
        yield case("plain rank three", plain(dtype, (2, 2, 2)))
        yield case("empty", empty(dtype, (0, 3)))
        yield case("empty row", empty(dtype, (2, 0)))
        yield case("scalar", plain(dtype, ()))
        inf = float("inf")
        yield case("special", tensor(dtype, [
            [1, inf, 2], [1, -inf, 2], [-inf, -inf, -inf],
            [float("nan"), 1, 2], [50, -50, 80]]))


# ---- Reductions ----


def reduce_case(kind, dtype, idx, value, axes, keep=None):
    attrs = types(T=dtype, Tidx=idx) if dtype else types(Tidx=idx)
    if keep is not None:
        attrs["keep_dims"] = ("bool", keep)
    return Case(kind, attrs, [value, index(idx, axes)])


def reduction_shapes(dtype, attr, idx):
    """Every way of naming axes, with plain values."""
    value = plain(dtype, (2, 3, 2))

    def case(kind, value, axes, keep=None):
        return reduce_case(kind, attr, idx, value, axes, keep)
    yield case("axis", value, [1])
    yield case("mismatch", value, [3])
    if idx == "int64":
        return
    yield case("axis negative", value, [-1])
    yield case("axis several", value, [0, -1], True)
    yield case("axis first", value, 0)
    yield case("axis all", value, [2, 0, 1])
    yield case("axis none", plain(dtype, (2,)), np.zeros(0))
    yield case("scalar", plain(dtype, ()), np.zeros(0))
    yield case("empty", empty(dtype, (0, 3)), [0])
    yield case("empty result", empty(dtype, (0, 3)), [1])
    yield case("empty all", empty(dtype, (2, 0)), [0, 1])
    if dtype in ("float", "bool"):
        yield case("mismatch negative", value, [-4])
        yield case("mismatch twice", value, [1, 1])
        yield case("mismatch rank", value, [[0], [1]])


def reduction(op):
    for dtype, idx in registered(op, "T", "Tidx"):
        yield from reduction_shapes(dtype, dtype, idx)
        if idx == "int64":
            continue
        if dtype in FLOATS:
            rows = [[1, float("nan"), 2], [float("inf"), 1, -3],
                    [float("inf"), float("-inf"), 0], [-0.0, -0.0, -0.0],
                    [float("-inf"), -2, float("nan")]]
            yield reduce_case("special", dtype, idx, tensor(dtype, rows), [1])
            # TensorFlow adds 16 bit numbers in 16 bits, in its own order.
            many = powers if op == "Prod" else (
                quarters if dtype in ("half", "bfloat16") else ramp)
            yield reduce_case("plain long", dtype, idx, many(dtype, (3, 19)),
                              [1])
            yield reduce_case("plain long columns", dtype, idx,
                              many(dtype, (19, 3)), [0])
        if dtype in INTS:
            info = special(dtype)
            yield reduce_case("overflow", dtype, idx,
                              tensor(dtype, [info[-1], info[-1], 5]), [0])


def truth(op):
    for (idx,) in registered(op, "Tidx"):
        yield from reduction_shapes("bool", None, idx)


def arg(op):
    for dtype, out in registered(op, "T", "output_type"):
        def case(kind, value, axis, idx="int32", dtype=dtype, out=out):
            return Case(kind, types(T=dtype, Tidx=idx, output_type=out),
                        [value, index(idx, axis)])
        value = plain(dtype, (2, 3, 2))
        yield case("axis", value, 1)
        if out != "int64":
            continue
        yield case("axis negative", value, -1)
        yield case("axis long index", value, 0, "int64")
        yield case("plain ties", tensor(dtype, [1, 1, 1, 0]), 0)
        yield case("empty", empty(dtype, (0, 3)), 1)
        yield case("empty axis", empty(dtype, (0, 3)), 0)
        yield case("mismatch", value, 3)
        yield case("scalar", plain(dtype, ()), 0)
        if dtype == "float":
            yield case("mismatch negative", value, -4)
            yield case("mismatch rank", value, [0, 1])
        if dtype in FLOATS:
            yield case("special", tensor(dtype, [
                [1, float("nan"), 2], [float("nan")] * 3,
                [float("-inf")] * 3, [1, float("inf"), float("nan")],
                [-1, float("-inf"), float("inf")]]), 1)
        if dtype in INTS:
            yield case("overflow", tensor(dtype, special(dtype)), 0)


def reduction_boundaries(op):
    """Shapes beyond the reach of the reductions' collapsed loops."""
    yield from reduction(op)
    yield Case("other rank six", types(T="float", Tidx="int32"),
               [plain("float", (2, 1, 2, 1, 3, 2)), i32([0, 2, 4])])


def l2_loss(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        yield case("plain", plain(dtype, (2, 3)))
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("special", tensor(dtype, [1, float("inf")]))
        yield case("special nan", tensor(dtype, [1, float("nan")]))
        yield case("other long", plain(dtype, (40, 12)))


def einsum(op):
    """Some wrong equations end TensorFlow's process; they are left out."""
    for dtype in registered_types(op):
        def case(kind, equation, *shapes, dtype=dtype):
            attrs = {**types(T=dtype), "N": ("int", len(shapes)),
                     "equation": ("string", equation)}
            return Case(kind, attrs, [plain(dtype, s, 3 * i)
                                      for i, s in enumerate(shapes)])
        yield case("plain", "ij,jk->ik", (2, 3), (3, 4))
        yield case("scalar", "i,i->", (3,), (3,))
        yield case("broadcast", "...ij,...jk->...ik", (2, 2, 3), (3, 2))
        yield case("empty", "ij,jk->ik", (0, 3), (3, 4))
        yield case("empty sum", "ij,jk->ik", (2, 0), (0, 2))
        yield case("other transpose", "ij->ji", (2, 3))
        if dtype != "float":
            continue
        yield case("other diagonal", "ii->i", (3, 3))
        yield case("other make diagonal", "i->ii", (3,))
        yield case("other trace", "ii->", (3, 3))
        yield case("other sum", "ij->", (2, 3))
        yield case("other rows", "ij->i", (2, 3))
        yield case("other outer", "i,j->ij", (2,), (3,))
        yield case("other elements", "ij,ij->ij", (2, 3), (2, 3))
        yield case("other swapped", "ij,ji->i", (2, 3), (3, 2))
        yield case("other attention", "bhqd,bhkd->bhqk", (1, 2, 3, 4),
                   (1, 2, 5, 4))
        yield case("other diagonal times", "iij,j->i", (2, 2, 3), (3,))
        yield case("other capitals", "IJ,Jk->Ik", (2, 3), (3, 4))
        yield case("broadcast both", "...,...->...", (3, 1), (1, 4))
        yield case("broadcast behind", "ij...,jk->...ik", (2, 3, 2), (3, 2))
        yield case("other scalars", ",->", (), ())
        yield case("other long", "ij,jk->ik", (5, 40), (40, 300))
        yield case("mismatch", "ij,jk->ik", (2, 3), (4, 4))
        yield case("mismatch rank", "ijk->ij", (2, 3))
        yield case("mismatch arrow", "ij,jk", (2, 3), (3, 4))
        yield case("mismatch ellipsis", "...ij,...jk->ik", (5, 2, 3),
                   (5, 3, 4))


OPS = {
    "Einsum": einsum,
    "EuclideanNorm": reduction,
    "L2Loss": l2_loss,
    "MatMul": matmul,
    "SparseMatMul": sparse_matmul,
    "BatchMatMul": batch_matmul,
    "BatchMatMulV2": batch_matmul,
    "BatchMatMulV3": batch_matmul_mixed,
    "BiasAdd": bias_add,
    "BiasAddV1": bias_add,
    "BiasAddGrad": bias_add_grad,
    "Softmax": softmax,
    "LogSoftmax": softmax,
    "Sum": reduction_boundaries,
    "Mean": reduction,
    "Prod": reduction,
    "Max": reduction,
    "Min": reduction,
    "All": truth,
    "Any": truth,
    "ArgMax": arg,
    "ArgMin": arg,
}
