"""script_ops.py - py_func: Python functions as operations of a graph."""

from __future__ import annotations

import functools
import itertools
from typing import Any, Callable

import numpy as np

from berth import _core as core
from berth.base import execution
from berth.framework import convert, dtypes, errors, gen, nest, scopes
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
    if not callable(func):
        raise ValueError(f'Expected func to be callable. Received func={func} of type {type(func)}.')
    if scopes.executing_eagerly():
        given = [None if r is None else convert.convert_to_tensor(r)
                 for r in nest.flatten(func(*[np.array(x) for x in inp]))]
        return given[0] if len(given) == 1 else given
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


def _decorator(label: str, make: Any, func: Any, inp: Any, Tout: Any) -> Any:
    """Returns a decorator where |func| is missing; None where all is there."""
    if Tout is None:
        raise TypeError(f"Missing required argument: 'Tout'\n  If using {label} as a decorator, set `Tout`\n"
                        f'  **by name** above the function:\n  `@{label}(Tout=tout)`')
    if func is None:
        if inp is not None:
            raise TypeError(f"Don't set the `inp` argument when using {label} as a decorator (`func=None`).")
        return lambda python: functools.wraps(python)(lambda *args: make(python, list(args)))
    if inp is None:
        raise TypeError('Missing argument `inp`:\n  You must set the `inp` argument (the list of arguments to the\n'
                        f'  function), unless you use `{label}` as a decorator(`func=None`).')
    return None


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: bool = True,
                   name: str | None = None) -> Any:
    """Makes an operation that calls a Python function with arrays."""
    def make(python: Any, values: Any) -> Any:
        return py_func(python, values, Tout, stateful, name)

    return _decorator('numpy_function', make, func, inp, Tout) or make(func, inp)


# ---- With tensors ----


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Makes an operation that calls a Python function with tensors, whose ops run at once."""
    def make(python: Any, values: Any) -> Any:
        return _py_function(python, values, Tout, name)

    return _decorator('py_function', make, func, inp, Tout) or make(func, inp)


_FRONT = '{{function_node __wrapped__EagerPyFunc_Tin_%d_Tout_%d_device_%s}} '


def _py_function(func: Any, inp: Any, Tout: Any, name: Any) -> Any:
    if not callable(func):
        raise ValueError(f'Expected func to be callable. Received func={func} of type {type(func)}.')
    is_list = isinstance(Tout, (list, tuple))
    kinds = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    if not scopes.executing_eagerly():
        return _py_function_node(func, list(inp), kinds, is_list, name)
    tensors = [convert.convert_to_tensor(x) for x in inp]
    try:
        given = _tensors(func(*tensors), kinds)
    except Exception as error:  # pylint: disable=broad-except
        failure: Any = _as_failure(error)
        where = '/job:localhost/replica:0/task:0/device:CPU:0'
        text = _FRONT % (len(tensors), len(kinds), where) + f'{failure.message} [Op:EagerPyFunc] name: {name or ""}'
        raise type(failure)(None, None, text) from None
    return given if is_list else given[0] if given else None


def _tensors(value: Any, kinds: list[Any]) -> list[Any]:
    """Returns what a function gave as tensors of the types that were promised."""
    values = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
    return [convert.convert_to_tensor(v, dtype=kind) for v, kind in zip(values, kinds)]


def _py_function_node(func: Any, inp: list[Any], kinds: list[Any], is_list: bool, name: Any) -> Any:
    if not execution.is_eager():
        raise NotImplementedError('tf.py_function: Berth has it in TF2; a program of TF1 can use tf.py_func, whose '
                                  'function gets arrays.')
    token = f'pyfunc_{next(_numbers)}'

    def call(inputs: list[Any]) -> list[Any]:
        before = scopes.default_graphs.items
        scopes.default_graphs.replace([])  # Its ops run at once.
        try:
            given = _tensors(func(*[convert.convert_to_tensor(t.numpy()) for t in inputs]), kinds)
            return [convert.make_tensor(t.numpy(), kind) for t, kind in zip(given, kinds)]
        except Exception as error:  # pylint: disable=broad-except
            raise _as_failure(error) from error
        finally:
            scopes.default_graphs.replace(before)

    core.register_callback(token, call)
    made = gen.apply('PyFunc', name or 'EagerPyFunc', {'input': inp}, {'token': token, 'Tout': kinds})
    return made if is_list or not kinds else made[0]
