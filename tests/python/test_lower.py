"""test_lower.py - Graphs that call functions give what TensorFlow gives."""

from __future__ import annotations

import pathlib

import pytest
from script import run

FOLDER = pathlib.Path(__file__).parent
RECORDED = FOLDER.parent / "data" / "lower.txt"  # Lines of `random_flow.py --functions`, from TensorFlow.

START = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import berth, random_flow
tf = berth.compat.v1
tf.disable_v2_behavior()
"""

SAME = START + """
for line in list(open({recorded!r}))[{first}::2]:
    random_flow.try_functions(tf, line)
print("right")
"""

# A function, calls of it, and what waits for them: as a GraphDef in TensorFlow's text form.
LIBRARY = '''
library {
  function {
    signature {
      name: "add_to"
      input_arg { name: "handle" type: DT_RESOURCE }
      input_arg { name: "amount" type_attr: "T" }
      output_arg { name: "twice" type_attr: "T" }
      attr { name: "T" type: "type" }
      control_output: "change"
    }
    node_def { name: "sum" op: "AddV2" input: "amount" input: "amount" attr { key: "T" value { placeholder: "T" } } }
    node_def { name: "change" op: "AssignAddVariableOp" input: "handle" input: "amount"
               attr { key: "dtype" value { placeholder: "T" } } }
    ret { key: "twice" value: "sum:z:0" }
    control_ret { key: "change" value: "change" }
  }
  function {
    signature { name: "endless" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "again" op: "endless" input: "x" }
    ret { key: "y" value: "again:y:0" }
  }
}
'''

CALLS = START + """
from google.protobuf import text_format
definition = text_format.Parse('''{library}''', tf.GraphDef())
with tf.Graph().as_default() as graph, tf.Session() as session:
    v = tf.Variable(1.0, use_resource=True)
    session.run(v.initializer)
    tf.import_graph_def(definition)
    call = definition.node.add(name="call", op="PartitionedCall", input=["handle", "amount"])
    call.attr["f"].func.name = "add_to"
    call.attr["f"].func.attr["T"].type = 1
    call.attr["Tin"].list.type.extend([20, 1])
    call.attr["Tout"].list.type.append(1)
    made, = tf.import_graph_def(definition, input_map={{"handle": v.handle, "amount": tf.constant(3.0)}},
                                return_elements=["call"], name="")
    assert session.run(made.outputs[0]) == 6.0
    assert session.run(v) == 4.0                       # What acts has run, though nobody has asked for it.
    session.run(made)                                  # The call as a target.
    assert session.run(v) == 7.0
    with tf.control_dependencies([made]):
        after = v.read_value() * 1.0
    assert session.run(after) == 10.0                  # Who waits for the call waits for what it does.
    later = tf.constant(5.0) + made.outputs[0]         # The graph has grown.
    assert session.run(later) == 11.0
    definition.node[0].name, definition.node[0].op = "again", "endless"
    del definition.node[0].input[:]
    definition.node[0].input.append("x")
    definition.node[0].attr.clear()
    endless, = tf.import_graph_def(definition, input_map={{"x": tf.constant(1.0)}}, return_elements=["again"], name="")
    try:
        session.run(endless.outputs[0])
        print("no error")
    except tf.errors.AbortedError as error:
        assert "does it call itself without end?" in str(error), error
    assert session.run(later) == 11.0                  # Who does not need it is not disturbed.
print("right")
"""


@pytest.mark.parametrize("first", range(2))
def test_as_tensorflow(first: int) -> None:
    """Random graphs whose branches and bodies are functions."""
    assert run(SAME.format(recorded=str(RECORDED), first=first)).strip() == "right"


def test_calls() -> None:
    """Calls of a function: values, what acts, waiting; one that never ends."""
    assert run(CALLS.format(library=LIBRARY)).strip() == "right"
