#!/usr/bin/env python3
"""Writes tests/data/golden/print.txt: arrays, and what numpy's str() makes of them.

Run it with a Python that has numpy 2.4 and ml_dtypes. Each case is

    <dtype> <style> <d0,d1,...|-> <data>
    |first line of the text
    |second line

where <data> is the elements in hexadecimal, byte by byte, strings separated by
commas, or "range" for 0, 1, 2, ...
"""

import sys

import ml_dtypes
import numpy as np

TYPES = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "complex64": np.complex64,
    "complex128": np.complex128,
    "int8": np.int8,
    "int32": np.int32,
    "int64": np.int64,
    "uint64": np.uint64,
    "int4": ml_dtypes.int4,
    "bool": np.bool_,
    "string": object,
}
NAN, INF = float("nan"), float("inf")

# What both styles are tried on.
CASES = [
    ("float", [[22, 28], [49, 64]]),
    ("float", [[44, 56], [98, 128]]),
    ("float", 3.0),
    ("float", 0.1),
    ("float", -0.0),
    ("float", 1e-4),
    ("float", 999999.94),
    ("float", 16777216.0),
    ("float", -1.5e-5),
    ("float", NAN),
    ("float", -INF),
    ("float", [1.5, 2.25]),
    ("float", [1e10, 1e-10]),
    ("float", [1e-5, 1.2345678]),
    ("float", [0.1, -0.2, 3]),
    ("float", [1 / 3, 0.5]),
    ("float", [NAN, INF]),
    ("float", [1, -INF, NAN, 100.25]),
    ("float", [NAN, -NAN]),
    ("float", [1e6, 2]),
    ("float", [999, 0.9]),
    ("float", [1001, 1]),
    ("float", [0, 0, -0.0]),
    ("float", []),
    ("float", [[], []]),
    ("float", [[[1, 2], [3, 4]], [[5, 6], [7, 8.5]]]),
    ("float", [[[[1]], [[2]]]]),
    ("float", [1e-45, 3.4028235e38]),
    ("float", [2.0**-100, 1]),
    ("double", 0.1),
    ("double", 1 / 3),
    ("double", 1e16),
    ("double", 123456789.0),
    ("double", [0.1, 0.123456789012345]),
    ("double", [1e100, -1e-100, NAN]),
    ("double", [1 / 3, 2 / 3, 100]),
    ("double", [9.99999999999, 1]),
    ("double", [99999999, 100000]),
    ("double", [1e22, 9007199254740993, 1e300]),
    ("half", 0.1),
    ("half", 1000),
    ("half", [1e-5, 1.125, 1.2345]),
    ("half", [999, 1000]),
    ("half", [0.1, 0.2, 0.3]),
    ("half", [2.0**-6, 2.0**-7, 3e-5]),
    ("float", [94930592, 47504160]),
    ("bfloat16", [1, 2.5, 3e10, 0.1, NAN, -INF]),
    ("bfloat16", 0.1),
    ("float8_e4m3fn", [[1, 0.5], [448, -0.0]]),
    ("complex64", [1e-5 + 1j, 1.2345678 - 100j]),
    ("complex64", [0.1 + 1e-5j, 0.12345678 + 1j]),
    ("complex64", [0.1 + 0.1j, 0.25 - 1.5j]),
    ("complex128", 1 + 2j),
    ("complex128", 2j),
    ("complex128", complex(-0.0, -0.0)),
    ("complex128", complex(0, NAN)),
    ("complex64", complex(1e6, -INF)),
    ("complex128", [1 + 1j, 2.5 - 3.25j, complex(0, NAN), INF]),
    ("complex128", [1e10 + 1e-10j, 1]),
    ("int8", [-128, 127, 0]),
    ("int32", 3),
    ("int32", [[1, -20], [300, 4]]),
    ("int64", [-(2**63), 2**63 - 1]),
    ("uint64", 2**64 - 1),
    ("int4", [-8, 7, 0]),
    ("bool", True),
    ("bool", [True, False]),
    ("string", b"a"),
    ("string", b""),
    ("string", [b"a", b"bc"]),
    ("string", [b"it's", b'say "it\'s"', b"\\\t\r\n\x00\x7f\xff"]),
    ("string", [[b"x" * 70, b""], [b"y", b"z" * 80]]),
]

# dtype and shape of arrays that hold 0, 1, 2, ...
RANGES = [
    ("float", (40,)),
    ("float", (3, 3, 3)),
    ("float", (2, 40)),
    ("float", (1001,)),
    ("float", (40, 40)),
    ("float", (2, 600)),
    ("float", (10, 11, 12)),
    ("double", (2, 70, 2, 7)),
    ("float", (2, 2, 2, 2)),
    ("int32", (30,)),
    ("int32", (1000,)),
    ("int32", (1001,)),
    ("int64", (7, 7, 30)),
    ("int64", (2, 1, 1, 1, 50)),
]


def to_hex(array):
    """Returns the elements of |array| in hexadecimal."""
    if array.dtype == object:
        return ",".join(item.hex() or "-" for item in array.ravel())
    return array.tobytes().hex() or "-"


def write_case(out, dtype, array, data):
    """Writes |array| in both styles."""
    dims = ",".join(str(n) for n in array.shape) or "-"
    for style, legacy in (("numpy", False), ("classic", "1.13")):
        with np.printoptions(legacy=legacy):
            text = str(array[()])
        out.write(f"{dtype} {style} {dims} {data}\n")
        for line in text.split("\n"):
            out.write(f"|{line}\n")


def main():
    """Writes all cases to the file named on the command line."""
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for dtype, value in CASES:
            array = np.array(value, dtype=TYPES[dtype])
            write_case(out, dtype, array, to_hex(array))
        for dtype, shape in RANGES:
            count = int(np.prod(shape))
            array = np.arange(count).astype(TYPES[dtype]).reshape(shape)
            write_case(out, dtype, array, "range")


if __name__ == "__main__":
    main()
