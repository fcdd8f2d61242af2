"""test_function_in_graph.py - A tf.function that is called while a session's graph is built: what acts in it runs."""

from __future__ import annotations

import pathlib
import textwrap

import pytest
from script import run

START = """
import berth
tf = berth.compat.v1
tf.disable_v2_behavior()

def build(v):
{body}

with tf.Graph().as_default(), tf.Session() as session:
    v = tf.Variable(1.0, use_resource=True)
    fetch = build(v)
    session.run(v.initializer)
    found = session.run(fetch)
    print(found, session.run(v))
"""

# What a body builds, and what a run of it gives with what the variable holds then: TensorFlow 2.21 prints the same.
CASES = {
    "unread": ("""
        @tf.function
        def f(x):
            v.assign_add(x)
            return x
        return f(2.0)
    """, "2.0 3.0"),
    "order": ("""
        @tf.function
        def f(x):
            v.assign_add(x)
            before = v.read_value()
            v.assign_add(x)
            return before, v.read_value()
        return f(1.0)[0]
    """, "2.0 3.0"),
    "loop": ("""
        @tf.function
        def f(x):
            for i in tf.range(3):
                v.assign_add(x)
            return x
        return f(2.0)
    """, "2.0 7.0"),
    "branch": ("""
        @tf.function
        def f(x):
            if x > 0.0:
                v.assign_add(1.0)
            else:
                v.assign_add(10.0)
            return x
        return f(2.0) + f(-3.0)
    """, "-1.0 12.0"),
    "condition": ("""
        @tf.function
        def f(x):
            def test(i):
                v.assign_add(1.0)
                return i < 3
            tf.while_loop(test, lambda i: [i + 1], [0])
            return x
        return f(2.0)
    """, "2.0 5.0"),
    "nested": ("""
        inner = tf.function(lambda x: v.assign_add(x))
        @tf.function
        def f(x):
            inner(x)
            for i in tf.range(3):
                if i > 0:
                    inner(x)
            return x
        return f(2.0)
    """, "2.0 7.0"),
    "in a loop": ("""
        @tf.function
        def f(x):
            v.assign(v * 2.0)
            return x + 1.0
        return tf.while_loop(lambda i, y: i < 4, lambda i, y: [i + 1, f(y)], [0, 1.0])[1]
    """, "5.0 16.0"),
    "unread in a loop": ("""
        @tf.function
        def f(x):
            v.assign(v * 2.0)
            return x + 1.0
        def body(i):
            f(1.0)
            return [i + 1]
        return tf.while_loop(lambda i: i < 4, body, [0])
    """, "4 1.0"),
    "nobody asks": ("""
        tf.function(lambda: v.assign_add(3.0))()
        return tf.constant(1)
    """, "1 1.0"),
    "slopes": ("""
        @tf.function
        def f(x):
            v.assign_add(0.0)
            return x * x * x
        return tf.gradients(f(v), [v])[0]
    """, "3.0 1.0"),
}


@pytest.mark.parametrize("name", CASES)
def test_acts(name: str, tmp_path: pathlib.Path) -> None:
    """What a call does, and what it leaves in a variable."""
    body, wanted = CASES[name]
    script = tmp_path / "script.py"  # AutoGraph reads it.
    script.write_text(START.format(body=textwrap.indent(textwrap.dedent(body).strip(), "    ")))
    assert run(f"import runpy\nrunpy.run_path({str(script)!r})").strip() == wanted
