"""restoration - Values of a checkpoint on their way to objects, some of which come later.

A restoration is noted in the objects that it has found: one that gets another object asks it again
(`variables/module.py`, `_train/optimizer.py`), so that a variable has its value as soon as it is there.
"""

from __future__ import annotations

from typing import Any

from berth._train import objects
from berth.base import logging, naming, protos
from berth.framework import gen, scopes
from berth.framework.tensor_shape import TensorShape
from berth.variables.graph_variable import Variable

_NOTHING = 'No checkpoint specified (save_path=None); nothing is being restored.'
_MOST_SHOWN = 10
_LEFT = ('Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See the '
         'following logs for the specific values in question. To silence these warnings, use `status.expect_partial()`. '
         'See https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restorefor details about the status object '
         'returned by the restore function.')


class Restoration:
    """What is left of a checkpoint that objects are restored from."""

    def __init__(self, root: Any, reader: Any) -> None:
        self.root, self._reader = root, reader
        self.message = protos.TrackableObjectGraph.FromString(reader.get_tensor(objects.GRAPH_KEY))
        self.found: dict[int, Any] = {}
        self.is_partial = False
        self._is_at_work = False
        self.again()

    def again(self) -> None:
        """Looks for objects that have come, and gives variables among them their values."""
        if self._is_at_work:
            return
        self._is_at_work = True
        try:
            found = objects.matched(self.root, self.message)
            new = {number: value for number, value in found.items() if self.found.get(number) is not value}
            self.found.update(found)
            for number, value in new.items():
                self._meet(number, value)
        finally:
            self._is_at_work = False

    def _meet(self, number: int, value: Any) -> None:
        if objects.has_state(value):
            for attribute in self.message.nodes[number].attributes:
                value._checkpoint_restore(self._reader.get_tensor(attribute.checkpoint_key))
        elif objects._says(value):
            found = {attribute.name: self._reader.get_tensor(attribute.checkpoint_key)
                     for attribute in self.message.nodes[number].attributes}
            if found:
                with scopes.init_scope():
                    value._restore_from_tensors(found)
        elif not isinstance(value, Variable):
            _waiting(value, self)
        elif value_is_eager(value):
            for attribute in self.message.nodes[number].attributes:
                with scopes.init_scope():
                    value.assign(_fitting(self._reader, attribute.checkpoint_key, value))

    def in_graphs(self) -> list[tuple[Any, str]]:
        """Returns variables of graphs, and the keys of their values."""
        self.again()
        return [(value, attribute.checkpoint_key) for number, value in self.found.items()
                for attribute in self.message.nodes[number].attributes
                if isinstance(value, Variable) and not value_is_eager(value)]

    def load(self, session: Any) -> None:
        """Gives variables of graphs their values in |session|."""
        session = scopes.get_default_session() if session is None else session
        for variable, key in self.in_graphs():
            variable.load(self._reader.get_tensor(key), session)

    def left(self) -> list[int]:
        """Returns the nodes whose values nobody has taken."""
        return [number for number, node in enumerate(self.message.nodes)
                if node.attributes and number not in self.found]

    def __del__(self) -> None:
        if self.is_partial or not self.found or not self.left():
            return
        logging.warning(_LEFT)
        for number in self.left():
            logging.warning('Value in checkpoint could not be found in the restored object: %s',
                            path_of(self.message, number))


def value_is_eager(variable: Any) -> bool:
    """True for a variable that has its value outside of sessions."""
    return not getattr(variable, '_in_graph_mode', True)


def _waiting(value: Any, restoration: Restoration) -> None:
    """Notes in an object that a restoration waits for what it will hold."""
    root = getattr(value, '_root', None) if hasattr(value, '_checkpoint_children') else None  # What a Checkpoint takes the children of.
    for each in (value, root):
        held = getattr(each, '__dict__', None)
        if held is not None:
            held['_restorations'] = [*held.get('_restorations', ()), restoration]


def path_of(message: Any, wanted: int) -> str:
    """Returns how a node is reached, as messages say it."""
    paths = {0: '(root)'}
    for number, node in enumerate(message.nodes):
        for child in node.children:
            paths.setdefault(child.node_id, f'{paths.get(number, "(root)")}.{child.local_name}')
    for node in message.nodes:
        for slot in node.slot_variables:
            original = paths.get(slot.original_variable_node_id, '(root)')
            paths.setdefault(slot.slot_variable_node_id, f"(root).optimizer's state '{slot.slot_name}' for {original}")
    return paths.get(wanted, '(root)')


def _variables(root: Any) -> list[Any]:
    return [node.value for node in objects.nodes_of(root) if isinstance(node.value, Variable) or objects._says(node.value)]


def _initialize(variables: list[Any], session: Any) -> None:
    """Gives variables of graphs their initial values."""
    session = scopes.get_default_session() if session is None else session
    pending = [variable.initializer for variable in variables if not value_is_eager(variable)]
    if pending:
        session.run(pending)


@naming.public('checkpoint.checkpoint')
class CheckpointLoadStatus:
    """What restoring has found: which objects have got values, and which have not."""

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration

    def _unbound(self) -> list[Any]:
        held = self._restoration
        held.again()
        bound = {id(value) for number, value in held.found.items() if held.message.nodes[number].attributes}
        return [variable for variable in _variables(held.root) if id(variable) not in bound]

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raises unless all values of the checkpoint, and all variables, have found each other."""
        self.assert_existing_objects_matched()
        message = self._restoration.message
        for number in self._restoration.left():
            raise AssertionError(f'Unresolved object in checkpoint {path_of(message, number)}: {message.nodes[number]}')
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raises unless all variables have got values."""
        unbound = self._unbound()
        if unbound:
            shown = unbound[:_MOST_SHOWN]
            raise AssertionError(f'Found {len(unbound)} Python objects that were not bound to checkpointed values, '
                                 f'likely due to changes in the Python program. Showing {len(shown)} of '
                                 f'{len(unbound)} unmatched objects: {shown}')
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raises unless something besides the root has been found."""
        unbound, root = self._unbound(), self._restoration.root
        if len(self._restoration.found) > 1:
            return self
        if len(objects.nodes_of(root)) == 1:
            raise AssertionError(f'Nothing to load. No dependencies have been added to {root} yet.')
        raise AssertionError('Nothing except the root object matched a checkpointed value. Typically this means that '
                             'the checkpoint does not match the Python program. The following objects have no matching '
                             f'checkpointed value: {unbound}')

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that it is well that values are left."""
        self._restoration.is_partial = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores in |session| what belongs to graphs; anything else has its value already."""
        self._restoration.load(session)

    def initialize_or_restore(self, session: Any = None) -> None:
        """The same, and gives initial values to variables that the checkpoint does not have."""
        self.run_restore_ops(session)
        _initialize(self._unbound(), session)


@naming.public('checkpoint.checkpoint')
class InitializationOnlyStatus:
    """What comes of a path that is None."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def assert_consumed(self) -> None:
        """Raises: there was nothing."""
        raise AssertionError(_NOTHING)

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises: there was nothing."""
        raise AssertionError('No checkpoint specified, so no restore ops are available (save_path=None to '
                             'Saver.restore).')

    def initialize_or_restore(self, session: Any = None) -> None:
        """Gives variables of graphs their initial values in |session|."""
        _initialize(_variables(self._root), session)

    def expect_partial(self) -> InitializationOnlyStatus:
        """Says that it is well that nothing was restored."""
        return self


def _fitting(reader: Any, key: str, variable: Any) -> Any:
    """Returns what a checkpoint has for |variable|; an error for what is of another type or shape."""
    dtype, shape = reader._tensors[key]
    if dtype != variable.dtype.base_dtype:  # The op says what is wrong.
        gen.apply('RestoreV2', None, {'prefix': reader._path, 'tensor_names': [key], 'shape_and_slices': ['']},
                  {'dtypes': [variable.dtype.base_dtype]})
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(f'Received incompatible tensor with shape {TensorShape(shape)} when attempting to restore variable with '
                         f'shape {variable.shape} and name {variable.name}.')
    return reader.get_tensor(key)


@naming.public('checkpoint.checkpoint')
class NameBasedSaverStatus:
    """What comes of a checkpoint of tf.compat.v1.train.Saver: variables are restored by their names."""

    def __init__(self, root: Any, reader: Any) -> None:
        self._root, self._reader = root, reader
        for variable in self._matched():
            if value_is_eager(variable):
                variable.assign(reader.get_tensor(variable._shared_name))

    def _matched(self) -> list[Any]:
        return [variable for variable in _variables(self._root) if self._reader.has_tensor(variable._shared_name)]

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Raises unless all variables have got values."""
        for variable in _variables(self._root):
            if not self._reader.has_tensor(variable._shared_name):
                raise AssertionError(f'Object not restored: {variable}')
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NameBasedSaverStatus:
        """Says that it is well that values are left."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores in |session| what belongs to graphs."""
        for variable in self._matched():
            if not value_is_eager(variable):
                variable.load(self._reader.get_tensor(variable._shared_name), session)

    initialize_or_restore = run_restore_ops
