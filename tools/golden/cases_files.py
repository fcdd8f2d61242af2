"""Cases of ops that read and write images as the bytes of files."""

import random
import struct
import zlib

import numpy as np

from cases_text import raw, string
from golden_case import Case, GraphCase, Run, const, node, types
from golden_types import empty, tensor

KINDS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # Of a PNG: how many samples a pixel has.
ONE = [(0, 0, 1, 1)]
SEVEN = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def noise(count, seed):
    source = random.Random(seed)
    return bytes(source.randrange(256) if source.random() < 0.6 else 0 for _ in range(count))


def png(width, height, depth, kind, passes=ONE, front=b"", size=40):
    """A PNG of arbitrary pixels, each row under an arbitrary filter."""
    rows, source = b"", random.Random(width * depth + kind)
    for x, y, across, down in passes:
        columns = (width - x + across - 1) // across
        for row in range(y, height if columns > 0 else 0, down):
            rows += bytes([source.randrange(5)]) + noise((columns * KINDS[kind] * depth + 7) // 8, row + depth)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, passes is SEVEN)
    packed = zlib.compress(rows)
    data = b"".join(chunk(b"IDAT", packed[i:i + size]) for i in range(0, len(packed), size))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + front + data + chunk(b"IEND", b"")


def palette(depth, alphas=None):
    colors = chunk(b"PLTE", noise(3 << depth, depth))
    return colors if alphas is None else colors + chunk(b"tRNS", bytes(alphas))


def photo(height, width, channels):
    """Something smooth with an edge in it."""
    y, x = np.mgrid[0:height, 0:width]
    layers = [128 + 90 * np.sin(x / 3 + k) + 60 * np.cos(y / 2 - k) for k in range(channels)]
    image = np.stack(layers, -1).clip(0, 255).astype(np.uint8)
    image[height // 3:height // 2, width // 4:width // 2] = 250
    return image


def jpeg(height, width, channels, **options):
    import tensorflow as tf

    return tf.io.encode_jpeg(photo(height, width, channels), **options).numpy()


def one(contents):
    return raw(contents, shape=())


def numbers(**attrs):
    """Attributes by the Python types of their values."""
    kinds = {bool: "bool", int: "int", str: "string"}
    return {name: (kinds[type(value)], value) for name, value in attrs.items()}


def bad_contents(**attrs):
    yield Case("mismatch none", attrs, [one(b"")])
    yield Case("mismatch unknown", attrs, [one(b"no image")])
    yield Case("mismatch rank", attrs, [raw(b"a", b"b")])


def decode_png(op):
    files = [("gray", png(5, 4, 8, 0)), ("rgb", png(4, 3, 8, 2)), ("gray alpha", png(3, 2, 8, 4)),
             ("rgb alpha", png(3, 2, 8, 6)), ("palette", png(5, 2, 4, 3, front=palette(4))),
             ("transparent", png(5, 2, 2, 3, front=palette(2, [0, 100]))), ("bits", png(11, 3, 1, 0)),
             ("interlaced", png(9, 10, 8, 2, SEVEN)), ("wide", png(3, 2, 16, 2)), ("wide alpha", png(3, 2, 16, 6)),
             ("interlaced bits", png(9, 10, 2, 0, SEVEN)), ("key", png(5, 4, 8, 0, front=chunk(b"tRNS", b"\0\0"))),
             ("gamma", png(5, 4, 8, 2, front=chunk(b"gAMA", struct.pack(">I", 45455))))]
    for dtype in ("uint8", "uint16"):
        for name, contents in files:
            for channels in (0, 1, 3, 4):
                if name == "gamma" and channels != 1:
                    continue
                kind = "plain" if (name, channels) == ("rgb", 0) else f"other {name} {channels}"
                yield Case(kind, {**types(dtype=dtype), **numbers(channels=channels)}, [one(contents)])
        contents = png(4, 3, 8, 2)
        for kind, wrong in (("cut", contents[:-20]), ("head", contents[:30]), ("sum", contents[:-17] + b"x" + contents[-16:]),
                            ("magic", contents[:8]), ("channels", None), ("size", png(3, 3, 8, 2)[:16] + bytes(8) + b"rest")):
            attrs = types(dtype=dtype) | ({"channels": ("int", 2)} if wrong is None else {})
            yield Case(f"mismatch {kind}", attrs, [one(contents if wrong is None else wrong)])
    yield from bad_contents(**types(dtype="uint8"))


def decode_jpeg(op):
    yield Case("plain", {}, [one(jpeg(11, 18, 3))])
    yield Case("other gray", {}, [one(jpeg(9, 7, 1))])
    for quality in (5, 100):
        yield Case(f"other quality {quality}", {}, [one(jpeg(11, 18, 3, quality=quality))])
    yield Case("other whole colors", {}, [one(jpeg(11, 18, 3, chroma_downsampling=False))])
    yield Case("other progressive", {}, [one(jpeg(19, 18, 3, progressive=True))])
    yield Case("other small", {}, [one(jpeg(1, 1, 3))])
    for ratio in (2, 4, 8):
        yield Case(f"other ratio {ratio}", numbers(ratio=ratio), [one(jpeg(35, 42, 3))])
    yield Case("other exact", numbers(dct_method="INTEGER_ACCURATE"), [one(jpeg(11, 18, 3))])
    yield Case("other blocks", numbers(fancy_upscaling=False), [one(jpeg(11, 18, 3))])
    yield Case("other gray of color", numbers(channels=1), [one(jpeg(11, 18, 3))])
    yield Case("other color of gray", numbers(channels=3), [one(jpeg(9, 7, 1))])
    yield Case("other png", {}, [one(png(4, 3, 8, 2))])
    # What is missing of a file that ends early, and is to be recovered, TensorFlow fills with what it makes of its own
    # end marks; no case shows that.
    yield Case("mismatch cut", {}, [one(jpeg(35, 42, 3)[:-200])])
    yield Case("mismatch channels", numbers(channels=4), [one(jpeg(2, 2, 1))])
    yield Case("mismatch channels two", numbers(channels=2), [one(jpeg(2, 2, 1))])
    yield Case("mismatch ratio", numbers(ratio=3), [one(jpeg(2, 2, 1))])
    yield Case("mismatch method", numbers(dct_method="SLOW"), [one(jpeg(2, 2, 1))])
    yield Case("mismatch head", {}, [one(jpeg(2, 2, 1)[:100])])
    yield from bad_contents()


def crop(op):
    contents = jpeg(35, 42, 3)
    for window in ([0, 0, 35, 42], [3, 5, 9, 20], [16, 16, 10, 16], [20, 33, 3, 1], [1, 0, 34, 7]):
        kind = "plain" if window[0] == 3 else f"other {window[0]}"
        yield Case(kind, {}, [one(contents), tensor("int32", window)])
    yield Case("other ratio", numbers(ratio=2), [one(contents), tensor("int32", [2, 9, 5, 5])])
    for window in ([0, 0, 36, 42], [-1, 0, 3, 3], [0, 0, 0, 3], [0, 0, 3], [[0, 0, 3, 3]]):
        yield Case("mismatch window", {}, [one(contents), tensor("int32", window)])
    yield Case("mismatch png", {}, [one(png(4, 3, 8, 2)), tensor("int32", [0, 0, 1, 1])])


def bmp(width, height, bits, more=b""):
    size = (bits // 8 * width + 3) // 4 * 4 * abs(height)
    return b"BM" + struct.pack("<IHHIIiiHH", 0, 0, 0, 54, 40, width, height, 1, bits) + bytes(24) + noise(size, bits) + more


def decode_bmp(op):
    yield Case("plain", {}, [one(bmp(3, 2, 24))])
    yield Case("other from top", {}, [one(bmp(3, -2, 24))])
    yield Case("other alpha", {}, [one(bmp(3, 2, 32))])
    yield Case("other gray", {}, [one(bmp(5, 2, 8))])
    for channels in (1, 2, 3, 4):
        yield Case(f"other channels {channels}", numbers(channels=channels), [one(bmp(3, 2, 24))])
    for contents in (bmp(3, 2, 16), bmp(0, 2, 24), bmp(3, 0, 24), bmp(3, 2, 24, b"x"), bmp(3, 2, 24)[:31], png(2, 2, 8, 0),
                     jpeg(2, 2, 1)):
        yield Case("mismatch", {}, [one(contents)])
    yield from bad_contents()


def codes(pixels, size):
    """Codes of a GIF, without any that stand for several pixels: all are of one length."""
    bits, count, out, clear = 0, 0, b"", 1 << size
    for i, pixel in enumerate(pixels):
        for code in ([clear] if i % (clear - 2) == 0 else []) + [pixel]:
            bits, count = bits | code << count, count + size + 1
    bits, count = bits | (clear + 1) << count, count + size + 1
    out = bits.to_bytes((count + 7) // 8, "little")
    return bytes([size]) + b"".join(bytes([len(out[i:i + 99])]) + out[i:i + 99] for i in range(0, len(out), 99)) + b"\0"


def gif(*frames, colors=3, is_global=True):
    """A GIF of frames: left, top, width, height, transparent colour or None, flags."""
    out = b"GIF89a" + struct.pack("<HHBBB", 9, 9, (0x80 if is_global else 0) | colors - 1, 0, 0)
    out += noise(3 << colors, 1) if is_global else b""
    for left, top, width, height, clear, flags in frames:
        if clear is not None:
            out += b"!\xf9\4\1\0\0" + bytes([clear, 0])
        out += b"," + struct.pack("<HHHHB", left, top, width, height, flags)
        out += noise(6 << (flags & 7), 2) if flags & 0x80 else b""
        out += codes([p % (1 << colors) for p in noise(width * height, width)], colors)
    return out + b";"


FRAMES = ((0, 0, 6, 5, None, 0), (1, 2, 4, 5, 0, 0x82), (3, 0, 6, 3, None, 0x40))


def decode_gif(op):
    yield Case("plain", {}, [one(gif(*FRAMES))])
    yield Case("other one", {}, [one(gif(FRAMES[0]))])
    yield Case("other first", {}, [one(gif(FRAMES[1]))])
    yield Case("other cut", {}, [one(gif(*FRAMES)[:-20])])
    yield Case("other png", {}, [one(png(4, 3, 8, 2))])
    whole = gif(FRAMES[0])
    for wrong in (whole[:6], whole[:20], whole[:37] + b";", whole[:37] + b"?", whole[:60], gif(FRAMES[0], is_global=False),
                  gif((0, 0, 2, 2, None, 0x80))):
        yield Case("mismatch", {}, [one(wrong)])
    yield from bad_contents()


def decode_image(op):
    for dtype in ("uint8", "uint16", "float"):
        attrs = types(dtype=dtype)
        yield Case("plain", attrs, [one(png(4, 3, 8, 2))])
        yield Case("other wide", attrs, [one(png(3, 2, 16, 2))])
        yield Case("other jpeg", attrs, [one(jpeg(9, 7, 3))])
        yield Case("other gif", attrs, [one(gif(*FRAMES))])
        yield Case("other flat", attrs | numbers(expand_animations=False), [one(gif(*FRAMES))])
        yield Case("other bmp", attrs, [one(bmp(3, 2, 24))])
        yield Case("mismatch channels", attrs | numbers(channels=1), [one(gif(*FRAMES))])
    yield from bad_contents(**types(dtype="float"))


def extract_shape(op):
    for dtype in ("int32", "int64"):
        yield Case("plain", types(output_type=dtype), [one(jpeg(11, 18, 3))])
        yield Case("other gray", types(output_type=dtype), [one(jpeg(9, 7, 1))])
        yield Case("mismatch", types(output_type=dtype), [one(b"no image")])
        yield Case("mismatch rank", types(output_type=dtype), [raw(b"a", b"b")])


def encode_png(op):
    """Written and read again: how well bytes are packed is zlib's own matter."""
    for dtype in ("uint8", "uint16"):
        source = np.random.default_rng(3)
        for shape in ((3, 4, 1), (3, 4, 2), (2, 3, 3), (4, 2, 4)):
            image = tensor(dtype, source.integers(0, np.iinfo(dtype).max, shape).astype(dtype))
            yield GraphCase("plain" if shape[2] == 3 else f"other {shape[2]}", dtype, [
                const("image", image), node("file", "EncodePng", "image", T=("type", dtype)),
                node("back", "DecodePng", "file", dtype=("type", dtype))], [Run(["back"])])
        zero = np.zeros((2, 2, 2, 1), dtype)
        yield Case("empty", types(T=dtype), [tensor(dtype, zero[:0])])
        yield Case("mismatch rank", types(T=dtype), [tensor(dtype, zero[0, 0])])
        yield Case("mismatch channels", types(T=dtype), [tensor(dtype, np.zeros((1, 1, 5), dtype))])
        yield Case("mismatch level", types(T=dtype) | numbers(compression=10), [tensor(dtype, zero[0])])


def encode_jpeg(op):
    for channels in (1, 3):
        kind = "plain" if channels == 3 else "other gray"
        yield Case(kind, {}, [tensor("uint8", photo(11, 18, channels))])
    color, gray = tensor("uint8", photo(9, 10, 3)), tensor("uint8", photo(3, 2, 1))
    for attrs in (numbers(quality=0), numbers(quality=30), numbers(quality=100), numbers(chroma_downsampling=False),
                  numbers(density_unit="cm", x_density=7, y_density=8), {"xmp_metadata": string("<note/>")}):
        yield Case("other", attrs, [color])
    yield Case("mismatch quality", numbers(quality=101), [color])
    yield Case("mismatch format", numbers(format="rgb"), [gray])
    yield Case("mismatch format gray", numbers(format="grayscale"), [color])
    yield Case("mismatch channels", {}, [tensor("uint8", photo(3, 3, 2))])
    yield Case("mismatch rank", {}, [tensor("uint8", photo(3, 3, 1)[0])])
    yield Case("mismatch none", {}, [empty("uint8", (0, 3, 3))])


def encode_quality(op):
    color = tensor("uint8", photo(9, 10, 3))
    yield Case("plain", {}, [color, tensor("int32", 60)])
    yield Case("other gray", {}, [tensor("uint8", photo(9, 10, 1)), tensor("int32", 1)])
    yield Case("mismatch quality", {}, [color, tensor("int32", -1)])
    yield Case("mismatch rank", {}, [color, tensor("int32", [1])])
    yield Case("mismatch channels", {}, [tensor("uint8", photo(3, 3, 2)), tensor("int32", 1)])
    yield Case("mismatch none", {}, [empty("uint8", (0, 3, 3)), tensor("int32", 1)])


OPS = {"DecodePng": decode_png, "DecodeJpeg": decode_jpeg, "DecodeAndCropJpeg": crop, "DecodeBmp": decode_bmp,
       "DecodeGif": decode_gif, "DecodeImage": decode_image, "ExtractJpegShape": extract_shape, "EncodePng": encode_png,
       "EncodeJpeg": encode_jpeg, "EncodeJpegVariableQuality": encode_quality}
