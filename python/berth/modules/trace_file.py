"""trace_file - What was recorded, as a file for trace viewers: TensorBoard's, Perfetto's, chrome://tracing."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import socket
import stat
import time
from typing import Any, Iterator

from berth.base import protos
from berth.base.recording import Recorder, Span
from berth.framework import node_lines

_PROGRAM = 1  # The row of what threads of the program did; devices have those above.


def _place(op: Any) -> dict[str, str]:
    """Says which function of the program made |op|, and in which line."""
    line = node_lines.of_op(op)
    return {'function': node_lines.maker_of(op), 'line': line} if line else {}


def _nanos(stats: Any) -> tuple[int, int]:
    """Returns when a node began and how long it took."""
    begin = stats.all_start_nanos or 1000 * stats.all_start_micros
    return begin, stats.all_end_rel_nanos or 1000 * stats.all_end_rel_micros


def _kind_of(label: str, name: str) -> str:
    """Returns the op that a label, `name = Op(inputs)`, names."""
    return label.partition(' = ')[2].partition('(')[0] or name


class _Writer:
    """Makes events of spans."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._devices: dict[str, int] = {}

    def _event(self, name: str, begin: int, took: int, row: tuple[int, int], about: dict[str, Any]) -> dict[str, Any]:
        return {'name': name, 'ph': 'X', 'ts': (begin - self._recorder.begin) / 1e3, 'dur': took / 1e3,
                'pid': row[0], 'tid': row[1], 'args': about}

    def _nodes(self, span: Span) -> Iterator[dict[str, Any]]:
        if not span.metadata:
            return
        message: Any = protos.RunMetadata()
        message.ParseFromString(span.metadata)
        for device in message.step_stats.dev_stats:
            row = self._devices.setdefault(device.device, _PROGRAM + 1 + len(self._devices))
            for stats in device.node_stats:
                about = {'node': stats.node_name, 'label': stats.timeline_label, 'run': span.name}
                about.update(_place(span.find(stats.node_name)))
                yield self._event(_kind_of(stats.timeline_label, stats.node_name), *_nanos(stats),
                                  (row, stats.thread_id), about)

    def events(self) -> Iterator[dict[str, Any]]:
        """Returns everything, the names of the rows at last."""
        for span in self._recorder.spans:
            about = {name: value if isinstance(value, (int, float, str)) else str(value)
                     for name, value in span.about.items()}
            yield self._event(span.name, span.begin, span.end - span.begin, (_PROGRAM, span.thread), about)
            yield from self._nodes(span)
        for name, row in {'program': _PROGRAM, **self._devices}.items():
            yield {'name': 'process_name', 'ph': 'M', 'pid': row, 'args': {'name': name}}


def text_of(recorder: Recorder) -> bytes:
    """Returns what |recorder| has as JSON."""
    events = list(_Writer(recorder).events())
    whole: dict[str, Any] = {'displayTimeUnit': 'ns', 'traceEvents': events}
    if recorder.dropped:
        whole['metadata'] = {'runs without nodes': recorder.dropped}
    return json.dumps(whole).encode()


def write(path: str, data: bytes) -> None:
    """Writes a file beside its place and renames it then: a failure leaves the old one as it was, and its mode is kept.

    What a link leads to is written, and what is no ordinary file, such as /dev/stdout, as it is.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, 'wb') as file:
            file.write(data)
        return
    beside = f'{path}.{os.getpid()}.new'
    try:
        with open(beside, 'xb') as file:
            file.write(data)
        if os.path.exists(path):
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def write_profile(recorder: Recorder, folder: str) -> str:
    """Writes it where TensorBoard looks for profiles below |folder|, its log directory; returns the file."""
    run = time.strftime('%Y_%m_%d_%H_%M_%S')
    place = os.path.join(folder, 'plugins', 'profile', run)
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, f'{socket.gethostname()}.trace.json.gz')
    write(path, gzip.compress(text_of(recorder), 5))
    return path
