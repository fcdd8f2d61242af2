"""flops - How many operations on floating-point numbers a node takes, by the formulas that TensorFlow registers."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

from berth.framework import static_value

# Operations for each element of the input, and for each of the output.
_BY_INPUT = {'Reciprocal': 1, 'Square': 1, 'Rsqrt': 2, 'Log': 1, 'Neg': 1, 'AssignSub': 1, 'AssignAdd': 1, 'Softmax': 5,
             'BiasAdd': 1}
_BY_OUTPUT = {'Add': 1, 'AddV2': 1, 'Sub': 1, 'Mul': 1, 'RealDiv': 1, 'Maximum': 1, 'Minimum': 1, 'Pow': 1,
              'RsqrtGrad': 4, 'GreaterEqual': 1, 'Greater': 1, 'LessEqual': 1, 'Less': 1, 'Equal': 1, 'NotEqual': 1,
              'SquaredDifference': 2}
# Reductions: what is done for each element of the output, beyond one for each that joins another.
_REDUCTIONS = {'Mean': 1, 'Sum': 0, 'ArgMax': 0, 'ArgMin': 0, 'BiasAddGrad': 0}


def _shape(tensor: Any) -> list[int]:
    """Returns a shape; ValueError where it is not known."""
    tensor.shape.assert_is_fully_defined()
    return tensor.shape.as_list()


def _count(tensor: Any) -> int:
    return math.prod(_shape(tensor))


def _channels_last(op: Any) -> None:
    if op.get_attr('data_format') != b'NHWC':
        raise ValueError('Only NHWC format is supported in flops computations')


def _product(op: Any) -> int:
    return 2 * _shape(op.inputs[0])[0 if op.get_attr('transpose_a') else 1] * _count(op.outputs[0])


def _batch_product(op: Any) -> int:
    # TensorFlow asks for transpose_a, which these ops do not have: the last dimension, whatever adj_x says.
    return 2 * _shape(op.inputs[0])[-1] * _count(op.outputs[0])


def _window(op: Any) -> int:
    """For each element of the output, each element of the filter but its last dimension, twice."""
    sides = _shape(op.inputs[1])
    if op.type in ('DepthwiseConv2dNative', 'Dilation2D'):
        sides = sides[:2] + [1]
    _shape(op.inputs[0])
    return 2 * math.prod(sides[:-1]) * _count(op.outputs[0])


def _pool(op: Any) -> int:
    _channels_last(op)
    return math.prod(op.get_attr('ksize')) * _count(op.outputs[0])


def _avg_pool_grad(op: Any) -> int:
    _channels_last(op)
    return 2 * math.prod(op.get_attr('ksize')) * _count(op.inputs[1])


def _max_pool_grad(op: Any) -> int:
    _channels_last(op)
    return (math.prod(op.get_attr('ksize')) + 1) * _count(op.inputs[1])


def _conv_grad(op: Any, image: Any, kernel: Any) -> int:
    """As the convolution itself: |image| is what goes into that."""
    _channels_last(op)
    strides = op.get_attr('strides')
    sizes, filters = (_made_shape(op) if tensor is op.outputs[0] else _shape(tensor) for tensor in (image, kernel))
    return int(2 * math.prod(sizes) * math.prod(filters) / (sizes[-1] * strides[1] * strides[2]))


def _made_shape(op: Any) -> list[int]:
    """Returns the shape of a slope of a convolution, which an input says."""
    sizes = op.inputs[int(op.type == 'Conv2DBackpropFilter')]
    if sizes.op.type == 'ShapeN':
        shape = sizes.op.inputs[sizes.value_index].shape
    else:
        shape = static_value.constant_value_as_shape(sizes)
    shape.assert_is_fully_defined()
    return shape.as_list()


_FORMULAS: dict[str, Callable[[Any], int]] = {
    'MatMul': _product, 'BatchMatMul': _batch_product, 'BatchMatMulV2': _batch_product, 'BatchMatMulV3': _batch_product,
    'Conv2D': _window, 'Conv3D': _window, 'DepthwiseConv2dNative': _window, 'Dilation2D': _window,
    'AvgPool': _pool, 'MaxPool': _pool, 'AvgPoolGrad': _avg_pool_grad, 'MaxPoolGrad': _max_pool_grad,
    'Conv2DBackpropInput': lambda op: _conv_grad(op, op.outputs[0], op.inputs[1]),
    'Conv2DBackpropFilter': lambda op: _conv_grad(op, op.inputs[0], op.outputs[0]),
    'L2Loss': lambda op: 3 * _count(op.inputs[0]) - 1,
    'AddN': lambda op: _count(op.inputs[0]) * (len(op.inputs) - 1),
}


def of(op: Any) -> Optional[int]:
    """Returns what a node takes, or None where there is no formula; ValueError where shapes are not known."""
    kind = op.type
    if kind in _BY_INPUT:
        return _BY_INPUT[kind] * _count(op.inputs[0])
    if kind in _BY_OUTPUT:
        return _BY_OUTPUT[kind] * _count(op.outputs[0])
    if kind in _REDUCTIONS:
        return _count(op.inputs[0]) + (_REDUCTIONS[kind] - 1) * _count(op.outputs[0])
    return _FORMULAS[kind](op) if kind in _FORMULAS else None
