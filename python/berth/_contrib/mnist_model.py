"""mnist_model - tensorflow.examples.tutorials.mnist.mnist: a network of two hidden layers for digits."""

from __future__ import annotations

import math
from typing import Any

from berth._layers import losses
from berth._summary import summary_ops
from berth._train import optimizers
from berth.framework import dtypes, gen, scopes
from berth.ops import array_ops, math_ops, nn_ops, random_ops, reduce_ops
from berth.variables.graph_variable import VariableV1

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(values: Any, inputs: int, outputs: int) -> Any:
    """Returns the weighted sums of one layer."""
    weights = VariableV1(random_ops.truncated_normal([inputs, outputs], stddev=1.0 / math.sqrt(float(inputs))),
                         name='weights')
    biases = VariableV1(array_ops.zeros([outputs]), name='biases')
    return math_ops.matmul(values, weights) + biases


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Returns how likely each digit is, before the softmax."""
    with scopes.name_scope('hidden1'):
        first = nn_ops.relu(_layer(images, IMAGE_PIXELS, hidden1_units))
    with scopes.name_scope('hidden2'):
        second = nn_ops.relu(_layer(first, hidden1_units, hidden2_units))
    with scopes.name_scope('softmax_linear'):
        return _layer(second, hidden2_units, NUM_CLASSES)


def loss(logits: Any, labels: Any) -> Any:
    """Returns the mean cross entropy."""
    return losses.sparse_softmax_cross_entropy(labels=math_ops.to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:  # pylint: disable=redefined-outer-name
    """Returns the operation of one step of gradient descent."""
    summary_ops.scalar('loss', loss)
    step = VariableV1(0, name='global_step', trainable=False)
    return optimizers.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Returns how many of the digits are right."""
    right = gen.apply('InTopKV2', None, {'predictions': logits, 'targets': labels, 'k': 1})
    return reduce_ops.reduce_sum(math_ops.cast(right, dtypes.int32))
