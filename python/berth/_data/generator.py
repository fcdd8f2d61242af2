"""generator - Datasets of what a generator of Python's gives."""

from __future__ import annotations

import threading
from typing import Any, Callable

import numpy as np

from berth._data import making, ragged_elements, structure
from berth._data.function import StructuredFunction
from berth._data.iterators import spec_from
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen
from berth.framework.composite import Composite
from berth.framework.trace_type import TypeSpec
from berth.ops import script_ops

_NAME = 'Dataset.from_generator()'


class _Runs:
    """The generators that are being gone through, by number."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self._python = python
        self._lock = threading.Lock()
        self._args: dict[int, Any] = {}
        self._found: dict[int, Any] = {}
        self._next = 0

    def begin(self, *args: Any) -> Any:
        """Returns the number of another one, which begins when it is first asked."""
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._args[number] = args
        return np.array(number, dtype=np.int64)

    def find(self, number: Any) -> Any:
        """Returns one."""
        number = int(number)
        if number not in self._found:
            self._found[number] = iter(self._python(*self._args[number]))
        return self._found[number]

    def end(self, number: Any) -> Any:
        """Forgets one."""
        self._found.pop(int(number), None)
        self._args.pop(int(number), None)
        return np.array(0, dtype=np.int64)


def _flat(form: Any, value: Any, whole: Any) -> list[Any]:
    """Returns the components of what was generated; TypeError when it has another form."""
    if not structure.is_nested(form):
        return [value]
    wanted = structure.children(form)
    is_row = isinstance(value, (tuple, list)) and not isinstance(form, dict)
    if isinstance(form, dict) and isinstance(value, dict):
        found = [value[key] for key in sorted(form)] if set(value) == set(form) else None
    else:
        found = list(value) if is_row and len(value) == len(wanted) else None
    if found is None:
        raise TypeError('`generator` yielded an element that did not match the expected structure. The expected structure '
                        f'was {whole[0]}, but the yielded element was {whole[1]}.')
    return [leaf for child, item in zip(wanted, found) for leaf in _flat(child, item, whole)]


def _array(value: Any, kind: Any, shape: Any) -> Any:
    """Returns a component as an array of the type that was promised."""
    try:
        if kind == dtypes.string:
            array = np.asarray(value)
            result = array if array.dtype == object else array.astype(object)
        else:
            given = value.numpy() if hasattr(value, 'numpy') else value
            result = np.asarray(given, dtype=kind.as_numpy_dtype, order='C')
    except (TypeError, ValueError) as error:
        raise TypeError('`generator` yielded an element that could not be converted to the expected type. The expected '
                        f'type was {kind.name}, but the yielded element was {value}.') from error
    if not shape.is_compatible_with(result.shape):
        raise TypeError(f'`generator` yielded an element of shape {result.shape} where an element of shape {shape} was '
                        'expected.')
    return result


def _arrays(value: Any, spec: Any) -> list[Any]:
    """Returns the arrays of what a component of |spec| is made of."""
    if isinstance(spec, TensorSpec):
        return [_array(value, spec.dtype, spec.shape)]
    if not spec.is_compatible_with(structure.spec_of(value)):
        raise TypeError(f'`generator` yielded an element of {structure.spec_of(value)} where an element of {spec} was '
                        'expected.')
    parts = value._parts() if hasattr(value, '_parts') else structure.to_tensors(spec, value)
    return [part.numpy() for part in parts]


def _parts_of(spec: Any) -> list[Any]:
    """Returns the specs of the arrays that a component is taken as."""
    return ragged_elements.part_specs(spec) if structure.is_ragged(spec) else structure.tensor_specs(spec)


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is not None:
        if output_types is not None:
            raise TypeError('The `output_types` argument can not be used together with the `output_signature` argument.')
        if output_shapes is not None:
            raise TypeError('The `output_shapes` argument can not be used together with the `output_signature` argument.')
        for spec in structure.flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError('`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found '
                                f'{type(spec)} which is not.')
            if not isinstance(spec, TensorSpec) and not issubclass(spec.value_type, (Composite, type(None))) or any(
                    part.dtype in (dtypes.variant, dtypes.resource) for part in _parts_of(spec)):
                raise NotImplementedError('Berth makes datasets of tensors that a generator gives, and not yet of '
                                          f'{type(spec).__name__}.')
        return output_signature
    if output_types is None:
        raise TypeError('To specify the output signature you need to provide either the `output_signature` argument or the '
                        '`output_types` argument.')
    return spec_from(output_types, output_shapes, None)


def from_generator(python: Any, output_types: Any, output_shapes: Any, args: Any, output_signature: Any) -> Any:
    """Makes a dataset of what |python|, called with |args|, gives one after the other."""
    if not callable(python):
        raise TypeError('`generator` must be a Python callable.')
    spec = _signature(output_types, output_shapes, output_signature)
    given = [] if args is None else [convert.convert_to_tensor(arg, name=f'args_{i}') for i, arg in enumerate(args)]
    runs, leaves = _Runs(python), structure.flatten(spec)
    parts = [part for leaf in leaves for part in _parts_of(leaf)]
    kinds = [part.dtype for part in parts]
    form = structure.each(lambda leaf: getattr(leaf, 'dtype', None), spec)

    def take(number: Any) -> Any:
        value = next(runs.find(number))
        return [array for item, leaf in zip(_flat(form, value, (form, value)), leaves) for array in _arrays(item, leaf)]

    def next_element(number: Any) -> Any:
        found = script_ops.numpy_function(take, [number], kinds)
        for tensor, part in zip(found, parts):
            tensor.set_shape(part.shape)
        rest = iter(found)
        return structure.pack(spec, iter([
            ragged_elements.from_parts(leaf, rest) if structure.is_ragged(leaf) else structure._leaf_from(leaf, rest)
            for leaf in leaves]))

    def each_time(_: Any) -> Any:
        return _dataset(runs, given, next_element, spec)

    from berth import _mode
    from berth._data.dataset import DatasetV1, DatasetV2

    kind = DatasetV1 if _mode.is_v1() else DatasetV2
    return kind.from_tensors(0).flat_map(each_time)


def _dataset(runs: _Runs, given: list[Any], next_element: Any, spec: Any) -> Any:
    """Makes the dataset of one time that the generator is gone through."""
    number = TensorSpec((), dtypes.int64)

    def begin(_: Any) -> Any:
        made = script_ops.numpy_function(runs.begin, given, dtypes.int64)
        made.set_shape(())
        return made

    def end(at: Any) -> Any:
        return script_ops.numpy_function(runs.end, [at], dtypes.int64)

    first = StructuredFunction(begin, _NAME, TensorSpec((), dtypes.int32))
    after = StructuredFunction(next_element, _NAME, number)
    last = StructuredFunction(end, _NAME, number)
    variant = gen.apply('GeneratorDataset', None, {
        'init_func_other_args': [convert.constant(0), *first.captured], 'next_func_other_args': after.captured,
        'finalize_func_other_args': last.captured}, {
            'init_func': first.name, 'next_func': after.name, 'finalize_func': last.name, **making.element_attrs(spec)})
    return making.make('_GeneratorDataset', variant, spec, (), (first, after, last))
