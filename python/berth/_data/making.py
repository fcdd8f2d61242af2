"""making - Datasets from the ops that make them."""

from __future__ import annotations

from typing import Any

from berth import _mode
from berth._data import structure
from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, math_ops, random_ops

_classes: dict[str, Any] = {}
_kinds: dict[Any, type] = {}


def set_classes(v1: type, v2: type) -> None:
    """Says what datasets of TF1 and TF2 are."""
    _classes.update(v1=v1, v2=v2)


def is_dataset(value: Any) -> bool:
    """True for a dataset."""
    return isinstance(value, _classes['v2'])


def element_attrs(spec: Any) -> dict[str, Any]:
    """Returns the attributes that say what elements are."""
    return {'output_types': structure.types(spec), 'output_shapes': structure.shapes(spec)}


def shaped(spec: Any, tensors: Any) -> Any:
    """Tells tensors of a graph the shapes that are known."""
    if not scopes.executing_eagerly():
        for tensor, shape in zip(tensors, structure.shapes(spec)):
            tensor.set_shape(shape)
    return tensors


def is_v1(dataset: Any) -> bool:
    """True for a dataset of TF1: all are where the names are TF1's, and what is made of one is one."""
    return _mode.is_v1() or isinstance(dataset, _classes['v1'])


def _class_of(kind: str, mode: str) -> type:
    found = _kinds.get((mode, kind))
    if found is None:
        found = type(kind, (_classes[mode],), {'__doc__': 'A dataset.', '__module__': 'berth._data.dataset'})
        _kinds[mode, kind] = found
    return found


def make(kind: str, variant: Any, spec: Any, inputs: tuple[Any, ...] = (), functions: tuple[Any, ...] = ()) -> Any:
    """Makes a dataset of a variant; |kind| is what it shows itself as."""
    mode = 'v1' if is_v1(inputs[0] if inputs else None) else 'v2'
    return _class_of(kind, mode)(variant, spec, inputs, functions)


def as_v1(dataset: Any) -> Any:
    """Returns |dataset| as one of TF1."""
    if isinstance(dataset, _classes['v1']):
        return dataset
    made = object.__new__(_class_of(type(dataset).__name__, 'v1'))
    made.__dict__.update(dataset.__dict__)
    return made


def unary(op: str, kind: str, dataset: Any, args: dict[str, Any], spec: Any = None, attrs: Any = None,
          functions: tuple[Any, ...] = (), name: Any = None) -> Any:
    """Makes a dataset of another with an op; without a |spec| its elements are the other's."""
    spec = dataset.element_spec if spec is None else spec
    variant = gen.apply(op, None, {'input_dataset': dataset._variant_tensor, **args},
                        {**element_attrs(spec), **(attrs or {})})
    return make(kind, variant, spec, (dataset,), functions)


def colocated(tensor: Any) -> Any:
    """Returns a scope in which nodes go where |tensor| is."""
    import contextlib

    if scopes.executing_eagerly():
        return contextlib.nullcontext()
    return scopes.get_default_graph().colocate_with(tensor.op)


def number(value: Any, name: str) -> Any:
    """Returns a number as ops of datasets take it."""
    return convert.convert_to_tensor(value, dtype=dtypes.int64, name=name)


def truth(value: Any, name: str) -> Any:
    """Returns a truth as ops of datasets take it."""
    return convert.convert_to_tensor(value, dtype=dtypes.bool, name=name)


def seeds(seed: Any) -> tuple[Any, Any]:
    """Returns the two seeds of a dataset, tensors both."""
    first, second = random_ops.get_seed(seed)
    if first is None:
        return (convert.constant(0, dtypes.int64, name='seed'), convert.constant(0, dtypes.int64, name='seed2'))
    one = convert.convert_to_tensor(first, dtype=dtypes.int64, name='seed')
    if second is None:
        return one, convert.constant(0, dtypes.int64, name='seed2')
    with scopes.name_scope('seed2') as scope:
        two = convert.convert_to_tensor(second, dtype=dtypes.int64)
        both = math_ops.logical_and(math_ops.equal(one, 0), math_ops.equal(two, 0))
        return one, array_ops.where_v2(both, convert.constant(2 ** 31 - 1, dtypes.int64), two, name=scope)
