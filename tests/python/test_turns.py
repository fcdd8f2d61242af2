"""test_turns.py - Loops made by the throw of dice give what numpy gives turn by turn, by several threads too."""

from __future__ import annotations

import pytest
from script import run

# A loop is a list of variables, each with what it becomes in a turn:
#
#   ("keep",)             what it was, handed on
#   ("as", k)             what variable |k|, of its type and shape, was: two of them may be one value, or change places
#   ("sum", k), ("more",) (x + what variable |k| was) % 97, (2 x + 1) % 97
#   ("given",)            (x + g) % 97, where |g| comes from outside
#   ("branch", k)         x + 1 in even turns, what variable |k| was in odd ones
#   ("inner", m)          (3 x + 1) % 97, |m| times in a loop of its own
LOOPS = '''
import random, threading
import numpy as np, berth as tf

DTYPES, SHAPES = ["int32", "int64", "float32", "float64"], [[], [3], [2, 2], [0]]

def draw(dice):
    kinds = [(dice.choice(DTYPES), dice.choice(SHAPES)) for _ in range(dice.randint(1, 2))]
    variables = [dice.choice(kinds) for _ in range(dice.randint(1, 5))]
    def step(i):
        k = dice.choice([k for k, kind in enumerate(variables) if kind == variables[i]])
        return dice.choice([("keep",), ("as", k), ("sum", k), ("more",), ("given",), ("branch", k),
                            ("inner", dice.randint(0, 3))])
    return variables, [step(i) for i in range(len(variables))]

def first(index, kind):
    dtype, shape = kind
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) + 3 * index + 1).astype(dtype)

def by_numpy(loop, turns, given):
    values = [first(i, kind) for i, kind in enumerate(loop[0])]
    for turn in range(turns):
        def become(x, step):
            if step[0] == "keep": return x
            if step[0] == "as": return values[step[1]]
            if step[0] == "sum": return (x + values[step[1]]) % 97
            if step[0] == "more": return (2 * x + 1) % 97
            if step[0] == "given": return (x + np.asarray(given).astype(x.dtype)) % 97
            if step[0] == "branch": return x + 1 if turn % 2 == 0 else values[step[1]]
            for _ in range(step[1]): x = (3 * x + 1) % 97
            return x
        values = [become(x, step) for x, step in zip(values, loop[1])]
    return values

def inner(x, count):
    return tf.while_loop(lambda k, _: k < count, lambda k, x: (k + 1, tf.mod(3 * x + 1, 97)), [0, x])[1]

def by_berth(loop, turns, given, dice):
    def body(turn, *values):
        def become(x, step):
            if step[0] == "keep": return x
            if step[0] == "as": return values[step[1]]
            if step[0] == "sum": return tf.mod(x + values[step[1]], 97)
            if step[0] == "more": return tf.mod(2 * x + 1, 97)
            if step[0] == "given": return tf.mod(x + tf.cast(given, x.dtype), 97)
            if step[0] == "inner": return inner(x, step[1])
            return tf.cond(tf.equal(turn % 2, 0), lambda: x + 1, lambda: tf.identity(values[step[1]]))
        return [turn + 1, *(become(x, step) for x, step in zip(values, loop[1]))]
    start = [tf.constant(0), *(tf.constant(first(i, kind)) for i, kind in enumerate(loop[0]))]
    return tf.while_loop(lambda turn, *_: turn < turns, body, start, parallel_iterations=dice.choice([1, 10]))[1:]

def check(session, loop, fetches, turns, given, seed):
    # What was given back stays as it was while the loop runs again.
    kept = []
    for n, g in ((3, 5), (0, 1), (1, 2), (6, 96), (3, 5), (7, 0)):
        found = session.run(fetches, {turns: n, given: g})
        kept.append((n, g, found))
    for n, g, found in kept:
        for one, other in zip(found, by_numpy(loop, n, g)):
            assert one.dtype == other.dtype and np.array_equal(one, other), (seed, loop, n, g, one, other)

wrong = []

def guarded(*args):
    try:
        check(*args)
    except BaseException as error:
        wrong.append(error)

for seed in range(FIRST, FIRST + COUNT):
    dice = random.Random(seed)
    loop = draw(dice)
    with tf.Graph().as_default():
        turns, given = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        fetches = by_berth(loop, turns, given, dice)
        with tf.Session() as session:
            threads = [threading.Thread(target=guarded, args=(session, loop, fetches, turns, given, seed))
                       for _ in range(THREADS)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
    if wrong: raise wrong[0]
print("right")
'''


@pytest.mark.parametrize("blocks", ["0", "1"])
@pytest.mark.parametrize("threads", [1, 4])
def test_loops_at_random(threads: int, blocks: str) -> None:
    """Types, shapes, what goes round unchanged, changes places, meets or branches, loops in loops."""
    first = 1000 * threads + 100 * int(blocks)
    settings = f"FIRST, COUNT, THREADS = {first}, {300 // threads}, {threads}\n"
    assert run(settings + LOOPS, BERTH_BLOCKS=blocks).strip() == "right"
