#!/usr/bin/env python
"""random_forms.py - Session.run of random fetches and feeds, the short way beside the long one.

    random_forms.py [--cases N] [--seed N] [--threads N]

Most calls of Session.run stay in C: fetches in containers, by name, as variables; feeds of
numbers, texts, lists and arrays of any type. What C does not do, and everything that is wrong,
is done by BaseSession._run_any(), in Python. Here both do the same random call: the results must
be of the same types, the same to the bit and shared alike; errors must have the same class and
text; warnings must be the same, too. With threads all cases are tried by all of them at once,
while the lists that they share change.
"""

from __future__ import annotations

import argparse
import collections
import fractions
import random
import sys
import threading
import types
import warnings
from typing import Any, Callable

import numpy as np

import berth as tf

Pair = collections.namedtuple("Pair", "first second")
KINDS = ("float16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
         "bool", "string", "complex64", "complex128")
SHAPES: tuple[Any, ...] = (None, [], [None], [2], [2, 3], [None, 3], [0], [1, 1, 1])


class MyList(list):  # noqa: D101
    pass


class MyTuple(tuple):  # noqa: D101
    def __new__(cls, *items: Any) -> "MyTuple":
        return super().__new__(cls, items)


class Floats:
    """A number of a program's own."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value


class Arrays:
    """Something that makes an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.ones([2, 3], dtype)


PLAIN = [0, 1, 2, -1, 7, 100, 0.0, 0.5, -1.25, 3.75, True, False]
# Numbers at the edges of types, numbers that are none, and what numpy makes of other things.
ODD: list[Any] = [
    -0.0, 1e300, -1e39, 3.4028236e38, 1e-310, 1e-40, float("inf"), float("nan"), 0.1, 2**24 + 1, 255, 256,
    -129, 2**31, 2**40, 2**53 + 1, 2**54 + 2**30 + 1, -(2**63), 2**63, 2**64 - 1, 2**64, 10**30, 10**400, 2j,
    None, "5", "x", b"7", fractions.Fraction(1, 3), Floats(2.5), np.float64(0.1), np.float32(0.1),
    np.float16(2), np.int64(3), np.int8(-3), np.uint64(2**63), np.bool_(True), np.complex64(1j), np.str_("9"),
    np.bytes_(b"8"), np.array(2.5), np.datetime64("2001-01-01"), Arrays(), [], (), range(2), {}, {1}, object,
]


# ---- The graph ----


class World:
    """A graph with placeholders of all types, a session, and what can be asked for."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.feeds = [tf.placeholder(kind, shape) for kind in KINDS for shape in SHAPES]
            self.results = [tf.identity(x) for x in self.feeds]
            self.variables = [tf.Variable([1.0, 2.0]), tf.Variable(3, use_resource=True)]
            self.ops = [v.assign_add(v).op for v in self.variables] + [tf.no_op()]
            self.hidden = tf.constant(1.0)
            init = tf.global_variables_initializer()
        with tf.Graph().as_default():
            self.foreign = tf.constant(1.0)
        self.graph.prevent_fetching(self.hidden.op)
        self.session = tf.Session(graph=self.graph)
        self.session.run(init)


# ---- Random values ----


def number(r: random.Random) -> Any:
    """A number, mostly a plain one."""
    if r.random() < 0.8:
        return r.choice(PLAIN)
    return r.choice(ODD)


def text(r: random.Random) -> Any:
    """A text, mostly."""
    if r.random() < 0.9:
        return r.choice(["", "a", "hello", "h\u00e9", b"", b"b", b"\xff\x00", "a\0b"])
    return r.choice([1, 2.5, None, np.str_("s"), np.bytes_(b"t"), "\ud800", bytearray(b"x"), True])


def nest(r: random.Random, dims: list[int], leaf: Callable[[random.Random], Any]) -> Any:
    """Lists in lists, as |dims| says, or nearly."""
    if not dims:
        return leaf(r)
    size = dims[0] if r.random() < 0.97 else r.randrange(4)
    items = [nest(r, dims[1:], leaf) for _ in range(size)]
    if r.random() < 0.02:
        return np.array([1.0] * size)
    kind = r.choices([list, tuple, MyList, collections.deque], [80, 17, 2, 1])[0]
    return kind(items)


def array(r: random.Random, dims: list[int], kind: str) -> np.ndarray:
    """An array, often of another type, in any order in memory."""
    if kind == "string" or r.random() < 0.03:
        made = np.array([text(r) for _ in range(int(np.prod(dims)))], dtype=object).reshape(dims)
        return r.choice([made, made, np.full(dims, "u\u00e9"), np.full(dims, b"s\xff")])
    other = kind if r.random() < 0.5 else r.choice(["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "g", "c8", "c16"])
    made = np.asarray(np.random.RandomState(r.randrange(99)).randn(*dims) * 5).astype(other)
    order = r.randrange(8)
    if order == 1:
        made = np.asfortranarray(made)
    elif order == 2:
        made = made[..., ::-1] if made.ndim else made
    elif order == 3:
        made = made.astype(made.dtype.newbyteorder())
    elif order == 4:
        made.flags.writeable = False
    elif order == 5 and made.ndim == 2:
        made = np.asmatrix(made)
    return made


def value(r: random.Random, tensor: Any) -> Any:
    """Something to feed |tensor|, mostly of its shape."""
    known = tensor.shape
    dims = [r.randrange(3) for _ in range(r.randrange(3))]
    if known.ndims is not None:
        dims = [r.randrange(3) if d is None else d for d in known.as_list()]
    if r.random() < 0.04:
        dims = [r.randrange(3) for _ in range(r.randrange(4))]
    kind = tensor.dtype.base_dtype.name
    if r.random() < 0.4:
        return array(r, dims, kind)
    return nest(r, dims, text if kind == "string" and r.random() < 0.95 else number)


# ---- Random calls ----


def wanted(world: World, r: random.Random, used: list[Any]) -> Any:
    """Something to fetch; what must be fed for it goes to |used|."""
    chance = r.random()
    if chance < 0.6:
        i = r.randrange(len(world.feeds))
        used.append(world.feeds[i])
        return r.choice([world.results[i]] * 4 + [world.results[i].name, world.results[i].op, world.results[i].op.name])
    if chance < 0.8 and used:
        return r.choice(world.results[:3] + used) if r.random() < 0.3 else world.results[world.feeds.index(used[-1])]
    if chance < 0.97:
        return r.choice(world.ops + world.variables + [world.variables[0].name, world.ops[2].name])
    return r.choice([None, "nope", "nope:0", "", 5, 2.5, b"x", world.foreign, world.hidden, object, {1}, np.zeros(2)])


def fetches(world: World, r: random.Random, used: list[Any], depth: int = 0) -> Any:
    """A form of fetches."""
    if depth > 3 or r.random() < 0.4:
        return wanted(world, r, used)
    items = [fetches(world, r, used, depth + 1) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 5]))]
    kind = r.randrange(12)
    if kind < 4:
        return items
    if kind < 6:
        return tuple(items)
    if kind < 8:
        return dict(zip([r.choice(["a", "b", 1, None, ("t", 2)]) for _ in items], items))
    if kind == 8:
        ordered = collections.OrderedDict(enumerate(items))
        if items:
            ordered.move_to_end(0)
        return ordered
    if kind == 9:
        return Pair(wanted(world, r, used), items)
    if kind == 10:
        return r.choice([MyList(items), MyTuple(*items), types.MappingProxyType({"m": items})])
    made: Any = collections.defaultdict(list)
    made.update(enumerate(items))
    return made


def feeds(world: World, r: random.Random, used: list[Any]) -> Any:
    """Feeds for |used|, and now and then for something else."""
    found: dict[Any, Any] = {}
    for x in used + ([r.choice(world.feeds)] if r.random() < 0.1 else []):
        key = r.choice([x] * 6 + [x.name] * 2 + [x.op.name, (x,)]) if r.random() < 0.3 else x
        found[key] = [value(r, x)] if isinstance(key, tuple) else value(r, x)
    if r.random() < 0.05:
        found[r.choice([world.variables[0], world.hidden, world.foreign, 5, "zzz", world.results[0]])] = [1.0, 2.0]
    if not found:
        return r.choice([None, {}, [], 3]) if r.random() < 0.1 else None
    return collections.OrderedDict(found) if r.random() < 0.1 else found


# ---- Comparing ----


def outcome(call: Callable[[Any, Any], Any], fetch: Any, feed: Any) -> tuple[Any, Any, list[str]]:
    """What a call gives: a result, or an exception; and warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result, error = call(fetch, feed), None
        except Exception as raised:
            result, error = None, (type(raised).__name__, str(raised))
    return result, error, sorted(f"{w.category.__name__}: {w.message}" for w in heard)


def differs(a: Any, b: Any, twins: dict[int, Any]) -> str:
    """Says how two results differ; nothing when they do not."""
    if type(a) is not type(b):
        return f"{type(a)} beside {type(b)}"
    if isinstance(a, np.ndarray):
        if twins.setdefault(id(a), b) is not b or twins.setdefault(-id(b), a) is not a:
            return "shared differently"
        a, b = (a.tolist(), b.tolist()) if a.dtype == object else ((a.dtype, a.shape, a.tobytes()),
                                                                   (b.dtype, b.shape, b.tobytes()))
        return "" if a == b else f"{a!r} beside {b!r}"
    if isinstance(a, np.generic):
        return "" if a.tobytes() == b.tobytes() else f"{a!r} beside {b!r}"
    if isinstance(a, dict):
        if list(a) != list(b) or getattr(a, "default_factory", 0) != getattr(b, "default_factory", 0):
            return f"{a!r} beside {b!r}"
        a, b = list(a.values()), list(b.values())
    if isinstance(a, (list, tuple)):
        found = [differs(x, y, twins) for x, y in zip(a, b)] + (["lengths"] if len(a) != len(b) else [])
        return next((f for f in found if f), "")
    return "" if a == b else f"{a!r} beside {b!r}"


def compare(world: World, seed: int, quiet: bool) -> str:
    """Makes one random call both ways; says what differs."""
    r = random.Random(seed)
    used: list[Any] = []
    fetch = fetches(world, r, used)
    return both_ways(world, fetch, feeds(world, r, used), quiet)


def both_ways(world: World, fetch: Any, feed: Any, quiet: bool) -> str:
    """Makes a call both ways; says what differs."""
    reset = [v.initializer for v in world.variables]
    session = world.session
    found = []
    for call in (session.run, session._run_any):
        if not quiet:
            session.run(reset)
        found.append(outcome(call, fetch, feed))
    (a, error, heard), (b, long_error, long_heard) = found
    if error != long_error:
        return f"{error} beside {long_error}"
    if not quiet and heard != long_heard:
        return f"{heard} beside {long_heard}"
    return "" if quiet and world_changes(fetch) else differs(a, b, {})


def world_changes(fetch: Any) -> bool:
    """True when variables, which all threads change, may be among |fetch|."""
    return "Variable" in repr(fetch) or "Assign" in repr(fetch)


# ---- Running ----


def every_number(world: World, wrong: list[str]) -> None:
    """Feeds every number to every type: alone, in a list, in a list with another."""
    for x, y in zip(world.feeds, world.results):
        if x.shape.ndims is not None:
            continue
        for one in PLAIN + ODD:
            for fed in (one, [one], [[one, 1]], (one, 0.5), [True, one]):
                text_ = both_ways(world, y, {x: fed}, False)
                if text_:
                    wrong.append(f"{fed!r} to {x.dtype.name}: {text_}")


def work(world: World, seeds: range, quiet: bool, wrong: list[str]) -> None:
    """Compares many calls."""
    for seed in seeds:
        text_ = compare(world, seed, quiet)
        if text_:
            wrong.append(f"case {seed}: {text_}")


def disturb(world: World, stop: threading.Event, wrong: list[str]) -> None:
    """Runs a list of fetches and a dict of feeds that change all the time."""
    x, y = world.feeds[KINDS.index("float32") * len(SHAPES)], world.results[KINDS.index("float32") * len(SHAPES)]
    shared: list[Any] = [y]
    mapping: dict[Any, Any] = {x: [1.0]}

    def change() -> None:
        while not stop.is_set():
            shared.append(y.name)
            mapping[world.feeds[0]] = 1.0
            shared.append([y])
            mapping.pop(world.feeds[0])
            del shared[1:]

    changer = threading.Thread(target=change)
    changer.start()
    while not stop.is_set():
        try:
            for part in world.session.run(shared, mapping):
                if np.ravel(part).tolist() != [1.0]:
                    wrong.append(f"disturbed: {part!r}")
        except RuntimeError as error:
            if "changed" not in str(error):
                wrong.append(f"disturbed: {error!r}")
    changer.join()


def main() -> int:
    """Runs what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    world = World()
    wrong: list[str] = []
    seeds = range(options.seed, options.seed + options.cases)
    if options.threads == 1:
        every_number(world, wrong)
        work(world, seeds, False, wrong)
    else:
        stop = threading.Event()
        threads = [threading.Thread(target=work, args=(world, seeds, True, wrong)) for _ in range(options.threads)]
        other = threading.Thread(target=disturb, args=(world, stop, wrong))
        other.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        other.join()
    print(*wrong[:20], f"{len(wrong)} of {options.cases} cases differ", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
