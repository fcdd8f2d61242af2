"""test_sequences.py - Sequences of texts and of random numbers, in eager mode."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run(text: str) -> str:
    """Runs |text| in a process of TF2 and returns what it prints."""
    done = subprocess.run([sys.executable, "-c", "import berth as tf\n" + textwrap.dedent(text)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_ngrams() -> None:
    """Every run of a row becomes a text, whatever form rows have."""
    found = run("""
        print(tf.strings.ngrams(['a', 'b', 'c'], 2).numpy().tolist())
        print(tf.strings.ngrams([['a', 'b'], ['c', 'd']], [1, 2], '-', ('L', 'R'), 1).numpy().tolist())
        print(tf.strings.ngrams(tf.ragged.constant([['a', 'b', 'c'], ['d'], []]), 2, pad_values='x').to_list())
    """)
    assert found.splitlines() == [
        "[b'a b', b'b c']",
        "[[b'a', b'b', b'L-a', b'a-b', b'b-R'], [b'c', b'd', b'L-c', b'c-d', b'd-R']]",
        "[[b'x a', b'a b', b'b c', b'c x'], [b'x d', b'd x'], [b'x x']]"]


def test_generator_goes_on() -> None:
    """Numbers are TensorFlow's, and so is the state behind them."""
    found = run("""
        g = tf.random.Generator.from_seed(42)
        print(g.uniform([3], 1, 1000, tf.int32).numpy().tolist(), g.state.numpy().tolist())
        print(g.binomial([3], [40., 50., 4.], [.2, .4, .6]).numpy().tolist(), g.state.numpy().tolist())
        print(g.skip(5).numpy().tolist(), g.state.numpy().tolist())
    """)
    assert found.splitlines() == RECORDED


def test_generator_threads() -> None:
    """Threads take parts of one sequence, none of them twice."""
    found = run("""
        import threading
        g = tf.random.Generator.from_seed(1)
        taken = []
        def draw():
            for _ in range(50):
                taken.append(int(g.skip(1)[0]))
        threads = [threading.Thread(target=draw) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(len(set(taken)), int(g.state[0]) - min(taken))
    """)
    assert found.split() == ["200", str(200 * 256)]


def test_timestamp() -> None:
    """The time is that of the machine."""
    assert run("import time; print(abs(float(tf.timestamp()) - time.time()) < 60)").strip() == "True"


RECORDED = [  # By TensorFlow 2.21, with the same lines.
    "[592, 175, 529] [810, 0, 0]",
    "[6, 16, 2] [154410, 0, 0]",
    "[154410, 0, 0] [155690, 0, 0]",
]
