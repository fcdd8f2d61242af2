"""Cases of convolutions and of their gradients."""

import numpy as np

from golden_case import Case, types
from golden_types import empty, i32, index, registered_types, tensor


def eighths(dtype, shape, first=0):
    """Values whose products and sums are exact in any order, in 16 bits too."""
    count = int(np.prod(shape, dtype=np.int64))
    values = (np.arange(count) * 5 + first) % 7 - 3
    return tensor(dtype, values if dtype == "int32" else values / 2, shape)


def windows(op, **changes):
    """Attributes of |op|: steps of one, nothing outside."""
    count = 5 if "3D" in op else 4
    attrs = {"strides": [1] * count, "padding": "VALID", **changes}
    return {name: ("ints" if isinstance(value, list) else "string", value) for name, value in attrs.items()}


# Image, filter, attributes. TensorFlow's Conv3D on CPUs begins elsewhere with SAME and steps that are wider than the
# window, and gradients of depthwise convolutions overlook dilations.
SIZES = {
    "Conv2D": [
        ((1, 4, 5, 2), (3, 2, 2, 3), {}),
        ((2, 5, 5, 1), (3, 3, 1, 2), {"padding": "SAME"}),
        ((1, 5, 6, 2), (3, 3, 2, 2), {"padding": "SAME", "strides": [1, 2, 2, 1]}),
        ((1, 7, 6, 1), (2, 3, 1, 2), {"strides": [1, 3, 2, 1]}),
        ((1, 3, 3, 2), (1, 1, 2, 3), {}),
        ((2, 4, 4, 2), (1, 1, 2, 1), {"strides": [1, 2, 3, 1]}),
        ((1, 4, 4, 1), (3, 3, 1, 1), {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 2, 1, 0, 3, 0, 0]}),
    ],
    "Conv3D": [
        ((1, 3, 4, 3, 2), (2, 2, 2, 2, 2), {}),
        ((2, 3, 3, 4, 1), (3, 2, 3, 1, 2), {"padding": "SAME"}),
        ((1, 4, 5, 4, 2), (2, 3, 2, 2, 1), {"strides": [1, 2, 1, 2, 1]}),
    ],
    "DepthwiseConv2dNative": [
        ((1, 4, 5, 3), (3, 2, 3, 1), {}),
        ((2, 4, 4, 2), (3, 3, 2, 2), {"padding": "SAME"}),
        ((1, 6, 5, 2), (3, 3, 2, 1), {"padding": "SAME", "strides": [1, 2, 2, 1]}),
        ((1, 4, 4, 1), (3, 3, 1, 3), {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 2, 1, 0, 3, 0, 0]}),
        ((1, 3, 3, 19), (2, 2, 19, 1), {"padding": "SAME"}),
    ],
}
DILATED = [((1, 7, 6, 2), (3, 2, 2, 2), {"dilations": [1, 2, 3, 1]}),
           ((1, 6, 6, 4), (2, 2, 2, 6), {"padding": "SAME"})]  # Groups.


def output_shape(base, image, weights, attrs):
    """The shape of what a convolution makes of an image."""
    attrs = {name: value for name, (_, value) in windows(base, **attrs).items()}
    out = [image[0]]
    for i in range(1, len(image) - 1):
        step, size = attrs["strides"][i], image[i]
        if attrs["padding"] == "EXPLICIT":
            size += sum(attrs["explicit_paddings"][2 * i:2 * i + 2])
        same = attrs["padding"] == "SAME"
        out.append(-(-size // step) if same else (size - weights[i - 1]) // step + 1)
    depth = weights[-1] * weights[-2] if base.startswith("Depth") else weights[-1]
    return (*out, depth)


def wrong(base):
    """(kind, attributes) that kernels refuse. What shape functions refuse too, they do in other words."""
    ones = [1] * (5 if "3D" in base else 4)
    yield "mismatch steps of the batch", {"strides": [2, *ones[1:]]}
    yield "mismatch steps of channels", {"strides": [*ones[1:], 2]}
    if base == "Conv2D":
        yield "mismatch dilations of the batch", {"dilations": [2, 1, 1, 1]}


def convolution(op):
    for dtype in registered_types(op):
        def case(kind, image, weights, dtype=dtype, **attrs):
            make = empty if 0 in image else eighths
            by = empty(dtype, weights) if 0 in weights else eighths(dtype, weights, 3)
            return Case(kind, dict(types(T=dtype), **windows(op, **attrs)), [make(dtype, image), by])
        sizes = SIZES[op] + (DILATED if op == "Conv2D" else [])
        for image, weights, attrs in sizes:
            yield case("plain", image, weights, **attrs)
        image, weights, _ = SIZES[op][0]
        yield case("empty", (0, *image[1:]), weights)
        if not op.startswith("Depth"):
            yield case("empty output", image, (*weights[:-1], 0))
        yield case("mismatch depth", image, (*weights[:-2], weights[-2] + 3, 2))
        yield case("mismatch window", image, (9, *weights[1:]))
        yield case("mismatch rank", image[1:], weights)
        yield case("mismatch filter", image, weights[1:])
        for kind, attrs in wrong(op):
            yield case(kind, image, weights, **attrs)


def image_gradient(op):
    base = op.removesuffix("V2").removesuffix("BackpropInput")
    for dtype in registered_types(op):
        def case(kind, image, weights, output, dtype=dtype, sizes="int32", **attrs):
            named = {"Tshape": sizes} if "3D" in op else {}
            make = empty if 0 in output else eighths
            return Case(kind, dict(types(T=dtype, **named), **windows(op, **attrs)),
                        [index(sizes, image), eighths(dtype, weights, 3), make(dtype, output)])
        for image, weights, attrs in SIZES[base]:
            yield case("plain", image, weights, output_shape(base, image, weights, attrs), **attrs)
        image, weights, attrs = SIZES[base][0]
        output = output_shape(base, image, weights, attrs)
        if base == "Conv2D":
            yield case("other", image[1:3], weights, output)
        if base == "Conv3D":
            yield case("other", image, weights, output, sizes="int64")
        yield case("empty", (0, *image[1:]), weights, (0, *output[1:]))
        yield case("mismatch sizes", (*image[:1], image[1] + 1, *image[2:]), weights, output)
        yield case("mismatch batch", (3, *image[1:]), weights, output)
        yield case("mismatch depth", (*image[:-1], image[-1] + 1), weights, output)
        yield case("mismatch depth of the output", image, weights, (*output[:-1], output[-1] + 1))
        yield case("mismatch below zero", (*image[:1], -3, *image[2:]), weights, output)
        yield case("mismatch rank", image[1:], weights, output)


def filter_gradient(op):
    base = op.removesuffix("V2").removesuffix("BackpropFilter")
    for dtype in registered_types(op):
        def case(kind, image, weights, output, dtype=dtype, **attrs):
            make = empty if 0 in output else eighths
            return Case(kind, dict(types(T=dtype), **windows(op, **attrs)),
                        [make(dtype, image), i32(weights), make(dtype, output)])
        for image, weights, attrs in SIZES[base]:
            yield case("plain", image, weights, output_shape(base, image, weights, attrs), **attrs)
        image, weights, attrs = SIZES[base][0]
        output = output_shape(base, image, weights, attrs)
        if base == "Conv2D":  # The others leave memory as it is.
            yield case("empty", (0, *image[1:]), weights, (0, *output[1:]))
        yield case("mismatch sizes", image, weights, (*output[:1], output[1] + 1, *output[2:]))
        yield case("mismatch batch", (3, *image[1:]), weights, output)
        yield case("mismatch depth of the output", image, weights, (*output[:-1], output[-1] + 1))
        yield case("mismatch below zero", image, (-3, *weights[1:]), output)
        yield case("mismatch rank", image, weights[1:], output)


OPS = {
    "Conv2D": convolution,
    "Conv2DBackpropFilter": filter_gradient,
    "Conv2DBackpropInput": image_gradient,
    "Conv3D": convolution,
    "Conv3DBackpropFilterV2": filter_gradient,
    "Conv3DBackpropInputV2": image_gradient,
    "DepthwiseConv2dNative": convolution,
    "DepthwiseConv2dNativeBackpropFilter": filter_gradient,
    "DepthwiseConv2dNativeBackpropInput": image_gradient,
}
