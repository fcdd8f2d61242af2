"""Cases of pooling over images and of its gradients."""

import numpy as np

from golden_case import Case, types
from golden_types import (FLOATS, REGISTRY, TYPES, UNSIGNED, empty, i32, index, plain,
                          registered, tensor)


def varied(dtype, shape, first=0):
    """Values of which few are equal."""
    count = int(np.prod(shape, dtype=np.int64))
    raw = (np.arange(count) * 37 + first * 11) % 101
    if dtype in FLOATS:
        return tensor(dtype, (raw - 50) / 8, shape)
    return tensor(dtype, raw if dtype in UNSIGNED else raw - 50, shape)


def windows(op, **changes):
    """Attributes of |op|: windows of two by two, side by side."""
    deep = "3D" in op
    attrs = {"ksize": [1, 2, 2, 2, 1] if deep else [1, 2, 2, 1],
             "strides": [1, 2, 2, 2, 1] if deep else [1, 2, 2, 1],
             "padding": "VALID", **changes}
    return {name: ("ints" if isinstance(value, list) else
                   "bool" if isinstance(value, bool) else "string", value)
            for name, value in attrs.items()}


def make(op, kind, dtype, inputs, more=None, outputs=1, **changes):
    """A case; of ops whose sizes are inputs they become those."""
    attrs = windows(op, **changes)
    if "ksize" not in REGISTRY[op]["attrs"]:
        inputs = [*inputs, i32(attrs.pop("ksize")[1]),
                  i32(attrs.pop("strides")[1])]
    named = {"TInput": dtype} if "TInput" in REGISTRY[op]["attrs"] else {}
    return Case(kind, {**types(T=dtype, **named, **(more or {})), **attrs},
                inputs, outputs)


def shapes(op):
    """An image, and how to see it: (shape, attributes)."""
    if "3D" in op:
        yield (2, 4, 4, 5, 3), {}
        yield (1, 3, 5, 4, 2), {"padding": "SAME"}
        yield (1, 5, 4, 5, 1), {"padding": "SAME", "ksize": [1, 3, 2, 3, 1]}
        return
    yield (2, 4, 5, 3), {}
    yield (1, 5, 5, 2), {"padding": "SAME"}
    yield (1, 5, 6, 2), {"padding": "SAME", "ksize": [1, 3, 3, 1]}
    yield (1, 5, 4, 2), {"padding": "SAME", "ksize": [1, 3, 2, 1],
                         "strides": [1, 1, 1, 1]}


def channels_first(op):
    return "NCDHW" if "3D" in op else "NCHW"


def pooled(shape, attrs, op):
    """The shape of what windows make of an image."""
    attrs = {name: value for name, (_, value) in windows(op, **attrs).items()}
    out = [shape[0]]
    for i in range(1, len(shape) - 1):
        size, step, window = shape[i], attrs["strides"][i], attrs["ksize"][i]
        same = attrs["padding"] == "SAME"
        out.append(-(-size // step) if same else (size - window) // step + 1)
    return (*out, shape[-1])


def wrong_windows(op):
    """(kind, attributes) that are refused, or nearly."""
    one, many = [1] * (5 if "3D" in op else 4), [1, 2, 2, 1]
    if "3D" in op:
        many = [1, 2, 2, 2, 1]
    yield "mismatch batch", {"ksize": [2, *many[1:]]}
    yield "mismatch batch steps", {"strides": [2, *many[1:]]}
    yield "mismatch steps of none", {"strides": [1, 0, *many[2:]]}
    yield "mismatch window", {"ksize": [1, 9, *many[2:]]}
    yield "mismatch sizes", {"ksize": [*many, 1]}
    yield "mismatch steps", {"strides": [*many, 1]}
    yield "mismatch channels", {"ksize": [*one[:-1], 3],
                                "strides": [*one[:-1], 2]}
    yield "mismatch all", {"ksize": [*many[:-1], 3], "strides": [*many[:-1], 3]}


def found(op, image, out, attrs):
    """The largest of each window of |image|; where sizes are wrong, numbers."""
    if len(image.shape) != len(out) or len(attrs.get("ksize", out)) != len(out):
        return varied(image.dtype, out, 1)
    attrs = {name: value for name, (_, value) in windows(op, **attrs).items()}
    data = np.frombuffer(image.data, TYPES[image.dtype][1]).reshape(image.shape)
    result = np.zeros(out, data.dtype)
    for at in np.ndindex(*out):
        reach = [slice(at[0], at[0] + 1)]
        for i in range(1, len(out) - 1):
            size, step = attrs["ksize"][i], attrs["strides"][i]
            missing = max(0, (out[i] - 1) * step + size - image.shape[i])
            same = attrs["padding"] == "SAME"
            first = at[i] * step - (missing // 2 if same else 0)
            reach.append(slice(max(first, 0), max(first + size, 0)))
        seen = data[(*reach, slice(at[-1], at[-1] + 1))]
        result[at] = seen.max() if seen.size else 0
    return tensor(image.dtype, result)


def data_types(op):
    return sorted({c[0] for c in registered(op, "T")},
                  key=lambda t: (t != "float", t))


def pool(op):
    for dtype in data_types(op):
        for shape, attrs in shapes(op):
            yield make(op, "plain", dtype, [varied(dtype, shape)], **attrs)
        deep = "3D" in op
        none = (0, 4, 4, 4, 3) if deep else (0, 4, 4, 3)
        yield make(op, "empty", dtype, [empty(dtype, none)])
        if dtype != "float":
            continue
        image = varied(dtype, (2, 4, 4, 5, 3) if deep else (2, 4, 5, 3))
        flat = (2, 4, 0, 5, 3) if deep else (2, 0, 5, 3)
        yield make(op, "empty height", dtype, [empty(dtype, flat)],
                   padding="SAME")
        yield make(op, "empty channels", dtype,
                   [empty(dtype, image.shape[:-1] + (0,))])
        wide = (1, 3, 4, 5, 37) if deep else (1, 5, 4, 83)
        yield make(op, "other wide", dtype, [varied(dtype, wide)])
        for kind, attrs in wrong_windows(op):
            yield make(op, kind, dtype, [image], **attrs)
        yield make(op, "mismatch window of none", dtype, [image],
                   ksize=[1, 0, 2, 2, 1] if deep else [1, 0, 2, 1])
        yield make(op, "mismatch rank", dtype, [plain(dtype, (2, 3))])
        yield make(op, "mismatch layout", dtype, [image],
                   data_format=channels_first(op))
        if not deep:
            yield make(op, "other small", dtype, [image], ksize=[1, 5, 2, 1])
        if op.startswith("MaxPool"):
            yield from only_max(op, dtype, image)


def only_max(op, dtype, image):
    inf = float("inf")
    if "3D" not in op:
        yield make(op, "special", dtype, [
            tensor(dtype, [-inf, -inf, -inf, -inf, inf, 1, 2, 3], (1, 2, 4, 1))])
        for many in (3, 1):
            yield make(op, f"other channels {many}", dtype, [image],
                       ksize=[1, 1, 1, many], strides=[1, 1, 1, many])
        yield make(op, "mismatch parts", dtype, [image], ksize=[1, 1, 1, 2],
                   strides=[1, 1, 1, 2])
    if op != "MaxPool":
        return
    for kind, pads in (("plain padded", [0, 0, 1, 1, 0, 1, 0, 0]),
                       ("mismatch padding", [0, 0, 2, 0, 0, 0, 0, 0]),
                       ("mismatch padding below", [0, 0, 0, 3, 0, 0, 0, 0]),
                       ("mismatch padding left", [0, 0, 0, 0, 2, 0, 0, 0]),
                       ("mismatch padded channels", [0, 0, 1, 1, 1, 1, 0, 1]),
                       ("mismatch padded batch", [1, 0, 1, 1, 1, 1, 0, 0]),
                       ("mismatch negative", [0, 0, -1, 1, 1, 1, 0, 0]),
                       ("mismatch few", [0, 0, 1, 1])):
        yield make(op, kind, dtype, [image], padding="EXPLICIT",
                   explicit_paddings=pads)


def pool_argmax(op):
    for dtype, argmax in registered(op, "T", "Targmax"):
        def case(kind, value, dtype=dtype, argmax=argmax, **attrs):
            return make(op, kind, dtype, [value], {"Targmax": argmax}, 2,
                        **attrs)
        for shape, attrs in shapes(op):
            yield case("plain", varied(dtype, shape), **attrs)
        yield case("other equal", plain(dtype, (2, 4, 4, 3)))
        yield case("other batch", varied(dtype, (2, 4, 4, 3)),
                   include_batch_in_index=True)
        if dtype != "float" or argmax != "int64":
            continue
        yield case("empty", empty(dtype, (0, 4, 4, 3)))
        image = varied(dtype, (2, 4, 4, 3))
        for kind, attrs in wrong_windows(op):
            yield case(kind, image, **attrs)
        yield case("mismatch window of none", image, ksize=[1, 0, 2, 1])
        yield case("mismatch rank", plain(dtype, (2, 3)))
        inf = float("inf")
        yield case("special", tensor(dtype, [-inf, -inf, -inf, -inf, 2, 1, inf,
                                             3], (1, 2, 4, 1)))


def max_grad(op):
    second = "GradGrad" in op
    for dtype in data_types(op):
        def case(kind, shape, out, grad=None, dtype=dtype, **attrs):
            grad = grad or (shape if second else out)
            image = (plain if "equal" in kind else varied)(dtype, shape)
            return make(op, kind, dtype, [image, found(op, image, out, attrs),
                                          plain(dtype, grad, 2)], **attrs)
        for shape, attrs in shapes(op):
            yield case("plain", shape, pooled(shape, attrs, op), **attrs)
            yield case("plain equal", shape, pooled(shape, attrs, op), **attrs)
        deep = "3D" in op
        none = (0, 4, 4, 4, 3) if deep else (0, 4, 4, 3)
        yield case("empty", none, pooled(none, {}, op))
        if dtype != "float":
            continue
        wide = (1, 3, 4, 5, 37) if deep else (1, 5, 4, 83)
        yield case("other wide", wide, pooled(wide, {}, op))
        shape = (2, 4, 4, 5, 3) if deep else (2, 4, 5, 3)
        out = pooled(shape, {}, op)
        for kind, attrs in wrong_windows(op):
            yield case(kind, shape, out, **attrs)
        yield make(op, "other found", dtype, [
            varied(dtype, shape), varied(dtype, out, 1),
            plain(dtype, shape if second else out)])
        yield case("mismatch rank", (2, 3), out)
        yield case("mismatch rank of output", shape, (2, 3))
        yield case("mismatch rank of gradient", shape, out, (2, 3))
        yield case("mismatch output", shape, (*out[:-1], 4))
        yield case("mismatch gradient", shape, out, (*out[:-1], 4))
        yield case("mismatch layout", shape, out,
                   data_format=channels_first(op))
        if op == "MaxPoolGrad":
            yield case("plain padded", (1, 4, 5, 3), (1, 3, 3, 3),
                       padding="EXPLICIT",
                       explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0])
            yield case("mismatch padding", (1, 4, 5, 3), (1, 3, 3, 3),
                       padding="EXPLICIT",
                       explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0])


def mean_grad(op):
    """TensorFlow reads beyond gradients of other sizes than those expected."""
    deep = "3D" in op
    for dtype in data_types(op):
        def case(kind, shape, grad, dtype=dtype, **attrs):
            return make(op, kind, dtype, [i32(shape), varied(dtype, grad)],
                        **attrs)
        for shape, attrs in shapes(op):
            yield case("plain", shape, pooled(shape, attrs, op), **attrs)
        none = (0, 4, 4, 4, 3) if deep else (0, 4, 4, 3)
        yield case("empty", none, pooled(none, {}, op))
        if dtype != "float":
            continue
        wide = (1, 3, 4, 5, 37) if deep else (1, 5, 4, 83)
        yield case("other wide", wide, pooled(wide, {}, op))
        shape = (2, 4, 4, 5, 3) if deep else (2, 4, 5, 3)
        out = pooled(shape, {}, op)
        for kind, attrs in wrong_windows(op):
            yield case(kind, shape, out, **attrs)
        yield case("mismatch rank", shape[1:], out)
        yield case("mismatch rank of gradient", shape, (2, 3))
        yield case("mismatch shape", [list(shape)], out)
        yield case("mismatch negative", (*shape[:-1], -1), out)
        yield case("mismatch large", shape, (2, 5, *out[2:]))
        yield case("mismatch layout", shape, out,
                   data_format=channels_first(op))


def argmax_grad(op):
    """TensorFlow ends the process for places outside the image."""
    for dtype, argmax in registered(op, "T", "Targmax"):
        def case(kind, shape, grad, places, dtype=dtype, argmax=argmax,
                 **attrs):
            return make(op, kind, dtype, [
                varied(dtype, shape), varied(dtype, grad),
                index(argmax, np.resize(places, grad)
                      if np.ndim(places) == 1 else places)],
                {"Targmax": argmax}, **attrs)
        places = [0, 59, 3, 3, 17, 20, 1, 30, 45, 2, 0, 11]
        yield case("plain", (2, 4, 5, 3), (2, 2, 2, 3), places)
        yield case("other batch", (2, 4, 5, 3), (2, 2, 2, 3),
                   places + [p + 60 for p in places],
                   include_batch_in_index=True)
        yield case("empty", (0, 4, 5, 3), (0, 2, 2, 3), [0])
        if dtype != "float":
            continue
        for kind, attrs in wrong_windows(op):
            yield case(kind, (2, 4, 5, 3), (2, 2, 2, 3), places, **attrs)
        yield case("mismatch rank", (2, 3), (2, 2, 2, 3), places)
        yield case("mismatch gradient", (2, 4, 5, 3), (2, 2, 2, 4), places)
        yield case("mismatch places", (2, 4, 5, 3), (2, 2, 2, 3), [[1, 2]])


OPS = {
    "AvgPool": pool,
    "AvgPool3D": pool,
    "AvgPool3DGrad": mean_grad,
    "AvgPoolGrad": mean_grad,
    "MaxPool": pool,
    "MaxPool3D": pool,
    "MaxPool3DGrad": max_grad,
    "MaxPool3DGradGrad": max_grad,
    "MaxPoolGrad": max_grad,
    "MaxPoolGradGrad": max_grad,
    "MaxPoolGradGradV2": max_grad,
    "MaxPoolGradV2": max_grad,
    "MaxPoolGradWithArgmax": argmax_grad,
    "MaxPoolV2": pool,
    "MaxPoolWithArgmax": pool_argmax,
}
