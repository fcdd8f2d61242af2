"""gen - Making any op from its schema: conversion of inputs, names, attributes.

`apply` is what every wrapper ends in. It is the extension's: where ops run at once and all
is plain it calls the op, and in every other case `at_length`, which converts inputs as
TensorFlow does: in the order of arguments, inside a name scope that is called as the node,
with types that earlier arguments have settled. A wrapper that only passes its arguments on
is a `quick` one, and need not be called at all.

The converter here is for graphs. Inputs of ops that run at once have another one, in
`eager/context.py`: TensorFlow converts there in another order and has other words for
what is wrong, and both are to be the same as its own.
"""

from __future__ import annotations

import collections
import functools
from typing import Any, Callable

import numpy as np

from berth import _core as core
from berth.base import execution
from berth.framework import arguments, convert, dtypes, scopes
from berth.framework import schema as schemas
from berth.framework.composite import NotDense
from berth.framework.graph import shape_attr
from berth.framework.node import Operation, OutOfScopeError, SymbolicTensor, Tensor
from berth.framework.tensor_shape import Dimension

_results: dict[str, Any] = {}


# Makes one op and returns its outputs, a tensor or several, or the operation:
# (op_type, name, inputs by argument, attributes=None).
apply = core.apply


def at_length(op_type: str, name: str | None, args: dict[str, Any], attrs: dict[str, Any] | None = None) -> Any:
    """Does what `apply` does where the short way ends."""
    try:
        schema = schemas.find(op_type)
    except KeyError:
        raise NotImplementedError(f'Berth does not have the op {op_type} yet.') from None
    try:
        if execution.executing_eagerly():
            return execution.run_op(schema, name, args, attrs or {})
        return outputs_of(schema, make_op(schema, name, args, attrs))
    except NotDense as error:
        return error.value._apply_op(op_type, name, args, attrs)


def binary(op_type: str, name: str | None, default: str, x: Any, y: Any) -> Any:
    """Makes an op of two tensors of one type where nothing has to be converted; None elsewhere.

    This is the way most nodes of large graphs are made; it ends in the same node
    as the long one.
    """
    if type(x) is not SymbolicTensor or type(y) is not SymbolicTensor:
        return None
    graph = x.op.graph
    dtype = x._dtype or x.dtype
    if dtype is not (y._dtype or y.dtype) or y.op.graph is not graph or graph is not scopes.get_default_graph():
        return None
    schema = schemas.find(op_type)
    allowed = schema.attrs['T'].allowed
    if allowed is not None and dtype.number not in allowed:
        return None
    if name is not None:
        graph._check_scope(name)
    return graph.add_plain(op_type, default if name is None else name or op_type, [x, y]).single(dtype)


def make_op(schema: schemas.Schema, name: str | None, args: dict[str, Any],
            attrs: dict[str, Any] | None) -> Operation:
    """Adds one op to the graph of its inputs."""
    graph = scopes.graph_of_inputs(args.values())
    if not name:
        name = schema.name
    ready = _ready_inputs(schema, args)
    if ready is not None and graph is scopes.get_default_graph() and not (
            graph.building_function and any(t.op.graph is not graph for t in ready)):
        if name:
            graph._check_scope(name)
        return _add(graph, schema, name, ready, attrs)
    with graph.as_default(), graph.name_scope(name) as scope:
        inputs = _convert_inputs(schema, args, attrs)
        return _add(graph, schema, scope, inputs, attrs)


def _ready_inputs(schema: schemas.Schema, args: dict[str, Any]) -> list[Any] | None:
    """Returns the inputs if all are tensors that need no conversion, else None."""
    inputs = []
    settled: dict[str, dtypes.DType] = {}
    for arg in schema.inputs:
        value = args[arg.name]
        if type(value) is not SymbolicTensor or arg.is_list or arg.is_ref:
            return None
        base = value.dtype.base_dtype
        if arg.type_attr:
            if settled.setdefault(arg.type_attr, base) is not base:
                return None
            allowed = schema.attrs[arg.type_attr].allowed
            if allowed is not None and base.number not in allowed:
                return None
        elif base.number != arg.dtype:
            return None
        inputs.append(value)
    return inputs


def _add(graph: Any, schema: schemas.Schema, name: str, inputs: list[Any], attrs: Any) -> Operation:
    colocate: tuple[Operation, ...] = ()
    for arg, value in zip(schema.inputs, inputs):
        if arg.is_ref:
            colocate += tuple(v.op for v in value) if arg.is_list else (value.op,)
    values = attr_values(schema, attrs)
    for label, value in values.items():
        if isinstance(value, core.DType):
            _check_type(label, dtypes.as_dtype(int(value)), schema.attrs[label].allowed)
        elif isinstance(value, (bytes, str)):
            _check_text(graph, schema, name, label, value)
    return graph.add(schema.name, name, inputs, values, colocate)


def outputs_of(schema: schemas.Schema, op: Operation) -> Any:
    """Gives the outputs of |op| the form that its wrapper returns."""
    if schema.is_simple:
        return op.outputs[0] if op._outputs else op.single(None)
    if not schema.outputs:
        return op
    groups = [op.outputs]
    if len(schema.outputs) > 1:
        groups = _grouped(schema, op)
        return _tuple_of(schema)(*groups)
    return list(groups[0])


def _grouped(schema: schemas.Schema, op: Operation) -> list[Any]:
    groups: list[Any] = []
    for arg in schema.outputs:
        first, count = op.graph._core.arg_range(op.node, arg.name, True)
        part = op.outputs[first:first + count]
        groups.append(part if arg.is_list else part[0])
    return groups


def tuple_named(op_type: str) -> Any:
    """Returns the class of the outputs of an op that has several."""
    return _tuple_of(schemas.find(op_type))


def _tuple_of(schema: schemas.Schema) -> Any:
    if schema.name not in _results:
        _results[schema.name] = collections.namedtuple(schema.name, [a.name for a in schema.outputs])  # type: ignore
    return _results[schema.name]


# ---- Inputs ----

def _convert_inputs(schema: schemas.Schema, args: dict[str, Any], attrs: Any) -> list[Any]:
    """Converts the inputs of an op in the order of its arguments."""
    settled: dict[str, Any] = {}
    source: dict[str, str] = {}
    for attr_name, value in (attrs or {}).items():
        if attr_name in schema.inferred and schema.attrs[attr_name].kind == 'type' and value is not None:
            settled[attr_name] = dtypes.as_dtype(value)
    inputs: list[Any] = []
    for arg in schema.inputs:
        value = args[arg.name]
        if arg.is_list:
            inputs.append(_convert_list(schema, arg, value, settled, source))
        else:
            inputs.append(_convert_one(schema, arg, value, settled, source))
    return inputs


def _wanted(arg: schemas.Arg, settled: dict[str, Any]) -> dtypes.DType | None:
    if arg.type_attr:
        return settled.get(arg.type_attr)
    return dtypes.as_dtype(arg.dtype) if arg.dtype else None


def _usual(schema: schemas.Schema, arg: schemas.Arg) -> Any:
    """Returns the default of the attribute that holds the type of |arg|, or None."""
    return schema.attrs[arg.type_attr].default if arg.type_attr else None


def _is_empty(value: Any) -> bool:
    """True for values of Python's that have no elements, and so no type."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_empty, value))
    return isinstance(value, np.ndarray) and value.size == 0


def _has_no_type(value: Any) -> bool:
    """True for what is empty, and for lists with sizes of shapes in them, which numpy does not know."""
    return _is_empty(value) or isinstance(value, (list, tuple)) and any(
        isinstance(item, Dimension) for item in convert._leaves(value))


def _convert_one(schema: schemas.Schema, arg: schemas.Arg, value: Any, settled: dict[str, Any],
                 source: dict[str, str]) -> Tensor:
    wanted = _wanted(arg, settled)
    # A graph's nodes take what a value is by itself; eager calls, and what has no type by itself, take the usual one.
    hint = _usual(schema, arg) if scopes.executing_eagerly() or _has_no_type(value) else None
    try:
        tensor = convert.to_tensor(value, wanted, arg.name, hint, arg.is_ref)
    except (NotDense, OutOfScopeError):
        raise
    except TypeError as error:
        if wanted is None:
            raise
        raise TypeError(f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{schema.name}', got {value!r} "
                        f"of type '{type(value).__name__}' instead. Error: {error}") from None
    except ValueError:
        raise _mismatch(schema, arg, value, wanted, source) from None
    base = tensor.dtype.base_dtype
    if arg.is_ref and tensor.dtype.number < 100:
        raise TypeError(f"'{schema.name}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a "
                        'tf.Variable)')
    if arg.type_attr:
        _check_allowed(schema, arg, base)
        settled.setdefault(arg.type_attr, base)
        source.setdefault(arg.type_attr, arg.name)
    return tensor


def _mismatch(schema: schemas.Schema, arg: schemas.Arg, value: Any, wanted: dtypes.DType | None,
              source: dict[str, str]) -> Exception:
    """Returns the error for an input of another type than the op or an earlier one asks for."""
    try:
        found = convert.to_tensor(value, None, arg.name, None, arg.is_ref).dtype.name
    except ValueError as second:
        return ValueError(f"Tried to convert '{arg.name}' to a tensor and failed. Error: {second}")
    except TypeError as second:
        return second
    if wanted is None:
        return ValueError(f"Tried to convert '{arg.name}' to a tensor and failed.")
    text = f"Input '{arg.name}' of '{schema.name}' Op has type {found} that does not match "
    if arg.type_attr in source:
        return TypeError(text + f"type {wanted.name} of argument '{source[arg.type_attr]}'.")
    return TypeError(text + f'expected type of {wanted.name}.')


def _convert_list(schema: schemas.Schema, arg: schemas.Arg, values: Any, settled: dict[str, Any],
                  source: dict[str, str]) -> list[Tensor]:
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"Expected list for '{arg.name}' argument to '{schema.name}' Op, not {values}.")
    if arg.list_attr:
        if len(values) < schema.attrs[arg.list_attr].minimum:
            raise ValueError(f"Attr '{arg.list_attr}' of '{schema.name}' Op passed list of length {len(values)} less "
                             f'than minimum {schema.attrs[arg.list_attr].minimum}.')
        return [convert.convert_to_tensor(v, None, f'{arg.name}_{i}') for i, v in enumerate(values)]
    minimum = schema.attrs[arg.number_attr].minimum
    if len(values) < minimum:
        raise ValueError(f"List argument '{arg.name}' to '{schema.name}' Op with length {len(values)} shorter than "
                         f'minimum length {minimum}.')
    wanted = _wanted(arg, settled)
    common = wanted
    if common is None:
        common = next((v.dtype.base_dtype for v in values if convert.is_tensor(v)), None)
    try:
        tensors = [convert.to_tensor(v, common, f'{arg.name}_{i}', _usual(schema, arg), arg.is_ref)
                   for i, v in enumerate(values)]
        if any(t.dtype.base_dtype != tensors[0].dtype.base_dtype for t in tensors):
            raise TypeError('types differ')
    except NotDense:
        raise
    except (TypeError, ValueError):
        raise _list_mismatch(schema, arg, values, wanted, source) from None
    if tensors and arg.type_attr:
        _check_allowed(schema, arg, tensors[0].dtype.base_dtype)
        settled.setdefault(arg.type_attr, tensors[0].dtype.base_dtype)
        source.setdefault(arg.type_attr, arg.name)
    return tensors


def _list_mismatch(schema: schemas.Schema, arg: schemas.Arg, values: Any, wanted: dtypes.DType | None,
                   source: dict[str, str]) -> Exception:
    found = ', '.join(_type_name(value) for value in values)
    text = f"Tensors in list passed to '{arg.name}' of '{schema.name}' Op have types [{found}] that "
    if wanted is None:
        return TypeError(text + "don't all match.")
    if arg.type_attr in source:
        return TypeError(text + f'do not match type {wanted.name} inferred from earlier arguments.')
    return TypeError(text + f'do not match expected type {wanted.name}.')


def _type_name(value: Any) -> str:
    """Returns the name of the type that |value| has as a tensor."""
    try:
        return convert.convert_to_tensor(value).dtype.base_dtype.name
    except (TypeError, ValueError):
        return '<NOT CONVERTIBLE TO TENSOR>'


def _check_allowed(schema: schemas.Schema, arg: schemas.Arg, base: dtypes.DType) -> None:
    _check_type(arg.name, base, schema.attrs[arg.type_attr].allowed)


def _check_text(graph: Any, schema: schemas.Schema, name: str, label: str, value: Any) -> None:
    """Raises ValueError for a text that an attribute cannot be; the name of the node is used up then."""
    allowed = schema.attrs[label].allowed
    text = value if isinstance(value, bytes) else value.encode()
    if allowed is not None and text not in allowed:
        if not name.endswith('/'):
            graph.unique_name(name)
        names = '", "'.join(each.decode() for each in allowed)
        raise ValueError(f"Attr '{label}' of '{schema.name}' Op passed string '{text.decode()}' not in: \"{names}\".")


def _check_type(parameter: str, base: dtypes.DType, allowed: Any) -> None:
    """Raises TypeError for a type that an op does not take."""
    if allowed is not None and base.number not in allowed:
        names = ', '.join(dtypes.as_dtype(n).name for n in allowed)
        raise TypeError(f"Value passed to parameter '{parameter}' has DataType {base.name} not in list of allowed "
                        f'values: {names}')


# ---- Attributes ----

def attr_values(schema: schemas.Schema, attrs: dict[str, Any] | None) -> dict[str, Any]:
    """Returns |attrs| as the extension takes them, without those left to the default."""
    if not attrs:
        return {}
    return {n: _attr_value(schema, schema.attrs.get(n), n, v) for n, v in attrs.items()
            if v is not None or _is_open(schema.attrs.get(n))}


def _is_open(attr: schemas.Attr | None) -> bool:
    """True for a shape that must be said: None says that it is not known."""
    return attr is not None and attr.kind == 'shape' and not attr.has_default


def _attr_value(schema: schemas.Schema, attr: schemas.Attr | None, name: str, value: Any) -> Any:
    if attr is None or isinstance(value, (core.DType, core.Shape, core.Tensor)):
        return value
    convert_value = _CONVERTERS.get(attr.kind)
    if attr.kind.startswith('list('):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for attr {name}, obtained {type(value).__name__} instead.")
        item = _CONVERTERS[attr.kind[5:-1]]
        return [item(v, name, schema) for v in value]
    return value if convert_value is None else convert_value(value, name, schema)


def _type_value(value: Any, name: str, schema: schemas.Schema) -> Any:
    try:
        return core.DType(dtypes.as_dtype(value).base_dtype.number)
    except TypeError:
        raise TypeError(f"Expected DataType for argument '{name}' not {value!r}.") from None


def _int_value(value: Any, name: str, schema: schemas.Schema) -> int:
    if isinstance(value, str) or isinstance(value, float):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.")
    try:
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def _float_value(value: Any, name: str, schema: schemas.Schema) -> float:
    if isinstance(value, str):
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.") from None


def _bool_value(value: Any, name: str, schema: schemas.Schema) -> bool:
    if not isinstance(value, (bool, int)) and type(value).__name__ != 'bool_':
        raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")
    return bool(value)


def _string_value(value: Any, name: str, schema: schemas.Schema) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise TypeError(f"Expected string for argument '{name}' not {value!r}.")
    return value


def _shape_value(value: Any, name: str, schema: schemas.Schema) -> Any:
    try:
        return shape_attr(value)
    except (TypeError, ValueError) as error:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"Error converting {name} to a TensorShape: {error}.") from None


_CONVERTERS: dict[str, Callable[[Any, str, Any], Any]] = {
    'type': _type_value, 'int': _int_value, 'float': _float_value, 'bool': _bool_value,
    'string': _string_value, 'shape': _shape_value,
}


# ---- Wrappers ----

FLOATS = (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.complex64, dtypes.complex128)


def quick(op_type: str, parameters: str, types: Any = None, most_rank: int | None = None,
          takes_tensors: bool = False, change: str | None = None, refuses_variables: bool = False,
          converts_first: bool = False, **fills: Any) -> Callable[..., Any]:
    """Gives a function a short way to the op that is all it calls, for arguments that are plain; a decorator.

    |parameters| are those of the function, each with what it is in the op, `axis=dim`, where that
    has another name: an input, an attribute (with a star behind: a row of numbers that may be one),
    `-` for what must be left out, or False or 0, or `!` for what must be None. |fills| says what
    inputs and attributes are when nothing is said. |types| of the first input, |most_rank| of all inputs, that nothing has to be converted
    (|takes_tensors|), that nothing is a variable (|refuses_variables|), that the attribute |change|
    is another type than the first input's, and that a first input which is converted gets a type
    of its own (|converts_first|) are terms of the short way. Where the op fails the function is
    called, which finds the words.
    """
    places = {name: target or name for name, _, target in (p.partition('=') for p in parameters.split())}
    terms: dict[str, Any] = {'takes_tensors': takes_tensors, 'change': change, 'refuses_variables': refuses_variables,
                             'converts_first': converts_first}
    if types is not None:
        terms['types'] = sum(1 << kind.number for kind in types)
    if most_rank is not None:
        terms['most_rank'] = most_rank
    return lambda function: _quick(op_type, function, places, fills, terms)


def _quick(op_type: str, function: Callable[..., Any], places: dict[str, str], fills: dict[str, Any],
           terms: dict[str, Any]) -> Any:
    made = core.Quick(op_type, function, tuple(places), tuple(places.values()), fills, **terms)
    functools.update_wrapper(made, function)
    made.quick = op_type, places, fills, terms
    return made


def renamed_quick(function: Any, other: Callable[..., Any], names: dict[str, str]) -> Any:
    """Returns |other|, which does what |function| does under other |names|, with its short way, if it has one."""
    found = getattr(function, 'quick', None)
    if found is None:
        return other
    op_type, places, fills, terms = found
    return _quick(op_type, other, {new: places.get(old, '-') for new, old in names.items()}, fills, terms)


def wrapper(op_type: str, *parameters: str) -> Callable[..., Any]:
    """Returns a function that makes an op; |parameters| rename its own in order."""
    names: dict[str, str] = {}

    def function(*values: Any, **keywords: Any) -> Any:
        schema = schemas.find(op_type)
        if parameters and not names:
            names.update(zip(parameters, schema.parameters))
        return call(schema, values, {names.get(k, k): v for k, v in keywords.items()}, hasattr(made, 'refuse'))

    function.__name__ = schemas.snake_case(op_type)
    function.__qualname__ = function.__name__
    function.__doc__ = f'Makes the op {op_type}.'
    made: Any = functools.update_wrapper(core.Quick(op_type, function, parameters, None, {}), function)
    return made


def call(schema: schemas.Schema, values: tuple[Any, ...], keywords: dict[str, Any], looks_first: bool = False) -> Any:
    """Makes an op from arguments as a call of Python gives them; |looks_first| at them in TensorFlow's words."""
    names = schema.parameters + ['name']
    if looks_first:
        bound = arguments.bind_first(names, schema.required, values, keywords)
    else:
        bound = arguments.bind(schema.function, names, schema.required, values, keywords)
    args = {a.name: bound[a.name] for a in schema.inputs}
    attrs = {k: v for k, v in bound.items() if k != 'name' and k not in args}
    return apply(schema.name, bound.get('name'), args, attrs)


core.set_apply(longer=at_length, tuple_of=tuple_named)
core.set_dtypes(dtypes.DType, dtypes.as_dtype, dtypes.by_number())
