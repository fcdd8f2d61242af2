"""test_lapped.py - Frames that overlap, what TF1 called some functions, and ops on the values of sparse tensors."""

from __future__ import annotations

from typing import Any

import berth as tf
import numpy as np
import pytest

S = tf.signal
tf1 = tf.compat.v1
X = tf.constant(np.linspace(-1, 2, 12).astype(np.float32))

# What TensorFlow 2.21 gives.
RECORDED = [
    (lambda: S.overlap_and_add(tf.reshape(X, [3, 4]), 2),
     [-1.0, -0.727273, -0.363636, 0.181818, 1.81818, 2.36364, 1.72727, 2.0]),
    (lambda: S.kaiser_window(4), [5.27734e-05, 0.518845, 0.518845, 5.27734e-05]),
    (lambda: S.kaiser_bessel_derived_window(4, 3.), [0.381224, 0.924483, 0.924483, 0.381224]),
    (lambda: S.vorbis_window(4), [0.228014, 0.973658, 0.973658, 0.228014]),
    (lambda: S.inverse_stft(S.stft(X, 4, 2), 4, 2), [
        0.0, -0.181818, -0.454545, -0.0909091, 0.0909091, 0.181818, 0.636364, 0.454545, 1.18182, 0.727273, 1.72727, 0.5]),
    (lambda: S.inverse_stft(S.stft(X, 4, 4), 4, 4, window_fn=S.inverse_stft_window_fn(4)), [
        0.0, -0.727273, -0.454545, -0.181818, 0.0, 0.363636, 0.636364, 0.909091, 0.0, 1.45455, 1.72727, 2.0]),
    (lambda: S.mdct(X, 4), [
        1.26182, -0.51665, -0.260592, -0.266805, -1.783, -0.0169599, -3.30542, 0.232885, -4.82783, 0.482731]),
    (lambda: S.inverse_mdct(S.mdct(X, 4)), [
        0.10947, -0.467453, -0.454545, -0.181818, 0.090909, 0.363636, 0.636364, 0.909091, 1.18182, 1.45455, 2.08149,
        0.487449]),
    (lambda: S.inverse_mdct(S.mdct(X, 4, None, norm='ortho'), None, norm='ortho'), [
        -0.136364, 0.136364, -0.454545, -0.181818, 0.0909091, 0.363636, 0.636363, 0.909091, 1.18182, 1.45455, 1.86364,
        1.86364]),
    (lambda: tf.sparse.segment_mean(tf.eye(3), [0, 2], [0, 0]), [0.5, 0, 0.5]),
    (lambda: tf.sparse.segment_sum(tf.eye(2), [0, 1], [0, 2], num_segments=4), [1, 0, 0, 0, 0, 1, 0, 0]),
]


@pytest.mark.parametrize('case', range(len(RECORDED)))
def test_as_tensorflow(case: int) -> None:
    function, expected = RECORDED[case]
    np.testing.assert_allclose(np.ravel(function().numpy()), expected, rtol=1e-5, atol=1e-6)


def test_frames_of_any_rank() -> None:
    """How many dimensions there are may be known only when the function runs."""
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.int32)])
    def added(frames: Any, step: Any) -> Any:
        return S.overlap_and_add(frames, step)

    assert added(tf.ones([2, 2, 3]), tf.constant(2)).numpy().tolist() == [[1, 1, 2, 1, 1]] * 2
    assert added(tf.ones([2, 2]), tf.constant(3)).numpy().tolist() == [1, 1, 0, 1, 1]


@pytest.mark.parametrize('call, text', [
    (lambda: S.overlap_and_add(tf.ones([3]), 1), 'Shape (3,) must have rank at least 2'),
    (lambda: S.overlap_and_add(tf.ones([3, 2]), 1.5), "frame_step must be an integer. Got <dtype: 'float32'>"),
    (lambda: S.overlap_and_add(tf.ones([3, 2]), [1]), 'Shape (1,) must have rank 0'),
    (lambda: S.mdct(X, 6), 'The frame length must be a multiple of 4.'),
    (lambda: S.kaiser_window(4, dtype=tf.int32), "dtype must be a floating point type. Found <dtype: 'int32'>"),
    (lambda: S.hann_window([4]), 'Shape (1,) must have rank 0'),
    (lambda: S.rfft(1.), 'Shape () must have rank at least 1')])
def test_what_does_not_fit(call: Any, text: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize('name', 'abs negative sign sin sqrt square tanh identity stop_gradient'.split())
def test_values_of_sparse_tensors(name: str) -> None:
    """Functions of elements that are 0 for 0 take sparse tensors; others do not."""
    sparse = tf.sparse.from_dense([[0.25, 0., 4.]])
    found = getattr(tf, name)(sparse)
    assert isinstance(found, tf.SparseTensor) and found.indices is sparse.indices
    np.testing.assert_array_equal(found.values, getattr(tf, name)(sparse.values))
    with pytest.raises(ValueError, match='Attempt to convert a value'):
        tf.exp(sparse)


def test_size_of_sparse_tensors() -> None:
    sparse = tf.sparse.from_dense([[0.25, 0., 4.]])
    assert (int(tf.size(sparse)), int(tf.rank(sparse))) == (3, 2)


# ---- Names of TF1 ----

SPARSE = (lambda: tf.SparseTensor([[0, 0], [1, 3]], [1, 2], [2, 4]))
OLD = {
    'extract_image_patches': (lambda: tf1.extract_image_patches(
        tf.reshape(tf.range(4.), [1, 2, 2, 1]), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'), [0, 1, 2, 3]),
    'matrix_solve_ls': (lambda: tf1.matrix_solve_ls([[2., 0.], [0., 4.]], [[1.], [2.]]), [0.5, 0.5]),
    'spectral': (lambda: tf1.spectral.irfft(tf1.spectral.rfft([1., 2., 3., 4.])), [1, 2, 3, 4]),
    'sparse_segment_sum': (lambda: tf1.sparse_segment_sum(tf.eye(2), [0, 1], [0, 0], num_segments=2), [1, 1, 0, 0]),
    'sparse_split': (lambda: tf1.sparse_split(sp_input=SPARSE(), num_split=2, axis=1)[1].indices, [1, 1]),
    'tensor_scatter_update': (lambda: tf1.tensor_scatter_update([1, 2, 3], [[1]], [9]), [1, 9, 3]),
}


@pytest.mark.parametrize('name', OLD)
def test_old_name(name: str) -> None:
    call, expected = OLD[name]
    with tf.Graph().as_default(), tf1.Session() as session:
        np.testing.assert_allclose(np.ravel(session.run(call())), expected, atol=1e-6)


def test_batch_scatter_update() -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable([[1, 2, 3], [4, 5, 6]])
        session.run(v.initializer)
        update = tf1.batch_scatter_update(v, [[0, 1], [2, 0]], [[10, 11], [12, 13]])
        assert session.run(update).tolist() == [[10, 11, 3], [13, 5, 12]]


@pytest.mark.parametrize('call, text', [
    (lambda sp: tf1.sparse_split(sp, 2, 1), 'Keyword arguments are required for this function.'),
    (lambda sp: tf1.sparse_split(num_split=2, axis=1), 'sp_input is required'),
    (lambda sp: tf1.sparse_split(sp_input=sp, num_split=2, split_dim=1), 'axis is required')])
def test_sparse_split_needs_names(call: Any, text: str) -> None:
    with pytest.raises(ValueError) as caught:
        call(SPARSE())
    assert str(caught.value) == text


def test_ragged_placeholder() -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        p = tf1.ragged.placeholder(tf.int32, 1)
        fed = tf1.ragged.RaggedTensorValue(np.array([1, 2, 3], np.int32), np.array([0, 2, 3]))
        assert session.run(p + 1, {p: fed}).to_list() == [[2, 3], [4]]
        assert tf1.ragged.placeholder(tf.float32, 2, [3]).shape.as_list() == [None, None, None, 3]


def test_seed_by_its_long_name() -> None:
    with tf.Graph().as_default() as graph:
        tf1.random.set_random_seed(3)
        assert graph.seed == 3
