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


# Lists that go round beside a pair of numbers; each becomes, in a turn,
#
#   ("keep",), ("as", k)   what it was, or what list |k| was: two variables may lead to one list
#   ("set", k, i)          list |k| with the pair as element |i|, which leaves |k| as it was
#   ("push", k)            list |k| with the pair behind it
#   ("swap", k)            list |k| with the pair and another behind it, less the last
#   ("branch", k, i)       ("set", k, i) in even turns, what it was in odd ones
#   ("rows",)              the rows of a square, which are in its memory
#
# and the pair becomes one element of a list and more, the square one of two things.
LISTS = '''
import random, threading
import numpy as np, berth as tf

ops, SIZE, PAIR = tf.raw_ops, 4, [2]

def draw(dice):
    count = dice.randint(1, 3)
    def step():
        k, i = dice.randrange(count), dice.randrange(SIZE)
        return dice.choice([("keep",), ("as", k), ("set", k, i), ("set", k, i), ("push", k), ("swap", k),
                            ("branch", k, i), ("rows",)])
    return [step() for _ in range(count)], dice.randrange(count), dice.randrange(SIZE)

def first(k):
    return [np.array([10 * k + i, i], "float32") for i in range(SIZE)]

def by_numpy(loop, turns):
    steps, source, index = loop
    lists, pair = [first(k) for k in range(len(steps))], np.array([1, 2], "float32")
    square = np.stack(first(9))
    for turn in range(turns):
        def become(mine, step):
            if step[0] == "keep": return mine
            if step[0] == "rows": return list(square)
            old = lists[step[1]]
            if step[0] == "as": return old
            if step[0] in ("push", "swap"): return [*old, pair]
            if step[0] == "branch" and turn % 2: return mine
            return [*old[:step[2]], pair, *old[step[2] + 1:]]
        new = [become(mine, step) for mine, step in zip(lists, steps)]
        pair, lists = np.float32((pair + lists[source][index] + 1) % 97), new
        square = square + 1 if turn % 4 < 3 else square * 2
    return [np.stack(one) for one in lists] + [pair, square]

def by_berth(loop, turns):
    steps, source, index = loop
    def push(one, pair): return ops.TensorListPushBack(input_handle=one, tensor=pair)
    def body(turn, pair, square, *lists):
        def put(one, at): return ops.TensorListSetItem(input_handle=one, index=at, item=pair)
        def become(mine, step):
            if step[0] == "keep": return mine
            if step[0] == "rows": return ops.TensorListFromTensor(tensor=square, element_shape=PAIR)
            old = lists[step[1]]
            if step[0] == "as": return old
            if step[0] == "push": return push(old, pair)
            if step[0] == "swap":
                return ops.TensorListPopBack(input_handle=push(push(old, pair), pair + 1), element_shape=PAIR,
                                             element_dtype=tf.float32)[0]
            if step[0] == "branch":
                return tf.cond(tf.equal(turn % 2, 0), lambda: put(old, step[2]), lambda: tf.identity(mine))
            return put(old, step[2])
        read = ops.TensorListGetItem(input_handle=lists[source], index=index, element_shape=PAIR,
                                     element_dtype=tf.float32)
        other = tf.cond(turn % 4 < 3, lambda: square + 1, lambda: square * 2)
        new = [become(one, step) for one, step in zip(lists, steps)]
        return [turn + 1, tf.mod(pair + read + 1, 97), other, *new]
    start = [ops.TensorListFromTensor(tensor=np.stack(first(k)), element_shape=PAIR) for k in range(len(steps))]
    start = [tf.constant(0), tf.constant([1.0, 2.0]), tf.constant(np.stack(first(9))), *start]
    done = tf.while_loop(lambda turn, *_: turn < turns, body, start)
    stacks = [ops.TensorListStack(input_handle=one, element_shape=PAIR, element_dtype=tf.float32) for one in done[3:]]
    return [*stacks, done[1], done[2]]

def check(session, loop, fetches, turns, seed):
    kept = [(n, session.run(fetches, {turns: n})) for n in (3, 0, 1, 6, 3)]
    for n, found in kept:
        for one, other in zip(found, by_numpy(loop, n)):
            assert np.array_equal(one, other), (seed, loop, n, one, other)

wrong = []

def guarded(*args):
    try:
        check(*args)
    except BaseException as error:
        wrong.append(error)

for seed in range(FIRST, FIRST + COUNT):
    loop = draw(random.Random(seed))
    with tf.Graph().as_default():
        turns = tf.placeholder(tf.int32, [])
        fetches = by_berth(loop, turns)
        with tf.Session() as session:
            threads = [threading.Thread(target=guarded, args=(session, loop, fetches, turns, seed))
                       for _ in range(THREADS)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
    if wrong: raise wrong[0]
print("right")
'''


@pytest.mark.parametrize("blocks", ["0", "1"])
@pytest.mark.parametrize("threads", [1, 4])
def test_lists_at_random(threads: int, blocks: str) -> None:
    """Lists that are changed, are one, change places and branch: what changes one leaves the others."""
    first = 1000 * threads + 100 * int(blocks)
    settings = f"FIRST, COUNT, THREADS = {first}, {240 // threads}, {threads}\n"
    assert run(settings + LISTS, BERTH_BLOCKS=blocks).strip() == "right"


# What is seen of |x| in each turn stays what it was, though the loop writes it again.
ESCAPES = '''
import numpy as np, berth as tf

seen, TURNS = [], 20
def see(x):
    seen.append(x)
    return np.int32(0)

def body(turn, x, before, last, rows):
    shown = tf.numpy_function(see, [x], tf.int32)
    with tf.control_dependencies([kept.assign(x), shown]):
        return turn + 1, x + 1, x, last if LAST else kept.read_value(), rows.write(turn, x)

for LAST in (True, False):
    for shape in ([], [3]):
        with tf.Graph().as_default(), tf.Session() as session:
            start = np.full(shape, 7.0)
            kept = tf.get_variable("kept", initializer=start, use_resource=True)
            rows = tf.TensorArray(tf.float64, TURNS, element_shape=shape)
            done = tf.while_loop(lambda turn, *_: turn < TURNS, body, [0, start, start, start, rows])
            fetches = [*done[1:4], done[4].stack(), kept]
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                seen.clear()
                x, before, last, stacked, left = session.run(fetches)
                wanted = [start + turn for turn in range(TURNS)]
                assert np.array_equal(np.stack(seen), wanted), (shape, seen)
                assert np.array_equal(stacked, wanted), (shape, stacked)
                assert np.array_equal(x, start + TURNS) and np.array_equal(before, wanted[-1])
                assert np.array_equal(last, start if LAST else wanted[-1]), (shape, last)
print("right")
'''


@pytest.mark.parametrize("blocks", ["0", "1"])
def test_what_escapes_a_turn(blocks: str) -> None:
    """Arrays of Python, variables, rows and other variables of a loop keep the values of their turns."""
    assert run(ESCAPES, BERTH_BLOCKS=blocks).strip() == "right"


# What a branch is given has another shape now and then, and one shape several times.
SHAPES = '''
import numpy as np, berth as tf

def body(turn, total):
    x = tf.range(tf.cast(turn // 3 % 3, tf.int64) * 2 + 1)
    y = tf.cond(tf.equal(turn % 7, 6), lambda: x * 5, lambda: x + 3)
    return turn + 1, total * 3 % 1009 + tf.reduce_sum(y) + tf.size(y, out_type=tf.int64)

wanted = 0
for turn in range(60):
    x = np.arange(turn // 3 % 3 * 2 + 1)
    y = x * 5 if turn % 7 == 6 else x + 3
    wanted = wanted * 3 % 1009 + y.sum() + y.size
with tf.Graph().as_default(), tf.Session() as session:
    done = tf.while_loop(lambda turn, _: turn < 60, body, [0, tf.constant(0, tf.int64)])[1]
    assert [int(session.run(done)) for _ in range(3)] == [int(wanted)] * 3
print("right")
'''


@pytest.mark.parametrize("blocks", ["0", "1"])
def test_shapes_that_change(blocks: str) -> None:
    """A turn does not write what another has left where the shapes differ."""
    assert run(SHAPES, BERTH_BLOCKS=blocks).strip() == "right"


# The rows of what a turn has made, which a branch takes, stay what they were for three turns.
ROWS = '''
import numpy as np, berth as tf

ops, START = tf.raw_ops, np.arange(6.0).reshape(3, 2)

def body(turn, square, one, two, three):
    def rows(x): return ops.TensorListFromTensor(tensor=x, element_shape=[2])
    return turn + 1, square + 1, tf.cond(turn < 50, lambda: rows(square), lambda: tf.identity(three)), one, two

with tf.Graph().as_default(), tf.Session() as session:
    first = ops.TensorListFromTensor(tensor=START, element_shape=[2])
    done = tf.while_loop(lambda turn, *_: turn < 20, body, [0, tf.constant(START), first, first, first])[2:]
    stacks = [ops.TensorListStack(input_handle=one, element_shape=[2], element_dtype=tf.float64) for one in done]
    for _ in range(2):
        for age, found in enumerate(session.run(stacks)): assert np.array_equal(found, START + 19 - age), (age, found)
print("right")
'''


def test_rows_of_a_turn() -> None:
    """Memory that parts of a value lie in is not written again."""
    assert run(ROWS).strip() == "right"


# Two handles lead to one list; what goes round changes the list of one of them.
HANDLES = '''
import numpy as np, berth as tf

ops, ROWS = tf.raw_ops, np.arange(8.0).reshape(4, 2)

def body(turn, one, other):
    return turn + 1, ops.TensorListSetItem(input_handle=one, index=turn, item=tf.constant([9.0, 9.0], tf.float64)), other

for side in (0, 1):
    with tf.Graph().as_default(), tf.Session() as session:
        first = ops.TensorListFromTensor(tensor=ROWS, element_shape=[2])
        both = tf.unstack(tf.stack([first, first]))
        done = tf.while_loop(lambda turn, *_: turn < 3, body, [0, both[side], both[1 - side]])
        stacks = [ops.TensorListStack(input_handle=one, element_shape=[2], element_dtype=tf.float64) for one in done[1:]]
        for _ in range(2):
            one, other = session.run(stacks)
            assert np.array_equal(other, ROWS) and np.array_equal(one, [[9, 9]] * 3 + [[6, 7]]), (one, other)
print("right")
'''


def test_two_handles_of_a_list() -> None:
    """A list that another tensor leads to as well is left as it is."""
    assert run(HANDLES).strip() == "right"


# A list that is made its own element is another one than the element.
ITSELF = '''
import berth as tf

ops, NONE = tf.raw_ops, -1
with tf.Graph().as_default(), tf.Session() as session:
    def body(turn, one):
        return turn + 1, ops.TensorListPushBack(input_handle=one, tensor=tf.identity(one))
    first = ops.EmptyTensorList(element_dtype=tf.variant, element_shape=NONE, max_num_elements=-1)
    done = tf.while_loop(lambda turn, _: turn < 5, body, [0, first])[1]
    lengths = []
    for _ in range(5):
        lengths.append(ops.TensorListLength(input_handle=done))
        done = ops.TensorListGetItem(input_handle=done, index=lengths[-1] - 1, element_shape=NONE,
                                     element_dtype=tf.variant)
    print([int(n) for n in session.run([*lengths, ops.TensorListLength(input_handle=done)])])
'''


def test_a_list_in_itself() -> None:
    """Pushing a list onto itself leaves the one inside as it was."""
    assert run(ITSELF).strip() == "[5, 4, 3, 2, 1, 0]"
