"""signal_ops.py - tf.signal: Fourier transforms."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops


def _whole(op: str, name: str) -> Any:
    """Makes the function that transforms complex numbers by |op|."""
    def function(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
        return gen.apply(op, name, {'input': input})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Transforms complex numbers by the op {op}.'
    return function


fft = _whole('FFT', 'fft')
ifft = _whole('IFFT', 'ifft')
fft2d = _whole('FFT2D', 'fft2d')
ifft2d = _whole('IFFT2D', 'ifft2d')


def _fitted(tensor: Any, size: Any) -> Any:
    """Returns a tensor whose last dimension has |size| elements at least: zeros behind it."""
    if size is None or tensor.shape.rank is None or tensor.shape[-1] is None or tensor.shape[-1] >= size:
        return tensor
    edges = [[0, 0]] * (tensor.shape.rank - 1) + [[0, size - tensor.shape[-1]]]
    return array_ops.pad(tensor, edges)


def _length(tensor: Any, fft_length: Any, last: Any) -> tuple[Any, Any]:
    """Returns the length of a transform as a tensor, and as a number where it is known."""
    if fft_length is None:
        if last is not None:
            return convert.constant([last], dtype=dtypes.int32), last
        return array_ops.shape(tensor)[-1:], None
    known = [int(n) for n in fft_length] if isinstance(fft_length, (list, tuple)) else None
    return convert.convert_to_tensor(fft_length, dtype=dtypes.int32), known[0] if known else None


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Transforms real numbers."""
    with scopes.name_scope(name, 'rfft', [input_tensor, fft_length]) as name:
        real = convert.convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
        length, known = _length(real, fft_length, real.shape[-1])
        wide = dtypes.complex128 if real.dtype == dtypes.float64 else dtypes.complex64
        return gen.apply('RFFT', name, {'input': _fitted(real, known), 'fft_length': length}, {'Tcomplex': wide})


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """Transforms half a spectrum back to real numbers."""
    with scopes.name_scope(name, 'irfft', [input_tensor, fft_length]) as name:
        half = convert.convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
        last = half.shape[-1]
        if fft_length is None and last is None:
            fft_length = [array_ops.shape(half)[-1] * 2 - 2]
        length, known = _length(half, fft_length, None if last is None else max(0, 2 * last - 2))
        real = dtypes.float64 if half.dtype == dtypes.complex128 else dtypes.float32
        return gen.apply('IRFFT', name, {'input': _fitted(half, None if known is None else known // 2 + 1),
                                         'fft_length': length}, {'Treal': real})
