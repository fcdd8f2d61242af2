"""script_ops.py - py_func: Python functions as operations of a graph."""

from __future__ import annotations

import itertools
from typing import Any, Callable

import numpy as np

from berth import _core as core
from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework import schema as schemas

_numbers = itertools.count()


def _as_results(value: Any, kinds: list[dtypes.DType], token: str) -> list[Any]:
    """Returns what a function gave as tensors of the extension."""
    values = list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
    if len(values) != len(kinds):
        raise errors.InvalidArgumentError(None, None, f'{token} returns {len(values)} values, but expects to see '
                                          f'{len(kinds)} values.')
    for index, (item, kind) in enumerate(zip(values, kinds)):
        found = _kind_of(item)
        if found != kind:
            raise errors.InvalidArgumentError(None, None, f'{index}-th value returned by {token} is {_named(found)}, '
                                              f'but expects {_named(kind)}')
    return [convert.make_tensor(v, kind) for v, kind in zip(values, kinds)]


def _as_failure(error: Exception) -> Exception:
    """Returns the failure of a run that an exception of a function stands for."""
    import traceback

    if isinstance(error, errors.OpError):
        return error
    kinds = ((TypeError, errors.InvalidArgumentError), (ValueError, errors.InvalidArgumentError),
             (StopIteration, errors.OutOfRangeError), (MemoryError, errors.ResourceExhaustedError),
             (NotImplementedError, errors.UnimplementedError))
    kind = next((found for own, found in kinds if isinstance(error, own)), errors.UnknownError)
    lines = '\n'.join(traceback.format_exception(type(error), error, error.__traceback__))
    return kind(None, None, f'{type(error).__name__}: {error}\n{lines}\n')


def _named(kind: dtypes.DType) -> str:
    """Returns the name of a type as the runtime has it."""
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(kind.name, kind.name)


def _kind_of(value: Any) -> dtypes.DType:
    array = np.asarray(value)
    if array.dtype.kind in 'SUO':
        return dtypes.as_dtype('string')
    return dtypes.as_dtype(array.dtype)


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True,
            name: str | None = None) -> Any:
    """Makes an operation that calls a Python function with arrays."""
    if scopes.executing_eagerly():
        result = func(*[np.array(x) for x in inp])
        return [convert.convert_to_tensor(r) for r in result] if isinstance(Tout, (list, tuple)) \
            else convert.convert_to_tensor(result)
    is_list = isinstance(Tout, (list, tuple))
    kinds = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    token = f'pyfunc_{next(_numbers)}'

    def call(inputs: list[Any]) -> list[Any]:
        try:
            result = func(*[t.numpy() for t in inputs])
        except Exception as error:  # pylint: disable=broad-except
            raise _as_failure(error) from error
        return _as_results(result, kinds, token)

    core.register_callback(token, call)
    made = gen.make_op(schemas.find('PyFunc' if stateful else 'PyFuncStateless'), name, {'input': list(inp)},
                       {'token': token, 'Tout': kinds})
    if not kinds:
        return made
    return list(made.outputs) if is_list else made.outputs[0]


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True,
                   name: str | None = None) -> Any:
    """Makes an operation that calls a Python function with arrays."""
    return py_func(func, inp, Tout, stateful, name)
