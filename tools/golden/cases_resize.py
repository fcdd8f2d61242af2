"""Cases of images of another size: resizing, cropping, patches."""

import numpy as np

from cases_norm import attributes
from cases_pool import varied
from golden_case import Case, types
from golden_types import (FLOATS, empty, i32, plain, registered_types,
                          tensor)

SIZES = ((3, 4), (7, 9), (4, 5), (1, 1), (8, 10))


def image(dtype, shape, first=0):
    """Numbers from 16 to 116: nothing between them is near zero."""
    count = int(np.prod(shape, dtype=np.int64))
    raw = (np.arange(count) * 37 + first * 11) % 101 + 16
    return tensor(dtype, raw / 8 if dtype in FLOATS else raw, shape)


def flags(op):
    yield {}
    yield {"align_corners": True}
    if op != "ResizeArea":
        yield {"half_pixel_centers": True}


def resize(op):
    for dtype in registered_types(op):
        def case(kind, value, size, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [value, i32(size)])
        for attrs in flags(op):
            for size in SIZES if dtype == "float" else SIZES[:2]:
                yield case("plain", image(dtype, (2, 4, 5, 3)), size, **attrs)
        yield case("empty", empty(dtype, (0, 4, 5, 3)), (3, 7))
        if dtype != "float":
            continue
        for attrs in flags(op):
            yield case("other one", image(dtype, (1, 1, 1, 2)), (3, 2), **attrs)
            yield case("other channels", image(dtype, (1, 3, 2, 21)), (4, 5),
                       **attrs)
            yield case("other single", image(dtype, (2, 6, 3, 1)), (4, 5),
                       **attrs)
            yield case("other four", image(dtype, (1, 2, 6, 4)), (5, 3),
                       **attrs)
        value = image(dtype, (2, 4, 5, 3))
        yield case("mismatch rank", plain(dtype, (2, 3)), (3, 7))
        yield case("mismatch size", value, (3,))
        yield case("mismatch rank of size", value, [[3, 7]])
        yield case("mismatch zero", value, (0, 7))
        yield case("mismatch negative", value, (3, -1))
        yield case("mismatch height", empty(dtype, (2, 0, 5, 3)), (3, 7))
        yield case("mismatch channels", empty(dtype, (2, 4, 5, 0)), (3, 7))
        if op != "ResizeArea":
            yield case("mismatch flags", value, (3, 7), align_corners=True,
                       half_pixel_centers=True)


def resize_grad(op):
    """ResizeBilinearGrad and ResizeBicubicGrad: gradients are float."""
    for dtype in registered_types(op):
        def case(kind, grad, shape, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [image("float", grad) if 0 not in grad
                         else empty("float", grad),
                         image(dtype, shape) if 0 not in shape
                         else empty(dtype, shape)])
        for attrs in flags(op):
            yield case("plain larger", (2, 7, 9, 3), (2, 4, 5, 3), **attrs)
            yield case("plain smaller", (1, 3, 4, 2), (1, 5, 9, 2), **attrs)
        yield case("empty", (0, 3, 7, 3), (0, 4, 5, 3))
        if dtype != "float":
            continue
        for attrs in flags(op):
            yield case("other one", (1, 3, 2, 2), (1, 1, 1, 2), **attrs)
            yield case("other from one", (1, 1, 1, 2), (1, 3, 2, 2), **attrs)
        yield case("mismatch rank", (2, 3), (2, 4, 5, 3))
        yield case("mismatch rank of image", (2, 3, 7, 3), (2, 3))
        yield case("mismatch height", (2, 0, 7, 3), (2, 4, 5, 3))
        yield case("mismatch height of image", (2, 3, 7, 3), (2, 0, 5, 3))
        yield case("mismatch flags", (2, 3, 7, 3), (2, 4, 5, 3),
                   align_corners=True, half_pixel_centers=True)


def nearest_grad(op):
    for dtype in registered_types(op):
        def case(kind, grad, size, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [varied(dtype, grad) if 0 not in grad
                         else empty(dtype, grad), i32(size)])
        for attrs in flags(op):
            yield case("plain larger", (2, 7, 9, 3), (4, 5), **attrs)
            yield case("plain smaller", (1, 3, 4, 2), (5, 9), **attrs)
        yield case("empty", (0, 3, 7, 3), (4, 5))
        if dtype != "float":
            continue
        yield case("other none", (2, 0, 7, 3), (4, 5))
        yield case("other flags", (2, 7, 9, 3), (4, 5), align_corners=True,
                   half_pixel_centers=True)
        yield case("mismatch rank", (2, 3), (4, 5))
        yield case("mismatch size", (2, 3, 7, 3), (4,))
        yield case("mismatch rank of size", (2, 3, 7, 3), [[4, 5]])
        yield case("mismatch zero", (2, 3, 7, 3), (0, 5))


BOXES = [[0, 0, 1, 1], [0.25, 0.125, 0.75, 1], [1, 1, 0, 0],
         [-0.25, 0.25, 0.5, 1.5]]


def box_list(values):
    return tensor("float", np.array(values, dtype=np.float32))


def crop(op):
    for dtype in registered_types(op):
        def case(kind, value, boxes, places, size, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [value, boxes if hasattr(boxes, "data") else
                         box_list(boxes), i32(places), i32(size)])
        value = image(dtype, (2, 4, 5, 3))
        for method in ("bilinear", "nearest"):
            yield case("plain", value, BOXES, [0, 1, 1, 0], (3, 4),
                       method=method)
            yield case("plain one", value, BOXES, [1, 1, 0, 0], (1, 1),
                       method=method, extrapolation_value=2.5)
        yield case("empty", value, empty("float", (0, 4)), np.zeros(0), (3, 4))
        if dtype != "float":
            continue
        box = [[0, 0, 1, 1]]
        yield case("mismatch rank", plain(dtype, (2, 3)), box, [0], (2, 2))
        yield case("mismatch height", empty(dtype, (2, 0, 5, 3)), box, [0],
                   (2, 2))
        yield case("mismatch batch", empty(dtype, (0, 4, 5, 3)), box, [0],
                   (2, 2))
        yield case("mismatch boxes", value, [0, 0, 1, 1], [0], (2, 2))
        yield case("mismatch columns", value, [[0, 0, 1]], [0], (2, 2))
        yield case("mismatch places", value, box, [[0]], (2, 2))
        yield case("mismatch count", value, box, [0, 0], (2, 2))
        yield case("mismatch negative", value, box, [-1], (2, 2))
        yield case("mismatch place", value, box, [2], (2, 2))
        yield case("mismatch size", value, box, [0], (2,))
        yield case("mismatch rank of size", value, box, [0], [[2, 2]])
        yield case("mismatch zero", value, box, [0], (0, 2))
        yield case("mismatch nan", value, [[float("nan"), 0, 1, 1]], [0],
                   (2, 2))


def crop_grad_image(op):
    for dtype in registered_types(op):
        def case(kind, grad, boxes, places, size, dtype=dtype, **attrs):
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [grad, boxes if hasattr(boxes, "data") else
                         box_list(boxes), i32(places), i32(size)])
        grad = image("float", (4, 3, 4, 2))
        for method in ("bilinear", "nearest"):
            yield case("plain", grad, BOXES, [0, 1, 1, 0], (2, 4, 5, 2),
                       method=method)
        yield case("empty", empty("float", (0, 3, 4, 2)),
                   empty("float", (0, 4)), np.zeros(0), (2, 4, 5, 2))
        if dtype != "float":
            continue
        one, box = image("float", (1, 2, 2, 3)), [[0, 0, 1, 1]]
        yield case("mismatch rank", plain("float", (2, 3)), box, [0],
                   (2, 4, 5, 3))
        yield case("mismatch height", empty("float", (1, 0, 2, 3)), box, [0],
                   (2, 4, 5, 3))
        yield case("mismatch columns", one, [[0, 0, 1]], [0], (2, 4, 5, 3))
        yield case("mismatch count", one, box, [0, 0], (2, 4, 5, 3))
        yield case("mismatch place", one, box, [2], (2, 4, 5, 3))
        yield case("mismatch size", one, box, [0], (2,))
        yield case("mismatch rank of size", one, box, [0], [[2, 4, 5, 3]])
        yield case("mismatch zero", one, box, [0], (2, 0, 5, 3))
        yield case("mismatch channels", one, box, [0], (2, 4, 5, 4))
        yield case("mismatch boxes", image("float", (2, 2, 2, 3)), box, [0],
                   (2, 4, 5, 3))


def crop_grad_boxes(op):
    """The image rises downwards and to the right, so that sums are not small
    differences."""
    for dtype in registered_types(op):
        def case(kind, grad, value, boxes, places, dtype=dtype):
            return Case(kind, types(T=dtype), [
                grad, value, boxes if hasattr(boxes, "data") else
                box_list(boxes), i32(places)])
        value = tensor(dtype, [[[[y * 6 + x * 3 + c + b for c in range(2)]
                                 for x in range(5)] for y in range(4)]
                               for b in range(2)])
        boxes = [[0, 0, 1, 1], [0.25, 0.125, 0.75, 0.875], [1, 1, 0, 0],
                 [0.25, 0.25, 0.5, 0.75]]
        yield case("plain", image("float", (4, 3, 4, 2)), value, boxes,
                   [0, 1, 1, 0])
        yield case("plain one", image("float", (4, 1, 1, 2)), value, boxes,
                   [0, 1, 1, 0])
        yield case("empty", empty("float", (0, 3, 4, 2)), value,
                   empty("float", (0, 4)), np.zeros(0))
        if dtype != "float":
            continue
        one, box = image("float", (1, 2, 2, 2)), [[0, 0, 1, 1]]
        yield case("mismatch rank", plain("float", (2, 3)), value, box, [0])
        yield case("mismatch rank of image", one, plain("float", (2, 3)), box,
                   [0])
        yield case("mismatch height", empty("float", (1, 0, 2, 2)), value, box,
                   [0])
        yield case("mismatch height of image", one,
                   empty("float", (1, 0, 2, 2)), box, [0])
        yield case("mismatch channels", one, image("float", (2, 4, 5, 3)), box,
                   [0])
        yield case("mismatch columns", one, value, [[0, 0, 1]], [0])
        yield case("mismatch count", one, value, box, [0, 0])
        yield case("mismatch place", one, value, box, [2])
        yield case("mismatch boxes", image("float", (2, 2, 2, 2)), value, box,
                   [0])


def patches(op):
    for dtype in registered_types(op):
        def case(kind, value, dtype=dtype, **changes):
            attrs = {"ksizes": [1, 2, 3, 1], "strides": [1, 1, 2, 1],
                     "rates": [1, 1, 1, 1], "padding": "VALID", **changes}
            return Case(kind, {**types(T=dtype), **{
                name: ("ints" if isinstance(v, list) else "string", v)
                for name, v in attrs.items()}}, [value])
        yield case("plain", plain(dtype, (2, 4, 5, 3)))
        yield case("plain same", plain(dtype, (1, 4, 5, 2)), padding="SAME",
                   rates=[1, 2, 1, 1])
        yield case("empty", empty(dtype, (0, 4, 5, 3)))
        if dtype != "float":
            continue
        value = plain(dtype, (1, 4, 5, 1))
        yield case("empty rows", value, ksizes=[1, 5, 1, 1])
        yield case("mismatch rank", plain(dtype, (2, 3)))
        for name in ("ksizes", "strides", "rates"):
            yield case(f"mismatch batch {name}", value, **{name: [2, 1, 1, 1]})
            yield case(f"mismatch none {name}", value, **{name: [1, 0, 1, 1]})
            yield case(f"other five {name}", value, **{name: [1, 1, 1, 1, 1]})
        yield case("mismatch window", value, ksizes=[1, 9, 1, 1])


OPS = {
    "CropAndResize": crop,
    "CropAndResizeGradBoxes": crop_grad_boxes,
    "CropAndResizeGradImage": crop_grad_image,
    "ExtractImagePatches": patches,
    "ResizeArea": resize,
    "ResizeBicubic": resize,
    "ResizeBicubicGrad": resize_grad,
    "ResizeBilinear": resize,
    "ResizeBilinearGrad": resize_grad,
    "ResizeNearestNeighbor": resize,
    "ResizeNearestNeighborGrad": nearest_grad,
}
