"""torture_core.py - Lets each allocation of Python's fail in turn, in calls of berth._core.

Prints, for each kind of call, how many allocations it survived the lack of. No
call raises otherwise: CPython itself loses an exception when it has no memory for
its traceback.
"""

from __future__ import annotations

from typing import Any, Callable

import _testcapi
import numpy as np

from berth import _core as core

MOST = 3000  # Allocations in one call.


class World:
    """A graph with everything that calls need, made while there is memory."""

    def __init__(self) -> None:
        self.graph = core.Graph()
        self.x = (self.graph.op('Placeholder', None, (), {'dtype': 1, 'shape': None}), 0)
        self.y = (self.graph.op('AddN', None, [[self.x] * 12], {'N': 12}), 0)
        self.z = (self.graph.op('BerthCallback', None, [[self.x]], {'token': 't', 'Tin': [1], 'Tout': [1]}), 0)
        core.register_callback('t', list)
        self.session, self.context = core.Session(self.graph), core.Context()
        self.value = np.ones((40, 40), np.float32)
        self.feeds = {self.x: self.value}
        self.tensor, self.texts = core.Tensor(self.value), core.Tensor.from_strings(['a', 'b'], [2])
        self.refs = [core.Ref(self, *self.x), core.Ref(self, *self.y)]
        self.runner = core.Runner(self.session, self, lambda *_: None)
        self.call = self.session.make_callable([self.x], [self.y] * 10)
        self.data = self.graph.export()


def runs(w: World) -> dict[str, Callable[[], Any]]:
    many, (key, fetch) = [w.y] * 20, w.refs
    return {
        'run': lambda: w.session.run(many, [w.y[0]], w.feeds),
        'run_with': lambda: w.session.run_with(b'\x08\x03', many, (), w.feeds),
        'runner': lambda: w.runner([fetch, fetch], {key: w.value}),
        'callable': lambda: w.call(w.value),
        'make_callable': lambda: w.session.make_callable([w.x], many),
        'partial': lambda: w.session.partial_setup([w.x], [w.y]).run([w.y], w.feeds),
        'callback': lambda: w.session.run([w.z], (), w.feeds),
        'explain': lambda: (w.session.explain(w.y[0]), w.session.placement(w.y[0])),
        'session': lambda: core.Session(w.graph).list_devices(),
        'eager': lambda: w.context.call('AddN', None, [[w.tensor] * 12], {'N': 12}),
        'outputs': lambda: w.context.call('Unpack', None, (w.tensor,), {'num': 40}),
    }


def rest(w: World) -> dict[str, Callable[[], Any]]:
    attrs = {'dtype': 1, 'shape': [1, 2], '_a': ['x'], '_b': [1.5], '_c': [True], '_d': [core.Shape([2])]}
    y, ops = w.y[0], iter(core.ops())
    return {
        'op': lambda: core.Graph().op('Placeholder', 'x', (), attrs, '/cpu:0'),
        'import': lambda: core.Graph().import_(w.data, 'p', {}, ['AddN:0'], ['AddN']),
        'look': lambda: (w.graph.node_attr(y, 'N'), w.graph.node_inputs(y), w.graph.consumers(*w.x)),
        'export': lambda: (w.graph.node_def(y), w.graph.export(True)),
        'schema': lambda: core.op_schema('MatMul'),
        'kinds': lambda: core.Description(next(ops), {'_x': 1}),  # Each is read once.
        'describe': lambda: core.Description('MatMul', {'transpose_a': True}),
        'arrays': lambda: (w.tensor.numpy(), w.texts.numpy(), memoryview(w.tensor)),
        'dlpack': lambda: core.Tensor.from_dlpack(w.tensor),
        'tensors': lambda: (core.Tensor([1.0, 2.0]), core.Tensor.from_strings(['a'] * 20, [20])),
        'messages': lambda: core.Tensor.from_proto(w.tensor.to_proto()).format(),
        'process': lambda: (core.devices(), core.memory_stats('CPU:0'), core.call_stack(0)),
    }


def starve(work: Callable[[], Any], nth: int) -> bool:
    """Calls with the |nth| allocation failing; true when the call noticed."""
    _testcapi.set_nomemory(nth, nth + 1)
    try:
        work()
    except MemoryError:
        return True
    except core.Error:
        return False  # What the failure of a callback becomes.
    finally:
        _testcapi.remove_mem_hooks()
    return False


def main() -> None:
    world = World()
    for name, work in {**runs(world), **rest(world)}.items():
        noticed, quiet, nth = 0, 0, 0
        # Some failures are made up for; many in a row mean that it was past the last.
        while quiet < 8 and nth < MOST:
            nth += 1
            met = starve(work, nth)
            noticed, quiet = noticed + met, 0 if met else quiet + 1
        print(name, noticed, flush=True)


if __name__ == '__main__':
    main()
