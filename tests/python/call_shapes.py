"""call_shapes - What is known of the results of calls, If, Case and While of a GraphDef, and what is wrong with them.

    python call_shapes.py > ../data/call_shapes.txt     as TensorFlow has it
"""

from __future__ import annotations

from typing import Any, Iterator


def _list(key: str, text: str) -> str:
    return f'attr {{ key: "{key}" value {{ list {{ {text} }} }} }} '


def _func(key: str, name: str) -> str:
    return f'attr {{ key: "{key}" value {{ func {{ name: "{name}" }} }} }} '


def _types(key: str, types: str) -> str:
    return _list(key, ' '.join(f'type: DT_{word}' for word in types.split()))


def _shape(*dims: int) -> str:
    return 'shape { ' + ' '.join(f'dim {{ size: {dim} }}' for dim in dims) + ' } '


def _const(name: str, kind: str, text: str) -> str:
    return (f'node_def {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_{kind} }} }} attr {{ key: "value" '
            f'value {{ tensor {{ dtype: DT_{kind} {text} }} }} }} }} ')


def _node(name: str, op: str, inputs: str, attrs: str = '') -> str:
    given = ' '.join(f'input: "{text}"' for text in inputs.split())
    return f'node_def {{ name: "{name}" op: "{op}" {given} {attrs} }} '


def _type(key: str, kind: str) -> str:
    return f'attr {{ key: "{key}" value {{ type: DT_{kind} }} }} '


def _function(name: str, args: str, results: str, body: str) -> str:
    """A function; |args| are `name:type`, |results| `name:type=value`."""
    takes = ' '.join(f'input_arg {{ name: "{a}" type: DT_{t} }}' for a, t in (arg.split(':') for arg in args.split()))
    parts = [(head.split(':'), value) for head, value in (text.split('=') for text in results.split())]
    gives = ' '.join(f'output_arg {{ name: "{r}" type: DT_{t} }}' for (r, t), _ in parts)
    rets = ' '.join(f'ret {{ key: "{head[0]}" value: "{value}" }}' for head, value in parts)
    return f'function {{ signature {{ name: "{name}" {takes} {gives} }} {body} {rets} }} '


FLOAT = _type('T', 'FLOAT')
LIBRARY = 'library { ' + ''.join((
    _function('two', 'a:FLOAT', 'r:FLOAT=m:z:0 s:FLOAT=c:output:0',
              _const('c', 'FLOAT', 'tensor_shape { dim { size: 3 } } float_val: 1.0') + _node('m', 'Mul', 'a a', FLOAT)),
    _function('yes', 'a:FLOAT b:FLOAT', 'r:BOOL=c:output:0', _const('c', 'BOOL', 'tensor_shape { } bool_val: true')),
    _function('body', 'a:FLOAT b:FLOAT', 'r:FLOAT=m:z:0 s:FLOAT=b', _node('m', 'Mul', 'a a', FLOAT)),
    _function('square', 'a:FLOAT', 'r:FLOAT=m:product:0', _node('m', 'MatMul', 'a a', FLOAT)),
    _function('nested', 'a:FLOAT', 'r:FLOAT=m:r:0', _node('m', 'square', 'a')),
    _function('read', 'a:RESOURCE', 'r:FLOAT=m:value:0', _node('m', 'ReadVariableOp', 'a', _type('dtype', 'FLOAT'))),
    _function('fill', 'a:INT32', 'r:FLOAT=m:output:0',
              _const('c', 'FLOAT', 'tensor_shape { } float_val: 1.0')
              + _node('m', 'Fill', 'a c:output:0', FLOAT + _type('index_type', 'INT32'))),
    _function('choose', 'a:FLOAT p:BOOL', 'r:FLOAT=m:output:0',
              _node('m', 'StatelessIf', 'p a', _type('Tcond', 'BOOL') + _types('Tin', 'FLOAT') + _types('Tout', 'FLOAT')
                    + _func('then_branch', 'square') + _func('else_branch', 'square'))),
    _function('lost', 'a:FLOAT', 'r:FLOAT=m:z:0', _node('m', 'Mul', 'a nowhere:z:0', FLOAT)),
)) + '} '


def _call(function: str, inputs: str, types: str = 'FLOAT', results: str = 'FLOAT', more: str = '') -> str:
    given = ' '.join(f'input: "{text}"' for text in inputs.split())
    return f'op: "PartitionedCall" {given} ' + _func('f', function) + _types('Tin', types) + _types('Tout', results) + more


_TWO = _types('Tin', 'FLOAT') + _types('Tout', 'FLOAT FLOAT')
_IF = 'input: "p" input: "x" ' + _type('Tcond', 'BOOL') + _func('then_branch', 'two') + _func('else_branch', 'two') + _TWO
_CASE = 'input: "i" input: "x" ' + _list('branches', 'func { name: "two" } func { name: "two" }') + _TWO
_WHILE = 'input: "x" input: "z" ' + _func('cond', 'yes') + _func('body', 'body') + _types('T', 'FLOAT FLOAT')
_UNKNOWN = 'shape { unknown_rank: true } '
FORMS = {
    'call': _call('two', 'x', results='FLOAT FLOAT'),
    'acting call': _call('two', 'x', results='FLOAT FLOAT').replace('"Part', '"StatefulPart'),
    'old call': 'op: "two" input: "x" ',
    'If': f'op: "If" {_IF}', 'StatelessIf': f'op: "StatelessIf" {_IF}',
    'Case': f'op: "Case" {_CASE}', 'StatelessCase': f'op: "StatelessCase" {_CASE}',
    'While': f'op: "While" {_WHILE}', 'StatelessWhile': f'op: "StatelessWhile" {_WHILE}',
}
SAID = {
    'nothing': '', 'shapes': _list('output_shapes', _shape(2, -1) + _UNKNOWN), 'no shapes': _list('output_shapes', ''),
    'other shapes': _list('output_shapes', _shape(9) + _UNKNOWN),
    'shapes outside': _list('_output_shapes', _shape(2, 5) + _shape(3)),
    'wrong outside': _list('_output_shapes', _shape(9) + _shape(3)), 'one outside': _list('_output_shapes', _shape(2, 5)),
    'unknown outside': _list('_output_shapes', _UNKNOWN + _UNKNOWN),
    'both': _list('output_shapes', _shape(2, -1) + _UNKNOWN) + _list('_output_shapes', _shape(2, 5) + _shape(3)),
}
CALLS = {
    'square': _call('square', 's'), 'not square': _call('square', 'y'), 'not square inside': _call('nested', 'y'),
    'square inside': _call('nested', 's'), 'not square, old': 'op: "square" input: "y"',
    'variable': _call('read', 'h', 'RESOURCE'), 'constant': _call('fill', 'c', 'INT32'),
    'If inside': _call('choose', 's p', 'FLOAT BOOL'), 'input lost': _call('lost', 's'),
    'more arguments': _call('square', 's s', 'FLOAT FLOAT'), 'no argument': _call('square', '', ''),
    'argument of a type': _call('square', 'n', 'INT32'), 'more results': _call('square', 's', results='FLOAT FLOAT'),
    'no result': _call('square', 's', results=''), 'result of a type': _call('square', 's', results='INT32'),
}


def _inputs(tf: Any) -> dict[str, Any]:
    return {'x': tf.placeholder(tf.float32, [2, None]), 'y': tf.placeholder(tf.float32, [2, 3]),
            's': tf.placeholder(tf.float32, [2, 2]), 'z': tf.placeholder(tf.float32, [4]), 'p': tf.placeholder(tf.bool, []),
            'i': tf.placeholder(tf.int32, []), 'n': tf.placeholder(tf.int32, [2]), 'c': tf.constant([2, 7]),
            'h': tf.Variable(tf.zeros([3, 4]), use_resource=True).handle}


def _found(tf: Any, node: str) -> str:
    """What importing |node| gives: shapes, or a message; and what a run says where it fails."""
    from google.protobuf import text_format

    with tf.Graph().as_default(), tf.Session() as session:
        inputs = _inputs(tf)
        used = {name: value for name, value in inputs.items() if f'input: "{name}"' in node}
        definition = text_format.Parse(f'{LIBRARY} node {{ name: "node" {node} }}', tf.GraphDef())
        try:
            made, = tf.import_graph_def(definition, input_map=used, return_elements=['node'], name='')
        except (ValueError, tf.errors.OpError) as error:
            return f'{type(error).__name__}: {error}'
        text = ' '.join(str(output.shape) for output in made.outputs)
        if not set(used) <= {'s'}:
            return text
        try:
            session.run(made.outputs, {inputs['s']: [[1, 2], [3, 4]]})
        except tf.errors.OpError as error:
            last = [line for line in error.message.split('\n\nOriginal stack')[0].splitlines() if line.strip()]
            text += f'; {type(error).__name__}: {" ".join(last[-2 if "[[" in last[-1] else -1:])}'
        return text


def lines(tf: Any) -> Iterator[str]:
    """A line for each case."""
    for form, node in FORMS.items():
        for said, attrs in SAID.items():
            yield f'{form}, {said}: {_found(tf, node + attrs)!r}'
    for name, node in CALLS.items():
        yield f'{name}: {_found(tf, node)!r}'


if __name__ == '__main__':
    import tensorflow.compat.v1
    tensorflow.compat.v1.disable_v2_behavior()
    for line in lines(tensorflow.compat.v1):
        print(line)
