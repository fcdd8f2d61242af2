"""vocabulary - Variables whose rows or columns are words of a list, and were those of another in a checkpoint."""

from __future__ import annotations

from typing import Any

from berth.framework import gen
from berth.ops import array_ops, init_ops, math_ops, state_ops


def set_initializers(variables: list[Any], info: Any, path: str, tensor: str) -> None:
    """Makes a variable, or the parts of one, begin with what |tensor| has for the same words."""
    rows = sum(variable.shape.as_list()[0] for variable in variables)
    for variable in variables:
        part = getattr(variable, '_save_slice_info', None)
        value = _value(variable.shape.as_list(), part.var_offset[0] if part else 0, rows, info, path, tensor)
        variable._initializer_op = state_ops.assign(variable, value).op
        variable._initial_value = value


def _value(shape: list[int], first: int, rows: int, info: Any, path: str, tensor: str) -> Any:
    """Returns |shape| of the rows from |first| on, of |rows|."""
    by_rows = info.axis == 0
    known = info.new_vocab_size if by_rows else rows
    buckets = info.num_oov_buckets if by_rows else 0
    if first + shape[0] > known + buckets:
        raise ValueError(
            f'Trying to initialize {shape[0]} additional rows after {first} rows have already been initialized, which '
            f'would exceed expected total row count of new_row_vocab_size ({known}) + num_row_oov_buckets ({buckets}) = '
            f'{known + buckets}.')
    buckets = min(shape[0], max(0, first + shape[0] - known))
    count = shape[0] - buckets
    columns = shape[1] if by_rows else info.new_vocab_size
    initializer = info.backup_initializer or init_ops.zeros_initializer()
    loaded = _load(info, path, tensor, first, count, columns, initializer)
    if buckets:
        loaded = array_ops.concat([loaded, initializer([buckets, columns])], 0)
    if not by_rows and info.num_oov_buckets:
        loaded = array_ops.concat([loaded, initializer([count, info.num_oov_buckets])], 1)
    return loaded


def _load(info: Any, path: str, tensor: str, first: int, count: int, columns: int, initializer: Any) -> Any:
    """Returns |count| rows of |columns|, which |initializer| fills where the checkpoint has none."""
    if info.axis == 0:
        places, found = _places(info, first, count)
        others: Any = []
        found = found * columns
    else:
        places = math_ops.range(first, first + count, dtype='int64')
        others, found = _places(info, 0, columns)
        found = count * found
    filling = initializer([count * columns - found, 1])
    inputs = {'ckpt_path': path, 'old_tensor_name': tensor, 'row_remapping': places, 'col_remapping': others,
              'initializing_values': filling}
    return gen.apply('LoadAndRemapMatrix', None, inputs, {'num_rows': count, 'num_cols': columns})


def _places(info: Any, first: int, count: int) -> Any:
    """Returns where words [first, first + count) were, and how many of them there are."""
    inputs = {'new_vocab_file': info.new_vocab, 'old_vocab_file': info.old_vocab}
    return gen.apply('GenerateVocabRemapping', None, inputs, {
        'new_vocab_offset': first, 'num_new_vocab': count, 'old_vocab_size': info.old_vocab_size})
