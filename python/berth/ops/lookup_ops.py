"""lookup_ops.py - Tables from keys to values."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.framework.collections import GraphKeys
from berth.framework.composite import Composite
from berth.framework.trackable import TrackableResource
from berth.ops import array_ops, math_ops, order_ops


@naming.public('ops.lookup_ops')
class TextFileIndex:
    """Which part of a line a key or value is."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


def _check_types(table: Any, key_dtype: Any, value_dtype: Any) -> None:
    for what, wanted, given in (('key', table.key_dtype, key_dtype), ('value', table.value_dtype, value_dtype)):
        if given.base_dtype != wanted:
            raise TypeError(f'Invalid {what} dtype for table, expected {wanted} but got {given}.')


def _noted(filling: Any) -> Any:
    """Returns the op that fills a table, which its graph keeps."""
    if not scopes.executing_eagerly():
        scopes.add_to_collection(GraphKeys.TABLE_INITIALIZERS, filling)
    return filling


@naming.public('ops.lookup_ops')
class KeyValueTensorInitializer:
    """The keys and values of a table, as tensors."""

    _shared_name = ''

    def __init__(self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None,
                 name: str | None = None) -> None:
        self._keys = convert.convert_to_tensor(keys, dtype=key_dtype, name='keys')
        self._values = convert.convert_to_tensor(values, dtype=value_dtype, name='values')
        self._name = 'key_value_init' if name is None else name

    key_dtype = property(lambda self: self._keys.dtype)
    value_dtype = property(lambda self: self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Returns what fills |table|."""
        _check_types(table, self.key_dtype, self.value_dtype)
        with scopes.name_scope(self._name, None, [table.resource_handle, self._keys, self._values]):
            return _noted(gen.apply('LookupTableImportV2', None, {
                'table_handle': table.resource_handle, 'keys': self._keys, 'values': self._values}))


def _check_part(what: str, index: int, dtype: Any) -> None:
    """Refuses a part of a line that is not of the type |dtype|."""
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f'`{what}_index` should be >= -2, received: {index}{"." if what == "key" else ""}')
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        words = 'if `key_index` is' if what == 'key' else 'for `value_index`'
        raise ValueError(f'`{what}_dtype` must be int64 {words} {index}, received: {dtype}')
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != dtypes.string:
        raise ValueError(f'`{what}_dtype` should be either integer or string for `{what}_index` {index}, '
                         f'received: {dtype}')


@naming.public('ops.lookup_ops')
class TextFileInitializer:
    """The keys and values of a table, in the lines of a file."""

    def __init__(self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
                 vocab_size: Any = None, delimiter: str = '\t', name: str | None = None,
                 value_index_offset: int = 0) -> None:
        if not hasattr(filename, 'dtype') and not filename:
            raise ValueError('`filename` argument required for tf.lookup.TextFileInitializer')
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        _check_part('key', key_index, self.key_dtype)
        _check_part('value', value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f'`vocab_size` should be > 0, received: {vocab_size}')
        self._filename, self._delimiter, self._name = filename, delimiter, name
        self._key_index, self._value_index, self._size = key_index, value_index, vocab_size
        self._offset = value_index_offset
        with scopes.init_scope(), scopes.device('CPU'):
            self._path = convert.convert_to_tensor(filename, dtypes.string, name='asset_path')

    @property
    def _shared_name(self) -> str:
        """Tables of the same lines are one table."""
        parts = [self._filename, self._size, self._key_index, self._value_index, self._offset]
        return '_'.join(['hash_table', *(str(part) for i, part in enumerate(parts) if part or i in (0, 2, 3))])

    def initialize(self, table: Any) -> Any:
        """Returns what fills |table|."""
        _check_types(table, self.key_dtype, self.value_dtype)
        with scopes.name_scope(self._name, 'text_file_init', [table.resource_handle]):
            filling = gen.apply('InitializeTableFromTextFileV2', None, {
                'table_handle': table.resource_handle, 'filename': self._path}, {
                'key_index': self._key_index, 'value_index': self._value_index,
                'vocab_size': -1 if self._size is None else self._size, 'delimiter': self._delimiter,
                'offset': self._offset})
        if not scopes.executing_eagerly() and self._path.op.type == 'Const':
            scopes.add_to_collection(GraphKeys.ASSET_FILEPATHS, self._path)
        return _noted(filling)


class _Table(TrackableResource):
    """What tables share: a handle, types, a default, and what is done with any of them."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str) -> None:
        super().__init__()
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self._default = convert.convert_to_tensor(default_value, dtype=self.value_dtype)
        self._value_shape = self._default.shape
        with scopes.init_scope():
            # Where ops run at once a table lives as long as its handle.
            is_eager = scopes.executing_eagerly()
            self._handle = self._make(f'Anonymous{self._kind()}' if is_eager else f'{self._kind()}V2', name, is_eager)
            self._name = None if is_eager else self._handle.op.name.split('/')[-1]

    def _kind(self) -> str:
        """Returns the op that makes it, but for what stands before or behind its name."""
        raise NotImplementedError

    def _make(self, op: str, name: str, is_eager: bool) -> Any:
        """Makes the table and returns its handle."""
        return gen.apply(op, name, {}, {'key_dtype': self.key_dtype, 'value_dtype': self.value_dtype})

    @property
    def name(self) -> Any:
        """Its name in a graph; None where ops run at once."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """What leads to the table."""
        return self._handle

    @property
    def default_value(self) -> Any:
        """What stands for keys that it does not have."""
        return self._default

    def _check_keys(self, keys: Any) -> None:
        if keys.dtype.base_dtype != self.key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}')

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the value of each key, or the default."""
        raise NotImplementedError

    def _find(self, keys: Any, default: Any) -> Any:
        values = gen.apply('LookupTableFindV2', None, {
            'table_handle': self._handle, 'keys': keys, 'default_value': default})
        values.set_shape(keys.shape.concatenate(self._value_shape))
        return values

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys."""
        with scopes.name_scope(name, f'{self._name}_Size', [self._handle]):
            return gen.apply('LookupTableSizeV2', None, {'table_handle': self._handle})

    def _export(self) -> Any:
        keys, values = gen.apply('LookupTableExportV2', None, {'table_handle': self._handle}, {
            'Tkeys': self.key_dtype, 'Tvalues': self.value_dtype})
        values.set_shape(keys.shape.concatenate(self._value_shape))
        return keys, values


@naming.public('ops.lookup_ops')
class StaticHashTable(_Table):
    """A table that never changes."""

    def __init__(self, initializer: Any, default_value: Any, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        self._shared_name, self._source = initializer._shared_name, initializer
        super().__init__(initializer.key_dtype, initializer.value_dtype, default_value, name or 'hash_table')
        self._value_shape.merge_with([])
        self._filling = initializer.initialize(self)

    @property
    def initializer(self) -> Any:
        """The operation that fills it."""
        return self._filling

    def _kind(self) -> str:
        return 'HashTable'

    def _make(self, op: str, name: str, is_eager: bool) -> Any:
        shared = {'shared_name': self._shared_name} if self._shared_name and not is_eager else {}
        return gen.apply(op, name, {}, {'key_dtype': self.key_dtype, 'value_dtype': self.value_dtype, **shared})

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the value of each key, or the default."""
        if isinstance(keys, Composite):
            return keys._with_parts([self.lookup(p, name) if p is keys._elements else p for p in keys._parts()])
        self._check_keys(keys)
        with scopes.name_scope(name, f'{self._name}_Lookup', [keys]):
            return self._find(convert.convert_to_tensor(keys), self._default)

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and values."""
        with scopes.name_scope(name, f'{self._name}_Export', [self._handle]):
            return self._export()


@naming.public('ops.lookup_ops')
class StaticVocabularyTable(TrackableResource):
    """A table of numbers, in which keys that are not there get numbers behind the last."""

    def __init__(self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        if num_oov_buckets <= 0:
            raise ValueError('`num_oov_buckets` must be > 0; use StaticHashTable instead.')
        self._name = name or 'static_vocabulary_table'
        self._table = None
        if initializer is not None:
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(f'Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}.')
            self._table = StaticHashTable(initializer, -1)
        self._buckets = num_oov_buckets
        self.key_dtype = dtypes.as_dtype(lookup_key_dtype or (
            initializer.key_dtype if initializer is not None else dtypes.string))
        self.value_dtype = dtypes.int64

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys, with those that stand for others."""
        known = self._table.size() if self._table is not None else convert.constant(0, dtypes.int64)
        return known + self._buckets

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the number of each key."""
        if isinstance(keys, Composite):
            return keys._with_parts([self.lookup(p, name) if p is keys._elements else p for p in keys._parts()])
        if keys.dtype.base_dtype != self.key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}')
        with scopes.name_scope(name, f'{self._name}_Lookup', [keys]):
            keys = convert.convert_to_tensor(keys)
            texts = keys if keys.dtype == dtypes.string else gen.apply('AsString', None, {'input': keys})
            others = gen.apply('StringToHashBucketFast', None, {'input': texts}, {'num_buckets': self._buckets})
            if self._table is None:
                return others
            wanted = keys if keys.dtype == self._table.key_dtype else math_ops.cast(keys, self._table.key_dtype)
            found = self._table.lookup(wanted)
            return array_ops.where_v2(math_ops.not_equal(found, -1), found, others + self._table.size())


@naming.public('ops.lookup_ops')
class MutableHashTable(_Table):
    """A table that keys are put into and taken out of."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str = 'MutableHashTable',
                 checkpoint: bool = True, experimental_is_anonymous: bool = False) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name)

    def _kind(self) -> str:
        return 'MutableHashTable' if self._value_shape.rank == 0 else 'MutableHashTableOfTensors'

    def _make(self, op: str, name: str, is_eager: bool) -> Any:
        attrs = {'key_dtype': self.key_dtype, 'value_dtype': self.value_dtype}
        if not is_eager:
            attrs['use_node_name_sharing'] = True
        if self._value_shape.rank != 0:
            attrs['value_shape'] = self._value_shape
        return gen.apply(op, name, {}, attrs)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Puts keys and their values in."""
        with scopes.name_scope(name, f'{self._name}_lookup_table_insert', [self._handle, keys, values]):
            return gen.apply('LookupTableInsertV2', None, {
                'table_handle': self._handle, 'keys': convert.convert_to_tensor(keys, self.key_dtype, name='keys'),
                'values': convert.convert_to_tensor(values, self.value_dtype, name='values')})

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Takes keys out."""
        if keys.dtype != self.key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}')
        with scopes.name_scope(name, f'{self._name}_lookup_table_remove', [self._handle, keys]):
            return gen.apply('LookupTableRemoveV2', None, {'table_handle': self._handle, 'keys': keys})

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:  # type: ignore[override]
        """Returns the value of each key, or the default."""
        with scopes.name_scope(name, f'{self._name}_lookup_table_find', [self._handle, keys]):
            keys = convert.convert_to_tensor(keys, dtype=self.key_dtype, name='keys')
            return self._find(keys, self._default if dynamic_default_values is None else dynamic_default_values)

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and values."""
        with scopes.name_scope(name, f'{self._name}_lookup_table_export_values', [self._handle]):
            return self._export()


@naming.public('ops.lookup_ops')
class DenseHashTable(MutableHashTable):
    """A table that keys are put into, but two that it keeps for itself."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any, deleted_key: Any,
                 initial_num_buckets: Any = None, name: str = 'MutableDenseHashTable', checkpoint: bool = True,
                 experimental_is_anonymous: bool = False) -> None:
        kind = dtypes.as_dtype(key_dtype)
        self._kept = [convert.convert_to_tensor(key, dtype=kind, name=part)
                      for key, part in ((empty_key, 'empty_key'), (deleted_key, 'deleted_key'))]
        self._buckets = initial_num_buckets
        super().__init__(key_dtype, value_dtype, default_value, name)

    def _kind(self) -> str:
        return 'MutableDenseHashTable'

    def _make(self, op: str, name: str, is_eager: bool) -> Any:
        attrs: dict[str, Any] = {'value_dtype': self.value_dtype, 'value_shape': self._value_shape}
        if not is_eager:
            attrs['use_node_name_sharing'] = True
        if self._buckets is not None:
            attrs['initial_num_buckets'] = self._buckets
        return gen.apply(op, name, {'empty_key': self._kept[0], 'deleted_key': self._kept[1]}, attrs)

    def erase(self, keys: Any, name: str | None = None) -> Any:
        """Takes keys out."""
        return self.remove(keys, name)


def tables_initializer(name: str = 'init_all_tables') -> Any:
    """Returns what fills all tables of the graph."""
    tables = scopes.get_collection(GraphKeys.TABLE_INITIALIZERS)
    return order_ops.group(*tables, name=name) if tables else order_ops.no_op(name=name)
