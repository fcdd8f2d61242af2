"""Types and values: what goes into the tensors of the golden cases.

A Tensor is a type's name as TensorFlow's messages spell it, a shape and the
bytes of the elements in row-major order (for strings, a list of them).
"""

import pathlib
import sys
from dataclasses import dataclass

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]

# name -> (number in TensorFlow's DataType, numpy type)
TYPES = {
    "float": (1, np.float32), "double": (2, np.float64),
    "int32": (3, np.int32), "uint8": (4, np.uint8),
    "int16": (5, np.int16), "int8": (6, np.int8), "string": (7, None),
    "complex64": (8, np.complex64), "int64": (9, np.int64),
    "bool": (10, np.bool_), "qint8": (11, np.int8), "quint8": (12, np.uint8),
    "qint32": (13, np.int32), "bfloat16": (14, ml_dtypes.bfloat16),
    "qint16": (15, np.int16), "quint16": (16, np.uint16),
    "uint16": (17, np.uint16), "complex128": (18, np.complex128),
    "half": (19, np.float16), "resource": (20, None), "variant": (21, None),
    "uint32": (22, np.uint32), "uint64": (23, np.uint64),
    "float8_e5m2": (24, ml_dtypes.float8_e5m2),
    "float8_e4m3fn": (25, ml_dtypes.float8_e4m3fn),
    "float8_e4m3fnuz": (26, ml_dtypes.float8_e4m3fnuz),
    "float8_e4m3b11fnuz": (27, ml_dtypes.float8_e4m3b11fnuz),
    "float8_e5m2fnuz": (28, ml_dtypes.float8_e5m2fnuz),
    "int4": (29, ml_dtypes.int4), "uint4": (30, ml_dtypes.uint4),
    "int2": (31, ml_dtypes.int2), "uint2": (32, ml_dtypes.uint2),
    "float4_e2m1fn": (33, ml_dtypes.float4_e2m1fn),
}
NAMES = {number: name for name, (number, _) in TYPES.items()}

FLOATS = ("half", "bfloat16", "float", "double")
SMALL_FLOATS = tuple(t for t in TYPES if t.startswith(("float8", "float4")))
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
NARROW_INTS = ("int4", "uint4", "int2", "uint2")
QUANTISED = ("qint8", "quint8", "qint16", "quint16", "qint32")
# Types whose tensors have bytes that can be written down.
PLAIN = tuple(t for t in TYPES if t not in ("resource", "variant"))
# Types with vector loops of their own deserve arrays longer than a vector.
WIDE = ("half", "bfloat16", "float", "int32")

sys.path.insert(0, str(ROOT / "tools/registry"))
import registry  # noqa: E402

REGISTRY = registry.read(ROOT / "tests/data/oracle/registry.txt")


@dataclass(frozen=True)
class Tensor:
    dtype: str
    shape: tuple
    data: object  # bytes, or a tuple of bytes for strings


def registered(op, *attrs):
    """The combinations of |attrs| that TensorFlow registers for |op| on a CPU.

    An attribute without a constraint takes the types its schema allows, or all
    that have bytes. Resources and variants are left to hand-made graphs.
    """
    combinations = set()
    for kernel in REGISTRY[op]["kernels"]:
        if kernel["device"] not in ("CPU", "DEFAULT"):
            continue
        if kernel["device"] == "DEFAULT" and any(
                k["device"] == "CPU" for k in REGISTRY[op]["kernels"]):
            continue
        names, found = registry.combinations(kernel)
        partial = [dict(zip(names, values)) for values in found]
        for attr in attrs:
            partial = [p if attr in p else dict(p, **{attr: t})
                       for p in partial
                       for t in ([p[attr]] if attr in p else allowed(op, attr))]
        combinations |= {tuple(p[a] for a in attrs) for p in partial}
    order = list(TYPES)
    return sorted((c for c in combinations
                   if "resource" not in c and "variant" not in c
                  and all(t in allowed(op, a) for a, t in zip(attrs, c))),
                  key=lambda c: [order.index(t) for t in c])


def registered_types(op, attr="T"):
    """The same for one attribute: a list of types."""
    return [c[0] for c in registered(op, attr)]


def allowed(op, attr):
    return REGISTRY[op]["attrs"][attr].get("allowed") or PLAIN


def tensor(dtype, values, shape=None):
    """Makes a tensor of Python numbers (nested or flat) or byte strings."""
    if dtype == "string":
        flat = np.array(values, dtype=object)
        shape = tuple(flat.shape) if shape is None else tuple(shape)
        items = tuple(bytes(v) if isinstance(v, bytes) else str(v).encode()
                      for v in flat.reshape(-1))
        return Tensor(dtype, shape, items)
    kind = TYPES[dtype][1]
    with np.errstate(all="ignore"):
        array = np.array(values).astype(kind) if np.size(values) else np.zeros(
            np.shape(values), kind)
    shape = array.shape if shape is None else tuple(shape)
    return Tensor(dtype, shape, array.reshape(-1).tobytes())


def i32(values):
    return tensor("int32", np.array(values, dtype=np.int64))


def index(dtype, values):
    return tensor(dtype, np.array(values, dtype=np.int64))


# Plain values of each kind; all types of one family hold them exactly.
_FLOATS = [1.5, -2, 0.25, 3, -0.75, 4, 0.5, -1, 6, -3.5, 2, 0.125]
_SIGNED = [3, -5, 7, -1, 2, 6, -4, 1, 5, -7, 4, -2]
_UNSIGNED = [3, 250, 7, 1, 200, 6, 4, 9, 5, 128, 2, 11]
_STRINGS = [b"a", b"", b"bc", b"\xff\x00z", b"a string longer than a header",
            b"bc", b"d", b"ef"]


def numbers(dtype, count, first=0):
    """|count| plain values, beginning with the |first|-th."""
    if dtype == "bool":
        pool = [True, False, False, True, True]
    elif dtype == "string":
        pool = _STRINGS
    elif dtype in COMPLEX:
        pool = [complex(a, b) for a, b in zip(_FLOATS, _FLOATS[5:] + _FLOATS)]
    elif dtype in FLOATS:
        pool = _FLOATS
    elif dtype in SMALL_FLOATS:
        pool = [1, 0.5, 2, 4, 1.5, 3]
    elif dtype == "int4":
        pool = [3, -5, 7, -1, 2]
    elif dtype in ("uint4",):
        pool = [3, 15, 7, 1, 2]
    elif dtype == "int2":
        pool = [1, -2, -1, 0]
    elif dtype == "uint2":
        pool = [1, 2, 3, 0]
    elif dtype in UNSIGNED or dtype.startswith("quint"):
        pool = _UNSIGNED
    else:
        pool = _SIGNED
    return [pool[(first + i) % len(pool)] for i in range(count)]


def plain(dtype, shape, first=0):
    """A tensor of plain values."""
    count = int(np.prod(shape, dtype=np.int64))
    values = numbers(dtype, count, first)
    if dtype == "string":
        return Tensor(dtype, tuple(shape), tuple(values))
    return tensor(dtype, values, shape)


def empty(dtype, shape):
    return Tensor(dtype, tuple(shape), () if dtype == "string" else b"")


def special(dtype):
    """Values at the edges of |dtype|: infinities, NaN, extremes, zeros."""
    if dtype in FLOATS:
        most = float(ml_dtypes.finfo(TYPES[dtype][1]).max)
        return [float("-inf"), -2.5, -0.0, 1.5, float("inf"), float("nan"),
                most]
    if dtype in COMPLEX:
        return [complex(1.5, -2), complex(0, 0), complex(-0.5, 3),
                complex(float("inf"), 1), complex(2, float("nan")),
                complex(-1, 0)]
    if dtype in INTS:
        info = np.iinfo(TYPES[dtype][1])
        return [info.min, info.min + 5, 0, 1, 7, info.max - 2, info.max]
    return numbers(dtype, 4)
