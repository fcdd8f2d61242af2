"""tf_record - Files of records: each with its length, and checksums of both.

    length (8 bytes), checksum of it (4), the record, checksum of that (4)
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Optional

from berth import _core as core
from berth.base import naming
from berth.framework import compat_text, errors
from berth.modules import gfile


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
        self.compression_level = compression_level

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


def _masked(data: bytes) -> int:
    """Returns a checksum, changed so that checksums of checksums tell something."""
    value = core.crc32c(data)
    return ((value >> 15 | value << 17) + 0xa282ead8) & 0xffffffff


@naming.public('lib.io.tf_record')
class TFRecordWriter:
    """Writes records to a file."""

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        kind = TFRecordOptions.get_compression_type_string(options)
        self._path = compat_text.path_to_str(path)
        with gfile.as_errors(self._path):
            file: Any = open(self._path, 'wb')  # noqa: SIM115
        self._under: Any = file
        if kind == 'GZIP':
            self._file: Optional[Any] = gzip.GzipFile(fileobj=file, mode='wb', filename='', mtime=0)
        else:
            self._file = _ZlibFile(file) if kind == 'ZLIB' else file

    def write(self, record: Any) -> None:
        """Appends a record."""
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, 'Writer is closed.')
        if not isinstance(record, (bytes, bytearray, str)):
            raise TypeError('write(): incompatible function arguments: a record is bytes, not '
                            f'{type(record).__name__}')
        data = record.encode() if isinstance(record, str) else bytes(record)
        length = struct.pack('<Q', len(data))
        self._file.write(length + struct.pack('<I', _masked(length)) + data + struct.pack('<I', _masked(data)))

    def flush(self) -> None:
        """Hands to the system what was written."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._under.close()
            self._file = None

    def __enter__(self) -> 'TFRecordWriter':
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, '_file', None) is not None:
            self.close()


class _ZlibFile:
    """A file whose bytes are compressed on the way."""

    def __init__(self, file: Any) -> None:
        self._file, self._packer = file, zlib.compressobj()

    def write(self, data: bytes) -> None:
        """Appends bytes."""
        self._file.write(self._packer.compress(data))

    def flush(self) -> None:
        """Hands on what was written."""
        self._file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Writes what is left."""
        self._file.write(self._packer.flush())


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yields the records of a file."""
    kind = TFRecordOptions.get_compression_type_string(options)
    name = compat_text.path_to_str(path)
    with gfile.as_errors(name), open(name, 'rb') as file:
        data = file.read()
    if kind:
        data = zlib.decompress(data, 31 if kind == 'GZIP' else 15)
    at = 0
    while at < len(data):
        record = _record(data, at)
        yield record
        at += len(record) + 16


def _record(data: bytes, at: int) -> bytes:
    """Returns the record at a place; DataLossError for one that is cut off or changed."""
    head = data[at:at + 12]
    if len(head) < 12:
        raise errors.DataLossError(None, None, f"truncated record at {at}' failed with Read less bytes than requested")
    if struct.unpack('<I', head[8:])[0] != _masked(head[:8]):
        raise errors.DataLossError(None, None, f'corrupted record at {at}')
    size = struct.unpack('<Q', head[:8])[0]
    body = data[at + 12:at + 12 + size + 4]
    if len(body) < size + 4:
        raise errors.DataLossError(None, None, f"truncated record at {at}' failed with Read less bytes than requested")
    if struct.unpack('<I', body[size:])[0] != _masked(body[:size]):
        raise errors.DataLossError(None, None, f'corrupted record at {at}')
    return body[:size]
