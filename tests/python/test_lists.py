"""test_lists.py - Lists and arrays of tensors beside lists of Python, at random; loops of a million turns."""

from __future__ import annotations

import pathlib
import random
from typing import Any

import numpy as np
import pytest
from script import run

CODE = """
import sys
sys.path.insert(0, {folder!r})
import test_lists
import berth as tf
print(test_lists.{call})
"""
STEPS = 60


def on_berth(call: str, mode: str = '2', cards: str = '') -> str:
    """What a function of this file gives in a process of its own."""
    code = CODE.format(folder=str(pathlib.Path(__file__).parent), call=call)
    settings = {'BERTH_SIMULATE_GPUS': cards, 'CUDA_VISIBLE_DEVICES': '0'} if cards else {}
    return run(code, mode, **settings).strip().split('\n')[-1]


# ---- Lists, at random ----


class Walk:
    """Lists that are made from each other, and what they should hold: None where nothing was set."""

    def __init__(self, tf: Any, rng: random.Random) -> None:
        self.tf, self.ops, self.rng = tf, tf.raw_ops, rng
        self.lists: list[tuple[Any, list[Any]]] = [(self.reserve(3), [None] * 3)]

    def reserve(self, count: int) -> Any:
        """A list of so many elements that are not set."""
        return self.ops.TensorListReserve(element_shape=[2], num_elements=count, element_dtype=self.tf.float32)

    def value(self) -> Any:
        """An element."""
        return [float(self.rng.randint(-9, 9)), float(self.rng.randint(-9, 9))]

    def changed(self) -> tuple[Any, list[Any]]:
        """One of the lists, changed in one way or another."""
        tensor, held = self.rng.choice(self.lists)
        way = self.rng.choice([self.push, self.set, self.pop, self.resize, self.join, self.scatter, self.split, self.add])
        return way(tensor, list(held))

    def push(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Adds an element."""
        value = self.value()
        return self.ops.TensorListPushBack(input_handle=tensor, tensor=value), [*held, value]

    def set(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Sets an element, which may be further on."""
        index, value = self.rng.randrange(len(held) + 3), self.value()
        held += [None] * (index + 1 - len(held))
        held[index] = value
        return self.ops.TensorListSetItem(input_handle=tensor, index=index, item=value,
                                          resize_if_index_out_of_bounds=True), held

    def pop(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Takes the last element away."""
        if not held:
            return tensor, held
        rest, _ = self.ops.TensorListPopBack(input_handle=tensor, element_shape=[2], element_dtype=self.tf.float32)
        return rest, held[:-1]

    def resize(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Makes it longer or shorter."""
        size = self.rng.randrange(40)
        return self.ops.TensorListResize(input_handle=tensor, size=size), (held + [None] * size)[:size]

    def join(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Adds the elements of another one."""
        other, more = self.rng.choice(self.lists)
        if len(held) + len(more) > 200:
            return tensor, held
        return self.ops.TensorListConcatLists(input_a=tensor, input_b=other, element_dtype=self.tf.float32), held + more

    def scatter(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Sets several elements at once."""
        if not held:
            return tensor, held
        places = [self.rng.randrange(len(held)) for _ in range(3)]
        values = [self.value() for _ in places]
        for place, value in zip(places, values):
            held[place] = value
        return self.ops.TensorListScatterIntoExistingList(input_handle=tensor, tensor=values, indices=places), held

    def split(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Makes another one, of rows."""
        values = [self.value() for _ in range(self.rng.randrange(1, 30))]
        return self.ops.TensorListFromTensor(tensor=values, element_shape=[2]), values

    def add(self, tensor: Any, held: list[Any]) -> tuple[Any, list[Any]]:
        """Adds it to itself."""
        return self.ops.AddN(inputs=[tensor, tensor]), [None if v is None else [2 * v[0], 2 * v[1]] for v in held]

    def read(self, tensor: Any) -> Any:
        """All elements of a list, and how many there are."""
        return (self.ops.TensorListStack(input_handle=tensor, element_shape=[2], element_dtype=self.tf.float32),
                self.ops.TensorListLength(input_handle=tensor))


def expected(held: list[Any]) -> np.ndarray:
    """What a list should give, stacked."""
    return np.array([v or [0., 0.] for v in held], np.float32).reshape(len(held), 2)


def walk_eagerly(tf: Any, seed: int) -> str:
    """Changes lists at random; none may change that others were made from."""
    walk = Walk(tf, random.Random(seed))
    for _ in range(STEPS):
        walk.lists.append(walk.changed())
    for tensor, held in walk.lists:
        stacked, length = walk.read(tensor)
        assert length.numpy() == len(held)
        assert np.array_equal(stacked.numpy(), expected(held)), held
    return 'good'


def walk_in_graph(tf: Any, seed: int) -> str:
    """The same in one graph, read in one run, and again."""
    with tf.Graph().as_default():
        walk = Walk(tf, random.Random(seed))
        for _ in range(STEPS):
            walk.lists.append(walk.changed())
        fetches = [walk.read(tensor) for tensor, _ in walk.lists]
        with tf.compat.v1.Session() as session:
            for _ in range(2):
                for (stacked, length), (_, held) in zip(session.run(fetches), walk.lists):
                    assert length == len(held)
                    assert np.array_equal(stacked, expected(held)), held
    return 'good'


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('way', ['walk_eagerly', 'walk_in_graph'])
def test_lists_are_as_lists_of_python(way: str, seed: int) -> None:
    assert on_berth(f'{way}(tf, {seed})') == 'good'


@pytest.mark.parametrize('way', ['walk_eagerly', 'walk_in_graph'])
def test_lists_on_a_card_are_as_lists_of_python(way: str) -> None:
    assert on_berth(f'{way}(tf, 77)', cards='Tesla K40c') == 'good'


# ---- Loops over arrays, at random ----


def loop_over_arrays(tf: Any, seed: int, is_list: bool) -> str:
    """A loop reads one array and writes two others, one of them in a branch alone."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-9, 9, (int(rng.integers(1, 20)), 3)).astype(np.float32)
    step, often = int(rng.integers(1, 4)), int(rng.integers(2, 5))

    def compute(x: Any) -> list[Any]:
        count = tf.shape(x)[0]
        source = tf.TensorArray(tf.float32, size=count, clear_after_read=False).unstack(x)
        sums = tf.TensorArray(tf.float32, size=count)
        some = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[3])

        def turn(i: Any, total: Any, sums: Any, some: Any) -> Any:
            total = total + source.read((i * step) % count)
            some = tf.cond(tf.equal(i % often, 0), lambda: some.write(i, total), lambda: some)
            return i + 1, total, sums.write(i, total), some

        _, _, sums, some = tf.while_loop(lambda i, *_: i < count, turn, (0, tf.zeros([3]), sums, some))
        return [sums.stack(), some.stack(), some.size(), source.stack()]

    if is_list:
        given = [v.numpy() for v in tf.function(compute)(tf.constant(rows))]
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [None, 3])
            given = session.run(compute(x), {x: rows})
    totals = np.cumsum([rows[(i * step) % len(rows)] for i in range(len(rows))], axis=0, dtype=np.float32)
    size = (len(rows) - 1) // often * often + 1
    wanted = np.array([totals[i] if i % often == 0 else [0] * 3 for i in range(size)], np.float32)
    for one, other in zip(given, (totals, wanted, size, rows)):
        assert np.array_equal(one, other), (one, other)
    return 'good'


@pytest.mark.parametrize('seed', range(4))
@pytest.mark.parametrize('is_list', [False, True])
@pytest.mark.parametrize('cards', ['', 'Tesla K40c'])
def test_loops_over_arrays(seed: int, is_list: bool, cards: str) -> None:
    assert on_berth(f'loop_over_arrays(tf, {seed}, {is_list})', '2' if is_list else '1', cards) == 'good'


# ---- Loops of a million turns ----


def peak() -> int:
    """The most memory that the process has had, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def long_loop(tf: Any, turns: int) -> int:
    """Runs a loop that sets, pushes and pops elements of lists which stay as long as they are; the memory it took."""
    ops = tf.raw_ops

    @tf.function
    def loop(turns: Any) -> Any:
        held = ops.TensorListReserve(element_shape=-1, num_elements=1000, element_dtype=tf.int32)
        stack = ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.int32)

        def turn(i: Any, held: Any, stack: Any) -> Any:
            held = ops.TensorListSetItem(input_handle=held, index=i % 1000, item=i)
            stack = ops.TensorListPushBack(input_handle=stack, tensor=i)
            stack, _ = ops.TensorListPopBack(input_handle=stack, element_shape=-1, element_dtype=tf.int32)
            return i + 1, held, stack

        _, held, stack = tf.while_loop(lambda i, *_: i < turns, turn, (0, held, stack))
        return (ops.TensorListGetItem(input_handle=held, index=999, element_shape=-1, element_dtype=tf.int32),
                ops.TensorListLength(input_handle=stack))

    loop(2000)
    before = peak()
    last, left = loop(turns)
    assert (int(last), int(left)) == (turns - 1, 0)
    return peak() - before


def test_a_loop_of_a_million_turns_takes_no_more_memory() -> None:
    assert int(on_berth('long_loop(tf, 1000000)')) < 8 << 20


def long_list(tf: Any, turns: int) -> str:
    """Adds a million elements, one in each turn, and adds them up."""
    ops = tf.raw_ops

    @tf.function
    def loop(turns: Any) -> Any:
        held = ops.EmptyTensorList(element_shape=tf.zeros([0], tf.int32), max_num_elements=-1, element_dtype=tf.int64)
        _, held = tf.while_loop(lambda i, _: i < turns, lambda i, held: (
            i + 1, ops.TensorListPushBack(input_handle=held, tensor=i)), (tf.constant(0, tf.int64), held))
        rows = ops.TensorListStack(input_handle=held, element_shape=tf.zeros([0], tf.int32), element_dtype=tf.int64)
        return tf.reduce_sum(rows)

    return str(int(loop(tf.constant(turns, tf.int64))) == turns * (turns - 1) // 2)


def test_a_million_elements_are_added() -> None:
    assert on_berth('long_list(tf, 1000000)') == 'True'


# ---- Runs beside each other, and runs that fail ----


def runs_beside_each_other(tf: Any) -> str:
    """Threads run one session, each with arrays of its own; every third run fails half way."""
    import threading

    with tf.Graph().as_default():
        x, last = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.int32, [])
        array = tf.TensorArray(tf.float32, size=50)
        stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32)

        def turn(i: Any, array: Any) -> Any:
            pushed = tf.raw_ops.StackPushV2(handle=stack, elem=x + tf.cast(i, tf.float32))
            return i + 1, array.write(i, pushed)

        _, array = tf.while_loop(lambda i, _: i < last, turn, (0, array))
        rows = array.stack()
        with tf.control_dependencies([rows]):
            top = tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32)
        session, wrong = tf.compat.v1.Session(), []

        def work(number: int) -> None:
            for turn in range(20):
                value = float(100 * number + turn)
                if turn % 3 == 2:
                    try:
                        session.run(rows, {x: value, last: 51})
                        wrong.append('wrote beyond the end')
                    except tf.errors.InvalidArgumentError:
                        continue
                given, popped = session.run([rows, top], {x: value, last: 50})
                if popped != value + 49 or not np.array_equal(given, value + np.arange(50, dtype=np.float32)):
                    wrong.append((number, turn, popped))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return str(wrong or 'good')


def test_runs_have_arrays_of_their_own() -> None:
    assert on_berth('runs_beside_each_other(tf)', '1') == 'good'


def failing_runs(tf: Any, turns: int) -> int:
    """Runs that fail with arrays full of tensors; the memory they left behind."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        array = tf.TensorArray(tf.float32, size=8, element_shape=[1 << 16])
        _, array = tf.while_loop(lambda i, _: i < 9, lambda i, a: (i + 1, a.write(i, tf.fill([1 << 16], 1.))), (0, array))
        rows, before = array.stack(), 0
        for turn in range(turns + 20):
            try:
                session.run(rows)
                return -1
            except tf.errors.InvalidArgumentError:
                before = peak() if turn == 20 else before
        return peak() - before


def test_runs_that_fail_leave_nothing() -> None:
    assert 0 <= int(on_berth('failing_runs(tf, 300)', '1')) < 16 << 20


# ---- References that are no variables' ----


def read_reference() -> str:
    """What reading a reference to a queue as a text says: a session does not number those."""
    import berth as tf
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.raw_ops.FIFOQueue(component_types=[tf.float32])
        try:
            return str(session.run(tf.identity(queue)))
        except tf.errors.UnimplementedError as error:
            return str(error.message).split('\n')[-2]


def test_reference_to_a_queue_is_no_text() -> None:
    """It fails at once."""
    assert on_berth('read_reference()', '1') == 'A reference to what a session keeps cannot be read as text'
