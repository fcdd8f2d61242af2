"""test_card_ops.py - Ops that TensorFlow has on cards alone, on a simulated one."""

from __future__ import annotations

import os
import subprocess
import sys

HEAD = """
import numpy as np
import berth as tf
tf1, raw = tf.compat.v1, tf.raw_ops
rows = np.random.RandomState(1).standard_normal

def run_old(version, op, *inputs):
    graph = tf1.GraphDef()
    graph.versions.producer = version
    for i, value in enumerate(inputs):
        node = graph.node.add(name=f'in{i}', op='Const')
        node.attr['dtype'].type = tf.as_dtype(value.dtype).as_datatype_enum
        node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(value))
    graph.node.add(name='out', op=op, input=[f'in{i}' for i in range(len(inputs))])
    with tf.Graph().as_default(), tf1.Session() as session:
        tf.import_graph_def(graph, name='')
        return session.run('out:0')
"""


def run(body: str) -> None:
    """Runs |body| where there is a card."""
    done = subprocess.run([sys.executable, '-c', HEAD + body], capture_output=True, text=True,
                          env={**os.environ, 'BERTH_TF': '2', 'BERTH_SIMULATE_GPUS': 'H100'})
    assert done.returncode == 0, done.stderr[-2000:]


def test_fourier_of_batches() -> None:
    """As the ops of the shorter names."""
    run("""
x = (rows((3, 2, 4, 5)) + 1j * rows((3, 2, 4, 5))).astype(np.complex64)
for rank, name in enumerate(['FFT', 'FFT2D', 'FFT3D'], 1):
    axes = tuple(range(-rank, 0))
    np.testing.assert_allclose(run_old(14, 'Batch' + name, x), np.fft.fftn(x, axes=axes), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(run_old(14, 'BatchI' + name, x), np.fft.ifftn(x, axes=axes), rtol=1e-4, atol=1e-4)
""")


def test_second_version_of_ctc_has_the_blank_first() -> None:
    """What the first version gives for classes that are turned by one."""
    run("""
x = rows((6, 2, 4)).astype('f')
at, lengths = np.array([[0, 0], [0, 1], [1, 0]], np.int64), np.array([6, 4], np.int32)
labels = np.array([1, 2, 3], np.int32)
loss, slope = raw.CTCLossV2(inputs=x, labels_indices=at, labels_values=labels, sequence_length=lengths)
wanted, turned = raw.CTCLoss(inputs=np.roll(x, -1, 2), labels_indices=at, labels_values=labels - 1,
                             sequence_length=lengths)
np.testing.assert_allclose(loss, wanted, rtol=1e-5)
np.testing.assert_allclose(slope, np.roll(turned, 1, 2), rtol=1e-4, atol=1e-6)
""")


def test_slopes_go_where_the_largest_was() -> None:
    """MaxPoolGradGradWithArgmax takes what MaxPoolWithArgmax found."""
    run("""
window = {'ksize': [1, 2, 2, 1], 'strides': [1, 2, 1, 1], 'padding': 'SAME'}
for of_batch in (False, True):
    image, slopes = rows((2, 4, 5, 3)).astype('f'), rows((2, 4, 5, 3)).astype('f')
    best, places = tf.nn.max_pool_with_argmax(image, [2, 2], [2, 1], 'SAME', include_batch_in_index=of_batch)
    found = raw.MaxPoolGradGradWithArgmax(input=image, grad=slopes, argmax=places, include_batch_in_index=of_batch,
                                          **window)
    at = places.numpy() + (0 if of_batch else np.arange(2)[:, None, None, None] * 60)
    np.testing.assert_array_equal(found, slopes.ravel()[at])
""")
