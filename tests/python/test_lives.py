"""test_lives.py - Who outlives whom, and that nothing is left behind."""

from __future__ import annotations

import os

import pytest

from script import run

MEMORY = """
import gc, os
import numpy as np
import berth as tf
from berth import _core as core

def resident():
    gc.collect()
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')

def grows(work, times=300):
    # Caches fill at first, and the allocator keeps what it has.
    for _ in range(100): work()
    before, objects = resident(), len(gc.get_objects())
    for _ in range(times): work()
    return resident() - before, len(gc.get_objects()) - objects
"""

# What is done often, and the mode it is written for.
REPEATED = {
    "sessions": ("1", """
        def work():
            with tf.Graph().as_default():
                x = tf.placeholder(tf.float32, [64, 64])
                v = tf.Variable(tf.ones([64, 64]))
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(tf.matmul(x, v), {x: np.ones((64, 64), 'f')})
    """),
    "feeds": ("1", """
        x = tf.placeholder(tf.float32, [None, 300])
        y = x + 1.0
        session = tf.Session()
        def work():
            session.run([y, y.op], {x: np.ones((300, 300), 'f')})
            session.run({'a': y}, {x: [[1.0] * 300]})
    """),
    "failures": ("1", """
        x = tf.placeholder(tf.float32, [None, 300])
        y = tf.matmul(x, x)
        session = tf.Session()
        def work():
            for feed in ({x: np.ones((300, 300), 'i8')}, {x: np.ones((3, 3))}, {x: 'a'}, {}, {x: np.ones((7, 300), 'f')}):
                try: session.run(y, feed)
                except (ValueError, tf.errors.OpError): pass
    """),
    "callables": ("1", """
        x = tf.placeholder(tf.float32, [300, 300])
        y = tf.matmul(x, x)
        session = tf.Session()
        def work():
            session.make_callable(y, [x])(np.ones((300, 300), 'f'))
            session.partial_run_setup([y], [x])
            session._partials.clear()
    """),
    "eager": ("2", """
        def work():
            a = tf.constant(np.ones((300, 300), 'f'))
            b = tf.matmul(a, a) + tf.reduce_sum(a)
            np.asarray(b), b.numpy(), memoryview(b._tensor if hasattr(b, '_tensor') else b)
            np.from_dlpack(core.Tensor.from_dlpack(b.numpy()))
            try: tf.matmul(a, tf.ones([3, 3]))
            except tf.errors.InvalidArgumentError: pass
    """),
    "graphs": ("1", """
        def work():
            graph = core.Graph()
            x = graph.op('Placeholder', None, (), {'dtype': 1, 'shape': [2, 3]})
            y = graph.op('AddN', None, [[(x, 0)] * 20], {'N': 20}, controls=[x], device='/cpu:0')
            other = core.Graph()
            other.import_(graph.export(), 'p', {'Placeholder:0': (other.op('Const', None, (), {
                'dtype': 1, 'value': core.Tensor(np.ones((2, 3), 'f'))}), 0)}, ['AddN:0'], ['AddN'])
            graph.node_attr(y, 'N'), graph.node_def(y), core.op_schema('MatMul'), graph.consumers(x, 0)
            core.Session(other).explain(1)
            for bad in (lambda: graph.op('AddN'), lambda: graph.import_(b'bad'), lambda: core.Shape('a')):
                try: bad()
                except (core.Error, TypeError): pass
    """),
}


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_nothing_is_left_behind(name: str) -> None:
    """Memory and objects stay where they are, however often something is done."""
    mode, code = REPEATED[name]
    body = "\n".join(line[8:] for line in code.splitlines())
    grown, objects = run(f"{MEMORY}\n{body}\nprint(*grows(work))", mode).split()
    # A single array of 300x300 that is left behind each time makes 100 MB; the
    # quarantine of a sanitizer is as large as it likes.
    if "LD_PRELOAD" not in os.environ:
        assert int(grown) < 12 * 2**20
    assert int(objects) < 100


def test_arrays_go_when_they_are_no_longer_needed() -> None:
    """A fed array, a result and what was shared with others are let go."""
    assert run("""
        import gc, sys, threading, weakref
        import numpy as np
        import berth as tf
        from berth import _core as core
        x = tf.placeholder(tf.float32, [None])
        y = x + 1.0
        session = tf.Session()
        class Array(np.ndarray): pass
        def make(): return np.ones(5000, 'f').view(Array)
        value = make()
        gone = [weakref.ref(value)]
        session.run(y, {x: value})
        del value
        value = make()
        gone.append(weakref.ref(value))
        threads = [threading.Thread(target=session.run, args=(y, {x: value})) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        del value, threads, thread
        value = make()
        gone.append(weakref.ref(value))
        shared = core.Tensor.from_dlpack(value)
        again = np.from_dlpack(shared)
        del value, shared, again
        gc.collect()
        print([ref() is None for ref in gone])
    """) == "[True, True, True]\n"


def test_graphs_and_sessions_outlive_each_other() -> None:
    """Whatever is used last keeps what it needs."""
    assert run("""
        import gc
        import numpy as np
        from berth import _core as core
        graph = core.Graph()
        x = graph.op('Placeholder', None, (), {'dtype': 1, 'shape': None})
        y = graph.op('Neg', None, [(x, 0)])
        session = core.Session(graph)
        call, partial = session.make_callable([(x, 0)], [(y, 0)]), session.partial_setup([(x, 0)], [(y, 0)])
        runner = core.Runner(session, graph, None)
        del graph, session
        gc.collect()
        (big,) = call(np.ones(3000, 'f'))
        print(big.sum(), partial.run([(y, 0)], {(x, 0): 2.0}))
        del call, partial, runner
        gc.collect()
        print(big.sum())
    """) == "-3000.0 [np.float32(-2.0)]\n-3000.0\n"


def test_what_is_closed_refuses() -> None:
    """Every way to run says that the session is closed."""
    assert run("""
        import berth as tf
        x = tf.placeholder(tf.float32, [])
        y = -x
        session = tf.Session()
        call, handle = session.make_callable(y, [x]), session.partial_run_setup([y], [x])
        session.close()
        session.close()
        for attempt in (lambda: session.run(y, {x: 1.0}), lambda: session.run(y), lambda: call(1.0),
                        lambda: session.partial_run(handle, y, {x: 1.0}), lambda: session.make_callable(y, [x])(1.0),
                        lambda: session.partial_run_setup([y], [x])):
            try:
                print(attempt())
            except (RuntimeError, tf.errors.CancelledError) as error:
                print('closed' in str(error))
    """) == "True\n" * 6
