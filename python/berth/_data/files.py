"""files - Datasets of what is in files, and of their names."""

from __future__ import annotations

from typing import Any

from berth._data import making
from berth._data.dataset import DatasetV1, DatasetV2
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen, scopes
from berth.ops import array_ops, flow_ops, io_ops, math_ops, string_ops

_TEXT = TensorSpec([], dtypes.string)


def _optional(value: Any, name: str, default: Any, kind: Any) -> Any:
    if value is None:
        return convert.constant(default, kind, name=name)
    return convert.convert_to_tensor(value, dtype=kind, name=name)


def _names(filenames: Any) -> Any:
    """Returns a dataset of names of files."""
    if making.is_dataset(filenames):
        if filenames.element_spec.dtype != dtypes.string:
            raise TypeError('The `filenames` argument must contain `tf.string` elements. Got a dataset of '
                            f'`{filenames.element_spec.dtype!r}` elements.')
        if not filenames.element_spec.shape.is_compatible_with([]):
            raise TypeError('The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a '
                            f'dataset of element shape {filenames.element_spec.shape!r}.')
        return filenames
    import os

    if isinstance(filenames, (list, tuple)):
        filenames = [os.fspath(name) if isinstance(name, os.PathLike) else name for name in filenames]
    elif isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    names = convert.convert_to_tensor(filenames)
    if names.dtype != dtypes.string:
        raise TypeError(f'The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` elements.')
    return DatasetV2.from_tensor_slices(array_ops.reshape(names, [-1], name='flat_filenames'))


def _read(names: Any, read: Any, threads: Any) -> Any:
    """Makes a dataset of what |read| makes of each file."""
    if threads is None:
        return names.flat_map(read)
    return names.interleave(read, cycle_length=threads, block_length=1, num_parallel_calls=threads)


class _Reader:
    """What datasets of files share: they know the names."""

    _filenames: Any

    def _setup(self, filenames: Any, read: Any, threads: Any) -> None:
        names = _names(filenames)
        made = _read(names, read, threads)
        self._filenames = names
        self.__dict__.update(made.__dict__)


class TextLineDatasetV2(_Reader, DatasetV2):
    """The lines of files."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None, name: Any = None) -> None:
        def read(filename: Any) -> Any:
            kind = _optional(compression_type, 'compression_type', '', dtypes.string)
            size = _optional(buffer_size, 'buffer_size', 256 * 1024, dtypes.int64)
            variant = gen.apply('TextLineDataset', None, {'filenames': filename, 'compression_type': kind,
                                                          'buffer_size': size})
            return making.make('_TextLineDataset', variant, _TEXT)

        self._setup(filenames, read, num_parallel_reads)


class TFRecordDatasetV2(_Reader, DatasetV2):
    """The records of files."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None, name: Any = None) -> None:
        def read(filename: Any) -> Any:
            kind = _optional(compression_type, 'compression_type', '', dtypes.string)
            size = _optional(buffer_size, 'buffer_size', 256 * 1024, dtypes.int64)
            variant = gen.apply('TFRecordDataset', None, {'filenames': filename, 'compression_type': kind,
                                                          'buffer_size': size})
            return making.make('_TFRecordDataset', variant, _TEXT)

        self._setup(filenames, read, num_parallel_reads)


class FixedLengthRecordDatasetV2(_Reader, DatasetV2):
    """Records of one length in files."""

    def __init__(self, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None,
                 buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None,
                 name: Any = None) -> None:
        def read(filename: Any) -> Any:
            record = convert.convert_to_tensor(record_bytes, dtype=dtypes.int64, name='record_bytes')
            head = _optional(header_bytes, 'header_bytes', 0, dtypes.int64)
            foot = _optional(footer_bytes, 'footer_bytes', 0, dtypes.int64)
            size = _optional(buffer_size, 'buffer_size', 256 * 1024, dtypes.int64)
            kind = _optional(compression_type, 'compression_type', '', dtypes.string)
            variant = gen.apply('FixedLengthRecordDatasetV2', None, {
                'filenames': filename, 'header_bytes': head, 'record_bytes': record, 'footer_bytes': foot,
                'buffer_size': size, 'compression_type': kind})
            return making.make('_FixedLengthRecordDataset', variant, _TEXT)

        self._setup(filenames, read, num_parallel_reads)


class TextLineDatasetV1(TextLineDatasetV2, DatasetV1):
    """The lines of files."""


class TFRecordDatasetV1(TFRecordDatasetV2, DatasetV1):
    """The records of files."""


class FixedLengthRecordDatasetV1(FixedLengthRecordDatasetV2, DatasetV1):
    """Records of one length in files."""


for _kind in (TextLineDatasetV1, TextLineDatasetV2, TFRecordDatasetV1, TFRecordDatasetV2, FixedLengthRecordDatasetV1,
              FixedLengthRecordDatasetV2):
    _kind.__module__ = 'tensorflow.python.data.ops.readers'


def list_files(file_pattern: Any, shuffle: Any, seed: Any) -> Any:
    """Makes a dataset of the names of the files that fit |file_pattern|."""
    with scopes.name_scope('list_files'):
        shuffle = True if shuffle is None else shuffle
        pattern = convert.convert_to_tensor(file_pattern, dtype=dtypes.string, name='file_pattern')
        found = io_ops.matching_files(pattern)
        some = math_ops.greater(array_ops.shape(found)[0], 0, name='match_not_empty')
        text = math_ops.add('No files matched pattern: ', string_ops.reduce_join(pattern, separator=', '), name='message')
        check = flow_ops.Assert(some, [text], summarize=1, name='assert_not_empty')
        with scopes.control_dependencies([check] if check is not None else []):
            found = array_ops.identity(found)
        from berth import _mode

        dataset = (DatasetV1 if _mode.is_v1() else DatasetV2).from_tensor_slices(found)
        if shuffle:
            size = math_ops.maximum(array_ops.shape(found, out_type=dtypes.int64)[0], 1)
            dataset = dataset.shuffle(size, seed=seed)
        return dataset


# ---- Examples ----


def make_batched_features_dataset(file_pattern: Any, batch_size: Any, features: Any, reader: Any = None,
                                  label_key: Any = None, reader_args: Any = None, num_epochs: Any = None,
                                  shuffle: bool = True, shuffle_buffer_size: int = 10000, shuffle_seed: Any = None,
                                  prefetch_buffer_size: Any = None, reader_num_threads: Any = None,
                                  parser_num_threads: Any = None, sloppy_ordering: bool = False,
                                  drop_final_batch: bool = False) -> Any:
    """Makes a dataset of batches of the features that Examples in files have."""
    from berth._data import experimental

    read = reader or TFRecordDatasetV2
    names = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    made = names.apply(experimental.parallel_interleave(
        lambda name: read(name, *(reader_args or ())), cycle_length=reader_num_threads or 1, sloppy=sloppy_ordering))
    if isinstance(made.element_spec, tuple) and len(made.element_spec) == 2:
        made = made.map(lambda _, value: value)
    if shuffle:
        made = made.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        made = made.repeat(num_epochs)
    made = made.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    made = made.apply(experimental.parse_example_dataset(features, num_parallel_calls=parser_num_threads or 2))
    if label_key:
        if label_key not in features:
            raise ValueError(f'The `label_key` provided ({label_key}) must be one of the `features` keys: '
                             f'{features.keys()}.')
        made = made.map(lambda found: ({key: value for key, value in found.items() if key != label_key},
                                       found[label_key]))
    return made.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)
