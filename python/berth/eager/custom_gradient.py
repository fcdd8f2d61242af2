"""custom_gradient - Functions whose gradient the program gives: tf.custom_gradient and what is made of it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import threading
from collections.abc import Iterator
from typing import Any, Callable

from berth import _core as core
from berth.base import execution
from berth.eager import context, structure
from berth.eager.tape import GradientTape, note_call, slope_of, slope_parts
from berth.framework import convert, dtypes, emission, scopes
from berth.framework.indexed_slices import IndexedSlices
from berth.ops import array_ops, math_ops, reduce_ops
from berth.ops.gradients_ops import UnconnectedGradients

_numbers = itertools.count(1)


class _Watcher:
    """Notes the trainable variables that a function reads in this thread."""

    def __init__(self) -> None:
        self.variables: dict[int, Any] = {}
        self._thread = threading.get_ident()

    def __enter__(self) -> '_Watcher':
        execution.tapes.append(self)
        self._tape = _silent_tape()  # So that no read goes unnoticed.
        self._tape.push()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._tape.pop()
        execution.tapes.remove(self)

    def note_variable(self, variable: Any) -> None:
        """Takes note that |variable| is read."""
        if getattr(variable, 'trainable', False) and threading.get_ident() == self._thread:
            self.variables[id(variable)] = variable


def _silent_tape() -> Any:
    """Returns a tape that watches nothing."""
    return core.Tape(context.settings.handle())


@contextlib.contextmanager
def _stop_recording() -> Iterator[None]:
    """No tape of this thread notes what is called inside."""
    stopped = core.tapes()
    for tape in stopped:
        tape.pop()
    silent = _silent_tape() if stopped else None
    if silent is not None:
        silent.push()
    try:
        yield
    finally:
        if silent is not None:
            silent.pop()
        for tape in stopped:
            tape.push()


class _Bound:
    """A decorated function, which may be a method."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function, updated=())

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else _Bound(self._function.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if scopes.executing_eagerly():
            return _at_once(self._function, args, kwargs)
        return _in_graph(self._function, args, kwargs)


def custom_gradient(f: Any = None) -> Any:
    """Makes a function that gives a result and a function of slopes one that gives the result."""
    return custom_gradient if f is None else _Bound(f)


# ---- What both ways have in common ----


def _check_signature(slopes: Callable[..., Any], variables: list[Any]) -> None:
    spec = inspect.getfullargspec(slopes)
    if variables and not ('variables' in spec.args or 'variables' in spec.kwonlyargs or spec.varkw):
        raise TypeError("@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
                        f'variables: {variables}')


def _call_slopes(slopes: Callable[..., Any], given: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
    """Calls the program's function; returns slopes by arguments, and by variables."""
    if not variables:
        return _flat(slopes(*given)), []
    by_inputs, by_variables = slopes(*given, variables=variables)
    if len(by_variables) != len(variables):
        raise ValueError('Must return gradient for each variable from @custom_gradient grad_fn.')
    return _flat(by_inputs), list(by_variables)


def _flat(value: Any) -> list[Any]:
    """Returns the leaves of |value|; rows of a slope are one."""
    if isinstance(value, IndexedSlices):
        return [value]
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in _flat(value[key])]
    if structure.is_row(value):
        return [leaf for item in value for leaf in _flat(item)]
    return structure.flatten(value)


# ---- Where ops run at once ----


def _at_once(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with _Watcher() as watcher:
        result, slopes = function(*args, **kwargs)
    inputs = structure.flatten(list(args))
    known = inputs + structure.flatten(kwargs)
    variables = [v for v in watcher.variables.values() if all(v is not item for item in known)]
    _check_signature(slopes, variables)
    tensors = [convert.convert_to_tensor(item) for item in inputs + variables]
    with _stop_recording():
        outputs = [array_ops.identity(leaf) for leaf in structure.flatten(result)]

    def give(dys: list[Any]) -> list[Any]:
        by_inputs, by_variables = _call_slopes(slopes, [slope_of(dy) for dy in dys], variables)
        if len(by_inputs) != len(inputs):
            raise ValueError(f'custom_gradient function expected to return {len(inputs)} gradients, but returned '
                             f'{len(by_inputs)} instead.')
        return [slope_parts(slope) for slope in by_inputs + by_variables]

    return structure.pack(result, iter(note_call(give, tensors, outputs)))


# ---- In graphs ----


def _in_graph(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    if kwargs:
        raise ValueError('The custom_gradient decorator currently supports keywords arguments only when eager execution '
                         'is enabled.')
    graph = scopes.get_default_graph()
    args = structure.pack(args, iter([convert.convert_to_tensor(item) for item in structure.flatten(args)]))
    inputs = structure.flatten(args)
    with _Watcher() as watcher:
        result, slopes = function(*args)
    outputs = [convert.convert_to_tensor(leaf) for leaf in structure.flatten(result)]
    variables = _used_variables(graph, watcher, outputs, inputs)
    _check_signature(slopes, variables)

    def give(_: Any, *dys: Any) -> list[Any]:
        by_inputs, by_variables = _call_slopes(slopes, list(dys[:len(outputs)]), variables)
        return [None] * len(outputs) + by_inputs + by_variables

    with graph.gradient_override_map({'IdentityN': f'CustomGradient-{next(_numbers)}'}):
        made = array_ops.identity_n(outputs + inputs + variables)
    made[0].op.gradient_function = give
    return structure.pack(result, iter(made[:len(outputs)]))


def _used_variables(graph: Any, watcher: _Watcher, outputs: list[Any], inputs: list[Any]) -> list[Any]:
    """Returns the variables that a function has read, by name: those that it was seen to, and those of its nodes."""
    found = dict(watcher.variables)
    by_handle = {v.handle.op: v for v in graph.get_collection('variables')
                 if getattr(v, 'handle', None) is not None and v.trainable}
    pending = [t.op for t in outputs] if by_handle else []
    seen = {t.op for t in inputs}
    while pending:
        op = pending.pop()
        if op in seen:
            continue
        seen.add(op)
        if op in by_handle:
            found[id(by_handle[op])] = by_handle[op]
        pending += [t.op for t in op.inputs]
    return sorted(found.values(), key=lambda v: v.name)


# ---- Made of it ----


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """Returns |f| with the slopes of a copy."""

    def passing(*args: Any, **kwargs: Any) -> Any:
        def give(*dys: Any, **named: Any) -> Any:
            variables = named.get('variables')
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), give

    return _wrapped(f, custom_gradient(passing))


def recompute_grad(f: Callable[..., Any]) -> Any:
    """Returns |f|; what its slopes need is computed again instead of kept."""

    def once(*args: Any, **kwargs: Any) -> Any:
        with _stop_recording():
            result = f(*args, **kwargs)

        def give(*dys: Any, variables: Any = None) -> Any:
            return custom_gradient(_again(f, args, kwargs, variables))(*dys)

        return result, give

    return _wrapped(f, custom_gradient(once))


def _again(f: Callable[..., Any], args: Any, kwargs: Any, variables: Any) -> Callable[..., Any]:
    """Returns what computes |f| anew, and the slopes by its arguments and |variables|."""

    def slopes(*dys: Any) -> Any:
        watched = list(variables or [])
        with GradientTape() as tape:
            copies = _after(dys[0], [array_ops.identity(item) for item in structure.flatten(list(args))])
            tape.watch(copies)
            tape.watch(watched)
            result = f(*structure.pack(args, iter(copies)), **kwargs)
        found = tape.gradient(result, copies + watched, list(dys), UnconnectedGradients.ZERO)
        return (found[:len(copies)], found[len(copies):]), _no_transpose(f)

    return slopes


def _after(slope: Any, values: list[Any]) -> list[Any]:
    """Makes |values| of a graph wait for |slope|, so that nothing is computed again too early."""
    if scopes.executing_eagerly():
        return values
    first = math_ops.cast(reduce_ops.reduce_max(array_ops.reshape(slope, [-1])[:1]), dtypes.bool)
    zero = array_ops.where_v2(math_ops.equal(first, first), 0.0, float('nan'))
    return [value + math_ops.cast(zero, value.dtype) for value in values]


def _no_transpose(f: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'recompute_grad tried to transpose grad of {f.__name__}. Consider not using '
                                  'recompute_grad in forward modeautodiff')

    return refuse


def _wrapped(f: Callable[..., Any], made: Any) -> Any:
    """Returns |made| under the name of |f|, whatever that is."""
    made.__wrapped__ = f
    made.__name__ = getattr(f, '__name__', type(f).__name__)
    return made


# ---- Gradients of ops, registered by a program ----


class RegisterGradient:
    """Makes the function that it decorates the gradient of ops of a type."""

    def __init__(self, op_type: Any) -> None:
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f: Any) -> Any:
        emission.register(self._op_type, f)
        return f


def no_gradient(op_type: Any) -> None:
    """Says that nothing is to be gone through in ops of a type."""
    if not isinstance(op_type, str):
        raise TypeError('op_type must be a string')
    emission.register(op_type, None)
