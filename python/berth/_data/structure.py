"""structure - Elements of datasets: tuples and dicts around tensors, and what is known of them.

Only tuples and mappings hold components; a list is a tensor.
"""

from __future__ import annotations

import collections.abc
from typing import Any, Callable, Iterator

from berth._data import ragged_elements
from berth.base import naming
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, scopes
from berth.framework.composite import Composite
from berth.framework.node import Tensor
from berth.framework.trace_type import TypeSpec

Spec = Any


@naming.public('data.util.structure')
class NoneTensorSpec(TypeSpec):
    """What is known of None: it is a component without tensors."""

    __slots__ = ()

    def __init__(self) -> None:  # pylint: disable=super-init-not-called
        pass

    @property
    def value_type(self) -> Any:
        """The class of None."""
        return type(None)

    def flatten(self) -> list[Any]:
        """Returns no specs."""
        return []

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns no tensors."""
        return []

    def from_tensors(self, tensors: Any) -> None:
        """Returns None."""

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for None, and for what is known of it."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Returns this, where the others are such."""
        return self if all(isinstance(each, NoneTensorSpec) for each in others) else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return 'NoneTensorSpec()'


def is_nested(value: Any) -> bool:
    """True for what holds components."""
    return isinstance(value, (tuple, collections.abc.Mapping)) and not isinstance(value, TypeSpec)


def children(value: Any) -> list[Any]:
    """Returns the components of a tuple, or of a mapping by key."""
    if isinstance(value, collections.abc.Mapping):
        return [value[key] for key in sorted(value)]
    return list(value)


def like(form: Any, items: list[Any]) -> Any:
    """Returns a structure of the kind of |form| that holds |items|."""
    if isinstance(form, collections.abc.Mapping):
        found = dict(zip(sorted(form), items))
        if isinstance(form, collections.defaultdict):
            return type(form)(form.default_factory, ((key, found[key]) for key in form))
        return type(form)((key, found[key]) for key in form)  # type: ignore[call-arg]
    return type(form)(*items) if hasattr(form, '_fields') else tuple(items)


def flatten(value: Any) -> list[Any]:
    """Returns the leaves."""
    if not is_nested(value):
        return [value]
    return [leaf for child in children(value) for leaf in flatten(child)]


def pack(form: Any, leaves: Iterator[Any]) -> Any:
    """Puts |leaves| where those of |form| are."""
    if not is_nested(form):
        return next(leaves)
    return like(form, [pack(child, leaves) for child in children(form)])


def each(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Returns a structure like |first| of what |function| gives for its leaves."""
    rows = zip(flatten(first), *map(flatten, others))
    return pack(first, iter([function(*row) for row in rows]))


# ---- Specs ----


def _common(a: Any, b: Any) -> Any:
    found = a.most_specific_common_supertype([b])
    if found is None:
        raise TypeError(f'No common supertype of {a} and {b}.')
    return found


def common(own: Spec, other: Spec) -> Spec:
    """Returns the spec of elements of both; TypeError when there is none."""
    return each(_common, own, other)


def spec_of(value: Any) -> Spec:
    """Returns what is known of an element; TypeError for what can be none."""
    if is_nested(value):
        return like(value, [spec_of(child) for child in children(value)])
    if isinstance(value, TypeSpec):
        return value
    if value is None:
        return NoneTensorSpec()
    own = getattr(value, '_element_type', None)
    if own is not None:
        return own()
    if isinstance(value, Composite):
        return _composite_spec(value)
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    tensor = convert.convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def _composite_spec(value: Any) -> Spec:
    from berth.ops.ragged_ops import RaggedTensorSpec
    from berth.ops.sparse_tensor import SparseTensor, SparseTensorSpec

    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if hasattr(value, 'nested_row_splits'):
        return RaggedTensorSpec(value.shape, value.dtype, len(value.nested_row_splits), value.nested_row_splits[0].dtype)
    raise NotImplementedError(f'Berth has no datasets whose elements are of {type(value).__name__} yet.')


def _is_sparse(spec: Spec) -> bool:
    return type(spec).__name__ == 'SparseTensorSpec'


def is_ragged(spec: Spec) -> bool:
    """True for the spec of a ragged tensor."""
    return type(spec).__name__ == 'RaggedTensorSpec'


def _parts_of(spec: Spec) -> list[Any]:
    """Returns the specs of the tensors that a leaf is made of."""
    if is_ragged(spec):
        return [TensorSpec(None, dtypes.variant)]  # Of a batch it is a vector.
    if not _is_sparse(spec):
        return spec.flatten()
    rank = spec.shape.rank
    return [TensorSpec([None, rank], dtypes.int64), TensorSpec([None], spec.dtype), TensorSpec([rank], dtypes.int64)]


def _leaf_from(spec: Spec, tensors: Any) -> Any:
    """Returns the leaf that the next of |tensors| make."""
    if is_ragged(spec):
        return ragged_elements.decoded(spec, next(tensors))
    if not _is_sparse(spec):
        return spec.from_tensors(tensors)
    from berth.ops.sparse_tensor import SparseTensor

    made = SparseTensor(next(tensors), next(tensors), next(tensors))
    made.set_shape(spec.shape)
    return made


def tensor_specs(spec: Spec) -> list[TensorSpec]:
    """Returns the specs of the tensors that an element is made of."""
    return [part for leaf in flatten(spec) for part in _parts_of(leaf)]


def types(spec: Spec) -> list[Any]:
    """Returns the types of these tensors."""
    return [part.dtype for part in tensor_specs(spec)]


def shapes(spec: Spec) -> list[Any]:
    """Returns what is known of their shapes."""
    return [part.shape for part in tensor_specs(spec)]


def to_tensors(spec: Spec, value: Any) -> list[Any]:
    """Returns the tensors that |value| is made of."""
    return [tensor for part, leaf in zip(flatten(spec), flatten(value)) for tensor in _tensors_of(part, leaf, False)]


def rows_to_tensors(spec: Spec, value: Any) -> list[Any]:
    """Returns the tensors whose rows the rows of |value| are made of."""
    return [tensor for part, leaf in zip(flatten(spec), flatten(value)) for tensor in _tensors_of(part, leaf, True)]


def _tensors_of(spec: Spec, leaf: Any, is_batch: bool) -> list[Any]:
    if is_ragged(spec):
        return [ragged_elements.encoded(leaf, is_batch)]
    return leaf._parts() if _is_sparse(spec) else spec.to_tensors(_ready(spec, leaf))


def _ready(spec: Spec, leaf: Any) -> Any:
    if isinstance(spec, TensorSpec) and not isinstance(leaf, Tensor):
        return convert.convert_to_tensor(leaf, dtype=spec.dtype)
    return leaf


def from_tensors(spec: Spec, tensors: Any) -> Any:
    """Returns the element that |tensors| make."""
    if isinstance(spec, TensorSpec):
        return tensors[0]
    rest = iter(tensors)
    return pack(spec, iter([_leaf_from(leaf, rest) for leaf in flatten(spec)]))


def is_plain(spec: Spec) -> bool:
    """True when an element is made of plain tensors."""
    return all(isinstance(leaf, TensorSpec) for leaf in flatten(spec))


def with_front(spec: Spec, size: Any) -> Spec:
    """Returns the spec of elements joined: |size| of them, None where that is not known."""
    return each(lambda leaf: _more(leaf, [size]), spec)


def without_front(spec: Spec) -> Spec:
    """Returns the spec of rows of elements."""
    def row(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            if leaf.shape.rank == 0:
                raise ValueError('Unbatching a tensor is only supported for rank >= 1')
            return TensorSpec(leaf.shape[1:] if leaf.shape.rank is not None else None, leaf.dtype)
        if _is_sparse(leaf):
            if leaf.shape.rank == 0:
                raise ValueError('Unbatching is only supported for rank >= 1')
            return type(leaf)(leaf.shape[1:] if leaf.shape.rank is not None else None, leaf.dtype)
        if is_ragged(leaf):
            return ragged_elements.row_spec(leaf)
        if isinstance(leaf, NoneTensorSpec):
            return leaf
        raise NotImplementedError(f'Berth takes batches of dense, sparse and ragged tensors apart, and none of '
                                  f'{type(leaf).__name__} yet.')

    return each(row, spec)


def _more(leaf: Any, dims: list[Any]) -> Any:
    if isinstance(leaf, TensorSpec):
        return TensorSpec(leaf.shape.__class__(dims).concatenate(leaf.shape), leaf.dtype)
    if _is_sparse(leaf):
        return type(leaf)(leaf.shape.__class__(dims).concatenate(leaf.shape), leaf.dtype)
    if is_ragged(leaf):
        return ragged_elements.batch_spec(leaf, dims)
    if isinstance(leaf, NoneTensorSpec):
        return leaf
    raise NotImplementedError(f'Berth joins dense, sparse and ragged tensors in batches, and no {type(leaf).__name__} yet.')


def normalize(element: Any, spec: Spec = None) -> Any:
    """Returns an element whose components are tensors."""
    with scopes.name_scope('normalize_element'):
        numbers = iter(range(1 << 30))
        wanted = iter(flatten(spec) if spec is not None else [])

        def component(value: Any) -> Any:
            number, part = next(numbers), next(wanted, None)
            if value is None:
                return None
            if isinstance(value, (Tensor, Composite)) and not hasattr(value, 'handle'):
                return value
            if getattr(value, '_element_type', None) is not None or isinstance(value, TypeSpec):
                return value
            dtype = getattr(part, 'dtype', None)
            return convert.convert_to_tensor(value, dtype=dtype, name=f'component_{number}')

        return each(component, element)
