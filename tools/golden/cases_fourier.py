"""Cases of Fourier transforms."""

from golden_case import Case, types
from golden_types import empty, i32, plain


def whole(op):
    flat = op.endswith("2D")
    deep = op.endswith("3D")
    for dtype in ("complex64", "complex128"):
        attrs = types(Tcomplex=dtype)
        shapes = [("plain", (2, 4)), ("other odd", (3, 5)),
                  ("other batch", (2, 2, 6)), ("other one", (1, 1))]
        if deep:
            shapes = [("plain", (2, 4, 4)), ("other batch", (2, 2, 1, 4))]
        for kind, shape in shapes:
            yield Case(kind, attrs, [plain(dtype, shape)])
        yield Case("empty", attrs, [empty(dtype, (2, 2, 0))])
        yield Case("mismatch", attrs, [plain(dtype, (3, 3) if deep else (3,) if flat else ())])


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
        yield case("mismatch empty", (0, 2) if back else (0, 5), [6])


def real_deep(op):
    """Of two and three dimensions."""
    back, rank = op.startswith("I"), int(op[-2])
    for dtype, wide in (("float", "complex64"), ("double", "complex128")):
        attrs = types(Treal=dtype, Tcomplex=wide)

        def case(kind, shape, lengths, attrs=attrs, dtype=wide if back else dtype):
            shape, lengths = shape[3 - rank:], lengths[3 - rank:]
            return Case(kind, attrs, [plain(dtype, shape), i32(lengths)])
        # Powers of two, of which all is exact: other lengths compare roundings.
        yield case("plain", (2, 4, 3) if back else (2, 4, 4), [2, 4, 4])
        yield case("other part", (3, 5, 6), [2, 4, 4])
        yield Case("other batch", attrs, [
            plain(wide if back else dtype, (2, 2, 2, 3)), i32([2] * rank)])
        yield Case("empty", attrs, [
            empty(wide if back else dtype, (0, 2, 2, 2)), i32([2] * rank)])
        yield case("mismatch", (2, 3, 4), [2, 4, 2])
        yield case("mismatch negative", (2, 3, 4), [-1, -1, 2])
        yield Case("mismatch lengths", attrs, [
            plain(wide if back else dtype, (2, 2, 2)), i32([2])])
        yield Case("mismatch rank", attrs, [
            plain(wide if back else dtype, (2,)), i32([2] * rank)])


OPS = {
    **dict.fromkeys(("RFFT2D", "IRFFT2D", "RFFT3D", "IRFFT3D"), real_deep),
    "FFT3D": whole,
    "IFFT3D": whole,
    "FFT": whole,
    "FFT2D": whole,
    "IFFT": whole,
    "IFFT2D": whole,
    "IRFFT": real,
    "RFFT": real,
}
