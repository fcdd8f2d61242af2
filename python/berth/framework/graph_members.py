"""graph_members.py - What a Graph can do besides being built by wrappers: ops by type, containers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Optional

from berth import _core as core
from berth.framework import errors
from berth.framework.node import InaccessibleTensorError, Tensor


class GraphMembers:
    """The members of Graph that are used by hand."""

    # What the graph itself has.
    _ops: list[Any]
    _core: Any
    _unfeedable: set
    _unfetchable: set
    _container = ''
    seed: Optional[int] = None

    @property
    def operations(self) -> list[Any]:
        """The operations, in the order in which they were made."""
        return list(self._ops)

    def num_operations(self) -> int:
        """Returns how many operations there are."""
        return len(self._ops)

    def new_operations(self) -> list[Any]:
        """Returns operations that others added to the graph since it was last looked at."""
        known = len(self._ops)
        self._adopt()  # type: ignore[attr-defined]
        return self._ops[known:]

    def _capture(self, tensor: Any, name: Optional[str] = None) -> Any:
        """Returns what stands for |tensor| of elsewhere; only functions have that."""
        raise RuntimeError(f'{name or "tensor"}: Attempting to capture an EagerTensor without '
                           'building a function.')

    def get(self) -> Any:
        """Returns the graph itself."""
        return self

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keeps the variables and queues made inside in a container of that name."""
        before, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = before

    def _contained(self, op_type: str, attrs: Any) -> Any:
        """Returns |attrs| with the container, for an op that keeps something and was not told where."""
        from berth.framework import schema

        if 'container' not in schema.find(op_type).attrs or (attrs or {}).get('container'):
            return attrs
        return {**(attrs or {}), 'container': self._container.encode()}

    def op_def_for_type(self, type: str) -> Any:  # pylint: disable=redefined-builtin
        """Returns what ops of a type take and give, as an OpDef message."""
        return op_def(type)

    def create_op(self, op_type: str, inputs: Any, dtypes: Any = None, input_types: Any = None,
                  name: str | None = None, attrs: Any = None, op_def: Any = None, compute_shapes: bool = True,
                  compute_device: bool = True) -> Any:
        """Makes an operation from its type, tensors and a dictionary of AttrValue messages."""
        for index, each in enumerate(inputs):
            if not isinstance(each, Tensor):
                raise TypeError(f'Input #{index} is not a tensor: {each}')
        return make_op(self, op_type, name or op_type, list(inputs), attrs or {})

    # ---- What may be fed and fetched ----

    def prevent_feeding(self, tensor: Any) -> None:
        """Forbids to feed |tensor|."""
        self._unfeedable.add(tensor)
        tensor._special = True

    def is_feedable(self, tensor: Any) -> bool:
        """True when |tensor| may be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Any) -> None:
        """Forbids to fetch |op| and what it makes."""
        self._unfetchable.add(op)
        for item in [op] + op.outputs:
            item._special = True

    def is_fetchable(self, item: Any) -> bool:
        """True when |item| may be fetched."""
        return (item.op if isinstance(item, Tensor) else item) not in self._unfetchable

    def check_fetchable(self, item: Any) -> None:
        """Raises unless |item| may be fetched."""
        if not self.is_fetchable(item):
            op = item.op if isinstance(item, Tensor) else item
            raise InaccessibleTensorError(
                f'Operation {op.name} has been marked as not fetchable. Typically this happens when it is defined '
                'in another function or code block. Use return values, explicit Python locals or TensorFlow '
                'collections to access it.')

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: Any) -> Iterator[None]:
        """Ops of some types made inside have gradients registered under other names."""
        if not isinstance(op_type_map, dict) or not all(
                isinstance(text, str) for pair in op_type_map.items() for text in pair):
            raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        old = self._overrides
        self._overrides = {**old, **op_type_map}
        try:
            yield
        finally:
            self._overrides = old


def op_def(op_type: str) -> Any:
    """Returns what ops of a type take and give, as an OpDef message; RuntimeError for an unknown type."""
    from berth.base import protos

    table = _schema(op_type)
    found = protos.OpDef(name=op_type, is_stateful=table['is_stateful'])
    for kind, parts in (('inputs', found.input_arg), ('outputs', found.output_arg), ('attrs', found.attr)):
        for part in table[kind]:
            parts.add(**{k: v for k, v in part.items() if k not in ('default', 'allowed', 'minimum')})
    return found


def _schema(op_type: str) -> Any:
    """Returns the schema of an op as the extension has it."""
    try:
        return core.op_schema(op_type)
    except (KeyError, errors.OpError):
        import socket

        raise RuntimeError(
            f"Op type not registered '{op_type}' in binary running on {socket.gethostname()}. Make sure the Op and "
            'Kernel are registered in the binary running in this process. Note that if you are loading a saved graph '
            'which used ops from tf.contrib (e.g. `tf.contrib.resampler`), accessing should be done before importing '
            'the graph, as contrib ops are lazily registered when the module is first accessed.') from None


def make_op(graph: Any, op_type: str, name: str, inputs: list[Any], attrs: Any) -> Any:
    """Adds an operation whose |inputs| lie in a row and whose attributes are messages."""
    from berth.framework import schema

    _schema(op_type)
    found = schema.find(op_type)
    values = {key: attr_value(value) for key, value in attrs.items()}
    return graph.add(op_type, name, _grouped(found, inputs, values), values)


def _grouped(found: Any, inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Returns |inputs| with those of one list argument together."""
    grouped: list[Any] = []
    left = list(inputs)
    for index, arg in enumerate(found.inputs):
        if not arg.is_list:
            grouped += left[:1]
            del left[:1]
            continue
        given = attrs.get(arg.number_attr or arg.list_attr)
        others = len(found.inputs) - index - 1
        count = len(left) - others if given is None else given if isinstance(given, int) else len(given)
        grouped.append(left[:count])
        del left[:count]
    return grouped + left


def attr_value(message: Any) -> Any:
    """Returns an AttrValue message as the extension takes it; other values as they are."""
    if not hasattr(message, 'WhichOneof'):
        return message
    kind = message.WhichOneof('value')
    if kind == 'list':
        return _list_value(message.list)
    value = getattr(message, kind) if kind else None
    if kind == 'func':
        raise NotImplementedError('Attributes that are functions cannot be given by hand in Berth')
    convert = {'type': core.DType, 'shape': _shape, 'tensor': lambda t: core.Tensor.from_proto(t.SerializeToString())}
    return convert[kind](value) if kind in convert else value


def _list_value(values: Any) -> list[Any]:
    """Returns the list of an AttrValue message."""
    for field, items in values.ListFields():
        if field.name == 'type':
            return [core.DType(item) for item in items]
        if field.name == 'shape':
            return [_shape(item) for item in items]
        return list(items)
    return []


def _shape(message: Any) -> Any:
    return core.Shape(None if message.unknown_rank else [dim.size for dim in message.dim])
