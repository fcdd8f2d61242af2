"""memory_plan - What a run will take of memory, known before it runs."""

from __future__ import annotations

import json
from typing import Any, Optional, Union

from berth.base import sizes


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
