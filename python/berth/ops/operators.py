"""operators.py - What +, *, [] and the rest do on tensors and variables."""

from __future__ import annotations

import builtins
from typing import Any, Callable

import numpy as np

from berth import _core as core
from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework.node import Tensor
from berth.ops import array_ops, math_ops

_BAD_INDEX = ('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 '
              'tensors are valid indices')


def _plain(op: str) -> Callable[[Any, Any, Any], Any]:
    def function(x: Any, y: Any, name: Any) -> Any:
        return gen.apply(op, name, {'x': x, 'y': y})

    return function


def _logical(op: str, bits: str) -> Callable[[Any, Any, Any], Any]:
    def function(x: Any, y: Any, name: Any) -> Any:
        if x.dtype.base_dtype == dtypes.bool:
            return math_ops.logical_xor(x, y, name) if op == 'LogicalXor' else gen.apply(op, name, {'x': x, 'y': y})
        return gen.apply(bits, None, {'x': x, 'y': y})

    return function


def _matmul(x: Any, y: Any, name: Any) -> Any:
    return math_ops.matmul(x, y, name=name)


def _sum(x: Any, y: Any, name: Any) -> Any:
    if not isinstance(y, Tensor):
        y = convert.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name='y')
    op = 'Add' if getattr(x, 'dtype', None) == dtypes.string else 'AddV2'
    return gen.apply(op, name, {'x': x, 'y': y})


def _is_operand(value: Any) -> bool:
    """False for objects that bring their own reflected operator."""
    return not (hasattr(type(value), '__array_priority__') and getattr(value, '__array_priority__', 0) > 100)


# What most operators are one op of; others depend on the types.
_OPS = {'add': 'AddV2', 'sub': 'Sub', 'mul': 'Mul', 'truediv': 'RealDiv', 'floordiv': 'FloorDiv', 'mod': 'FloorMod',
        'pow': 'Pow', 'matmul': 'MatMul', 'and': 'LogicalAnd', 'or': 'LogicalOr'}
_TERMS: dict[str, dict[str, Any]] = {'truediv': {'types': gen.FLOATS}, 'matmul': {'most_rank': 2}}


def _quick(name: str, operator: Any, is_reflected: bool) -> Any:
    """Gives an operator the short way to its op, if it has one."""
    op = _OPS.get(name)
    if op is None:
        return operator
    x, y = ('a', 'b') if op == 'MatMul' else ('x', 'y')
    order = f'y={y} x={x}' if is_reflected else f'x={x} y={y}'
    return gen.quick(op, order, **_TERMS.get(name, {}))(operator)


def _binary(function: Callable[[Any, Any, Any], Any], name: str) -> Any:
    op = _OPS.get(name) if name in ('add', 'sub', 'mul') else None

    def operator(x: Any, y: Any) -> Any:
        plain = gen.binary(op, None, name, x, y) if op is not None else None
        if plain is not None:
            return plain
        if not _is_operand(y):
            return NotImplemented
        with scopes.name_scope(None, name, [x, y]) as scope:
            return function(x, y, scope)

    return _quick(name, operator, False)


def _reflected(function: Callable[[Any, Any, Any], Any], name: str) -> Any:
    def operator(y: Any, x: Any) -> Any:
        with scopes.name_scope(None, name, [x, y]) as scope:
            x = convert.convert_to_tensor(x, dtype=y.dtype.base_dtype, name='x')
            return function(x, y, scope)

    return _quick(name, operator, True)


_BINARY = (('add', _sum, 'add'), ('sub', _plain('Sub'), 'sub'), ('mul', _plain('Mul'), 'mul'),
           ('truediv', math_ops._true_quotient, 'truediv'), ('floordiv', _plain('FloorDiv'), 'floordiv'),
           ('mod', _plain('FloorMod'), 'mod'), ('pow', _plain('Pow'), 'pow'), ('matmul', _matmul, 'matmul'),
           ('and', _logical('LogicalAnd', 'BitwiseAnd'), 'and'),
           ('or', _logical('LogicalOr', 'BitwiseOr'), 'or'), ('xor', _logical('LogicalXor', 'BitwiseXor'), 'xor'))


def _comparison(op: str) -> Any:
    @gen.quick(op, 'x y')
    def operator(x: Any, y: Any) -> Any:
        return gen.apply(op, None, {'x': x, 'y': y})

    return operator


@gen.quick('Neg', 'x')
def _negated(x: Any) -> Any:
    return math_ops.negative(x)


@gen.quick('LogicalNot', 'x')
def _inverted(x: Any) -> Any:
    return math_ops.logical_not(x) if x.dtype.base_dtype == dtypes.bool else gen.apply('Invert', None, {'x': x})


@gen.quick('Abs', 'x')
def _absolute(x: Any) -> Any:
    return math_ops.abs(x)


# ---- Slices ----

class _Cut:
    """The arguments of a strided slice, while the index is gone through."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks: dict[str, Any] = {'begin_mask': 0, 'end_mask': 0,
                                      'ellipsis_mask': 0, 'new_axis_mask': 0, 'shrink_axis_mask': 0}

    def add(self, begin: Any, end: Any, stride: Any = 1, *masks: str) -> None:
        """Adds one dimension; |masks| name the masks that get its bit."""
        for mask in masks:
            self.masks[mask] |= 1 << len(self.begin)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


def _add_index(cut: _Cut, item: Any) -> None:
    if isinstance(item, builtins.slice):
        masks = [m for m, v in (('begin_mask', item.start), ('end_mask', item.stop)) if v is None]
        for part in (item.start, item.stop, item.step):
            if part is not None:
                _check_index(part)
        given = next((p.dtype for p in (item.start, item.stop, item.step) if convert.is_tensor(p)), None)
        cut.add(*(_part(p, missing, given) for p, missing in ((item.start, 0), (item.stop, 0), (item.step, 1))), *masks)
    elif item is Ellipsis:
        cut.add(0, 0, 1, 'ellipsis_mask')
    elif item is None:
        cut.add(0, 0, 1, 'new_axis_mask')
    else:
        if isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in 'iu':
            item = int(item)
        _check_index(item)
        end = item + 1
        is_long = convert.is_tensor(item) and item.dtype == dtypes.int64
        cut.add(item, end, convert.constant(1, dtypes.int64) if is_long else 1, 'shrink_axis_mask')


def _part(value: Any, missing: int, dtype: Any) -> Any:
    """Returns a part of a slice; one that is missing beside tensors is a constant of their type."""
    if value is not None or dtype is None:
        return missing if value is None else value
    return convert.constant(missing, dtype.base_dtype)


def _check_index(item: Any) -> None:
    if isinstance(item, Tensor) or hasattr(item, '_dense_var_to_tensor'):
        kind = item.dtype.base_dtype
        if kind.name in ('int16', 'int32', 'int64') and item.shape.rank in (0, None):
            return
    elif isinstance(item, (int, np.integer)) and not isinstance(item, bool) or hasattr(item, '__index__') \
            and not isinstance(item, (bool, np.ndarray)):
        return
    raise TypeError(f'{_BAD_INDEX}, got {item!r}')


def _pack(values: list[Any]) -> Any:
    plain = [v if isinstance(v, Tensor) else convert.convert_to_tensor(v) if hasattr(v, '_dense_var_to_tensor')
             else int(v) for v in values]
    if any(isinstance(v, Tensor) for v in plain):
        kind = next(v.dtype.base_dtype for v in plain if isinstance(v, Tensor))
        return convert.convert_to_tensor(plain, dtype=kind, name='stack')
    return array_ops.stack(plain)


def get_item(tensor: Any, index: Any) -> Any:
    """Returns tensor[index]."""
    if isinstance(index, bool) or (isinstance(index, (Tensor, np.ndarray))
                                   and getattr(index, 'dtype', None) in (dtypes.bool, np.bool_)):
        return array_ops.boolean_mask(tensor, index)
    return _sliced(tensor, index, None)


def _sliced(tensor: Any, index: Any, variable: Any) -> Any:
    """Returns a slice of |tensor|, which is the value of |variable| unless that is None."""
    cut = _Cut()
    for item in index if isinstance(index, (list, tuple)) else [index]:
        _add_index(cut, item)
    with scopes.name_scope(None, 'strided_slice', [tensor] + cut.begin + cut.end + cut.strides) as name:
        if cut.begin:
            parts = [_pack(cut.begin), _pack(cut.end), _pack(cut.strides)]
            if any(p.dtype == dtypes.int64 for p in parts):
                parts = [math_ops.cast(p, dtypes.int64) for p in parts]
        else:
            parts = [convert.constant([], dtypes.int32)] * 3
        made = array_ops.strided_slice(tensor, parts[0], parts[1], parts[2], name=name, **cut.masks)
    if variable is not None:
        made.assign = _assigner(variable, parts, cut.masks, name + '_assign')
    return made


def _assigner(variable: Any, parts: list[Any], masks: dict[str, int], label: str) -> Any:
    """Makes the method `assign` of a slice of |variable|."""
    place = {'begin': parts[0], 'end': parts[1], 'strides': parts[2]}

    def assign(value: Any, name: Any = None) -> Any:
        if hasattr(variable, '_ref'):
            return gen.apply('StridedSliceAssign', name or label, {'ref': variable._ref(), **place, 'value': value}, masks)
        value = convert.convert_to_tensor(value, dtype=variable.dtype.base_dtype)
        if hasattr(variable, '_after'):
            return variable._after(gen.apply('ResourceStridedSliceAssign', name or label, {
                'ref': variable.handle, **place, 'value': value}, masks))
        given = {'input': variable.value(), **place, 'value': value}
        try:
            changed = gen.apply('TensorStridedSliceUpdate', name or label, given, masks)
        except errors.OpError as error:
            text = error.message.replace('TensorStridedSliceUpdate', 'ResourceStridedSliceAssign')
            raise type(error)(error.node_def, error.op, text) from None
        return variable.assign(changed)

    return assign


def _variable_item(variable: Any, index: Any) -> Any:
    """Returns variable[index]; what is no mask can be assigned to."""
    is_mask = isinstance(index, bool) or getattr(index, 'dtype', None) in (dtypes.bool, np.bool_)
    if is_mask:
        return get_item(variable.value(), index)
    return _sliced(variable.value(), index, variable)


def install(kind: Any) -> None:
    """Gives a class the operators of tensors."""
    for method, function, name in _BINARY:
        setattr(kind, f'__{method}__', _binary(function, name))
        setattr(kind, f'__r{method}__', _reflected(function, name))
    for method, op in (('lt', 'Less'), ('le', 'LessEqual'), ('gt', 'Greater'), ('ge', 'GreaterEqual')):
        setattr(kind, f'__{method}__', _comparison(op))
    kind.__neg__ = _negated
    kind.__invert__ = _inverted
    kind.__abs__ = _absolute
    kind.__getitem__ = core.Index(get_item)


def _of_value(operator: Any) -> Any:
    """Makes an operator on variables of one on tensors; the short way reads variables itself."""
    def method(self: Any, *rest: Any) -> Any:
        return operator(self.value(), *rest)

    quick = getattr(operator, 'quick', None)
    return gen.renamed_quick(operator, method, {n: n for n in quick[1]}) if quick else method


def install_on_variable(kind: Any) -> None:
    """Gives a class of variables the operators of their values."""
    names = [f'__{r}{m}__' for m, _, _ in _BINARY for r in ('', 'r')]
    for name in names + ['__lt__', '__le__', '__gt__', '__ge__', '__neg__', '__invert__', '__abs__']:
        setattr(kind, name, _of_value(getattr(Tensor, name)))
    kind.__getitem__ = _variable_item


install(Tensor)
