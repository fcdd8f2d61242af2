"""script_ops.py - py_func: Python functions as operations of a graph."""

from __future__ import annotations

import collections
import functools
import itertools
from typing import Any, Callable

import numpy as np

from berth import _core as core
from berth.base import execution
from berth.framework import convert, dtypes, errors, gen, nest, scopes
from berth.framework import schema as schemas
from berth.framework.node import Operation
from berth.ops import array_ops

_numbers = itertools.count()
_MOST_TAPES = 64  # Of calls of one function whose slopes have not been asked for yet.


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
    called = _Called(func, kinds)
    # What it gives has the slopes of what it did, not those that its op has elsewhere: none.
    with scopes.get_default_graph().gradient_override_map({'PyFunc': f'PyFunction-{next(_numbers)}'}):
        made = _node(called.run, inp, kinds, name)
    made.gradient_function = called.slopes
    if not kinds:
        return made
    return list(made.outputs) if is_list else made.outputs[0]


def _node(run: Any, inp: list[Any], kinds: list[Any], name: Any) -> Operation:
    """Makes an operation that calls |run| with tensors that are there."""
    token = f'pyfunc_{next(_numbers)}'

    def call(inputs: list[Any]) -> list[Any]:
        before = scopes.default_graphs.items
        scopes.default_graphs.replace([])
        execution.enter_eager()
        try:
            given = run([convert.convert_to_tensor(t.numpy()) for t in inputs])
            return [convert.make_tensor(t.numpy(), kind) for t, kind in zip(given, kinds)]
        except Exception as error:  # pylint: disable=broad-except
            raise _as_failure(error) from error
        finally:
            execution.leave_eager()
            scopes.default_graphs.replace(before)

    core.register_callback(token, call)
    return gen.make_op(schemas.find('PyFunc'), name or 'EagerPyFunc', {'input': inp}, {'token': token, 'Tout': kinds})


class _Called:
    """A Python function that an operation calls, and the tapes of its last calls where slopes are asked for.

    Slopes are those of the call that got and gave the same; a call that is not remembered is made again.
    """

    def __init__(self, func: Any, kinds: list[Any]) -> None:
        self._func, self._kinds = func, kinds
        self._is_taped = False
        self._calls: collections.deque = collections.deque(maxlen=_MOST_TAPES)

    def run(self, inputs: list[Any]) -> list[Any]:
        """Calls the function."""
        if not self._is_taped:
            return _tensors(self._func(*inputs), self._kinds)
        with execution.new_tape() as tape:
            tape.watch([t for t in inputs if _is_smooth(t)])
            given = _tensors(self._func(*inputs), self._kinds)
        self._calls.append((tape, inputs, given))
        return given

    def slopes(self, op: Any, *dys: Any) -> list[Any]:
        """Makes the slopes by the inputs of |op|, from those by its outputs."""
        self._is_taped = True
        smooth = [t for t in op.inputs if _is_smooth(t)]
        outputs = [(t, dy) for t, dy in zip(op.outputs, dys) if _is_smooth(t)]
        given = [array_ops.zeros_like(t) if dy is None else convert.convert_to_tensor(dy) for t, dy in outputs]
        made = iter(_node(functools.partial(self._back, len(op.inputs)), [*op.inputs, *op.outputs, *given],
                          [t.dtype for t in smooth], None).outputs if smooth else ())
        found = []
        for tensor in op.inputs:
            found.append(next(made) if _is_smooth(tensor) else None)
            if found[-1] is not None:
                found[-1].set_shape(tensor.shape)
        return found

    def _back(self, count: int, tensors: list[Any]) -> list[Any]:
        """Returns slopes from inputs, outputs and the slopes by these."""
        size = count + len(self._kinds)
        tape, inputs, outputs = self._call_of(tensors[:count], tensors[count:size])
        smooth = [t for t in inputs if _is_smooth(t)]
        return tape.gradient([t for t in outputs if _is_smooth(t)], smooth, output_gradients=tensors[size:],
                             unconnected_gradients='zero')

    def _call_of(self, inputs: list[Any], outputs: list[Any]) -> Any:
        for call in reversed(self._calls):
            if all(map(_is_same, [*call[1], *call[2]], [*inputs, *outputs])):
                self._calls.remove(call)
                return call
        self.run(inputs)
        return self._calls.pop()


def _is_smooth(tensor: Any) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def _is_same(one: Any, other: Any) -> bool:
    """True for tensors with the same bytes."""
    left, right = np.asarray(one.numpy()), np.asarray(other.numpy())
    if left.dtype == object:
        return left.tolist() == right.tolist()
    return left.shape == right.shape and left.tobytes() == right.tobytes()
