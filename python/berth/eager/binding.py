"""binding - Arguments of a tf.function: by position and name, defaults, signatures, errors."""

from __future__ import annotations

import inspect
from typing import Any, Optional

from berth.base import execution, naming
from berth.eager import casting, composite_spec, kinds, structure
from berth.eager.spec import TensorSpec, VariableSpec
from berth.framework import convert, scopes
from berth.framework.node import Tensor
from berth.framework.shown import Shown

_NO_ARRAY = convert.np.dtype('V1')
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@naming.public('eager.polymorphic_function.function_type_utils', 'FunctionSpec')
class Binder:
    """The parameters of a function, and the signature that was asked for, if any."""

    def __init__(self, python: Any, input_signature: Any) -> None:
        self._parameters = inspect.signature(python)
        self.specs: Optional[tuple] = None
        # A method that is not bound yet: a signature says nothing of its object.
        self.is_method = input_signature is not None and next(iter(self._parameters.parameters), '') == 'self'
        if input_signature is not None:
            self.specs = composite_spec.opened(_checked_specs(input_signature))
            self._check_count()
            self._parameters = _with_rest(self._parameters, len(self.specs) + self.is_method)
        # Of numpy's arrays that a signature asks for by position: their types; of anything else one that no array has.
        self.array_types = [convert.np.dtype(spec.dtype.as_numpy_dtype) if isinstance(spec, TensorSpec) else _NO_ARRAY
                            for spec in self.specs or ()]

    @property
    def fullargspec(self) -> Any:
        """The parameters as the inspect module tells them."""
        return inspect.getfullargspec(_Signed(self._parameters))

    @property
    def arg_names(self) -> list[str]:
        """The parameters that may be given by position."""
        return [p.name for p in self._parameters.parameters.values() if p.kind in _POSITIONAL]

    def _check_count(self) -> None:
        """Raises unless every parameter without a default has a spec."""
        assert self.specs is not None
        parameters = list(self._parameters.parameters.values())[1 if self.is_method else 0:]
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return
        extra = len(self.specs) - sum(p.kind in _POSITIONAL for p in parameters)
        if extra > 0:
            raise TypeError(f'input_signature contains {extra} extra type constraints.')
        missing = [p.name for p in parameters[len(self.specs):]
                   if p.kind in _POSITIONAL and p.default is p.empty]
        if missing:
            raise TypeError(f'input_signature missing type constraint for {", ".join(missing)}')
        for p in parameters:
            if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
                raise TypeError(f'Since input_signature is defined, keyword-only parameter `{p.name}` must have a default '
                                'value')

    def bind(self, args: tuple, kwargs: dict) -> inspect.BoundArguments:
        """Returns the arguments with defaults; those of a signature as tensors."""
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise self._mismatch(error, args, kwargs) from None
        bound.apply_defaults()
        if self.specs is not None:
            self._fit(bound, args, kwargs)
        return bound

    def bind_specs(self) -> inspect.BoundArguments:
        """Returns the signature in the place of arguments."""
        bound = self._parameters.bind(*(self.specs or ()))
        bound.apply_defaults()
        return bound

    def _fit(self, bound: inspect.BoundArguments, args: tuple, kwargs: dict) -> None:
        """Makes tensors of the arguments that a signature covers; others have to be what their defaults are."""
        try:
            for parameter, spec in self._wanted():
                if parameter.name in bound.arguments:
                    bound.arguments[parameter.name] = casting.cast(bound.arguments[parameter.name], spec)
        except (TypeError, ValueError) as error:
            raise self._mismatch(error, args, kwargs) from None

    def _wanted(self) -> list[tuple[inspect.Parameter, Any]]:
        """Returns the parameters that a signature says something of, and what."""
        parameters = self._parameters.parameters.values()
        covered = [p for p in parameters if p.kind in _POSITIONAL]
        count = len(self.specs or ())
        rest = covered[count:] + [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        return [*zip(covered, self.specs or ()), *((p, p.default) for p in rest if p.default is not p.empty)]

    def _mismatch(self, why: Any, args: tuple, kwargs: dict) -> TypeError:
        return TypeError(f'Binding inputs to tf.function failed due to `{why}`. Received args: '
                         f'{args} and kwargs: {kwargs} for signature: {self._text()}.')

    def _text(self) -> str:
        parameters = list(self._parameters.parameters.values())
        if self.specs is not None:
            return str(inspect.Signature([_shown(p, casting.type_text(spec)) for p, spec in self._wanted()]))
        shown = [p.replace(default=_Captured(), annotation=p.empty) if p.default is not p.empty
                 else p.replace(annotation=p.empty) for p in parameters]
        return str(inspect.Signature(shown))


def _with_rest(signature: inspect.Signature, count: int) -> inspect.Signature:
    """Returns |signature| with parameters of their own for what its rest, *args, has of |count| by position."""
    rest = next((p for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL), None)
    if rest is None:
        return signature
    named = [p.replace(kind=p.POSITIONAL_ONLY) for p in signature.parameters.values() if p.kind in _POSITIONAL]
    more = [rest.replace(name=f'{rest.name}_{i}', kind=rest.POSITIONAL_ONLY) for i in range(count - len(named))]
    if more:
        named = [p.replace(default=p.empty) for p in named]
    others = [p for p in signature.parameters.values() if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    return signature.replace(parameters=[*named, *more, *others])


def _shown(parameter: inspect.Parameter, text: str) -> inspect.Parameter:
    """Returns |parameter| as a signature shows it."""
    default = parameter.empty if parameter.default is parameter.empty else _Captured()
    return parameter.replace(annotation=Shown(text), default=default)


class _Signed:
    """Something to call that has a signature."""

    def __init__(self, signature: inspect.Signature) -> None:
        self.__signature__ = signature

    def __call__(self) -> None:
        """Is only there to be looked at."""


class _Captured:
    """How a default shows in a signature."""

    def __repr__(self) -> str:
        return '<captured_default_value>'


def _checked_specs(input_signature: Any) -> tuple:
    if not isinstance(input_signature, (list, tuple)):
        raise TypeError('input_signature must be either a tuple or a list, got '
                        f'{type(input_signature)}.')
    bad = [leaf for leaf in structure.flatten(list(input_signature))
           if not composite_spec.is_spec(leaf)]
    if bad:
        raise TypeError(
            'input_signature must be a possibly nested sequence of TensorSpec objects, got '
            f'invalid args {bad} with types {[type(leaf) for leaf in bad]}.')
    return tuple(input_signature)


# ---- Parameters of one trace ----


def parameters_of(bound: inspect.BoundArguments) -> list[tuple[str, Any, Any]]:
    """Returns (name, kind, argument) of every argument, as a trace is for them."""
    known = bound.signature.parameters.values()
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in known)
    found: list[tuple[str, Any, Any]] = []
    for parameter in known:
        value = bound.arguments.get(parameter.name)
        kind = parameter.kind
        if kind is parameter.VAR_POSITIONAL:
            found += [(f'{parameter.name}_{i}', parameter.POSITIONAL_ONLY, item)
                      for i, item in enumerate(value or ())]
        elif kind is parameter.VAR_KEYWORD:
            found += [(key, parameter.KEYWORD_ONLY, item) for key, item in (value or {}).items()]
        else:
            hides = has_rest and kind is parameter.POSITIONAL_OR_KEYWORD
            found.append((parameter.name, parameter.POSITIONAL_ONLY if hides else kind, value))
    return found


def inputs_of(parameters: list[tuple[str, Any, Any]]) -> list[Any]:
    """Returns the tensors among the arguments, in one row; a variable is its handle."""
    return [_input(leaf) for _, _, value in parameters for leaf in structure.flatten(value)
            if kinds.is_variable(leaf) or kinds.is_tensor(leaf)]


def _input(leaf: Any) -> Any:
    if kinds.is_variable(leaf):
        if execution.tapes:
            execution.note_variable(leaf)
        return leaf.handle
    return leaf if isinstance(leaf, Tensor) else convert.convert_to_tensor(leaf)


# ---- Calls of one trace ----


def concrete_inputs(concrete: Any, args: tuple, kwargs: dict) -> list[Any]:
    """Returns the tensors for a call of |concrete|, given as the function takes them or in a row."""
    parameters = concrete._parameters
    signature = inspect.Signature([inspect.Parameter(name, kind) for name, kind, _ in parameters])
    try:
        bound = signature.bind(*args, **kwargs)
        given = [(casting.cast(bound.arguments[name], traced), traced) for name, _, traced in parameters]
    except (TypeError, ValueError) as error:
        return _flat_inputs(concrete, args, kwargs, error)
    return [_input(leaf) for value, traced in given
            for leaf, old in zip(structure.flatten(value), structure.flatten(traced))
            if isinstance(old, (TensorSpec, VariableSpec))]


def _flat_inputs(concrete: Any, args: tuple, kwargs: dict, why: Exception) -> list[Any]:
    names = [tensor.op.name for tensor in concrete.inputs[:concrete._argument_count]]
    try:
        values = _bind_flat(f'{concrete.graph.name}({", ".join(names)})', names, args, kwargs)
    except TypeError as error:
        raise TypeError(
            f'Binding inputs to tf.function failed due to `{why}`. Received args: {args} and '
            f'kwargs: {kwargs} for signature: {concrete._signature_text()}.\nFallback to flat '
            f'signature also failed due to: {error}') from None
    return [_input(value) for value in values]


def _bind_flat(shown: str, names: list[str], args: tuple, kwargs: dict) -> list[Any]:
    if len(args) > len(names):
        raise TypeError(f'{shown} takes {len(names)} positional arguments, got {len(args)}.')
    missing = [name for name in names[len(args):] if name not in kwargs]
    if missing:
        raise TypeError(f'{shown} missing required arguments: {", ".join(missing)}.')
    extra = [name for name in kwargs if name not in names[len(args):]]
    if extra:
        raise TypeError(f'{shown} got unexpected keyword arguments: {", ".join(extra)}.')
    values = list(args) + [kwargs[name] for name in names[len(args):]]
    for i, value in enumerate(values):
        if not isinstance(value, Tensor) and not kinds.is_variable(value):
            raise TypeError(f'{shown}: expected argument #{i}(zero-based) to be a Tensor; got {type(value).__name__} '
                            f'({value}).')
    return values


def is_in_function() -> bool:
    """True while a function is being traced."""
    return bool(getattr(scopes.default_graphs.top(), 'building_function', False))
