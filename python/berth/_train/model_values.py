"""model_values - What functions of models of TF2 take and give, from messages and as such."""

from __future__ import annotations

import inspect
from typing import Any

from berth.base import protos
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, nest, tensor_util
from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape
from berth.ops import ragged_ops, sparse_tensor

# By class: the number of the class in messages, the fields, and of how many tensors a value is made.
_COMPOSITES: dict[type, tuple[int, tuple[str, ...], Any]] = {
    sparse_tensor.SparseTensorSpec: (1, ('shape', 'dtype'), lambda spec: 3),
    ragged_ops.RaggedTensorSpec: (3, ('shape', 'dtype', 'ragged_rank', 'row_splits_dtype'),
                                  lambda spec: spec.ragged_rank + 1)}


class Other:
    """A kind of value that Berth does not know; equal to nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def decode(message: Any) -> Any:
    """Returns what a StructuredValue stands for."""
    kind = message.WhichOneof('kind')
    value = getattr(message, kind) if kind else None
    if kind in (None, 'none_value'):
        return None
    if kind in ('float64_value', 'int64_value', 'string_value', 'bool_value'):
        return value
    if kind == 'tensor_shape_value':
        return TensorShape(value)
    if kind == 'tensor_dtype_value':
        return dtypes.as_dtype(value)
    if kind in ('tensor_spec_value', 'bounded_tensor_spec_value'):
        return TensorSpec(TensorShape(value.shape), dtypes.as_dtype(value.dtype), value.name or None)
    if kind == 'list_value':
        return [decode(item) for item in value.values]
    if kind == 'tuple_value':
        return tuple(decode(item) for item in value.values)
    if kind == 'dict_value':
        return {key: decode(item) for key, item in sorted(value.fields.items())}
    if kind == 'named_tuple_value':
        import collections

        made = collections.namedtuple(value.name, [pair.key for pair in value.values])  # type: ignore[misc]
        return made(*(decode(pair.value) for pair in value.values))
    if kind in ('tensor_value', 'numpy_value'):
        return tensor_util.make_ndarray(value)
    for known, (number, _, _) in _COMPOSITES.items():
        if value.type_spec_class == number:
            return known(*decode(value.type_state))
    return Other(value.type_spec_class_name)


def encode(value: Any) -> Any:
    """Returns the StructuredValue that stands for |value|."""
    made = protos.StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, (int, float, str)):
        setattr(made, {int: 'int64_value', float: 'float64_value'}.get(type(value), 'string_value'), value)
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, dtypes.DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif type(value) is TensorSpec:
        made.tensor_spec_value.shape.CopyFrom(value.shape.as_proto())
        made.tensor_spec_value.dtype = value.dtype.as_datatype_enum
        made.tensor_spec_value.name = value.name or ''
    elif type(value) in _COMPOSITES:
        number, fields, count = _COMPOSITES[type(value)]
        made.type_spec_value.type_spec_class, made.type_spec_value.type_spec_class_name = number, type(value).__name__
        made.type_spec_value.type_state.CopyFrom(encode(tuple(getattr(value, field) for field in fields)))
        made.type_spec_value.num_flat_components = count(value)
    elif nest.is_nested(value):
        _encode_items(made, value)
    else:
        raise NotImplementedError(f'tf.saved_model.save: Berth does not write {value!r} among what a function takes or '
                                  'gives')
    return made


def _encode_items(made: Any, value: Any) -> None:
    """Fills the message of a structure."""
    if isinstance(value, dict):
        made.dict_value.SetInParent()
        for key, item in value.items():
            made.dict_value.fields[key].CopyFrom(encode(item))
    elif hasattr(value, '_fields'):
        made.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value):
            made.named_tuple_value.values.add(key=key, value=encode(item))
    else:
        items = made.list_value if isinstance(value, list) else made.tuple_value
        items.SetInParent()
        items.values.extend(encode(item) for item in value)


def signature_of(spec: Any) -> inspect.Signature:
    """Returns the parameters of a function, without `self`, from its FunctionSpec."""
    full = decode(spec.fullargspec)
    names, defaults = list(full.args), list(full.defaults or ())
    kinds = inspect.Parameter
    without = len(names) - len(defaults)
    asked = decode(spec.input_signature) or ()  # For the first parameters but `self`.
    shown = [kinds.empty] * bool(spec.is_method) + list(asked) + [kinds.empty] * len(names)
    made = [kinds(name, kinds.POSITIONAL_OR_KEYWORD,
                  default=defaults[i - without] if i >= without else kinds.empty,
                  annotation=shown[i]) for i, name in enumerate(names)]
    if spec.is_method and made:
        made = made[1:]
    if full.varargs:
        made.append(kinds(full.varargs, kinds.VAR_POSITIONAL))
    only = full.kwonlydefaults or {}
    made += [kinds(name, kinds.KEYWORD_ONLY, default=only.get(name, kinds.empty)) for name in full.kwonlyargs or ()]
    if full.varkw:
        made.append(kinds(full.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(made)


def bind(signature: inspect.Signature, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Returns the positional and the named arguments of a call, with defaults."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f'Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: '
                        f'{kwargs} for signature: {signature}.') from error
    bound.apply_defaults()
    return bound.args, bound.kwargs


def fitting(expected: Any, given: Any, converts: bool) -> Any:
    """Returns the tensors in |given| if it is of the kind |expected|, and None otherwise.

    |converts| takes numbers and arrays for tensors.
    """
    found: list[Any] = []
    return found if _fits(expected, given, converts, found) else None


def _fits(expected: Any, given: Any, converts: bool, found: list[Any]) -> bool:
    """Compares one value, and adds the tensors in it to |found|."""
    if isinstance(expected, TensorSpec):
        found.append(_tensor(expected, given, converts))
        return found[-1] is not None
    if isinstance(expected, Composite):
        return (type(expected) is type(given) and len(expected._parts()) == len(given._parts())
                and all(_fits(kind, part, False, found) for kind, part in zip(expected._parts(), given._parts())))
    if isinstance(expected, dict):
        return (isinstance(given, dict) and set(expected) == set(given)
                and all(_fits(kind, given[key], converts, found) for key, kind in expected.items()))
    if isinstance(expected, (list, tuple)):
        return (isinstance(given, (list, tuple)) and isinstance(given, list) == isinstance(expected, list)
                and len(expected) == len(given)
                and all(_fits(kind, value, converts, found) for kind, value in zip(expected, given)))
    return type(expected) is type(given) and not isinstance(expected, Other) and bool(expected == given)


def _tensor(kind: Any, value: Any, converts: bool) -> Any:
    """Returns |value| as a tensor of a kind, or None."""
    if hasattr(value, '_handle') or hasattr(value, 'read_value'):
        value = convert.convert_to_tensor(value)
    if not convert.is_tensor(value):
        if not converts or value is None or isinstance(value, TensorSpec):
            return None
        try:
            value = convert.convert_to_tensor(value, kind.dtype)
        except (TypeError, ValueError):
            return None
    fits = value.dtype == kind.dtype and kind.shape.is_compatible_with(value.shape)
    return value if fits else None
