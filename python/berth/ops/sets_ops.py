"""sets_ops.py - Sets: the elements along the last dimension of a tensor, or of a sparse one."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, gen
from berth.ops.sparse_tensor import SparseTensor, SparseTensorValue


def _tensor(value: Any) -> Any:
    """Returns |value| as a tensor; a sparse one stays so."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return value if isinstance(value, SparseTensor) else convert.convert_to_tensor(value)


def _parts(value: Any, name: str) -> dict[str, Any]:
    """Returns |value| as the inputs of an op that are called |name|."""
    if not isinstance(value, SparseTensor):
        return {name: value}
    return {f'{name}_indices': value.indices, f'{name}_values': value.values, f'{name}_shape': value.dense_shape}


def _operation(a: Any, b: Any, how: str, validate_indices: bool) -> SparseTensor:
    """Makes the op for two tensors, of which a dense one is the first."""
    a, b = _tensor(a), _tensor(b)
    if a.dtype.base_dtype != b.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b, how = b, a, {'a-b': 'b-a', 'b-a': 'a-b'}.get(how, how)
    kinds = 'To'.join('Sparse' if isinstance(x, SparseTensor) else 'Dense' for x in (a, b))
    return SparseTensor(*gen.apply(f'{kinds}SetOperation', None, {**_parts(a, 'set1'), **_parts(b, 'set2')},
                                   {'set_operation': how, 'validate_indices': validate_indices}))


def size(a: Any, validate_indices: bool = True) -> Any:
    """Returns how many different elements each set of a sparse tensor has."""
    a = _tensor(a)
    if not isinstance(a, SparseTensor):
        raise TypeError(f'Expected `SparseTensor`, got {a!s}.')
    return gen.apply('SetSize', None, _parts(a, 'set'), {'validate_indices': validate_indices})


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns what both sets have."""
    return _operation(a, b, 'intersection', validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Returns what only the first set has, or only the second."""
    return _operation(a, b, 'a-b' if aminusb else 'b-a', validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns what either set has."""
    return _operation(a, b, 'union', validate_indices)
