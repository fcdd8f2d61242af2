"""test_commits.py - Updates count once: beside functions that run the session, and Ctrl-C."""

from __future__ import annotations

from script import run


def test_updates_beside_functions_that_update() -> None:
    """A py_func runs the session that waits for it."""
    assert run("""
        import threading
        import numpy as np
        import berth as tf
        v = tf.Variable(np.zeros(20000, 'f'))
        more = tf.assign_add(v, tf.ones([20000])).op
        session = tf.Session()
        def again():
            session.run(more)
            return np.float32(1)
        called = tf.py_func(again, [], tf.float32)
        both = tf.group(more, called)
        session.run(tf.global_variables_initializer())
        def work():
            for _ in range(30):
                session.run(both)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(np.unique(session.run(v)))
    """) == "[480.]\n"


def test_interrupted_updates_are_whole() -> None:
    """Ctrl-C at any moment: the variable is as before or as after, everywhere."""
    assert run("""
        import os, random, signal, threading, time
        import numpy as np
        import berth as tf
        size = 1000000
        x = tf.placeholder(tf.float32, [size])
        v = tf.Variable(np.zeros(size, 'f'))
        more = tf.assign_add(v, x * x).op
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        ones, now, odd = np.ones(size, 'f'), 0.0, 0
        dice = random.Random(1)
        def interrupt(delay):
            time.sleep(delay)
            os.kill(os.getpid(), signal.SIGINT)
        for _ in range(60):
            is_done = False
            thread = threading.Thread(target=interrupt, args=(dice.random() * 0.004,))
            try:
                thread.start()
                session.run(more, {x: ones})
                is_done = True
                thread.join()
                time.sleep(0.001)
            except KeyboardInterrupt:
                pass
            while True:
                try:
                    thread.join()
                    time.sleep(0.001)  # The signal has come by then.
                    break
                except KeyboardInterrupt:
                    pass
            found = np.unique(session.run(v))
            if len(found) != 1 or found[0] not in ([now + 1] if is_done else [now, now + 1]):
                odd += 1
            now = float(found[0])
        print(odd)
    """) == "0\n"
