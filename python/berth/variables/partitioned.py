"""partitioned - Variables in parts: what cuts them, what stands for all parts, and what makes them.

A part is a variable of its own, called `name/part_0` and so on, which knows its place in the whole
(`SaveSliceInfo`): savers write all parts as one tensor. `scope` calls get_parts() where a
partitioner is in force.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from berth.base import naming
from berth.framework import convert, dtypes, scopes
from berth.framework.node import Tensor
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops
from berth.variables import scope as variable_scopes
from berth.variables.members import SaveSliceInfo

# ---- What stands for all parts ----


@naming.public('ops.variables')
class PartitionedVariable:
    """The parts of a variable, in their order."""

    def __init__(self, name: str, shape: Any, dtype: Any, variable_list: Any, partitions: Any) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f'variable_list is not a list or tuple: {variable_list}')
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f'partitions is not a list or tuple: {partitions}')
        if not all(count >= 1 for count in partitions):
            raise ValueError(f'partition values must be positive: {partitions}')
        if not variable_list:
            raise ValueError('variable_list may not be empty')
        _check_places(variable_list, shape, partitions)
        self._variable_list = sorted(variable_list, key=lambda part: part._get_save_slice_info().var_offset)
        self._name, self._shape, self._dtype, self._partitions = name, shape, dtype, partitions

    name = property(lambda self: self._name, doc='The name that the names of all parts begin with.')
    dtype = property(lambda self: self._dtype, doc='The type of the value.')
    shape = property(lambda self: self.get_shape(), doc='The shape of the whole.')

    def get_shape(self) -> Any:
        """The shape of the whole."""
        return self._shape

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f'Cannot get a length for {len(axes)} > 1 partition axes')
        return len(self._variable_list)

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> Any:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        return [axis for axis, count in enumerate(self._partitions) if count > 1] or [0]

    # ---- As a tensor ----

    def _concat(self) -> Any:
        if len(self._variable_list) == 1:
            with scopes.name_scope(None):
                return array_ops.identity(self._variable_list[0], name=self._name)
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(f'Cannot concatenate along more than one dimension: {axes}.  Multi-axis partition '
                                      'concat is not supported')
        with scopes.name_scope(self._name + '/ConcatPartitions/'):
            whole = array_ops.concat(self._variable_list, axes[0])
        with scopes.name_scope(None):
            return array_ops.identity(whole, name=self._name)

    def as_tensor(self) -> Any:
        """Returns the whole; it waits for nothing that the scope says."""
        with scopes.control_dependencies(None):
            return self._concat()

    def _dense_var_to_tensor(self, dtype: Any, name: Any, as_ref: bool) -> Any:
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
                             f"'{self.dtype.name}'")
        if as_ref:
            raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
        return self.as_tensor()

    # ---- Changing it ----

    def _pieces(self, value: Any) -> list[Any]:
        """Returns what |value| has for each part."""
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(f'Cannot do assign action along more than one dimension: {axes}.  Multi-axis '
                                      'partition assign action is not supported ')
        if isinstance(value, (list, PartitionedVariable)):
            pieces = list(value)
            assert len(pieces) == len(self._variable_list)
            return pieces
        sizes = [part.shape.as_list()[axes[0]] for part in self._variable_list]
        return array_ops.split(value, sizes, axis=axes[0])

    def _each(self, method: str, value: Any, use_locking: bool, name: str | None, read_value: bool) -> list[Any]:
        pieces = self._pieces(value)
        done = [getattr(part, method)(piece, use_locking=use_locking, name=name, read_value=read_value)
                for part, piece in zip(self._variable_list, pieces)]
        return done if read_value else [each.op for each in done]

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Sets all parts; |value| is the whole, or a list."""
        return self._each('assign', value, use_locking, name, read_value)

    def assign_add(self, value: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Adds to all parts."""
        return self._each('assign_add', value, use_locking, name, read_value)

    def assign_sub(self, value: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Any:
        """Subtracts from all parts."""
        return self._each('assign_sub', value, use_locking, name, read_value)


def _check_places(parts: Any, shape: Any, partitions: Any) -> None:
    """Raises ValueError unless all |parts| know their places in a whole of |shape|."""
    infos = [part._get_save_slice_info() for part in parts]
    if any(info is None for info in infos):
        raise ValueError(f'All variables must have a save_slice_info available: {[part.name for part in parts]}')
    if len(shape) != len(partitions):
        raise ValueError(f'len(shape) != len(partitions): {shape} vs. {partitions}')
    for info in infos:
        if TensorShape(info.full_shape) != TensorShape(shape):
            raise ValueError(f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                             f'{[info.full_shape]}')


# ---- Partitioners ----


def _element_bytes(dtype: Any, bytes_per_string_element: int) -> int:
    dtype = dtypes.as_dtype(dtype)
    return bytes_per_string_element if dtype.base_dtype == dtypes.string else dtype.size


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """Cuts an axis into a number of parts."""
    def partitioner(shape: Any, **_: Any) -> list[int]:
        counts = [1] * len(shape)
        counts[axis] = min(num_shards, shape.dims[axis].value)
        return counts

    return partitioner


def variable_axis_size_partitioner(max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16,
                                   max_shards: int | None = None) -> Callable[..., list[int]]:
    """Cuts an axis so that no part has more than some bytes, where that can be."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError('Both max_shard_bytes and bytes_per_string_element must be positive. Currently, '
                         f'max_shard_bytes is {max_shard_bytes} andbytes_per_string_element is '
                         f'{bytes_per_string_element}')
    if max_shards and max_shards < 1:
        raise ValueError('max_shards must be positive.')

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f'shape is not a TensorShape: {shape}')
        if not shape.is_fully_defined():
            raise ValueError(f'shape is not fully defined: {shape}')
        size = shape.dims[axis].value
        row_bytes = 1.0 * (shape.num_elements() / size) * _element_bytes(dtype, bytes_per_string_element)
        rows = max(1, math.floor(max_shard_bytes / row_bytes))
        counts = [1] * len(shape)
        counts[axis] = int(math.ceil(1.0 * size / rows))
        if max_shards:
            counts[axis] = min(max_shards, counts[axis])
        return counts

    return partitioner


def min_max_variable_partitioner(max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10,
                                 bytes_per_string_element: int = 16) -> Callable[..., list[int]]:
    """Cuts an axis into at most |max_partitions| parts of at least |min_slice_size| bytes."""
    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if axis >= len(shape):
            raise ValueError(f'Cannot partition variable along axis {axis} when shape is only {shape}')
        total = shape.num_elements() * _element_bytes(dtype, bytes_per_string_element)
        counts = [1] * len(shape)
        counts[axis] = max(1, min(shape.dims[axis].value, max_partitions, int(math.ceil(total / min_slice_size))))
        return counts

    return partitioner


def _asked(partitioner: Any, shape: TensorShape, dtype: Any) -> Any:
    """Returns into how many parts each axis is to be cut."""
    if not shape.is_fully_defined():
        raise ValueError(f'Shape of a new partitioned variable must be fully defined, but instead was {shape}.')
    if shape.rank < 1:
        raise ValueError(f'A partitioned Variable must have rank at least 1, shape: {shape}')
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, Sequence):
        raise ValueError(f'Partitioner must return a sequence, but saw: {counts}')
    if len(counts) != shape.rank:
        raise ValueError("Partitioner returned a partition list that does not match the Variable's rank: "
                         f'{counts} vs. {shape}')
    if any(count < 1 for count in counts):
        raise ValueError(f'Partitioner returned zero partitions for some axes: {counts}')
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(f'Can only slice a variable along one dimension: shape: {shape}, partitioning: {counts}')
    return counts


def _places(whole: list[int], counts: Any) -> Iterator[tuple[list[int], list[int]]]:
    """Goes through the parts: where each begins and its sizes; the first ones take what is left over."""
    axis = next((axis for axis, count in enumerate(counts) if count > 1), 0)
    each, more = divmod(whole[axis], counts[axis])
    begin = 0
    for number in range(counts[axis]):
        size = each + (number < more)
        yield ([begin if i == axis else 0 for i in range(len(whole))],
               [size if i == axis else full for i, full in enumerate(whole)])
        begin += size


# ---- Making the parts ----


@naming.public('ops.variable_scope', '_PartitionInfo')
class PartitionInfo:
    """What an initialiser is told of the part that it makes."""

    def __init__(self, full_shape: Any, var_offset: Any) -> None:
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_offset(self, shape: Any) -> int:
        """Returns where the part begins on the axis that is cut."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape: Any) -> int | None:
        """Returns the axis that is cut, for a part of |shape|; None when there is none."""
        axes = [axis for axis, (size, full) in enumerate(zip(shape, self.full_shape)) if size != full]
        if len(axes) > 1:
            raise ValueError(f'Cannot use single_slice_dim() with shape={shape} and self.full_shape={self.full_shape} '
                             f'since slice dim could be either dimension {axes[1]} or {axes[0]}.')
        return axes[0] if axes else None


def _check_shared(found: PartitionedVariable, name: str, shape: TensorShape, dtype: Any, counts: Any,
                  reuse: Any) -> None:
    """Raises ValueError when the variable that is there is not the one that is asked for."""
    if reuse is False:
        raise ValueError(f'Partitioned variable with name {name} already exists. Did you mean to set reuse=True or '
                         'reuse=tf.AUTO_REUSE in VarScope?')
    what = f'Trying to reuse partitioned variable {name}, but specified'
    if not shape.is_compatible_with(found.get_shape()):
        raise ValueError(f'{what} shape {shape} and found shape {found.get_shape()}.')
    if not dtype.is_compatible_with(found.dtype):
        raise ValueError(f'{what} dtype {dtype.name} and found dtype {found.dtype.name}.')
    if counts is not None and found._get_partitions() != counts:
        raise ValueError(f'{what} partitions {counts} and found partitions {found._get_partitions()}.')


def _check_there(name: str, count: int, store: dict[str, Any]) -> None:
    """Raises ValueError when parts of another number are there."""
    if f'{name}/part_0' not in store:
        return
    text = ('Partitioner returned a different partitioning than what was already found.  Partitioner returned '
            f'{count} shards, and shard {name}/part_0 was found, but')
    if f'{name}/part_{count - 1}' not in store:
        raise ValueError(f'{text} {name}/part_{count - 1} was not.')
    if f'{name}/part_{count}' in store:
        raise ValueError(f'{text} so was the extra shard {name}/part_{count}.')


def _initial(initializer: Any, name: str, dtype: Any, begin: list[int], sizes: list[int]) -> tuple[Any, Any, Any]:
    """Returns what a part begins with, its shape where that does not say it, and its type."""
    if initializer is None:
        made, is_value = variable_scopes._default_initializer(name, dtype, TensorShape(sizes), False)
        return made, None if is_value else sizes, dtype
    if callable(initializer):
        return initializer, sizes, dtype
    if not isinstance(initializer, Tensor):
        initializer = convert.convert_to_tensor(initializer, dtype=dtype)
        return array_ops.slice(initializer, begin, sizes), None, dtype
    made = array_ops.slice(initializer, begin, sizes)
    return made, None, made.dtype.base_dtype


def get_parts(name: str, partitioner: Any, shape: Any, dtype: Any, initializer: Any, reuse: Any,
              **rest: Any) -> PartitionedVariable:
    """Returns the variable |name| in parts: the one that is there, or a new one."""
    store, kept = variable_scopes._store(), variable_scopes._partitioned()
    if name in store:
        raise ValueError('A partitioner was provided, but an unpartitioned version of the variable was found: '
                         f'{name}.  Perhaps a variable of the same name was already created without partitioning?')
    dims, dtype = TensorShape(shape), dtypes.as_dtype(dtype)
    if isinstance(initializer, Tensor):
        dims = dims.merge_with(initializer.shape)
    counts = _asked(partitioner, dims, dtype) if not reuse or partitioner else None
    if name in kept:
        _check_shared(kept[name], name, dims, dtype, counts, reuse)
        return kept[name]
    if reuse is True:
        raise ValueError(f'PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did '
                         'you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?')
    _check_there(name, max(counts), store)
    parts = []
    for number, (begin, sizes) in enumerate(_places(dims.as_list(), counts)):
        parts.append(_part(name, number, dims, dtype, initializer, begin, sizes, reuse=reuse, **rest))
        dtype = parts[-1].dtype.base_dtype if isinstance(initializer, Tensor) else dtype
    whole = PartitionedVariable(name=name, shape=dims, dtype=dtype, variable_list=parts, partitions=counts)
    if not scopes.executing_eagerly():
        kept[name] = whole
    return whole


def _part(name: str, number: int, whole: TensorShape, dtype: Any, initializer: Any, begin: list[int],
          sizes: list[int], **rest: Any) -> Any:
    """Makes one part, which knows its place."""
    own = f'{name}/part_{number}'
    with scopes.name_scope(own + '/PartitionedInitializer'):
        value, shape, dtype = _initial(initializer, name, dtype, begin, sizes)
    info = PartitionInfo(whole.as_list(), begin)
    with scopes.name_scope(None):
        made = variable_scopes._get_single(own, shape=shape, dtype=dtype, initializer=value, partition_info=info,
                                           **rest)
    made._set_save_slice_info(SaveSliceInfo(name, whole.as_list(), begin, sizes))
    return made


def create_partitioned_variables(shape: Any, slicing: Any, initializer: Any, dtype: Any = dtypes.float32,
                                 trainable: bool = True, collections: Any = None, name: str | None = None,
                                 reuse: Any = None) -> list[Any]:
    """Returns the parts of a variable that is cut as |slicing| says."""
    if len(shape) != len(slicing):
        raise ValueError("The 'shape' and 'slicing' of a partitioned Variable must have the length: "
                         f'shape: {shape}, slicing: {slicing}')
    if len(shape) < 1:
        raise ValueError(f'A partitioned Variable must have rank at least 1: shape: {shape}')
    with variable_scopes.variable_scope(name, 'PartitionedVariable', reuse=reuse) as scope:
        if scope.custom_getter is not None:
            raise ValueError('Private access to _get_partitioned_variable is not allowed when a custom getter is set.  '
                             f'Current custom getter: {scope.custom_getter}.  It is likely that you\'re using '
                             'create_partitioned_variables.  If so, consider instead using get_variable with a '
                             'non-empty partitioner parameter instead.')
        with scopes.name_scope(None):
            return list(get_parts(
                scope.name, lambda **_: slicing, shape, dtype,
                scope.initializer if initializer is None else initializer, scope.reuse, regularizer=scope.regularizer,
                trainable=trainable, collections=collections, caching_device=scope.caching_device,
                use_resource=scope.use_resource, constraint=scope.constraint))
