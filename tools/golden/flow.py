"""Records graphs with conditionals and loops for tests/session/flow_test.c.

    python flow.py FOLDER

Needs TensorFlow. Writes NAME.pb for every graph and cases.txt, whose lines
tests/session/flow_testing.h explains.
"""

import pathlib
import random
import sys

import numpy as np
import tensorflow.compat.v1 as tf

RANDOM_SEEDS = range(1000, 1008)


# ---- Graphs: each returns (feeds, fetches, initializer) ----

def cond():
    taken = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [])
    return [taken, x], [tf.cond(taken, lambda: x + 1., lambda: x * 10.)], None


def nested_cond():
    x = tf.placeholder(tf.float32, [])

    def above():
        return tf.cond(x > 10, lambda: x * 2, lambda: x * 3)

    def below():
        return tf.cond(x < -10, lambda: x - 1, lambda: tf.constant(7.))

    return [x], [tf.cond(x > 0, above, below)], None


def count():
    n = tf.placeholder(tf.int32, [])
    last = tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
    return [n], [last], None


def several():
    n = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [])
    found = tf.while_loop(lambda i, a, b: i < n,
                          lambda i, a, b: (i + 1, b, a + b * x), [0, x, 1.])
    return [n, x], list(found), None


def nested_while():
    n = tf.placeholder(tf.int32, [])

    def body(i, total):
        _, total = tf.while_loop(lambda j, t: j < i,
                                 lambda j, t: (j + 1, t + i * j), [0, total])
        return i + 1, total

    return [n], list(tf.while_loop(lambda i, s: i < n, body, [0, 0])), None


def while_in_cond():
    taken = tf.placeholder(tf.bool, [])
    n = tf.placeholder(tf.int32, [])

    def loop():
        return tf.while_loop(lambda i: i < n, lambda i: i + 2, [0])

    return [taken, n], [tf.cond(taken, loop, lambda: n - 100)], None


def cond_in_while():
    n = tf.placeholder(tf.int32, [])

    def body(i, total):
        third = tf.equal(i % 3, 0)
        return i + 1, tf.cond(third, lambda: total + i, lambda: total - 1)

    return [n], list(tf.while_loop(lambda i, s: i < n, body, [0, 0])), None


def counted_in(variable):
    n = tf.placeholder(tf.int32, [])

    def body(i):
        with tf.control_dependencies([tf.assign_add(variable, 2)]):
            return i + 1

    last = tf.while_loop(lambda i: i < n, body, [0])
    with tf.control_dependencies([last]):
        value = tf.identity(variable.read_value())
    return [n], [last, value], variable.initializer


def variable():
    return counted_in(tf.Variable(0, use_resource=False, name='v'))


def resource_variable():
    return counted_in(tf.Variable(0, use_resource=True, name='v'))


def cond_assign():
    held = tf.Variable(5., use_resource=False, name='v')
    taken = tf.placeholder(tf.bool, [])
    value = tf.cond(taken, lambda: tf.assign(held, held * 2),
                    lambda: tf.identity(held))
    return [taken], [value], held.initializer


def read_in_cond():
    held = tf.Variable([5., 6.], use_resource=False, name='v')
    wide = tf.reshape(held, [1, 2])
    taken = tf.placeholder(tf.bool, [])

    def update():
        with tf.control_dependencies([tf.assign_add(held, [1., 2.])]):
            return tf.identity(held) + tf.reduce_sum(wide, 0)

    return [taken], [tf.cond(taken, update, lambda: held * 10.)], held.initializer


def read_in_while():
    held = tf.Variable(3, use_resource=False, name='v')
    n = tf.placeholder(tf.int32, [])

    def body(i, total):
        with tf.control_dependencies([tf.assign_add(held, 2)]):
            total = total * 2 + held
        with tf.control_dependencies([total]):
            return i + 1, total

    return [n], list(tf.while_loop(lambda i, t: i < n, body, [0, 0])), held.initializer


def handed_on():
    held = tf.Variable(5., use_resource=False, name='v')
    taken = tf.placeholder(tf.bool, [])
    first, _ = tf.tuple([tf.assign_add(held, 1.), tf.constant(2.)])
    value = tf.cond(taken, lambda: tf.assign_add(first, 10.),
                    lambda: tf.identity(first))
    return [taken], [value, first], held.initializer


def read_reshaped():
    held = tf.Variable([1, 2, 3, 4], use_resource=False, name='v')
    factor = tf.placeholder(tf.int32, [])
    square, deep = tf.reshape(held, [2, 2]), tf.expand_dims(tf.identity(held), 0)
    with tf.control_dependencies([tf.assign(held, held * factor)]):
        return [factor], [square + 0, tf.squeeze(deep) * 1, deep], held.initializer


def growing():
    n = tf.placeholder(tf.int32, [])

    def append(i, a):
        return i + 1, tf.concat([a, [tf.cast(i, tf.float32)]], 0)

    _, grown = tf.while_loop(
        lambda i, a: i < n, append, [0, tf.constant([9.])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    return [n], [grown], None


def cond_gradient():
    taken = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(taken, lambda: x * x * x, lambda: x * 5.)
    return [taken, x], [y, tf.gradients(y, x)[0]], None


# ---- Random graphs ----

def random_sum(dice, values):
    a, b = dice.choice(values), dice.choice(values)
    return [lambda: a + b, lambda: a - b, lambda: tf.floormod(a * b, 97),
            lambda: tf.maximum(a, b),
            lambda: a + dice.randrange(-3, 5)][dice.randrange(5)]()


def random_cond(dice, values, depth):
    a = dice.choice(values)

    def side(seed):
        own = random.Random(seed)

        def build():
            known = list(values)
            for _ in range(own.randrange(3)):
                known.append(random_value(own, known, depth - 1))
            constant = own.random() < .2
            return tf.identity(tf.constant(own.randrange(50)) if constant
                               else known[-1])

        return build

    taken = tf.less(tf.floormod(a, 5), dice.randrange(5))
    return tf.cond(taken, side(dice.random()), side(dice.random()))


def random_while(dice, values, depth):
    start = [dice.choice(values) for _ in range(dice.randrange(1, 4))]
    limit = tf.floormod(dice.choice(values), dice.randrange(1, 7))
    own = random.Random(dice.random())

    def body(i, *carried):
        known = [i, *carried, *(values if own.random() < .6 else [])]
        nexts = [tf.floormod(random_value(own, known, depth - 1), 1009)
                 if own.random() < .8 else own.choice(carried) for _ in carried]
        return [i + 1, *nexts]

    found = tf.while_loop(lambda i, *_: tf.less(i, limit), body,
                          [tf.constant(0), *start])
    return dice.choice(found)


def random_value(dice, values, depth):
    kind = dice.random() if depth > 0 else 0
    if kind < .45:
        return random_sum(dice, values)
    return (random_cond if kind < .72 else random_while)(dice, values, depth)


def random_graph(seed):
    dice = random.Random(seed)
    feeds = [tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])]
    values = [*feeds, tf.constant(dice.randrange(20))]
    for _ in range(3):
        values.append(random_value(dice, values, 3))
    return feeds, values[3:], None


# ---- Recording ----

CASES = {
    cond: [[True, 2.], [False, 2.]],
    nested_cond: [[20.], [5.], [-20.], [-5.]],
    count: [[5], [0], [1000]],
    several: [[5, .5], [0, 2.], [7, 1.]],
    nested_while: [[0], [1], [6]],
    while_in_cond: [[True, 7], [False, 7]],
    cond_in_while: [[10], [0], [1]],
    variable: [[10], [0]],
    resource_variable: [[10], [0]],
    cond_assign: [[True], [False]],
    read_in_cond: [[True], [False]],
    read_in_while: [[4], [0]],
    handed_on: [[False], [True]],
    read_reshaped: [[10], [-1]],
    growing: [[4], [0]],
    cond_gradient: [[True, 3.], [False, 3.]],
}


def session():
    # TensorFlow 2.21's optimizers cut live values off in some random graphs.
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(config=config)


def record(folder, name, build, feeds_of_runs, lines):
    with tf.Graph().as_default() as graph, session() as run:
        feeds, fetches, initializer = build()
        lines.append(f'graph {name}')
        if initializer is not None:
            lines.append(f'init {initializer.name}')
        for values in feeds_of_runs:
            if initializer is not None:
                run.run(initializer)
            for feed, value in zip(feeds, values):
                lines.append(f'feed {feed.name} {feed.dtype.name} {value * 1}')
            results = run.run(fetches, dict(zip(feeds, values)))
            for fetch, result in zip(fetches, results):
                texts = ' '.join(str(x) for x in np.asarray(result).ravel())
                lines.append(f'fetch {fetch.name} {texts}')
            lines.append('run')
    (folder / f'{name}.pb').write_bytes(
        graph.as_graph_def().SerializeToString(deterministic=True))


def main():
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    folder = pathlib.Path(sys.argv[1])
    lines = []
    for build, runs in CASES.items():
        record(folder, build.__name__, build, runs, lines)
    for seed in RANDOM_SEEDS:
        runs = [[-5, 6], [8, -9], [10, 15], [29, 3]]
        record(folder, f'random_{seed}', lambda s=seed: random_graph(s), runs,
               lines)
    (folder / 'cases.txt').write_text('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
