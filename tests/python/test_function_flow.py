"""test_function_flow.py - Branches and loops of tf.function that read variables: shapes, functions of Python."""

from __future__ import annotations

import pathlib

from script import run

# Shapes of a variable that is changed in between, by the order of the program.
SHAPES = """
import berth as tf
v = tf.Variable([1.0, 2.0], shape=[None])
shape = lambda: tf.raw_ops.VariableShape(input=v.handle)

@tf.function
def f(n):
    found = [shape()]
    v.assign(tf.ones([n]))
    found.append(shape())
    if n > 3:
        v.assign(tf.ones([n + 3]))
    found.append(shape())
    for i in tf.range(n):
        v.assign(tf.ones([i]))
    found.append(shape())
    return tf.concat(found, 0)

assert [f(tf.constant(n)).numpy().tolist() for n in (5, 2, 7)] == [[2, 5, 8, 4], [4, 2, 2, 1], [1, 7, 10, 6]]

m = tf.Variable(tf.ones([3, 4, 5]))
seen = []
@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.int32)])
def rows(places):
    seen.extend([tf.gather(m, places).shape.as_list(), tf.gather_nd(m, places).shape.as_list()])
    return places
rows([[0, 1]])
assert seen == [[None, 2, 4, 5], [None, 5]], seen

met = []
@tf.function
def counts(n):
    for i in tf.range(n):
        tf.py_function(lambda z: met.append(int(z) if z < 2 else -int(z)), [i], [])
    return n
counts(tf.constant(4))
assert met == [0, 1, -2, -3] and all(type(z) is int for z in met), met
print("right")
"""


def in_file(code: str, folder: pathlib.Path) -> str:
    """Runs |code| from a file, which AutoGraph reads."""
    script = folder / "script.py"
    script.write_text(code)
    return run(f"import runpy\nrunpy.run_path({str(script)!r})", "2").strip()


def test_shapes_and_python(tmp_path: pathlib.Path) -> None:
    """Shapes of variables and of rows of them; functions of Python are called as they are."""
    assert in_file(SHAPES, tmp_path) == "right"
