"""Cases of ops that make strings."""

import numpy as np

from golden_case import Case, types
from golden_types import (COMPLEX, FLOATS, INTS, Tensor, empty, plain,
                          registered_types, special, tensor)


def text(*items, shape=None):
    items = tuple(item.encode() for item in items)
    return Tensor("string", (len(items),) if shape is None else shape, items)


def string_format(op):
    def case(kind, values, template, placeholder="{}", summarize=3):
        attrs = {"T": ("types", [v.dtype for v in values]),
                 "template": ("string", template),
                 "placeholder": ("string", placeholder),
                 "summarize": ("int", summarize)}
        return Case(kind, attrs, values)
    for dtype in registered_types(op):
        yield case("plain", [plain(dtype, (2, 2))], "<{}>")
        yield case("scalar", [plain(dtype, ())], "x = {}")
    yield case("empty", [empty("float", (0,)), empty("float", (2, 0)),
                         empty("float", (0, 2))], "{} {} {}")
    yield case("special", [tensor("float", special("float"))], "{}",
               summarize=-1)
    yield case("special double", [tensor("double", special("double"))], "{}",
               summarize=-1)
    yield case("other several", [plain("int32", (2,)), plain("string", (3,)),
                                 plain("bool", ())], "a {} b {} c {} d")
    yield case("other none", [], "a text")
    yield case("other long", [tensor("int32", np.arange(20))], "{}")
    yield case("other longer than needed", [tensor("int32", np.arange(6))],
               "{}")
    yield case("other matrix", [tensor("int32", np.arange(70).reshape(7, 10))],
               "{}", summarize=2)
    yield case("other cube", [tensor("float", np.arange(60) / 4, (3, 4, 5))],
               "{}", summarize=1)
    yield case("other all", [tensor("int32", np.arange(24), (2, 3, 4))], "{}",
               summarize=-1)
    yield case("other fractions", [tensor("float", [
        0.1, 1e-7, 1e10, 123456.7, 3.14159265, 1 / 3, 100, -0.5])], "{}",
        summarize=-1)
    yield case("other fractions double", [tensor("double", [
        0.1, 1e-7, 1e10, 123456.7, 3.14159265, 1 / 3, 100, -0.5])], "{}",
        summarize=-1)
    yield case("other placeholder", [plain("int32", (2,))], "%s%s",
               "%s%s")
    yield case("mismatch few", [plain("int32", (2,))], "{} {}")
    yield case("mismatch many", [plain("int32", ()), plain("int32", ())],
               "{}")


def as_string(op):
    def case(kind, value, **attrs):
        return Case(kind, {**types(T=value.dtype), **attrs}, [value])
    for dtype in registered_types(op):
        yield case("plain", plain(dtype, (2, 3)))
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("other width", plain(dtype, (3,)), width=("int", 8))
        yield case("other zeros", plain(dtype, (3,)), width=("int", 8),
                   fill=("string", "0"))
        if dtype in FLOATS + COMPLEX + INTS:
            yield case("special", tensor(dtype, special(dtype)))
        yield case("other scientific", plain(dtype, (3,)),
                   scientific=("bool", True))
        yield case("other shortest", plain(dtype, (3,)),
                   shortest=("bool", True))
        yield case("other precision", plain(dtype, (3,)),
                   precision=("int", 2))
    numbers = tensor("float", [0.1, 1e-7, 1e10, 123456.7, 1 / 3, -2.5])
    for kind, attrs in (
            ("other left", {"width": ("int", 10), "fill": ("string", "-")}),
            ("other sign", {"fill": ("string", "+")}),
            ("other space", {"width": ("int", 2), "fill": ("string", " ")}),
            ("other sharp", {"fill": ("string", "#"),
                             "precision": ("int", 0)}),
            ("other all", {"width": ("int", 12), "fill": ("string", "0"),
                           "precision": ("int", 3)}),
            ("other short", {"shortest": ("bool", True)}),
            ("other short precise", {"shortest": ("bool", True),
                                     "precision": ("int", 3)}),
            ("other long", {"scientific": ("bool", True),
                            "precision": ("int", 1)}),
            ("mismatch fill", {"fill": ("string", "x")}),
            ("mismatch two", {"fill": ("string", "00")}),
            ("mismatch both", {"scientific": ("bool", True),
                               "shortest": ("bool", True)})):
        yield case(kind, numbers, **attrs)
    words = text("a", "a long word", "bcd")
    yield case("other precise words", words, width=("int", 8),
               precision=("int", 2))
    yield case("other words to the left", words, width=("int", 5),
               fill=("string", "-"))
    yield case("other width of nothing", words, width=("int", 0),
               precision=("int", 2))
    yield case("other left complex", plain("complex64", (2,)),
               width=("int", 10), fill=("string", "-"), precision=("int", 1))
    yield case("other sign of integers", tensor("int32", [1, -1]),
               fill=("string", "+"))
    yield case("other sign of unsigned", tensor("uint8", [1, 255]),
               fill=("string", "+"), width=("int", 6))
    yield case("mismatch fill of bools", tensor("bool", [True]),
               fill=("string", "+"))


def string_join(op):
    def case(kind, values, separator=""):
        return Case(kind, {"N": ("int", len(values)),
                           "separator": ("string", separator)}, values)
    yield case("plain", [text("a", "b"), text("c", "a long piece of text")])
    yield case("scalar", [text("a", shape=()), text("b", shape=())], ", ")
    yield case("broadcast", [text("a", "b"), text("-", shape=()),
                             text("c", "d")])
    yield case("empty", [empty("string", (0,)), empty("string", (0,))])
    yield case("empty broadcast", [empty("string", (0,)),
                                   text("x", shape=())])
    yield case("other one", [text("a", "b")], "-")
    yield case("other none", [], "-")
    yield case("other matrix", [text("a", "b", "c", "d", shape=(2, 2)),
                                text("", "f", "g", "h", shape=(2, 2))], "/")
    yield case("mismatch", [text("a", "b"), text("c")])
    yield case("mismatch rank", [text("a", "b"), text("c", "d", shape=(2, 1)),
                                 text("e", shape=())])


OPS = {
    "StringFormat": string_format,
    "AsString": as_string,
    "StringJoin": string_join,
}
