"""call_library - Graphs whose functions call themselves and each other, as GraphDefs."""

from __future__ import annotations

from typing import Any

INT, BOOL, RESOURCE = 3, 10, 20
_WORDS = {INT: 'DT_INT32', BOOL: 'DT_BOOL', RESOURCE: 'DT_RESOURCE'}


def _attr(key: str, text: str) -> str:
    return f'attr {{ key: "{key}" value {{ {text} }} }} '


def _types(key: str, types: list[int]) -> str:
    return _attr(key, 'list { ' + ' '.join(f'type: {_WORDS[t]}' for t in types) + ' }')


def node(name: str, op: str, inputs: str, attrs: str = '') -> str:
    """The text of a node."""
    given = ' '.join(f'input: "{text}"' for text in inputs.split())
    return f'node_def {{ name: "{name}" op: "{op}" {given} {attrs} }}\n'


def number(name: str, value: int) -> str:
    """The text of a constant."""
    return node(name, 'Const', '', _attr('dtype', 'type: DT_INT32') + _attr(
        'value', f'tensor {{ dtype: DT_INT32 tensor_shape {{}} int_val: {value} }}'))


def math(name: str, op: str, inputs: str) -> str:
    """The text of a node of whole numbers."""
    return node(name, op, inputs, _attr('T', 'type: DT_INT32'))


def call(name: str, function: str, inputs: str, types: list[int], old: bool, out: int = INT) -> str:
    """The text of a call: a node of its own op, or a PartitionedCall."""
    if old:
        return node(name, function, inputs)
    return node(name, 'StatefulPartitionedCall', inputs, _attr('f', f'func {{ name: "{function}" }}')
                + _types('Tin', types) + _types('Tout', [out]))


def choice(name: str, inputs: str, types: list[int], yes: str, no: str, out: int = INT) -> str:
    """The text of an If."""
    return node(name, 'If', inputs, _attr('Tcond', 'type: DT_BOOL') + _types('Tin', types) + _types('Tout', [out])
                + _attr('then_branch', f'func {{ name: "{yes}" }}') + _attr('else_branch', f'func {{ name: "{no}" }}'))


def function(name: str, args: list[int], body: str, result: str, out: int = INT, more: str = '') -> str:
    """The text of a function whose arguments are called a, b and so on."""
    given = ' '.join(f'input_arg {{ name: "{"abc"[i]}" type: {_WORDS[t]} }}' for i, t in enumerate(args))
    return (f'function {{ signature {{ name: "{name}" {given} output_arg {{ name: "r" type: {_WORDS[out]} }} '
            f'is_stateful: true }}\n{body} ret {{ key: "r" value: "{result}" }} {more} }}\n')


def library(old: bool) -> str:
    """Recursion of several kinds."""
    end = 'r' if old else 'output'
    less = number('one', 1) + math('less', 'LessEqual', 'a one:output:0')
    minus = number('one', 1) + math('minus', 'Sub', 'a one:output:0')
    texts = [
        function('same', [INT], math('i', 'Identity', 'a'), 'i:output:0'),
        function('fact', [INT], less + choice('if', 'less:z:0 a', [INT], 'same', 'fact_more'), 'if:output:0'),
        function('fact_more', [INT], minus + call('call', 'fact', 'minus:z:0', [INT], old)
                 + math('mul', 'Mul', f'a call:{end}:0'), 'mul:z:0'),
        function('fib', [INT], less + choice('if', 'less:z:0 a', [INT], 'same', 'fib_more'), 'if:output:0'),
        function('fib_more', [INT], minus + number('two', 2) + math('minus2', 'Sub', 'a two:output:0')
                 + call('x', 'fib', 'minus:z:0', [INT], old) + call('y', 'fib', 'minus2:z:0', [INT], old)
                 + math('add', 'AddV2', f'x:{end}:0 y:{end}:0'), 'add:z:0'),
        # Branches that are the functions themselves.
        function('true', [INT], node('yes', 'Const', '', _attr('dtype', 'type: DT_BOOL') + _attr(
            'value', 'tensor { dtype: DT_BOOL tensor_shape {} bool_val: true }')), 'yes:output:0', BOOL),
        function('odd', [INT], minus + math('minus2', 'Sub', 'minus:z:0 one:output:0')
                 + call('even', 'even', 'minus2:z:0', [INT], old, BOOL), f'even:{end}:0', BOOL),
        function('even', [INT], number('zero', 0) + math('is', 'Equal', 'a zero:output:0')
                 + choice('if', 'is:z:0 a', [INT], 'true', 'not_odd', BOOL), 'if:output:0', BOOL),
        function('not_odd', [INT], minus + number('zero', 0) + math('is', 'Equal', 'minus:z:0 zero:output:0')
                 + choice('if', 'is:z:0 a', [INT], 'false', 'odd', BOOL), 'if:output:0', BOOL),
        function('false', [INT], node('no', 'Const', '', _attr('dtype', 'type: DT_BOOL') + _attr(
            'value', 'tensor { dtype: DT_BOOL tensor_shape {} bool_val: false }')), 'no:output:0', BOOL),
        # Changes of a variable.
        function('total', [RESOURCE, INT], number('zero', 0) + math('less', 'LessEqual', 'b zero:output:0')
                 + choice('if', 'less:z:0 a b', [RESOURCE, INT], 'read', 'total_more'), 'if:output:0'),
        function('read', [RESOURCE, INT], node('v', 'ReadVariableOp', 'a', _attr('dtype', 'type: DT_INT32')),
                 'v:value:0'),
        function('total_more', [RESOURCE, INT], number('one', 1) + math('minus', 'Sub', 'b one:output:0')
                 + node('change', 'AssignAddVariableOp', 'a b', _attr('dtype', 'type: DT_INT32'))
                 + call('call', 'total', 'a minus:z:0 ^change', [RESOURCE, INT], old), f'call:{end}:0'),
        function('endless', [INT], call('again', 'endless', 'a', [INT], old), f'again:{end}:0'),
        function('deep200', [INT], math('i', 'Identity', 'a'), 'i:output:0')]
    for level in range(200):
        texts.append(function(f'deep{level}', [INT], number('one', 1) + math('add', 'AddV2', 'a one:output:0')
                              + call('next', f'deep{level + 1}', 'add:z:0', [INT], old), f'next:{end}:0'))
    return 'library {\n' + ''.join(texts) + '}\n'


def build(tf: Any, old: bool) -> tuple[Any, list[Any]]:
    """Makes the graph; returns it with what to feed and what to fetch."""
    from google.protobuf import text_format
    top = (call('fact_of', 'fact', 'n', [INT], old) + call('fib_of', 'fib', 'n', [INT], old)
           + call('even_of', 'even', 'n', [INT], old, BOOL) + call('total_of', 'total', 'v n', [RESOURCE, INT], old)
           + call('endless_of', 'endless', 'n', [INT], old) + call('deep_of', 'deep0', 'n', [INT], old))
    definition = text_format.Parse(library(old) + top.replace('node_def {', 'node {'), tf.GraphDef())
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [])
        v = tf.Variable(0, use_resource=True)
        tf.group(v.initializer, name='init')
        names = ['fact_of', 'fib_of', 'even_of', 'total_of', 'endless_of', 'deep_of']
        made = tf.import_graph_def(definition, input_map={'n': n, 'v': v.handle}, name='',
                                   return_elements=[name + ':0' for name in names])
    return graph, [n, *made]


# What runs of the calls below fail with, as TensorFlow 2.21 says it.
ERRORS = {
    'inlined': 'Integer division by zero\n\t [[{{node div}}]]',
    'kept': 'Integer division by zero\n\t [[{{node div}}]]\n\t [[inner]]\n\t [[kept]]',
    'old': 'Integer division by zero\n\t [[{{node div}}]]\n\t [[old]]',
    'branch': 'Integer division by zero\n\t [[{{node div}}]]',
    'missing': 'Failed to find function "nowhere" in function library\n\t [[{{node missing}}]]',
}


def load(tf: Any, name: str, n: Any) -> None:
    """Imports functions that fail, and calls of them."""
    from google.protobuf import text_format
    divide = math('zero', 'Sub', 'a a') + math('div', 'FloorDiv', 'a zero:z:0')
    noinline = _attr('_noinline', 'b: true')
    texts = [
        function('fails', [INT], divide, 'div:z:0'),
        function('fails_kept', [INT], divide, 'div:z:0', more=noinline),
        function('calls', [INT], call('inner', 'fails', 'a', [INT], False), 'inner:output:0'),
        function('calls_kept', [INT], call('inner', 'fails_kept', 'a', [INT], False), 'inner:output:0', more=noinline),
        'function { signature { name: "pair" input_arg { name: "a" type: DT_INT32 } '
        'output_arg { name: "x" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }'
        + math('add', 'AddV2', 'a a') + math('mul', 'Mul', 'a a')
        + 'ret { key: "x" value: "add:z:0" } ret { key: "y" value: "mul:z:0" } }',
        function('uses', [INT], node('t', 'pair', 'a') + math('sub', 'Sub', 't:y:0 t:x:0'), 'sub:z:0')]
    lowered = _attr('_lower_using_switch_merge', 'b: true')
    nodes = [
        call('inlined', 'calls', 'n', [INT], False), call('kept', 'calls_kept', 'n', [INT], False),
        node('old', 'fails_kept', 'n'), call('missing', 'nowhere', 'n', [INT], False),
        node('two', 'uses', 'n'),
        number('one', 1), math('is', 'LessEqual', 'one n'),
        choice('branch', 'is n', [INT], 'fails', 'calls').replace('op: "If"', 'op: "StatelessIf" ' + lowered)]
    text = 'library {\n' + ''.join(texts) + '}\n' + ''.join(nodes).replace('node_def {', 'node {')
    tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), input_map={'n': n}, name='')


def shaped(op: str, shapes: str) -> str:
    """The text of a graph with one If or While of |shapes|."""
    texts = [function('same', [INT], math('i', 'Identity', 'a'), 'i:output:0'),
             function('yes', [INT], node('yes', 'Const', '', _attr('dtype', 'type: DT_BOOL') + _attr(
                 'value', 'tensor { dtype: DT_BOOL tensor_shape {} bool_val: true }')), 'yes:output:0', BOOL)]
    said = _attr('output_shapes', f'list {{ {shapes} }}')
    if op == 'While':
        made = node('node', op, 'a', _types('T', [INT]) + _attr('cond', 'func { name: "yes" }')
                    + _attr('body', 'func { name: "same" }') + said)
    else:
        made = choice('node', 'p a', [INT], 'same', 'same').replace('op: "If"', f'op: "{op}" {said}')
    return 'library {\n' + ''.join(texts) + '}\n' + made.replace('node_def {', 'node {')
