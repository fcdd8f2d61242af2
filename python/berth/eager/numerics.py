"""numerics - tf.debugging.enable_check_numerics: every result is looked at, where ops run at once."""

from __future__ import annotations

from typing import Any, Sequence

from berth.framework import errors

# What these give they were given, or do not compute.
_SAFE = frozenset((
    'Concat', 'ConcatV2', 'ExpandDims', 'Fill', 'Gather', 'Maximum', 'Minimum', 'Reshape', 'Slice', 'Squeeze', 'Stack',
    'StridedSlice', 'StridedSliceGrad', 'Transpose', 'Unpack', 'CheckNumericsV2', '_EagerConst'))
_WORDS = {(True, False, False): '-Inf', (False, True, False): '+Inf', (False, False, True): 'NaN',
          (True, True, False): '-Inf and +Inf', (True, False, True): '-Inf and NaN',
          (False, True, True): '+Inf and NaN', (True, True, True): '-Inf, +Inf, and NaN'}


def check(op: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Raises InvalidArgumentError when an output has elements that are infinite or no number."""
    if op in _SAFE:
        return
    import numpy

    for slot, tensor in enumerate(outputs):
        if not tensor.dtype.is_floating:
            continue
        values = numpy.asarray(tensor.numpy()).astype(numpy.float64)
        counts = [int(numpy.sum(values == -numpy.inf)), int(numpy.sum(values == numpy.inf)),
                  int(numpy.sum(numpy.isnan(values)))]
        if any(counts):
            raise _found(op, inputs, tensor, (slot, len(outputs)), counts)


def _found(op: str, inputs: Sequence[Any], tensor: Any, place: tuple[int, int], counts: list[int]) -> Exception:
    """Returns the error that says what was found where."""
    lines = ['', '', f'!!! Detected Infinity or NaN in output {place[0]} of eagerly-executing op "{op}" '
             f'(# of outputs: {place[1]}) !!!', f'  dtype: {tensor.dtype}', f'  shape: {tensor.shape}']
    lines += [f'  # of {name} elements: {count}' for name, count in zip(('-Inf', '+Inf', '+NaN'), counts) if count]
    if len(inputs) > 1:
        lines += ['', f'  Input tensors ({len(inputs)}):']
        lines += [f'         {index}: {given!s}' for index, given in enumerate(inputs)]
    elif inputs:
        lines += ['', f'  Input tensor: {inputs[0]!s}']
    words = _WORDS[counts[0] > 0, counts[1] > 0, counts[2] > 0]
    where = '/job:localhost/replica:0/task:0/device:CPU:0'
    return errors.InvalidArgumentError(
        None, None, f'{{{{function_node __wrapped__CheckNumericsV2_device_{where}}}}} ' + '\n'.join(lines)
        + f'\n\n : Tensor had {words} values [Op:CheckNumericsV2] name: ')
