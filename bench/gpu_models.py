"""gpu_models.py - ResNet50 on a GPU beside torch: milliseconds for a batch of images.

    python bench/gpu_models.py                  both sides, each in a process of its own, in turns
    python bench/gpu_models.py --side torch     one of them: a line of JSON
    python bench/gpu_models.py --batch 8

The network is that of models.py, with the same weights on both sides and images that lie on the card; floats may
round to TF32. torch computes with channels last and times its algorithms (cudnn.benchmark): as it is, recorded as a
graph, and by torch.compile. Sides print the sum of the squares of what comes out, which shows that they agree.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import models
import numpy as np

RUNS, ROUNDS = 10, 5


def images(batch: int) -> Any:
    """What is fed, in NHWC."""
    return np.random.default_rng(5).normal(0, 1, (batch, models.IMAGE, models.IMAGE, 3)).astype(np.float32)


def best_ms(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """The best time of a few rounds, of one call."""
    for _ in range(5):
        call()
    wait()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(RUNS):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / RUNS)
    return best * 1e3


# ---- Berth ----

def berth_side(batch: int) -> dict[str, float]:
    """A frozen graph whose images are a variable."""
    import berth

    tf = berth.compat.v1
    tf.disable_eager_execution()
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(models.graph_def(models.resnet50()))
    with tf.device("/gpu:0"):
        fed = tf.placeholder(tf.float32, [batch, models.IMAGE, models.IMAGE, 3])
        kept = tf.Variable(tf.zeros(fed.shape), use_resource=True)
        fill = kept.assign(fed, read_value=False)
        (y,) = tf.import_graph_def(graph_def, {"x": kept.read_value()}, ["y:0"])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fill, {fed: images(batch)})
        squares = float(np.square(session.run(y).astype(np.float64)).sum())
        call = session.make_callable(y.op)
        return {"berth": best_ms(call, lambda: None), "squares": squares}


# ---- torch ----

def torch_network(layers: list[models.Layer]) -> Any:
    """The network as a function of images in NCHW."""
    import torch
    from torch.nn import functional

    weights: dict[str, Any] = {}
    for layer in layers:
        for name, (shape, values) in layer.weights.items():
            made = torch.tensor(values).reshape(shape).cuda()
            if layer.kind == "conv":
                made = made.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
            weights[f"{layer.name}/{name}"] = made

    def conv(layer: models.Layer, x: Any, bias: Any, padding: int) -> Any:
        size = int(layer.sizes["size"])
        return functional.conv2d(x, weights[f"{layer.name}/filter"], bias, int(layer.sizes["stride"]),
                                 size // 2 if layer.sizes["same"] else padding)

    def run(x: Any) -> Any:
        values, pads = {"x": x}, {}
        for index, layer in enumerate(layers):
            inputs = [values[name] for name in layer.inputs]
            padding = pads.get(layer.inputs[0], 0)
            following = layers[index + 1] if index + 1 < len(layers) else layer
            if layer.kind == "pad":  # Part of what follows.
                pads[layer.name] = int(layer.sizes["before"])
                out = inputs[0]
            elif layer.kind == "conv":
                bias = weights.get(f"{following.name}/bias") if following.kind == "bias" else None
                out = conv(layer, inputs[0], bias, padding)
            elif layer.kind == "bias":  # Part of what came before, but for the last.
                out = inputs[0] if inputs[0].dim() == 4 else inputs[0] + weights[f"{layer.name}/bias"]
            elif layer.kind == "norm":
                scale, offset, mean, variance = (weights[f"{layer.name}/{name}"]
                                                 for name in ("scale", "offset", "mean", "variance"))
                out = functional.batch_norm(inputs[0], mean, variance, scale, offset, False, 0.0,
                                            layer.sizes["epsilon"])
            elif layer.kind == "pool":
                out = functional.max_pool2d(inputs[0], 3, 2, padding)
            elif layer.kind == "dense":
                out = inputs[0] @ weights[f"{layer.name}/filter"]
            else:
                out = {"relu": lambda a: functional.relu(a[0]), "add": lambda a: a[0] + a[1],
                       "mean": lambda a: a[0].mean((2, 3)), "softmax": lambda a: a[0].softmax(1)}[layer.kind](inputs)
            values[layer.name] = out
        return out
    return run


def torch_side(batch: int) -> dict[str, float]:
    """The same, as it is, recorded and compiled."""
    import torch

    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.set_grad_enabled(False)
    network = torch_network(models.resnet50().layers)
    x = torch.from_numpy(images(batch)).cuda().permute(0, 3, 1, 2)
    found = {"squares": float(network(x).double().square().sum()),
             "torch": best_ms(lambda: network(x), torch.cuda.synchronize)}
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = network(x)
    found["torch recorded"] = best_ms(graph.replay, torch.cuda.synchronize)
    del kept
    compiled = torch.compile(network)
    found["torch.compile"] = best_ms(lambda: compiled(x), torch.cuda.synchronize)
    return found


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", choices=["berth", "torch"])
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    if options.side:
        print(json.dumps((berth_side if options.side == "berth" else torch_side)(options.batch)))
        return
    for side in ("berth", "torch", "berth"):
        call = [sys.executable, str(pathlib.Path(__file__)), "--side", side, "--batch", str(options.batch)]
        lines = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        print(side, lines[-1], flush=True)


if __name__ == "__main__":
    main()
