"""card_algebra.py - Linear algebra and Fourier transforms on the machine's own card: right, and how fast.

    card_algebra.py [--quick]

For machines with one NVIDIA card; pytest is not needed. Values are checked by what they
have to fulfil, in numpy's double precision; times, in microseconds for one call with the
work done, stand beside PyTorch's where that is there. Prints a line for each case, and
counts what failed.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

os.environ.setdefault('TF_FORCE_GPU_ALLOW_GROWTH', 'true')  # PyTorch needs room as well.
import berth as tf  # noqa: E402

try:
    import torch
    HAS_TORCH = torch.cuda.is_available()
except ImportError:
    HAS_TORCH = False

TYPES = ('float32', 'float64', 'complex64', 'complex128')
# Batches and rows: kernels of our own, both sides of where the library begins, large.
SIZES = ((1, 1), (3, 17), (10000, 16), (1, 64), (1, 65), (100, 128), (7, 200), (8, 257), (1, 1024), (1, 4096))
rng = np.random.default_rng(1)


def matrices(batch: int, n: int, dtype: str, columns: int | None = None) -> np.ndarray:
    """Matrices that look random; square ones are far from singular."""
    shape = (batch, n, n if columns is None else columns)
    a = rng.standard_normal(shape)
    if dtype.startswith('complex'):
        a = a + 1j * rng.standard_normal(shape)
    if columns is None:
        a += 3 * np.sqrt(n) * np.eye(n)
    return a.astype(dtype)


def adjoint(a: np.ndarray) -> np.ndarray:
    """Rows and columns exchanged, and conjugated."""
    return np.conj(np.swapaxes(a, -1, -2))


def error(x: np.ndarray, y: np.ndarray) -> float:
    """The largest difference, beside the largest number."""
    size = float(np.max(np.abs(y), initial=0)) or 1.0
    return float(np.max(np.abs(x - y), initial=0)) / size


def wide(a) -> np.ndarray:
    """As numpy computes best."""
    a = np.asarray(a)
    return a.astype('complex128' if np.iscomplexobj(a) else 'float64')


def case_inverse(a: np.ndarray) -> float:
    """A A^-1 = 1."""
    x = wide(tf.linalg.inv(tf.constant(a)).numpy())
    return error(wide(a) @ x, np.broadcast_to(np.eye(a.shape[-1]), a.shape))


def case_solve(a: np.ndarray) -> float:
    """A X = B, and with the adjoint."""
    b = matrices(a.shape[0], a.shape[1], a.dtype.name, 5)
    x = tf.linalg.solve(tf.constant(a), tf.constant(b)).numpy()
    y = tf.linalg.solve(tf.constant(a), tf.constant(b), adjoint=True).numpy()
    return max(error(wide(a) @ wide(x), b), error(adjoint(wide(a)) @ wide(y), b))


def case_triangle(a: np.ndarray) -> float:
    """L X = B and U X = B, and with the adjoints."""
    b = matrices(a.shape[0], a.shape[1], a.dtype.name, 5)
    worst = 0.0
    for lower in (True, False):
        part = wide(np.tril(a) if lower else np.triu(a))
        for turned in (True, False):
            x = tf.linalg.triangular_solve(tf.constant(a), tf.constant(b), lower=lower, adjoint=turned).numpy()
            worst = max(worst, error((adjoint(part) if turned else part) @ wide(x), b))
    return worst


def case_cholesky(a: np.ndarray) -> float:
    """L L^H = A, of which the lower half is read."""
    n = a.shape[-1]
    square = (wide(a) @ adjoint(wide(a)) / n + np.eye(n)).astype(a.dtype)
    factor = wide(tf.linalg.cholesky(tf.constant(np.tril(square) + 7 * np.triu(np.ones((n, n)), 1).astype(a.dtype))))
    assert np.all(np.triu(factor, 1) == 0)
    return error(factor @ adjoint(factor), square)


def case_logdet(a: np.ndarray) -> float:
    """numpy's sign and logarithm."""
    sign, size = tf.linalg.slogdet(tf.constant(a))
    want_sign, want_size = np.linalg.slogdet(wide(a))
    return max(error(sign.numpy(), want_sign), error(size.numpy(), want_size))


def case_lu(a: np.ndarray) -> float:
    """P A = L U."""
    lu, rows = tf.linalg.lu(tf.constant(a))
    lu = wide(lu.numpy())
    lower = np.tril(lu, -1) + np.eye(a.shape[-1])
    return error(lower @ np.triu(lu), np.take_along_axis(wide(a), rows.numpy()[..., None].astype('int64'), 1))


def case_eigh(a: np.ndarray) -> float:
    """A V = V diag(e), V^H V = 1, e in order and numpy's."""
    square = (a + adjoint(a)) / 2
    e, v = tf.linalg.eigh(tf.constant(square.astype(a.dtype)))
    e, v = wide(e.numpy()).real, wide(v.numpy())
    assert np.all(np.diff(e) >= 0)
    return max(error(wide(square) @ v, v * e[..., None, :]), error(e, np.linalg.eigvalsh(wide(square))),
               error(adjoint(v) @ v, np.broadcast_to(np.eye(a.shape[-1]), a.shape)))


def case_svd(a: np.ndarray) -> float:
    """U diag(s) V^H = A, of tall, square and wide ones."""
    worst = 0.0
    n = a.shape[-1]
    for part in (a, a[:, :, :max(1, n * 2 // 3)], a[:, :max(1, n * 2 // 3)]):
        for full in (False, True):
            s, u, v = (wide(x.numpy()) for x in tf.linalg.svd(tf.constant(part), full_matrices=full))
            k = s.shape[-1]
            worst = max(worst, error((u[..., :k] * s[..., None, :]) @ adjoint(v[..., :k]), part),
                        error(adjoint(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), u.shape[:1] + u.shape[-1:] * 2)))
    return worst


def case_fourier(a: np.ndarray) -> float:
    """numpy's transforms, forth and back, of rows and of whole matrices; lengths even and odd."""
    worst = 0.0
    x = a.real.astype('float32' if a.dtype in ('float32', 'complex64') else 'float64')
    z = tf.constant(a.astype('complex64' if x.dtype == 'float32' else 'complex128'))
    y = tf.constant(x)
    length = max(1, x.shape[-1] - 1)
    for ours, theirs in ((tf.signal.fft(z), np.fft.fft(wide(a))), (tf.signal.ifft(z), np.fft.ifft(wide(a))),
                         (tf.signal.fft2d(z), np.fft.fft2(wide(a))), (tf.signal.ifft2d(z), np.fft.ifft2(wide(a))),
                         (tf.signal.rfft(y), np.fft.rfft(wide(x))), (tf.signal.rfft2d(y), np.fft.rfft2(wide(x))),
                         (tf.signal.rfft(y, [length]), np.fft.rfft(wide(x), length)),
                         (tf.signal.irfft(tf.signal.rfft(y), [x.shape[-1]]), x),
                         (tf.signal.irfft2d(tf.signal.rfft2d(y), x.shape[-2:]), x)):
        worst = max(worst, error(wide(ours.numpy()), theirs))
    odd = tf.reshape(y, [-1])[1:]  # May lie where the library does not take it.
    return max(worst, error(wide(tf.signal.rfft(odd).numpy()), np.fft.rfft(wide(x).ravel()[1:])) if x.size > 1 else 0)


CASES = (('fourier', case_fourier, TYPES[:2], 1024),
         ('inverse', case_inverse, TYPES, 4096), ('solve', case_solve, TYPES, 4096),
         ('triangle', case_triangle, TYPES, 4096), ('cholesky', case_cholesky, TYPES, 4096),
         ('logdet', case_logdet, TYPES, 1024), ('lu', case_lu, TYPES, 4096),
         ('eigh', case_eigh, TYPES, 1024), ('svd', case_svd, TYPES[:2], 257))


def check_texts() -> None:
    """What is singular fails in TensorFlow's words; what has no factor is not a number."""
    for n in (3, 100):
        zero = tf.zeros([n, n])
        for function, text in ((tf.linalg.inv, 'Input is not invertible.'), (tf.linalg.lu, 'Input is not invertible.'),
                               (lambda a: tf.linalg.solve(a, a), 'Input matrix is not invertible.')):
            try:
                function(zero)
                raise AssertionError(f'no failure at {n}')
            except tf.errors.InvalidArgumentError as failure:
                assert text in str(failure), failure
        assert np.isnan(tf.linalg.cholesky(-tf.eye(n)).numpy()[-1, 0])
        assert float(tf.linalg.det(zero)) == 0


def check_choices() -> None:
    """Boxes that are taken, and classes that are drawn, are those of the CPU."""
    corners = rng.integers(0, 400, (20000, 2, 2)).astype('float32')
    boxes = np.concatenate([corners[:, 0], corners[:, 0] + rng.integers(1, 60, (20000, 2))], 1).astype('float32')
    scores = np.round(rng.random(20000), 3).astype('float32')
    logits = rng.standard_normal((64, 5000)).astype('float32')
    found = []
    for device in ('GPU:0', 'CPU:0'):
        with tf.device(device):
            found.append([tf.image.non_max_suppression(tf.constant(boxes[:n]), tf.constant(scores[:n]), most, 0.4,
                                                       score_threshold=0.1).numpy()
                          for n, most in ((1, 1), (100, 100), (3000, 200), (20000, 3000))] +
                         [tf.random.stateless_categorical(tf.constant(logits[:, :n]), 300, [1, n]).numpy()
                          for n in (1, 40, 5000)])
    for ours, theirs in zip(*found):
        assert ours.shape == theirs.shape and np.all(ours == theirs), (ours, theirs)


def microseconds(call, wait) -> float:
    """The least of several slices."""
    call()
    wait()
    best = float('inf')
    for _ in range(5):
        begin, count = time.perf_counter(), 0
        while count < 3 or time.perf_counter() - begin < 0.05:
            call()
            count += 1
        wait()
        best = min(best, (time.perf_counter() - begin) / count)
    return best * 1e6


def print_times() -> None:
    """Berth's and PyTorch's time for each function and size, in float32."""
    functions = {
        'inverse': (tf.linalg.inv, lambda a: torch.linalg.inv(a)),
        'solve': (lambda a: tf.linalg.solve(a, a), lambda a: torch.linalg.solve(a, a)),
        'cholesky': (tf.linalg.cholesky, lambda a: torch.linalg.cholesky(a)),
        'logdet': (tf.linalg.slogdet, lambda a: torch.linalg.slogdet(a)),
        'triangle': (lambda a: tf.linalg.triangular_solve(a, a),
                     lambda a: torch.linalg.solve_triangular(a, a, upper=False)),
        'eigh': (tf.linalg.eigh, lambda a: torch.linalg.eigh(a)),
        'fft': (lambda a: tf.signal.rfft(a), lambda a: torch.fft.rfft(a)),
        'fft2d': (lambda a: tf.signal.rfft2d(a), lambda a: torch.fft.rfft2(a)),
        'svd': (tf.linalg.svd, lambda a: torch.linalg.svd(a, full_matrices=False)),
    }
    for name, (ours, theirs) in functions.items():
        for batch, n in ((10000, 16), (1000, 32), (100, 128), (1, 64), (1, 256), (1, 1024), (1, 4096)):
            if name in ('eigh', 'svd') and (n > 1024 or batch * n > 40000):
                continue
            a = matrices(batch, n, 'float32')
            a = (a + adjoint(a)) / 2 + 3 * np.sqrt(n).astype('float32') * np.eye(n, dtype='float32')
            mine = tf.constant(a)
            line = microseconds(lambda: ours(mine), lambda: (mine[:1, :1, :1] + 0).numpy())  # Behind all of it.
            text = ''
            if HAS_TORCH:
                peer = torch.from_numpy(a).cuda()
                text = f'   torch {microseconds(lambda: theirs(peer), torch.cuda.synchronize):12.1f}'
            print(f'time {name:10} {batch:6} x {n:4} {line:12.1f}{text}', flush=True)


def main() -> int:
    """Runs every case; returns how many failed."""
    failed = 0
    sizes = SIZES[:-2] if '--quick' in sys.argv else SIZES
    tf.config.experimental.enable_tensor_float_32_execution(False)
    print(tf.config.list_physical_devices('GPU'), 'torch' if HAS_TORCH else 'no torch')
    for name, function, types, most in CASES:
        for dtype in types:
            limit = 1e-9 if dtype in ('float64', 'complex128') else 2e-3
            for batch, n in sizes:
                if n > most or (name == 'svd' and batch > 1000):
                    continue
                try:
                    found = function(matrices(batch, n, dtype))
                    verdict = 'pass' if found < limit else 'FAIL'
                except Exception as failure:  # pylint: disable=broad-except
                    found, verdict = repr(failure)[-300:], 'FAIL'
                failed += verdict == 'FAIL'
                if verdict == 'FAIL' or n >= 1024:
                    print(verdict, name, dtype, batch, n, found, flush=True)
    check_texts()
    check_choices()
    print(f'{failed} failed')
    if '--quick' not in sys.argv:
        print_times()
    return failed


if __name__ == '__main__':
    sys.exit(main() != 0)
