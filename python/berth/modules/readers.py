"""readers - tf.TextLineReader, tf.TFRecordReader and their kin: records of the files that a queue names."""

from __future__ import annotations

from typing import Any

from berth.base import naming
from berth.framework import convert, dtypes, gen, scopes
from berth.modules import tf_record


@naming.public('ops.io_ops')
class ReaderBase:
    """Gives the records of files one after the other."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        if scopes.executing_eagerly():
            raise RuntimeError('Readers are not supported when eager execution is enabled. Instead, please use tf.data '
                               'to get data into your model.')
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The tensor that stands for the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its state can be saved."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Returns the key and the value of the next record; takes the next file of |queue| when it has none."""
        return gen.apply('ReaderReadV2', name, {'reader_handle': self._reader_ref, 'queue_handle': _ref(queue)})

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """Returns keys and values of up to |num_records| records of one file."""
        return gen.apply('ReaderReadUpToV2', name, {
            'reader_handle': self._reader_ref, 'queue_handle': _ref(queue), 'num_records': num_records})

    def num_records_produced(self, name: str | None = None) -> Any:
        """Returns how many records it has given."""
        return gen.apply('ReaderNumRecordsProducedV2', name, {'reader_handle': self._reader_ref})

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Returns how many files it has read to the end."""
        return gen.apply('ReaderNumWorkUnitsCompletedV2', name, {'reader_handle': self._reader_ref})

    def serialize_state(self, name: str | None = None) -> Any:
        """Returns its state as bytes."""
        return gen.apply('ReaderSerializeStateV2', name, {'reader_handle': self._reader_ref})

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Goes on from a state."""
        return gen.apply('ReaderRestoreStateV2', name, {
            'reader_handle': self._reader_ref, 'state': convert.convert_to_tensor(state, dtype=dtypes.string)})

    def reset(self, name: str | None = None) -> Any:
        """Begins anew."""
        return gen.apply('ReaderResetV2', name, {'reader_handle': self._reader_ref})


def _ref(queue: Any) -> Any:
    """Returns the tensor that stands for a queue."""
    return queue if convert.is_tensor(queue) else queue.queue_ref


@naming.public('ops.io_ops')
class WholeFileReader(ReaderBase):
    """Gives files as they are, each under its name."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(gen.apply('WholeFileReaderV2', name, {}), supports_serialize=True)


@naming.public('ops.io_ops')
class TextLineReader(ReaderBase):
    """Gives the lines of files, without their ends."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(gen.apply('TextLineReaderV2', name, {}, {'skip_header_lines': skip_header_lines or 0}))


@naming.public('ops.io_ops')
class FixedLengthRecordReader(ReaderBase):
    """Gives pieces of files that all have one size."""

    def __init__(self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None,
                 hop_bytes: int | None = None, name: str | None = None, encoding: str | None = None) -> None:
        super().__init__(gen.apply('FixedLengthRecordReaderV2', name, {}, {
            'record_bytes': record_bytes, 'header_bytes': header_bytes or 0, 'footer_bytes': footer_bytes or 0,
            'hop_bytes': hop_bytes or 0, 'encoding': encoding or ''}))


@naming.public('ops.io_ops')
class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        packing = tf_record.TFRecordOptions.get_compression_type_string(options)
        super().__init__(gen.apply('TFRecordReaderV2', name, {}, {'compression_type': packing}))


@naming.public('ops.io_ops')
class IdentityReader(ReaderBase):
    """Gives what the queue holds, as key and value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(gen.apply('IdentityReaderV2', name, {}), supports_serialize=True)
