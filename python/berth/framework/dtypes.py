"""dtypes - Data types: tf.float32 and the rest."""

from __future__ import annotations

import builtins
from typing import Any

from berth.base import naming
from berth.framework.trace_type import Constant

_NAMES = {
    1: 'float32', 2: 'float64', 3: 'int32', 4: 'uint8', 5: 'int16', 6: 'int8',
    7: 'string', 8: 'complex64', 9: 'int64', 10: 'bool', 11: 'qint8', 12: 'quint8',
    13: 'qint32', 14: 'bfloat16', 15: 'qint16', 16: 'quint16', 17: 'uint16',
    18: 'complex128', 19: 'float16', 20: 'resource', 21: 'variant', 22: 'uint32',
    23: 'uint64', 24: 'float8_e5m2', 25: 'float8_e4m3fn', 26: 'float8_e4m3fnuz',
    27: 'float8_e4m3b11fnuz', 28: 'float8_e5m2fnuz', 29: 'int4', 30: 'uint4',
    31: 'int2', 32: 'uint2', 33: 'float4_e2m1fn',
}
_SIZES = {
    1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 8: 8, 9: 8, 10: 1, 11: 1, 12: 1, 13: 4, 14: 2,
    15: 2, 16: 2, 17: 2, 18: 16, 19: 2, 20: 1, 21: 1, 22: 4, 23: 8, 24: 1, 25: 1, 26: 1,
    27: 1, 28: 1, 29: 1, 30: 1, 31: 1, 32: 1, 33: 1,
}
_FLOATS = frozenset((1, 2, 14, 19, 24, 25, 26, 27, 28, 33))
_SIGNED = frozenset((3, 5, 6, 9, 29, 31))
_UNSIGNED = frozenset((4, 17, 22, 23, 30, 32))
_QUANTIZED = frozenset((11, 12, 13, 15, 16))
# The integer that numpy keeps quantized numbers in.
_QUANTIZED_BASE = {11: 'i1', 12: 'u1', 13: 'i4', 15: 'i2', 16: 'u2'}
_REF = 100


@naming.public('framework.dtypes')
class DType(Constant):
    """A data type. There is one object for each, so `is` works, too."""

    __slots__ = ('_enum',)

    def __init__(self, type_enum: int, handle_data: Any = None) -> None:
        type_enum = int(type_enum)
        if type_enum % _REF not in _NAMES:
            raise TypeError(f'{type_enum} is not a valid data type')
        if handle_data is not None:
            raise NotImplementedError('tf.DType: Berth keeps what a handle points to with the tensor')
        self._enum = type_enum

    @property
    def as_datatype_enum(self) -> int:
        """The number in messages."""
        return self._enum

    number = as_datatype_enum

    @property
    def name(self) -> str:
        """"float32", "int32_ref", …"""
        return _NAMES[self._enum % _REF] + ('_ref' if self._is_ref_dtype else '')

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._enum > _REF

    @property
    def base_dtype(self) -> 'DType':
        """This type without `_ref`."""
        return _BY_ENUM[self._enum % _REF]

    @property
    def _as_ref(self) -> 'DType':
        return _BY_ENUM[self._enum % _REF + _REF]

    @property
    def real_dtype(self) -> 'DType':
        """The type of the real part."""
        return {8: float32, 18: float64}.get(self._enum % _REF, self)

    @property
    def as_numpy_dtype(self) -> Any:
        """The type that numpy has for this; KeyError where it has none."""
        import numpy

        enum = self._enum % _REF
        if enum in (20, 21):
            raise KeyError(self._enum)
        if enum == 7:
            return object
        if enum in _QUANTIZED_BASE:
            return numpy.dtype([(self.base_dtype.name, _QUANTIZED_BASE[enum])])
        if enum == 14 or enum >= 24:
            return _extra_numpy_type(_NAMES[enum])
        return numpy.dtype(_NAMES[enum]).type

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """True when numpy has the type."""
        return self._enum % _REF not in (20, 21)

    @property
    def is_bool(self) -> builtins.bool:
        """True for bool."""
        return self._enum % _REF == 10

    @property
    def is_floating(self) -> builtins.bool:
        """True for real numbers with a fraction."""
        return self._enum % _REF in _FLOATS

    @property
    def is_integer(self) -> builtins.bool:
        """True for integers that are not quantized."""
        return self._enum % _REF in _SIGNED or self._enum % _REF in _UNSIGNED

    @property
    def is_unsigned(self) -> builtins.bool:
        """True for integers without a sign."""
        return self._enum % _REF in _UNSIGNED

    @property
    def is_quantized(self) -> builtins.bool:
        """True for quantized numbers."""
        return self._enum % _REF in _QUANTIZED

    @property
    def is_complex(self) -> builtins.bool:
        """True for complex numbers."""
        return self._enum % _REF in (8, 18)

    @property
    def size(self) -> int:
        """Bytes of an element; 0 for strings."""
        return 0 if self.name in ('resource', 'variant') else _SIZES.get(self._enum % _REF, 0)

    @property
    def min(self) -> Any:
        """The smallest value."""
        return self._limit('min', 'minimum')

    @property
    def max(self) -> Any:
        """The largest value."""
        return self._limit('max', 'maximum')

    def _limit(self, end: str, word: str) -> Any:
        import numpy

        if self.is_quantized or self._enum % _REF in (7, 8, 18, 20, 21):
            raise TypeError(f'Cannot find {word} value of {self} with type {self}.')
        if self.is_bool:
            return end == 'max'
        if self.is_integer:
            return getattr(numpy.iinfo(self.as_numpy_dtype), end)
        if self._enum % _REF in (1, 2, 19):
            return getattr(numpy.finfo(self.as_numpy_dtype), end)
        import ml_dtypes

        return getattr(ml_dtypes.finfo(self.as_numpy_dtype), end)

    @property
    def is_numeric(self) -> builtins.bool:
        """True for numbers of any kind."""
        return self.is_floating or self.is_integer or self.is_complex or self.is_quantized

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of intensities that images of this type have: from 0, for fractions to 1."""
        enum = self._enum % _REF
        if enum in (1, 2):
            return 0, 1
        if not (self.is_integer or self.is_bool) or enum > 23:
            raise ValueError(f'{self} does not have defined limits.')
        return 0, True if self.is_bool else (1 << self.size * 8 - (not self.is_unsigned)) - 1

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """True for the same type."""
        return self == other

    def most_specific_common_supertype(self, types: Any) -> 'DType | None':
        """Returns this type when all are the same, else None."""
        return self if all(self == other for other in types) else None

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """True when a tensor of |other| can be used where this is wanted."""
        other = as_dtype(other)
        return self._enum in (other._enum, other.base_dtype._enum)

    def __eq__(self, other: object) -> builtins.bool:
        if other is None:
            return False
        if not isinstance(other, DType):
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self._enum == other._enum

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._enum

    def __int__(self) -> int:
        return self._enum

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return 'tf.' + self.name

    def __str__(self) -> str:
        return f'<dtype: {self.name!r}>'


def _extra_numpy_type(name: str) -> Any:
    """Returns a type that numpy itself lacks, from the package that adds it."""
    try:
        import ml_dtypes
    except ImportError as error:
        raise TypeError(f'numpy has no {name}; the package ml_dtypes adds it') from error
    return getattr(ml_dtypes, name)


_BY_ENUM = {n + ref: DType(n + ref) for n in _NAMES for ref in (0, _REF)}
_BY_NAME = {dtype.name: dtype for dtype in _BY_ENUM.values()}


def by_number() -> dict[int, DType]:
    """Returns all types by their numbers."""
    return _BY_ENUM

_BY_NAME.update({
    alias + ref: _BY_NAME[name + ref]
    for alias, name in (('half', 'float16'), ('float', 'float32'), ('double', 'float64'))
    for ref in ('', '_ref')
})

float16 = half = _BY_ENUM[19]
float32 = _BY_ENUM[1]
float64 = double = _BY_ENUM[2]
bfloat16 = _BY_ENUM[14]
int8 = _BY_ENUM[6]
int16 = _BY_ENUM[5]
int32 = _BY_ENUM[3]
int64 = _BY_ENUM[9]
uint8 = _BY_ENUM[4]
uint16 = _BY_ENUM[17]
uint32 = _BY_ENUM[22]
uint64 = _BY_ENUM[23]
bool = _BY_ENUM[10]
string = _BY_ENUM[7]
complex64 = _BY_ENUM[8]
complex128 = _BY_ENUM[18]
qint8 = _BY_ENUM[11]
qint16 = _BY_ENUM[15]
qint32 = _BY_ENUM[13]
quint8 = _BY_ENUM[12]
quint16 = _BY_ENUM[16]
resource = _BY_ENUM[20]
variant = _BY_ENUM[21]
float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, int4, uint4, int2, uint2, \
    float4_e2m1fn = (_BY_ENUM[n] for n in range(24, 34))
QUANTIZED_DTYPES = frozenset(_BY_ENUM[n + ref] for n in _QUANTIZED for ref in (0, _REF))

_PYTHON_TYPES: dict[Any, DType] = {float: float32, builtins.bool: bool, object: string}


def as_dtype(type_value: Any) -> DType:
    """Returns the type that |type_value| means: a DType, a number, a name, one of numpy's."""
    if isinstance(type_value, DType):
        return type_value
    try:
        found = (_BY_ENUM.get(type_value) or _BY_NAME.get(type_value)
                 or _PYTHON_TYPES.get(type_value))
    except TypeError:  # What has no hash is no type.
        found = None
    found = found or _from_numpy(type_value)
    if found is None:
        raise TypeError('Cannot convert the argument `type_value`: '
                        f'{type_value!r} to a TensorFlow DType.')
    return found


def _from_numpy(type_value: Any) -> DType | None:
    """Returns the type for one of numpy's, or None; numpy is there if |type_value| is its own."""
    module = getattr(type_value, '__module__', None) or type(type_value).__module__
    if not isinstance(module, str) or not module.startswith(('numpy', 'ml_dtypes')):
        return None
    import numpy

    try:
        dtype = numpy.dtype(type_value)
    except TypeError:
        return None
    if dtype.names is not None and len(dtype.names) == 1:
        return _BY_NAME.get(dtype.names[0])
    if dtype.kind in 'SUO':
        return string
    return _BY_NAME.get(dtype.name)
