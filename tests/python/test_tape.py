"""test_tape.py - tf.GradientTape does what TensorFlow's does."""

from __future__ import annotations

import gc
import json
import pathlib
import threading
import weakref

import pytest
import tape_cases
import tape_loop_cases
import tape_variable_cases

import berth as tf

DATA = pathlib.Path(__file__).parent.parent / 'data' / 'tapes'
RECORDED = json.loads((DATA / 'tape.json').read_text())
LOOPS = json.loads((DATA / 'loops.json').read_text())
VARIABLES = json.loads((DATA / 'variables.json').read_text())


def test_every_case_is_recorded() -> None:
    """No case is left out."""
    assert set(RECORDED) == set(tape_cases.TAPE)
    assert set(LOOPS) == set(tape_loop_cases.CASES)
    assert set(VARIABLES) == set(tape_variable_cases.CASES)


@pytest.mark.parametrize('name', RECORDED)
def test_case(name: str) -> None:
    """The same values, and the same errors."""
    assert tape_cases.run(tf, tape_cases.TAPE[name]) == RECORDED[name]


@pytest.mark.parametrize('name', LOOPS)
def test_loop_in_loop(name: str) -> None:
    """The gradient of a loop may be taken in every turn of another one."""
    assert tape_cases.run(tf, tape_loop_cases.CASES[name]) == LOOPS[name]


@pytest.mark.parametrize('name', VARIABLES)
def test_variable_in_flow(name: str) -> None:
    """Slopes are those by the values that variables had, and nothing acts twice."""
    assert tape_cases.run(tf, tape_variable_cases.CASES[name]) == VARIABLES[name]


def test_variable_of_each_turn() -> None:
    """A loop that changes what it reads has no slopes outside, but runs; what it does is done once."""
    v = tf.Variable(2.0)

    @tf.function
    def f(x: object) -> object:
        y = x
        for _ in tf.range(2):
            y = y * v
            v.assign_add(1.0)
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(y) == 12.0
    with pytest.raises(NotImplementedError, match='reads a variable that the same branch or loop changes'):
        tape.gradient(y, x)
    assert float(v) == 4.0


def _second(way: str, function: object, x: object) -> object:
    """Returns the slope of the slope of |function|, had in one of several ways."""
    if way == 'forward':
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as mover:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            slope = inner.gradient(y, x)
        return mover.jvp(slope)
    with tf.GradientTape(persistent=way == 'persistent') as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        slope = inner.jacobian(y, x) if way == 'jacobian inside' else inner.gradient(y, x)
    return outer.jacobian(slope, x) if way == 'jacobian' else outer.gradient(slope, x)


@pytest.mark.parametrize('way', ['nested', 'persistent', 'jacobian', 'jacobian inside', 'forward'])
def test_second_of_call(way: str) -> None:
    """A call with a branch or a loop inside has a slope of its slope."""
    branch = tf.function(lambda x: tf.cond(x > 0.0, lambda: x * x * x, lambda: x))
    loop = tf.function(lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x))[1])
    assert float(_second(way, branch, tf.constant(2.0))) == 12.0
    assert float(_second(way, loop, tf.constant(2.0))) == 12.0


def test_threads() -> None:
    """A tape notes what its own thread does."""
    found: dict = {}

    def work(number: int) -> None:
        x = tf.constant(float(number))
        for _ in range(50):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * x
            found.setdefault(number, set()).add(float(tape.gradient(y, x)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: {3.0 * i * i} for i in range(1, 5)}


def test_nothing_is_kept() -> None:
    """What a tape has noted goes with it, a function of the program's among it."""
    class Mark:
        pass

    mark = Mark()
    gone = weakref.ref(mark)

    @tf.custom_gradient
    def double(x, mark=mark):
        return x * 2.0, lambda dy: (dy * 2.0, mark)[0]

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = double(x)
    assert float(tape.gradient(y, x)) == 2.0
    del double, mark, tape, y
    gc.collect()
    assert gone() is None


def test_slope_by_itself() -> None:
    """It is one, whether anything was recorded or not: at once, in functions, of variables too."""
    v, k = tf.Variable([1., 2.]), tf.constant(3.)
    with tf.GradientTape(persistent=True) as tape:
        y = k * 2
    assert tape.gradient(v, v).numpy().tolist() == [1, 1]
    assert [float(s) for s in tape.gradient([y, k], [k, y])] == [1, 1]
    assert float(tape.gradient(y, y, output_gradients=tf.constant(7.))) == 7
    assert tape.gradient(y, k) is None and tape.gradient(y, v) is None

    @tf.function
    def slopes(x: tf.Tensor) -> tuple:
        with tf.GradientTape(persistent=True) as inner:
            z = x * 2
        return inner.gradient(x, x), inner.gradient(v, v), inner.gradient(z, z)

    assert [s.numpy().tolist() for s in slopes(k)] == [1, [1, 1], 1]
    with pytest.raises(TypeError, match='^Argument `target` should be a list .* but received None.$'):
        tape.gradient(None, k)


def test_jacobians_that_are_checked_come_in_tuples() -> None:
    found = tf.test.compute_gradient(lambda a: a ** 2, [tf.constant([1., 2.])])
    assert isinstance(found, tuple) and all(isinstance(part, tuple) for part in found)
    assert found[0][0].tolist() == [[2, 0], [0, 4]]
