"""Cases of ops that take texts apart and make something of each."""

from cases_string import text
from golden_case import Case, types
from golden_types import Tensor, empty, tensor

WORDS = ("Hello World", "  a b\t", "", "\u00c4\u00f6\u00fc \u00df", "MiXed 42", "x" * 70)


def raw(*items, shape=None):
    return Tensor("string", (len(items),) if shape is None else shape, tuple(items))


def _mapped(kinds):
    """The cases of an op of one text each: its attributes, by what kind of case it is."""
    def cases(op):
        for kind, attrs in kinds:
            yield Case(kind, attrs, [text(*WORDS)])
        attrs = kinds[0][1]
        yield Case("scalar", attrs, [text("Word", shape=())])
        yield Case("empty", attrs, [empty("string", (0, 2))])
        yield Case("other matrix", attrs, [text("a", "B", " c", "d ", shape=(2, 2))])
    return cases


def string(value):
    return ("string", value)


lower = _mapped((("plain", {}), ("other utf", {"encoding": string("utf-8")}),
                 ("mismatch encoding", {"encoding": string("latin")})))
strip = _mapped((("plain", {}),))
length = _mapped((("plain", {}), ("other utf", {"unit": string("UTF8_CHAR")})))
bucket = _mapped((("plain", {"num_buckets": ("int", 1000)}), ("other one", {"num_buckets": ("int", 1)}),
                  ("other many", {"num_buckets": ("int", 2**62)})))
strong = _mapped((("plain", {"num_buckets": ("int", 1000), "key": ("ints", [1, 2])}),
                  ("mismatch key", {"num_buckets": ("int", 1000), "key": ("ints", [1])})))
encode = _mapped((("plain", {}), ("other pad", {"pad": ("bool", True)})))


def decode(op):
    yield Case("plain", {}, [text("aGVsbG8", "YT9iPmM", "", "QQ==", "QUI=")])
    yield Case("scalar", {}, [text("QQ", shape=())])
    yield Case("empty", {}, [empty("string", (0,))])
    for kind, value in (("letter", "a+b/"), ("space", "QQ ="), ("length", "QUJDR"), ("rest", "QR"),
                        ("pads", "Q==="), ("inside", "Q=Q=")):
        yield Case(f"mismatch {kind}", {}, [text("QQ", value)])


def to_number(op):
    whole = ("1", "-2", " 3 ", "0", "2147483647", "+5", "007", "-0")
    for dtype in ("float", "double", "int32", "int64", "uint32", "uint64"):
        attrs = types(out_type=dtype)
        signed = [w for w in whole if "-" not in w] if dtype.startswith("u") else whole
        yield Case("plain", attrs, [text(*signed)])
        yield Case("scalar", attrs, [text("7", shape=())])
        yield Case("empty", attrs, [empty("string", (0,))])
        for wrong in ("", "x", "1x", "1 2", "--1", "99999999999999999999999", "1_0", "-"):
            if dtype in ("float", "double") and wrong.isdigit():
                continue
            yield Case("mismatch", attrs, [text(wrong)])
    for dtype in ("float", "double"):
        yield Case("special", types(out_type=dtype), [text("inf", "-Infinity", "NAN", "1e400", "-1e-400", "0.1",
                                                           "1.", ".5", "1e5", "1E-3", "3.14159265358979")])
    for dtype in ("int32", "int64", "uint32", "uint64"):
        yield Case("mismatch part", types(out_type=dtype), [text("1.5")])


PATTERNS = (("letters", "[a-z]+", "<\\0>"), ("swap", "(\\w)(\\w)", "\\2\\1"), ("nothing", "", "-"),
            ("spaces", "\\s+", " "), ("either", "World|Hello", "x"), ("lazy", "l+?", "L"), ("dot", ".", "."),
            ("class", "[[:upper:][:digit:]]", "_"), ("not", "[^ -~]", "?"), ("case", "(?i)h", "j"),
            ("begin", "^\\s*", ""), ("end", "o*$", "0"), ("word", "\\b", "|"), ("twice", "l{2}", "LL"),
            ("optional", "(x)?(H)", "[\\1\\2]"), ("backslash", "o", "\\\\"))
WRONG = ("(", "a)", "[a", "*", "a**", "a\\", "\\y", "[z-a]", "a{1001}", "(?=a)")


def replace(op):
    for kind, pattern, rewrite in PATTERNS:
        yield Case(f"other {kind}", _replacing(pattern, rewrite), [text(*WORDS)])
        yield Case(f"other {kind} once", _replacing(pattern, rewrite, False), [text(*WORDS)])
    yield Case("plain", _replacing("o", "0"), [text("foo", "bar")])
    yield Case("scalar", _replacing("o", "0"), [text("foo", shape=())])
    yield Case("empty", _replacing("o", "0"), [empty("string", (0,))])
    for pattern in WRONG:
        yield Case("mismatch", _replacing(pattern, ""), [text("a")])


def _replacing(pattern, rewrite, is_global=True):
    return {"pattern": string(pattern), "rewrite": string(rewrite), "replace_global": ("bool", is_global)}


def replace_with(op):
    for kind, pattern, rewrite in PATTERNS[:4]:
        yield Case(f"other {kind}", {}, [text(*WORDS), text(pattern, shape=()), text(rewrite, shape=())])
    yield Case("plain", {}, [text("foo"), text("o", shape=()), text("0", shape=())])
    yield Case("scalar", {}, [text("foo", shape=()), text("o", shape=()), text("0", shape=())])
    yield Case("empty", {}, [empty("string", (0,)), text("o", shape=()), text("0", shape=())])
    yield Case("mismatch pattern", {}, [text("foo"), text("(", shape=()), text("0", shape=())])


MATCHES = ("Hello.*", ".*", "", "[a-z]*", "x+", "(?i)hello world", "a|b|MiXed 42")


def match(op):
    for pattern in MATCHES:
        yield Case("other", {"pattern": string(pattern)}, [text(*WORDS)])
    yield Case("plain", {"pattern": string("a+")}, [text("a", "aa", "b")])
    yield Case("scalar", {"pattern": string("a+")}, [text("a", shape=())])
    yield Case("empty", {"pattern": string("a+")}, [empty("string", (0,))])
    for pattern in WRONG:
        yield Case("mismatch", {"pattern": string(pattern)}, [text("a")])


def match_with(op):
    for pattern in MATCHES:
        yield Case("other", {}, [text(*WORDS), text(pattern, shape=())])
    yield Case("plain", {}, [text("a", "aa", "b"), text("a+", shape=())])
    yield Case("scalar", {}, [text("a", shape=()), text("a+", shape=())])
    yield Case("empty", {}, [empty("string", (0,)), text("a+", shape=())])
    yield Case("mismatch pattern", {}, [text("a"), text("(", shape=())])


def substr(op):
    for dtype in ("int32", "int64"):
        def case(kind, words, at, size, **attrs):
            values = [tensor(dtype, v) if isinstance(v, list) else Tensor(dtype, (), tensor(dtype, [v]).data)
                      for v in (at, size)]
            return Case(kind, {**types(T=dtype), **attrs}, [words, *values])
        yield case("plain", text("Hello", "World"), [0, 2], [2, 9])
        yield case("scalar", text("Hello", shape=()), 1, 3)
        yield case("broadcast", text("Hello", "World"), -3, 2)
        yield case("broadcast scalar", text("Hello", shape=()), [0, 1, 5], [1, 1, 1])
        yield case("empty", empty("string", (0,)), 0, 1)
        utf = {"unit": string("UTF8_CHAR")}
        yield case("other utf", text("\u00e4\u00f6\u00fc", "abc"), [1, -2], [1, 5], **utf)
        yield case("other negative length", text("abc"), [1], [-1])
        yield case("mismatch far", text("abc", "d"), 2, 1)
        yield case("mismatch before", text("abc", "d"), -2, 1)
        yield case("mismatch utf", text("\u00e4"), [2], [1], **utf)
        yield case("mismatch shapes", text("abc", "d"), [0, 1, 0], [1, 1, 1])


def split_v2(op):
    def case(kind, words, sep, **attrs):
        return Case(kind, attrs, [words, text(sep, shape=())], 3)
    rows = text("a b  c", "", "  x ", "no", "a,b,,c,")
    yield case("plain", rows, "")
    yield case("other mark", rows, ",")
    yield case("other long mark", text("a<>b<>", "<><>"), "<>")
    yield case("other once", rows, "", maxsplit=("int", 1))
    yield case("other once at a mark", rows, ",", maxsplit=("int", 1))
    yield case("other never", rows, "", maxsplit=("int", 0))
    yield case("empty", empty("string", (0,)), "")
    yield case("mismatch rank", text("a", shape=()), "")
    yield Case("mismatch mark", {}, [text("a"), text("b")], 3)


def split(op):
    def case(kind, words, marks, skip=True):
        return Case(kind, {"skip_empty": ("bool", skip)}, [words, text(marks, shape=())], 3)
    rows = text("a b  c", "", "  x ", "no", "a,b,,c,")
    yield case("plain", rows, " ")
    yield case("other empty", rows, " ", False)
    yield case("other several", rows, " ,")
    yield case("other bytes", rows, "")
    yield case("other bytes kept", rows, "", False)
    yield case("empty", empty("string", (0,)), " ")
    yield case("mismatch rank", text("a", shape=()), " ")


def reduce_join(op):
    letters = text(*"abcdef", shape=(2, 3))

    def case(kind, words, axes, **attrs):
        axes = tensor("int32", axes) if isinstance(axes, list) else Tensor("int32", (), tensor("int32", [axes]).data)
        return Case(kind, attrs, [words, axes])
    yield case("plain", letters, 0)
    yield case("axis last", letters, [-1], separator=string("+"))
    yield case("axis both", letters, [0, 1])
    yield case("axis turned", letters, [1, 0])
    yield case("axis none", letters, [])
    yield case("other kept", letters, [1], keep_dims=("bool", True))
    yield case("empty", empty("string", (0, 2)), [0])
    yield case("empty rows", empty("string", (2, 0)), [1])
    yield case("scalar", text("a", shape=()), [])
    yield case("mismatch far", letters, [2])
    yield case("mismatch twice", letters, [0, 0])


BYTES = (b"abc", "\u00e4\u8bed\U0001f60a".encode(), b"", b"a\xffb", b"\xe2\x82", b"\xf0\x9f\x98x", b"\x01\t\x7f")
CODES = (("plain", {}), ("other ignore", {"errors": string("ignore")}), ("other strict", {"errors": string("strict")}),
         ("other char", {"replacement_char": ("int", 63)}),
         ("other control", {"replace_control_characters": ("bool", True)}))


def transcode(op):
    for to in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for kind, attrs in CODES:
            yield Case(kind, {"input_encoding": string("UTF-8"), "output_encoding": string(to), **attrs}, [raw(*BYTES)])
    attrs = {"input_encoding": string("UTF-8"), "output_encoding": string("UTF-8")}
    yield Case("scalar", attrs, [raw(b"a", shape=())])
    yield Case("empty", attrs, [empty("string", (0,))])


def unicode_decode(count):
    def cases(op):
        # TensorFlow ends the process for offsets beside splits of 32 bits.
        for splits in ("int32", "int64") if count == 2 else ("int64",):
            for kind, attrs in CODES:
                yield Case(kind, {**types(Tsplits=splits), "input_encoding": string("UTF-8"), **attrs},
                           [raw(*BYTES)], count)
            attrs = {**types(Tsplits=splits), "input_encoding": string("UTF-8")}
            yield Case("scalar", attrs, [raw(b"ab", shape=())], count)
            yield Case("empty", attrs, [empty("string", (0,))], count)
    return cases


def unicode_encode(op):
    points = tensor("int32", [97, 228, 0x8BED, 0x1F60A, 98])
    for splits in ("int32", "int64"):
        def case(kind, values, ends, **attrs):
            return Case(kind, {**types(Tsplits=splits), "output_encoding": string("UTF-8"), **attrs},
                        [values, tensor(splits, ends)])
        yield case("plain", points, [0, 2, 2, 5])
        yield case("other wide", points, [0, 5], output_encoding=string("UTF-16-BE"))
        yield case("other widest", points, [0, 5], output_encoding=string("UTF-32-BE"))
        yield case("empty", empty("int32", (0,)), [0])
        wrong = tensor("int32", [97, 0x110000, 98])
        yield case("other wrong", wrong, [0, 3])
        yield case("other wrong ignored", wrong, [0, 3], errors=string("ignore"))
        yield case("mismatch wrong", wrong, [0, 3], errors=string("strict"))
        yield case("mismatch far", points, [0, 9])
        yield case("mismatch order", points, [0, 3, 2, 5])
        yield case("mismatch rank", points, [[0, 5]])
        yield case("mismatch matrix", tensor("int32", [[97, 98]]), [0, 2])


def script(op):
    """Characters at the ends of planes, and some from each hundred."""
    chars = list(range(0, 0x3000, 37)) + list(range(0x3000, 0x110000, 4099)) + [0xD800, 0xFFFF, 0x10FFFF]
    yield Case("plain", {}, [tensor("int32", chars)])
    yield Case("plain", {}, [tensor("int32", [[65, 0x3b1], [0x4e00, 0x1f600]])])
    yield Case("other wrong", {}, [tensor("int32", [-1, 0x110000, 2**31 - 1, -2**31])])
    yield Case("scalar", {}, [tensor("int32", 65)])
    yield Case("empty", {}, [empty("int32", (0, 2))])


OPS = {
    "StringLower": lower, "StringUpper": lower, "StringStrip": strip, "StringLength": length,
    "StringToHashBucket": bucket, "StringToHashBucketFast": bucket, "StringToHashBucketStrong": strong,
    "EncodeBase64": encode, "DecodeBase64": decode, "StringToNumber": to_number,
    "StaticRegexReplace": replace, "RegexReplace": replace_with,
    "StaticRegexFullMatch": match, "RegexFullMatch": match_with, "Substr": substr,
    "StringSplit": split, "StringSplitV2": split_v2, "ReduceJoin": reduce_join,
    "UnicodeTranscode": transcode, "UnicodeDecode": unicode_decode(2),
    "UnicodeDecodeWithOffsets": unicode_decode(3), "UnicodeEncode": unicode_encode,
    "UnicodeScript": script,
}
