"""Cases of ops that describe values for TensorBoard."""

import struct

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


# Sound without channels is left out: what TensorFlow says of it depends on whether memory of no bytes has an address.
SOUND = [0, .5, -.5, 1, -1, 2, -3, .00001526]


def audio(op):
    rate = tensor("float", 44100)
    for kind, data in (("plain", tensor("float", SOUND, (2, 4))), ("other channels", tensor("float", SOUND, (2, 2, 2))),
                       ("other many", tensor("float", SOUND, (8, 1))), ("empty", empty("float", (0, 4))),
                       ("empty frames", empty("float", (1, 0)))):
        yield Case(kind, {}, [TAG, data, rate])
    yield Case("other single", {"max_outputs": ("int", 1)}, [TAG, tensor("float", SOUND, (2, 4)), rate])
    yield Case("other rate", {}, [TAG, tensor("float", SOUND, (2, 4)), tensor("float", 8000.7)])
    yield Case("mismatch tag", {}, [raw(b"a", b"b"), tensor("float", SOUND, (2, 4)), rate])
    yield Case("mismatch rank", {}, [TAG, tensor("float", SOUND), rate])
    yield Case("mismatch rate", {}, [TAG, tensor("float", SOUND, (2, 4)), tensor("float", 0)])


def tensors(op):
    text = raw(b"a", b"", b"longer than what a small one holds")
    for dtype in ("float", "double", "half", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                  "uint64", "bool", "complex64", "complex128"):
        values = [1, 0] if dtype == "bool" else [1, 2]
        for kind, value in (("plain", tensor(dtype, values, (1, 2))), ("scalar", tensor(dtype, values[0])),
                            ("empty", empty(dtype, (0, 3)))):
            yield of_tensor(op, kind, dtype, value)
    yield of_tensor(op, "plain", "string", text)
    yield of_tensor(op, "scalar", "string", TAG)
    if op == "TensorSummaryV2":
        some = tensor("float", [1, 2])
        yield Case("other metadata", types(T="float"), [TAG, some, raw(b"\x12\x01x", shape=())])
        yield Case("mismatch tag", types(T="float"), [raw(b"a", b"b"), some, TAG])
        yield Case("mismatch metadata", types(T="float"), [TAG, some, raw(b"a", b"b")])


def of_tensor(op, kind, dtype, value):
    more = [] if op == "TensorSummary" else [raw(b"", shape=())]
    return Case(kind, types(T=dtype), [*([] if op == "TensorSummary" else [TAG]), value, *more])


def wav(rate=8000, channels=1, samples=b"\x01\x00\xff\x7f\x00\x80\x00\x40", **other):
    parts = {"riff": b"RIFF", "size": 36 + len(samples), "wave": b"WAVE", "before": b"", "fmt": b"fmt ", "length": 16,
             "format": 1, "each": 2 * channels, "bits": 16, "second": 2 * channels * rate, "more": b"", "data": b"data",
             "bytes": len(samples), "after": b"", **other}
    return (parts["riff"] + struct.pack("<I", parts["size"]) + parts["wave"] + parts["before"] + parts["fmt"]
            + struct.pack("<IHHIIHH", parts["length"], parts["format"], channels, rate, parts["second"], parts["each"],
                          parts["bits"]) + parts["more"] + parts["data"] + struct.pack("<I", parts["bytes"]) + samples
            + parts["after"])


PART = b"LIST\x03\x00\x00\x00abc"
BAD = {"riff": b"RIFX", "wave": b"WAVX", "fmt": b"fact", "length": 40, "format": 3, "each": 3, "bits": 8, "second": 7,
       "data": b"dath", "bytes": 20, "after": PART[:7]}


def decode(op):
    def case(kind, file, **wishes):
        return Case(kind, {name: ("int", value) for name, value in wishes.items()}, [raw(file, shape=())], output_count=2)
    yield case("plain", wav())
    yield case("other channels", wav(channels=2))
    yield case("other no rate", wav(rate=0))
    yield case("empty", wav(samples=b""))
    for samples in (-1, 0, 2, 6):
        for channels in (-1, 0, 1, 3):
            yield case("other wishes", wav(channels=2), desired_samples=samples, desired_channels=channels)
    yield case("other parts", wav(before=PART.replace(b"LIST", b"JUNK"), more=PART, after=PART))
    yield case("other longer format", wav(length=18, more=b"\x00\x00"))
    for name, value in BAD.items():
        yield case(f"mismatch {name}", wav(**{name: value}))
    yield case("mismatch no channels", wav(channels=0))
    yield case("mismatch twice", wav(after=b"data\x02\x00\x00\x00ab"))
    yield case("mismatch part", wav(after=b"LIST\xf0\xff\xff\xff"))
    for size in (0, 3, 6, 10, 14, 30, 36, 38, 42, 47):
        yield case("mismatch cut off", wav()[:size])
    yield Case("mismatch shape", {}, [raw(wav(), wav())], output_count=2)


def encode(op):
    rate = tensor("int32", 8000)
    yield Case("plain", {}, [tensor("float", SOUND, (8, 1)), rate])
    yield Case("other channels", {}, [tensor("float", SOUND, (4, 2)), rate])
    yield Case("other special", {}, [tensor("float", [float("nan"), float("inf"), float("-inf")], (3, 1)), rate])
    yield Case("empty", {}, [empty("float", (0, 1)), rate])
    yield Case("mismatch rank", {}, [tensor("float", SOUND), rate])
    yield Case("mismatch shape", {}, [tensor("float", SOUND, (4, 2)), tensor("int32", [8000])])
    yield Case("mismatch rate", {}, [tensor("float", SOUND, (4, 2)), tensor("int32", 0)])
    yield Case("mismatch rate", {}, [tensor("float", SOUND, (4, 2)), tensor("int32", -1)])


OPS = {"AudioSummaryV2": audio, "TensorSummary": tensors, "TensorSummaryV2": tensors, "DecodeWav": decode,
       "EncodeWav": encode, "HistogramSummary": histogram, "ScalarSummary": scalar}
