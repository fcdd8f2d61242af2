"""fuzz_core.py - Calls everything in berth._core with objects of all kinds.

    python fuzz_core.py SEED CALLS

Ends with the line `survived N calls`. What is called, and with what, depends on
the seed alone, and goes to stderr before every call when FUZZ_TRACE is set.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from typing import Any, Callable

import numpy as np

from berth import _core as core


class Evil:
    """Whatever is asked of it, it raises, or changes what is being read."""

    def __init__(self, victim: Any, rng: random.Random) -> None:
        self.victim = victim
        self.rng = rng

    def __index__(self) -> int:
        grow(self.victim, self.rng)
        return self.rng.choice([0, 1, -1, 2**40])

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        grow(self.victim, self.rng)
        raise ValueError('neither')

    def __array__(self, *_args: Any, **_kwargs: Any) -> Any:
        # numpy itself does not survive lists that change.
        if isinstance(self.victim, dict):
            grow(self.victim, self.rng)
        if self.rng.random() < 0.5:
            raise RuntimeError('no array')
        return np.ones(self.rng.choice([1, 1000]), np.float32)


def grow(victim: Any, rng: random.Random) -> None:
    """Empties or fills a list or a dict that somebody goes through."""
    if isinstance(victim, dict):
        victim.clear() if rng.random() < 0.5 else victim.update({(i, 0): 1.0 for i in range(50)})
    elif isinstance(victim, list):
        victim.clear() if rng.random() < 0.5 else victim.extend([(0, 0)] * 50)


class World:
    """Objects to call methods of, and to call them with."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.graph = core.Graph()
        fed = self.graph.op('Placeholder', 'a', attrs={'dtype': 1, 'shape': [2, 3]})
        other = self.graph.op('Placeholder', 'b', attrs={'dtype': 1, 'shape': None})
        self.graph.op('MatMul', 'c', [(fed, 0), (other, 0)])
        self.graph.op('Placeholder', 's', attrs={'dtype': 7, 'shape': None})
        self.session = core.Session(self.graph)
        self.refs = [core.Ref(self, n, i) for n, i in ((0, 0), (1, 0), (2, 0), (2, -1), (99, 0), (0, 77), (-5, 3))]
        self.tensors = [core.Tensor(np.ones((2, 3), np.float32)), core.Tensor(np.int64(3)),
                        core.Tensor(np.zeros((0, 4))), core.Tensor.from_strings(['a', b'\0\xff'], [2])]
        self.context = core.Context()
        self.objects = self.make_objects()

    def make_objects(self) -> list[Any]:
        closed = core.Session(self.graph)
        closed.close()
        plan = ([(0, 0), (1, 0)], [(2, 0)])
        return [self.graph, self.session, closed, self.context, *self.tensors, self.refs[0],
                core.Runner(self.session, self, lambda *a, **k: None),
                core.Runner(closed, self, None, int), self.session.make_callable(*plan),
                self.session.partial_setup(*plan), core.Shape([2, None]),
                core.Description('MatMul', {'transpose_a': True}), core.Quick('Neg', len, ('x',), ('x',), {})]

    def scalar(self) -> Any:
        return self.rng.choice([
            None, True, 0, 1, 2, 7, -1, 2**31, 2**62, -2**63, 2**64, 10**30, 1.5, float('nan'), 1j, '', 'a', 'MatMul',
            'Neg', 'CPU:0', '/gpu:0', 'GPU:99', 'a\0b', '\udcff', b'', b'\x08\x01', b'\xff' * 9, b'a\0', bytearray(b'\x12\x01x'),
            memoryview(b'abc'), object(), int, Exception(), ..., core.DType(1), core.DType(3), np.float32(1), np.int64(-7)])

    def array(self) -> Any:
        base = np.arange(6).reshape(2, 3).astype(self.rng.choice(['f4', 'f8', 'i4', 'i8', '?', 'c8', 'f2', '>f4', 'u1']))
        return self.rng.choice([
            base, base.T, base[::-1, ::-2], base[:0], np.float32(base), np.array(['a', 'b']), np.array([b'a\0', None]),
            np.array([1, 'x', object()], object), np.zeros((1,) * 20), np.datetime64('2020-01-01'), np.ones(3000, 'f4'),
            np.zeros(2, [('x', 'f4')]), np.broadcast_to(np.float32(1), (2, 3)), np.float32(base).tobytes()])

    def value(self, depth: int = 0) -> Any:
        kind = self.rng.random()
        if kind < 0.3 or depth > 2:
            return self.scalar()
        if kind < 0.45:
            return self.array()
        if kind < 0.6:
            return self.rng.choice(self.refs + self.tensors)
        if kind < 0.65:
            return self.rng.choice(self.objects)
        return self.container(depth)

    def container(self, depth: int) -> Any:
        items = [self.value(depth + 1) for _ in range(self.rng.choice([0, 1, 2, 3, 12]))]
        kind = self.rng.randrange(6)
        if kind == 0:
            return tuple(items)
        if kind == 1:
            return {self.rng.choice([*self.refs, 'T', 'dtype', 'shape', 'value', 'N', (0, 0), 3]): item for item in items}
        if kind == 2:
            return iter(items)
        if kind == 3:
            return (self.rng.randrange(-1, 4), self.rng.randrange(-1, 2))
        if kind == 4:
            items.append(items)
        items.insert(0, (0, Evil(items, self.rng)))
        items.insert(self.rng.randrange(len(items)), Evil(items, self.rng))
        return items

    def arguments(self) -> list[Any]:
        found = [self.value() for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4, 5]))]
        for item in found:
            if isinstance(item, dict) and item:
                item[self.rng.choice(list(item))] = Evil(item, self.rng)
        return found


def callables(world: World) -> list[tuple[str, Callable[..., Any]]]:
    """Returns everything that can be called: functions, classes, methods, getters."""
    found: list[tuple[str, Callable[..., Any]]] = []
    # Settings of the whole process would change what later calls mean.
    left_out = {'set_error_class', 'configure', 'register_callback', 'set_quick_context', 'Error', 'DType'}
    for name in sorted(dir(core)):
        if callable(getattr(core, name)) and not name.startswith('_') and name not in left_out:
            found.append((name, getattr(core, name)))
    for number, owner in enumerate(world.objects):
        label = f'{type(owner).__name__}#{number}'
        if callable(owner):
            found.append((label, owner))
        for name in sorted(set(dir(type(owner))) - set(dir(object))):
            found.append((f'{label}.{name}', lambda *a, o=owner, n=name: use(o, n, *a)))
    return found


def use(owner: Any, name: str, *args: Any) -> Any:
    member = getattr(owner, name)
    return member(*args) if callable(member) else repr(member)


def main() -> None:
    seed, calls = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    world = World(seed)
    targets = callables(world)
    trace = bool(os.environ.get('FUZZ_TRACE'))
    for number in range(calls):
        name, target = world.rng.choice(targets)
        args = world.arguments()
        keywords = {world.rng.choice(['fetches', 'feeds', 'dtype', 'inputs', 'x']): world.value()} \
            if world.rng.random() < 0.1 else {}
        if trace:
            print(number, name, [type(a).__name__ for a in args], list(keywords), file=sys.stderr, flush=True)
        try:
            target(*args, **keywords)
        except SystemError:
            raise  # An exception that C forgot, or one too many.
        except Exception:  # Any other is what bad arguments get.
            pass
        if world.graph.node_count > 5000 or 'close' in name:
            world = World(world.rng.randrange(2**32))
            targets = callables(world)
    print(f'survived {calls} calls')


if __name__ == '__main__':
    main()
