"""lapped_ops.py - tf.signal: frames that overlap put together again, their windows, and cosines of them."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, math_ops, reduce_ops, signal_ops, special_ops, spectral_ops

_ROOT_HALF = 1.0 / math.sqrt(2.0)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Adds frames, each |frame_step| behind the last, to one signal."""
    with scopes.name_scope(name, 'overlap_and_add', [signal, frame_step]):
        signal = convert.convert_to_tensor(signal, name='signal')
        signal.shape.with_rank_at_least(2)
        step = convert.convert_to_tensor(frame_step, name='frame_step')
        step.shape.assert_has_rank(0)
        if not step.dtype.is_integer:
            raise ValueError(f'frame_step must be an integer. Got {step.dtype}')
        sizes = array_ops.shape(signal)
        outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
        step = math_ops.cast(step, dtypes.int32)
        # Cut into pieces of one step, each frame begins a row lower than the last, and the columns are added.
        pieces = math_ops.floordiv(length + step - 1, step)
        signal = _padded(signal, 0, pieces * step - length)
        signal = array_ops.reshape(signal, array_ops.concat([outer, [frames, pieces, step]], 0))
        rows = array_ops.expand_dims(math_ops.range(frames), 1) + math_ops.range(pieces)
        rank = array_ops.size(sizes)
        front = array_ops.concat([[rank - 2, rank - 1], math_ops.range(rank - 2), [rank]], 0)
        added = math_ops.unsorted_segment_sum(array_ops.transpose(signal, front), rows, frames + pieces - 1)
        back = array_ops.concat([1 + math_ops.range(rank - 2), [0, rank - 1]], 0)
        joined = array_ops.reshape(array_ops.transpose(added, back),
                                   array_ops.concat([outer, [(frames + pieces - 1) * step]], 0))
        return joined[..., :(frames - 1) * step + length]


def _padded(signal: Any, before: Any, behind: Any) -> Any:
    """Returns |signal| with zeros around its last axis."""
    rank = array_ops.rank(signal)
    ends = array_ops.concat([array_ops.zeros(array_ops.stack([rank - 1, 2]), dtypes.int32),
                             [array_ops.stack([before, behind])]], 0)
    return array_ops.pad(signal, ends)


def inverse_stft(stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
                 window_fn: Any = signal_ops.hann_window, name: str | None = None) -> Any:
    """Returns the signals that spectra of frames are of."""
    with scopes.name_scope(name, 'inverse_stft', [stfts]):
        stfts = convert.convert_to_tensor(stfts, name='stfts')
        stfts.shape.with_rank_at_least(2)
        if fft_length is None:
            fft_length = spectral_ops._enclosing_power(frame_length)
        length = math_ops.cast(frame_length, dtypes.int32)
        frames = signal_ops.irfft(stfts, [fft_length])
        found = math_ops.minimum(length, fft_length)
        frames = _padded(frames[..., :found], 0, length - found)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Any = signal_ops.hann_window,
                           name: str | None = None) -> Any:
    """Makes the window that takes back what |forward_window_fn| did to frames."""
    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any) -> Any:
        with scopes.name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
            length = math_ops.cast(frame_length, dtypes.int32)
            step = math_ops.cast(frame_step, dtypes.int32)
            window = forward_window_fn(length, dtype=dtype)
            count = math_ops.floordiv(length + step - 1, step)
            power = _padded(math_ops.square(window), 0, count * step - length)
            power = reduce_ops.reduce_sum(array_ops.reshape(power, [count, step]), 0, keepdims=True)
            power = array_ops.reshape(array_ops.tile(power, [count, 1]), [count * step])
            return math_ops.div_no_nan(window, power[:length])

    return inverse_stft_window_fn_inner


# ---- Windows ----


def _window_length(window_length: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns a length and a type that windows can have."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'dtype must be a floating point type. Found {dtype}')
    length = convert.convert_to_tensor(window_length, dtype=dtypes.int32, name='window_length')
    length.shape.assert_has_rank(0)
    return length, dtype


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Returns the window of Kaiser."""
    with scopes.name_scope(name, 'kaiser_window'):
        length, dtype = _window_length(window_length, dtype)
        known = convert.constant_value(length)
        if known is not None and int(known) == 1:
            return array_ops.ones([1], dtype=dtype)
        half = (math_ops.cast(length, dtypes.float32) - 1.0) / 2.0
        places = math_ops.cast(math_ops.cast(math_ops.range(length), dtypes.float32) - half, dtype)
        beta, half = math_ops.cast(beta, dtype), math_ops.cast(half, dtype)
        ratio = math_ops.square(places) / math_ops.square(half)
        height = beta * math_ops.sqrt(math_ops.cast(1.0, dtype) - ratio)
        return math_ops.exp(height - beta) * (special_ops.bessel_i0e(height) / special_ops.bessel_i0e(beta))


def kaiser_bessel_derived_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32,
                                 name: str | None = None) -> Any:
    """Returns the window that the running sums of Kaiser's make."""
    with scopes.name_scope(name, 'kaiser_bessel_derived_window'):
        length, dtype = _window_length(window_length, dtype)
        sums = math_ops.cumsum(kaiser_window(math_ops.floordiv(length, 2) + 1, beta, dtype))
        rising = math_ops.sqrt(sums[:-1] / sums[-1])
        return array_ops.concat([rising, array_ops.reverse(rising, [0])], 0)


def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Returns the window of Vorbis: the sine of the square of a sine."""
    with scopes.name_scope(name, 'vorbis_window'):
        length, dtype = _window_length(window_length, dtype)
        places = math_ops.cast(math_ops.range(length), dtype)
        angle = convert.constant(math.pi, dtype) / math_ops.cast(length, dtype) * (places + math_ops.cast(0.5, dtype))
        return math_ops.sin(convert.constant(math.pi / 2.0, dtype) * math_ops.square(math_ops.sin(angle)))


# ---- Cosines of frames that overlap by half ----


def _flipped(tensor: Any) -> Any:
    return array_ops.reverse(tensor, [-1])


def mdct(signals: Any, frame_length: Any, window_fn: Any = vorbis_window, pad_end: bool = False, norm: Any = None,
         name: str | None = None) -> Any:
    """Transforms frames that overlap by half by cosines; |window_fn| may be None."""
    with scopes.name_scope(name, 'mdct', [signals, frame_length]):
        signals = convert.convert_to_tensor(signals, name='signals')
        signals.shape.with_rank_at_least(1)
        length = convert.convert_to_tensor(frame_length, name='frame_length')
        length.shape.assert_has_rank(0)
        known = convert.constant_value(length)
        if known is not None and int(known) % 4:
            raise ValueError('The frame length must be a multiple of 4.')
        frames = signal_ops.frame(signals, length, math_ops.floordiv(length, 2), pad_end=pad_end)
        frames *= _ROOT_HALF if window_fn is None else window_fn(length, dtype=frames.dtype)
        a, b, c, d = array_ops.split(frames, 4, axis=-1)
        folded = array_ops.concat([-_flipped(c) - d, a - _flipped(b)], -1)
        return spectral_ops.dct(folded, type=4, norm=norm)


def inverse_mdct(mdcts: Any, window_fn: Any = vorbis_window, norm: Any = None, name: str | None = None) -> Any:
    """Returns the signals that mdct() had."""
    with scopes.name_scope(name, 'inverse_mdct', [mdcts]):
        mdcts = convert.convert_to_tensor(mdcts, name='mdcts')
        mdcts.shape.with_rank_at_least(2)
        half = array_ops.shape(mdcts)[-1]
        folded = spectral_ops.idct(mdcts, type=4, norm=norm)
        if norm is None:
            folded *= 0.5 / math_ops.cast(half, folded.dtype)
        first, second = array_ops.split(folded, 2, axis=-1)
        frames = array_ops.concat([second, -_flipped(second), -_flipped(first), -first], -1)
        frames *= _ROOT_HALF if window_fn is None else window_fn(2 * half, dtype=frames.dtype)
        return overlap_and_add(frames, half)
