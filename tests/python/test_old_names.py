"""test_old_names.py - Ops that graphs of 2016 call by longer names do what those of the shorter names do."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

tf1 = tf.compat.v1
RNG = np.random.RandomState(0)


def squares(count: int = 2, n: int = 3) -> Any:
    """Matrices that have a Cholesky factor."""
    a = RNG.rand(count, n, n)
    return (a @ a.transpose(0, 2, 1) + np.eye(n)).astype(np.float32)


SQUARE, RIGHT = squares(), RNG.rand(2, 3, 2).astype(np.float32)
LOWER = np.linalg.cholesky(SQUARE)


def run_old(op: str, inputs: list[Any], outputs: int) -> Any:
    """Runs |op| as a graph of that time has it: newer ones may not use these names."""
    graph = tf1.GraphDef()
    graph.versions.producer = 10
    for i, value in enumerate(inputs):
        node = graph.node.add(name=f'in{i}', op='Const')
        node.attr['dtype'].type = tf.as_dtype(np.asarray(value).dtype).as_datatype_enum
        node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(value))
    node = graph.node.add(name='out', op=op, input=[f'in{i}' for i in range(len(inputs))])
    node.attr['T'].type = 1
    with tf.Graph().as_default():
        tf.import_graph_def(graph, name='')
        with tf1.Session() as session:
            return session.run([f'out:{i}' for i in range(outputs)])


def diagonals(values: Any) -> Any:
    return np.stack([np.stack([np.diag(row) for row in matrix]) for matrix in values])


def with_diagonal() -> Any:
    wanted = SQUARE.copy()
    wanted[:, range(3), range(3)] = RIGHT[:, :, 0]
    return wanted


@pytest.mark.parametrize('op, inputs, wanted', [
    ('BatchMatrixInverse', [SQUARE], np.linalg.inv(SQUARE)),
    ('BatchMatrixDeterminant', [SQUARE], np.linalg.det(SQUARE)),
    ('BatchCholesky', [SQUARE], LOWER),
    ('BatchMatrixSolve', [SQUARE, RIGHT], np.linalg.solve(SQUARE, RIGHT)),
    ('BatchMatrixTriangularSolve', [LOWER, RIGHT], np.linalg.solve(LOWER, RIGHT)),
    ('BatchMatrixSolveLs', [SQUARE, RIGHT, np.float64(0)], np.linalg.solve(SQUARE, RIGHT)),
    ('BatchMatrixBandPart', [SQUARE, np.int64(-1), np.int64(0)], np.tril(SQUARE)),
    ('BatchMatrixDiag', [RIGHT], diagonals(RIGHT)),
    ('BatchMatrixDiagPart', [SQUARE], SQUARE[:, range(3), range(3)]),
    ('BatchMatrixSetDiag', [SQUARE, RIGHT[:, :, 0]], with_diagonal()),
])
def test_matrices(op: str, inputs: list[Any], wanted: Any) -> None:
    np.testing.assert_allclose(run_old(op, inputs, 1)[0], wanted, rtol=1e-3, atol=1e-4)


def test_decompositions() -> None:
    values, vectors = run_old('BatchSelfAdjointEigV2', [SQUARE], 2)
    np.testing.assert_allclose(vectors * values[:, None] @ vectors.transpose(0, 2, 1), SQUARE, rtol=1e-4, atol=1e-5)
    s, u, v = run_old('BatchSvd', [RIGHT], 3)
    np.testing.assert_allclose(u * s[:, None] @ v.transpose(0, 2, 1), RIGHT, rtol=1e-4, atol=1e-5)
    gradient = run_old('BatchCholeskyGrad', [LOWER, np.ones_like(LOWER)], 1)[0]
    np.testing.assert_allclose(gradient, tf.raw_ops.CholeskyGrad(l=LOWER, grad=np.ones_like(LOWER)))


def test_other_names_stay_unknown() -> None:
    for name in ('BatchMatrix', 'BatchSvdV2'):
        with pytest.raises(tf.errors.NotFoundError, match='Op type not registered'):
            run_old(name, [SQUARE], 1)


# ---- Datasets ----


def variant(dataset: Any) -> Any:
    return tf.data.experimental.to_variant(dataset)


def elements(made: Any, shape: Any = ()) -> list[Any]:
    return [x.numpy().tolist() for x in tf.data.experimental.from_variant(made, tf.TensorSpec(shape, tf.int64))]


def test_datasets() -> None:
    raw, five = tf.raw_ops, variant(tf.data.Dataset.range(5))
    kind = {'output_types': [tf.int64], 'output_shapes': [[]]}
    for op in (raw.ExperimentalIgnoreErrorsDataset, raw.ExperimentalNonSerializableDataset):
        assert elements(op(input_dataset=five, **kind)) == [0, 1, 2, 3, 4]
    twice = variant(tf.data.Dataset.range(3).repeat(2))
    assert elements(raw.ExperimentalUniqueDataset(input_dataset=twice, **kind)) == [0, 1, 2]
    pairs = variant(tf.data.Dataset.range(4).batch(2))
    assert elements(raw.ExperimentalUnbatchDataset(input_dataset=pairs, **kind)) == [0, 1, 2, 3]
    turns = variant(tf.data.Dataset.from_tensor_slices(np.array([1, 0, 1], np.int64)))
    assert elements(raw.ExperimentalDirectedInterleaveDataset(
        selector_input_dataset=turns, data_input_datasets=[five, twice], **kind)) == [0, 0, 1]
    assert raw.ExperimentalDatasetCardinality(input_dataset=five).numpy() == 5
