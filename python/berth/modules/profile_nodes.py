"""profile_nodes - The nodes of a graph, and what each took in the steps that were recorded."""

from __future__ import annotations

import re
import sys
from typing import Any, Optional

from berth.modules.profile_messages import STATISTICS

_DEVICE = re.compile(r'.*/(device:gpu|gpu|device:cpu|cpu):\d+')


def _sizes(shape: Any) -> list[int]:
    """Returns the sizes of a shape in a message: [1] for one number, [] where nothing is known."""
    if not shape.dim and not shape.unknown_rank:
        return [1]
    return [dim.size for dim in shape.dim]


class Node:
    """A node: what it is, and by step what it took."""

    def __init__(self, name: str, kind: str, definition: Any = None) -> None:
        self.name, self.kind, self.types = name, kind, {kind}
        self.inputs: dict[int, str] = {}
        self.input_shapes: dict[int, list[int]] = {}
        self.float_ops = 0
        self.device = ''
        self.steps: dict[int, dict[str, int]] = {}
        attributes = {} if definition is None else definition.attr
        self.shape = _sizes(attributes['shape'].shape) if ('shape' in attributes and
                                                            attributes['shape'].HasField('shape')) else []
        self.output_shapes = ([_sizes(shape) for shape in attributes['_output_shapes'].list.shape]
                              if '_output_shapes' in attributes else [])

    def parameters(self) -> int:
        """Returns how many numbers a variable, or whatever else has a shape of its own, holds."""
        count = 1 if self.shape else 0
        for size in self.shape:
            if size < 0:
                return 0
            count *= size
        return count

    def statistics(self, step: int) -> dict[str, int]:
        """Returns what it took in one step, or with -1 in the mean."""
        if step >= 0:
            chosen = [self.steps[step]] if step in self.steps else []
        else:
            chosen = list(self.steps.values())
        found = {name: sum(each.get(name, 0) for each in chosen) // max(1, len(chosen)) for name in STATISTICS}
        found['parameters'] = self.parameters()
        found['float_ops'] = self.float_ops * (found['run_count'] if self.steps else 1)
        return found

    def add(self, step: int, device: str, stats: Any) -> None:
        """Adds what one run took."""
        device = device.lower()
        if _DEVICE.fullmatch(device):
            if self.device and self.device != device:
                return
            self.device = device
            self.types.add(device)
        took = self.steps.setdefault(step, dict.fromkeys(STATISTICS, 0))
        if stats.all_start_micros > 0:
            micros = max(1, stats.op_end_rel_micros)
            if 'stream:all' in device:
                took['accelerator_exec_micros'] += micros
                took['exec_micros'] += micros
            elif _DEVICE.fullmatch(device):
                took['cpu_exec_micros'] += micros
                took['exec_micros'] += micros
                took['run_count'] += 1
        if device == self.device:
            self._add_memory(took, stats)

    def _add_memory(self, took: dict[str, int], stats: Any) -> None:
        if stats.all_start_micros <= 0:
            print(f'{stats.node_name} has no start time, skipping', file=sys.stderr)
            return
        kept, passing = stats.memory_stats.persistent_memory_size, stats.memory_stats.temp_memory_size
        took['requested_bytes'] += kept + passing + sum(each.total_bytes for each in stats.memory)
        took['peak_bytes'] += kept + passing + sum(each.peak_bytes for each in stats.memory)
        took['residual_bytes'] += kept + sum(each.live_bytes for each in stats.memory)
        for output in stats.output:
            memory = output.tensor_description.allocation_description
            took['output_bytes'] += max(memory.allocated_bytes, memory.requested_bytes)


class Nodes:
    """All nodes by name, and the steps that were recorded."""

    def __init__(self) -> None:
        self.by_name: dict[str, Node] = {}
        self.steps: set[int] = set()
        self.lacks_streams = False

    def ordered(self) -> list[Node]:
        """Returns the nodes in the order of their names."""
        return [self.by_name[name] for name in sorted(self.by_name, key=str.encode)]

    def add_graph(self, graph: Any) -> None:
        """Adds the nodes of a GraphDef that are not there yet."""
        added = []
        for definition in graph.node:
            if definition.name not in self.by_name:
                self.by_name[definition.name] = Node(definition.name, definition.op, definition)
                added.append(definition)
        for definition in added:
            self._connect(self.by_name[definition.name], definition)

    def _connect(self, node: Node, definition: Any) -> None:
        """Notes the inputs of a node; where it has two outputs of another, TensorFlow takes the last one for both."""
        places = {}
        for i, text in enumerate(definition.input):
            name, _, place = text.lstrip('^').partition(':')
            node.inputs[i] = name
            places[name] = int(place or 0)
        for i, name in node.inputs.items():
            source: Optional[Node] = self.by_name.get(name)
            shapes = source.output_shapes if source else []
            node.input_shapes[i] = shapes[places[name]] if places[name] < len(shapes) else []

    def add_run(self, step: int, run_metadata: Any) -> None:
        """Adds what a step took."""
        self.steps.add(step)
        devices = [each.device.lower() for each in run_metadata.step_stats.dev_stats]
        self.lacks_streams |= (any('gpu' in device for device in devices)
                               and not any('gpu' in device and 'stream:all' in device for device in devices))
        for each in run_metadata.step_stats.dev_stats:
            for stats in each.node_stats:
                name = stats.node_name.partition(':')[0]
                if name not in self.by_name and name not in ('RecvTensor', '_SOURCE', 'MEMCPY'):
                    self.by_name[name] = Node(name, name)
                if name in self.by_name:
                    self.by_name[name].add(step, each.device, stats)

    def add_log(self, log: Any) -> None:
        """Adds types and formulas' results of an OpLogProto."""
        for entry in log.log_entries:
            node = self.by_name.get(entry.name)
            if node is not None:
                node.types.update(entry.types)
                node.float_ops = entry.float_ops or node.float_ops
