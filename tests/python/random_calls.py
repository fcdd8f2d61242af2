"""random_calls - Graphs of functions in functions, made by the throw of dice, with gradients through them.

    python random_calls.py FIRST COUNT FILE       runs them with TensorFlow and writes what it gives
    python random_calls.py --try FILE             runs the same with Berth, and compares

If, Case, While and calls stand in each other, inlined or not, read and change variables, and are called twice. Numbers are of
float64, so that what is right agrees to ten digits. A file has lines of JSON, compressed together.
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from typing import Any

import numpy as np

RUNS = [[0.4, -0.7, 3, 0], [-1.2, 0.3, 1, 1], [0.9, 0.8, 4, 2], [-0.1, -0.5, 2, -1]]


class Maker:
    """Makes one graph: feeds, variables, and a number that depends on them."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.dice = tf, random.Random(seed)
        self.feeds = [tf.placeholder(tf.float64, [], name='a'), tf.placeholder(tf.float64, [], name='b'),
                      tf.placeholder(tf.float64, [None], name='v'), tf.placeholder(tf.int32, [], name='i')]
        self.variables = [tf.Variable(0.1 + 0.3 * k, dtype=tf.float64, use_resource=True, name=f'w{k}')
                          for k in range(self.dice.randrange(3))]
        self.updates = self.dice.random() < 0.4  # Variables are changed, or else read.
        self.around: list[str] = []  # The functions, branches and loops that are being made.
        values = self.feeds[:3]
        for _ in range(self.dice.randrange(2, 5)):
            values.append(self.value(values, 2 if seed % 3 else 3))
        self.fetches = [self.number(value) for value in values[3:]]
        self.y = tf.add_n(self.fetches, name='y')

    def number(self, value: Any) -> Any:
        """|value| as a number."""
        return value if value.shape.rank == 0 else self.tf.reduce_mean(value)

    def shaped(self, value: Any, flat: bool) -> Any:
        """|value| as a vector, or as a number."""
        tf = self.tf
        if not flat:
            return self.number(value)
        return value if value.shape.rank == 1 else tf.reshape(tf.stack([value, 0.5 * value]), [-1])

    def pair(self, values: list[Any]) -> tuple[Any, Any]:
        """Two of |values| that can be added."""
        a, b = self.dice.choice(values), self.dice.choice(values)
        return (a, self.number(b)) if a.shape.rank and b.shape.rank and a is not b else (a, b)

    def sum(self, values: list[Any]) -> Any:
        """A few smooth ops over what is known."""
        tf, dice = self.tf, self.dice
        (a, b), kind = self.pair(values), dice.randrange(9)
        if self.variables and not self.updates and dice.random() < 0.25:
            b = dice.choice(self.variables).read_value()
        return [lambda: tf.tanh(a * b), lambda: tf.sin(a) + 0.5 * b, lambda: a - 0.3 * b * tf.sigmoid(b),
                lambda: tf.tanh(a) * b, lambda: tf.sigmoid(a + b), lambda: tf.maximum(a, b) * 0.7,
                lambda: tf.concat([self.shaped(a, True)[:2], self.shaped(b, True)], 0)[:3],
                lambda: tf.gather(self.shaped(a, True), [0, 0]) * 0.5, lambda: tf.exp(-a * a)][kind]()

    def may_update(self) -> bool:
        """True in functions: all that acts in them is done, whoever asks for it."""
        return self.updates and bool(self.variables) and self.around[:1] == ['call']

    def update(self, values: list[Any]) -> Any:
        """Adds to a variable; what comes behind that. Additions may come in any order."""
        tf = self.tf
        amount = self.number(self.dice.choice(values))
        with tf.control_dependencies([tf.assign_add(self.dice.choice(self.variables), 0.01 * amount)]):
            return tf.identity(amount)

    def block(self, values: list[Any], depth: int, flats: list[bool]) -> list[Any]:
        """What a branch, a body or a function gives."""
        known, dice = list(values), self.dice
        for _ in range(dice.randrange(3)):
            known.append(self.value(known, depth - 1))
        if dice.random() < 0.15:
            known.append(self.tf.constant(dice.randrange(5) / 4, self.tf.float64))
        return [self.shaped(self.tf.tanh(dice.choice(known[-3:])), flat) for flat in flats]

    def flats(self) -> list[bool]:
        return [self.dice.random() < 0.3 for _ in range(self.dice.randrange(1, 4))]

    def choose(self, made: Any) -> Any:
        """One of several results; the others are not used."""
        return self.dice.choice(list(made) if isinstance(made, (list, tuple)) else [made])

    def cond(self, values: list[Any], depth: int) -> Any:
        """A conditional of two ways, or of several."""
        tf, dice, flats = self.tf, self.dice, self.flats()
        if dice.random() < 0.5:
            taken = tf.less(self.number(dice.choice(values)), dice.randrange(-4, 5) / 8)
            return self.choose(tf.cond(taken, lambda: self.block(values, depth, flats),
                                       lambda: self.block(values, depth, flats)))
        index = self.feeds[3] if 'call' not in self.around else tf.cast(self.number(dice.choice(values)) * 3, tf.int32)
        ways = [lambda: self.block(values, depth, flats)] * dice.randrange(2, 5)
        return self.choose(tf.switch_case(index, ways))

    def loop(self, values: list[Any], depth: int) -> Any:
        """A loop over numbers and vectors, which may grow."""
        tf, dice, flats = self.tf, self.dice, self.flats()
        start = [self.shaped(dice.choice(values), flat) for flat in flats]
        limit = tf.cast(tf.abs(self.number(dice.choice(values))) * dice.randrange(1, 5), tf.int32)
        shapes = [tf.TensorShape([])] + [tf.TensorShape([None] if flat else []) for flat in flats]
        also = values if dice.random() < 0.6 else []

        def body(i: Any, *carried: Any) -> list[Any]:
            known = [tf.cast(i, tf.float64) / 4, *carried, *also]
            nexts = self.block(known, depth, flats)
            return [i + 1, *(old if dice.random() < 0.15 else new for old, new in zip(carried, nexts))]

        made = tf.while_loop(lambda i, *_: tf.less(i, limit), body, [tf.constant(0), *start], shape_invariants=shapes,
                             parallel_iterations=dice.choice([1, 10]))
        return self.choose(made[1:])

    def call(self, values: list[Any], depth: int) -> Any:
        """A call of a function, perhaps two of the same."""
        tf, dice, flats = self.tf, self.dice, self.flats()
        marks = {'_noinline': True} if dice.random() < 0.4 else None
        function = tf.function(lambda *known: self.block(list(known), depth, flats), autograph=False,
                               experimental_attributes=marks)
        made = list(function(*dice.sample(values, dice.randrange(1, len(values) + 1))))
        if dice.random() < 0.3:
            made += list(function(*dice.choices(values, k=dice.randrange(1, 3))))
        return self.choose(made)

    def value(self, values: list[Any], depth: int) -> Any:
        """Something new."""
        dice = self.dice
        if self.may_update() and dice.random() < 0.15:
            return self.update(values)
        if depth <= 0 or dice.random() < 0.3:
            return self.sum(values)
        kind = dice.choice(['cond', 'loop', 'call'])
        self.around.append(kind)
        made = getattr(self, kind)(values, depth)
        self.around.pop()
        return made


def numbers(found: Any) -> Any:
    """What a run gives, to be written down."""
    return [np.asarray(value).tolist() for value in (found if isinstance(found, list) else [found])]


def stripped(definition: Any) -> bytes:
    """The graph without what only explains it."""
    for function in definition.library.function:
        function.arg_attr.clear()
        for node in function.node_def:
            node.ClearField('experimental_debug_info')
            node.attr.pop('_output_shapes', None)
    return definition.SerializeToString(deterministic=True)


def dense(tf: Any, slopes: list[Any]) -> list[Any]:
    """Slopes whose rows are spread out."""
    return [None if slope is None else tf.convert_to_tensor(slope) for slope in slopes]


def with_slopes(tf: Any, session: Any, fetches: list[Any], feeds: Any) -> Any:
    """What a run of slopes gives; None where TensorFlow fails, as it may when shapes change in a loop."""
    try:
        return numbers(session.run(fetches, feeds))
    except tf.errors.InvalidArgumentError:
        return None


def record(tf: Any, seed: int, config: Any) -> dict[str, Any]:
    """A graph and its runs."""
    with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
        maker = Maker(tf, seed)
        tf.group(*[variable.initializer for variable in maker.variables], name='init')
        reads = [variable.read_value() for variable in maker.variables]
        definition = stripped(graph.as_graph_def())
        slopes = dense(tf, tf.gradients(maker.y, [*maker.feeds[:3], *maker.variables], unconnected_gradients='zero'))
        runs = []
        for a, b, length, index in RUNS:
            session.run('init')
            given = [a, b, (np.arange(length) / 8 - 0.2).tolist(), index]
            feeds = dict(zip(maker.feeds, given))
            runs.append([given, with_slopes(tf, session, [maker.y, *slopes], feeds),
                         numbers(session.run(reads)) if reads else []])
        return {'seed': seed, 'graph': definition.decode('latin-1'), 'reads': [r.name for r in reads],
                'handles': [v.handle.name for v in maker.variables], 'runs': runs}


def attempt(tf: Any, line: dict[str, Any]) -> str:
    """Runs what a line has recorded; says what differs."""
    definition = tf.GraphDef.FromString(line['graph'].encode('latin-1'))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name='')
        y, feeds = graph.get_tensor_by_name('y:0'), [f'{name}:0' for name in 'abvi']
        xs = [graph.get_tensor_by_name(name) for name in [*feeds[:3], *line['handles']]]
        slopes = dense(tf, tf.gradients(y, xs))
        with tf.Session() as session:
            for given, wanted, reads in line['runs']:
                if wanted is None:
                    continue
                feed = dict(zip(feeds, given))
                asked = [slope for slope in slopes if slope is not None]
                for fetches in ([y], [y, *asked]):
                    session.run('init')
                    made = iter(session.run(fetches, feed))
                    found = [next(made)]
                    if fetches[1:]:
                        found += [None if slope is None else next(made) for slope in slopes]
                    found += session.run(line['reads']) if reads else []
                    parts = [*wanted[:len(found) - len(reads)], *reads]
                    if not all(map(agrees, parts, found)):
                        return f'{given}: {parts} is {found}'
    return ''


def agrees(wanted: Any, got: Any) -> bool:
    """True where a result is right; no slope stands for zeros."""
    wanted = np.asarray(wanted)
    got = np.zeros_like(wanted) if got is None else np.asarray(got)
    return got.shape == wanted.shape and np.allclose(got, wanted, 1e-9, 1e-12)


def try_file(tf: Any, path: str, part: slice = slice(None)) -> int:
    """Tries the lines of a file; returns how many there were."""
    with lzma.open(path, 'rt') as file:
        lines = [json.loads(text) for text in file][part]
    for line in lines:
        found = attempt(tf, line)
        assert not found, (line['seed'], found)
    return len(lines)


def main() -> None:
    """Records with TensorFlow, or tries with Berth."""
    if sys.argv[1] == '--try':
        import berth
        tf = berth.compat.v1
        tf.disable_v2_behavior()
        wrong = 0
        with lzma.open(sys.argv[2], 'rt') as file:
            for count, text in enumerate(file, 1):
                line = json.loads(text)
                try:
                    found = attempt(tf, line)
                except Exception as error:  # pylint: disable=broad-except
                    found = f'{type(error).__name__}: {str(error)[:300]}'
                wrong += bool(found)
                if found:
                    print(line['seed'], found, flush=True)
        print(f'{count} graphs, {wrong} differ')
        return
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    tf.enable_control_flow_v2()
    # TensorFlow 2.21's optimizers cut live values off in some random graphs.
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    first, count = int(sys.argv[1]), int(sys.argv[2])
    with lzma.open(sys.argv[3], 'wt', preset=9) as file:
        for seed in range(first, first + count):
            file.write(json.dumps(record(tf, seed, config)) + '\n')


if __name__ == '__main__':
    main()
