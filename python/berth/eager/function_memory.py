"""function_memory - Plans of what runs of a function take of memory."""

from __future__ import annotations

import sys
from typing import Any, Optional, Sequence

from berth.eager import context, lower, structure
from berth.framework import errors, node_lines
from berth.framework.memory_plan import MemoryPlan
from berth.framework.tensor_shape import TensorShape


def _dims(name: str, given: Any) -> tuple[int, ...]:
    """Returns a shape of what is called |name|, -1 for the size of a batch."""
    shape = TensorShape(given)
    if shape.rank is None:
        raise ValueError(f'The rank of {name} is not known: give a TensorSpec that has one.')
    dims = tuple(-1 if d is None else d for d in shape.as_list())
    if -1 in dims[1:]:
        raise ValueError(f'Only the first dimension of {name} may be unknown, the size of a batch, not {shape}.')
    return dims


def _feeds(function: Any, lowered: Any, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Returns what is fed, with its shape, that of |shapes| where there are some; variables as they are."""
    inputs = [tensor for tensor in function.graph.inputs if tensor.op.type != 'Const']
    given = iter(function._given)
    arguments = len(inputs) - len(function._given)
    feeds: list[tuple[Any, ...]] = []
    for index, (out, tensor) in enumerate(zip(lowered.feeds, inputs)):
        value = next(given) if index >= arguments else None
        if value is not None and tensor.dtype.name == 'resource':
            feeds.append((out, (), value))
        else:
            known = value.shape if value is not None else shapes[index] if shapes else tensor.shape
            feeds.append((out, _dims(tensor.name, known)))
    return feeds


def shapes_of(args: Any) -> list[Any]:
    """Returns the shapes of the tensors, arrays and TensorSpecs in |args|."""
    return [one.shape for one in structure.flatten(args) if hasattr(one, 'shape') and hasattr(one, 'dtype')]


def make(function: Any, batch: Optional[int], shapes: Sequence[Any] = ()) -> MemoryPlan:
    """Plans a run of |function|, a trace, with arguments of |shapes|; without, of those that it was traced for."""
    handle = context.settings.handle()
    inputs = [tensor for tensor in function.graph.inputs if tensor.op.type != 'Const']
    arguments = len(inputs) - len(function._given)
    preferred = function._preferred(handle)
    places = iter([handle.devices[0]] * arguments + [tensor.device for tensor in function._given])
    lowered = lower.Lowered(function.graph, ['' if tensor.op.type == 'Const' else next(places)
                                             for tensor in function.graph.inputs])
    session = handle.session(lowered.core, preferred)
    for node, device in lowered.pins:
        session.pin(node, device)
    feeds = _feeds(function, lowered, shapes if len(shapes) == arguments else ())

    def batches(limit: int, device: Optional[str]) -> Optional[int]:
        found = session.plan_batch(lowered.fetches, lowered.targets, feeds, device, limit)
        return None if found > sys.maxsize // 2 else found

    is_open = any(-1 in feed[1] for feed in feeds)
    if is_open and not batch:
        raise ValueError('An argument has a first dimension that is not known: say batch=N, what it is.')
    try:
        text = session.plan_memory(lowered.fetches, lowered.targets, feeds, batch or 0)
    except errors.OpError as error:
        raise function.explain(error) from None
    found = {name: node_lines.of_op(op) for name, op in lowered.sources.items()}
    made = MemoryPlan(text, found, batches if is_open else None)
    # Arguments count as brought to a card, where they may be already; and a first run does not know the shapes of
    # variables yet, and may take more.
    on_card = any('/device:GPU:' in memory.device for memory in made.memories)
    made.is_exact = made.is_exact and not on_card and not function._given
    return made
