"""test_function_flow.py - Branches and loops of tf.function that read variables: slopes, shapes, functions of Python."""

from __future__ import annotations

import pathlib

from script import run

START = """
import berth as tf
w = tf.Variable([1.0, 2.0])
"""

# What TensorFlow 2.21 gives, for loops of three turns; a turn may read the variable, or not.
SLOPES = START + """
def slope(turn, n=3):
    @tf.function
    def f(n):
        with tf.GradientTape() as tape:
            y = tf.constant([1.0, 1.0])
            for i in tf.range(n):
                y = turn(i, y)
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, w)
    return f(tf.constant(n)).numpy().tolist()

def two_ways(i, y):
    if i % 2 == 0:
        y = y * w
    else:
        y = y + w
    return y

inner = lambda i, y: tf.while_loop(
    lambda j, z: j < 2, lambda j, z: [j + 1, tf.cond(j > 0, lambda: z * w, lambda: z + 1.0)], [0, y])[1]
assert slope(two_ways) == [4.0, 8.0]
assert slope(two_ways, 0) == [0.0, 0.0]
assert slope(lambda i, y: tf.cond(i % 2 == 0, lambda: y * w, lambda: y)) == [2.0, 4.0]
assert slope(lambda i, y: tf.cond(i % 2 == 0, lambda: y * 2.0, lambda: y + w)) == [2.0, 2.0]
assert slope(lambda i, y: tf.cond(i % 2 == 0, lambda: tf.cond(i > 1, lambda: y * w, lambda: y), lambda: y + w)) == [3.0, 5.0]

@tf.function
def summed(x):
    total = 0.0  # A slope has the shape of its variable, also where the loop around asks for it.
    for k in tf.range(2):
        with tf.GradientTape() as tape:
            loss = tf.cond(x + tf.cast(k, tf.float32) > 2.0, lambda: w[0] * w[0] * x, lambda: w[0] * x)
        total += tape.gradient(loss, w)[0]
    return total

assert float(summed(tf.constant(2.0))) == 6.0
assert slope(inner) == [9.0, 29.0]
assert slope(lambda i, y: y + tf.cond(i > 0, lambda: tf.gather(w, [0, 1, 1])[:2], lambda: tf.gather(w, [0, 0]))) == [4.0, 2.0]
print("right")
"""

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


def in_file(code: str, folder: pathlib.Path, **settings: str) -> str:
    """Runs |code| from a file, which AutoGraph reads."""
    script = folder / "script.py"
    script.write_text(code)
    return run(f"import runpy\nrunpy.run_path({str(script)!r})", "2", **settings).strip()


def test_slopes(tmp_path: pathlib.Path) -> None:
    """Slopes by a variable that branches in loops read."""
    assert in_file(SLOPES, tmp_path) == "right"
    assert in_file(SLOPES, tmp_path, BERTH_SIMULATE_GPUS="Tesla K20m*2", TF_CPP_MIN_LOG_LEVEL="3") == "right"


def test_shapes_and_python(tmp_path: pathlib.Path) -> None:
    """Shapes of variables and of rows of them; functions of Python are called as they are."""
    assert in_file(SHAPES, tmp_path) == "right"
