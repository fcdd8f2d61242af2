"""signal_ops.py - tf.signal: Fourier transforms; frames and windows."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops


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


# ---- Frames and windows ----


def frame(signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0,
          axis: int = -1, name: str | None = None) -> Any:
    """Cuts the last dimension into pieces of |frame_length|, each |frame_step| behind the last."""
    with scopes.name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = convert.convert_to_tensor(signal, name='signal')
        rank = signal.shape.rank
        if rank is None or axis not in (-1, rank - 1):
            raise NotImplementedError('tf.signal.frame: Berth cuts along the last of dimensions whose number is known.')
        length, step = (math_ops.cast(v, dtypes.int32) for v in (frame_length, frame_step))
        samples = array_ops.shape(signal)[-1]
        if pad_end:
            count = math_ops.floordiv(samples + step - 1, step)
            missing = math_ops.maximum(0, length + step * (count - 1) - samples)
            ends = [[0, 0]] * (rank - 1) + [array_ops.stack([0, missing])]
            signal = array_ops.pad(signal, array_ops.stack([convert.convert_to_tensor(e) for e in ends]),
                                   constant_values=math_ops.cast(pad_value, signal.dtype))
        else:
            count = math_ops.maximum(0, 1 + math_ops.floordiv(samples - length, step))
        starts = array_ops.expand_dims(math_ops.range(count) * step, 1)
        return array_ops.gather(signal, starts + math_ops.range(length), axis=-1)


def _raised_cosine(default: str, name: Any, window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    with scopes.name_scope(name, default, [window_length, periodic]):
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f'dtype must be a floating point type. Found {dtype}')
        length = convert.convert_to_tensor(window_length, dtype=dtypes.int32, name='window_length')
        if scopes.executing_eagerly() and int(length) == 1:
            return array_ops.ones([1], dtype=dtype)
        periodic = math_ops.cast(convert.convert_to_tensor(periodic, dtype=dtypes.bool, name='periodic'), dtypes.int32)
        even = 1 - math_ops.floormod(length, 2)
        count = math_ops.cast(length + periodic * even - 1, dtype)
        places = math_ops.cast(math_ops.range(length), dtype)
        angle = convert.constant(2 * math.pi, dtype=dtype) * places / count
        return math_ops.cast(a - b * math_ops.cos(angle), dtype)


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Returns half a wave, from nothing to nothing."""
    return _raised_cosine('hann_window', name, window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32,
                   name: str | None = None) -> Any:
    """Returns half a wave that does not end in nothing."""
    return _raised_cosine('hamming_window', name, window_length, periodic, dtype, 0.54, 0.46)
