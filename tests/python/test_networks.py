"""test_networks.py - Networks at random: the host, a card, sessions and single calls give one result."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_networks
import berth as tf
print(test_networks.try_many(tf, {seed}))
"""
NETWORKS, LAYERS = 12, 7
TOLERANCE = 2e-4

Layer = Callable[[Any, Any], Any]


def weights(rng: random.Random, *shape: int) -> np.ndarray:
    """Numbers that keep values near 1."""
    numbers = np.random.RandomState(rng.randrange(1 << 30))
    return (numbers.randn(*shape) / np.sqrt(np.prod(shape[:-1]) or 1)).astype(np.float32)


def conv(rng: random.Random, channels: int) -> tuple[Layer, int]:
    size, out, stride = rng.choice([1, 3]), rng.choice([1, 4, 9]), rng.choice([1, 2])
    filters = weights(rng, size, size, channels, out)
    return lambda tf, x: tf.raw_ops.Conv2D(input=x, filter=filters, strides=[1, stride, stride, 1],
                                           padding='SAME'), out


def depthwise(rng: random.Random, channels: int) -> tuple[Layer, int]:
    times = rng.choice([1, 2])
    filters = weights(rng, 3, 3, channels, times)
    return lambda tf, x: tf.raw_ops.DepthwiseConv2dNative(input=x, filter=filters, strides=[1, 1, 1, 1],
                                                          padding='SAME'), channels * times


def norm(rng: random.Random, channels: int) -> tuple[Layer, int]:
    scale, offset, mean = (weights(rng, 1, channels)[0] for _ in range(3))
    variance, is_training = abs(scale) + 0.5, rng.random() < 0.3
    nothing = np.zeros([0], np.float32)
    return lambda tf, x: tf.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=nothing if is_training else mean,
        variance=nothing if is_training else variance, is_training=is_training)[0], channels


def pool(rng: random.Random, channels: int) -> tuple[Layer, int]:
    name, stride = rng.choice(['MaxPool', 'AvgPool']), rng.choice([1, 2])
    inputs = 'input' if name == 'MaxPool' else 'value'
    return lambda tf, x: getattr(tf.raw_ops, name)(
        **{inputs: x}, ksize=[1, 2, 3, 1], strides=[1, stride, stride, 1], padding='SAME'), channels


def activation(rng: random.Random, channels: int) -> tuple[Layer, int]:
    name = rng.choice(['Relu', 'Relu6', 'Elu', 'Selu', 'Softplus', 'Softsign'])
    return lambda tf, x: getattr(tf.raw_ops, name)(features=x), channels


def gradient(rng: random.Random, channels: int) -> tuple[Layer, int]:
    name, inputs = rng.choice([('ReluGrad', 'features'), ('Relu6Grad', 'features'), ('EluGrad', 'outputs'),
                               ('SoftplusGrad', 'features'), ('LeakyReluGrad', 'features')])
    return lambda tf, x: getattr(tf.raw_ops, name)(gradients=x * 0.5 + 1, **{inputs: x}), channels


def resize(rng: random.Random, channels: int) -> tuple[Layer, int]:
    name, is_centred = rng.choice(['ResizeBilinear', 'ResizeNearestNeighbor']), rng.random() < 0.5
    size = [rng.randint(3, 12), rng.randint(3, 12)]
    return lambda tf, x: getattr(tf.raw_ops, name)(images=x, size=size, half_pixel_centers=is_centred), channels


def join(rng: random.Random, channels: int) -> tuple[Layer, int]:
    return lambda tf, x: tf.concat([x, x * 2], 3), 2 * channels


def rest(rng: random.Random, channels: int) -> tuple[Layer, int]:
    """What is added to what it was made of."""
    filters = weights(rng, 3, 3, channels, channels)
    return lambda tf, x: x + tf.raw_ops.Conv2D(input=x, filter=filters, strides=[1, 1, 1, 1], padding='SAME'), channels


KINDS = (conv, conv, depthwise, norm, pool, activation, gradient, resize, join, rest)


class Network:
    """Layers at random."""

    def __init__(self, rng: random.Random) -> None:
        self.image = weights(rng, rng.randint(1, 3), rng.randint(3, 14), rng.randint(3, 14), 3) * 8
        self.layers: list[Layer] = []
        channels = 3
        for _ in range(LAYERS):
            layer, channels = rng.choice(KINDS)(rng, min(channels, 40))
            self.layers.append(layer)
            if channels > 20:
                self.layers.append(lambda tf, x: x[..., :5])
                channels = 5

    def result(self, tf: Any, image: Any) -> Any:
        for layer in self.layers:
            image = layer(tf, image)
        return image


def in_session(tf: Any, network: Network, device: str) -> np.ndarray:
    """The result as a graph, on |device|."""
    with tf.Graph().as_default() as graph, tf.device(device):
        image = tf.compat.v1.placeholder(tf.float32, [None, None, None, 3])
        result = network.result(tf, image)
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(result, {image: network.image})


def check(tf: Any, network: Network, device: str) -> None:
    """Compares what every way gives with single calls on the host."""
    with tf.device('/CPU:0'):
        wanted = network.result(tf, tf.constant(network.image)).numpy()
    assert np.isfinite(wanted).all() and wanted.size > 0
    reach = abs(wanted).max() + 1e-3
    with tf.device(device):
        found = network.result(tf, tf.constant(network.image)).numpy()
    for result in (found, in_session(tf, network, device), in_session(tf, network, '/CPU:0')):
        np.testing.assert_allclose(result / reach, wanted / reach, atol=TOLERANCE)


def try_many(tf: Any, seed: int) -> int:
    """Networks at random; returns how many gave one result."""
    rng = random.Random(seed)
    device = '/GPU:0' if tf.config.list_physical_devices('GPU') else '/CPU:0'
    for _ in range(NETWORKS):
        check(tf, Network(rng), device)
    return NETWORKS


@pytest.mark.parametrize('cards', ['', 'Tesla K40c'])
@pytest.mark.parametrize('seed', range(4))
def test_networks_give_one_result(seed: int, cards: str) -> None:
    """Convolutions, pools, norms, activations and their gradients, resizes; on the host and on a card."""
    code = CODE.format(folder=__file__.rpartition('/')[0], seed=seed)
    assert run(code, '2', BERTH_SIMULATE_GPUS=cards, CUDA_VISIBLE_DEVICES='0') == f'{NETWORKS}\n'
