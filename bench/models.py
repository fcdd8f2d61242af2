"""Writes networks with random weights, as TensorFlow and ONNX Runtime read them.

    models.py FOLDER [NET ...]

Each NET, of all when none is named, is described once and written twice:
NET.pb is a frozen GraphDef from x, a batch of images of 224 x 224 in NHWC, to
y, the probabilities of 1000 classes; NET.onnx is the same for NCHW, the layout
ONNX Runtime computes in. `images.f32` has the batches to feed, in NHWC.

The structure is that of Keras's MobileNetV2 (alpha 1) and ResNet50. A net called
NET_spelled has its batch norms written out as products and sums of constants, as
Keras 3 freezes them; only its NET.pb is written. Weights are as large as keeps
values near 1 from layer to layer, so that an error anywhere shows in the result.
"""

import array
import math
import os
import random
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field as default

from graphdef import FLOAT, attr, field, node, varint

IMAGE = 224
CLASSES = 1000
# Batches of images to feed in turn, and images of each.
SETS = 2
IMAGES = 8
# Weights repeat after so many, a prime: no two filters get the same ones.
PERIOD = 65537


@dataclass(frozen=True)
class Value:
    """What a layer gives: its name, and how many channels."""
    name: str
    channels: int


@dataclass
class Layer:
    """One step of a network."""
    kind: str
    name: str
    inputs: list[str]
    sizes: dict[str, float] = default(default_factory=dict)
    # By name: the shape, in TensorFlow's order, and the values.
    weights: dict[str, tuple[list[int], array.array]] = default(
        default_factory=dict)


class Net:
    """Collects layers; each method adds one, and returns its value."""

    def __init__(self, seed: int) -> None:
        self.layers: list[Layer] = []
        self.random = random.Random(seed)
        self.table = [self.random.uniform(-1, 1) for _ in range(PERIOD)]

    def numbers(self, count: int, least: float, most: float) -> array.array:
        """Returns |count| numbers of [least, most)."""
        middle, reach = (least + most) / 2, (most - least) / 2
        start = self.random.randrange(PERIOD)
        turned = self.table[start:] + self.table[:start]
        once = array.array("f", (middle + reach * value
                                 for value in turned[:count]))
        return (once * -(-count // PERIOD))[:count]

    def filters(self, shape: list[int], inputs: int) -> tuple[
            list[int], array.array]:
        """Returns weights that keep the size of |inputs| positive values."""
        reach = math.sqrt(6 / inputs)
        return shape, self.numbers(math.prod(shape), -reach, reach)

    def add(self, kind: str, inputs: list[Value], channels: int,
            sizes: dict[str, float] | None = None,
            weights: dict[str, tuple[list[int], array.array]] | None = None,
            ) -> Value:
        name = f"{kind}_{len(self.layers)}"
        self.layers.append(Layer(kind, name, [value.name for value in inputs],
                                 sizes or {}, weights or {}))
        return Value(name, channels)

    def conv(self, x: Value, channels: int, size: int, stride: int = 1,
             is_same: bool = True) -> Value:
        shape = [size, size, x.channels, channels]
        return self.add("conv", [x], channels,
                        {"size": size, "stride": stride, "same": is_same},
                        {"filter": self.filters(shape, size**2 * x.channels)})

    def depthwise(self, x: Value, stride: int) -> Value:
        """Three by three, after a pad where the steps are of two."""
        return self.add("depthwise", [x], x.channels,
                        {"size": 3, "stride": stride, "same": stride == 1},
                        {"filter": self.filters([3, 3, x.channels, 1], 9)})

    def norm(self, x: Value, epsilon: float, most: float) -> Value:
        """A batch norm that scales by |most| at most."""
        def vector(low: float, high: float) -> tuple[list[int], array.array]:
            return [x.channels], self.numbers(x.channels, low, high)
        return self.add("norm", [x], x.channels, {"epsilon": epsilon}, {
            "scale": vector(most / 2, most), "offset": vector(-0.2, 0.2),
            "mean": vector(-0.2, 0.2), "variance": vector(0.8, 1.6)})

    def bias(self, x: Value) -> Value:
        values = self.numbers(x.channels, -0.2, 0.2)
        return self.add("bias", [x], x.channels,
                        weights={"bias": ([x.channels], values)})

    def pad(self, x: Value, before: int, after: int) -> Value:
        return self.add("pad", [x], x.channels,
                        {"before": before, "after": after})

    def plain(self, kind: str, *inputs: Value) -> Value:
        """A layer without sizes: relu, relu6, add, pool, mean, softmax."""
        return self.add(kind, list(inputs), inputs[0].channels)

    def dense(self, x: Value, channels: int) -> Value:
        shape = [x.channels, channels]
        return self.add("dense", [x], channels,
                        weights={"filter": self.filters(shape, x.channels)})

    def classify(self, x: Value) -> None:
        x = self.bias(self.dense(self.plain("mean", x), CLASSES))
        self.plain("softmax", x)


# ---- The networks ----

# Of MobileNetV2: expansion, channels, blocks, stride of the first.
INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
# Of ResNet50: channels within, blocks, stride of the first.
BOTTLENECKS = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))


def inverted(net: Net, x: Value, expansion: int, channels: int, stride: int,
             pad: int) -> Value:
    """A block of MobileNetV2."""
    y = x
    if expansion > 1:
        y = net.norm(net.conv(y, x.channels * expansion, 1), 1e-3, 1.3)
        y = net.plain("relu6", y)
    if stride == 2:
        y = net.pad(y, 1 - pad, 1)
    y = net.plain("relu6", net.norm(net.depthwise(y, stride), 1e-3, 1.3))
    y = net.norm(net.conv(y, channels, 1), 1e-3, 1.3)
    return net.plain("add", x, y) if stride == 1 and x == Value(
        x.name, channels) else y


def mobilenetv2() -> Net:
    net = Net(2)
    x = net.conv(Value("x", 3), 32, 3, 2)
    x, side = net.plain("relu6", net.norm(x, 1e-3, 1.3)), IMAGE // 2
    for expansion, channels, blocks, first in INVERTED:
        for block in range(blocks):
            stride = first if block == 0 else 1
            x = inverted(net, x, expansion, channels, stride, 1 - side % 2)
            side = -(-side // stride)
    x = net.norm(net.conv(x, 1280, 1), 1e-3, 1.3)
    net.classify(net.plain("relu6", x))
    return net


def bottleneck(net: Net, x: Value, channels: int, stride: int, is_first: bool,
               ) -> Value:
    """A block of ResNet50."""
    def conv(x: Value, channels: int, size: int, stride: int, most: float,
             ) -> Value:
        y = net.bias(net.conv(x, channels, size, stride, size > 1))
        return net.norm(y, 1.001e-5, most)

    past = conv(x, 4 * channels, 1, stride, 1.0) if is_first else x
    y = net.plain("relu", conv(x, channels, 1, stride, 1.0))
    y = net.plain("relu", conv(y, channels, 3, 1, 1.0))
    return net.plain("relu", net.plain("add", past, conv(y, 4 * channels, 1, 1,
                                                         0.5)))


def resnet50() -> Net:
    net = Net(50)
    x = net.conv(net.pad(Value("x", 3), 3, 3), 64, 7, 2, False)
    x = net.plain("relu", net.norm(net.bias(x), 1.001e-5, 1.0))
    x = net.plain("pool", net.pad(x, 1, 1))
    for channels, blocks, stride in BOTTLENECKS:
        for block in range(blocks):
            x = bottleneck(net, x, channels, 1 if block else stride, block == 0)
    net.classify(x)
    return net


NETS: dict[str, Callable[[], Net]] = {"mobilenetv2": mobilenetv2,
                                      "resnet50": resnet50}


# ---- GraphDef ----

INT32 = varint(6 << 3) + varint(3)  # AttrValue.type = DT_INT32


def ints(values: list[int]) -> bytes:
    """AttrValue.list of numbers."""
    return field(1, field(3, b"".join(varint(value) for value in values)))


def text(value: str) -> bytes:
    """AttrValue.s."""
    return field(2, value.encode())


def constant(name: str, dtype: int, shape: list[int], values: bytes) -> bytes:
    """A node of the op Const."""
    sizes = b"".join(field(2, varint(1 << 3) + varint(size)) for size in shape)
    tensor = (varint(1 << 3) + varint(dtype) + field(2, sizes)
              + field(4, values))
    return node(name, "Const", [],
                attr("dtype", FLOAT if dtype == 1 else INT32)
                + attr("value", field(8, tensor)))


def window(sizes: dict[str, float]) -> bytes:
    """The attributes of strides and padding."""
    stride = int(sizes["stride"])
    return (attr("T", FLOAT) + attr("strides", ints([1, stride, stride, 1]))
            + attr("padding", text("SAME" if sizes["same"] else "VALID"))
            + attr("data_format", text("NHWC")))


def pad_node(layer: Layer) -> list[bytes]:
    edge = [int(layer.sizes["before"]), int(layer.sizes["after"])]
    sizes = struct.pack("<8i", 0, 0, *edge, *edge, 0, 0)
    return [constant(f"{layer.name}/sizes", 3, [4, 2], sizes),
            node(layer.name, "Pad", [*layer.inputs, f"{layer.name}/sizes"],
                 attr("T", FLOAT) + attr("Tpaddings", INT32))]


def mean_node(layer: Layer) -> list[bytes]:
    axes = struct.pack("<2i", 1, 2)
    return [constant(f"{layer.name}/axes", 3, [2], axes),
            node(layer.name, "Mean", [*layer.inputs, f"{layer.name}/axes"],
                 attr("T", FLOAT) + attr("Tidx", INT32))]


def pool_node(layer: Layer) -> list[bytes]:
    """Windows of three by three, in steps of two."""
    return [node(layer.name, "MaxPool", layer.inputs,
                 window({"stride": 2, "same": False})
                 + attr("ksize", ints([1, 3, 3, 1])))]


def norm_node(layer: Layer) -> list[bytes]:
    epsilon = varint(4 << 3 | 5) + struct.pack("<f", layer.sizes["epsilon"])
    return [node(layer.name, "FusedBatchNormV3",
                 layer.inputs + [f"{layer.name}/{name}"
                                 for name in layer.weights],
                 attr("T", FLOAT) + attr("U", FLOAT) + attr("epsilon", epsilon)
                 + attr("data_format", text("NHWC"))
                 + attr("is_training", varint(5 << 3) + varint(0)))]


def spelled_norm(layer: Layer) -> list[bytes]:
    """The same as norm_node(), of products and sums."""
    name, (x,) = layer.name, layer.inputs
    epsilon = struct.pack("<f", layer.sizes["epsilon"])

    def op(end: str, kind: str, *inputs: str) -> bytes:
        return node(f"{name}{end}", kind, list(inputs), attr("T", FLOAT))
    return [constant(f"{name}/epsilon", 1, [], epsilon),
            op("/add", "AddV2", f"{name}/variance", f"{name}/epsilon"),
            op("/root", "Rsqrt", f"{name}/add"),
            op("/factor", "Mul", f"{name}/root", f"{name}/scale"),
            op("/product", "Mul", x, f"{name}/factor"),
            op("/shift", "Mul", f"{name}/mean", f"{name}/factor"),
            op("/rest", "Sub", f"{name}/offset", f"{name}/shift"),
            op("", "AddV2", f"{name}/product", f"{name}/rest")]


# Ops of one node whose inputs are those of the layer and its weights.
OPS = {"conv": "Conv2D", "depthwise": "DepthwiseConv2dNative",
       "bias": "BiasAdd", "relu": "Relu", "relu6": "Relu6", "add": "AddV2",
       "dense": "MatMul", "softmax": "Softmax"}
SPECIAL = {"pad": pad_node, "mean": mean_node, "pool": pool_node,
           "norm": norm_node}


def nodes_of(layer: Layer, is_spelled: bool) -> list[bytes]:
    """The nodes of a layer, but those of its weights."""
    if is_spelled and layer.kind == "norm":
        return spelled_norm(layer)
    if layer.kind in SPECIAL:
        return SPECIAL[layer.kind](layer)
    attrs = window(layer.sizes) if layer.sizes else attr("T", FLOAT)
    return [node(layer.name, OPS[layer.kind],
                 layer.inputs + [f"{layer.name}/{name}"
                                 for name in layer.weights], attrs)]


def graph_def(net: Net, is_spelled: bool = False) -> bytes:
    """Returns the network as a GraphDef."""
    any_batch = b"".join(
        field(2, varint(1 << 3) + varint(size & (1 << 64) - 1))
        for size in (-1, IMAGE, IMAGE, 3))
    parts = [node("x", "Placeholder", [], attr("dtype", FLOAT)
                  + attr("shape", field(7, any_batch)))]
    for layer in net.layers:
        parts += [constant(f"{layer.name}/{name}", 1, shape, values.tobytes())
                  for name, (shape, values) in layer.weights.items()]
        parts += nodes_of(layer, is_spelled)
    parts.append(node("y", "Identity", [net.layers[-1].name],
                      attr("T", FLOAT)))
    parts.append(field(4, varint(1 << 3) + varint(1882)))
    return b"".join(parts)


# ---- ONNX ----

def onnx_ints(name: str, values: list[int]) -> bytes:
    """An AttributeProto."""
    return field(5, field(1, name.encode()) + varint(20 << 3) + varint(7)
                 + field(8, b"".join(varint(value) for value in values)))


def onnx_text(name: str, value: str) -> bytes:
    return field(5, field(1, name.encode()) + varint(20 << 3) + varint(3)
                 + field(4, value.encode()))


def onnx_number(name: str, value: int) -> bytes:
    return field(5, field(1, name.encode()) + varint(20 << 3) + varint(2)
                 + varint(3 << 3) + varint(value))


def onnx_float(name: str, value: float) -> bytes:
    return field(5, field(1, name.encode()) + varint(20 << 3) + varint(1)
                 + varint(2 << 3 | 5) + struct.pack("<f", value))


def onnx_node(name: str, op: str, inputs: list[str], attrs: bytes) -> bytes:
    """An entry of GraphProto.node; its one output has its name."""
    parts = b"".join(field(1, text.encode()) for text in inputs)
    return field(1, parts + field(2, name.encode()) + field(3, name.encode())
                 + field(4, op.encode()) + attrs)


def onnx_weights(name: str, shape: list[int], values: array.array) -> bytes:
    """An entry of GraphProto.initializer."""
    return field(5, b"".join(varint(1 << 3) + varint(size) for size in shape)
                 + varint(2 << 3) + varint(1) + field(8, name.encode())
                 + field(9, values.tobytes()))


def onnx_filter(layer: Layer) -> tuple[list[int], array.array]:
    """A filter of height, width, in, out as out, in, height, width."""
    (height, width, inputs, outputs), values = layer.weights["filter"]
    if layer.kind == "depthwise":  # Each channel is a group of one.
        inputs, outputs = outputs, inputs
    found = array.array("f")
    for out in range(outputs):
        column = values[out::outputs]
        if height * width == 1:
            found += column
            continue
        for channel in range(inputs):
            found += column[channel::inputs]
    return [outputs, inputs, height, width], found


def onnx_pads(layer: Layer) -> list[int]:
    before, after = int(layer.sizes["before"]), int(layer.sizes["after"])
    return [before, before, after, after]


class OnnxWriter:
    """Writes layers one by one. Pads become attributes of what follows."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.weights: list[bytes] = []
        self.pads: dict[str, Layer] = {}

    def initializer(self, layer: Layer, name: str, shape: list[int],
                    values: array.array) -> str:
        self.weights.append(onnx_weights(f"{layer.name}/{name}", shape, values))
        return f"{layer.name}/{name}"

    def window(self, layer: Layer, size: int, stride: int, is_same: bool,
               ) -> tuple[list[str], bytes]:
        """Returns the input and the attributes of something with windows."""
        attrs = (onnx_ints("kernel_shape", [size, size])
                 + onnx_ints("strides", [stride, stride]))
        pad = self.pads.get(layer.inputs[0])
        if pad is not None:
            return pad.inputs, attrs + onnx_ints("pads", onnx_pads(pad))
        if is_same and size > 1:
            attrs += onnx_text("auto_pad", "SAME_UPPER")
        return layer.inputs, attrs

    def conv(self, layer: Layer) -> None:
        inputs, attrs = self.window(
            layer, int(layer.sizes["size"]), int(layer.sizes["stride"]),
            bool(layer.sizes["same"]))
        shape, values = onnx_filter(layer)
        if layer.kind == "depthwise":
            attrs += onnx_number("group", shape[0])
        name = self.initializer(layer, "filter", shape, values)
        self.nodes.append(onnx_node(layer.name, "Conv", [*inputs, name], attrs))

    depthwise = conv

    def pad(self, layer: Layer) -> None:
        self.pads[layer.name] = layer

    def pool(self, layer: Layer) -> None:
        inputs, attrs = self.window(layer, 3, 2, False)
        self.nodes.append(onnx_node(layer.name, "MaxPool", inputs, attrs))

    def norm(self, layer: Layer) -> None:
        names = [self.initializer(layer, name, shape, values)
                 for name, (shape, values) in layer.weights.items()]
        self.nodes.append(onnx_node(
            layer.name, "BatchNormalization", layer.inputs + names,
            onnx_float("epsilon", layer.sizes["epsilon"])))

    def bias(self, layer: Layer) -> None:
        shape, values = layer.weights["bias"]
        # Images have it along their second axis; the end is a matrix.
        if not layer.inputs[0].startswith("dense"):
            shape = [1, *shape, 1, 1]
        name = self.initializer(layer, "bias", shape, values)
        self.nodes.append(onnx_node(layer.name, "Add", [*layer.inputs, name],
                                    b""))

    def mean(self, layer: Layer) -> None:
        pooled = f"{layer.name}/pooled"
        self.nodes.append(onnx_node(pooled, "GlobalAveragePool", layer.inputs,
                                    b""))
        self.nodes.append(onnx_node(layer.name, "Flatten", [pooled], b""))

    def dense(self, layer: Layer) -> None:
        name = self.initializer(layer, "filter", *layer.weights["filter"])
        self.nodes.append(onnx_node(layer.name, "MatMul", [*layer.inputs, name],
                                    b""))

    def relu6(self, layer: Layer) -> None:
        least = self.initializer(layer, "least", [], array.array("f", [0]))
        most = self.initializer(layer, "most", [], array.array("f", [6]))
        self.nodes.append(onnx_node(layer.name, "Clip",
                                    [*layer.inputs, least, most], b""))

    def relu(self, layer: Layer) -> None:
        self.nodes.append(onnx_node(layer.name, "Relu", layer.inputs, b""))

    def add(self, layer: Layer) -> None:
        self.nodes.append(onnx_node(layer.name, "Add", layer.inputs, b""))

    def softmax(self, layer: Layer) -> None:
        self.nodes.append(onnx_node("y", "Softmax", layer.inputs, b""))


def onnx_value(number: int, name: str, sizes: list[int]) -> bytes:
    """An input or an output: a batch of what has |sizes|."""
    dims = field(1, field(2, b"batch")) + b"".join(
        field(1, varint(1 << 3) + varint(size)) for size in sizes)
    kind = field(1, varint(1 << 3) + varint(1) + field(2, dims))
    return field(number, field(1, name.encode()) + field(2, kind))


def onnx_model(net: Net) -> bytes:
    """Returns the network as an ONNX model."""
    writer = OnnxWriter()
    for layer in net.layers:
        getattr(writer, layer.kind)(layer)
    graph = (b"".join(writer.nodes) + field(2, b"net")
             + b"".join(writer.weights)
             + onnx_value(11, "x", [3, IMAGE, IMAGE])
             + onnx_value(12, "y", [CLASSES]))
    # ir_version 8, version 17 of the ops.
    return (varint(1 << 3) + varint(8) + field(7, graph)
            + field(8, varint(2 << 3) + varint(17)))


# ---- Files ----

def images() -> array.array:
    """Both sets of images, each brighter than the one before."""
    net, found = Net(224), array.array("f")
    for i in range(SETS * IMAGES):
        dark = -1 + i / (SETS * IMAGES)
        found += net.numbers(IMAGE * IMAGE * 3, dark, dark + 1)
    return found


def write_file(folder: str, name: str, content: Callable[[], bytes]) -> None:
    """Writes a file unless it is there and newer than this one."""
    path = os.path.join(folder, name)
    if (os.path.exists(path)
            and os.path.getmtime(path) > os.path.getmtime(__file__)):
        return
    with open(f"{path}.part", "wb") as file:
        file.write(content())
    os.rename(f"{path}.part", path)


def write(folder: str, names: list[str]) -> None:
    """Writes networks and images into |folder|."""
    os.makedirs(folder, exist_ok=True)
    write_file(folder, "images.f32", lambda: images().tobytes())
    for name in names:
        net, _, is_spelled = name.partition("_")
        write_file(folder, f"{name}.pb",
                   lambda: graph_def(NETS[net](), bool(is_spelled)))
        if not is_spelled:
            write_file(folder, f"{name}.onnx",
                       lambda: onnx_model(NETS[net]()))


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2:] or list(NETS))
