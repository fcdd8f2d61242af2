"""test_rewriting.py - The parts of conversions: names, what is live, jumps, and the code that is made."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from berth._autograph import convert, directives, jumps, naming, source
from berth._autograph.activity import Activity
from berth._autograph.blocks import Blocks
from berth._autograph.liveness import Liveness
from berth._autograph.options import STD, ConversionOptions, Feature


def parsed(text: str) -> Any:
    """The function that a text defines."""
    return ast.parse(textwrap.dedent(text).strip()).body[0]


def analysed(text: str) -> Any:
    """A function with what is known of its blocks."""
    node = parsed(text)
    activity = Activity()
    Liveness(activity).function(node)
    Blocks(activity).function(node)
    return node


# ---- Names ----


@pytest.mark.parametrize(("text", "reads", "writes"), [
    ("x = y + z", {"y", "z"}, {"x"}),
    ("x += y", {"x", "y"}, {"x"}),
    ("a.b = c.d", {"a", "c", "c.d"}, {"a.b"}),
    ("l[i] = d['k']", {"l", "i", "d", "d['k']"}, {"l[i]"}),
    ("l[i + 1] = 0", {"l", "i"}, set()),
    ("x = [v for v in w if v > u]", {"w", "u"}, {"x"}),
    ("x = {k: q for k, q in w}", {"w"}, {"x"}),
    ("f = lambda v, k=d: v + k + e", {"d", "e"}, {"f"}),
    ("(a, (b, *c)) = d", {"d"}, {"a", "b", "c"}),
    ("import os.path as p, sys", set(), {"p", "sys"}),
    ("with a as b: c = b", {"a", "b"}, {"b", "c"}),
    ("def f(a, b=c): return a + d", {"c", "d"}, {"f"}),
    ("try:\n  a\nexcept E as e:\n  b = e", {"a", "E"}, {"b"}),
])
def test_names_that_a_statement_reads_and_writes(text: str, reads: set[str], writes: set[str]) -> None:
    """As text."""
    names = Activity().statement(ast.parse(text).body[0])
    assert (names.reads, names.writes) == (reads, writes)


def test_deleting_is_reading_and_binding() -> None:
    """But no writing."""
    names = Activity().statement(parsed("del x"))
    assert (names.reads, names.bound, names.writes, names.deleted) == ({"x"}, {"x"}, set(), {"x"})


def test_paths_stand_on_plain_names() -> None:
    """On all of them."""
    activity = Activity()
    activity.statement(parsed("a.b[i].c = 1"))
    assert activity.paths.stands_on("a.b[i].c") == {"a", "i"}
    assert not activity.paths.is_path("a")


# ---- Liveness ----


def test_only_what_matters_is_a_variable_of_a_branch() -> None:
    """Not what only the block itself uses."""
    branch = analysed("""
        def f(x):
            if x > 0:
                t = x * 2
                y = t
            else:
                y = 1
            return y
    """).body[0]
    assert (branch.block_vars, branch.nouts, branch.undefined) == (["y"], 1, ["t", "y"])


def test_what_is_not_read_later_goes_in_only() -> None:
    """And comes last."""
    branch = analysed("""
        def f(x, y):
            if x > 0:
                y = x
                x = x + 1
            return y
    """).body[0]
    assert (branch.block_vars, branch.nouts) == (["y", "x"], 1)


def test_a_loop_reads_what_it_wrote_the_turn_before() -> None:
    """The target of a loop is its own."""
    node = analysed("""
        def f(n):
            s = 0
            for i in n:
                t = i
                s = s + t
            return s
    """)
    assert (node.body[1].block_vars, node.body[1].undefined) == (["s"], ["i", "t"])


def test_a_function_keeps_alive_what_it_reads() -> None:
    """From where it is defined."""
    node = analysed("""
        def f(x):
            k = 1
            def g():
                return k
            if x:
                k = 2
            return x
    """)
    assert node.body[2].block_vars == ["k"]


def test_nothing_is_live_after_raise() -> None:
    """A branch that raises defines nothing."""
    branch = analysed("""
        def f(x):
            if x:
                raise ValueError
            else:
                y = 1
            return y
    """).body[0]
    assert branch.block_vars == ["y"]
    assert "y" not in branch.live_in


def test_handlers_read_what_bodies_wrote() -> None:
    """Anywhere in the body."""
    node = analysed("""
        def f(x):
            y = 0
            try:
                if x:
                    y = 1
                y = g()
            except E:
                return y
    """)
    assert node.body[1].body[0].block_vars == ["y"]


# ---- Jumps ----


def lowered(text: str) -> str:
    """A function without jumps, as text."""
    node = parsed(text)
    namer = naming.Namer(())
    node.scope_name = "fscope"
    node.body = jumps.Breaks(namer, Activity()).block(node.body)
    node.body = jumps.Continues(namer, Activity()).block(node.body)
    node.body = jumps.merge_returns(node.body)[0]
    jumps.Returns(namer, Activity()).function(node)
    return ast.unparse(ast.fix_missing_locations(node))


def test_break_becomes_a_flag() -> None:
    """And what follows it waits."""
    assert lowered("""
        def f(n):
            while n:
                if n > 3:
                    break
                n = g(n)
    """) == textwrap.dedent("""
        def f(n):
            break_ = False
            while not break_ and n:
                continue_ = False
                if n > 3:
                    break_ = True
                    continue_ = True
                if not continue_:
                    n = g(n)
    """).strip()


def test_what_follows_a_return_goes_to_the_other_side() -> None:
    """So that both sides return."""
    text = lowered("""
        def f(x):
            if x:
                return 1
            y = 2
            return y
    """)
    assert "else:\n        y = 2" in text
    assert text.endswith("return fscope.ret(retval_, do_return)")


def test_names_that_are_made_are_new() -> None:
    """A program may use them already."""
    assert "break__1 = False" in lowered("""
        def f(n):
            while n:
                break_ = 3
                break
    """)


# ---- Code ----


def sample(x, k=3, *, m=4):
    """A function."""
    y = 0
    if x > k:
        y = x + m
    return y


def test_code_keeps_file_lines_and_names() -> None:
    """So that tracebacks need no map."""
    made = convert.of(sample, STD)
    lines = {line for _, _, line in made.code.co_lines() if line}
    first = sample.__code__.co_firstlineno
    assert made.code.co_filename == sample.__code__.co_filename
    assert made.code.co_name == "sample"
    assert lines <= set(range(first, first + 6))


def test_code_is_made_once() -> None:
    """For each way of converting."""
    assert convert.of(sample, STD) is convert.of(sample, STD)
    other = ConversionOptions(True, False, True, Feature.EQUALITY_OPERATORS)
    assert convert.of(sample, STD) is not convert.of(sample, other)


def test_text_shows_the_operators() -> None:
    """As a program reads it."""
    text = convert.text_of(sample, STD)
    assert text.startswith("def tf__sample(x, k=None, *, m=None):")
    assert "ag__.if_stmt(ag__.ld(x) > ag__.ld(k), if_body, else_body, get_state, set_state, ('y',), 1)" in text


@pytest.mark.parametrize(("text", "why"), [
    ("for i in x:\n  pass\nelse:\n  pass", "for/else statement not yet supported"),
    ("while x:\n  pass\nelse:\n  pass", "while/else statement not yet supported"),
    ("def f():\n  yield 1", "generators are not supported"),
    ("a.__b", "mangled names are not yet supported"),
])
def test_what_is_not_converted(text: str, why: str) -> None:
    """With TensorFlow's reasons."""
    with pytest.raises(source.Unsupported, match=why):
        source.check(ast.parse(text))


def test_name_of_what_is_not_converted(tmp_path: pathlib.Path) -> None:
    """Programs see TensorFlow's."""
    script = tmp_path / 'script.py'
    script.write_text('import tensorflow as tf\n'
                      'try: tf.autograph.to_graph(lambda x: x), (lambda x: x)\n'
                      'except NotImplementedError as error: print(type(error).__module__, type(error).__name__)\n')
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', '--tf2', str(script)], capture_output=True, text=True)
    assert done.stdout == 'tensorflow.python.autograph.pyct.errors UnsupportedLanguageElementError\n', done.stderr


def test_directives_are_taken_out() -> None:
    """Their loop keeps them."""
    node = parsed("""
        def f(n):
            for i in n:
                options(maximum_iterations=3)
    """)
    directives.take(node, {"options": directives.set_loop_options}.get)
    assert ast.unparse(node.body[0].body[0]) == "pass"
    assert list(node.body[0].loop_options) == ["maximum_iterations"]
