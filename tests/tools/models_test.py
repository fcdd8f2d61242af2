#!/usr/bin/env python3
"""Checks the networks that bench/ writes, and that it sees different results."""

import array
import collections
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import agree  # noqa: E402
import models  # noqa: E402

# Of Keras's networks: layers, and weights in all.
LAYERS = {
    "mobilenetv2": ({"conv": 35, "depthwise": 17, "norm": 52, "relu6": 35,
                     "pad": 4, "add": 10, "mean": 1, "dense": 1, "bias": 1,
                     "softmax": 1}, 3538984),
    "resnet50": ({"conv": 53, "norm": 53, "bias": 54, "relu": 49, "pad": 2,
                  "pool": 1, "add": 16, "mean": 1, "dense": 1, "softmax": 1},
                 25636712),
}


def check_network(name):
    """Compares the layers and weights of a network with those of Keras."""
    net = models.NETS[name]()
    kinds, weights = LAYERS[name]
    found = collections.Counter(layer.kind for layer in net.layers)
    assert found == kinds, (name, found)
    count = sum(len(values) for layer in net.layers
                for _, values in layer.weights.values())
    assert count == weights, (name, count)
    for layer in net.layers:
        for shape, values in layer.weights.values():
            assert math.prod(shape) == len(values), layer.name


def refused(results):
    """Returns whether the comparison refuses |results|."""
    try:
        agree.agree(results, 2)
    except agree.DisagreeError:
        return True
    return False


def check_comparison():
    """A value that is a little off is refused; so is what shows nothing."""
    right = array.array("f", [0.25, 0.75, 0.5, 0.5])
    near = array.array("f", [0.2501, 0.7499, 0.5, 0.5])
    far = array.array("f", [0.2504, 0.7496, 0.5, 0.5])
    assert not refused({"a": right, "b": right, "c": near})
    assert refused({"a": right, "b": right, "c": far})
    assert refused({"a": far, "b": right})
    assert refused({"a": right, "b": array.array("f", [math.nan] * 4)})
    assert refused({"a": array.array("f", [0.5] * 4)}), "images are the same"
    assert refused({"a": array.array("f", [0.2, 0.7, 0.5, 0.5])}), "not sums of 1"


for network in LAYERS:
    check_network(network)
check_comparison()
