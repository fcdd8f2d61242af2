"""Cases of normalisation: by batch, and by neighbouring channels."""

import numpy as np

from cases_pool import varied
from golden_case import Case, GraphCase, Run, const, node, types
from golden_types import REGISTRY, TYPES, empty, plain, registered, tensor


def kinds(op):
    """The types of images, with the other types of |op|."""
    if "U" not in REGISTRY[op]["attrs"]:
        return [({"T": t}, t) for (t,) in registered(op, "T")]
    return [({"T": t, "U": u}, t) for t, u in registered(op, "T", "U")]


def attributes(**attrs):
    def kind(value):
        return ("bool" if isinstance(value, bool) else
                "string" if isinstance(value, str) else
                "int" if isinstance(value, int) else "float")
    return {name: (kind(value), value) for name, value in attrs.items()}


def vectors(channels):
    """Scale, offset, mean and variance: no result is a small difference of
    large numbers, whose last digits are chance."""
    return [tensor("float", [0.5 + i % 3 / 4 for i in range(channels)],
                   (channels,)),
            tensor("float", [12.0 + i % 5 for i in range(channels)],
                   (channels,)),
            varied("float", (channels,), 1),
            tensor("float", [4.25 + i % 7 for i in range(channels)],
                   (channels,))]


def channel(count, first):
    """The same of one channel and its gradient: the first, of numbers that look
    random, beginning with seed |first|."""
    for seed in range(first, first + 100000):
        random = np.random.RandomState(seed)
        sign = random.choice([-1, 1], size=(2, count))
        x, g = sign * random.randint(24, 64, (2, count)) / 8
        apart = x - x.mean()
        slope = (g * apart).mean()
        out = g - g.mean() - apart * slope / (x.var() + 1e-9)
        if min(abs(out).min(), abs(slope), abs(g.sum())) > 1.5:
            return x, g
    raise ValueError(count)


def pair(dtype, shape, axis):
    """An image and its gradient."""
    axis %= len(shape)
    count = int(np.prod(shape)) // shape[axis]
    rest = [size for i, size in enumerate(shape) if i != axis]
    found = [channel(count, 1000 * c) for c in range(shape[axis])]
    return [tensor(dtype, np.stack([f[k].reshape(rest) for f in found], axis))
            for k in range(2)]


def batch_norm(op):
    """What TensorFlow never writes, the spaces for gradients where nothing is
    trained and where there are no elements, is not asked for."""
    outputs = 6 if op.endswith("V3") else 5
    for named, dtype in kinds(op):
        def case(kind, image, more=None, named=named, **attrs):
            channels = image.shape[1 if "NC" in attrs.get("data_format", "")
                                   else -1]
            return Case(kind, {**types(**named), **attributes(**attrs)},
                        [image, *(more or vectors(channels))], outputs)

        def graph(kind, image, named=named, **attrs):
            channels = image.shape[1 if "NC" in attrs.get("data_format", "")
                                   else -1]
            names = ["x", "scale", "offset", "mean", "variance"]
            values = [image, *vectors(channels)]
            return GraphCase(kind, image.dtype, [
                *(const(n, v) for n, v in zip(names, values)),
                node("n", op, *names, **types(**named), **attributes(**attrs))],
                [Run(["n", "n:1", "n:2"])])
        image = varied(dtype, (2, 3, 4, 3))
        yield case("plain", image)
        yield case("plain other", varied(dtype, (3, 5, 2, 17)), epsilon=0.5)
        yield case("plain running", image, exponential_avg_factor=0.25)
        yield graph("plain inference", image, is_training=False)
        yield graph("plain inference wide", varied(dtype, (2, 2, 2, 70)),
                    is_training=False, epsilon=0.001)
        yield case("other first", varied(dtype, (2, 3, 5, 7)),
                   data_format="NCHW")
        yield graph("other first inference", varied(dtype, (2, 3, 5, 7)),
                    data_format="NCHW", is_training=False)
        yield case("other one", varied(dtype, (1, 1, 1, 5)))
        yield graph("empty", empty(dtype, (0, 3, 4, 3)))
        if outputs == 6:
            yield case("other deep", varied(dtype, (2, 3, 2, 4, 3)),
                       data_format="NDHWC")
            yield case("other deep first", varied(dtype, (2, 3, 2, 4, 3)),
                       data_format="NCDHW")
        if dtype != "float":
            continue
        yield graph("empty inference", empty(dtype, (0, 3, 4, 3)),
                    is_training=False)
        yield case("empty channels", empty(dtype, (2, 3, 4, 0)))
        yield case("other without statistics", image, [
            *vectors(3)[:2], empty("float", (0,)), empty("float", (0,))])
        yield case("mismatch rank", varied(dtype, (2, 3)))
        for i, name in enumerate(("scale", "offset", "mean", "variance")):
            for kind, shape in (("rank of", (3, 1)), ("size of", (4,)),
                                ("none of", (0,))):
                if i > 1 and shape == (4,):
                    continue
                more = vectors(3)
                more[i] = varied("float", shape)
                if i < 2 or shape == (3, 1):
                    yield case(f"mismatch {kind} {name}", image, more)
                else:
                    yield case(f"mismatch {kind} {name}", image, more,
                               is_training=False)
                    yield case(f"mismatch running {kind} {name}", image, more,
                               exponential_avg_factor=0.5)


def batch_norm_grad(op):
    for named, dtype in kinds(op):
        def case(kind, image, grad=None, more=None, named=named, **attrs):
            axis = 1 if "NC" in attrs.get("data_format", "") else -1
            if isinstance(image, tuple):
                image, grad = pair(named["T"], image, axis)
            scale = vectors(image.shape[axis])[0]
            axes = tuple(i for i in range(len(image.shape))
                         if i != axis % len(image.shape))
            data = np.frombuffer(image.data, TYPES[image.dtype][1])
            data = data.astype("d").reshape(image.shape)
            if data.size == 0:
                data = np.zeros([max(size, 1) for size in image.shape])
            mean, variance = (tensor("float", f(data, axes))
                              for f in (np.mean, np.var))
            inputs = [grad or plain(image.dtype, image.shape, 5), image,
                      *(more or [scale, mean, variance])]
            if op.endswith("V3"):
                inputs.append(tensor("float", 0))
            return Case(kind, {**types(**named), **attributes(**attrs)},
                        inputs, 5)
        for train in (True, False):
            what = "plain" if train else "plain inference"
            yield case(what, (2, 2, 3, 3), is_training=train)
            yield case(what + " wide", (2, 1, 2, 33), is_training=train,
                       epsilon=0.5)
            yield case(what + " first", (2, 3, 2, 3), is_training=train,
                       data_format="NCHW")
        yield case("empty", empty(dtype, (0, 3, 4, 3)))
        if op.endswith("V3"):
            yield case("other deep", (2, 1, 2, 2, 3), data_format="NDHWC")
            yield case("other deep first", (2, 3, 2, 2, 1),
                       data_format="NCDHW")
        if dtype != "float":
            continue
        image = varied(dtype, (2, 3, 4, 3))
        yield case("mismatch rank", varied(dtype, (2, 3)), image)
        yield case("mismatch rank of gradient", image, varied(dtype, (2, 3)))
        yield case("mismatch gradient", image, varied(dtype, (2, 3, 4, 4)))
        for i, name in enumerate(("scale", "mean", "variance")):
            for kind, shape in (("rank of", (3, 1)), ("size of", (4,))):
                more = [v for j, v in enumerate(vectors(3)) if j != 1]
                more[i] = varied("float", shape)
                yield case(f"mismatch {kind} {name}", image, None, more)


def signed(dtype, shape, i):
    """Numbers of one sign: positive, but for what the gradient of LRN is given
    as its result, so that its terms add up."""
    count = int(np.prod(shape, dtype=np.int64))
    values = (np.arange(count) * 37 % 101 + 1) / 16
    return tensor(dtype, -values if i == 2 else values, shape)


def lrn(op):
    """In half TensorFlow rounds every step, in an order of its own; whole
    numbers of few bits come out the same."""
    count = 3 if op == "LRNGrad" else 1
    for (dtype,) in registered(op, "T"):
        def case(kind, *shapes, dtype=dtype, **attrs):
            shapes = shapes if len(shapes) == count else shapes * count
            return Case(kind, {**types(T=dtype), **attributes(**attrs)},
                        [tensor(dtype, [1, 2, 1, 1] * 2, s)
                         if dtype == "half" and s == (1, 2, 2, 2) else
                         empty(dtype, s) if 0 in s else
                         signed(dtype, s, i) for i, s in enumerate(shapes)])
        if dtype == "half":
            yield case("plain", (1, 2, 2, 2), depth_radius=0, bias=3.0,
                       alpha=1.0, beta=1.0)
            yield case("empty", (0, 2, 2, 3))
            continue
        yield case("plain", (2, 2, 3, 7))
        yield case("plain wide", (1, 2, 2, 70), depth_radius=4, bias=1.5,
                   alpha=0.125, beta=0.75)
        yield case("plain one", (1, 2, 2, 19), depth_radius=2, beta=1.0)
        yield case("plain other", (1, 2, 2, 19), depth_radius=1, beta=0.3)
        yield case("plain few", (1, 5, 9, 3), depth_radius=1)
        yield case("other far", (1, 2, 2, 5), depth_radius=100)
        yield case("other none", (1, 2, 2, 5), depth_radius=0)
        yield case("empty", (0, 2, 2, 3))
        yield case("empty channels", (2, 2, 2, 0))
        yield case("mismatch", (2, 3))
        yield case("mismatch radius", (1, 2, 2, 3), depth_radius=-1)
        if count == 3:
            yield case("mismatch image", (1, 2, 2, 3), (1, 2, 2, 4),
                       (1, 2, 2, 3))
            yield case("mismatch made", (1, 2, 2, 3), (1, 2, 2, 3),
                       (1, 2, 2, 4))


OPS = {
    "FusedBatchNorm": batch_norm,
    "FusedBatchNormGrad": batch_norm_grad,
    "FusedBatchNormGradV2": batch_norm_grad,
    "FusedBatchNormGradV3": batch_norm_grad,
    "FusedBatchNormV2": batch_norm,
    "FusedBatchNormV3": batch_norm,
    "LRN": lrn,
    "LRNGrad": lrn,
}
