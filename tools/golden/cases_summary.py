"""Cases of ops that describe values for TensorBoard."""

from cases_text import raw
from golden_case import Case, types
from golden_types import empty, tensor

TAG = raw(b"some/tag", shape=())
REAL = ("float", "double", "int32", "uint8", "int16", "int8", "int64", "bfloat16", "uint16", "half", "uint32", "uint64")
SPREAD = [0, 1, 2, 2, 3, 5, 8, 13, 21, 100]


def scalar(op):
    for dtype in REAL:
        yield Case("plain", types(T=dtype), [TAG, tensor(dtype, 3)])
        yield Case("other several", types(T=dtype), [raw(b"a", b"b"), tensor(dtype, [1, 2])])
    yield Case("mismatch shape", types(T="float"), [raw(b"a", b"b"), tensor("float", [1, 2, 3])])


def histogram(op):
    for dtype in REAL:
        yield Case("plain", types(T=dtype), [TAG, tensor(dtype, SPREAD, (2, 5))])
        yield Case("empty", types(T=dtype), [TAG, empty(dtype, (0,))])
    yield Case("other signs", types(T="float"), [TAG, tensor("float", [-1e30, -2.5, 0, 1e-13, 1e21])])
    yield Case("mismatch nan", types(T="float"), [TAG, tensor("float", [1, float("nan")])])
    yield Case("mismatch infinity", types(T="float"), [TAG, tensor("float", [1, float("inf")])])


OPS = {"HistogramSummary": histogram, "ScalarSummary": scalar}
