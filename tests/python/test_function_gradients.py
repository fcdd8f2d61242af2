"""test_function_gradients.py - Gradients through what functions run, and the shapes of what they give."""

from __future__ import annotations

import pathlib

import pytest
from script import run

FOLDER = pathlib.Path(__file__).parent
DATA = FOLDER.parent / 'data'

START = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import berth, random_calls, call_shapes, call_library
tf = berth.compat.v1
tf.disable_v2_behavior()
"""

# A function that draws a number and counts its calls, as a GraphDef in TensorFlow's text form.
NOISY = '''
library { function {
  signature { name: "noisy" input_arg { name: "h" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT }
              output_arg { name: "r" type: DT_FLOAT } is_stateful: true control_output: "up" }
  node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1.0 } } } }
  node_def { name: "shape" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 0 } } } } } }
  node_def { name: "u" op: "RandomUniform" input: "shape:output:0" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "T" value { type: DT_INT32 } } }
  node_def { name: "up" op: "AssignAddVariableOp" input: "h" input: "one:output:0"
             attr { key: "dtype" value { type: DT_FLOAT } } }
  node_def { name: "y" op: "Mul" input: "x" input: "u:output:0" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "r" value: "y:z:0" } control_ret { key: "up" value: "up" } MARK } }
node { name: "call" op: "StatefulPartitionedCall" input: "h" input: "x" attr { key: "f" value { func { name: "noisy" } } }
       attr { key: "Tin" value { list { type: DT_RESOURCE type: DT_FLOAT } } }
       attr { key: "Tout" value { list { type: DT_FLOAT } } } }
'''

ONCE = START + f"""
from google.protobuf import text_format
NOISY = '''{NOISY}'''
def build(mark):
    v = tf.Variable(0.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")
    tf.group(v.initializer, name="init")
    tf.identity(v.read_value(), name="count")
    definition = text_format.Parse(NOISY.replace("MARK", mark), tf.GraphDef())
    y, = tf.import_graph_def(definition, input_map={{"h": v.handle, "x": x}}, return_elements=["call:0"], name="")
    return x, y
def check(session, slope):
    for count in (1, 2):
        y, dx = session.run(["call:0", slope], {{"x:0": 2.0}})
        assert y / 2 == dx, (y, dx)                      # The number that was drawn is one.
        assert session.run("count:0") == count
for mark in ("", 'attr {{ key: "_noinline" value {{ b: true }} }}'):
    with tf.Graph().as_default() as graph:
        x, y = build(mark)
        slope = tf.gradients(y, x)[0].name
        assert tf.gradients(y, x)[0].name != slope       # Two gradients of one unfolding.
        with tf.Session() as session:
            session.run("init")
            check(session, slope)
        definition = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")         # Others run it once, too.
        session.run("init")
        check(session, slope)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = build(mark)
        session.run("init")
        session.run(y, {{x: 2.0}})
        slope = tf.gradients(y, x)[0].name               # After a run.
        session.run("init")
        try:
            check(session, slope)
            assert not mark
        except tf.errors.FailedPreconditionError as error:
            assert mark and "was run before a gradient was taken through it" in str(error), error
        with tf.Session() as other:
            other.run("init")
            check(other, slope)
print("right")
"""

BRANCHES = '''library { function { signature { name: "cube" input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "r" type: DT_DOUBLE } }
  node_def { name: "s" op: "Mul" input: "a" input: "a" attr { key: "T" value { type: DT_DOUBLE } } }
  node_def { name: "c" op: "Mul" input: "s:z:0" input: "a" attr { key: "T" value { type: DT_DOUBLE } } }
  ret { key: "r" value: "c:z:0" } }
 function { signature { name: "sin" input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "r" type: DT_DOUBLE } }
  node_def { name: "s" op: "Sin" input: "a" attr { key: "T" value { type: DT_DOUBLE } } } ret { key: "r" value: "s:y:0" } } }
node { name: "if" op: "StatelessIf" input: "p" input: "x" attr { key: "Tcond" value { type: DT_BOOL } }
  attr { key: "Tin" value { list { type: DT_DOUBLE } } } attr { key: "Tout" value { list { type: DT_DOUBLE } } }
  attr { key: "then_branch" value { func { name: "cube" } } } attr { key: "else_branch" value { func { name: "sin" } } } }
node { name: "call" op: "cube" input: "if" }'''

SECOND = START + f"""
from google.protobuf import text_format
text = '''{BRANCHES}'''
import numpy as np
with tf.Graph().as_default(), tf.Session() as session:
    x, p = tf.placeholder(tf.float64, []), tf.placeholder(tf.bool, [])
    y, = tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), input_map={{"x": x, "p": p}}, return_elements=["call:0"])
    first, = tf.gradients(y, x)
    second, = tf.gradients(first, x)
    third, = tf.gradients(second, x)
    found = session.run([y, first, second, third], {{x: 0.7, p: True}})
    assert np.allclose(found, [0.7 ** 9, 9 * 0.7 ** 8, 72 * 0.7 ** 7, 504 * 0.7 ** 6], 1e-12), found
    s, c = np.sin(0.7), np.cos(0.7)
    wanted = [s ** 3, 3 * s * s * c, 6 * s * c * c - 3 * s ** 3, 6 * c ** 3 - 21 * s * s * c]
    found = session.run([y, first, second, third], {{x: 0.7, p: False}})
    assert np.allclose(found, wanted, 1e-12), (found, wanted)
print("right")
"""

TAPES = START + f"""
from google.protobuf import text_format
import numpy as np
text = '''{BRANCHES}'''
tf2 = berth
tf2.compat.v1.enable_v2_behavior()

def body(x, p):
    return tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), input_map={{"x": x, "p": p}}, return_elements=["call:0"])[0]

function = tf2.function(body)
within = tf2.function(lambda x, p: tf2.gradients(body(x, p), x)[0])
s, c = np.sin(0.7), np.cos(0.7)
x = tf2.constant(0.7, tf2.float64)
for p, wanted in ((True, [0.7 ** 9, 9 * 0.7 ** 8, 72 * 0.7 ** 7]), (False, [s ** 3, 3 * s * s * c, 6 * s * c * c - 3 * s ** 3])):
    with tf2.GradientTape() as outer:
        outer.watch(x)
        with tf2.GradientTape() as inner:
            inner.watch(x)
            y = function(x, tf2.constant(p))
        first = inner.gradient(y, x)
    found = [y.numpy(), first.numpy(), outer.gradient(first, x).numpy()]
    assert np.allclose(found, wanted, 1e-12), (p, found, wanted)
    assert np.allclose(within(x, tf2.constant(p)), wanted[1], 1e-12)
print("right")
"""

RECURSION = START + """
with tf.Graph().as_default():
    from google.protobuf import text_format
    text = '''library { function { signature { name: "again" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
      node_def { name: "next" op: "again" input: "a" } ret { key: "r" value: "next:r:0" } } }
    node { name: "call" op: "again" input: "x" }'''
    x = tf.placeholder(tf.float32, [])
    y, = tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), input_map={"x": x}, return_elements=["call:0"], name="")
    try:
        tf.gradients(y, x)
        print("no error")
    except TypeError as error:
        assert str(error) == "No gradient goes through call/next (StatefulPartitionedCall): its function calls itself", error
print("right")
"""

SHAPES = START + """
with open({recorded!r}) as file:
    wanted = file.read().splitlines()
found = list(call_shapes.lines(tf))
assert len(found) == len(wanted)
for line, text in zip(found, wanted):
    assert line == text, (line, text)
print("right")
"""


RANDOM = START + """
assert random_calls.try_file(tf, {recorded!r}, slice({first}, None, {step})) > 0
print("right")
"""


def try_random(first: int, step: int, **settings: str) -> None:
    """Tries every |step|th of the recorded graphs."""
    text = RANDOM.format(recorded=str(DATA / 'random_calls.xz'), first=first, step=step)
    assert run(text, **settings).strip() == 'right'


@pytest.mark.parametrize('first', range(2))
def test_as_tensorflow(first: int) -> None:
    """Random graphs of functions in functions, and their gradients."""
    try_random(first, 2)


def test_on_cards() -> None:
    """The same with cards to place nodes on, and on busy ones."""
    try_random(0, 6, BERTH_SIMULATE_GPUS='NVIDIA H200*2')
    try_random(3, 6, BERTH_SIMULATE_GPUS='NVIDIA H200*2', BERTH_SOFTGPU_STRESS='1')


def test_once() -> None:
    """What acts in a function acts once, with a gradient and without; also where the graph is read again."""
    assert run(ONCE).strip() == 'right'


def test_second_order() -> None:
    """Gradients of gradients."""
    assert run(SECOND).strip() == 'right'


def test_tapes() -> None:
    """A tf.function that imports a graph with functions, and tapes around it."""
    assert run(TAPES).strip() == 'right'


def test_recursion() -> None:
    """No gradient goes through a function that calls itself."""
    assert run(RECURSION).strip() == 'right'


def test_shapes() -> None:
    """Shapes and messages are TensorFlow's."""
    assert run(SHAPES.format(recorded=str(DATA / 'call_shapes.txt'))).strip() == 'right'
