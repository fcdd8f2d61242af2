"""sparse_tensor.py - SparseTensor: the elements of a tensor that are not zero, and where they are."""

from __future__ import annotations

import collections
from typing import Any

from berth import _core as core
from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes, static_value
from berth.framework.composite import Composite
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.framework.trace_type import TypeSpec

SparseTensorValue = collections.namedtuple('SparseTensorValue', ['indices', 'values', 'dense_shape'])


# Ops of one tensor that functions of tensors do with the values of a sparse one.
_ON_VALUES = frozenset('Abs Identity Neg Sign Sin Sqrt Square StopGradient Tanh'.split())


class SparseTensor(Composite):
    """Elements |values| of a tensor of shape |dense_shape|, at |indices|."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with scopes.name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self._indices = convert.convert_to_tensor(indices, dtypes.int64, name='indices')
            self._values = convert.convert_to_tensor(values, name='values')
            self._dense_shape = convert.convert_to_tensor(dense_shape, dtypes.int64, name='dense_shape')
        places = self._indices.shape.with_rank(2)
        elements = self._values.shape.with_rank(1)
        sizes = self._dense_shape.shape.with_rank(1)
        _check_equal(places.as_list()[0], elements.as_list()[0])
        _check_equal(places.as_list()[1], sizes.as_list()[0])
        self._shape = _known_shape(self._dense_shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> 'SparseTensor':
        """Makes one of a SparseTensorValue."""
        value = sparse_tensor_value
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f'Argument sparse_tensor_value={value} is neither a SparseTensor nor SparseTensorValue.')
        return cls(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Any:
        """Where the elements are, a row for each."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns what is known of the shape of the whole tensor."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Says more of the shape."""
        self._shape = self._shape.merge_with(shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """The operation that makes the elements."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the elements."""
        return self._indices.graph

    def with_values(self, new_values: Any) -> 'SparseTensor':
        """Returns other elements at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Any]:
        """Returns the operations that read the elements."""
        return self._values.consumers()

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Returns its value in a session."""
        session = session if session is not None else scopes.get_default_session()
        if session is None:
            raise ValueError('Cannot evaluate tensor using `eval()`: No default session is registered. Use `with '
                             'sess.as_default()` or pass an explicit session to `eval(session=sess)`')
        return session.run(self, feed_dict)

    # ---- A value of several tensors ----

    def _parts(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    @property
    def _elements(self) -> Any:
        return self._values

    def _with_parts(self, parts: list[Any]) -> 'SparseTensor':
        # Parts may be what stands for tensors, too: nothing is asked of them.
        made = SparseTensor.__new__(SparseTensor)
        made._indices, made._values, made._dense_shape = parts
        # What comes later has the shape that was known of what it stands for.
        is_later = not isinstance(parts[2], core.Tensor)
        made._shape = self._shape if is_later or parts[2] is self._dense_shape else _known_shape(parts[2])
        return made

    def _apply_op(self, op_type: str, name: Any, args: dict[str, Any], attrs: Any) -> Any:
        if op_type not in _ON_VALUES or len(args) != 1:
            return super()._apply_op(op_type, name, args, attrs)
        inner = {key: value._values for key, value in args.items()}
        return self._with_parts([self._indices, gen.apply(op_type, name, inner, attrs), self._dense_shape])

    def _open_parts(self) -> tuple[int, ...]:
        return (0, 1)

    def _fetched(self, arrays: list[Any]) -> SparseTensorValue:
        return SparseTensorValue(*arrays)

    def _fed(self, value: Any) -> list[Any]:
        return list(value)

    @property
    def _type_spec(self) -> 'SparseTensorSpec':
        return SparseTensorSpec(self._shape, self.dtype)

    def __str__(self) -> str:
        return (f'SparseTensor(indices={self._indices!s}, values={self._values!s}, '
                f'dense_shape={self._dense_shape!s})')

    __repr__ = __str__

    def __mul__(self, other: Any) -> 'SparseTensor':
        return self._cwise('SparseDenseCwiseMul', 'mul', other)

    def __div__(self, other: Any) -> 'SparseTensor':
        return self._cwise('SparseDenseCwiseDiv', 'div', other)

    def __truediv__(self, other: Any) -> 'SparseTensor':
        return self._cwise('SparseDenseCwiseDiv', 'truediv', other)

    def _cwise(self, op: str, title: str, other: Any) -> 'SparseTensor':
        """Multiplies or divides each element by that of a dense tensor at its place."""
        from berth.framework import gen
        from berth.ops import math_ops

        with scopes.name_scope(None, title, [self, other]) as scope:
            dense, values = convert.convert_to_tensor(other, dtype=self.dtype.base_dtype, name='y'), self._values
            if title == 'truediv' and values.dtype.is_integer:
                kind = dtypes.float64 if values.dtype.size > 2 else dtypes.float32
                dense, values = math_ops.cast(dense, kind), math_ops.cast(values, kind)
            return self.with_values(gen.apply(op, scope, {
                'sp_indices': self._indices, 'sp_values': values, 'sp_shape': self._dense_shape, 'dense': dense}, {}))


def _known_shape(dense_shape: Any) -> TensorShape:
    """Returns what is known of a shape that is given as a tensor, or a spec of one."""
    known = static_value.get_static_value(dense_shape) if isinstance(dense_shape, Tensor) else None
    if known is not None:
        return TensorShape([int(size) for size in known])
    sizes = getattr(dense_shape, 'shape', None)
    rank = sizes.as_list()[0] if sizes is not None and sizes.rank == 1 else None
    return TensorShape(None if rank is None else [None] * rank)


def _check_equal(one: Any, other: Any) -> None:
    """Raises ValueError for sizes that are known and differ."""
    if None not in (one, other) and one != other:
        raise ValueError(f'Dimensions {one} and {other} are not compatible')


SparseTensor.__module__ = 'tensorflow.python.framework.sparse_tensor'  # As texts name it.
SparseTensorValue.__module__ = SparseTensor.__module__


@naming.public('framework.sparse_tensor')
class SparseTensorSpec(TypeSpec):
    """What is known of a SparseTensor."""

    __slots__ = ('_shape', '_dtype')

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape, self._dtype = TensorShape(shape), dtypes.as_dtype(dtype)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return SparseTensor

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for a SparseTensor, or a spec of one, that fits."""
        other = getattr(spec_or_value, '_type_spec', spec_or_value)
        return (isinstance(other, SparseTensorSpec) and self._dtype == other._dtype
                and self._shape.is_compatible_with(other._shape))

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Returns the narrowest spec of the values of all, or None."""
        if any(not isinstance(each, SparseTensorSpec) or each._dtype != self._dtype for each in others):
            return None
        return SparseTensorSpec(self._shape.most_specific_common_supertype([each._shape for each in others]), self._dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and (self._shape, self._dtype) == (other._shape, other._dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f'SparseTensorSpec({self._shape!r}, {self._dtype!r})'


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Returns sparse tensors as they are, and anything else as a tensor."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise RuntimeError(f'Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: '
                               f'{value.dtype.name}')
        return value
    return convert.convert_to_tensor(value, dtype, name)
