"""guard - Initial values that depend on variables which may have no value yet.

`b = tf.Variable(a * 2)` reads `a` when it is initialised. So that this works in any order, and
also alone, the assignment gets a copy of the expression in which `a` is replaced by its value,
or by its initial value as long as there is none. The expression itself stays what it is.
"""

from __future__ import annotations

from typing import Any

from berth.framework import scopes
from berth.framework.collections import GraphKeys

_VARIABLES = frozenset(('Variable', 'VariableV2', 'VarHandleOp'))
# What has a value whatever the variable has, or looks after itself.
_LEFT_ALONE = frozenset(('IsVariableInitialized', 'VarIsInitializedOp', 'ReadVariableOp', 'If'))


def guarded(name: str, value: Any) -> Any:
    """Returns |value|, or such a copy of it; |name| is the scope of the variable that it is for."""
    if not _needs_variable(value.op):
        return value
    return _copy(name, value, {})


def _needs_variable(op: Any) -> bool:
    """True when |op| depends on a variable. What goes round, as loops do, stays as it is."""
    seen, left, found = {op}, [op], False
    while left:
        op = left.pop()
        if op.type == 'NextIteration':
            return False
        found = found or op.type in _VARIABLES
        for before in (*(t.op for t in op.inputs), *op.control_inputs):
            if before not in seen:
                seen.add(before)
                left.append(before)
    return found


def _copy(name: str, tensor: Any, copies: dict[Any, Any]) -> Any:
    """Returns |tensor| as an output of the copy of its operation."""
    op = tensor.op
    if op not in copies:
        copies[op] = _copy_op(name, op, copies)
    return copies[op].outputs[tensor.value_index]


def _copy_op(name: str, op: Any, copies: dict[Any, Any]) -> Any:
    """Returns |op|, or a copy with inputs that are always there."""
    if op.type in _LEFT_ALONE:
        return op
    if op.type in _VARIABLES:
        variable = _variable_of(op)
        return op if variable is None else variable.initialized_value().op
    inputs = [_copy(name, t, copies) for t in op.inputs]
    if all(new is old for new, old in zip(inputs, op.inputs)):
        return op
    kind = 'Switch' if op.type == 'RefSwitch' else op.type
    label = f'{op.name}_{name}'.replace(':', '_')
    return op.graph.create_op(kind, inputs, name=label, attrs=op.node_def.attr)


def _variable_of(op: Any) -> Any:
    """Returns the variable that |op| stands for, or None."""
    graph = scopes.get_default_graph()
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in graph.get_collection(key):
            if variable.name in (op.name, op.name + ':0'):
                return variable
    return None
