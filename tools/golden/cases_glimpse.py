"""Cases of parts of images that are chosen by chance, or by a program: boxes, glimpses, windows of any size."""

import numpy as np

from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import TYPES, empty, index, plain, registered, registered_types, tensor


def wave(dtype, shape):
    values = np.round(np.cos(np.arange(int(np.prod(shape))) * 1.7) * 9, 2 if dtype in ("float", "double") else 0)
    return tensor(dtype, values.reshape(shape))


def fractional(op):
    for dtype in registered_types(op):
        def story(kind, shape, ratio, runs=1, dtype=dtype, **attrs):
            attrs = {"deterministic": True, **attrs}
            nodes = [*hidden("x", wave(dtype, shape)),
                     node("y", op, "x", T=("type", dtype), pooling_ratio=("floats", ratio), seed=("int", 3),
                          seed2=("int", 5), **{k: ("bool", v) for k, v in attrs.items()})]
            return GraphCase(kind, dtype, nodes, [Run(["y", "y:1", "y:2"]) for _ in range(runs)])
        yield story("plain", (2, 7, 6, 2), [1.0, 1.5, 1.4, 1.0])
        yield story("plain pseudo", (2, 17, 11, 1), [1.0, 1.5, 2.4, 1.0], pseudo_random=True)
        yield story("other overlapping", (1, 17, 11, 2), [1.0, 1.5, 2.4, 1.0], overlapping=True)
        yield story("other again", (1, 17, 11, 1), [1.0, 1.5, 2.4, 1.0], 2)
        yield story("other whole", (1, 6, 4, 1), [1.0, 2.0, 1.0, 1.0], overlapping=True, pseudo_random=True)
        if dtype != "float":
            continue
        yield story("empty", (0, 7, 6, 2), [1.0, 1.5, 1.4, 1.0])
        yield story("mismatch seeds", (1, 7, 6, 2), [1.0, 1.5, 1.4, 1.0], deterministic=False)
        yield story("mismatch rank", (7, 6, 2), [1.0, 1.5, 1.4, 1.0])
        yield story("mismatch batch", (2, 7, 6, 2), [2.0, 1.5, 1.4, 1.0])
        yield story("mismatch channels", (2, 7, 6, 2), [1.0, 1.5, 1.4, 2.0])
        yield story("mismatch small", (2, 7, 6, 2), [1.0, 1.5, 9.0, 1.0])


def pooled(x, over):
    """The largest values of the windows that the cases below name."""
    value = np.frombuffer(x.data, TYPES[x.dtype][1]).reshape(x.shape)
    rows, columns = (0, 2, 4, 5, 7), (0, 1, 3, 4, 6)
    return tensor(x.dtype, np.stack([np.stack([
        value[:, rows[i]:rows[i + 1] + over, columns[k]:columns[k + 1] + over].max((1, 2)) for k in range(4)], 1)
        for i in range(4)], 1))


def max_grad(op):
    for dtype in registered_types(op):
        def case(kind, y=None, d=(2, 4, 4, 2), rows=(0, 2, 4, 5, 7), columns=(0, 1, 3, 4, 6), over=False, dtype=dtype):
            x = wave(dtype, (2, 7, 6, 2))
            return Case(kind, {**types(T=dtype), "overlapping": ("bool", over)},
                        [x, y or pooled(x, over), plain(dtype, d), tensor("int64", rows), tensor("int64", columns)])
        yield case("plain")
        yield case("mismatch value", y=wave(dtype, (2, 4, 4, 2)))
        yield case("other overlapping", over=True)
        if dtype != "float":
            continue
        yield case("mismatch slope", d=(4, 4, 2))
        yield case("mismatch slopes", d=(2, 3, 4, 2))
        yield case("mismatch rows", rows=(0, 2, 4, 5))
        yield case("mismatch far", rows=(0, 2, 4, 5, 8))
        yield case("mismatch order", rows=(0, 2, 1, 5, 7))
        yield case("mismatch columns", columns=(0, 1, 3, 4))


def avg_grad(op):
    for dtype in registered_types(op):
        def case(kind, x=(2, 7, 6, 2), d=(2, 4, 4, 2), rows=(0, 2, 4, 5, 7), columns=(0, 1, 3, 4, 6), over=False,
                 dtype=dtype):
            return Case(kind, {**types(T=dtype), "overlapping": ("bool", over)},
                        [tensor("int64", x), plain(dtype, d), tensor("int64", rows), tensor("int64", columns)])
        yield case("plain")
        yield case("other overlapping", over=True)
        if dtype != "float":
            continue
        yield case("mismatch rank", x=(7, 6, 2))
        yield case("mismatch slope", d=(4, 4, 2))
        yield case("mismatch rows", rows=(0, 2, 4, 5))
        yield case("mismatch far", rows=(0, 2, 4, 5, 8))
        yield case("mismatch order", rows=(0, 2, 1, 5, 7))
        yield case("mismatch negative", rows=(-1, 2, 4, 5, 7))
        yield case("mismatch columns", columns=(0, 1, 3, 4))
        yield case("mismatch size", x=(2, 7, -6, 2))
        yield case("mismatch batch", x=(3, 7, 6, 2))
        yield case("mismatch channels", x=(2, 7, 6, 3))


def boxes(op):
    is_stateless = op.startswith("Stateless")
    combinations = registered(op, "T", "Tseed") if is_stateless else [(t, None) for t in registered_types(op)]
    for dtype, seed in combinations:
        def story(kind, size=(100, 90, 3), given=((0.1, 0.2, 0.8, 0.9), (0.0, 0.0, 0.3, 0.3)), covered=0.4, runs=3,
                  dtype=dtype, seed=seed, start=(3, 5), **attrs):
            given = np.array(given, np.float32).reshape((1, -1, 4)) if np.ndim(given) != 3 or np.size(given) == 0 else given
            nodes = [*hidden("size", index(dtype, size)), *hidden("boxes", tensor("float", given))]
            inputs = ["size", "boxes"]
            extra = {"T": ("type", dtype)}
            if op == "SampleDistortedBoundingBox":
                extra["min_object_covered"] = ("float", covered)
            else:
                nodes += hidden("covered", tensor("float", covered))
                inputs.append("covered")
            if is_stateless:
                nodes += hidden("seed", index(seed, start))
                inputs.append("seed")
                extra["Tseed"] = ("type", seed)
            else:
                extra["seed"], extra["seed2"] = ("int", 3), ("int", 5)
            nodes.append(node("box", op, *inputs, **{**extra, **attrs}))
            return GraphCase(kind, dtype, nodes, [Run(["box", "box:1", "box:2"]) for _ in range(1 if is_stateless else runs)])
        yield story("plain")
        yield story("other start", start=(-7, 1 << 20), aspect_ratio_range=("floats", [0.3, 3.0]))
        if dtype != "int32":
            continue
        if is_stateless and seed != "int32":
            continue
        yield story("other large", (480, 640, 3), aspect_ratio_range=("floats", [0.5, 2.0]),
                    area_range=("floats", [0.3, 0.6]))
        yield story("other hard", covered=1.0, max_attempts=("int", 2))
        yield story("other none", given=np.zeros((0, 4)), use_image_if_no_bounding_boxes=("bool", True))
        yield story("mismatch none", given=np.zeros((0, 4)), runs=1)
        yield story("mismatch outside", given=((0.1, 0.2, 0.8, 1.5),), runs=1)
        yield story("mismatch covered", covered=-0.5, runs=1)
        yield story("mismatch aspect", aspect_ratio_range=("floats", [0.0, 2.0]), runs=1)
        yield story("mismatch aspects", aspect_ratio_range=("floats", [0.5]), runs=1)
        yield story("mismatch area", area_range=("floats", [0.3, 1.6]), runs=1)
        yield story("mismatch areas", area_range=("floats", [0.0, 0.6]), runs=1)
        yield story("mismatch area count", area_range=("floats", [0.6]), runs=1)
        yield story("mismatch attempts", max_attempts=("int", 0), runs=1)
        yield story("mismatch size", size=(100, 90), runs=1)
        yield story("mismatch size rank", size=((100, 90, 3),), runs=1)
        yield story("other negative", size=(-100, 90, 3), runs=1)


def glimpse(op):
    image = wave("float", (2, 5, 6, 2))

    def case(kind, size=(3, 2), offsets=((0.2, -0.3), (0.0, 0.1)), x=image, **attrs):
        given = {k: ("string" if k == "noise" else "bool", v) for k, v in attrs.items()}
        return Case(kind, {"noise": ("string", "zero"), "uniform_noise": ("bool", False), **given},
                    [x, tensor("int32", size), tensor("float", offsets)])
    yield case("plain")
    for centered in (True, False):
        for normalized in (True, False):
            for offsets in (((0.5, 0.6), (0.9, -0.1)), ((-0.7, 0.5), (0.4, 0.25)), ((1, 2), (2, 1)), ((-2, 0), (4, 4)),
                            ((-9, 0), (0, 9))):
                yield case("other", offsets=offsets, centered=centered, normalized=normalized)
    yield case("other whole", (5, 6), ((0, 0), (0, 0)))
    yield case("other larger", (7, 8), ((0, 0), (0.1, 0)))
    yield case("empty", x=empty("float", (0, 5, 6, 2)), offsets=np.zeros((0, 2)))
    yield case("empty size", (0, 2))
    yield case("mismatch rank", x=plain("float", (5, 6, 2)))
    yield case("mismatch size", (3, 2, 1))
    yield case("mismatch offsets", offsets=((0, 0),))
    yield case("mismatch offset", offsets=((0,), (0,)))
    yield case("mismatch offset rank", offsets=(0, 0))
    yield case("mismatch noise", noise="pink")
    yield case("mismatch noises", noise="gaussian", uniform_noise=True)
    yield case("mismatch negative", (-1, 2))


OPS = {"FractionalMaxPool": fractional, "FractionalAvgPool": fractional, "FractionalMaxPoolGrad": max_grad,
       "FractionalAvgPoolGrad": avg_grad, "SampleDistortedBoundingBox": boxes, "SampleDistortedBoundingBoxV2": boxes,
       "StatelessSampleDistortedBoundingBox": boxes, "ExtractGlimpse": glimpse, "ExtractGlimpseV2": glimpse}
