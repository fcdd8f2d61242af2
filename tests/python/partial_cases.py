"""partial_cases - Partial runs of graphs with conditionals, loops and functions, case by case.

    python partial_cases.py               prints what they give on TensorFlow, a line for each call
    python -m berth run partial_cases.py  the same on Berth
"""

from __future__ import annotations

from typing import Any, Callable

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
CASES: list[Callable[[Any], Any]] = []


def case(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Notes a case: given a session, it returns fetches, feeds, and (fetches, feeds) of each call."""
    CASES.append(build)
    return build


def numbers(text: str) -> list[Any]:
    """Placeholders of whole numbers."""
    return [tf.placeholder(tf.int32, [], name=name) for name in text.split()]


@case
def branch(_: Any) -> Any:
    """A conditional waits for what decides and for what it reads."""
    a, b = numbers('a b')
    p = tf.placeholder(tf.bool, [], name='p')
    x = tf.cond(p, lambda: a * 2, lambda: a - 1, name='x')
    y = x + b
    return [x, y], [a, b, p], [(x, {a: 3}), (x, {a: 3, p: True}), (y, {b: 10})]


@case
def loops(_: Any) -> Any:
    """One loop, and one that waits for it and for another feed."""
    a, b = numbers('a b')
    x = tf.while_loop(lambda i, t: i < a, lambda i, t: (i + 1, t + i), [0, 0])
    y = tf.while_loop(lambda i, t: i < b, lambda i, t: (i + 1, t * 2 + x[1]), [0, 1])
    return [x[0], x[1], y[1]], [a, b], [(x[1], {a: 4}), ([x[0], y[1]], {b: 3})]


@case
def no_turn(_: Any) -> Any:
    """Loops that end before they begin."""
    a, b = numbers('a b')
    x = tf.while_loop(lambda i: i < a, lambda i: i + 1, [5])
    y = tf.while_loop(lambda i: i < b, lambda i: i + x, [x])
    return [x, y], [a, b], [(x, {a: -4}), (y, {b: 3})]


@case
def variables(session: Any) -> Any:
    """What changes variables is done when its feeds have come, and once."""
    v = tf.get_variable('v', [], tf.int32, initializer=tf.zeros_initializer())
    session.run(v.initializer)
    a, b = numbers('a b')
    up = tf.assign_add(v, a) + 0
    w = tf.cond(b > 0, lambda: tf.assign_add(v, b), lambda: tf.identity(v))
    with tf.control_dependencies([w, up]):
        z = v.read_value() + 0
    return [up, z], [a, b], [(up, {a: 5}), (z, {b: 2})]


@case
def dead(_: Any) -> Any:
    """A value that went the other way cannot be fetched."""
    a, b = numbers('a b')
    p = tf.placeholder(tf.bool, [], name='p')
    no, yes = tf.raw_ops.Switch(data=a, pred=p)
    u, w, z = tf.identity(no, name='u'), tf.identity(yes, name='w'), b + 1
    return [u, w, z], [p, a, b], [(w, {p: True, a: 7}), (u, {}), (z, {b: 1})]


@case
def functions(_: Any) -> Any:
    """A While and an If with functions in them."""
    tf.enable_control_flow_v2()
    a, b = numbers('a b')
    x = tf.while_loop(lambda i, t: i < a, lambda i, t: (i + 1, t + i), [0, 0])
    y = tf.cond(b > x[1], lambda: b * 100, lambda: x[1] + a)
    tf.disable_control_flow_v2()
    return [x[0], x[1], y], [a, b], [([x[0], x[1]], {a: 4}), (y, {}), (y, {b: 3})]


@case
def failing(_: Any) -> Any:
    """A run that has failed is over."""
    a, b = numbers('a b')
    x = tf.cond(a > 0, lambda: a // (a - 1), lambda: a)
    y = x + b
    return [x, y], [a, b], [(x, {a: 1}), (y, {b: 4})]


@case
def maps(_: Any) -> Any:
    """Loops that the library makes."""
    a, b = numbers('a b')
    m = tf.map_fn(lambda v: v * a, tf.range(4))
    q = tf.foldl(lambda total, v: total + v * b, m)
    return [m, q], [a, b], [(m, {a: 2}), (q, {b: 3})]


@case
def gradients(_: Any) -> Any:
    """The way back through a loop."""
    a, b = [tf.placeholder(tf.float32, [], name=name) for name in 'ab']
    y = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * a), [0, b])[1]
    slopes = tf.gradients(y, [a, b])
    z = a + 1
    return [z, y, *slopes], [a, b], [(z, {a: 2.}), ([y, *slopes], {b: 3.})]


@case
def nested(_: Any) -> Any:
    """Loops in branches and branches in loops."""
    a, b, c = numbers('a b c')
    x = tf.cond(a > 0, lambda: tf.while_loop(lambda i: i < a, lambda i: i + 2, [0]), lambda: -a)
    y = tf.cond(b > 0, lambda: x + b, lambda: x - b)
    z = tf.while_loop(lambda i, q: i < c, lambda i, q: (i + 1, tf.cond(q > y, lambda: q - 1, lambda: q + y)), [0, x])[1]
    return [x, y, z], [a, b, c], [(x, {a: 5}), ([], {b: 2}), (y, {}), (z, {c: 3})]


def text_of(error: Exception) -> str:
    """What an error says, without where."""
    lines = [line for line in str(error).split('Original')[0].split('\n') if line.strip()]
    return f'{type(error).__name__} {next((x for x in lines[::-1] if "{{node" not in x), "")}'


def main() -> None:
    """Runs them all."""
    for build in CASES:
        with tf.Graph().as_default(), tf.Session() as session:
            fetches, feeds, calls = build(session)
            handle = session.partial_run_setup(fetches, feeds)
            for wanted, given in calls:
                try:
                    found = session.partial_run(handle, wanted, given)
                    print(build.__name__, [x.tolist() for x in found] if isinstance(found, list) else found.tolist())
                except tf.errors.OpError as error:
                    print(build.__name__, text_of(error))


if __name__ == '__main__':
    main()
