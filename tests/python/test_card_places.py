"""Ops at places given as indices: a card gives what the CPU gives, for few and for many of them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

HEAD = '''
import numpy as np
import berth as tf

rng = np.random.default_rng(3)
ROWS, WIDTH, COUNT = 700, 5, 3000
table = rng.integers(-9, 9, (ROWS, WIDTH)).astype(np.float32)
grads = rng.integers(-9, 9, (COUNT, WIDTH)).astype(np.float32)
indices = rng.integers(0, ROWS, COUNT)
R = tf.raw_ops


def same(work, tolerance=0.0):
    both = []
    for device in ('/cpu:0', '/gpu:0'):
        with tf.device(device):
            both.append([x.numpy() for x in work()])
    for a, b in zip(*both):
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)
'''


def run(code: str, **env: str) -> None:
    """Runs |code| behind HEAD in a process that has a simulated card."""
    subprocess.run([sys.executable, '-c', HEAD + textwrap.dedent(code)], check=True, timeout=60,
                   env={**os.environ, 'BERTH_TF': '2', 'BERTH_SIMULATE_GPUS': 'H100', **env})


def test_updates_by_rows() -> None:
    """Each index is applied in its order, however many there are; those of int64, too."""
    run('''
        def adagrad(count, dtype):
            v, a = tf.Variable(table), tf.Variable(np.full_like(table, 0.5))
            R.ResourceSparseApplyAdagradV2(var=v.handle, accum=a.handle, lr=0.1, epsilon=1e-7, grad=grads[:count],
                                           indices=indices[:count].astype(dtype))
            return v, a

        def momentum(count, dtype):
            v, a = tf.Variable(table), tf.Variable(np.full_like(table, 0.5))
            R.ResourceSparseApplyKerasMomentum(var=v.handle, accum=a.handle, lr=0.1, momentum=0.9, grad=grads[:count],
                                               indices=indices[:count].astype(dtype))
            return v, a

        for update in (adagrad, momentum):
            for count in (1, 255, 256, 257, COUNT):
                for dtype in (np.int32, np.int64):
                    same(lambda: update(count, dtype), 1e-6)
        ''')


def test_rows_that_are_all_one() -> None:
    """Thousands of gradients of one row, and a table of one row."""
    run('''
        def update(rows, which):
            v, a = tf.Variable(table[:rows]), tf.Variable(np.full_like(table[:rows], 0.5))
            R.ResourceSparseApplyAdagradV2(var=v.handle, accum=a.handle, lr=0.1, epsilon=1e-7, grad=grads,
                                           indices=np.full(COUNT, which, np.int32))
            return v, a

        same(lambda: update(ROWS, ROWS - 1), 1e-5)
        same(lambda: update(1, 0), 1e-5)
        ''')


def test_variables() -> None:
    """Slices are joined with those of a variable; whole numbers, so that their order does not show."""
    run('''
        def scatter(how):
            v = tf.Variable(table)
            getattr(v, how)(tf.IndexedSlices(grads, indices.astype(np.int32)))
            return (v,)

        for how in ('scatter_add', 'scatter_sub', 'scatter_min', 'scatter_max'):
            same(lambda: scatter(how))

        def coordinates():
            v = tf.Variable(table)
            v.scatter_nd_add(np.stack([indices, indices % WIDTH], 1), grads[:, 0])
            return v, tf.gather_nd(v, np.stack([indices, indices % WIDTH], 1))

        same(coordinates)
        ''')


def test_every_run_gives_the_same() -> None:
    """With determinism, the last of several updates stays, and sums are added in order."""
    run('''
        few = indices % 7

        def work():
            t = tf.constant(table) * 1.1
            u = tf.constant(grads) * 1.1
            return (tf.tensor_scatter_nd_update(t, few[:, None], u), tf.tensor_scatter_nd_add(t, few[:, None], u),
                    tf.math.unsorted_segment_sum(u, few, 7))

        same(work)
        ''', TF_DETERMINISTIC_OPS='1')


def test_parts() -> None:
    """Rows are parted and put together again; of places that are named twice the last stays."""
    run('''
        which = (indices % 4).astype(np.int32)

        def work():
            parts = tf.dynamic_partition(grads, which, 5)
            back = tf.dynamic_stitch([np.arange(COUNT), np.arange(0, COUNT, 3)], [grads, grads[::3] + 1])
            return [*parts, back, tf.dynamic_stitch([[2, 2], [5]], [grads[:2], grads[2:3]])]

        same(work)
        with tf.device('/gpu:0'):
            try:
                tf.dynamic_partition(grads, which + 3, 5)
            except tf.errors.InvalidArgumentError as e:
                assert 'is not in [0, 5)' in str(e)
            else:
                raise AssertionError('no error')
        ''')


def test_gradients_of_sparse_segments() -> None:
    """Counted once, whichever order the indices have."""
    run('''
        ids = np.sort(indices % 40).astype(np.int32)

        def work():
            g = tf.constant(grads[:40])
            args = dict(grad=g, indices=indices.astype(np.int32), segment_ids=ids, output_dim0=ROWS)
            return R.SparseSegmentMeanGrad(**args), R.SparseSegmentSqrtNGrad(**args), R.SparseSegmentSumGrad(**args)

        same(work, 1e-5)

        def forth():
            args = dict(data=tf.constant(table), indices=indices.astype(np.int32), segment_ids=ids)
            return R.SparseSegmentMean(**args), R.SparseSegmentSum(**args)

        same(forth, 1e-5)
        ''')


def test_counts() -> None:
    """Few bins are a block's own, many are not; weights are added up."""
    run('''
        def work():
            few, many = (indices % 50).astype(np.int32), (indices * 17).astype(np.int32)
            none, weights = tf.constant([], tf.float32), tf.constant(np.abs(grads[:, 0]))
            return [R.DenseBincount(input=x, size=size, weights=w, binary_output=b)
                    for x, size in ((few, 50), (many, 9000), (few.reshape(30, -1), 40))
                    for w, b in ((none, False), (none, True))] + [
                   R.DenseBincount(input=few, size=50, weights=weights, binary_output=False)]

        same(work)

        def bounds():
            order = np.sort(table.ravel())
            return tf.searchsorted(order, grads.ravel()), tf.searchsorted(order, grads.ravel(), side='right')

        same(bounds)
        ''')


def test_different_numbers() -> None:
    """Firsts come in their order, and gradients of one row are added up once."""
    run('''
        def work():
            numbers = indices.astype(np.int64) * 10000000000 - 5
            both = [R.Unique(x=x, out_idx=tf.int32) for x in (numbers, indices.astype(np.int32))]
            return [x for found in both for x in found]

        same(work)
        ''')


def test_products_with_sparse_matrices() -> None:
    """Elements that lie at one place are added up; halves are summed in float."""
    run('''
        at = np.stack([indices, indices[::-1] % 40], 1)

        def work(dtype, adjoint):
            b = tf.cast(grads[:700] if adjoint else grads[:40], dtype)
            return (R.SparseTensorDenseMatMul(a_indices=at, a_values=tf.cast(grads[:, 0], dtype), a_shape=[ROWS, 40],
                                              b=b, adjoint_a=adjoint),)

        for dtype in (tf.float32, tf.float64, tf.complex64):
            for adjoint in (False, True):
                same(lambda: work(dtype, adjoint))
        ''')


def test_rounding_as_if_quantised() -> None:
    """Numbers, and what of their gradients was cut off at the limits."""
    run('''
        def work():
            out = R.FakeQuantWithMinMaxVars(inputs=grads, min=-4.0, max=5.0)
            back = R.FakeQuantWithMinMaxVarsGradient(gradients=grads, inputs=grads, min=-4.0, max=5.0)
            return [out, *back]

        same(work, 1e-6)
        ''')
