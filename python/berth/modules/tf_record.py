"""tf_record - Files of records: each with its length, and checksums of both.

    length (8 bytes), checksum of it (4), the record, checksum of that (4)
"""

from __future__ import annotations

from typing import Any

from berth import _core as core
from berth.base import naming
from berth.framework import compat_text, errors

errors.install(core)


@naming.public('lib.io.tf_record')
class TFRecordCompressionType:
    """How the bytes of a file are made smaller."""

    NONE, ZLIB, GZIP = 0, 1, 2


@naming.public('lib.io.tf_record')
class TFRecordOptions:
    """How records are written."""

    compression_type_map = {TFRecordCompressionType.ZLIB: 'ZLIB', TFRecordCompressionType.GZIP: 'GZIP',
                            TFRecordCompressionType.NONE: ''}

    def __init__(self, compression_type: Any = None, flush_mode: Any = None, input_buffer_size: Any = None,
                 output_buffer_size: Any = None, window_bits: Any = None, compression_level: Any = None,
                 compression_method: Any = None, mem_level: Any = None, compression_strategy: Any = None) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    def zlib_numbers(self) -> dict[str, int]:
        """Returns what was asked of zlib, in the words of the extension."""
        asked = {'flush': self.flush_mode, 'window_bits': self.window_bits, 'level': self.compression_level,
                 'mem_level': self.mem_level, 'strategy': self.compression_strategy}
        return {name: value for name, value in asked.items() if value is not None}

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Returns the name of a compression: '' for none."""
        if not options:
            return ''
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        kind = cls.compression_type_map.get(options, options)
        if kind not in cls.compression_type_map.values():
            raise ValueError(f'Not a valid compression_type: "{kind}"')
        return kind


@naming.public('lib.io.tf_record')
class TFRecordWriter(core.RecordWriter):
    """Writes records to a file."""

    def __new__(cls, path: Any, options: Any = None) -> TFRecordWriter:
        """Begins the file."""
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        return super().__new__(cls, compat_text.path_to_str(path), TFRecordOptions.get_compression_type_string(options),
                               **options.zlib_numbers())

    def __init__(self, path: Any, options: Any = None) -> None:
        del path, options

    def write(self, record: Any) -> None:
        """Appends a record."""
        if not isinstance(record, (bytes, bytearray, str)):
            raise TypeError('write(): incompatible function arguments: a record is bytes, not '
                            f'{type(record).__name__}')
        super().write(record)

    def flush(self) -> None:
        """Hands to the system what was written."""
        super().flush()

    def close(self) -> None:
        """Ends the file."""
        super().close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


def tf_record_iterator(path: Any, options: Any = None) -> Any:
    """Gives the records of a file."""
    return core.RecordReader(compat_text.path_to_str(path), TFRecordOptions.get_compression_type_string(options))
