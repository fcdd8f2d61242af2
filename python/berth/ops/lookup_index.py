"""lookup_index.py - Tables of words and their numbers, from lists and files: tf.contrib.lookup."""

from __future__ import annotations

import collections
from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.framework.composite import Composite
from berth.ops import array_ops, lookup_ops, math_ops, order_ops
from berth.ops.lookup_ops import TextFileIndex

HasherSpec = collections.namedtuple('HasherSpec', ['hasher', 'key'])
FastHashSpec = HasherSpec('fasthash', None)


class StrongHashSpec(HasherSpec):
    """A hash with a key of two numbers."""

    def __new__(cls, key: Any) -> Any:
        if len(key) != 2:
            raise ValueError(f'`key` must have size 2, received {len(key)}')
        if not all(isinstance(part, int) for part in key):
            raise TypeError(f'Invalid key {key}. Must be unsigned integer values.')
        return super().__new__(cls, 'stronghash', key)


class HashTable(lookup_ops.StaticHashTable):
    """A table that never changes."""

    init = lookup_ops.StaticHashTable.initializer


class MutableDenseHashTable(lookup_ops.DenseHashTable):
    """A table that keys are put into, but those that it keeps for itself."""


class TextFileStringTableInitializer(lookup_ops.TextFileInitializer):
    """Texts of numbers, in the lines of a file."""

    def __init__(self, filename: Any, key_column_index: int = TextFileIndex.LINE_NUMBER,
                 value_column_index: int = TextFileIndex.WHOLE_LINE, vocab_size: Any = None, delimiter: str = '\t',
                 name: str = 'text_file_string_table_init') -> None:
        super().__init__(filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size,
                         delimiter, name)


class TextFileIdTableInitializer(lookup_ops.TextFileInitializer):
    """Numbers of texts, in the lines of a file."""

    def __init__(self, filename: Any, key_column_index: int = TextFileIndex.WHOLE_LINE,
                 value_column_index: int = TextFileIndex.LINE_NUMBER, vocab_size: Any = None, delimiter: str = '\t',
                 name: str = 'text_file_id_table_init', key_dtype: Any = dtypes.string) -> None:
        super().__init__(filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size,
                         delimiter, name)


class IdTableWithHashBuckets:
    """A table of numbers, in which keys that are not there get numbers behind the last."""

    def __init__(self, table: Any, num_oov_buckets: int, hasher_spec: Any = FastHashSpec, name: str | None = None,
                 key_dtype: Any = None) -> None:
        if table is None and num_oov_buckets <= 0:
            raise ValueError('`oov_buckets` must be > 0 if no `table` is supplied.')
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f'`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.')
        self._table, self._buckets, self._hasher = table, num_oov_buckets, hasher_spec
        self.key_dtype = key_dtype or (dtypes.string if table is None else table.key_dtype)
        self.value_dtype = dtypes.int64
        name = (name or '').rstrip('/') or ('hash_bucket' if table is None else table.name)
        self._name = name and name.split('/')[-1]

    @property
    def name(self) -> Any:
        """Its name."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """What leads to the table."""
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> Any:
        """The operation that fills it."""
        if self._table is not None:
            return self._table.initializer
        with scopes.name_scope(None, 'init'):
            return order_ops.no_op()

    init = initializer

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys, with those that stand for others."""
        with scopes.name_scope(name, f'{self._name}_Size'):
            known = convert.convert_to_tensor(0, dtypes.int64) if self._table is None else self._table.size()
            return known + self._buckets

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _hashed(self, texts: Any) -> Any:
        ops = {'fasthash': 'StringToHashBucketFast', 'legacy': 'StringToHashBucket',
               'stronghash': 'StringToHashBucketStrong'}
        if self._hasher.hasher not in ops:
            raise ValueError(f'Found unknown hasher {self._hasher.hasher} in `hasher_spec`')
        op = ops[self._hasher.hasher]
        attrs = {'num_buckets': self._buckets, **({'key': self._hasher.key} if op.endswith('Strong') else {})}
        return gen.apply(op, 'hash_bucket', {'string_tensor' if op == 'StringToHashBucket' else 'input': texts}, attrs)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Returns the number of each key."""
        if keys.dtype.base_dtype != self.key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}')
        if isinstance(keys, Composite):
            return keys._with_parts([self.lookup(p, name) if p is keys._elements else p for p in keys._parts()])
        if self._table is not None and self._table.key_dtype.base_dtype == dtypes.int64:
            keys = math_ops.cast(keys, dtypes.int64)
        if self._buckets == 0:
            return self._table.lookup(keys, name=name)
        with scopes.name_scope(name, f'{self._name}_Lookup'):
            texts = keys if keys.dtype == dtypes.string else gen.apply('AsString', None, {'input': keys})
            others = self._hashed(texts)
            if self._table is None:
                return others
            found = self._table.lookup(keys)
            others = math_ops.add(others, self._table.size())
            is_found = math_ops.not_equal(found, self._table.default_value)
            return array_ops.where_v2(is_found, found, others)


def _check_file(vocabulary_file: Any, vocab_size: Any, is_named: bool = False) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError('`vocabulary_file` must be specified and must not be empty.')
    if vocab_size is not None and vocab_size < 1:
        name = f' for vocabulary_file: {vocabulary_file}' if is_named else ''
        raise ValueError(f'`vocab_size` must be greater than 0, got {vocab_size}{name}.')


def _with_buckets(table: Any, count: int, hasher_spec: Any, key_dtype: Any) -> Any:
    return IdTableWithHashBuckets(table, count, hasher_spec, key_dtype=key_dtype) if count else table


def index_table_from_file(vocabulary_file: Any = None, num_oov_buckets: int = 0, vocab_size: Any = None,
                          default_value: Any = -1, hasher_spec: Any = FastHashSpec, key_dtype: Any = dtypes.string,
                          name: str | None = None, key_column_index: int = TextFileIndex.WHOLE_LINE,
                          value_column_index: int = TextFileIndex.LINE_NUMBER, delimiter: str = '\t') -> Any:
    """Returns a table of the numbers of the lines of a file."""
    if num_oov_buckets < 0:
        raise ValueError(f'num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.')
    _check_file(vocabulary_file, vocab_size, True)
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError('Dtype for `keys` should be either integer or string.')
    with scopes.name_scope(name, 'string_to_index'):
        with scopes.name_scope(None, 'hash_table'):
            lines = TextFileIdTableInitializer(
                vocabulary_file, vocab_size=vocab_size, key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
                name='table_init', key_column_index=key_column_index, value_column_index=value_column_index,
                delimiter=delimiter)
            table = lookup_ops.StaticHashTable(lines, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(vocabulary_list: Any, num_oov_buckets: int = 0, default_value: Any = -1,
                            hasher_spec: Any = FastHashSpec, dtype: Any = dtypes.string,
                            name: str | None = None) -> Any:
    """Returns a table of the places of words in a row."""
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` must be specified.')
    if num_oov_buckets < 0:
        raise ValueError(f'`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.')
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError('`dtype` must either be integer or string.')
    with scopes.name_scope(name, 'string_to_index'):
        keys = convert.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = 'integer' if dtype.is_integer else 'non-integer'
            raise ValueError(f'Invalid `dtype`: Expected {kind}, got {keys.dtype}.')
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f'Invalid `dtype`: Expected {dtype}, got {keys.dtype}.')
        values = math_ops.cast(math_ops.range(array_ops.size(keys)), dtypes.int64)
        with scopes.name_scope(None, 'hash_table'):
            keys = math_ops.cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            pairs = lookup_ops.KeyValueTensorInitializer(keys, values, name='table_init')
            table = lookup_ops.StaticHashTable(pairs, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(vocabulary_file: Any, vocab_size: Any = None, default_value: Any = 'UNK',
                                    name: str | None = None, key_column_index: int = TextFileIndex.LINE_NUMBER,
                                    value_column_index: int = TextFileIndex.WHOLE_LINE,
                                    delimiter: str = '\t') -> Any:
    """Returns a table of the lines of a file, by their numbers."""
    _check_file(vocabulary_file, vocab_size)
    with scopes.name_scope(name, 'index_to_string'):
        lines = TextFileStringTableInitializer(
            vocabulary_file, vocab_size=vocab_size, name='table_init', key_column_index=key_column_index,
            value_column_index=value_column_index, delimiter=delimiter)
        return lookup_ops.StaticHashTable(lines, default_value)


def index_to_string_table_from_tensor(vocabulary_list: Any, default_value: Any = 'UNK',
                                      name: str | None = None) -> Any:
    """Returns a table of the words of a row, by their places."""
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` argument must be specified.')
    with scopes.name_scope(name, 'index_to_string'):
        words = convert.convert_to_tensor(vocabulary_list, dtypes.string)
        keys = math_ops.cast(math_ops.range(array_ops.size(words)), dtypes.int64)
        pairs = lookup_ops.KeyValueTensorInitializer(keys, words, name='table_init')
        return lookup_ops.StaticHashTable(pairs, default_value)
