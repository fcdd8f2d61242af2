"""csv_files - Datasets of what is in files of values with commas between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from berth._data import experimental, files, options
from berth._data.dataset import AUTOTUNE, DatasetV1, DatasetV2
from berth.framework import convert, dtypes
from berth.framework.node import Tensor
from berth.modules import gfile
from berth.ops import io_ops

# From the narrowest to what holds anything.
_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


class CsvDatasetV2(files._Reader, DatasetV2):
    """The rows of files; a quoted value ends in the line it begins in."""

    def __init__(self, filenames: Any, record_defaults: Any, compression_type: Any = None, buffer_size: Any = None,
                 header: Any = False, field_delim: str = ',', use_quote_delim: bool = True, na_value: str = '',
                 select_cols: Any = None, exclude_cols: Any = None) -> None:
        defaults = [_default(value) for value in record_defaults]
        if select_cols is not None and exclude_cols is not None:
            raise ValueError('`select_cols` and `exclude_cols` cannot both be set.')
        if exclude_cols is not None:
            count = len(defaults) + len(set(exclude_cols))
            select_cols = [i for i in range(count) if i not in set(exclude_cols)]

        def read(filename: Any) -> Any:
            lines = files.TextLineDatasetV2(filename, compression_type, buffer_size)
            lines = lines.skip(1) if header else lines
            return lines.map(lambda line: tuple(io_ops.decode_csv(
                line, defaults, field_delim, use_quote_delim, na_value, select_cols)))

        self._setup(filenames, read, None)


class CsvDatasetV1(CsvDatasetV2, DatasetV1):
    """The rows of files; a quoted value ends in the line it begins in."""


for _kind in (CsvDatasetV1, CsvDatasetV2):
    _kind.__module__ = 'tensorflow.python.data.experimental.ops.readers'


def _default(value: Any) -> Any:
    """Returns what stands for a value that is missing: nothing for a type."""
    if isinstance(value, Tensor):
        return value
    is_type = isinstance(value, (dtypes.DType, type))
    return convert.constant([], dtypes.as_dtype(value)) if is_type else convert.convert_to_tensor(value)


# ---- What the columns are ----

def _is_float(text: str, dtype: Any) -> bool:
    import numpy as np

    try:
        return dtype.min <= float(text) <= dtype.max or not np.isfinite(float(text))
    except ValueError:
        return False


def _fits(text: str, dtype: Any) -> bool:
    if dtype == dtypes.string:
        return True
    if dtype.is_floating:
        return _is_float(text, dtype)
    try:
        return dtype.min <= int(text) <= dtype.max
    except ValueError:
        return False


def _type_of(text: str, na_value: str, before: Any) -> Any:
    """Returns the narrowest type that holds |text| and what was of type |before|."""
    if text in ('', na_value):
        return before
    least = 0 if before is None else _TYPES.index(before)
    return next(dtype for dtype in _TYPES[least:] if _fits(text, dtype))


class _Probe:
    """Looks into files before a dataset is made of them."""

    def __init__(self, names: list[str], delimiter: str, quotes: bool, compression: Any, encoding: str) -> None:
        self.names, self.delimiter, self.quotes, self.encoding = names, delimiter, quotes, encoding
        self.compression = '' if compression is None else convert.constant_value(convert.convert_to_tensor(compression))
        self.compression = self.compression.decode() if isinstance(self.compression, bytes) else str(self.compression)
        if self.compression == 'ZLIB':
            raise ValueError(f'`compression_type` {compression} is not supported for probing columns.')
        if self.compression not in ('', 'GZIP'):
            raise ValueError(f'Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or  (empty string).')

    def rows(self, name: str) -> Iterator[list[str]]:
        """The rows of one file."""
        import csv
        import gzip

        quoting = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        opened = gzip.open if self.compression == 'GZIP' else open
        with opened(name, 'rt', encoding=self.encoding, newline='') as file:
            yield from csv.reader(file, delimiter=self.delimiter, quoting=quoting)

    def header(self) -> list[str]:
        """The names of columns, which all files share."""
        found = [next(self.rows(name), None) for name in self.names]
        for name, row in zip(self.names, found):
            if row is None:
                raise ValueError(f'Failed when reading the header line of {name}. Is it an empty file?')
            if row != found[0]:
                raise ValueError('All input CSV files should have the same column names in the header row. File '
                                 f'{name} has different column names.')
        return found[0]

    def defaults(self, count: int, na_value: str, header: bool, most: Any, chosen: Any) -> list[Any]:
        """What stands for missing values, of the types that the first rows have."""
        kinds: dict[int, Any] = dict.fromkeys(range(count) if chosen is None else chosen)
        numbered = ((number, row) for name in self.names
                    for number, row in enumerate(self.rows(name), 1) if number > 1 or not header)
        for number, row in itertools.islice(numbered, most):
            if len(row) != count:
                raise ValueError(f'Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: '
                                 f'{count}.')
            for column in kinds:
                kinds[column] = _type_of(row[column], na_value, kinds[column])
        found = [kind or dtypes.string for kind in kinds.values()]
        return [convert.constant(['' if kind == dtypes.string else 0], kind) for kind in found]


def _chosen(columns: Any, names: list[str]) -> list[int]:
    """Returns the numbers of columns that are given by number or name, in order."""
    found = []
    for column in columns:
        if isinstance(column, int):
            if column < 0 or column >= len(names):
                raise ValueError(f'Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, '
                                 'which is the number of columns.')
            found.append(column)
        elif column not in names:
            raise ValueError(f'Column {column} specified in `select_columns` must be of one of the columns: '
                             f'{dict.fromkeys(names).keys()}.')
        else:
            found.append(names.index(column))
    if len(set(found)) != len(found):
        raise ValueError('The `select_columns` argument contains duplicate columns: set().')
    return sorted(found)


def _file_names(pattern: Any) -> list[str]:
    if isinstance(pattern, list) and not pattern:
        raise ValueError('Argument `file_pattern` should not be empty.')
    found = [name for one in (pattern if isinstance(pattern, list) else [pattern]) for name in gfile.Glob(one)]
    if not found:
        raise ValueError(f'No files match `file_pattern` {pattern}.')
    return sorted(found)


def make_csv_dataset(file_pattern: Any, batch_size: Any, column_names: Any = None, column_defaults: Any = None,
                     label_name: Any = None, select_columns: Any = None, field_delim: str = ',',
                     use_quote_delim: bool = True, na_value: str = '', header: bool = True, num_epochs: Any = None,
                     shuffle: bool = True, shuffle_buffer_size: Any = 10000, shuffle_seed: Any = None,
                     prefetch_buffer_size: Any = None, num_parallel_reads: Any = None, sloppy: bool = False,
                     num_rows_for_inference: Any = 100, compression_type: Any = None, ignore_errors: bool = False,
                     encoding: str = 'utf-8') -> Any:
    """Makes a dataset of batches of rows: dictionaries by column, and labels."""
    filenames = _file_names(file_pattern)
    dataset = DatasetV2.from_tensor_slices(filenames)
    if shuffle:
        dataset = dataset.shuffle(len(filenames), shuffle_seed)
    probe = None
    if column_names is None or column_defaults is None:
        probe = _Probe(filenames, field_delim, use_quote_delim, compression_type, encoding)
    if column_names is None:
        if not header:
            raise ValueError('Expected `column_names` or `header` arguments. Neither is provided.')
        column_names = probe.header()
    if len(column_names) != len(set(column_names)):
        twice = {name for name in column_names if column_names.count(name) > 1}
        raise ValueError(f'Either `column_names` argument or CSV header row contains duplicate column names: {twice}.')
    chosen = None if select_columns is None else _chosen(select_columns, column_names)
    if column_defaults is None:
        defaults = probe.defaults(len(column_names), na_value, header, num_rows_for_inference, chosen)
    else:
        defaults = [_default(value) for value in column_defaults]
    if chosen is not None and len(defaults) != len(chosen):
        raise ValueError('If specified, `column_defaults` and `select_columns` must have the same length: '
                         f'`column_defaults` has length {len(defaults)}, `select_columns` has length {len(chosen)}.')
    names = column_names if chosen is None else [column_names[i] for i in chosen]
    if label_name is not None and label_name not in names:
        raise ValueError(f'`label_name` provided must be one of the columns: {names}. Received: {label_name}.')

    def read(filename: Any) -> Any:
        rows = CsvDatasetV2(filename, defaults, compression_type, None, header, field_delim, use_quote_delim, na_value,
                            chosen)
        return rows.apply(experimental.ignore_errors()) if ignore_errors else rows

    def name_columns(*columns: Any) -> Any:
        import collections

        features = collections.OrderedDict(zip(names, columns))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = _interleaved(dataset, read, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(name_columns)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _interleaved(dataset: Any, read: Any, threads: Any, sloppy: bool) -> Any:
    if threads != AUTOTUNE:
        return dataset.apply(experimental.parallel_interleave(read, cycle_length=threads, sloppy=sloppy))
    chosen = options.Options()
    chosen.deterministic = not sloppy
    return dataset.interleave(read, num_parallel_calls=threads).with_options(chosen)


class SqlDataset:
    """Says that there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError('tf.data.experimental.SqlDataset: Berth does not read databases; '
                                  'tf.data.Dataset.from_generator takes the rows of a cursor.')
