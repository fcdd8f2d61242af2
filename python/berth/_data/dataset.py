"""dataset - tf.data.Dataset: what there is to go through, in TF1 and TF2.

A dataset is a variant tensor, made by an op of its own, and the spec of its elements. What
elements go through on their way is in C (src/data); here nodes are made, or ops called.
"""

from __future__ import annotations

import functools
from typing import Any, Iterator, Optional

from berth._data import iterators, making, structure
from berth._data.options import Options
from berth._data.sources import Sources
from berth._data.transforms import Transforms
from berth.base import naming
from berth.eager.spec import TensorSpec
from berth.framework import dtypes, gen, scopes
from berth.framework.trace_type import TypeSpec

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


@naming.public('data.ops.dataset_ops', 'DatasetV2')
class DatasetV2(Transforms, Sources):
    """Elements to go through, one after the other; never changes."""

    _device_: Any = None  # Where elements are brought to.

    def __init__(self, variant: Any, spec: Any = None, inputs: tuple[Any, ...] = (), functions: tuple[Any, ...] = ()) -> None:
        self._variant_tensor = variant
        self._spec = spec
        self._inputs_ = inputs
        self._functions = functions  # Kept as long as the dataset.
        self._options_: Optional[Options] = None

    # ---- What it is ----

    @property
    def element_spec(self) -> Any:
        """What is known of its elements."""
        return self._spec

    def _inputs(self) -> list[Any]:
        return list(self._inputs_)

    def _element_type(self) -> 'DatasetSpec':
        return DatasetSpec(self._spec)

    def __repr__(self) -> str:
        return f'<{type(self).__name__} element_spec={self.element_spec}>'

    def __bool__(self) -> bool:
        return True

    def options(self) -> Options:
        """Returns the options of this dataset and those it is made of."""
        made = Options()
        for dataset in self._inputs_:
            made = made.merge(dataset.options())
        return made if self._options_ is None else made.merge(self._options_)

    def cardinality(self, name: Optional[str] = None) -> Any:
        """Returns how many elements there are, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return gen.apply('DatasetCardinality', name, {'input_dataset': self._variant_tensor})

    def __len__(self) -> int:
        if not scopes.executing_eagerly():
            raise TypeError('`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` '
                            'instead.')
        length = int(self.cardinality())
        if length == INFINITE_CARDINALITY:
            raise TypeError('The dataset is infinite.')
        if length == UNKNOWN_CARDINALITY:
            raise TypeError('The dataset length is unknown.')
        return length

    # ---- Going through ----

    def __iter__(self) -> Iterator[Any]:
        if scopes.executing_eagerly() or scopes.get_default_graph().building_function:
            return self._iterator()
        raise RuntimeError('`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function.')

    def _iterator(self) -> Any:
        if self._device_ is None:
            return iterators.OwnedIterator(self)
        from berth._data import on_device

        return on_device.DeviceIterator(self)

    def _loop_items(self) -> Any:
        """Returns what a loop of a graph goes through."""
        return iterators.LoopItems(iterators.OwnedIterator(self))

    def as_numpy_iterator(self) -> Any:
        """Returns what goes through its elements as arrays."""
        if not scopes.executing_eagerly():
            raise RuntimeError('`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.')
        for leaf in structure.flatten(self.element_spec):
            if not (isinstance(leaf, (TensorSpec, DatasetSpec, structure.NoneTensorSpec)) or hasattr(leaf, 'ragged_rank')
                    or type(leaf).__name__ in ('SparseTensorSpec', 'RaggedTensorSpec')):
                raise TypeError('`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values '
                                f'of type {leaf.value_type}')
        return iterators.NumpyIterator(self)

    def get_single_element(self, name: Optional[str] = None) -> Any:
        """Returns the one element that there is."""
        spec = self.element_spec
        tensors = gen.apply('DatasetToSingleElement', name, {'dataset': self._variant_tensor}, making.element_attrs(spec))
        return structure.from_tensors(spec, making.shaped(spec, tensors))


class _Shown:
    """What TF1's datasets show of their elements."""

    element_spec: Any

    @property
    def output_types(self) -> Any:
        """The types of the components of an element."""
        return structure.each(lambda leaf: leaf.dtype if hasattr(leaf, 'dtype') else dtypes.variant, self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """What is known of their shapes."""
        return structure.each(lambda leaf: leaf.shape, self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the components."""
        return structure.each(lambda leaf: leaf.value_type, self.element_spec)


class DatasetV1(_Shown, DatasetV2):
    """The same, with what TF1 can do with it."""

    def make_one_shot_iterator(self) -> Any:
        """Returns an iterator that goes through it once, and needs no initializer."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: Optional[str] = None) -> Any:
        """Returns an iterator that begins when its initializer is run."""
        return make_initializable_iterator(self, shared_name)

    def map_with_legacy_function(self, map_func: Any, num_parallel_calls: Any = None, deterministic: Any = None) -> Any:
        """Calls a function for each element."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Any) -> Any:
        """Keeps the elements that a function says True for."""
        return self.filter(predicate)


def _of_v1(source: Any) -> Any:
    """Returns a function that makes what |source| makes, as a dataset of TF1."""
    @functools.wraps(source)
    def made(*args: Any, **kwargs: Any) -> Any:
        return making.as_v1(source(*args, **kwargs))
    return staticmethod(made)


for _name, _source in vars(Sources).items():
    if isinstance(_source, staticmethod):
        setattr(DatasetV1, _name, _of_v1(_source.__func__))


def make_one_shot_iterator(dataset: Any) -> Any:
    """Returns an iterator that goes through |dataset| once, and needs no initializer."""
    if scopes.executing_eagerly():
        return dataset._iterator()
    return _brought(iterators.one_shot(dataset), dataset)


def make_initializable_iterator(dataset: Any, shared_name: Optional[str] = None) -> Any:
    """Returns an iterator that begins when its initializer is run."""
    if scopes.executing_eagerly():
        raise ValueError('`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration '
                         'instead.')
    return _brought(iterators.initializable(dataset, shared_name), dataset)


def _brought(iterator: Any, dataset: Any) -> Any:
    iterator._device_ = dataset._device_
    return iterator


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """Returns the types of the components of an element."""
    return structure.each(lambda leaf: leaf.dtype, dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """Returns what is known of their shapes."""
    return structure.each(lambda leaf: leaf.shape, dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """Returns their classes."""
    return structure.each(lambda leaf: leaf.value_type, dataset_or_iterator.element_spec)


# ---- As elements ----


@naming.public('data.ops.dataset_ops')
class DatasetSpec(TypeSpec):
    """What is known of a dataset that is an element of another."""

    __slots__ = ('_element_spec', '_dataset_shape')

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        from berth.framework.tensor_shape import TensorShape

        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """What is known of its elements."""
        return self._element_spec

    @property
    def shape(self) -> Any:
        """The shape of the variant."""
        return self._dataset_shape

    @property
    def dtype(self) -> Any:
        """The type of the variant."""
        return dtypes.variant

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return DatasetV2

    def flatten(self) -> list[Any]:
        """Returns the spec of the variant."""
        return [TensorSpec(self._dataset_shape, dtypes.variant)]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the variant of a dataset."""
        return [value._variant_tensor]

    def from_tensors(self, tensors: Any) -> Any:
        """Returns the dataset of the next variant."""
        return making.make('_VariantDataset', next(tensors), self._element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for a dataset, or a spec, that fits."""
        other = spec_or_value._element_type() if hasattr(spec_or_value, '_element_type') else spec_or_value
        return isinstance(other, DatasetSpec) and other._element_spec == self._element_spec

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DatasetSpec) and other._element_spec == self._element_spec

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f'DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})'


making.set_classes(DatasetV1, DatasetV2)
