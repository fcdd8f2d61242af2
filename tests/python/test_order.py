"""test_order.py - Rows in which order matters, triangles in bands; values were recorded from TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

ROWS = np.array([[3, 1, 2.0], [1, 5, 4]])


@pytest.mark.parametrize('settings, values, segments', [
    ({}, [[3, 1.5, 1.5], [10 / 3] * 3], [[0, 1, 1], [0, 0, 0]]),
    ({'decreasing': False}, [[2, 2, 2], [1, 4.5, 4.5]], [[0, 0, 1], [0, 1, 1]]),
    ({'axis': 0}, [[3, 3, 3], [1, 3, 3]], [[0, 0, 0], [1, 0, 0]]),
    ({'axis': -2, 'decreasing': False}, [[2, 1, 2], [2, 5, 4]], [[0, 0, 0], [0, 1, 1]]),
])
def test_isotonic(settings: dict[str, Any], values: Any, segments: Any) -> None:
    found = tf.nn.isotonic_regression(ROWS, **settings)
    np.testing.assert_allclose(found[0].numpy(), values)
    assert found[1].numpy().tolist() == segments
    assert tf.nn.isotonic_regression(np.array([1, 5, 4], np.int8))[0].dtype == tf.float32


def test_index_shuffle() -> None:
    found = tf.random.experimental.index_shuffle(tf.range(10), [1, 2], 9).numpy().tolist()
    assert sorted(found) == list(range(10)) and found != sorted(found)
    assert tf.random.experimental.index_shuffle(3, [1, 2], 9).numpy() == found[3]


def test_index_out_of_range_ends() -> None:
    """The cycle of an index that is out of range may have none that is in it: it is walked until the run ends."""
    tf1 = tf.compat.v1
    with tf.Graph().as_default(), tf1.Session() as session:
        index = tf1.placeholder(tf.int32, [])
        place = tf.random.experimental.index_shuffle(index, [1, 2], 1)
        assert session.run(place, {index: 5}) == 1
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(place, {index: 7}, options=tf1.RunOptions(timeout_in_ms=200))


@pytest.mark.parametrize('lower', [True, False])
@pytest.mark.parametrize('adjoint', [True, False])
def test_bands(lower: bool, adjoint: bool) -> None:
    rng = np.random.default_rng(1)
    n, count = 6, 3
    dense = np.tril(np.triu(rng.standard_normal((2, n, n)), 1 - count)) + 2 * np.eye(n)
    bands = np.zeros((2, count, n))
    for d in range(count):
        bands[:, d, d:] = np.diagonal(dense, -d, 1, 2)
    if not lower:
        dense = dense.transpose(0, 2, 1)
        bands = np.zeros((2, count, n))
        for d in range(count):
            bands[:, count - 1 - d, :n - d] = np.diagonal(dense, d, 1, 2)
    right = rng.standard_normal((n, 4))
    found = tf.linalg.banded_triangular_solve(bands, right, lower=lower, adjoint=adjoint).numpy()
    wanted = np.linalg.solve(dense.transpose(0, 2, 1) if adjoint else dense, np.broadcast_to(right, (2, n, 4)))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
