"""iterators - What goes through datasets: Python's iterators, and those of TF1's graphs."""

from __future__ import annotations

import itertools
import warnings
from typing import Any, Optional

from berth import _core as core
from berth._data import making, optional, structure
from berth.base import naming
from berth.eager import context
from berth.eager.function_parts import add_parts
from berth.framework import convert, dtypes, errors, gen, scopes
from berth.framework import schema as schemas
from berth.framework.composite import Composite
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, random_ops
from berth.framework.trackable import Trackable

_numbers = itertools.count()
_LIMIT = 32
_WARNING = ('An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that `Iterator.'
            'get_next()` is being called inside a training loop, which will cause gradual slowdown and eventual resource '
            'exhaustion. If this is the case, restructure your code to call `next_element = iterator.get_next()` once '
            'outside the loop, and use `next_element` as the input to some computation that is invoked inside the loop.')


def _with_shapes(spec: Any, tensors: Any) -> Any:
    for tensor, shape in zip(tensors, structure.shapes(spec)):
        tensor.set_shape(shape)
    return tensors


# ---- Where ops run at once, and in functions ----


class OwnedIterator(Composite, Trackable):
    """Goes through a dataset; what it holds goes with it."""

    def __init__(self, dataset: Any = None, components: Any = None, element_spec: Any = None) -> None:
        if dataset is None:
            self._resource, self._spec = components[0], element_spec
        else:
            self._spec = dataset.element_spec
            self._dataset = dataset
            self._attrs = making.element_attrs(self._spec)
            self._resource = gen.apply('AnonymousIteratorV3', None, {}, self._attrs)
            gen.apply('MakeIterator', None, {'dataset': dataset._variant_tensor, 'iterator': self._resource})
        self._attrs = making.element_attrs(self._spec)
        self._is_plain = structure.is_plain(self._spec)
        self._note: Optional[str] = None  # The text of its spec, once it was asked for.
        self._call: Any = None  # What takes an element at once.
        if scopes.executing_eagerly():
            values = gen.attr_values(schemas.find('IteratorGetNext'), self._attrs)
            self._call = context.settings.handle().call
            self._description = core.Description('IteratorGetNext', values)
            self._values = values
            self._inputs = [self._resource]

    @property
    def element_spec(self) -> Any:
        """What is known of its elements."""
        return self._spec

    def __iter__(self) -> 'OwnedIterator':
        return self

    def _take(self) -> Any:
        if self._call is None or not scopes.executing_eagerly():
            return gen.apply('IteratorGetNext', None, {'iterator': self._resource}, self._attrs)
        try:
            return self._call(self._description, None, self._inputs)
        except errors.OpError as error:
            raise context._error_of(error, 'IteratorGetNext', '', 1, self._values, {}) from None

    def __next__(self) -> Any:
        if not scopes.executing_eagerly():
            return self._next_in_function()
        try:
            tensors = self._take()
        except errors.OutOfRangeError:
            raise StopIteration from None
        return structure.from_tensors(self._spec, tensors)

    def _loop_items(self) -> Any:
        """Returns what a loop of a graph goes through."""
        return LoopItems(self)

    def _next_in_function(self) -> Any:
        return structure.from_tensors(self._spec, _with_shapes(self._spec, self._take()))

    def get_next(self, name: Optional[str] = None) -> Any:
        """Returns the next element; OutOfRangeError at the end."""
        if scopes.executing_eagerly():
            return structure.from_tensors(self._spec, self._take())
        return self._next_in_function()

    next = __next__

    def get_next_as_optional(self) -> Any:
        """Returns the next element, or nothing at the end."""
        variant = gen.apply('IteratorGetNextAsOptional', None, {'iterator': self._resource}, self._attrs)
        return optional.Optional(variant, self._spec)

    @property
    def output_types(self) -> Any:
        """The types of the components of an element."""
        return structure.each(lambda leaf: leaf.dtype, self._spec)

    @property
    def output_shapes(self) -> Any:
        """What is known of their shapes."""
        return structure.each(lambda leaf: leaf.shape, self._spec)

    @property
    def output_classes(self) -> Any:
        """Their classes."""
        return structure.each(lambda leaf: leaf.value_type, self._spec)

    def _element_type(self) -> 'IteratorSpec':
        return IteratorSpec(self._spec)

    _type_spec = property(_element_type)

    # ---- What it is made of ----

    def _parts(self) -> list[Any]:
        return [self._resource]

    def _with_parts(self, parts: list[Any]) -> 'OwnedIterator':
        return OwnedIterator(components=parts, element_spec=self._spec)

    def _open_parts(self) -> tuple[int, ...]:
        return ()

    def _kind_note(self) -> str:
        if self._note is None:
            self._note = repr(self._spec)
        return self._note

    # ---- Where it is ----

    def _checkpoint_state(self) -> Any:
        """Returns what a checkpoint holds of it: how many elements were taken, and seeds."""
        return state_of(self._resource)

    def _checkpoint_restore(self, state: Any) -> None:
        """Goes to where an iterator of the same dataset was."""
        go_to(self._resource, state)


def state_of(resource: Any) -> Any:
    """Returns where an iterator is, a vector of numbers."""
    variant = array_ops.reshape(gen.apply('SerializeIterator', None, {'resource_handle': resource}), [])
    attrs = {'output_types': [dtypes.int64], 'output_shapes': [TensorShape([None])]}
    return gen.apply('OptionalGetValue', None, {'optional': variant}, attrs)[0]


def go_to(resource: Any, state: Any) -> Any:
    """Lets an iterator go on from where |state| says."""
    state = convert.convert_to_tensor(state, dtype=dtypes.int64)
    variant = gen.apply('OptionalFromValue', None, {'components': [state]})
    return gen.apply('DeserializeIterator', None, {'resource_handle': resource, 'serialized': variant})


class LoopItems:
    """The elements of an iterator in a loop of a graph: each turn has one, or nothing."""

    def __init__(self, iterator: OwnedIterator) -> None:
        self._iterator = iterator
        self._spec = iterator.element_spec

    def take(self) -> Any:
        """Returns the next element as an optional, a tensor."""
        return self._iterator.get_next_as_optional()._variant_tensor

    def has(self, taken: Any) -> Any:
        """Returns whether there was one."""
        return optional.Optional(taken, self._spec).has_value()

    def get(self, taken: Any) -> Any:
        """Returns it."""
        return optional.Optional(taken, self._spec).get_value()


class IteratorSpec:
    """What is known of an iterator."""

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """What is known of its elements."""
        return self._element_spec

    def __repr__(self) -> str:
        return f'IteratorSpec({self._element_spec!r},)'


class NumpyIterator:
    """Goes through a dataset and gives arrays."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __repr__(self) -> str:
        return f'NumpyIterator(iterator={self._iterator}'

    def __iter__(self) -> 'NumpyIterator':
        return self

    def __next__(self) -> Any:
        return structure.each(_array, next(self._iterator))

    def next(self) -> Any:
        """Returns the next element."""
        return self.__next__()


def _array(value: Any) -> Any:
    if hasattr(value, 'as_numpy_iterator'):
        return value.as_numpy_iterator()
    if not hasattr(value, 'numpy'):
        return value
    array = value.numpy()
    if hasattr(array, 'setflags') and getattr(array, 'ndim', 0):
        array.setflags(write=False)
    return array


# ---- TF1 ----


@naming.public('data.ops.iterator_ops')
class Iterator:
    """An iterator of a graph."""

    _device_: Any = None  # Where elements are brought to.

    def __init__(self, iterator_resource: Any, initializer: Any, output_types: Any, output_shapes: Any,
                 output_classes: Any, spec: Any = None) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._spec = spec if spec is not None else spec_from(output_types, output_shapes, output_classes)
        self._string_handle = gen.apply('IteratorToStringHandle', None, {'resource_handle': iterator_resource})
        self._get_next_calls = 0

    @property
    def element_spec(self) -> Any:
        """What is known of its elements."""
        return self._spec

    @property
    def initializer(self) -> Any:
        """The operation that lets it begin."""
        if self._initializer is not None:
            return self._initializer
        raise ValueError('The iterator does not have an initializer. This means it was likely created using `tf.data.'
                         'Dataset.make_one_shot_iterator()`. For an initializable iterator, use `tf.data.Dataset.'
                         'make_initializable_iterator()` instead.')

    @staticmethod
    def from_structure(output_types: Any, output_shapes: Any = None, shared_name: Optional[str] = None,
                       output_classes: Any = None) -> 'Iterator':
        """Makes an iterator that has no dataset yet."""
        spec = spec_from(output_types, output_shapes, output_classes)
        resource = _resource(spec, shared_name or '')
        return Iterator(resource, None, None, None, None, spec)

    @staticmethod
    def from_string_handle(string_handle: Any, output_types: Any, output_shapes: Any = None,
                           output_classes: Any = None) -> 'Iterator':
        """Makes the iterator that a text names."""
        from berth.framework import convert

        spec = spec_from(output_types, output_shapes, output_classes)
        string_handle = convert.convert_to_tensor(string_handle, dtypes.string)
        resource = gen.apply('IteratorFromStringHandleV2', None, {'string_handle': string_handle},
                             making.element_attrs(spec))
        return Iterator(resource, None, None, None, None, spec)

    def make_initializer(self, dataset: Any, name: Optional[str] = None) -> Any:
        """Returns the operation that lets it begin with |dataset|."""
        with scopes.name_scope(name, 'make_initializer') as name:
            self._check(dataset)
            with making.colocated(self._iterator_resource):
                return gen.apply('MakeIterator', name, {'dataset': dataset._variant_tensor,
                                                        'iterator': self._iterator_resource})

    def _check(self, dataset: Any) -> None:
        """Raises TypeError for a dataset whose elements are others."""
        for what, own, given in (('types', self.output_types, _legacy(dataset, 'dtype')),
                                 ('classes', self.output_classes, _legacy(dataset, 'value_type'))):
            if own != given:
                raise TypeError(f'Expected output {what} {own!r} but got dataset with output {what} {given!r}.')
        own, given = structure.flatten(self.output_shapes), structure.flatten(_legacy(dataset, 'shape'))
        for mine, its in zip(own, given):
            if not _at_least(mine, its):
                raise TypeError(f'Expected output shapes compatible with {self.output_shapes!r} but got dataset with '
                                f'output shapes {_legacy(dataset, "shape")!r}.')

    def get_next(self, name: Optional[str] = None) -> Any:
        """Returns the tensors of the next element."""
        self._get_next_calls += 1
        if self._get_next_calls > _LIMIT:
            warnings.warn(_WARNING, stacklevel=2)
        with making.colocated(self._iterator_resource):
            tensors = gen.apply('IteratorGetNext', name, {'iterator': self._iterator_resource},
                                making.element_attrs(self._spec))
        element = structure.from_tensors(self._spec, _with_shapes(self._spec, tensors))
        if self._device_ is None:
            return element
        from berth._data import on_device

        return on_device.moved(element, self._spec, self._device_)

    def get_next_as_optional(self) -> Any:
        """Returns the next element, or nothing at the end."""
        with making.colocated(self._iterator_resource):
            variant = gen.apply('IteratorGetNextAsOptional', None, {'iterator': self._iterator_resource},
                                making.element_attrs(self._spec))
        return optional.Optional(variant, self._spec)

    def string_handle(self, name: Optional[str] = None) -> Any:
        """Returns the text that names it."""
        if name is None:
            return self._string_handle
        return gen.apply('IteratorToStringHandle', name, {'resource_handle': self._iterator_resource})

    @property
    def output_types(self) -> Any:
        """The types of the components of an element."""
        return _legacy(self, 'dtype')

    @property
    def output_shapes(self) -> Any:
        """What is known of their shapes."""
        return _legacy(self, 'shape')

    @property
    def output_classes(self) -> Any:
        """Their classes."""
        return _legacy(self, 'value_type')


def _legacy(holder: Any, what: str) -> Any:
    return structure.each(lambda leaf: getattr(leaf, what), holder.element_spec)


def _at_least(wide: TensorShape, narrow: TensorShape) -> bool:
    """True when every shape that |narrow| may be is one that |wide| may be."""
    if wide.rank is None:
        return True
    if narrow.rank != wide.rank:
        return False
    return all(w is None or w == n for w, n in zip(wide.as_list(), narrow.as_list()))


def spec_from(types: Any, shapes: Any, classes: Any) -> Any:
    """Returns the spec of elements of |types| and |shapes|."""
    from berth.eager.spec import TensorSpec

    types = structure.each(dtypes.as_dtype, types)
    if shapes is None:
        return structure.each(lambda kind: TensorSpec(None, kind), types)
    flat = _shapes_like(types, shapes)
    return structure.pack(types, iter([TensorSpec(shape, kind)
                                       for shape, kind in zip(flat, structure.flatten(types))]))


def _shapes_like(types: Any, shapes: Any) -> list[Any]:
    """Returns the shapes for the leaves of |types|; a list or tuple of numbers is one of them."""
    if not structure.is_nested(types):
        return [TensorShape(shapes)]
    if isinstance(shapes, TensorShape):
        raise TypeError("If shallow structure is a sequence, input must also be a sequence.")
    parts = structure.children(shapes) if not isinstance(shapes, list) else list(shapes)
    return [leaf for kind, shape in zip(structure.children(types), parts) for leaf in _shapes_like(kind, shape)]


def _resource(spec: Any, shared_name: str) -> Any:
    return gen.apply('IteratorV2', None, {}, {'container': '', 'shared_name': shared_name, **making.element_attrs(spec)})


def initializable(dataset: Any, shared_name: Optional[str]) -> Iterator:
    """Makes an iterator whose initializer lets it begin with |dataset|."""
    check_graph(dataset)
    with making.colocated(dataset._variant_tensor):
        resource = _resource(dataset.element_spec, shared_name or '')
        initializer = gen.apply('MakeIterator', None, {'dataset': dataset._variant_tensor, 'iterator': resource})
        return Iterator(resource, initializer, None, None, None, dataset.element_spec)


def check_graph(dataset: Any) -> None:
    """Raises ValueError for a dataset of another graph."""
    graph = scopes.get_default_graph()
    if dataset._variant_tensor.graph is not graph:
        raise ValueError('Make sure that the dataset is created in the same graph as the iterator.')


def one_shot(dataset: Any) -> Iterator:
    """Makes an iterator that makes its dataset itself, once."""
    check_graph(dataset)
    graph = scopes.get_default_graph()
    random_ops.get_seed(None)  # TensorFlow takes a seed of the graph for the function.
    name = f'_make_dataset_{next(_numbers)}'
    try:
        body = _Copy(dataset._variant_tensor)
    except ValueError as error:
        if 'Cannot capture a stateful node' not in str(error):
            raise
        raise ValueError(
            f'{error}: A likely cause of this error is that the dataset for which you are calling `make_one_shot_iterator()` '
            'captures a stateful object, such as a `tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. '
            'Use `make_initializable_iterator()` instead.') from None
    add_parts(graph._core, [(name, body)])
    with making.colocated(dataset._variant_tensor):
        resource = gen.apply('OneShotIterator', None, {},
                             {'dataset_factory': name, **making.element_attrs(dataset.element_spec)})
        return Iterator(resource, None, None, None, None, dataset.element_spec)


# Ops that act, and may be done again all the same.
_REPEATED = frozenset(('DummySeedGenerator', 'AnonymousSeedGenerator', 'PyFunc', 'RandomUniformInt', 'RandomUniform'))


class _Copy:
    """What makes a tensor, in a graph of its own."""

    def __init__(self, tensor: Any) -> None:
        self.core = core.Graph()
        self.feeds: list[Any] = []
        self._nodes: dict[Any, int] = {}
        for op in _behind(tensor.op):
            self._add(op)
        self.results = [(self._nodes[tensor.op], tensor.value_index)]

    def _add(self, op: Any) -> None:
        if op.type in ('Placeholder', 'PlaceholderV2'):
            raise ValueError(f'Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.')
        schema = schemas.find(op.type)
        if core.op_schema(op.type).get('is_stateful') and op.type not in _REPEATED and 'Dataset' not in op.type:
            raise ValueError(f'Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.')
        found = [(self._nodes[t.op], t.value_index) for t in op.inputs]
        inputs: list[Any] = []
        for arg in schema.inputs:
            first, count = op.graph._core.arg_range(op.node, arg.name, False)
            inputs.append(found[first:first + count] if arg.is_list else found[first])
        attrs = {name: op.graph._core.node_attr(op.node, name) for name in schema.attrs}
        controls = [self._nodes[c] for c in op.control_inputs if c in self._nodes]
        self._nodes[op] = self.core.op(op.type, op.name, inputs, attrs, op.device or None, controls, (), True)


def _behind(op: Any) -> list[Any]:
    """Returns |op| and all that it needs, in the order of the graph."""
    found: set[Any] = set()
    pending = [op]
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += [tensor.op for tensor in one.inputs] + list(one.control_inputs)
    return sorted(found, key=lambda one: one.node)
