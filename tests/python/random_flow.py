"""random_flow - Graphs with conditionals, loops and variables, made by the throw of dice.

    python random_flow.py FIRST COUNT             runs them with TensorFlow and prints what it gives, a line each
    python random_flow.py --functions FIRST COUNT   the same of graphs whose branches and bodies are functions, with them
    python random_flow.py --calls FIRST COUNT       the same of graphs that call functions too, inlined or not
    python random_flow.py --alone FIRST COUNT       the same, where each value of a branch, a loop or a call is asked for alone

Numbers are whole, in both kinds of them, so that results are the same everywhere; what order TensorFlow leaves open has no influence.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import zlib
from typing import Any

import numpy as np

PRIME = 1009
RUNS = [[-5, 6, 0], [8, -9, 1], [10, 15, 2], [29, 3, 5]]


class Maker:
    """Makes one graph."""

    def __init__(self, tf: Any, seed: int, devices: list[str], refs: bool = True) -> None:
        self.tf, self.dice, self.devices, self.refs = tf, random.Random(seed), devices, refs
        self.kind = tf.float32 if seed % 2 else tf.int32
        self.feeds = [tf.placeholder(self.kind, shape) for shape in ([], [], [None])]
        self.inits: list[Any] = []
        self.variables = [self.variable(i) for i in range(self.dice.randrange(3))]
        values = [*self.feeds, self.constant(20)]
        for _ in range(self.dice.randrange(2, 5)):
            values.append(self.value(values, 3))
        self.fetches = values[4:]

    def variable(self, number: int) -> Any:
        """A variable, of either kind."""
        with self.tf.device(self.place()):
            start, is_resource = self.constant(9), self.dice.random() < 0.5 or not self.refs
            made = self.tf.Variable(start, use_resource=is_resource, name=f'v{number}')
        self.inits.append(made.initializer)
        return made

    def place(self) -> str | None:
        """A device, or none."""
        return self.dice.choice(self.devices) if self.devices and self.dice.random() < 0.4 else None

    def constant(self, most: int) -> Any:
        """A number below |most|."""
        return self.tf.constant(self.dice.randrange(most), self.kind)

    def small(self, value: Any) -> Any:
        """|value|, kept small enough to be exact."""
        return self.tf.math.floormod(value, PRIME)

    def sum(self, values: list[Any]) -> Any:
        """A few ops over what is known."""
        tf, dice = self.tf, self.dice
        with tf.device(self.place()):
            a, b = dice.choice(values), dice.choice(values)
            for _ in range(dice.choice([1, 1, 2, 3, 8])):
                kind = dice.randrange(8)
                a = [lambda: a + b, lambda: a - b, lambda: tf.math.floormod(a * b, 97), lambda: tf.maximum(a, b),
                     lambda: a + dice.randrange(-3, 5), lambda: tf.reduce_sum(a), lambda: tf.abs(a),
                     lambda: tf.reshape(tf.identity(a), tf.shape(a))][kind]()
                a = self.small(a)
                if dice.random() < 0.3:
                    b = dice.choice(values)
            return a

    def scalar(self, values: list[Any]) -> Any:
        """A number of what is known."""
        value = self.dice.choice(values)
        return value if value.shape.rank == 0 else self.small(self.tf.reduce_sum(value))

    def cond(self, values: list[Any], depth: int) -> Any:
        """A conditional. Both ways give the same rank."""
        tf, dice = self.tf, self.dice
        taken = tf.less(tf.math.floormod(self.scalar(values), 5), dice.randrange(5))
        flat, count = dice.random() < 0.4, dice.randrange(1, 3)

        def way() -> Any:
            known = list(values)
            for _ in range(dice.randrange(3)):
                known.append(self.value(known, depth - 1))
            if dice.random() < 0.2:
                known.append(self.constant(50))
            return [self.shaped(dice.choice(known[-3:]), flat) for _ in range(count)]

        return dice.choice(self.flat(tf.cond(taken, way, way)))

    def shaped(self, value: Any, flat: bool) -> Any:
        """|value| as a vector, or as a number."""
        tf = self.tf
        return tf.reshape(value, [-1]) if flat else tf.identity(self.small(tf.reduce_sum(value)))

    def flat(self, made: Any) -> list[Any]:
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def loop(self, values: list[Any], depth: int) -> Any:
        """A loop over numbers and vectors, which may grow."""
        tf, dice = self.tf, self.dice
        start = [self.shaped(dice.choice(values), dice.random() < 0.3) for _ in range(dice.randrange(1, 4))]
        limit = tf.cast(tf.math.floormod(self.scalar(values), dice.randrange(1, 7)), tf.int32)
        shapes = [tf.TensorShape([])] + [tf.TensorShape([None] if v.shape.rank else []) for v in start]

        def body(i: Any, *carried: Any) -> list[Any]:
            known = [tf.cast(i, self.kind), *carried, *(values if dice.random() < 0.6 else [])]
            nexts = [self.following(known, old, depth) for old in carried]
            return [i + 1, *nexts]

        made = tf.while_loop(lambda i, *_: tf.less(i, limit), body, [tf.constant(0), *start], shape_invariants=shapes,
                             parallel_iterations=dice.choice([1, 10]))
        return tf.cast(dice.choice(self.flat(made)), self.kind)

    def following(self, known: list[Any], old: Any, depth: int) -> Any:
        """What |old| is in the next iteration."""
        tf, dice = self.tf, self.dice
        if dice.random() < 0.2:
            return old if dice.random() < 0.5 else tf.identity(old)
        new = self.shaped(self.small(self.value(known, depth - 1)), bool(old.shape.rank))
        grows = old.shape.rank and dice.random() < 0.3
        return tf.concat([old[:4], new[:4]], 0) if grows else new

    def update(self, values: list[Any]) -> Any:
        """Adds to a variable, and what comes behind that. Additions may come in any order."""
        tf = self.tf
        amount = self.scalar(values)
        with tf.control_dependencies([tf.assign_add(self.dice.choice(self.variables), amount)]):
            return tf.identity(amount)

    def value(self, values: list[Any], depth: int) -> Any:
        """Something new."""
        kind = self.dice.random() if depth > 0 else 0
        if self.variables and self.dice.random() < 0.12:
            return self.update(values)
        if kind < 0.45:
            made = self.sum(values)
        else:
            made = (self.cond if kind < 0.72 else self.loop)(values, depth)
        # Vectors of different lengths cannot be added.
        return made if made.shape.rank == 0 or self.dice.random() < 0.2 else self.shaped(made, False)


class Caller(Maker):
    """Makes one graph in which some values come from calls of functions."""

    def call(self, values: list[Any], depth: int) -> Any:
        """A call of a function, which may have others, loops and changes of variables inside."""
        tf, dice = self.tf, self.dice
        flat, count = dice.random() < 0.3, dice.randrange(1, 3)

        def body(*known: Any) -> list[Any]:
            inside = list(known)
            for _ in range(dice.randrange(1, 4)):
                inside.append(self.value(inside, depth - 1))
            return [self.shaped(dice.choice(inside[-3:]), flat) for _ in range(count)]

        marks = {'_noinline': True} if dice.random() < 0.5 else None
        function = tf.function(body, autograph=False, experimental_attributes=marks)
        made = self.flat(function(*dice.sample(values, dice.randrange(1, len(values) + 1))))
        if dice.random() < 0.3:
            made += self.flat(function(*dice.choices(values, k=dice.randrange(1, 3))))
        return dice.choice(made)

    def value(self, values: list[Any], depth: int) -> Any:
        if depth > 0 and self.dice.random() < 0.25:
            made = self.call(values, depth)
            return made if made.shape.rank == 0 else self.shaped(made, False)
        return super().value(values, depth)


def results_of(tf: Any, seed: int, devices: list[str], config: Any = None) -> list[str]:
    """Makes the graph of |seed| and says what its runs give."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        maker = Maker(tf, seed, devices)
        texts = []
        for first, second, length in RUNS:
            session.run(maker.inits)
            feeds = dict(zip(maker.feeds, [first, second, np.arange(length) + seed % 7]))
            try:
                found = session.run(maker.fetches, feeds)
                found += session.run(maker.variables)
            except tf.errors.InvalidArgumentError:
                found = ['lengths differ']
            texts.append(' '.join(str(np.asarray(x).tolist()) for x in found))
    return texts


def run_of(tf: Any, session: Any, feeds: dict[Any, Any], fetches: list[Any], reads: list[Any]) -> Any:
    """What one run gives, and what variables hold then; None where lengths differ."""
    try:
        found = session.run(fetches, feeds)
        found += session.run(reads) if reads else []
    except tf.errors.InvalidArgumentError:
        return None
    return [np.asarray(x).tolist() for x in found]


def record_functions(tf: Any, seed: int, config: Any, made_by: Any = Maker) -> str:
    """A graph with functions and its runs, as one line; nothing where there are no functions."""
    with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
        maker = made_by(tf, seed, [], False)
        reads = [variable.read_value() for variable in maker.variables]
        runs = []
        for first, second, length in RUNS:
            session.run(maker.inits)
            values = [first, second, (np.arange(length) + seed % 7).tolist()]
            runs.append([values, run_of(tf, session, dict(zip(maker.feeds, values)), maker.fetches, reads)])
        names = [[x.name for x in list] for list in (maker.feeds, maker.fetches, maker.inits, reads)]
        definition = graph.as_graph_def()
    packed = base64.b64encode(zlib.compress(definition.SerializeToString(deterministic=True), 9)).decode()
    return f'{seed} {packed} {json.dumps([*names, runs])}' if definition.library.function else ''


def try_functions(tf: Any, line: str, runner: Any = lambda session, seed: session) -> None:
    """Runs what a line has recorded, by what |runner| makes of a session, and compares."""
    seed, packed, text = line.split(' ', 2)
    feeds, fetches, inits, reads, runs = json.loads(text)
    definition = tf.GraphDef.FromString(zlib.decompress(base64.b64decode(packed)))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(definition, name='')
        for values, wanted in runs:
            for name in inits:
                session.run(graph.get_operation_by_name(name))
            found = run_of(tf, runner(session, seed), dict(zip(feeds, values)), fetches, reads)
            assert found == wanted, (seed, values, found, wanted)


def asked_alone(tf: Any, session: Any, names: list[list[str]], name: str, values: list[Any]) -> Any:
    """What a run for |name|, a value or a node, gives, and what variables hold then."""
    feeds, inits, reads = names
    session.run(inits)
    try:
        found = session.run(name, dict(zip(feeds, values)))
    except tf.errors.InvalidArgumentError:
        return None
    return [np.asarray(x).tolist() for x in [0 if found is None else found, *session.run(reads)]]


def session_of(tf: Any, definition: Any, config: Any = None) -> Any:
    """A session with the graph of |definition|."""
    with tf.Graph().as_default():
        tf.import_graph_def(definition, name='')
        return tf.Session(config=config)


def record_alone(tf: Any, seed: int, config: Any) -> str:
    """A graph whose functions change variables, and what runs for one value leave in these."""
    with tf.Graph().as_default() as graph:
        maker = Caller(tf, seed, [], False)
        reads = [variable.read_value().name for variable in maker.variables]
        names = [[x.name for x in maker.feeds], [x.name for x in maker.inits], reads]
        definition = graph.as_graph_def()
    if not any(node.op.startswith('Assign') for f in definition.library.function for node in f.node_def):
        return ''
    values = [*RUNS[seed % 4][:2], list(range(RUNS[seed % 4][2]))]
    with session_of(tf, definition, config) as session:
        runs = []
        for op in session.graph.get_operations():
            if op.type.endswith(('While', 'If', 'PartitionedCall')):
                asked = [op.name, *(x.name for x in op.outputs if x.dtype != tf.resource)]
                runs += [[name, asked_alone(tf, session, names, name, values)] for name in asked]
    packed = base64.b64encode(zlib.compress(definition.SerializeToString(deterministic=True), 9)).decode()
    return f'{seed} {packed} {json.dumps([names, values, runs])}'


def try_alone(tf: Any, line: str) -> int:
    """Runs what a line has recorded, and compares; returns how many runs there were."""
    seed, packed, text = line.split(' ', 2)
    names, values, runs = json.loads(text)
    with session_of(tf, tf.GraphDef.FromString(zlib.decompress(base64.b64decode(packed)))) as session:
        for name, wanted in runs:
            found = asked_alone(tf, session, names, name, values)
            assert found == wanted, (seed, name, found, wanted)
    return len(runs)


def main() -> None:
    """Prints what TensorFlow gives."""
    import tensorflow.compat.v1 as tf
    made_by = {'--functions': Maker, '--calls': Caller}.get(sys.argv[1])
    first, count = int(sys.argv[-2]), int(sys.argv[-1])
    tf.disable_v2_behavior()
    # TensorFlow 2.21's optimizers cut live values off in some random graphs.
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    if sys.argv[1] == '--alone':
        tf.enable_control_flow_v2()
        lines = (record_alone(tf, seed, config) for seed in range(first, first + count))
    elif made_by:
        tf.enable_control_flow_v2()
        lines = (record_functions(tf, seed, config, made_by) for seed in range(first, first + count))
    else:
        lines = (f"{seed} {'|'.join(results_of(tf, seed, [], config))}" for seed in range(first, first + count))
    for line in filter(None, lines):
        print(line, flush=True)


if __name__ == '__main__':
    main()
