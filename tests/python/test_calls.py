"""test_calls.py - Functions that stay functions: recursion, noinline, calls in loops in calls."""

from __future__ import annotations

import pathlib

import pytest
from script import run

FOLDER = pathlib.Path(__file__).parent
RECORDED = FOLDER.parent / "data" / "calls.txt"  # Lines of `random_flow.py --calls`, from TensorFlow.
RECORDED_ALONE = FOLDER.parent / "data" / "alone.txt"  # And of `random_flow.py --alone`.

START = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import berth, call_library, random_flow
tf = berth.compat.v1
tf.disable_v2_behavior()
"""

SAME = START + """
for line in list(open({recorded!r}))[{first}::2]:
    random_flow.try_functions(tf, line)
print("right")
"""

ALONE = START + """
assert sum(random_flow.try_alone(tf, line) for line in open({recorded!r})) > 150
print("right")
"""

RECURSION = START + """
for old in (False, True):
    graph, fetches = call_library.build(tf, old)
    n, fact, fib, even, total, endless, deep = fetches
    with tf.Session(graph=graph) as session:
        assert [session.run(fact, {n: i}) for i in range(1, 11)] == [
            1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800]
        assert [session.run(fib, {n: i}) for i in range(10)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
        assert [bool(session.run(even, {n: i})) for i in range(7)] == [True, False] * 3 + [True]
        session.run(graph.get_operation_by_name("init"))
        assert session.run(total, {n: 5}) == 15          # Each call has added its number, once.
        assert session.run(total, {n: 5}) == 30
        assert session.run(fact, {n: 3000}) == 0         # Deeper than the stack of a thread.
        for fetch, at in ((endless, 1), (fact, 20000)):
            try:
                session.run(fetch, {n: at})
                print("no error")
            except tf.errors.AbortedError as error:
                assert "is called 10001 deep in functions" in str(error), error
        assert session.run(deep, {n: 3}) == 3 + 200      # Two hundred functions in each other.
        assert session.run(fact, {n: 5}) == 120
print("right")
"""

ERRORS = START + """
with tf.Graph().as_default() as graph, tf.Session() as session:
    n = tf.placeholder(tf.int32, [], name="n")
    call_library.load(tf, "errors", n)
    for name, text in call_library.ERRORS.items():
        try:
            session.run(name + ":0", {n: 7})
            print("no error", name)
        except tf.errors.OpError as error:
            message = error.message[len("Graph execution error:\\n\\n"):]
            assert message.endswith(text), (name, message)
    assert session.run("two:0", {n: 7}) == 35            # The second result less the first.
print("right")
"""

ENDING = START + """
import threading, time
graph, (n, fact, fib, even, total, endless, deep) = call_library.build(tf, False)
with tf.Session(graph=graph) as session:
    began = time.time()
    try:
        session.run(fib, {n: 60}, options=tf.RunOptions(timeout_in_ms=200))
        print("no error")
    except tf.errors.DeadlineExceededError:
        assert time.time() - began < 5
    threading.Timer(0.2, session.close).start()
    try:
        session.run(fib, {n: 60})
        print("no error")
    except tf.errors.CancelledError:
        assert time.time() - began < 10
with tf.Session(graph=graph) as session:                 # From several threads at once.
    found = {}
    def work(i):
        for _ in range(20):
            found.setdefault(i, set()).add((int(session.run(fact, {n: i})), int(session.run(fib, {n: i}))))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 9)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    wanted = [(1, 1), (2, 1), (6, 2), (24, 3), (120, 5), (720, 8), (5040, 13), (40320, 21)]
    assert found == {i + 1: {pair} for i, pair in enumerate(wanted)}, found
print("right")
"""


# What TensorFlow knows of the results of If and While, with what the attribute output_shapes says.
SHAPES = START + """
from google.protobuf import text_format
shapes = {"": "", "[2]": "shape { dim { size: 2 } }", "?": "shape { unknown_rank: true }",
          "[2,?]": "shape { dim { size: 2 } dim { size: -1 } }", "two": "shape {} shape {}"}
wanted = {"StatelessIf": ["<unknown>", "(2,)", "<unknown>", "(2, ?)"], "While": ["(?,)", "(2,)", "<unknown>", "(2, ?)"]}
for op, texts in wanted.items():
    for (name, shape), text in zip(shapes.items(), [*texts, None]):
        with tf.Graph().as_default():
            inputs = {"a": tf.placeholder(tf.int32, [None])}
            if op == "StatelessIf":
                inputs["p"] = tf.placeholder(tf.bool, [])
            node = call_library.shaped(op, shape)
            try:
                made, = tf.import_graph_def(text_format.Parse(node, tf.GraphDef()), input_map=inputs, name="",
                                            return_elements=["node:0"])
                assert str(made.shape) == text, (op, name, made.shape)
            except ValueError as error:
                start = "`output_shapes` must be the same length as num outputs (2 vs. 1 for '{{node node}} = "
                assert text is None and str(error).startswith(start), error
print("right")
"""


@pytest.mark.parametrize("first", range(2))
def test_as_tensorflow(first: int) -> None:
    """Random graphs that call functions, inlined and not, in loops and branches of others."""
    assert run(SAME.format(recorded=str(RECORDED), first=first)).strip() == "right"


def test_asked_alone() -> None:
    """A value of a branch, a loop or a call that is asked for alone: what acts there acts, what makes unread arguments too."""
    assert run(ALONE.format(recorded=str(RECORDED_ALONE))).strip() == "right"


def test_recursion() -> None:
    """Functions that call themselves and each other, and one that never ends."""
    assert run(RECURSION).strip() == "right"


def test_cards() -> None:
    """The same with cards to place nodes on: functions work where their variables are."""
    assert run(RECURSION, BERTH_SIMULATE_GPUS="Tesla K40c*2").strip() == "right"
    found = run(SAME.format(recorded=str(RECORDED), first=1).replace("::2", "::4"),
                BERTH_SIMULATE_GPUS="Tesla K40c*2")
    assert found.strip() == "right"


def test_shapes() -> None:
    """If and While say what their attribute does about shapes."""
    assert run(SHAPES).strip() == "right"


def test_errors() -> None:
    """What fails in functions names its nodes as TensorFlow does."""
    assert run(ERRORS).strip() == "right"


def test_ending() -> None:
    """Deadlines and closing end calls in calls; threads call at once."""
    assert run(ENDING).strip() == "right"
