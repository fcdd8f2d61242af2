"""Cases of images that are scaled with a filter."""

import numpy as np

from golden_case import Case, types
from golden_types import registered, tensor

KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")


def image(dtype, shape):
    count = int(np.prod(shape))
    return tensor(dtype, np.reshape(np.arange(count) * 37 % 101, shape))


def attrs_of(kernel, antialias):
    return {"kernel_type": ("string", kernel), "antialias": ("bool", antialias)}


def scale(op):
    for (dtype,) in registered(op, "T"):
        def case(kind, shape, size, ratio, shift=(0.0, 0.0), kernel="lanczos3", antialias=True, dtype=dtype):
            return Case(kind, {**types(T=dtype), **attrs_of(kernel, antialias)},
                        [image(dtype, shape), tensor("int32", size), tensor("float", ratio), tensor("float", shift)])
        yield case("plain", (1, 4, 5, 2), (3, 7), (0.75, 1.4))
        if dtype != "float":
            continue
        for kernel in KERNELS:
            yield case("plain kernel", (1, 6, 8, 1), (3, 11), (0.5, 1.375), kernel=kernel)
            yield case("other kernel", (1, 6, 8, 1), (3, 11), (0.5, 1.375), kernel=kernel, antialias=False)
        yield case("plain shift", (2, 5, 5, 3), (5, 5), (1.0, 1.0), (1.25, -2.0))
        yield case("other outside", (1, 3, 3, 1), (4, 4), (0.5, 0.5), (-2.0, 3.0))
        yield case("mismatch rank", (4, 5, 2), (3, 7), (1.0, 1.0))
        yield case("mismatch size", (1, 4, 5, 2), (3, 7, 1), (1.0, 1.0))
        yield case("mismatch small", (1, 4, 5, 2), (0, 7), (1.0, 1.0))
        yield case("mismatch scale", (1, 4, 5, 2), (3, 7), (1.0, 1.0, 1.0))
        yield case("mismatch zero scale", (1, 4, 5, 2), (3, 7), (0.0, 1.0))
        yield case("mismatch shift", (1, 4, 5, 2), (3, 7), (1.0, 1.0), (0.0,))
        yield case("mismatch kernel", (1, 4, 5, 2), (3, 7), (1.0, 1.0), kernel="round")


def scale_grad(op):
    def case(kind, shape, grads, ratio, shift=(0.0, 0.0), kernel="lanczos3", antialias=True):
        return Case(kind, {**types(T="float"), **attrs_of(kernel, antialias)},
                    [image("float", grads), image("float", shape), tensor("float", ratio), tensor("float", shift)])
    yield case("plain", (1, 4, 5, 2), (1, 3, 7, 2), (0.75, 1.4))
    for kernel in KERNELS:
        yield case("plain kernel", (1, 6, 8, 1), (1, 3, 11, 1), (0.5, 1.375), kernel=kernel)
    yield case("plain shift", (2, 5, 5, 3), (2, 5, 5, 3), (1.0, 1.0), (1.25, -2.0))
    yield case("mismatch rank", (4, 5, 2), (1, 3, 7, 2), (1.0, 1.0))


OPS = {"ScaleAndTranslate": scale, "ScaleAndTranslateGrad": scale_grad}
