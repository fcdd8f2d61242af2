"""memory_plan.py - What a run will take of memory, known before it runs."""

from __future__ import annotations

import json
import sys
from typing import Any, Optional, Union

from berth.base import sizes
from berth.client.fetches import FetchPlan
from berth.framework import errors


class PlannedValue:
    """A value that holds memory from one step on until another."""

    def __init__(self, fields: dict[str, Any], device: str, line: Optional[str]) -> None:
        self.name: str = fields['name']
        self.op: str = fields['op']
        self.device = device
        self.kind: str = fields['kind']
        self.dtype: str = fields['dtype']
        self.shape: tuple[int, ...] = tuple(fields['shape'])
        self.bytes: int = fields['bytes']
        self.begin: int = fields['from']
        self.end: int = fields['to']
        self.line = line

    def __repr__(self) -> str:
        place = f', made at {self.line}' if self.line else ''
        return f'<{self.name} ({self.op}) {sizes.text(self.bytes)}{place}>'


class PlannedMemory:
    """What a run takes of the memory of one device."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.device: str = fields['name']
        self.peak_bytes: int = fields['peak_bytes']
        self.arena_bytes: int = fields['arena_bytes']
        self.live_bytes: int = fields['live_bytes']
        self.held_bytes: int = fields['held_bytes']
        self.peak_step: int = fields['peak_step']
        self.timeline: list[int] = fields['live']

    def __repr__(self) -> str:
        return f'<{self.device}: {sizes.text(self.peak_bytes)} and {sizes.text(self.held_bytes)} held>'


class MemoryPlan:
    """How much memory a run takes of each device, step by step, and which values make the most of it."""

    def __init__(self, text: str, lines: dict[str, str], batches: Any = None) -> None:
        self.json = text
        fields = json.loads(text)
        self.is_exact: bool = fields['exact']
        self.memories = [PlannedMemory(m) for m in fields['memories']]
        self.steps: list[tuple[str, str]] = [(s['name'], s['op']) for s in fields['steps']]
        self.unknown: list[tuple[str, str, str]] = [(u['name'], u['op'], u['why']) for u in fields['unknown']]
        self.values = [PlannedValue(v, self.memories[v['memory']].device, lines.get(v['name'].rpartition(':')[0]))
                       for v in fields['values']]
        self._batches = batches

    def __getitem__(self, device: str) -> PlannedMemory:
        for memory in self.memories:
            if memory.device == device or memory.device.endswith('/device:' + device.lstrip('/').upper()):
                return memory
        raise KeyError(device)

    @property
    def peak_bytes(self) -> dict[str, int]:
        """The most that the run takes, by device."""
        return {m.device: m.peak_bytes for m in self.memories}

    def at_peak(self, device: str) -> list[PlannedValue]:
        """Returns the values that hold memory of |device| when that is most, largest first."""
        memory = self[device]
        found = [v for v in self.values
                 if v.device == memory.device and v.begin <= memory.peak_step < v.end]
        return sorted(found, key=lambda v: -v.bytes)

    def largest_batch(self, limit: Union[int, str], device: Optional[str] = None) -> Optional[int]:
        """Returns the largest batch that stays within |limit| bytes; None: any does."""
        if self._batches is None:
            raise ValueError('No shape has a None, the size of a batch.')
        return self._batches(sizes.parse(limit), device)

    def save(self, path: str) -> None:
        """Writes the plan as JSON, with the lines of the script; `berth report` makes a page of it."""
        fields = json.loads(self.json)
        for written, value in zip(fields['values'], self.values):
            if value.line:
                written['line'] = value.line
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(fields, file)

    def __repr__(self) -> str:
        lines = [repr(m)[1:-1] for m in self.memories]
        if self.unknown:
            lines.append(f'{len(self.unknown)} steps unknown')
        return '<MemoryPlan ' + '; '.join(lines) + '>'


def _dims(shape: Any) -> tuple[int, ...]:
    """Returns a shape as dimensions, -1 where one is None."""
    if hasattr(shape, 'as_list'):
        shape = shape.as_list()
    if isinstance(shape, int):
        shape = (shape,)
    return tuple(-1 if d is None else int(d) for d in shape)


def _feeds(session: Any, feed_shapes: Any) -> list[tuple[Any, tuple[int, ...]]]:
    """Returns what is fed, with its shape."""
    shapes = feed_shapes or {}
    return [(session.graph.as_graph_element(key, allow_operation=False), _dims(shape))
            for key, shape in shapes.items()]


def _lines(graph: Any) -> dict[str, str]:
    """Returns the line of the user's script that has made each node of |graph|."""
    found = {}
    for op in graph.get_operations():
        frames = op.frames(True)
        if frames:
            file, line, _ = frames[-1]
            found[op.name] = f'{file}:{line}'
    return found


def make(session: Any, fetches: Any, feed_shapes: Any, batch: Optional[int]) -> MemoryPlan:
    """Plans a run of |session|."""
    plan = FetchPlan(session.graph, fetches)
    feeds = _feeds(session, feed_shapes)
    fed = {id(key) for key, _ in feeds}
    outs = tuple(t for t in plan.tensors if id(t) not in fed)
    targets = tuple(op.node for op in plan.targets)

    def batches(limit: int, device: Optional[str]) -> Optional[int]:
        found = session._session.plan_batch(outs, targets, feeds, device, limit)
        return None if found > sys.maxsize // 2 else found

    try:
        text = session._session.plan_memory(outs, targets, feeds, batch or 0)
    except errors.OpError as error:
        raise session._failed(error)
    is_open = any(-1 in shape for _, shape in feeds)
    return MemoryPlan(text, _lines(session.graph), batches if is_open else None)
