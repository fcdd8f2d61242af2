"""events - A file of events, as TensorBoard reads them: records of messages, the newest last."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any, Optional

from berth.base import protos
from berth.modules import tf_record

_VERSION = 'brain.Event:2'


class EventFile:
    """A file that events are added to; made when the first one is written."""

    def __init__(self, folder: str, suffix: str = '') -> None:
        self._lock = threading.Lock()
        self._folder, self._suffix = folder, suffix
        self._records: Optional[Any] = None
        self.path = ''

    def _open(self) -> Any:
        if self._records is None:
            os.makedirs(self._folder, exist_ok=True)
            name = f'events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{self._suffix}'
            self.path = os.path.join(self._folder, name)
            self._records = tf_record.TFRecordWriter(self.path)
            first = protos.Event(wall_time=time.time(), file_version=_VERSION)
            self._records.write(first.SerializeToString())
        return self._records

    def write(self, event: Any) -> None:
        """Adds an event."""
        with self._lock:
            self._open().write(event.SerializeToString())

    def flush(self) -> None:
        """Brings what was added into the file."""
        with self._lock:
            if self._records is not None:
                self._records.flush()

    def close(self) -> None:
        """Closes the file; the next event begins another one."""
        with self._lock:
            if self._records is not None:
                self._records.close()
            self._records = None
