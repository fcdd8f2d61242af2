"""test_core_graph.py - berth._core.Graph: building, looking, importing."""

import numpy as np
import pytest

from berth import _core as core
from berth.framework import errors

errors.install(core)


def product():
    """Returns a graph of a fed product, and its nodes."""
    graph = core.Graph()
    a = graph.op('Placeholder', 'a', attrs={'dtype': 1, 'shape': [2, None]})
    b = graph.op('Placeholder', 'b', attrs={'dtype': core.DType(1), 'shape': core.Shape()})
    c = graph.op('MatMul', None, [(a, 0), (b, 0)], {'transpose_b': 1})
    return graph, a, b, c


def test_nodes_are_what_was_asked_for():
    graph, a, b, c = product()
    assert (a, b, c, graph.node_count) == (0, 1, 2, 3)
    assert graph.node_name(c) == 'MatMul' and graph.node_op(c) == 'MatMul'
    assert graph.node_inputs(c) == [(0, 0), (1, 0)] and graph.node_controls(c) == []
    assert graph.output_dtype(c, 0) == 1 and graph.output_shape(c, 0) == (2, None)
    assert graph.output_shape(b, 0) is None
    assert graph.consumers(a, 0) == [(c, 0)]
    assert graph.find('MatMul') == c and graph.find('nothing') is None


def test_names_are_made_unique_or_used_exactly():
    graph = core.Graph()
    attrs = {'dtype': 1, 'shape': None}
    names = [graph.node_name(graph.op('Placeholder', name, attrs=attrs)) for name in ('x', 'x', None)]
    assert names == ['x', 'x_1', 'Placeholder']
    assert graph.unique_name('x', False) == 'x_2' == graph.unique_name('x')
    with pytest.raises(errors.OpError) as info:
        graph.op('Placeholder', 'x', attrs=attrs, exact=True)
    assert info.value.error_code in (3, 6) and 'x' in info.value.message
    assert graph.node_count == 3


def test_attributes_follow_the_schema():
    graph, a, b, c = product()
    assert graph.node_attr(c, 'transpose_b') is True and graph.node_attr(c, 'transpose_a') is False
    assert graph.node_attr(c, 'T') == 1 and isinstance(graph.node_attr(c, 'T'), core.DType)
    assert graph.node_attr(a, 'shape').dims == (2, None) and graph.node_attr(b, 'shape').dims is None
    leaky = graph.op('LeakyRelu', None, [(a, 0)], {'alpha': 1})
    assert graph.node_attr(leaky, 'alpha') == 1.0
    split = graph.op('Squeeze', None, [(a, 0)], {'squeeze_dims': []})
    assert graph.node_attr(split, 'squeeze_dims') == []
    value = core.Tensor(np.float32([1, 2]))
    const = graph.op('Const', None, (), {'value': value, 'dtype': 1, '_class': [b'loc:@a'], '_note': 'x'})
    assert graph.node_attr(const, 'value').numpy().tolist() == [1, 2]
    assert graph.node_attr(const, '_class') == [b'loc:@a'] and graph.node_attr(const, '_note') == b'x'
    raw = graph.node_attr(const, '_note', True)
    copy = graph.op('NoOp', None, (), {'_note': bytearray(raw)})
    assert graph.node_attr(copy, '_note') == b'x'


@pytest.mark.parametrize('call, error', [
    (lambda g: g.op('MatMul', None, [(0, 0)]), errors.OpError),
    (lambda g: g.op('NoSuchOp'), errors.OpError),
    (lambda g: g.op(), TypeError),
    (lambda g: g.op('Add', what=1), TypeError),
    (lambda g: g.op('Identity', None, ['x']), TypeError),
    (lambda g: g.op('Identity', None, [(0, 0)], {'T': 'float'}), TypeError),
    (lambda g: g.op('Identity', None, [(99, 0)]), errors.OpError),
    (lambda g: g.node_name(99), IndexError),
    (lambda g: g.output_shape(0, 1), IndexError),
    (lambda g: g.node_attr(0, 'nothing'), errors.OpError),
    (lambda g: g.import_(b'\xff\xff'), errors.OpError),
    (lambda g: core.Shape('ab'), TypeError),
])
def test_mistakes_raise_and_leave_no_node(call, error):
    graph = product()[0]
    with pytest.raises(error):
        call(graph)
    assert graph.node_count == 3


def test_controls_devices_and_refs():
    graph, a, _, c = product()
    ref = core.Ref('mine', a, 0)
    assert (ref._graph, ref._node, ref._index) == ('mine', a, 0)
    node = graph.op('Identity', 'i', [ref], device='/gpu:1', controls=[core.Ref(None, c)])
    assert graph.node_device(node) in ('/gpu:1', '/device:GPU:1')
    assert graph.node_controls(node) == [c] and graph.node_inputs(node) == [(a, 0)]


def test_export_and_import_keep_the_graph():
    graph = product()[0]
    other = core.Graph()
    outs, nodes = other.import_(graph.export(), 'p', returns=['MatMul:0'], return_nodes=['a'])
    assert outs == [(2, 0)] and nodes == [0]
    assert [other.node_name(i) for i in range(3)] == ['p/a', 'p/b', 'p/MatMul']
    again = core.Graph()
    again.import_(graph.export())
    assert again.export() == graph.export()
    mapped = core.Graph()
    x = mapped.op('Placeholder', 'x', attrs={'dtype': 1, 'shape': None})
    mapped.import_(graph.export(), 'q', input_map={'a:0': (x, 0)})
    assert mapped.node_inputs(mapped.find('q/MatMul'))[0] == (x, 0)


def test_shapes_are_refined():
    graph, a, _, _ = product()
    graph.set_shape(a, 0, (None, 3))
    assert graph.output_shape(a, 0) == (2, 3)
    with pytest.raises(errors.OpError):
        graph.set_shape(a, 0, (5, 3))


def test_schemas_tell_inputs_outputs_and_defaults():
    schema = core.op_schema('MatMul')
    assert [i['name'] for i in schema['inputs']] == ['a', 'b']
    assert schema['outputs'] == [{'name': 'product', 'type_attr': 'T'}]
    attrs = {a['name']: a for a in schema['attrs']}
    assert attrs['transpose_a']['default'] is False and 1 in attrs['T']['allowed']
    assert not schema['is_stateful'] and core.op_schema('RandomUniform')['is_stateful']
    assert core.op_schema('AddN')['attrs'][0] == {'name': 'N', 'type': 'int', 'minimum': 1}
    assert 'MatMul' in core.ops() and core.has_kernel('MatMul')
    with pytest.raises(errors.OpError):
        core.op_schema('NoSuchOp')


def test_functions_are_made_of_graphs():
    body = core.Graph()
    x = body.op('Placeholder', 'x', attrs={'dtype': 1, 'shape': None})
    y = body.op('Neg', 'y', [(x, 0)])
    graph = core.Graph()
    graph.add_function('negate', body, [(x, 0)], [(y, 0)])
    assert graph.functions == ['negate']
    assert b'negate' in graph.export()
    with pytest.raises(errors.OpError):
        graph.add_function('other', body, [(x, 0)], [(99, 0)])
    other = core.Graph()
    other.import_(graph.export())
    assert other.functions == ['negate']


def test_stacks_leave_out_as_many_calls_as_asked():
    whole = core.call_stack(0)
    assert core.call_stack(1)[0] is whole[2] and len(core.call_stack(1)) == len(whole) - 2
    assert core.call_stack(2**62) == ()
    # Fewer than none are none; a sanitizer sees whether that is counted down.
    assert len(core.call_stack(-1)) == len(core.call_stack(-2**63)) == len(whole)
    with pytest.raises(OverflowError):
        core.call_stack(2**63)
