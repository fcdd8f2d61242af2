"""quantize_ops.py - Numbers made whole, and whole numbers fractions again."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen


def _axis(x: Any, axis: int | None) -> int:
    """Returns |axis| of |x| from the front; -1 for None."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    rank = convert.convert_to_tensor(x).shape.rank
    if rank is None:
        raise ValueError('input should have known rank to use negative axis.')
    return axis % rank


def quantize(input: Any, min_range: Any, max_range: Any, T: Any, mode: str = 'MIN_COMBINED',  # pylint: disable=redefined-builtin
             round_mode: str = 'HALF_AWAY_FROM_ZERO', name: str | None = None, narrow_range: bool = False,
             axis: int | None = None, ensure_minimum_range: float = 0.01) -> Any:
    """Makes numbers of a range whole; returns them, and the range that they stand for."""
    return gen.apply('QuantizeV2', name, {'input': input, 'min_range': min_range, 'max_range': max_range}, {
        'T': dtypes.as_dtype(T), 'mode': mode, 'round_mode': round_mode, 'narrow_range': narrow_range,
        'axis': _axis(input, axis), 'ensure_minimum_range': ensure_minimum_range})


def dequantize(input: Any, min_range: Any, max_range: Any, mode: str = 'MIN_COMBINED',  # pylint: disable=redefined-builtin
               name: str | None = None, axis: int | None = None, narrow_range: bool = False,
               dtype: Any = dtypes.float32) -> Any:
    """Makes fractions of whole numbers that stand for a range."""
    return gen.apply('Dequantize', name, {'input': input, 'min_range': min_range, 'max_range': max_range}, {
        'mode': mode, 'narrow_range': narrow_range, 'axis': _axis(input, axis), 'dtype': dtypes.as_dtype(dtype)})


def _rounded(op: str, x: Any, low: Any, high: Any, name: str | None, axis: int | None, **attrs: Any) -> Any:
    return gen.apply(op, name, {'input': x, 'input_min': low, 'input_max': high}, {**attrs, 'axis': _axis(x, axis)})


def quantize_and_dequantize(input: Any, input_min: Any, input_max: Any, signed_input: bool = True, num_bits: int = 8,  # pylint: disable=redefined-builtin
                            range_given: bool = False, round_mode: str = 'HALF_TO_EVEN', name: str | None = None,
                            narrow_range: bool = False, axis: int | None = None) -> Any:
    """Rounds numbers to as many steps as so many bits have."""
    return _rounded('QuantizeAndDequantizeV2', input, input_min, input_max, name, axis, signed_input=signed_input,
                    num_bits=num_bits, range_given=range_given, round_mode=round_mode, narrow_range=narrow_range)


def quantize_and_dequantize_v2(input: Any, input_min: Any, input_max: Any, signed_input: bool = True, num_bits: int = 8,  # pylint: disable=redefined-builtin
                               range_given: bool = False, round_mode: str = 'HALF_TO_EVEN', name: str | None = None,
                               narrow_range: bool = False, axis: int | None = None) -> Any:
    """The same, by the op whose gradient looks at the range."""
    return _rounded('QuantizeAndDequantizeV4', input, input_min, input_max, name, axis, signed_input=signed_input,
                    num_bits=num_bits, range_given=range_given, round_mode=round_mode, narrow_range=narrow_range)
