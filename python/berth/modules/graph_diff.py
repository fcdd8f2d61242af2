"""graph_diff - Says how one GraphDef differs from another, in TensorFlow's words."""

from __future__ import annotations

from typing import Any, Optional


def difference(actual: Any, expected: Any) -> Optional[str]:
    """Returns the first thing that differs between two GraphDefs; None when they have the same nodes."""
    found = {node.name: node for node in actual.node}
    for node in expected.node:
        other = found.pop(node.name, None)
        if other is None:
            return f"Did not find expected node '{node_text(node)}'"
        text = _node_difference(other, node)
        if text is not None:
            return text
    for node in found.values():
        return f"Found unexpected node '{node_text(node)}'"
    return None


def _node_difference(actual: Any, expected: Any) -> Optional[str]:
    label = f"Node named '{actual.name}'"
    for field in ('op', 'device'):
        if getattr(actual, field) != getattr(expected, field):
            return (f"{label} has {field} '{getattr(actual, field)}' that is not expected "
                    f"'{getattr(expected, field)}'")
    return _input_difference(label, actual, expected) or _attr_difference(label, actual, expected)


def _input_difference(label: str, actual: Any, expected: Any) -> Optional[str]:
    if len(actual.input) != len(expected.input):
        return f'{label} has {len(actual.input)} inputs but expected {len(expected.input)}'
    wanted = [name for name in expected.input if name[0] != '^']
    for index, name in enumerate(wanted):
        if actual.input[index] != name:
            return f"{label} has input {index} '{actual.input[index]}' that doesn't match expected '{name}'"
    controls = set(actual.input[len(wanted):])
    for name in expected.input[len(wanted):]:
        if name not in controls:
            return f"{label} missing expected control input '{name}'"
    return None


def _attr_difference(label: str, actual: Any, expected: Any) -> Optional[str]:
    for key in sorted(key for key in expected.attr if key[0] != '_'):
        wanted = expected.attr[key]
        if key not in actual.attr:
            return f"{label} missing expected attr '{key}' with value: {attr_text(wanted)}"
        if actual.attr[key] != wanted:
            return (f"{label} has attr '{key}' with value: {attr_text(actual.attr[key])} that does not match expected: "
                    f'{attr_text(wanted)}')
    for key in sorted(actual.attr):
        if key[0] != '_' and key not in expected.attr:
            return f"{label} has unexpected attr '{key}' with value: {attr_text(actual.attr[key])}"
    return None


def node_text(node: Any) -> str:
    """Returns a node as messages show it."""
    attrs = [f'{key}={attr_text(node.attr[key])}' for key in sorted(node.attr) if key[0] != '_']
    device = f', device="{node.device}"' if node.device else ''
    return f'{{{{node {node.name}}}}} = {node.op}[{", ".join(attrs)}{device}]({", ".join(node.input)})'


def attr_text(value: Any) -> str:
    """Returns the value of an attribute as messages show it."""
    kind = value.WhichOneof('value')
    if kind == 'list':
        for name in ('s', 'i', 'f', 'b', 'type', 'shape', 'tensor', 'func'):
            items = getattr(value.list, name)
            if len(items):
                return f'[{", ".join(_value_text(name, item) for item in items)}]'
        return '[]'
    return _value_text(kind, getattr(value, kind)) if kind else '<Unknown AttrValue type>'


def _value_text(kind: str, value: Any) -> str:
    from berth.framework import dtypes

    if kind == 's':
        return f'"{value.decode(errors="replace")}"'
    if kind == 'b':
        return 'true' if value else 'false'
    if kind == 'type':
        return 'DT_' + _type_word(dtypes.as_dtype(value).name).upper()
    if kind == 'shape':
        return '<unknown>' if value.unknown_rank else \
            f'[{",".join("?" if d.size < 0 else str(d.size) for d in value.dim)}]'
    if kind == 'func':
        return f'{value.name}[]'
    return _tensor_text(value) if kind == 'tensor' else f'{value:g}' if kind == 'f' else str(value)


def _type_word(name: str) -> str:
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(name, name)


def _tensor_text(proto: Any) -> str:
    """Returns the type, shape and first values of a tensor."""
    from berth import _core
    from berth.framework import dtypes

    tensor = _core.Tensor.from_proto(proto.SerializeToString())
    values = tensor.numpy()
    shown = [str(v) for v in (values.reshape(-1)[:3] if tensor.shape else [values])]
    more = '...' if tensor.shape and values.size > 3 else ''
    dims = ','.join(str(d) for d in tensor.shape)
    name = _type_word(dtypes.as_dtype(tensor.dtype).name)
    return f'Tensor<type: {name} shape: [{dims}] values: {" ".join(shown)}{more}>'
