"""test_forms.py - Fetches and feeds in every form: the short way does what the long one does, and is taken."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
from script import check_stderr, environment, run

FORBIDDEN = ("Operation y has been marked as not fetchable. Typically this happens when it is defined in another function "
             "or code block. Use return values, explicit Python locals or TensorFlow collections to access it.\n")
PROGRAM = pathlib.Path(__file__).with_name("random_forms.py")


@pytest.mark.parametrize("options", [("--cases", "12000"), ("--cases", "1500", "--threads", "4")],
                         ids=["alone", "threads"])
def test_random_forms(options: tuple[str, ...]) -> None:
    """Random calls, both ways; random_forms.py makes more of them."""
    done = subprocess.run([sys.executable, str(PROGRAM), *options], capture_output=True, text=True, timeout=1000,
                          env=environment() | {"TF_CPP_MIN_LOG_LEVEL": "3"}, check=False)
    check_stderr(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]


def test_usual_forms_stay_in_c() -> None:
    """None of these is left to Python, which is slower."""
    assert run("""
        import collections
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [None], name='x')
        y = tf.identity(x, name='y')
        k = tf.placeholder(tf.float32, [], name='k')
        i = tf.placeholder(tf.int32, name='i')
        s = tf.placeholder(tf.string, name='s')
        b = tf.placeholder(tf.bool, name='b')
        z, j, t, c = tf.identity(k), tf.identity(i), tf.identity(s), tf.identity(b)
        v, w = tf.Variable([1.0]), tf.Variable([2.0], use_resource=True)
        session = tf.Session()
        session.run([v.initializer, w.initializer])
        def refuse(*args):
            raise AssertionError('left to Python')
        from berth import _core
        runner = _core.Runner(session._session, session.graph, refuse)
        Pair = collections.namedtuple('Pair', 'a b')
        one = {x: np.ones(1, 'f')}
        forms = [y, [y], (y, y), {'y': y, 1: [y, (y.op,)]}, Pair(y, {'q': y}), collections.OrderedDict(a=y),
                 'y:0', ['y', 'y:0'], v, [v, {'w': w}], y.op, [y] * 100]
        for form in forms:
            runner(form, one)
        for value in ([1.0], [1, 2], (1.5, True), np.ones(2), np.ones(2, 'i8'), np.ones(4, 'f')[::2], [],
                      [np.float64(1)], [np.float32(2), 3.0], [np.float32(1), 2], np.ones(1, 'f2')):
            runner(y, {x: value})
            runner(y, {'x:0': value})
        for value in (1, 1.5, True, np.float32(1), np.float64(2), np.int64(3), np.array(1.5), 2**24 + 1):
            runner(z, {k: value})
        for value in (1, [1, 2], [[1], [2]], np.int64(1), [2**40], np.arange(3), True):
            runner(j, {i: value})
        for value in ('a', b'a', ['a', b'b'], [['a']], np.array(['a', b'b'], object), np.array(['u']),
                      np.array([b's']), []):
            runner(t, {s: value})
        for value in (True, 1, 0, [True, False], [1, 2], np.ones(2, bool), np.ones(2)):
            runner(c, {b: value})
        runner([z, j, y], {k: 1, i: 2, x: [3]})
        runner([y], {v: [5.0], x: [1.0]})
        print('all')
    """) == "all\n"


def test_names_see_what_is_forbidden_later() -> None:
    """What a name stands for is kept, not whether it may be fetched or fed."""
    assert run("""
        import berth as tf
        x = tf.placeholder(tf.float32, [], name='x')
        y = tf.identity(x, name='y')
        session = tf.Session()
        print(session.run('y:0', {'x:0': 1}))
        session.graph.prevent_fetching(y.op)
        for fetch, feed in (('y:0', {'x:0': 1}), ('y', {'x:0': 1})):
            try:
                session.run(fetch, feed)
            except ValueError as error:
                print(error)
        session.graph.prevent_feeding(x)
        try:
            session.run(x, {'x:0': 1})
        except ValueError as error:
            print(error)
        late = tf.constant(7.0, name='late')
        print(session.run('late:0'))
    """) == ("1.0\n" + FORBIDDEN * 2 + "Tensor x:0 may not be fed.\n7.0\n")


def test_containers_may_change_while_they_are_read() -> None:
    """What stands for a tensor may run a program's own code; whatever that does, nothing breaks."""
    assert run("""
        import berth as tf
        x = tf.placeholder(tf.float32, [], name='x')
        y = tf.identity(x)
        session = tf.Session()
        class Sly:
            def __init__(self, act):
                self.act = act
            def _as_graph_element(self):
                self.act()
                return y
        for count in range(200):
            fetches = [y, None, y, y]
            fetches[1] = Sly(fetches.clear)
            mapping = {'a': y, 'b': None, 'c': y}
            mapping['b'] = Sly(mapping.clear)
            more = {'a': Sly(lambda: more.update(dict.fromkeys(range(50), y)))}
            feeds = {y: 1.0}
            feeds[Sly(feeds.clear)] = [1.0] * 50
            for fetch, feed in ((fetches, {x: 1}), (mapping, {x: 1}), (more, {x: 1}), (y, feeds)):
                try:
                    session.run(fetch, feed)
                except (RuntimeError, ValueError, TypeError, tf.errors.OpError):
                    pass
        loop = []
        loop.append(loop)
        try:
            session.run(loop)
        except RecursionError:
            print('no end')
    """) == "no end\n"


def test_interrupts_are_not_swallowed() -> None:
    """What is no Exception is raised by whoever raises it."""
    assert run("""
        import berth as tf
        y = tf.constant(1.0)
        session = tf.Session()
        calls = []
        class Stop:
            def _as_graph_element(self):
                calls.append(1)
                raise KeyboardInterrupt
        try:
            session.run({'a': [Stop()]})
        except KeyboardInterrupt:
            print(len(calls))
    """) == "1\n"


def test_partial_runs_take_forms_and_are_forgotten() -> None:
    """Fetches in containers and by name, lists as feeds; the last call ends a run."""
    assert run("""
        import berth as tf
        x = tf.placeholder(tf.float32, [2], name='x')
        k = tf.placeholder(tf.float32, [], name='k')
        y = tf.multiply(x, 2.0, name='y')
        z = tf.add(y, k, name='z')
        session = tf.Session()
        handle = session.partial_run_setup([y, z], [x, k])
        print(session.partial_run(handle, {'y': ['y:0']}, {'x:0': [1, 2]}), len(session._partials))
        print(session.partial_run(handle, (z,), {k: 1}), len(session._partials))
        handle = session.partial_run_setup([z], [x, k])
        print(session.partial_run(handle, [], {x: [3, 4]}), len(session._partials))
        print(session.partial_run(handle, z, {k: 0}), len(session._partials))
    """) == ("{'y': [array([2., 4.], dtype=float32)]} 1\n(array([3., 5.], dtype=float32),) 0\n"
             "[] 1\n[6. 8.] 0\n")
