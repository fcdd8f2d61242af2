"""timeline - Step statistics as a trace that Chrome's trace viewer shows.

A trace has a process for allocators, and two for each device: one with its ops, one with the
tensors that they made. Ops that do not overlap share a lane; arrows lead from where a tensor was
made to who read it in another lane.
"""

from __future__ import annotations

import json
import re
from typing import Any

_Event = dict[str, Any]
_ALLOCATORS = 0  # The first process.


class _Tensor:
    """Something that an op made: where, when, and until when it was used."""

    def __init__(self, name: str, number: int, output: Any, span: tuple[int, int], place: tuple[int, int, int]) -> None:
        about = output.tensor_description.allocation_description
        self.name, self.number, self.output = name, number, output
        self.made, self.ready = span
        self.process, self.lane, self.tensors = place  # The op's process and lane, and the process of tensors.
        self.last_use = self.ready
        self.allocator, self.size = about.allocator_name, about.requested_bytes


class Timeline:
    """The ops of one run, when and where they ran."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._tensors: dict[str, _Tensor] = {}
        self._flows = 0

    @property
    def step_stats(self) -> Any:
        """The message that this was made from."""
        return self._step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False,
                                     op_time: str = 'schedule') -> str:
        """Returns the trace as JSON."""
        devices = self._step_stats.dev_stats
        lanes = [_lanes(device.node_stats) for device in devices]
        events = [_process('Allocators', _ALLOCATORS)]
        for index, device in enumerate(devices):
            events += [_process(device.device + ' Compute', _compute(index)),
                       _process(device.device + ' Tensors', _compute(index) + 1)]
        for index, device in enumerate(devices):
            for node, lane in zip(device.node_stats, lanes[index]):
                events += self._outputs(node, index, lane, show_memory)
        for index, device in enumerate(devices):
            for node, lane in zip(device.node_stats, lanes[index]):
                events += self._op(node, index, lane, show_dataflow)
        if show_memory:
            events += self._memory()
        return json.dumps({'traceEvents': events}, indent=4, separators=(',', ': '))

    def _outputs(self, node: Any, device: int, lane: int, show_memory: bool) -> list[_Event]:
        """Notes what an op made."""
        events: list[_Event] = []
        for index, output in enumerate(node.output):
            name = f'{node.node_name}:{index}' if index else node.node_name
            place = (_compute(device), lane, _compute(device) + 1)
            tensor = _Tensor(name, len(self._tensors), output, _span(node), place)
            self._tensors[name] = tensor
            if show_memory:
                events += [_object('N', tensor, tensor.made, lane), _snapshot(tensor, lane)]
        return events

    def _op(self, node: Any, device: int, lane: int, show_dataflow: bool) -> list[_Event]:
        """Describes an op, and the arrows that lead to it."""
        start, end = _span(node)
        op, inputs = _label(node)
        args = {'name': node.node_name, 'op': op, **{f'input{i}': name for i, name in enumerate(inputs)}}
        events = [_event('X', 'Op', op, (_compute(device), lane), start) | {'dur': end - start, 'args': args}]
        for name in inputs:
            tensor = self._tensors.get(name) or self._tensors.get(re.sub(r'/_[^/]*$', '', name))
            if tensor is None:
                continue
            tensor.last_use = max(tensor.last_use, end - 1)
            if show_dataflow and (tensor.process, tensor.lane) != (_compute(device), lane):
                events += self._arrow(tensor, (_compute(device), lane), start)
        return events

    def _arrow(self, tensor: _Tensor, to: tuple[int, int], time: int) -> list[_Event]:
        number = {'id': self._flows}
        self._flows += 1
        return [_event('s', 'DataFlow', tensor.name, (tensor.process, tensor.lane), tensor.ready) | number,
                _event('t', 'DataFlow', tensor.name, to, time) | number]

    def _memory(self) -> list[_Event]:
        """Describes when tensors went, and how much each allocator had in use."""
        events = [_object('D', tensor, tensor.last_use, 0) for tensor in self._tensors.values()]
        for allocator in dict.fromkeys(tensor.allocator for tensor in self._tensors.values()):
            mine = [t for t in self._tensors.values() if t.allocator == allocator]
            changes = sorted([(t.made, t.size) for t in mine] + [(t.last_use, -t.size) for t in mine])
            total = 0
            for time, change in changes:
                total += change
                events.append(_event('C', 'Memory', allocator, (_ALLOCATORS, 0), time) | {'args': {allocator: total}})
        return events


def _compute(device: int) -> int:
    """Returns the process of a device's ops; that of its tensors is the next."""
    return 1 + 2 * device


def _span(node: Any) -> tuple[int, int]:
    return node.all_start_micros, node.all_start_micros + node.all_end_rel_micros


def _lanes(nodes: Any) -> list[int]:
    """Returns a lane for each op: the first that is free by then, to the nanosecond."""
    ends, found = [0], []
    for node in nodes:
        start = node.all_start_nanos
        lane = next((i for i, until in enumerate(ends) if start >= until), len(ends))
        ends[lane:lane + 1] = [start + node.all_end_rel_nanos]
        found.append(lane)
    return found


def _label(node: Any) -> tuple[str, list[str]]:
    """Returns the op and the inputs of "name = Op(input, input)"."""
    match = re.match(r'(.*) = (.*)\((.*)\)', node.timeline_label)
    if match is None:
        return 'unknown', []
    return match.group(2), match.group(3).split(', ') if match.group(3) else []


def _process(name: str, number: int) -> _Event:
    return {'name': 'process_name', 'ph': 'M', 'pid': number, 'args': {'name': name}}


def _event(phase: str, category: str, name: str, place: tuple[int, int], time: int) -> _Event:
    return {'ph': phase, 'cat': category, 'name': name, 'pid': place[0], 'tid': place[1], 'ts': time}


def _object(phase: str, tensor: _Tensor, time: int, lane: int) -> _Event:
    return _event(phase, 'Tensor', tensor.name, (tensor.tensors, lane), time) | {'id': tensor.number}


def _snapshot(tensor: _Tensor, lane: int) -> _Event:
    text = str(tensor.output.tensor_description).replace('"', '')
    return _object('O', tensor, tensor.ready - 1, lane) | {'args': {'snapshot': {'tensor_description': text}}}
