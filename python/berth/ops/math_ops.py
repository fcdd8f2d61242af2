"""math_ops.py - Arithmetic, comparisons, reductions, and operators on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth import _core as core
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.framework.gen import wrapper
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import Tensor

# ---- One op each ----

square = wrapper('Square')
sqrt = wrapper('Sqrt')
rsqrt = wrapper('Rsqrt')
exp = wrapper('Exp')
expm1 = wrapper('Expm1')
log = wrapper('Log')
log1p = wrapper('Log1p')
sin = wrapper('Sin')
cos = wrapper('Cos')
tan = wrapper('Tan')
asin = wrapper('Asin')
acos = wrapper('Acos')
atan = wrapper('Atan')
sinh = wrapper('Sinh')
cosh = wrapper('Cosh')
asinh = wrapper('Asinh')
acosh = wrapper('Acosh')
atanh = wrapper('Atanh')
tanh = wrapper('Tanh')
sigmoid = wrapper('Sigmoid')
atan2 = wrapper('Atan2')
erf = wrapper('Erf')
erfc = wrapper('Erfc')
lgamma = wrapper('Lgamma')
digamma = wrapper('Digamma')
floor = wrapper('Floor')
ceil = wrapper('Ceil')
rint = wrapper('Rint')
sign = wrapper('Sign')
negative = wrapper('Neg')
reciprocal = wrapper('Reciprocal')
is_nan = wrapper('IsNan')
is_inf = wrapper('IsInf')
is_finite = wrapper('IsFinite')
maximum = wrapper('Maximum')
minimum = wrapper('Minimum')
squared_difference = wrapper('SquaredDifference')
xlogy = wrapper('Xlogy')
xdivy = wrapper('Xdivy')
multiply_no_nan = wrapper('MulNoNan')
floormod = wrapper('FloorMod')
mod = floormod
truncatediv = wrapper('TruncateDiv')
truncatemod = wrapper('TruncateMod')
realdiv = wrapper('RealDiv')
floor_div = wrapper('FloorDiv')
logical_and = wrapper('LogicalAnd')
logical_or = wrapper('LogicalOr')
logical_not = wrapper('LogicalNot')
less = wrapper('Less')
less_equal = wrapper('LessEqual')
greater = wrapper('Greater')
greater_equal = wrapper('GreaterEqual')
bitwise_and = wrapper('BitwiseAnd')
unsorted_segment_sum = wrapper('UnsortedSegmentSum')
subtract = wrapper('Sub')
multiply = wrapper('Mul')


@gen.quick('Equal', 'x y name')
def equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Tells where both are the same."""
    return gen.apply('Equal', name, {'x': x, 'y': y})


@gen.quick('NotEqual', 'x y name')
def not_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Tells where both differ."""
    return gen.apply('NotEqual', name, {'x': x, 'y': y})


def _part_of_real(op: str, value: Any, name: Any) -> Any:
    """Returns what is imaginary in real numbers, or their angle."""
    from berth.ops import array_ops

    zeros = array_ops.zeros_like(value)
    if op == 'Imag':
        return zeros
    return array_ops.where(value < 0, np.pi * array_ops.ones_like(value), zeros)


def _part(op: str, default: str) -> Any:
    def function(input: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
        with scopes.name_scope(name, default, [input]) as name:
            value = convert.convert_to_tensor(input, name='input')
            if not value.dtype.is_complex:
                return value if op == 'Real' else _part_of_real(op, value, name)
            return gen.apply(op, name, {'input': value}, {'Tout': 'float32' if value.dtype.size == 8 else 'float64'})

    function.__name__ = op.lower()
    function.__doc__ = f'Makes the op {op} of complex numbers.'
    return function


real = _part('Real', 'Real')
imag = _part('Imag', 'Imag')
angle = _part('Angle', 'Angle')


def complex_(real: Any, imag: Any, name: str | None = None) -> Any:
    """Returns complex numbers of their real and imaginary parts."""
    real = convert.convert_to_tensor(real, name='real')
    imag = convert.convert_to_tensor(imag, name='imag')
    with scopes.name_scope(name, 'Complex', [real, imag]) as name:
        kinds = real.dtype, imag.dtype
        if kinds not in ((dtypes.float32, dtypes.float32), (dtypes.float64, dtypes.float64)):
            raise TypeError(f'The `real` and `imag` components have incorrect types: {kinds[0].name} {kinds[1].name}. '
                            'They must be consistent, and one of [tf.float32, tf.float64]')
        wide = 'complex64' if kinds[0] == dtypes.float32 else 'complex128'
        return gen.apply('Complex', name, {'real': real, 'imag': imag}, {'Tout': wide})


def conj(x: Any, name: str | None = None) -> Any:
    """Returns complex conjugates; real numbers stay as they are."""
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with scopes.name_scope(name, 'Conj', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return gen.apply('Conj', name, {'input': x}) if x.dtype.is_complex else x


@gen.quick('Abs', 'x name')
def abs(x: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns the absolute values."""
    with scopes.name_scope(name, 'Abs', [x]) as name:
        if isinstance(x, Composite):
            return gen.apply('Abs', name, {'x': x})
        x = convert.convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return gen.apply('ComplexAbs', name, {'x': x}, {'Tout': 'float32' if x.dtype.size == 8 else 'float64'})
        return gen.apply('Abs', name, {'x': x})


@gen.quick('Round', 'x name', gen.FLOATS)
def round(x: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Rounds to the nearest integer, halves to even; integers stay as they are."""
    x = convert.convert_to_tensor(x, name='x')
    return x if x.dtype.is_integer else gen.apply('Round', name, {'x': x})


@gen.quick('AddV2', 'x y name', converts_first=True)
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x + y."""
    quick = gen.binary('AddV2', name, 'Add', x, y)
    if quick is not None:
        return quick
    with scopes.name_scope(name, 'Add', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        y = convert.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name='y')
        return gen.apply('Add' if x.dtype == dtypes.string else 'AddV2', name, {'x': x, 'y': y})


@gen.quick('Pow', 'x y name')
def pow(x: Any, y: Any, name: str | None = None) -> Any:  # pylint: disable=redefined-builtin
    """Returns x to the power of y."""
    with scopes.name_scope(name, 'Pow', [x]) as name:
        return gen.apply('Pow', name, {'x': x, 'y': y})


def _real_types(x: Any, y: Any) -> Any:
    """Casts integers to the floating type that true division gives them."""
    wide = {'int8': 'float32', 'uint8': 'float32', 'int16': 'float32', 'uint16': 'float32', 'int32': 'float64',
            'int64': 'float64', 'uint32': 'float64', 'uint64': 'float64'}.get(x.dtype.base_dtype.name)
    return (x, y) if wide is None else (cast(x, wide), cast(y, wide))


def _true_quotient(x: Any, y: Any, name: Any) -> Any:
    with scopes.name_scope(name, 'truediv', [x, y]) as name:
        x = convert.convert_to_tensor(x, name='x')
        y = convert.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name='y')
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError(f'`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.')
        x, y = _real_types(x, y)
        return gen.apply('RealDiv', name, {'x': x, 'y': y})


@gen.quick('RealDiv', 'x y name', gen.FLOATS, converts_first=True)
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as Python's / does."""
    return _true_quotient(x, y, name)


@gen.quick('RealDiv', 'x y name', gen.FLOATS, converts_first=True)
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as Python's / does."""
    if name is not None:
        with scopes.name_scope(name) as scope:
            return _true_quotient(x, y, scope)
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        x = convert.convert_to_tensor(x)
    return x / y


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as Python 2 did: integers give the floor."""
    with scopes.name_scope(name, 'div', [x, y]) as name:
        x = convert.convert_to_tensor(x, name='x')
        y = convert.convert_to_tensor(y, dtype=x.dtype.base_dtype, name='y')
        is_real = x.dtype.is_floating or x.dtype.is_complex
        return gen.apply('RealDiv' if is_real else 'FloorDiv', name, {'x': x, 'y': y})


@gen.quick('DivNoNan', 'x y name', gen.FLOATS, converts_first=True)
def div_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides; what is divided by zero is zero."""
    with scopes.name_scope(name, 'div_no_nan', [x, y]) as name:
        x = convert.convert_to_tensor(x, name='x')
        y = convert.convert_to_tensor(y, dtype=x.dtype.base_dtype, name='y')
        return gen.apply('DivNoNan', name, {'x': x, 'y': y})


@gen.quick('FloorDiv', 'x y name')
def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides and rounds down."""
    with scopes.name_scope(name, 'floordiv', [x, y]) as name:
        return gen.apply('FloorDiv', name, {'x': x, 'y': y})


def logical_xor(x: Any, y: Any, name: str = 'LogicalXor') -> Any:
    """Returns x ^ y of booleans."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


@gen.quick('Cast', 'x dtype=DstT name', change='DstT')
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Changes the type of the elements."""
    if not isinstance(dtype, dtypes.DType):
        try:
            dtype = dtypes.as_dtype(dtype)
        except TypeError:
            raise TypeError(f'Cannot convert the argument `type_value`: {dtype!r} to a TensorFlow DType.') from None
    base = dtype.base_dtype
    if (isinstance(x, Tensor) or getattr(x, '_is_resource', False)) and base == x.dtype:
        return x
    with scopes.name_scope(name, 'Cast', [x]) as name:
        if isinstance(x, Composite):
            return x._with_parts([cast(p, dtype) if p is x._elements else p for p in x._parts()])
        x = convert.convert_to_tensor(x, name='x')
        return x if x.dtype.base_dtype == base else gen.apply('Cast', name, {'x': x}, {'DstT': base})


def _caster(name: str, target: str) -> Any:
    def function(x: Any, name: str = name) -> Any:
        return cast(x, target, name=name)

    function.__name__ = 'to_' + target
    function.__doc__ = f'Casts to {target}.'
    return function


to_float = _caster('ToFloat', 'float32')
to_double = _caster('ToDouble', 'float64')
to_int32 = _caster('ToInt32', 'int32')
to_int64 = _caster('ToInt64', 'int64')
to_bfloat16 = _caster('ToBFloat16', 'bfloat16')
to_complex64 = _caster('ToComplex64', 'complex64')
to_complex128 = _caster('ToComplex128', 'complex128')


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts, with values outside the new type's range brought to its ends."""
    dtype = dtypes.as_dtype(dtype)
    with scopes.name_scope(name, 'saturate_cast', [value]) as name:
        value = convert.convert_to_tensor(value, name='value')
        ends = np.iinfo if dtype.is_integer else np.finfo
        own = (np.iinfo if value.dtype.is_integer else np.finfo)(value.dtype.as_numpy_dtype)
        limits = ends(dtype.as_numpy_dtype)
        low, high = max_of(own.min, limits.min), min_of(own.max, limits.max)
        value = clip_by_value(value, convert.constant(low, value.dtype, name='min'),
                              convert.constant(high, value.dtype, name='max'), name='clamp')
        return cast(value, dtype, name=name)


max_of, min_of = max, min
_WIDE = 1 << 31  # No int32 is as large.


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Brings values below or above two limits to them."""
    if isinstance(t, core.Tensor) and core.calls_shortly():
        lower = minimum(t, clip_value_max)
        if t._dims == lower._dims:
            return maximum(lower, clip_value_min, name)
    with scopes.name_scope(name, 'clip_by_value', [t, clip_value_min, clip_value_max]) as name:
        values = convert.convert_to_tensor(t, name='t')
        lower = minimum(values, clip_value_max)
        if not isinstance(values, core.Tensor) or values._dims != lower._dims:
            values.shape.merge_with(lower.shape)
        return maximum(lower, clip_value_min, name=name)


@gen.quick('MatMul', 'a b transpose_a transpose_b adjoint_a=- adjoint_b=- a_is_sparse=- b_is_sparse=- output_type=- '
           'grad_a grad_b name', most_rank=2, converts_first=True)
def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
           adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: Any = None,
           grad_a: bool = False, grad_b: bool = False, name: str | None = None) -> Any:
    """Multiplies matrices, or stacks of them."""
    if isinstance(a, core.Tensor) and isinstance(b, core.Tensor) and (a.ndim > 2 or b.ndim > 2) and not (
            adjoint_a or adjoint_b or a_is_sparse or b_is_sparse or output_type or a.dtype.is_complex):
        return _batch_matmul(a, b, transpose_a, transpose_b, grad_a, grad_b, name)
    with scopes.name_scope(name, 'MatMul', [a, b]) as name:
        _check_flags(transpose_a, transpose_b, adjoint_a, adjoint_b)
        a = convert.convert_to_tensor(a, name='a')
        b = convert.convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name='b')
        ranks = a.ndim, b.ndim
        # One op takes adjoints, the other transposes: what is asked otherwise is conjugated first.
        is_marked = a_is_sparse or b_is_sparse
        is_batch = (None in ranks or max_of(ranks) > 2) and not is_marked
        if transpose_a if is_batch else adjoint_a:
            a = conj(a)
        if transpose_b if is_batch else adjoint_b:
            b = conj(b)
        kind = None if output_type is None else dtypes.as_dtype(output_type)
        if kind is not None and (a.dtype.base_dtype != kind or b.dtype.base_dtype != kind) and (
                is_batch or not _is_sparse_matmul(a.dtype, b.dtype, is_marked)):
            return gen.apply('BatchMatMulV3', name, {'x': a, 'y': b}, {
                'Tout': kind, 'adj_x': transpose_a or adjoint_a, 'adj_y': transpose_b or adjoint_b, 'grad_x': grad_a,
                'grad_y': grad_b})
        if is_batch:
            return _batch_matmul(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, grad_a, grad_b, name)
        if _is_sparse_matmul(a.dtype, b.dtype, is_marked):
            product = sparse_matmul(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, a_is_sparse, b_is_sparse, name)
            return cast(product, dtypes.bfloat16) if a.dtype == b.dtype == dtypes.bfloat16 else product
        return gen.apply('MatMul', name, {'a': a, 'b': b}, {
            'transpose_a': transpose_a or adjoint_a, 'transpose_b': transpose_b or adjoint_b, 'grad_a': grad_a,
            'grad_b': grad_b})


def _is_sparse_matmul(a: Any, b: Any, is_marked: bool) -> bool:
    """True when matrices of types |a| and |b| are multiplied by SparseMatMul, which alone takes two types."""
    if is_marked:
        return a in (dtypes.bfloat16, dtypes.float32) and b in (dtypes.bfloat16, dtypes.float32)
    return a != b and dtypes.bfloat16 in (a, b) and a.size > 1 and b.size > 1


def sparse_matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, a_is_sparse: bool = False,
                  b_is_sparse: bool = False, name: str | None = None) -> Any:
    """Multiplies matrices of which one may have many zeros."""
    return gen.apply('SparseMatMul', name, {'a': a, 'b': b}, {
        'transpose_a': transpose_a, 'transpose_b': transpose_b, 'a_is_sparse': a_is_sparse, 'b_is_sparse': b_is_sparse})


@gen.quick('BatchMatMulV2', 'x y adj_x adj_y grad_x grad_y name')
def _batch_matmul(x: Any, y: Any, adj_x: bool, adj_y: bool, grad_x: bool, grad_y: bool, name: Any) -> Any:
    return gen.apply('BatchMatMulV2', name, {'x': x, 'y': y},
                     {'adj_x': adj_x, 'adj_y': adj_y, 'grad_x': grad_x, 'grad_y': grad_y})


def _check_flags(transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool) -> None:
    if not (adjoint_a or adjoint_b):
        return
    for which, transpose, adjoint in (('a', transpose_a, adjoint_a), ('b', transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(f'Only one of `transpose_{which}` and `adjoint_{which}` can be True. Received '
                             f'`transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}.')


@gen.quick('AddN', 'inputs name', takes_tensors=True)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Returns the sum of a list of tensors."""
    text = 'Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.'
    inputs = list(inputs)
    if not inputs:
        raise ValueError(text)
    if len(inputs) == 1:
        value = convert.convert_to_tensor(inputs[0])
        return value if not name else gen.apply('Identity', name, {'input': value})
    return gen.apply('AddN', name, {'inputs': [convert.convert_to_tensor(each) for each in inputs]})


def convert_all(inputs: Any) -> Any:
    """Converts variables in a list to tensors; the rest is left for the op."""
    return [convert.convert_to_tensor(i) if convert.is_tensor(i) or convert.stands_in(i) else i for i in inputs]


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Any:
    """Returns the sum of a list of tensors."""
    return add_n(inputs, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies by a scalar."""
    scalar = convert.convert_to_tensor(scalar, dtype_hint=getattr(x, 'dtype', None), name='scalar')
    return multiply(scalar, x, name)


@gen.quick('Cumsum', 'x axis exclusive reverse name', axis=0)
def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Any:
    """Returns running sums along an axis."""
    with scopes.name_scope(name, 'Cumsum', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return gen.apply('Cumsum', name, {'x': x, 'axis': axis}, {'exclusive': exclusive, 'reverse': reverse})


@gen.quick('Cumprod', 'x axis exclusive reverse name', axis=0)
def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
            name: str | None = None) -> Any:
    """Returns running products along an axis."""
    with scopes.name_scope(name, 'Cumprod', [x]) as name:
        x = convert.convert_to_tensor(x, name='x')
        return gen.apply('Cumprod', name, {'x': x, 'axis': axis}, {'exclusive': exclusive, 'reverse': reverse})


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None,  # pylint: disable=redefined-builtin
          name: str = 'range') -> Any:
    """Returns numbers from start up to, not including, limit."""
    if limit is None:
        start, limit = 0, start
    if (type(start) is type(limit) is type(delta) is int and dtype is None and -_WIDE < start < _WIDE
            and -_WIDE < limit < _WIDE and -_WIDE < delta < _WIDE and core.calls_shortly()):
        return gen.apply('Range', None, {'start': start, 'limit': limit, 'delta': delta})
    with scopes.name_scope(name, 'Range', [start, limit, delta]) as name:
        parts = [_range_part(v, dtype, n) for v, n in ((start, 'start'), (limit, 'limit'), (delta, 'delta'))]
        if dtype is None:
            order = ['int32', 'int64', 'float32', 'float64']
            if any(p.dtype.base_dtype.name not in order for p in parts):
                raise AssertionError  # TensorFlow's, also under python -O.
            widest = order[max_of(order.index(p.dtype.base_dtype.name) for p in parts)]
        else:
            widest = dtypes.as_dtype(dtype).name
        begin, end, step = (cast(p, widest) for p in parts)
        return gen.apply('Range', name, {'start': begin, 'limit': end, 'delta': step})


def _range_part(value: Any, dtype: Any, name: str) -> Any:
    return value if isinstance(value, Tensor) else convert.convert_to_tensor(value, dtype, name)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """Returns |num| values from start to stop, evenly spaced."""
    first = convert.convert_to_tensor(start, name='start')
    if isinstance(num, (str, bytes)):
        text = convert.convert_to_tensor(num, name='linspace/num')
        shown = text.numpy() if scopes.executing_eagerly() else text
        raise TypeError(f'Argument `tensor` (name: num) must be of type integer. Received `tensor` = {shown} of dtype: '
                        f'{text.dtype}')
    is_plain = first.shape.rank == 0 and np.ndim(num) == 0 and not isinstance(num, Tensor) and num > 0
    if is_plain and axis == 0 and first.dtype.is_floating and getattr(stop, 'shape', ()) == ():
        values = gen.apply('LinSpace', name, {'start': first, 'stop': stop, 'num': num})
        if not scopes.executing_eagerly():
            values.set_shape([int(num)])
        return values
    with scopes.name_scope(name, 'linspace', [start, stop]):
        return _spaced(first, convert.convert_to_tensor(stop, dtype=first.dtype, name='stop'), num, axis)


def _spaced(start: Any, stop: Any, num: Any, axis: int) -> Any:
    """Returns |num| values between each pair of two tensors' elements, along a new axis."""
    from berth.framework import static_value
    from berth.ops import array_ops

    count = cast(convert.convert_to_tensor(num, name='num'), dtypes.int32)
    shape: Any = static_value.broadcast_static_shape(start.shape, stop.shape)
    if not shape.is_fully_defined():
        shape = static_value.broadcast_dynamic_shape(array_ops.shape(start), array_ops.shape(stop))
    start, stop = (array_ops.expand_dims(array_ops.broadcast_to(x, shape), axis) for x in (start, stop))
    rank = start.shape.rank
    if rank is None:
        raise NotImplementedError('tf.linspace: Berth needs the number of dimensions of its ends.')
    steps = maximum(count - 1, 1)
    delta = (stop - start) / cast(steps, stop.dtype)
    start, stop = cast(start, delta.dtype), cast(stop, delta.dtype)
    inner = cast(range(1, array_ops.where_v2(count >= 0, steps, -1), dtype=dtypes.int64), delta.dtype)
    inner = array_ops.reshape(inner, [-1 if i == axis % rank else 1 for i in np.arange(rank).tolist()])
    values = array_ops.concat([start, start + delta * inner, stop], axis % rank)
    sizes = [count if i == axis % rank else -1 for i in np.arange(rank).tolist()]
    return array_ops.slice(values, [0] * rank, array_ops.stack(sizes))


@gen.quick('ArgMax', 'input axis=dimension name dimension=- output_type', dimension=0)
def argmax(input: Any, axis: Any = None, name: str | None = None,  # pylint: disable=redefined-builtin
           dimension: Any = None, output_type: Any = dtypes.int64) -> Any:
    """Returns where the largest value along an axis is."""
    axis = _first_given(axis, dimension, 0)
    return gen.apply('ArgMax', name, {'input': input, 'dimension': axis}, {'output_type': output_type})


@gen.quick('ArgMin', 'input axis=dimension name dimension=- output_type', dimension=0)
def argmin(input: Any, axis: Any = None, name: str | None = None,  # pylint: disable=redefined-builtin
           dimension: Any = None, output_type: Any = dtypes.int64) -> Any:
    """Returns where the smallest value along an axis is."""
    axis = _first_given(axis, dimension, 0)
    return gen.apply('ArgMin', name, {'input': input, 'dimension': axis}, {'output_type': output_type})


def _first_given(*values: Any) -> Any:
    return next((v for v in values if v is not None), None)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Multiplies and sums over pairs of axes."""
    from berth.ops import array_ops

    with scopes.name_scope(name, 'Tensordot', [a, b, axes]) as name:
        a = convert.convert_to_tensor(a, name='a')
        b = convert.convert_to_tensor(b, name='b')
        if a.shape.rank is None or b.shape.rank is None:
            return _tensordot_by_ranks(a, b, axes, name)
        pairs = _axis_pairs(axes, a)
        left, free_left = _as_matrix(a, pairs[0], False)
        right, free_right = _as_matrix(b, pairs[1], True)
        product = matmul(left, right)
        sizes = free_left + free_right
        if any(convert.is_tensor(size) for size in sizes):
            result = array_ops.reshape(product, sizes, name=name)
            result.set_shape([None if convert.is_tensor(size) else size for size in sizes])
            return result
        return product if product.shape.as_list() == sizes else array_ops.reshape(product, sizes, name=name)


def _tensordot_by_ranks(a: Any, b: Any, axes: Any, name: str) -> Any:
    """Multiplies tensors of which one may have any number of dimensions."""
    from berth.ops import array_ops

    if isinstance(axes, (int, np.integer)):
        if a.shape.rank is not None:
            first = convert.convert_to_tensor(_axis_pairs(axes, a)[0], dtypes.int32)
        else:
            first = range(array_ops.rank(a) - axes, array_ops.rank(a))
        second = range(axes)
    else:
        first, second = (convert.convert_to_tensor([int(i) for i in part], dtypes.int32)
                         for part in _axis_pairs(axes, a))
    left, free_left = _as_matrix_by_rank(a, first, False)
    right, free_right = _as_matrix_by_rank(b, second, True)
    return array_ops.reshape(matmul(left, right), array_ops.concat([free_left, free_right], 0), name=name)


def _as_matrix_by_rank(x: Any, axes: Any, is_right: bool) -> Any:
    """Returns |x| with |axes| joined on one side, and the sizes of the others, all of them tensors."""
    from berth.ops import array_ops, reduce_ops

    shape, rank = array_ops.shape(x), array_ops.rank(x)
    axes = array_ops.where_v2(axes >= 0, axes, axes + rank)
    rest = gen.apply('ListDiff', None, {'x': range(rank), 'y': axes})[0]
    free = array_ops.gather(shape, rest)
    inner, outer = reduce_ops.reduce_prod(array_ops.gather(shape, axes)), reduce_ops.reduce_prod(free)
    order, sizes = ([axes, rest], [inner, outer]) if is_right else ([rest, axes], [outer, inner])
    return array_ops.reshape(array_ops.transpose(x, array_ops.concat(order, 0)), array_ops.stack(sizes)), free


def _axis_pairs(axes: Any, a: Any) -> Any:
    """Returns the axes of both operands that are summed over."""
    rank = a.shape.rank
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f'`axes` must be at least 0. Received: {axes}.')
        if axes > rank:
            raise ValueError(f'`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, '
                             f'vs tensor dimensions {rank}.')
        return list(np.arange(rank - axes, rank)), list(np.arange(axes))
    if isinstance(axes, str):
        convert.convert_to_tensor(axes, dtypes.int32)  # Which says so.
    if isinstance(axes, (list, tuple)) and len(axes) != 2:
        raise ValueError(f'`axes` must be an integer or have length 2. Received {axes}.')
    pairs = [[part] if isinstance(part, (int, np.integer)) else list(part) for part in (axes[0], axes[1])]
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f'Different number of contraction axes `a` and `b`, {len(pairs[0])} != {len(pairs[1])}.')
    return pairs


def _as_matrix(x: Any, axes: Any, is_right: bool) -> Any:
    """Returns |x| with |axes| joined on one side, and the sizes of the others."""
    from berth.ops import array_ops

    sizes: list[Any] = x.shape.as_list()
    axes = [int(i) % len(sizes) for i in axes]
    rest = [i for i in np.arange(len(sizes)).tolist() if i not in axes]
    order = axes + rest if is_right else rest + axes
    if None in sizes:
        known = array_ops.shape(x)
        sizes = [known[i] if size is None else size for i, size in enumerate(sizes)]
    free = [sizes[i] for i in rest]
    inner, outer = _product([sizes[i] for i in axes]), _product(free)
    if order != sorted(order):
        x = array_ops.transpose(x, order)
    wanted = [inner, outer] if is_right else [outer, inner]
    if not any(convert.is_tensor(size) for size in wanted) and x.shape.as_list() == wanted:
        return x, free
    return array_ops.reshape(x, wanted), free


def _product(sizes: list[Any]) -> Any:
    """Returns the product of sizes: a number, or a tensor where one of them is."""
    result = int(np.prod([size for size in sizes if not convert.is_tensor(size)]))
    for size in sizes:
        result = result * size if convert.is_tensor(size) else result
    return result


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scales values down to a Euclidean norm, if theirs is larger."""
    from berth.ops import array_ops, reduce_ops

    with scopes.name_scope(name, 'clip_by_norm', [t, clip_norm]) as name:
        values = convert.convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name='t')
        total = reduce_ops.reduce_sum(values * values, axes, keepdims=True)
        is_positive = total > 0
        safe = array_ops.where(is_positive, total, array_ops.ones_like(total))
        size = array_ops.where(is_positive, sqrt(safe), total)
        scaled = values * clip_norm
        scaled.shape.assert_is_compatible_with(values.shape)  # The norm may have no more axes.
        clipped = array_ops.identity(scaled / maximum(size, clip_norm), name=name)
        return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped
