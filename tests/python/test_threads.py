"""test_threads.py - Sessions that several threads use."""

from __future__ import annotations

from script import run


def test_eight_threads_share_a_session() -> None:
    """Each gets the results of its own feeds."""
    assert run("""
        import threading
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [2, 2])
        y = tf.matmul(x, x) + 1.0
        session = tf.Session()
        wrong = []
        def work(seed):
            random = np.random.RandomState(seed)
            for _ in range(300):
                value = random.rand(2, 2).astype('f')
                found = session.run(y, {x: value})
                if not np.allclose(found, value @ value + 1, rtol=1e-5):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(wrong))
    """) == "0\n"


def test_threads_count_together() -> None:
    """Updates of a variable are not lost."""
    assert run("""
        import threading
        import berth as tf
        v = tf.Variable(0)
        more = tf.assign_add(v, 1, use_locking=True)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        def work():
            for _ in range(500):
                session.run(more.op)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(session.run(v))
    """) == "4000\n"


def test_sessions_close_while_others_run() -> None:
    """A run either gives the right result or says that the session is closed."""
    assert run("""
        import threading
        import berth as tf
        x = tf.placeholder(tf.float32, [])
        y = x
        for _ in range(50): y = y + 1.0
        odd = []
        def work(session):
            try:
                for i in range(100000):
                    if session.run(y, {x: i}) != i + 50: odd.append(i)
            except RuntimeError as error:
                if 'closed' not in str(error): odd.append(error)
            except tf.errors.CancelledError:
                pass
        for _ in range(10):
            session = tf.Session()
            threads = [threading.Thread(target=work, args=(session,))
                       for _ in range(4)]
            for thread in threads: thread.start()
            session.run(y, {x: 1.0})
            session.close()
            for thread in threads: thread.join()
        print(odd)
    """) == "[]\n"


def test_graph_grows_while_others_run() -> None:
    """Nodes that are added do not disturb runs."""
    assert run("""
        import threading
        import berth as tf
        graph = tf.get_default_graph()
        x = tf.placeholder(tf.float32, [])
        y = x * 2.0
        session = tf.Session()
        odd = []
        def work():
            for i in range(2000):
                if session.run(y, {x: i}) != 2 * i: odd.append(i)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        z = y
        for i in range(200):
            z = z + 1.0
            if session.run(z, {x: 1.0}) != 3 + i: odd.append(-i)
        for thread in threads: thread.join()
        print(odd)
    """) == "[]\n"


def test_python_goes_on_during_a_run() -> None:
    """A run does not hold the interpreter's lock."""
    assert run("""
        import threading, time
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [900, 900])
        y = x
        for _ in range(20): y = tf.matmul(y, x)
        session = tf.Session()
        value = np.zeros([900, 900], 'f')
        done = threading.Event()
        def work():
            session.run(y.op, {x: value})
            done.set()
        thread = threading.Thread(target=work)
        thread.start()
        turns = 0
        while not done.is_set() and turns < 20:
            turns += 1
            time.sleep(0.001)
        thread.join()
        print(turns > 5)
    """) == "True\n"


def test_a_session_stays_while_it_runs() -> None:
    """A run keeps its session, whatever other threads let go of."""
    assert run("""
        import threading, time
        import numpy as np
        import berth as tf
        x = tf.placeholder(tf.float32, [900, 900])
        y = x
        for _ in range(20): y = tf.matmul(y, x)
        session = tf.Session()
        runner = session._runner
        results = []
        def work():
            results.append(runner(y, {x: np.zeros([900, 900], 'f')}))
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.1)
        session._session = None
        runner.close()
        thread.join()
        print(results[0].shape, results[0].any())
    """) == "(900, 900) False\n"
