"""objects - Objects that hold variables, as a checkpoint knows them: a graph of nodes with named edges."""

from __future__ import annotations

import weakref
from typing import Any

from berth._train.optimizer import Optimizer
from berth.base import naming, protos
from berth.variables.graph_variable import Variable
from berth.framework.trackable import Trackable

GRAPH_KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'
VALUE = 'VARIABLE_VALUE'
STATE = 'ITERATOR_STATE'
_PLAIN = (str, bytes, int, float, complex, bool, type(None), type)


def has_state(value: Any) -> bool:
    """True for what is no variable and has a state that is saved, such as an iterator."""
    return hasattr(type(value), '_checkpoint_state')


def _says(value: Any) -> bool:
    """True for an object of a program that says itself what is saved of it."""
    return isinstance(value, Trackable) and type(value)._serialize_to_tensors is not Trackable._serialize_to_tensors


def saved(value: Any) -> dict[str, Any]:
    """Returns what is saved of |value| itself, by the names of attributes."""
    if isinstance(value, Variable):
        return {VALUE: value}
    if has_state(value):
        return {STATE: value}
    return value._serialize_to_tensors() if _says(value) else {}


def variable_of(value: Any) -> Any:
    """Returns the variable that |value| is, or that it acts as; None for anything else."""
    if not isinstance(value, Variable) and hasattr(value, '_should_act_as_resource_variable'):
        value = getattr(value, 'value', None)
    return value if isinstance(value, Variable) else None


def _escaped(name: str) -> str:
    """Returns the name of an edge as it is in a key."""
    return name.replace('.', '..').replace('/', '.S')


def _is_tracked(value: Any, depth: int = 0) -> bool:
    """True for what a checkpoint follows: variables, and what holds them."""
    if isinstance(value, _PLAIN) or depth > 8:
        return False
    if isinstance(value, Trackable) or hasattr(value, '_checkpoint_children') or has_state(value):
        return True
    if isinstance(value, (list, tuple)):
        return any(_is_tracked(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return any(_is_tracked(item, depth + 1) for item in value.values())
    return isinstance(value, Optimizer)


def children(value: Any, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
    """Returns what |value| holds, by the names of edges."""
    if isinstance(value, Variable) or has_state(value):
        return {}
    if hasattr(value, '_checkpoint_children'):
        return value._checkpoint_children()
    if isinstance(value, (list, tuple)):
        found = {str(place): item for place, item in enumerate(value)}
    elif isinstance(value, dict):
        found = {str(key): item for key, item in value.items()}
    elif isinstance(value, Optimizer):
        found = {name if isinstance(name, str) else name[0]: item
                 for name, item in getattr(value, '_non_slot_dict', {}).items()}
    elif isinstance(value, Trackable):
        found = value._trackable_children(save_type, **kwargs)
    else:
        found = vars(value)
    return {name: item for name, item in found.items() if _is_tracked(item)}


class Node:
    """An object, and how it is reached."""

    def __init__(self, value: Any, path: str) -> None:
        self.value, self.path = value, path
        self.edges: dict[str, int] = {}
        self.slots: list[tuple[int, str, int]] = []

    def key(self, name: str = VALUE) -> str:
        """The key of what is saved of it as |name|."""
        return f'{self.path}/.ATTRIBUTES/{name}' if self.path else f'.ATTRIBUTES/{name}'

    def saved(self) -> dict[str, Any]:
        """Returns what is saved of the object, by keys."""
        return {self.key(name): value for name, value in saved(self.value).items()}


def nodes_of(root: Any, children_of: Any = children) -> list[Node]:
    """Returns all that |root| leads to by |children_of|, the nearest first, and then the slots of optimisers."""
    nodes = [Node(root, '')]
    numbers = {id(root): 0}
    for node in nodes:  # It grows meanwhile.
        for name, value in children_of(node.value).items():
            if id(value) not in numbers:
                numbers[id(value)] = len(nodes)
                step = _escaped(name)
                nodes.append(Node(value, f'{node.path}/{step}' if node.path else step))
            node.edges[name] = numbers[id(value)]
    for node in [each for each in nodes if isinstance(each.value, Optimizer)]:
        _add_slots(node, nodes, numbers)
    return nodes


def _add_slots(optimizer: Node, nodes: list[Node], numbers: dict[int, int]) -> None:
    for slot in optimizer.value.get_slot_names():
        for variable in [each for each in nodes if isinstance(each.value, Variable)]:
            value = optimizer.value.get_slot(variable.value, slot)
            if value is None or id(value) in numbers:
                continue
            numbers[id(value)] = len(nodes)
            optimizer.slots.append((numbers[id(variable.value)], slot, len(nodes)))
            nodes.append(Node(value, f'{variable.path}/.OPTIMIZER_SLOT/{optimizer.path}/{_escaped(slot)}'))


@naming.public('checkpoint.trackable_view')
class TrackableView:
    """What an object leads to."""

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object that it begins with."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = 'checkpoint', **kwargs: Any) -> dict[str, Any]:
        """Returns what |obj| holds, by name."""
        return children(obj, save_type, **kwargs)

    def descendants(self) -> list[Any]:
        """Returns all that it leads to, the nearest first."""
        found = [self.root]
        known = {id(self.root)}
        for value in found:  # It grows meanwhile.
            for child in self.children(value).values():
                if id(child) not in known:
                    known.add(id(child))
                    found.append(child)
        return found


def message_of(nodes: list[Node]) -> Any:
    """Returns the graph of |nodes| as a message."""
    message = protos.TrackableObjectGraph()
    for node in nodes:
        made = message.nodes.add()
        for name, number in node.edges.items():
            made.children.add(node_id=number, local_name=name)
        for original, slot, number in node.slots:
            made.slot_variables.add(original_variable_node_id=original, slot_name=slot, slot_variable_node_id=number)
        for name in saved(node.value):
            made.attributes.add(name=name, full_name=getattr(node.value, '_shared_name', ''), checkpoint_key=node.key(name))
            made.has_checkpoint_values.value = True
    return message


def matched(root: Any, message: Any) -> dict[int, Any]:
    """Returns the objects that are there, by the nodes of |message| that they are reached as."""
    found = {0: root}
    queue = [0]
    for number in queue:
        own = children(found[number])
        for child in message.nodes[number].children:
            if child.local_name in own and child.node_id not in found:
                found[child.node_id] = own[child.local_name]
                queue.append(child.node_id)
    for number, value in list(found.items()):
        for slot in message.nodes[number].slot_variables:
            original = found.get(slot.original_variable_node_id)
            if original is not None and isinstance(value, Optimizer):
                made = value.get_slot(original, slot.slot_name)
                if made is not None:
                    found[slot.slot_variable_node_id] = made
    return found
