"""Cases of images: colours, boxes."""

import numpy as np

from cases_norm import attributes
from cases_resize import image
from golden_case import Case, types
from golden_types import (REGISTRY, empty, i32, plain, registered,
                          registered_types, tensor)

# Each of the three numbers is the largest, the smallest, in between, and equal
# to another.
COLORS = [[0.75, 0.5, 0.25], [0.5, 0.75, 0.25], [0.25, 0.75, 0.5],
          [0.25, 0.5, 0.75], [0.5, 0.25, 0.75], [0.75, 0.25, 0.5],
          [0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 0], [1, 0, 0], [0.125, 1, 1],
          [0.25, 0.25, 1]]


def scalar(value):
    return tensor("float", value)


def adjust(op):
    """|op| takes images and how much."""
    for dtype in registered_types(op):
        def case(kind, value, amount, dtype=dtype):
            return Case(kind, types(T=dtype), [value, amount])
        colors = tensor(dtype, COLORS, (2, 2, 3, 3))
        for amount in (0.25, -0.375, 1.0, 0.0, 2.5):
            yield case("plain", colors, scalar(amount))
        yield case("plain one", tensor(dtype, COLORS, (4, 3, 3)), scalar(0.5))
        yield case("empty", empty(dtype, (0, 4, 5, 3)), scalar(0.5))
        yield case("empty height", empty(dtype, (2, 0, 5, 3)), scalar(0.5))
        yield case("mismatch rank", plain(dtype, (2, 3)), scalar(0.5))
        yield case("mismatch amount", colors, tensor("float", [0.5]))
        if op == "AdjustContrastv2":
            yield case("other channels", image(dtype, (2, 3, 4, 5)),
                       scalar(0.5))
            yield case("other five", image(dtype, (1, 2, 2, 3, 2)),
                       scalar(0.75))
        else:
            yield case("mismatch channels", plain(dtype, (2, 3, 4)),
                       scalar(0.5))


def hsv(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype):
            return Case(kind, types(T=dtype), [value])
        yield case("plain", tensor(dtype, COLORS))
        yield case("plain deep", tensor(dtype, COLORS, (2, 2, 3, 3)))
        yield case("other one", tensor(dtype, [0.25, 0.5, 0.75]))
        yield case("empty", empty(dtype, (0, 3)))
        yield case("scalar", plain(dtype, ()))
        yield case("mismatch", plain(dtype, (2, 4)))


BOXES = [[0, 0, 1, 1], [0, 0.125, 1, 1.125], [0, -0.125, 1, 0.875],
         [0, 10, 1, 11], [0, 10.125, 1, 11.125], [1, 101, 0, 100],
         [0, 10, 1, 11], [3, 3, 3, 5]]
SCORES = [0.875, 0.75, 0.625, 0.9375, 0.5, 0.25, 0.9375, -0.5]


def suppress_types(op):
    if "T" not in REGISTRY[op]["attrs"]:
        return [({}, "float", "float")]
    if "T_threshold" in REGISTRY[op]["attrs"]:
        return [({"T": t, "T_threshold": u}, t, u)
                for t, u in registered(op, "T", "T_threshold")]
    return [({"T": t}, t, t) for t in registered_types(op)]


def suppress(op):
    """NonMaxSuppression and its versions: thresholds are inputs but for the
    first."""
    extra = {"NonMaxSuppression": 0, "NonMaxSuppressionV2": 1,
             "NonMaxSuppressionV3": 2, "NonMaxSuppressionV4": 2,
             "NonMaxSuppressionV5": 3}.get(op, 2)
    outputs = {"NonMaxSuppressionV4": 2, "NonMaxSuppressionV5": 3}.get(op, 1)
    for named, dtype, threshold in suppress_types(op):
        def case(kind, boxes, scores, most, *limits, named=named,
                 threshold=threshold, **attrs):
            limits = list(limits) + [0.5, 0.0, 0.0][len(limits):]
            if extra == 0 and limits[0] != 0.5:
                attrs["iou_threshold"] = float(limits[0])
            values = [v if hasattr(v, "data") else tensor(threshold, v)
                      for v in limits[:extra]]
            return Case(kind, {**types(**named), **attributes(**attrs)},
                        [boxes, scores, most if hasattr(most, "data")
                         else i32(most), *values], outputs)
        boxes, scores = tensor(dtype, BOXES), tensor(dtype, SCORES)
        if "Overlaps" in op:
            boxes = tensor(dtype, [[1 if i == j else 0.75 if abs(i - j) == 1
                                    else 0.25 for j in range(8)]
                                   for i in range(8)])
        for most in (3, 8, 30, 0):
            yield case("plain", boxes, scores, most)
        yield case("plain limit", boxes, scores, 8, 0.25)
        yield case("plain all", boxes, scores, 8, 1.0)
        none = (0, 0) if "Overlaps" in op else (0, 4)
        yield case("empty", empty(dtype, none), empty(dtype, (0,)), 3)
        if extra > 1:
            yield case("plain score", boxes, scores, 8, 0.5, 0.5)
        if extra > 2:
            yield case("plain soft", boxes, scores, 8, 0.75, 0.125, 0.5)
            yield case("plain sinking", boxes, scores, 8, 1.0, 0.25, 0.25)
        if outputs > 1:
            yield case("plain padded", boxes, scores, 12,
                       pad_to_max_output_size=True)
        if dtype != "float" or threshold != "float":
            continue
        wrong = plain(dtype, (4,))
        yield case("mismatch boxes", wrong, scores, 3)
        yield case("mismatch columns", plain(dtype, (8, 3)), scores, 3)
        yield case("mismatch scores", boxes, plain(dtype, (8, 1)), 3)
        yield case("mismatch count", boxes, wrong, 3)
        yield case("mismatch most", boxes, scores, i32([3]))
        yield case("mismatch negative", boxes, scores, -1)
        for i in range(extra):
            limits = [0.5, 0.0, 0.0][:i] + [tensor(threshold, [0.5])]
            yield case(f"mismatch rank {i}", boxes, scores, 3, *limits)
        if "Overlaps" not in op:
            yield case("mismatch limit", boxes, scores, 3, 1.5)
            yield case("mismatch negative limit", boxes, scores, 3, -0.5)
        if extra > 2:
            yield case("mismatch sigma", boxes, scores, 3, 0.5, 0.0, -1.0)


def suppress_all(op):
    def case(kind, boxes, scores, most=3, total=5, limit=0.5, least=0.0,
             **attrs):
        return Case(kind, attributes(**attrs), [
            boxes, scores, most if hasattr(most, "data") else i32(most),
            total if hasattr(total, "data") else i32(total),
            limit if hasattr(limit, "data") else scalar(limit),
            least if hasattr(least, "data") else scalar(least)], 4)
    values = np.array(BOXES, dtype=np.float32) / 16
    one = tensor("float", np.stack([values, values[::-1]])[:, :, None, :])
    many = tensor("float", np.stack([
        np.stack([values, values[::-1]], 1), np.stack([values] * 2, 1)]))
    scores = tensor("float", [[[(i * 37 + k * 11 + b * 5) % 97 / 128
                                for k in range(2)] for i in range(8)]
                              for b in range(2)])
    for boxes in (one, many):
        yield case("plain", boxes, scores)
        yield case("plain few", boxes, scores, 1, 2)
        yield case("plain score", boxes, scores, 4, 9, 0.25, 0.375)
        yield case("plain padded", boxes, scores, 2, 30, pad_per_class=True)
    yield case("other beyond", tensor("float", np.array(
        [[[[-0.5, 0.25, 0.5, 1.5]], [[2, 2, 3, 3]]]])),
        tensor("float", [[[0.5], [0.25]]]))
    yield case("other beyond kept", tensor("float", np.array(
        [[[[-0.5, 0.25, 0.5, 1.5]], [[2, 2, 3, 3]]]])),
        tensor("float", [[[0.5], [0.25]]]), clip_boxes=False)
    yield case("empty", empty("float", (0, 4, 1, 4)),
               empty("float", (0, 4, 1)))
    yield case("empty boxes", empty("float", (2, 0, 1, 4)),
               empty("float", (2, 0, 1)))
    yield case("mismatch boxes", plain("float", (2, 4, 4)), scores)
    yield case("mismatch columns", plain("float", (2, 8, 1, 3)), scores)
    yield case("mismatch classes", plain("float", (2, 8, 3, 4)), scores)
    yield case("mismatch count", one, plain("float", (2, 7, 2)))
    yield case("mismatch batch", one, plain("float", (1, 8, 2)))
    yield case("mismatch most", one, scores, i32([3]))
    yield case("mismatch none", one, scores, 0)
    yield case("mismatch total", one, scores, 3, i32([3]))
    yield case("mismatch no total", one, scores, 3, 0)
    yield case("mismatch limit", one, scores, 3, 5, 1.5)
    yield case("mismatch rank of limit", one, scores, 3, 5,
               tensor("float", [0.5]))
    yield case("mismatch rank of score", one, scores, 3, 5, 0.5,
               tensor("float", [0.5]))


def draw(op):
    """Boxes inside, over the edge, outside and turned around."""
    boxes = tensor("float", [[[0.125, 0.25, 0.75, 0.875], [-0.5, 0.5, 0.5, 2],
                              [0.5, 0.5, 0.25, 0.75], [2, 2, 3, 3],
                              [0, 0, 1, 1]]] * 2)
    colors = tensor("float", [[0.25, 0.5, 0.75, 1], [0.5, 0.125, 0, 0.25]])
    for dtype in registered_types(op):
        def case(kind, value, seen, hue=colors, dtype=dtype):
            more = [hue] if op.endswith("V2") else []
            return Case(kind, types(T=dtype), [value, seen, *more])
        for channels in (1, 3, 4):
            yield case("plain", tensor(dtype, np.zeros((2, 9, 8, channels))),
                       boxes)
        yield case("plain other", image(dtype, (2, 5, 4, 3)), boxes)
        yield case("empty", empty(dtype, (2, 0, 5, 3)), boxes)
        if dtype != "float":
            continue
        value = image(dtype, (2, 5, 4, 3))
        yield case("empty boxes", value, empty("float", (2, 0, 4)))
        yield case("mismatch rank", plain(dtype, (2, 3)), boxes)
        yield case("mismatch channels", plain(dtype, (2, 4, 5, 2)), boxes)
        yield case("mismatch boxes", value, plain("float", (2, 4)))
        yield case("mismatch columns", value, plain("float", (2, 1, 3)))
        yield case("mismatch batch", value, plain("float", (3, 1, 4)))
        if op.endswith("V2"):
            yield case("other colours", value, boxes, empty("float", (0, 4)))
            yield case("mismatch colours", value, boxes,
                       plain("float", (1, 2)))
            yield case("mismatch rank of colours", value, boxes,
                       plain("float", (3,)))


WAYS = [[1, 0, 0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 1, -1, 0, 0],
        [0.5, 0.25, 0, -0.25, 0.75, 1, 0, 0], [-1, 0, 3, 0, 1, 0, 0, 0],
        [1, 0.5, -3, 0.25, 1, -2, 0.0625, 0.03125]]


def project(op):
    for (dtype,) in registered(op, "dtype"):
        def case(kind, value, ways, size, fill=2.0, dtype=dtype,
                 interpolation="BILINEAR", fill_mode="CONSTANT"):
            more = [scalar(fill) if np.ndim(fill) == 0 else
                    tensor("float", fill)] if op.endswith("V3") else []
            return Case(kind, {**types(dtype=dtype), **attributes(
                interpolation=interpolation, fill_mode=fill_mode)},
                [value, tensor("float", np.array(ways, np.float32)),
                 i32(size), *more])
        value = image(dtype, (2, 4, 5, 2))
        modes = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
        for mode in modes if dtype == "float" else modes[:1]:
            for way in ("NEAREST", "BILINEAR"):
                for ways in WAYS if dtype == "float" else WAYS[2:3]:
                    yield case("plain", value, [ways], (4, 6),
                               interpolation=way, fill_mode=mode)
        yield case("plain many", value, WAYS[1:3], (3, 4),
                   interpolation="NEAREST")
        yield case("empty", empty(dtype, (0, 4, 5, 2)), [WAYS[0]], (3, 4))
        if dtype != "float":
            continue
        yield case("mismatch rank", plain(dtype, (2, 3)), [WAYS[0]], (3, 4))
        yield case("mismatch ways", value, WAYS[0], (3, 4))
        yield case("mismatch columns", value, [WAYS[0][:7]], (3, 4))
        yield case("mismatch count", value, WAYS[:3], (3, 4))
        yield case("mismatch size", value, [WAYS[0]], (3,))
        yield case("mismatch rank of size", value, [WAYS[0]], [[3, 4]])
        yield case("mismatch zero", value, [WAYS[0]], (0, 4))
        if op.endswith("V3"):
            yield case("mismatch fill", value, [WAYS[0]], (3, 4), [1.0])


OPS = {
    "AdjustContrastv2": adjust,
    "AdjustHue": adjust,
    "AdjustSaturation": adjust,
    "CombinedNonMaxSuppression": suppress_all,
    "DrawBoundingBoxes": draw,
    "DrawBoundingBoxesV2": draw,
    "HSVToRGB": hsv,
    "ImageProjectiveTransformV2": project,
    "ImageProjectiveTransformV3": project,
    "NonMaxSuppression": suppress,
    "NonMaxSuppressionV2": suppress,
    "NonMaxSuppressionV3": suppress,
    "NonMaxSuppressionV4": suppress,
    "NonMaxSuppressionV5": suppress,
    "NonMaxSuppressionWithOverlaps": suppress,
    "RGBToHSV": hsv,
}
