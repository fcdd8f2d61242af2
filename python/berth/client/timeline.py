"""timeline - Step statistics as a trace that Chrome's trace viewer shows."""

from __future__ import annotations

import json
from typing import Any


class Timeline:
    """The ops of one run, when and where they ran."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._origin = min((node.all_start_micros for device in step_stats.dev_stats
                            for node in device.node_stats), default=0)

    @property
    def step_stats(self) -> Any:
        """The message that this was made from."""
        return self._step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True,
                                     show_memory: bool = False,
                                     op_time: str = 'schedule') -> str:
        """Returns the trace as JSON: a process for each device, a thread for each lane."""
        events: list[dict[str, Any]] = []
        for pid, device in enumerate(self._step_stats.dev_stats, 1):
            events.append({'name': 'process_name', 'ph': 'M', 'pid': pid,
                           'args': {'name': device.device + ' Compute'}})
            ends: list[int] = []
            for node in sorted(device.node_stats, key=lambda n: n.all_start_micros):
                events.append(self._event(node, pid, ends))
            if show_memory:
                events += self._memory_events(device, pid)
        return json.dumps({'traceEvents': events}, indent=4, separators=(',', ': '))

    def _event(self, node: Any, pid: int, ends: list[int]) -> dict[str, Any]:
        """Describes one op; ops that overlap get lanes of their own."""
        start, length = node.all_start_micros, max(node.all_end_rel_micros, 1)
        lane = next((i for i, end in enumerate(ends) if end <= start), len(ends))
        ends[lane:lane + 1] = [start + length]
        name, op, inputs = self._parse_label(node)
        args: dict[str, Any] = {'name': name, 'op': op}
        args.update({f'input{i}': text for i, text in enumerate(inputs)})
        return {'name': op, 'cat': 'Op', 'ph': 'X', 'ts': start, 'dur': length, 'pid': pid,
                'tid': lane, 'args': args}

    @staticmethod
    def _parse_label(node: Any) -> tuple[str, str, list[str]]:
        """Splits "name = Op(input, input)"."""
        name, equals, rest = node.timeline_label.partition(' = ')
        if not equals:
            return node.node_name, node.node_name, []
        op, _, inputs = rest.partition('(')
        return name, op, [text for text in inputs.rstrip(')').split(', ') if text]

    @staticmethod
    def _memory_events(device: Any, pid: int) -> list[dict[str, Any]]:
        """Describes how much memory was in use after each op."""
        return [{'name': memory.allocator_name, 'cat': 'Memory', 'ph': 'C', 'pid': pid,
                 'ts': node.all_start_micros,
                 'args': {memory.allocator_name: memory.allocator_bytes_in_use}}
                for node in device.node_stats for memory in node.memory]
