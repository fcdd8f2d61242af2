"""Cases of Fourier transforms."""

from golden_case import Case, types
from golden_types import empty, i32, plain


def whole(op):
    flat = op.endswith("2D")
    for dtype in ("complex64", "complex128"):
        attrs = types(Tcomplex=dtype)
        shapes = [("plain", (2, 4)), ("other odd", (3, 5)),
                  ("other batch", (2, 2, 6)), ("other one", (1, 1))]
        for kind, shape in shapes:
            yield Case(kind, attrs, [plain(dtype, shape)])
        yield Case("empty", attrs, [empty(dtype, (2, 0))])
        yield Case("mismatch", attrs, [plain(dtype, (3,) if flat else ())])


def real(op):
    back = op == "IRFFT"
    for dtype, wide in (("float", "complex64"), ("double", "complex128")):
        attrs = types(Treal=dtype, Tcomplex=wide)

        def case(kind, shape, length, attrs=attrs,
                 dtype=wide if back else dtype):
            return Case(kind, attrs, [plain(dtype, shape), i32(length)])
        yield case("plain", (2, 3) if back else (2, 4), [4])
        yield case("other odd", (3,) if back else (5,), [5])
        yield case("other part", (5,) if back else (8,), [6])
        yield case("mismatch", (2,) if back else (5,), [6])


OPS = {
    "FFT": whole,
    "FFT2D": whole,
    "IFFT": whole,
    "IFFT2D": whole,
    "IRFFT": real,
    "RFFT": real,
}
