"""test_signals.py - Signals during runs and calls: Ctrl-C stops what is long."""

from __future__ import annotations

import os
import pathlib
import signal
import time

import pytest

from script import TIMEOUT_SECONDS, check_stderr, finish, run, start

# Runs that would take minutes, or for ever, and the mode they are written for.
LONG = {
    "product": ("1", """
        x = tf.placeholder(tf.float32, [1000, 1000])
        y = x
        for _ in range(5000): y = tf.matmul(y, x)
        session, value = tf.Session(), np.zeros([1000, 1000], 'f')
        def work(): session.run(y.op, {x: value})
    """),
    "queue": ("1", """
        item = tf.FIFOQueue(1, [tf.float32]).dequeue()
        session = tf.Session()
        def work(): session.run(item)
    """),
    "callable": ("1", """
        item = tf.FIFOQueue(1, [tf.float32]).dequeue()
        work = tf.Session().make_callable(item)
    """),
    "partial": ("1", """
        x = tf.placeholder(tf.float32, [])
        item = tf.FIFOQueue(1, [tf.float32]).dequeue() + x
        session = tf.Session()
        handle = session.partial_run_setup([item], [x])
        def work(): session.partial_run(handle, item, {x: 1.0})
    """),
    "function": ("1", """
        import time
        y = tf.py_func(lambda: time.sleep(1000), [], tf.float32)
        session = tf.Session()
        def work(): session.run(y)
    """),
    "eager": ("2", """
        queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
        def work(): tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float32])
    """),
}

# The same, for a simulated card to do: an interrupt is not kept waiting for it.
QUEUED = """
        with tf.device('GPU:0'):
            x = tf.ones([4000, 4000])
            y = x
            for _ in range(400): y = tf.matmul(y, x)
"""
LONG_ON_A_CARD = {
    "array": ("2", f"""{QUEUED}
        def work(): y.numpy()
    """),
    "loop": ("1", """
        with tf.device('/gpu:0'):
            x = tf.placeholder(tf.float32, [4000, 4000])
            turn = lambda i, y: (i + 1, tf.matmul(y, x))
            y = tf.while_loop(lambda i, y: i < 400, turn, [0, x])[1]
        session, value = tf.Session(), np.zeros([4000, 4000], 'f')
        def work(): session.run(y.op, {x: value})
    """),
    "text": ("2", f"""{QUEUED}
        def work(): str(y)
    """),
}
LONG |= LONG_ON_A_CARD


def script(name: str, after: str) -> str:
    """Returns a program that works for long, then does what |after| says."""
    lines = LONG[name][1].splitlines() + after.splitlines()
    body = "\n".join(line[8:] for line in lines)
    return f"import signal\nimport numpy as np\nimport berth as tf\n{body}"


STOP = """
        print('ready', flush=True)
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, flush=True)
"""


def interrupt(process: object, number: signal.Signals = signal.SIGINT) -> None:
    time.sleep(0.5)
    os.kill(process.pid, number)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(LONG))
def test_interrupt_stops(name: str, tmp_path: pathlib.Path) -> None:
    """Who called gets a KeyboardInterrupt."""
    cards = {"CUDA_VISIBLE_DEVICES": "0", "BERTH_SIMULATE_GPUS": "Tesla K20m",
             "BERTH_SIMULATE_LEDGER": str(tmp_path / "ledger")}
    process = start(script(name, STOP), LONG[name][0], **(cards if name in LONG_ON_A_CARD else {}))
    interrupt(process)
    assert finish(process) == "KeyboardInterrupt\n"


def test_the_session_goes_on_afterwards() -> None:
    """An interrupted run leaves nothing behind."""
    process = start(script("queue", """
        print('ready', flush=True)
        other = tf.constant(2.0) * 3.0
        for _ in range(3):
            try:
                work()
            except KeyboardInterrupt:
                print(session.run(other), flush=True)
    """))
    assert process.stdout is not None
    for _ in range(3):
        interrupt(process)
        assert process.stdout.readline() == "6.0\n"
    assert finish(process) == ""


def test_a_second_interrupt_is_one_of_its_own() -> None:
    """It arrives where the program is by then."""
    process = start(script("queue", """
        print('ready', flush=True)
        for _ in range(2):
            try:
                work()
            except KeyboardInterrupt:
                print('stopped', flush=True)
    """))
    assert process.stdout is not None
    interrupt(process)
    assert process.stdout.readline() == "stopped\n"
    interrupt(process)
    assert finish(process) == "stopped\n"


def test_many_signals_at_once() -> None:
    """Handlers that return let the run go on; one that raises ends it."""
    assert run(script("product", """
        seen = []
        def note(*_):
            seen.append(1)
            if len(seen) == 200: raise StopIteration
        signal.signal(signal.SIGALRM, note)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.002)
        try:
            work()
        except StopIteration:
            signal.setitimer(signal.ITIMER_REAL, 0)
            print(len(seen) >= 200)
    """)) == "True\n"


def test_terminate_ends_the_process() -> None:
    """SIGTERM does what it always does."""
    process = start(script("queue", STOP))
    interrupt(process, signal.SIGTERM)
    out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, out) == (-signal.SIGTERM, "")
    check_stderr(err)


def test_a_handler_may_exit_or_close() -> None:
    """A handler runs in the middle of a run."""
    assert run(script("queue", """
        def end(*_): session.close()
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            work()
        except tf.errors.CancelledError as error:
            print(error.message.splitlines()[-1])
    """)) == "Session has been closed.\n"
    assert run(script("queue", """
        import sys
        def end(*_): sys.exit(0)
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        print('begin', flush=True)
        work()
    """)) == "begin\n"


def test_a_handler_may_run_the_session() -> None:
    """The run that it interrupts goes on with its own results."""
    assert run("""
        import signal
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [200, 200])
        y, z = x, tf.reduce_sum(x)
        for _ in range(200): y = tf.matmul(y, x) * 0.005
        session = tf.Session()
        ones, found = np.ones([200, 200], 'f'), []
        wanted = session.run(y, {x: ones})
        def note(*_): found.append(session.run(z, {x: ones}))
        signal.signal(signal.SIGALRM, note)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        while len(found) < 5:
            assert (session.run(y, {x: ones}) == wanted).all()
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(set(found))
    """) == "{np.float32(40000.0)}\n"


def test_an_interrupt_reaches_the_main_thread() -> None:
    """It stops what the main thread does, and leaves other threads alone."""
    process = start(script("queue", """
        import threading
        ended = []
        def other():
            try:
                session.run(item)
            except tf.errors.CancelledError:
                ended.append('cancelled')
        thread = threading.Thread(target=other)
        thread.start()
        print('ready', flush=True)
        try:
            work()
        except KeyboardInterrupt:
            print(thread.is_alive())
        session.close()
        thread.join()
        print(ended)
    """))
    interrupt(process)
    assert finish(process) == "True\n['cancelled']\n"


def test_signals_may_hit_a_thread_that_multiplies() -> None:
    """Kernels keep stacks of their own, which handlers must not run on."""
    assert run("""
        import signal, threading, time
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [500, 500])
        y = tf.matmul(x, x)
        session, odd, going = tf.Session(), [], [True]
        ones = np.ones([500, 500], 'f')
        def work():
            while going:
                if (session.run(y, {x: ones}) != 500).any(): odd.append(1)
        signal.signal(signal.SIGUSR1, lambda *_: None)
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(500):
            signal.pthread_kill(thread.ident, signal.SIGUSR1)
            time.sleep(0.002)
        going.clear()
        thread.join()
        print(odd)
    """) == "[]\n"


def test_imported_by_another_thread() -> None:
    """Signals are the main thread's, whoever imports first."""
    process = start("""
        import threading
        def load():
            global tf
            import berth as tf
            tf.Session()
        thread = threading.Thread(target=load)
        thread.start()
        thread.join()
        item = tf.FIFOQueue(1, [tf.float32]).dequeue()
        session = tf.Session()
        print('ready', flush=True)
        try:
            session.run(item)
        except KeyboardInterrupt:
            print('stopped')
    """)
    interrupt(process)
    assert finish(process) == "stopped\n"


def test_handlers_run_during_an_eager_call() -> None:
    """One long op looks for signals more than once, and goes on when handlers return."""
    assert run("""
        import signal
        import numpy as np
        import berth as tf
        seen = []
        def note(*_): seen.append(float(tf.constant(2.0) * 3.0))
        note(), tf.matmul(tf.ones([2, 2]), tf.ones([2, 2])).numpy()  # What is imported late is there now.
        signal.signal(signal.SIGALRM, note)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        size, most = 500, 0
        while most < 3 and size < 5000:  # However fast the machine is.
            x, before = tf.ones([size, size]), len(seen)
            product = tf.matmul(x, x)
            most = max(most, len(seen) - before)
            assert (product.numpy() == size).all()
            size *= 2
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(most >= 3, set(seen))
    """, "2") == "True {6.0}\n"


def test_an_ended_eager_call_gives_nothing_and_changes_all_or_nothing() -> None:
    """What a handler raises comes out; a variable is as before, or as after."""
    assert run("""
        import signal
        import numpy as np
        import berth as tf
        class Stop(Exception): pass
        def stop(*_): raise Stop
        signal.signal(signal.SIGALRM, stop)
        stopped = 0
        v, one = tf.Variable(tf.zeros([1 << 23], tf.float16)), tf.ones([1 << 23], tf.float16)
        x = tf.ones([700, 700])
        for i in range(60):
            before = v.numpy()[0]
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0005 * (i + 1))
                while True:
                    y = tf.matmul(x, x)
                    assert (y.numpy() == 700).all()
                    v.assign_add(one)
            except Stop:
                stopped += 1
            now = v.numpy()
            assert (now == now[0]).all(), i
        print(stopped)
    """, "2") == "60\n"
