"""test_fused.py - Ops of TensorFlow's optimiser that its libraries alone compute: they do what their parts do."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import berth as tf

tf1, raw = tf.compat.v1, tf.raw_ops
ROWS = np.random.RandomState(1)


def normal(*shape: int, dtype: Any = np.float32) -> Any:
    return ROWS.standard_normal(shape).astype(dtype)


def run_one(op: str, inputs: list[Any], outputs: int, attrs: dict[str, Any], device: str = '') -> Any:
    """Runs a node of |op|, which a graph alone may have."""
    graph = tf1.GraphDef()
    graph.versions.producer = 2474
    node = graph.node.add(name='y', op=op, input=[f'x{i}' for i in range(len(inputs))], device=device)
    for name, value in attrs.items():
        attr = node.attr[name]
        if isinstance(value, tf.DType):
            attr.type = value.as_datatype_enum
        elif isinstance(value, bool):
            attr.b = value
        elif isinstance(value, int):
            attr.i = value
        elif isinstance(value, float):
            attr.f = value
        elif isinstance(value, bytes):
            attr.s = value
        elif isinstance(value[0], int):
            attr.list.i.extend(value)
        else:
            attr.list.s.extend(value)
    for i, value in enumerate(inputs):
        fed = graph.node.add(name=f'x{i}', op='Placeholder')
        fed.attr['dtype'].type = tf.as_dtype(value.dtype).as_datatype_enum
    with tf.Graph().as_default(), tf1.Session() as session:
        tf.import_graph_def(graph, name='')
        return session.run([f'y:{i}' for i in range(outputs)], {f'x{i}:0': v for i, v in enumerate(inputs)})


FUNCTIONS = {'': lambda x: x, 'Relu': tf.nn.relu, 'Relu6': tf.nn.relu6, 'Elu': tf.nn.elu}


@pytest.mark.parametrize('dtype', [np.float32, np.float16])
@pytest.mark.parametrize('function', FUNCTIONS)
@pytest.mark.parametrize('op', ['_FusedConv3D', '_FusedDepthwiseConv2dNative'])
def test_convolutions(op: str, function: str, dtype: Any) -> None:
    is_3d = op == '_FusedConv3D'
    image = normal(2, 4, 5, 6, 3, dtype=dtype) if is_3d else normal(2, 5, 6, 3, dtype=dtype)
    weights = normal(2, 2, 3, 3, 4, dtype=dtype) if is_3d else normal(2, 3, 3, 2, dtype=dtype)
    bias, strides = normal(4 if is_3d else 6, dtype=dtype), [1] * image.ndim
    part = raw.Conv3D if is_3d else raw.DepthwiseConv2dNative
    made = part(input=image, filter=weights, strides=strides, padding='SAME')
    wanted = FUNCTIONS[function](raw.BiasAdd(value=made, bias=bias))
    attrs = {'T': tf.as_dtype(dtype), 'num_args': 1, 'strides': strides, 'padding': b'SAME',
             'fused_ops': [b'BiasAdd'] + ([function.encode()] if function else [])}
    found, = run_one(op, [image, weights, bias], 1, attrs)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == np.float32 else 1e-3, atol=1e-6)


@pytest.mark.parametrize('op, name', [('_FusedConv3D', 'Conv3D'), ('_FusedDepthwiseConv2dNative', 'DepthwiseConv2D')])
def test_convolutions_refuse(op: str, name: str) -> None:
    image, weights = (normal(*[3] * (5 if '3D' in op else 4)) for _ in range(2))
    bias, attrs = normal(9), {'T': tf.float32, 'strides': [1] * image.ndim, 'padding': b'SAME'}
    with pytest.raises(tf.errors.InvalidArgumentError, match=f'Fused {name} must have one extra argument: bias.'):
        run_one(op, [image, weights, bias, bias], 1, {**attrs, 'num_args': 2, 'fused_ops': [b'BiasAdd']})
    with pytest.raises(tf.errors.InvalidArgumentError, match='bias must have . elements, one for each channel'):
        run_one(op, [image, weights, normal(2)], 1, {**attrs, 'num_args': 1, 'fused_ops': [b'BiasAdd']})
    with pytest.raises(tf.errors.UnimplementedError, match=r'Fusion is not implemented: \[BiasAdd,Tanh\]'):
        run_one(op, [image, weights, bias], 1, {**attrs, 'num_args': 1, 'fused_ops': [b'BiasAdd', b'Tanh']})
    with pytest.raises(tf.errors.UnimplementedError, match='only supports NHWC tensor format'):
        run_one(op, [image, weights, bias], 1, {**attrs, 'num_args': 1, 'fused_ops': [b'BiasAdd'],
                                                'data_format': b'NCDHW' if '3D' in op else b'NCHW'})


@pytest.mark.parametrize('mode', ['Identity', 'Relu'])
@pytest.mark.parametrize('trains', [True, False])
@pytest.mark.parametrize('sides', [0, 1])
def test_norm(mode: str, trains: bool, sides: int) -> None:
    image, side, vectors = normal(2, 4, 5, 3), normal(2, 4, 5, 3), [abs(normal(3)) for _ in range(4)]
    part = raw.FusedBatchNormV3(x=image, scale=vectors[0], offset=vectors[1], mean=vectors[2], variance=vectors[3],
                                epsilon=0.01, is_training=trains, exponential_avg_factor=0.5)
    wanted = part.y + side if sides else part.y
    attrs = {'T': tf.float32, 'U': tf.float32, 'epsilon': 0.01, 'exponential_avg_factor': 0.5, 'is_training': trains,
             'num_side_inputs': sides, 'activation_mode': mode.encode()}
    found = run_one('_FusedBatchNormEx', [image, *vectors] + [side] * sides, 5, attrs)
    np.testing.assert_allclose(found[0], np.maximum(wanted, 0) if mode == 'Relu' else wanted, rtol=1e-5, atol=1e-6)
    for i in range(1, 5):
        np.testing.assert_allclose(found[i], part[i], rtol=1e-5)


def test_norm_refuses() -> None:
    image, vector = normal(2, 4, 5, 3), abs(normal(3))
    attrs = {'T': tf.float32, 'U': tf.float32, 'num_side_inputs': 0}
    with pytest.raises(tf.errors.InvalidArgumentError, match='Unsupported activation mode: Elu'):
        run_one('_FusedBatchNormEx', [image] + [vector] * 4, 1, {**attrs, 'activation_mode': b'Elu'})
    with pytest.raises(tf.errors.InvalidArgumentError, match='FusedBatchNorm accepts at most one side input.'):
        run_one('_FusedBatchNormEx', [image] + [vector] * 4 + [image] * 2, 1, {**attrs, 'num_side_inputs': 2})
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match=r'side_input shape must be equal to input shape: \[4,5,3\] != \[2,4,5,3\]'):
        run_one('_FusedBatchNormEx', [image] + [vector] * 4 + [image[0]], 1, {**attrs, 'num_side_inputs': 1})


def slopes_on_a_card() -> None:
    """What test_slopes_of_norms runs where there is one."""
    for mode in ('Identity', 'Relu'):
        for sides in (0, 1):
            for dtype in (np.float32, np.float16):
                check_slopes(mode, sides, dtype)


def check_slopes(mode: str, sides: int, dtype: Any) -> None:
    image, slopes, given = (normal(2, 4, 5, 3, dtype=dtype) for _ in range(3))
    scale, mean, variance, offset = (abs(normal(3)) for _ in range(4))
    let = (slopes * (given > 0) if mode == 'Relu' else slopes).astype(dtype)
    kept = {'scale': scale, 'reserve_space_1': mean, 'reserve_space_2': variance, 'reserve_space_3': mean}
    wanted = raw.FusedBatchNormGradV3(y_backprop=let, x=image, epsilon=0.01, **kept)
    attrs = {'T': tf.as_dtype(dtype), 'U': tf.float32, 'epsilon': 0.01, 'num_side_inputs': sides,
             'activation_mode': mode.encode()}
    inputs = [slopes, image, *kept.values(), offset, given]
    indices = [0, 1, 2, 5] if sides else [0, 1, 2]
    found = run_one('_FusedBatchNormGradEx', inputs, 6 if sides else 3, attrs, '/gpu:0')
    for i in indices:
        np.testing.assert_allclose(found[i], let if i == 5 else wanted[i], rtol=1e-5 if i in (1, 2, 5) else 1e-3,
                                   atol=1e-5 if dtype == np.float32 else 1e-3)


def test_slopes_of_norms() -> None:
    """TensorFlow has them on cards alone."""
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, '-c', f'import sys; sys.path.insert(0, {folder!r}); import test_fused; '
                           'test_fused.slopes_on_a_card()'], capture_output=True, text=True,
                          env={**os.environ, 'BERTH_TF': '2', 'BERTH_SIMULATE_GPUS': 'H100'})
    assert done.returncode == 0, done.stderr[-2000:]
