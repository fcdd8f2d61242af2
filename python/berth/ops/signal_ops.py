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


fft3d = _whole('FFT3D', 'fft3d')
ifft3d = _whole('IFFT3D', 'ifft3d')


def _fitted(tensor: Any, sizes: list[int] | None) -> Any:
    """Returns a tensor whose last dimensions have |sizes| elements at least: zeros behind them."""
    if sizes is None or tensor.shape.rank is None:
        return tensor
    last = tensor.shape.as_list()[-len(sizes):]
    missing = [max(0, size - has) if has is not None else 0 for size, has in zip(sizes, last)]
    if not any(missing):
        return tensor
    return array_ops.pad(tensor, [[0, 0]] * (tensor.shape.rank - len(sizes)) + [[0, more] for more in missing])


def _lengths(tensor: Any, fft_length: Any, last: list[Any]) -> tuple[Any, list[int] | None]:
    """Returns the lengths of a transform as a tensor, and as numbers where they are known."""
    if fft_length is None and None in last:
        return array_ops.shape(tensor)[-len(last):], None
    given = convert.convert_to_tensor(last if fft_length is None else fft_length, dtype=dtypes.int32)
    known = convert.constant_value(given)
    return (given, None) if known is None else (known, [int(n) for n in known])


def _of_real(op: str, name: str, rank: int) -> Any:
    """Makes the function that transforms real numbers by |op|."""
    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
        with scopes.name_scope(name, function.__name__, [input_tensor, fft_length]) as name:
            real = convert.convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
            real.shape.with_rank_at_least(rank)
            last = real.shape.as_list()[-rank:] if real.shape.rank is not None else [None] * rank
            length, known = _lengths(real, fft_length, last)
            wide = dtypes.complex128 if real.dtype == dtypes.float64 else dtypes.complex64
            return gen.apply(op, name, {'input': _fitted(real, known), 'fft_length': length}, {'Tcomplex': wide})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Transforms real numbers by the op {op}.'
    return function


def _half_lengths(half: Any, rank: int) -> Any:
    """Returns the lengths that half a spectrum is of, when it is run."""
    sizes = array_ops.shape(half)[-rank:]
    return array_ops.concat([sizes[:-1], math_ops.maximum(0, sizes[-1:] * 2 - 2)], 0)


def _to_real(op: str, name: str, rank: int) -> Any:
    """Makes the function that transforms half a spectrum back by |op|."""
    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
        with scopes.name_scope(name, function.__name__, [input_tensor, fft_length]) as name:
            half = convert.convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
            half.shape.with_rank_at_least(rank)
            last = half.shape.as_list()[-rank:] if half.shape.rank is not None else [None] * rank
            if fft_length is None and None in last:
                fft_length = _half_lengths(half, rank)
            elif fft_length is None:
                fft_length = [*last[:-1], max(0, 2 * last[-1] - 2)]
            length, known = _lengths(half, fft_length, last)
            sizes = None if known is None else [*known[:-1], known[-1] // 2 + 1]
            real = dtypes.float64 if half.dtype == dtypes.complex128 else dtypes.float32
            return gen.apply(op, name, {'input': _fitted(half, sizes), 'fft_length': length}, {'Treal': real})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'Transforms half a spectrum back to real numbers by the op {op}.'
    return function


rfft = _of_real('RFFT', 'rfft', 1)
rfft2d = _of_real('RFFT2D', 'rfft2d', 2)
rfft3d = _of_real('RFFT3D', 'rfft3d', 3)
irfft = _to_real('IRFFT', 'irfft', 1)
irfft2d = _to_real('IRFFT2D', 'irfft2d', 2)
irfft3d = _to_real('IRFFT3D', 'irfft3d', 3)


def _shifted(default: str, x: Any, axes: Any, name: Any, forward: bool) -> Any:
    """Rolls by half of each axis."""
    with scopes.name_scope(name, default):
        x = convert.convert_to_tensor(x)
        if axes is None:
            axes = tuple(range(x.shape.rank))
        given = [axes] if isinstance(axes, int) else list(axes)
        sizes = array_ops.gather(array_ops.shape(x), [a % x.shape.rank for a in given])
        half = math_ops.floordiv(sizes, 2)
        return array_ops.roll(x, half if forward else -half, given)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Brings what is at 0 to the middle."""
    return _shifted('fftshift', x, axes, name, True)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Brings what is in the middle to 0."""
    return _shifted('ifftshift', x, axes, name, False)


# ---- Frames and windows ----


def frame(signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0,
          axis: int = -1, name: str | None = None) -> Any:
    """Cuts the last dimension into pieces of |frame_length|, each |frame_step| behind the last."""
    with scopes.name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = convert.convert_to_tensor(signal, name='signal')
        known = None if signal.shape.rank is None else signal.shape.as_list()
        size = None if known is None else known[axis]
        length, step = (convert.convert_to_tensor(v) for v in (frame_length, frame_step))
        for value in (length, step):
            value.shape.assert_has_rank(0)
        length, step = math_ops.cast(length, dtypes.int32), math_ops.cast(step, dtypes.int32)
        samples = array_ops.shape(signal)[axis] if size is None else convert.constant(size, dtypes.int32)
        if pad_end:
            count = math_ops.floordiv(samples + step - 1, step)
            signal = _padded_behind(signal, axis, math_ops.maximum(0, length + step * (count - 1) - samples), pad_value)
        else:
            count = math_ops.maximum(0, 1 + math_ops.floordiv(samples - length, step))
        starts = array_ops.expand_dims(math_ops.range(count) * step, 1)
        frames = array_ops.gather(signal, starts + math_ops.range(length), axis=axis)
        if known is not None:
            axis %= len(known)
            numbers = [convert.constant_value(n) for n in (count, length)]
            frames.set_shape([*known[:axis], *(None if n is None else int(n) for n in numbers), *known[axis + 1:]])
        return frames


def _padded_behind(signal: Any, axis: int, missing: Any, value: Any) -> Any:
    """Puts |missing| times |value| behind the end of an axis."""
    rank = array_ops.rank(signal)
    before = axis if axis >= 0 else rank + axis
    zeros = [array_ops.zeros(array_ops.stack([count, 2]), dtypes.int32) for count in (before, rank - 1 - before)]
    ends = array_ops.concat([zeros[0], [array_ops.stack([0, missing])], zeros[1]], 0)
    return array_ops.pad(signal, ends, constant_values=math_ops.cast(value, signal.dtype))


def _raised_cosine(default: str, name: Any, window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    with scopes.name_scope(name, default, [window_length, periodic]):
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f'dtype must be a floating point type. Found {dtype}')
        length = convert.convert_to_tensor(window_length, dtype=dtypes.int32, name='window_length')
        length.shape.assert_has_rank(0)
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
