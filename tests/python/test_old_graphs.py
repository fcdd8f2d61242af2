"""test_old_graphs.py - Graphs of TensorFlow's first releases, with ops that newer ones may not have."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import berth as tf

PROGRAM = """
import numpy as np
import berth.compat.v1 as tf

graph_def = tf.GraphDef()
graph_def.versions.producer = int({version})
for name in 'tmvbg':
    node = graph_def.node.add(name=name, op='Placeholder')
    node.attr['dtype'].type = 1
norm = graph_def.node.add(name='r', op='BatchNormWithGlobalNormalization', input=list('tmvbg'))
norm.attr['T'].type = 1
norm.attr['variance_epsilon'].f = 0.01
norm.attr['scale_after_normalization'].b = {scales}
values = [np.arange(24, dtype='f').reshape(1, 2, 4, 3)]
values += [np.array([.5, 1.5, 2.5], 'f') + i for i in range(4)]
with tf.Graph().as_default(), tf.Session() as session:
    tf.import_graph_def(graph_def, name='')
    found = session.run('r:0', dict(zip(['t:0', 'm:0', 'v:0', 'b:0', 'g:0'], values)))
    x, mean, variance, beta, gamma = values
    scale = (gamma if {scales} else 1) / np.sqrt(variance + 0.01)
    np.testing.assert_allclose(found, (x - mean) * scale + beta, rtol=1e-6)
    graph = tf.get_default_graph()
    inputs = [graph.get_tensor_by_name(f'{{name}}:0') for name in 'tmvbg']
    weights = np.linspace(-1, 2, 24, dtype='f').reshape(1, 2, 4, 3)
    slopes = session.run(tf.gradients(graph.get_tensor_by_name('r:0'), inputs, [weights]), dict(zip(inputs, values)))
    root = 1 / np.sqrt(variance + 0.01)
    along = (weights * (x - mean)).sum((0, 1, 2))
    wanted = [weights * scale, -(weights * scale).sum((0, 1, 2)), -scale * root**2 / 2 * along,
              weights.sum((0, 1, 2)), along * root if {scales} else np.zeros(3)]
    for slope, value in zip(slopes, wanted):
        np.testing.assert_allclose(slope, value, rtol=1e-4, atol=1e-5)
"""


def infer(op: str, inputs: list[str]) -> list[str]:
    """Returns the shapes of the outputs of |op| in a graph of the first release."""
    graph = tf.compat.v1.GraphDef()
    graph.versions.producer = 1
    node = graph.node.add(name="y", op=op, input=[f"i{i}" for i in range(len(inputs))])
    node.attr["T"].type = 1
    if op.startswith("Conv3D"):
        node.attr["strides"].list.i.extend([1] * 5)
        node.attr["padding"].s = b"SAME"
    if op.startswith("Batch"):
        node.attr["variance_epsilon"].f = 0.1
        node.attr["scale_after_normalization"].b = True
    for i, text in enumerate(inputs):
        made = graph.node.add(name=f"i{i}", op="Placeholder")
        made.attr["dtype"].type = 9 if op == "RandomCrop" and i == 1 else 1
        made.attr["shape"].shape.unknown_rank = text == "?"
        for size in text.split(",") if text not in ("", "?") else []:
            made.attr["shape"].shape.dim.add(size=int(size))
    with tf.Graph().as_default() as built:
        tf.import_graph_def(graph, name="")
        outputs = built.get_operation_by_name("y").outputs
        return [",".join("-1" if size is None else str(size) for size in out.shape.as_list()) for out in outputs]


def run(version: int, scales: bool) -> subprocess.CompletedProcess[str]:
    """Runs a graph that a release of |version| made."""
    return subprocess.run([sys.executable, "-c", PROGRAM.format(version=version, scales=scales)],
                          capture_output=True, text=True)


def test_normalised() -> None:
    """An old graph runs."""
    for scales in (True, False):
        done = run(8, scales)
        assert done.returncode == 0, done.stderr[-2000:]


def test_removed() -> None:
    """A newer one may not have the op."""
    done = run(9, True)
    assert "has been removed in version 9. Use tf.nn.batch_normalization()" in done.stderr


@pytest.mark.parametrize("op, inputs, wanted", [
    ("BatchNormWithGlobalNormalizationGrad", ["?", "3", "?", "?", "1,2,4,3"], ["1,2,4,3"] + ["3"] * 4),
    ("Conv3DBackpropFilter", ["?", "1,2,3,4,5", "?"], ["1,2,3,4,5"]),
    ("Conv3DBackpropInput", ["?", "?", "?"], ["-1,-1,-1,-1,-1"]),
    ("AdjustContrast", ["4,5,3", "", "?", ""], ["4,5,3"]),
    ("SelfAdjointEig", ["7,4,4"], ["7,5,4"]),
    ("RandomCrop", ["9,8,3", "?"], ["-1,-1,3"]),
    ("QuantizeAndDequantize", ["4,5"], ["4,5"]),
])
def test_shapes(op: str, inputs: list[str], wanted: list[str]) -> None:
    """What is known of shapes is what TensorFlow knows."""
    assert infer(op, inputs) == wanted


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("resizes", [False, True])
def test_fused_convolution_does_what_its_parts_do(mode: str, resizes: bool) -> None:
    """Of several images, of which TensorFlow's kernel takes rows of the first for those of the next."""
    rows = np.random.RandomState(1).standard_normal  # pylint: disable=no-member
    image, weights = rows((3, 6, 5, 4)).astype("f"), rows((3, 2, 4, 7)).astype("f")
    pads = [[0, 0], [2, 1], [1, 3], [0, 0]]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        options = {"mode": mode, "strides": [1, 2, 1, 1], "padding": "SAME"}
        if resizes:
            made = tf.raw_ops.FusedResizeAndPadConv2D(input=image, size=[9, 8], paddings=pads, filter=weights, **options)
            image = tf.compat.v1.image.resize_bilinear(image, [9, 8])
        else:
            made = tf.raw_ops.FusedPadConv2D(input=image, paddings=pads, filter=weights, **options)
        padded = tf.pad(image, pads, mode)
        wanted = tf.nn.conv2d(padded, weights, strides=[1, 2, 1, 1], padding="SAME")
        assert made.shape == wanted.shape
        found, other = session.run([made, wanted])
    np.testing.assert_allclose(found, other, rtol=1e-4, atol=1e-5)
