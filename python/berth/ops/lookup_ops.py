"""lookup_ops.py - Tables from keys to values.

Where ops run at once a table is a dict of Python. In a graph each key is compared with all of the table's: that needs
no state, and memory for as many answers as there are pairs of keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from berth.base import naming
from berth.framework import convert, dtypes, errors, gen, scopes, static_value
from berth.framework.composite import Composite
from berth.ops import array_ops, math_ops, order_ops, reduce_ops


@naming.public('ops.lookup_ops')
class TextFileIndex:
    """Which part of a line a key or value is."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


@naming.public('ops.lookup_ops')
class KeyValueTensorInitializer:
    """The keys and values of a table, as tensors."""

    def __init__(self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None,
                 name: str | None = None) -> None:
        self._keys = convert.convert_to_tensor(keys, dtype=key_dtype, name='keys')
        self._values = convert.convert_to_tensor(values, dtype=value_dtype, name='values')

    key_dtype = property(lambda self: self._keys.dtype)
    value_dtype = property(lambda self: self._values.dtype)

    def _pairs(self) -> tuple[Any, Any]:
        """Returns keys and values, each in a row."""
        return array_ops.reshape(self._keys, [-1]), array_ops.reshape(self._values, [-1])


@naming.public('ops.lookup_ops')
class TextFileInitializer:
    """The keys and values of a table, in the lines of a file."""

    def __init__(self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
                 vocab_size: Any = None, delimiter: str = '\t', name: str | None = None,
                 value_index_offset: int = 0) -> None:
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for what, index, kind in (('key', key_index, self.key_dtype), ('value', value_index, self.value_dtype)):
            if index < -2:
                raise ValueError(f'`{what}_index` should be >= -2, received: {index}.')
            if index == TextFileIndex.LINE_NUMBER and kind != dtypes.int64:
                raise ValueError(f'`{what}_dtype` must be int64 {"if" if what == "key" else "for"} `{what}_index` '
                                 f'{"is " if what == "key" else ""}{TextFileIndex.LINE_NUMBER}, received: {kind}')
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f'`vocab_size` should be > 0, received: {vocab_size}')
        self._filename, self._delimiter = filename, delimiter
        self._key_index, self._value_index, self._size = key_index, value_index, vocab_size
        self._offset = value_index_offset

    def _pairs(self) -> tuple[Any, Any]:
        """Returns keys and values, each in a row."""
        name = self._filename.numpy() if hasattr(self._filename, 'numpy') else self._filename
        try:
            with open(name, 'rb') as file:
                lines = file.read().decode().splitlines()
        except FileNotFoundError as error:
            raise errors.NotFoundError(None, None, f'{name}; {error.strerror}') from None
        lines = lines if self._size is None else lines[:self._size]
        keys = [self._part(line, i, self._key_index, self.key_dtype) for i, line in enumerate(lines)]
        values = [self._part(line, i, self._value_index, self.value_dtype) for i, line in enumerate(lines)]
        if self._value_index == TextFileIndex.LINE_NUMBER:
            values = [value + self._offset for value in values]
        return (convert.constant(keys, self.key_dtype, shape=[len(keys)]),
                convert.constant(values, self.value_dtype, shape=[len(values)]))

    def _part(self, line: str, number: int, index: int, kind: Any) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return number
        if index != TextFileIndex.WHOLE_LINE:
            parts = line.split(self._delimiter)
            if index >= len(parts):
                raise errors.InvalidArgumentError(None, None, f'Invalid number of columns in {self._filename} line '
                                                  f'{number} ({line}) : expected at least {index + 1} got {len(parts)}')
            line = parts[index]
        return line if kind == dtypes.string else int(line) if kind.is_integer else float(line)


class _Table:
    """What tables share: types, a default, and lookups."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str) -> None:
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self._name = name
        self._default = convert.convert_to_tensor(default_value, dtype=self.value_dtype)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

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


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@naming.public('ops.lookup_ops')
class StaticHashTable(_Table):
    """A table that never changes."""

    def __init__(self, initializer: Any, default_value: Any, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype, default_value, name or 'hash_table')
        self._keys, self._values = initializer._pairs()
        self._places: dict[Any, int] = {}
        known = [static_value.get_static_value(part) for part in (self._keys, self._values)]
        if all(part is not None for part in known):
            self._index(*known)

    def _index(self, keys: Any, values: Any) -> None:
        """Notes where each key stands; FailedPreconditionError for one with two values."""
        for place, key in enumerate(keys):
            first = self._places.setdefault(_scalar(key), place)
            if _scalar(values[first]) != _scalar(values[place]):
                raise errors.FailedPreconditionError(
                    None, None, '{{function_node __wrapped__LookupTableImportV2_device_/job:localhost/replica:0/task:0/'
                    f'device:CPU:0}}}} HashTable has different value for same key. Key {_shown(key)} has '
                    f'{_shown(values[first])} and trying to add value {_shown(values[place])} '
                    '[Op:LookupTableImportV2] name: ')

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the value of each key, or the default."""
        if isinstance(keys, Composite):
            return keys._with_parts([self.lookup(p, name) if p is keys._elements else p for p in keys._parts()])
        self._check_keys(keys)
        with scopes.name_scope(name, f'{self._name}_Lookup', [keys]):
            keys = convert.convert_to_tensor(keys)
            if scopes.executing_eagerly():
                # The default stands behind the last value.
                last = self._values.shape.as_list()[0]
                flat = np.asarray(keys.numpy(), dtype=object).ravel() if keys.ndim else [keys.numpy()]
                places = [self._places.get(_scalar(key), last) for key in flat]
                place = array_ops.reshape(convert.constant(places, dtypes.int64, shape=[len(places)]), keys.shape)
                return array_ops.gather(array_ops.concat([self._values, [self._default]], 0), place)
            return self._compared(keys)

    def _compared(self, keys: Any) -> Any:
        """Returns values by comparing each key with all."""
        same = math_ops.equal(array_ops.expand_dims(keys, -1), self._keys)
        count = array_ops.size(self._keys, out_type=dtypes.int64)
        numbers = array_ops.where_v2(same, math_ops.range(count), count)
        least = reduce_ops.reduce_min(array_ops.concat([
            numbers, array_ops.fill(array_ops.concat([array_ops.shape(keys), [1]], 0), count)], -1), axis=-1)
        rows = array_ops.concat([self._values, [self._default]], 0)
        return array_ops.gather(rows, least, name='LookupTableFindV2')

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys."""
        with scopes.name_scope(name, f'{self._name}_Size'):
            if self._places:
                return convert.constant(len(self._places), dtypes.int64)
            return array_ops.size(self._keys, out_type=dtypes.int64)

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and values."""
        return self._keys, self._values


def _shown(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(_scalar(value))


@naming.public('ops.lookup_ops')
class StaticVocabularyTable:
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
    """A table that keys are put into and taken out of, where ops run at once."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str = 'MutableHashTable',
                 checkpoint: bool = True, experimental_is_anonymous: bool = False) -> None:
        if not scopes.executing_eagerly():
            raise NotImplementedError('tf.lookup.experimental: Berth has tables that change where ops run at once.')
        super().__init__(key_dtype, value_dtype, default_value, name)
        self._found: dict[Any, Any] = {}

    def _flat(self, keys: Any) -> tuple[Any, list[Any]]:
        keys = convert.convert_to_tensor(keys, dtype=self.key_dtype, name='keys')
        return keys, [_scalar(key) for key in np.asarray(keys.numpy(), dtype=object).ravel()] if keys.ndim else [
            _scalar(keys.numpy())]

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Puts keys and their values in."""
        keys, flat = self._flat(keys)
        values = convert.convert_to_tensor(values, self.value_dtype, name='values')
        rows = array_ops.reshape(values, array_ops.concat([[-1], array_ops.shape(self._default)], 0))
        if len(flat) != int(array_ops.shape(rows)[0]):
            raise errors.InvalidArgumentError(None, None, f'Expected shape {keys.shape} for value, got {values.shape}')
        self._found.update(zip(flat, rows.numpy()))

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Takes keys out."""
        if keys.dtype != self.key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}')
        for key in self._flat(keys)[1]:
            self._found.pop(key, None)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:  # type: ignore[override]
        """Returns the value of each key, or the default."""
        keys, flat = self._flat(keys)
        default = self._default.numpy()
        rows = np.array([self._found.get(key, default) for key in flat],
                        dtype=object if self.value_dtype == dtypes.string else self.value_dtype.as_numpy_dtype)
        shape = [*keys.shape.as_list(), *self._default.shape.as_list()]
        return array_ops.reshape(convert.constant(rows, self.value_dtype), shape)

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys."""
        return convert.constant(len(self._found), dtypes.int64)

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and values."""
        count = len(self._found)
        values = np.array(list(self._found.values()), dtype=object if self.value_dtype == dtypes.string else None)
        return (convert.constant(list(self._found), self.key_dtype, shape=[count]),
                convert.constant(values, self.value_dtype, shape=[count, *self._default.shape.as_list()]))


@naming.public('ops.lookup_ops')
class DenseHashTable(MutableHashTable):
    """A table that keys are put into, but two that it keeps for itself."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any, deleted_key: Any,
                 initial_num_buckets: Any = None, name: str = 'MutableDenseHashTable', checkpoint: bool = True,
                 experimental_is_anonymous: bool = False) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name)


def tables_initializer(name: str = 'init_all_tables') -> Any:
    """Returns what initialises tables: they are ready."""
    return order_ops.no_op(name=name)
