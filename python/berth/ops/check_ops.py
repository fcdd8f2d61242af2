"""check_ops.py - tf.debugging.assert_*: conditions that must hold, at once or in a graph."""

from __future__ import annotations

from typing import Any, Callable

from berth import _core as core
from berth.framework import convert, dtypes, errors, gen, scopes, static_value
from berth.ops import flow_ops, order_ops, reduce_ops
from berth.ops.signature import reordered

_SUMMARIZE = 3
_ALL = 10 ** 9  # What below 0 stands for.


def _holds(op: str, x: Any, y: Any) -> Any:
    return reduce_ops.reduce_all(gen.apply(op, None, {'x': x, 'y': y}))


def _item_text(item: Any, summarize: int) -> str:
    """Returns what an error shows of something: the first elements of a tensor, or its own text."""
    if not isinstance(item, core.Tensor):
        return str(item)
    values = item.numpy()
    if not getattr(values, 'ndim', 0):
        return str(values)
    flat = values.reshape(-1)
    shown = [str(value) for value in flat[:summarize]]
    return str(shown + ['...'] if len(shown) < flat.size else shown)


def _compared_items(sign: str, op: str, x: Any, y: Any, summarize: int) -> list[Any]:
    """Says which of the values of two tensors break a condition."""
    import numpy

    left, right = numpy.asarray(x.numpy()), numpy.asarray(y.numpy())
    items: list[Any] = [f'Condition x {sign} y did not hold.']
    if summarize > 0 and left.shape == right.shape and left.ndim > 0:
        bad = numpy.logical_not(gen.apply(op, None, {'x': x, 'y': y}).numpy())
        places = numpy.argwhere(bad)[:summarize]
        items += [f'Indices of first {len(places)} different values:', places,
                  'Corresponding x values:', left[bad][:summarize], 'Corresponding y values:', right[bad][:summarize]]
    for name, values in (('x', left), ('y', right)) if summarize > 0 else ():
        items += [f'First {min(values.size, summarize)} elements of {name}:', values.reshape(-1)[:summarize]]
    return items


def _fail_now(sign: str, op: str, x: Any, y: Any, data: Any, summarize: int | None,
              message: str | None) -> Exception:
    """Returns the error of a condition that does not hold, where operations run at once."""
    count = _SUMMARIZE if summarize is None else summarize if summarize >= 0 else _ALL
    items = list(data) if data is not None else _compared_items(sign, op, x, y, count)
    lines = [_item_text(item, count) for item in ([] if message is None else [message]) + items]
    return errors.InvalidArgumentError(None, None, '\n'.join(lines))


def _check_constants(op: str, x: Any, y: Any, shown: list[Any]) -> None:
    """Raises InvalidArgumentError when what is known of two tensors of a graph breaks a condition."""
    import numpy

    left, right = static_value.get_static_value(x), static_value.get_static_value(y)
    if left is None or right is None:
        return
    function = getattr(numpy, {'NotEqual': 'not_equal', 'LessEqual': 'less_equal',
                               'GreaterEqual': 'greater_equal'}.get(op, op.lower()))
    if not numpy.all(function(left, right)):
        values = [static_value.get_static_value(item) if convert.is_tensor(item) else item for item in shown]
        raise errors.InvalidArgumentError(None, None, '\n'.join(str(value) for value in values))


def _comparison(label: str, sign: str, op: str) -> Callable[..., Any]:
    """Makes the function that asserts something about two tensors."""
    def v1(x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
           name: str | None = None) -> Any:
        """Raises InvalidArgumentError, or makes an op that does, unless the condition holds."""
        if sign == '==':
            with scopes.name_scope(name, label, [x, y, data]):  # TensorFlow uses the name twice.
                if x is y:
                    return None if scopes.executing_eagerly() else order_ops.no_op()
        with scopes.name_scope(name, label, [x, y, data]):
            x, y = convert.convert_to_tensor(x, name='x'), convert.convert_to_tensor(y, name='y')
            if scopes.executing_eagerly():
                if not bool(_holds(op, x, y)):
                    raise _fail_now(sign, op, x, y, data, summarize, message)
                return None
            shown = list(data) if data is not None else [
                f'Condition x {sign} y did not hold element-wise:', f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
            shown = shown if message is None else [message, *shown]
            holds = _holds(op, x, y)
            _check_constants(op, x, y, shown)
            return flow_ops.Assert(holds, shown, summarize)

    v1.__name__ = v1.__qualname__ = label
    return v1


def _with_v2(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the same function with the arguments of version 2."""
    def v2(x: Any, y: Any, message: str | None = None, summarize: int | None = None,
           name: str | None = None) -> Any:
        """Raises InvalidArgumentError, or makes an op that does, unless the condition holds."""
        return function(x, y, summarize=summarize, message=message, name=name)

    v2.__name__ = v2.__qualname__ = function.__name__
    return v2


assert_equal = _comparison('assert_equal', '==', 'Equal')
assert_none_equal = _comparison('assert_none_equal', '!=', 'NotEqual')
assert_less = _comparison('assert_less', '<', 'Less')
assert_less_equal = _comparison('assert_less_equal', '<=', 'LessEqual')
assert_greater = _comparison('assert_greater', '>', 'Greater')
assert_greater_equal = _comparison('assert_greater_equal', '>=', 'GreaterEqual')
assert_equal_v2 = _with_v2(assert_equal)
assert_none_equal_v2 = reordered(assert_none_equal, 'x y summarize message name')
assert_less_v2 = _with_v2(assert_less)
assert_less_equal_v2 = _with_v2(assert_less_equal)
assert_greater_v2 = _with_v2(assert_greater)
assert_greater_equal_v2 = _with_v2(assert_greater_equal)


# ---- Comparisons with zero ----

def _against_zero(label: str, sign: str, compare: Callable[..., Any], zero_first: bool) -> Callable[..., Any]:
    """Makes the function that asserts something about the sign of all values."""
    def v1(x: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
           name: str | None = None) -> Any:
        """Raises InvalidArgumentError, or makes an op that does, unless the condition holds."""
        with scopes.name_scope(name, label, [x, data]):
            x = convert.convert_to_tensor(x, name='x')
            said, value = f'Condition x {sign} 0 did not hold element-wise:', f'x ({_label(x)}) = '
            # TensorFlow joins the two for one of the signs.
            words = [said + value] if sign == '<=' else [said, value]
            shown = data if data is not None else [_prefix(message), *words, x]
            zero = convert.convert_to_tensor(0, dtype=x.dtype.base_dtype)
            return compare(*((zero, x) if zero_first else (x, zero)), data=shown, summarize=summarize)

    v1.__name__ = v1.__qualname__ = label
    return v1


def _zero_v2(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the same function with the arguments of version 2."""
    def v2(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> Any:
        """Raises InvalidArgumentError, or makes an op that does, unless the condition holds."""
        return function(x, summarize=summarize, message=message, name=name)

    v2.__name__ = v2.__qualname__ = function.__name__
    return v2


assert_positive = _against_zero('assert_positive', '>', assert_less, True)
assert_negative = _against_zero('assert_negative', '<', assert_less, False)
assert_non_negative = _against_zero('assert_non_negative', '>=', assert_less_equal, True)
assert_non_positive = _against_zero('assert_non_positive', '<=', assert_less_equal, False)
assert_positive_v2 = _zero_v2(assert_positive)
assert_negative_v2 = _zero_v2(assert_negative)
assert_non_negative_v2 = _zero_v2(assert_non_negative)
assert_non_positive_v2 = _zero_v2(assert_non_positive)


# ---- Nearly equal, and finite ----

def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None,
                summarize: int | None = None, message: str | None = None, name: str | None = None) -> Any:
    """Raises InvalidArgumentError, or makes an op that does, unless |x - y| < atol + rtol * |y|."""
    with scopes.name_scope(name, 'assert_near', [x, y, rtol, atol, data]):
        x = convert.convert_to_tensor(x, name='x')
        y = _like(x, y, 'y')
        eps = _epsilon(x.dtype.base_dtype)
        rtol = convert.convert_to_tensor(10 * eps if rtol is None else rtol, dtype=x.dtype.base_dtype, name='rtol')
        atol = convert.convert_to_tensor(10 * eps if atol is None else atol, dtype=x.dtype.base_dtype, name='atol')
        shown = data or [_prefix(message), f'x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}',
                         f'x ({_label(x)}) = ', x, f'y ({_label(y)}) = ', y]
        limit = atol + rtol * gen.apply('Abs', None, {'x': y})
        holds = reduce_ops.reduce_all(gen.apply('Less', None, {'x': gen.apply('Abs', None, {'x': x - y}), 'y': limit}))
        if not scopes.executing_eagerly():
            return flow_ops.Assert(holds, shown, summarize)
        if not bool(holds):
            raise errors.InvalidArgumentError(None, None, _summary(holds, shown, summarize or _SUMMARIZE))
        return None


def assert_near_v2(x: Any, y: Any, rtol: Any = None, atol: Any = None, message: str | None = None,
                   summarize: int | None = None, name: str | None = None) -> Any:
    """Raises InvalidArgumentError, or makes an op that does, unless |x - y| < atol + rtol * |y|."""
    return assert_near(x, y, rtol, atol, summarize=summarize, message=message, name=name)


def _like(x: Any, y: Any, name: str) -> Any:
    """Converts |y| to the type of |x|; the error says which argument it is."""
    try:
        return convert.convert_to_tensor(y, dtype=x.dtype.base_dtype, name=name)
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None


def _epsilon(dtype: dtypes.DType) -> float:
    import numpy

    return numpy.finfo(dtype.as_numpy_dtype).eps


def _prefix(message: str | None) -> str:
    return f'{message}.  ' if message else ''


def _label(tensor: Any) -> str:
    """Returns what a text calls a tensor: by its name, where it has one."""
    if isinstance(tensor, core.Tensor):
        return f'shape={tensor.shape} dtype={tensor.dtype.name}'
    return tensor.name


def _summary(condition: Any, shown: list[Any], count: int) -> str:
    """Returns what a failed assertion says about values that are there."""
    lines = []
    for item in shown:
        values = convert.convert_to_tensor(item).numpy()
        if getattr(values, 'ndim', 0) == 0:
            lines.append(str(values))
        else:
            flat = [str(value) for value in values.reshape(-1)]
            lines.append(', '.join(flat[:count]) + (', ...' if len(flat) > count else ''))
    return f"Expected '{condition!s}' to be true. Summarized data: " + '\n'.join(lines)


def assert_all_finite(t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None,
                      message: str | None = None) -> Any:
    """Returns the tensor; a run fails when it has an infinity or a NaN."""
    value, text = (t if x is None else x), (msg if message is None else message)
    with scopes.name_scope(name, 'VerifyFinite', [value]):
        value = convert.convert_to_tensor(value, name='x')
        with scopes.colocate(value):
            checked = gen.apply('CheckNumerics', None, {'tensor': value}, {'message': text})
            if scopes.executing_eagerly():
                return value
            return order_ops.with_dependencies([checked], value)


def assert_all_finite_v2(x: Any, message: str, name: str | None = None) -> Any:
    """Returns the tensor; a run fails when it has an infinity or a NaN."""
    return assert_all_finite(x, message, name)


def is_numeric_tensor(tensor: Any) -> bool:
    """Tells whether |tensor| is a tensor of numbers."""
    if not convert.is_tensor(tensor):
        return False
    dtype: dtypes.DType = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized
