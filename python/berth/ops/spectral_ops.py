"""spectral_ops.py - Spectra of signals over time, on scales of hearing, and by cosines alone."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, math_ops, signal_ops

_BREAK_HERTZ, _HIGH_Q = 700.0, 1127.0


def stft(signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
         window_fn: Any = signal_ops.hann_window, pad_end: bool = False, name: str | None = None) -> Any:
    """Returns the spectra of frames of signals."""
    with scopes.name_scope(name, 'stft', [signals, frame_length, frame_step]):
        signals = convert.convert_to_tensor(signals, name='signals')
        signals.shape.with_rank_at_least(1)
        if fft_length is None:
            fft_length = _enclosing_power(frame_length)
        frames = signal_ops.frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype)
        return signal_ops.rfft(frames, [fft_length])


def _enclosing_power(length: Any) -> Any:
    """Returns the least power of two that is not below |length|."""
    if isinstance(length, int):
        return int(2 ** math.ceil(math.log(length) / math.log(2.0)))
    value = math_ops.cast(length, dtypes.float32)
    power = math_ops.ceil(math_ops.log(value) / math_ops.log(2.0))
    return math_ops.cast(math_ops.pow(2.0, power), dtypes.int32)


# ---- Scales of hearing ----


def _to_mel(hertz: Any) -> Any:
    with scopes.name_scope(None, 'hertz_to_mel', [hertz]):
        return _HIGH_Q * math_ops.log(1.0 + (hertz / _BREAK_HERTZ))


def _check_bands(count: Any, rate: Any, low: float, high: float, dtype: Any) -> None:
    if count <= 0:
        raise ValueError(f'num_mel_bins must be positive. Got: {count}')
    if low < 0.0:
        raise ValueError(f'lower_edge_hertz must be non-negative. Got: {low}')
    if low >= high:
        raise ValueError(f'lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}')
    if isinstance(rate, (int, float)):
        if rate <= 0.0:
            raise ValueError(f'sample_rate must be positive. Got: {rate}')
        if high > rate / 2:
            raise ValueError('upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). '
                             f'Got {high} for sample_rate: {rate}')
    if not dtype.is_floating:
        raise ValueError(f'dtype must be a floating point type. Got: {dtype}')


def linear_to_mel_weight_matrix(num_mel_bins: int = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
                                lower_edge_hertz: float = 125.0, upper_edge_hertz: float = 3800.0,
                                dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Returns a matrix that brings spectra to the scale of mels."""
    with scopes.name_scope(name, 'linear_to_mel_weight_matrix') as scope:
        _check_bands(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate = math_ops.cast(sample_rate, dtype, name='sample_rate')
        low = convert.convert_to_tensor(lower_edge_hertz, dtype, name='lower_edge_hertz')
        high = convert.convert_to_tensor(upper_edge_hertz, dtype, name='upper_edge_hertz')
        zero = convert.convert_to_tensor(0.0, dtype)
        # The lowest band, that of what does not change, is left out.
        linear = math_ops.linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]
        bins = array_ops.expand_dims(_to_mel(linear), 1)
        edges = signal_ops.frame(math_ops.linspace(_to_mel(low), _to_mel(high), num_mel_bins + 2), frame_length=3,
                                 frame_step=1)
        lower, middle, upper = (array_ops.reshape(t, [1, num_mel_bins]) for t in array_ops.split(edges, 3, axis=1))
        rising = (bins - lower) / (middle - lower)
        falling = (upper - bins) / (upper - middle)
        weights = math_ops.maximum(zero, math_ops.minimum(rising, falling))
        return array_ops.pad(weights, [[1, 0], [0, 0]], name=scope)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """Returns cepstra of spectra that are on the scale of mels, as logarithms."""
    with scopes.name_scope(name, 'mfccs_from_log_mel_spectrograms', [log_mel_spectrograms]):
        spectra = convert.convert_to_tensor(log_mel_spectrograms)
        count = _last_size(spectra)
        if isinstance(count, int) and count == 0:
            raise ValueError(f'num_mel_bins must be positive. Got: {spectra}')
        cosines = dct(spectra, type=2)
        return cosines * math_ops.rsqrt(math_ops.cast(count, cosines.dtype) * 2.0)


# ---- Cosines ----


def _last_size(tensor: Any) -> Any:
    known = tensor.shape[-1] if tensor.shape.rank else None
    return array_ops.shape(tensor)[-1] if known is None else known


def _check_dct(tensor: Any, kind: int, n: Any, axis: int, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f'axis must be -1. Got: {axis}')
    if n is not None and n < 1:
        raise ValueError('n should be a positive integer or None')
    if kind not in (1, 2, 3, 4):
        raise ValueError('Types I, II, III and IV (I)DCT are supported.')
    if kind == 1 and norm == 'ortho':
        raise ValueError('Normalization is not supported for the Type-I DCT.')
    if kind == 1 and tensor.shape[-1] is not None and tensor.shape[-1] < 2:
        raise ValueError('Type-I DCT requires the dimension to be greater than one.')
    if norm not in (None, 'ortho'):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None,  # pylint: disable=redefined-builtin
        name: str | None = None) -> Any:
    """Returns the cosines that rows are made of, of one of four types."""
    _check_dct(input, type, n, axis, norm)
    return _dct(input, type, n, norm, name)


def idct(input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None,  # pylint: disable=redefined-builtin
         name: str | None = None) -> Any:
    """Returns the rows that cosines of one of four types make."""
    _check_dct(input, type, n, axis, norm)
    return _dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name)


def _cut(tensor: Any, n: Any) -> Any:
    """Returns rows of |n| numbers, cut or filled up with zeros."""
    size = tensor.shape[-1]
    if size is None:
        raise NotImplementedError('tf.signal.dct with n: the last dimension must be known.')
    if n <= size:
        return tensor[..., 0:n]
    return array_ops.pad(tensor, [[0, 0]] * (tensor.shape.rank - 1) + [[0, n - size]])


def _weights(first: Any, other: Any, count: Any) -> Any:
    return array_ops.pad(array_ops.expand_dims(first, 0), [[0, count - 1]], constant_values=other)


def _turns(count: Any, sign: float, dtype: Any) -> Any:
    """Returns twice the complex numbers a quarter of a circle apart in |count| steps."""
    size = math_ops.cast(count, dtype)
    angles = sign * math_ops.range(size) * math.pi * 0.5 / size
    return 2.0 * math_ops.exp(math_ops.complex_(array_ops.zeros_like(angles), angles))


def _dct(given: Any, kind: int, n: Any, norm: Any, name: str | None = None) -> Any:
    with scopes.name_scope(name, 'dct', [given]):
        tensor = convert.convert_to_tensor(given)
        tensor = tensor if n is None else _cut(tensor, n)
        count = _last_size(tensor)
        size = math_ops.cast(count, tensor.dtype)
        if kind == 1:
            return math_ops.real(signal_ops.rfft(array_ops.concat([tensor, tensor[..., -2:0:-1]], axis=-1)))
        if kind == 2:
            turned = signal_ops.rfft(tensor, fft_length=[2 * count])[..., :count] * _turns(count, -1.0, tensor.dtype)
            cosines = math_ops.real(turned)
            first = 0.5 * math_ops.rsqrt(size)
            return cosines * _weights(first, first * math.sqrt(2.0), count) if norm == 'ortho' else cosines
        if kind == 3:
            first = math_ops.sqrt(size)
            tensor = tensor * (_weights(first, first * math.sqrt(0.5), count) if norm == 'ortho' else size)
            turned = _turns(count, 1.0, tensor.dtype) * math_ops.complex_(tensor, array_ops.zeros_like(tensor))
            return math_ops.real(signal_ops.irfft(turned, fft_length=[2 * count]))[..., :count]
        cosines = _dct(tensor, 2, 2 * count, None)[..., 1::2]
        return cosines * (math.sqrt(0.5) * math_ops.rsqrt(size)) if norm == 'ortho' else cosines
