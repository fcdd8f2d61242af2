"""flow_context - What is in force while a branch or a loop of a graph is being built.

While the function of a branch or of a loop is called, a context is in force. Every
operation made then belongs to it: values from outside come in through a Switch or an
Enter, and operations without inputs wait for the context's pivot, so that they run only
where the branch is taken, or in every turn of the loop. What builds them, tf.cond and
tf.while_loop, is in `ops/flow_ops.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Optional

from berth import _mode
from berth.framework import gen, scopes
from berth.framework.node import Operation, SymbolicTensor
from berth.framework.tensor_shape import TensorShape


def is_v2() -> bool:
    """True when branches and loops are those of TF2."""
    return _mode.is_v2(_mode.FLOW)


class Context:
    """What branches and loops have in common."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.outer: Optional[Context] = graph._scopes.flow
        self.scope = graph.get_name_scope().replace('/', '_')
        # By name: the values that are known inside, and what stands for those of outside.
        self._known: set[str] = set()
        self._inside: dict[str, Any] = {}
        self.acting: list[Operation] = []  # Of a function: what acts here, in order.

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Operations made inside belong to the context."""
        there = self.graph._scopes
        before, there.flow = there.flow, self
        try:
            yield
        finally:
            there.flow = before

    def label(self) -> str:
        """Returns what TensorFlow would call the graph of the inside."""
        return f'{self.scope}_body'

    def loop(self) -> Optional['WhileContext']:
        """Returns the innermost loop around; None when there is none."""
        context: Optional[Context] = self
        while context is not None and not isinstance(context, WhileContext):
            context = context.outer
        return context

    def holds(self, op: Operation) -> bool:
        """True when |op| was made inside, or in a branch or loop inside."""
        context = getattr(op, '_flow', None)
        while context is not None and context is not self:
            context = context.outer
        return context is not None

    def bring(self, value: Any) -> Any:
        """Returns what stands for |value| inside."""
        if value.name in self._known:
            return self._inside.get(value.name, value)
        self._known.add(value.name)
        outside = value
        if self.outer is not None:
            outside = self.outer.bring(value)
        self._inside[value.name] = made = self._let_in(outside)
        # What TensorFlow calls it in its own graph of the inside.
        made.op.label = f'{self.graph.get_name_scope()}/{value.op.name}'
        if self.outer is not None:
            self._remember_outside(outside)
        self._known.add(made.name)
        return made

    def _remember_outside(self, value: Any) -> None:
        """Notes what an outer context gave; it may be met by that name, too."""

    def _let_in(self, value: Any) -> Any:
        """Makes the node through which |value| comes in."""
        raise NotImplementedError

    def admit(self, name: str, inputs: list[Any]) -> list[Any]:
        """Returns the inputs of the operation |name| as they are inside."""
        with self.graph.name_scope(name + '/'):
            return [[self.bring(t) for t in item] if isinstance(item, (list, tuple)) else self.bring(item)
                    for item in inputs]

    def know(self, tensors: list[Any]) -> None:
        """Notes that what a loop inside gives is known here, and as far out as this is a branch."""
        context: Optional[Context] = self
        while context is not None:
            context._known.update(tensor.name for tensor in tensors)
            context = context.outer if isinstance(context, CondContext) else None

    def wait(self, inputs: list[Any], controls: list[Operation]) -> list[Operation]:
        """Returns what an operation with these inputs waits for."""
        raise NotImplementedError

    def adopt(self, op: Operation) -> None:
        """Takes in an operation that was made inside."""
        op._flow = self  # type: ignore[attr-defined]
        self._note(op)
        body = self.graph._scopes.body
        if body is not None and self is not body.flow and body.acts(op.type):
            self.acting.append(op)
        if self.outer is None and op.type in ('Exit', 'RefExit'):
            return
        self.graph.prevent_fetching(op)
        for tensor in op.outputs:
            self.graph.prevent_feeding(tensor)

    def _note(self, op: Operation) -> None:
        self._known.update(tensor.name for tensor in op.outputs)


class CondContext(Context):
    """One side of a cond."""

    def __init__(self, graph: Any, pred: Any, pivot: Any, branch: int) -> None:
        super().__init__(graph)
        self.pred, self.pivot, self.branch = pred, pivot, branch
        # Both are made before the branch, and need no Switch.
        self._known = {pred.name, pivot.name}

    def label(self) -> str:
        """Returns what TensorFlow would call the graph of the branch."""
        return f'{self.scope}_{"true" if self.branch else "false"}'

    def _let_in(self, value: Any) -> Any:
        with self.graph.control_dependencies(None):
            made = switch(value, self.pred)[self.branch]
        self.graph.prevent_fetching(made.op)
        made.op._flow = self
        context: Optional[Context] = self
        while context is not None:
            context._known.add(made.name)
            context = context.outer
        return made

    def _remember_outside(self, value: Any) -> None:
        self._known.add(value.name)
        self._inside.setdefault(value.name, value)

    def wait(self, inputs: list[Any], controls: list[Operation]) -> list[Operation]:
        """Operations without inputs run only where the branch is taken."""
        loop = self.loop()
        kept = [c for c in controls if loop is None or loop_of(c) is loop]
        return kept if inputs or any(self.holds(c) for c in kept) else kept + [self.pivot.op]

    def _note(self, op: Operation) -> None:
        context: Optional[Context] = self
        while context is not None:
            context._known.update(tensor.name for tensor in op.outputs)
            context = context.outer

    def result(self, value: Any) -> Any:
        """Returns what the branch gives for |value|, which a branch may take from outside."""
        if value.name not in self._known:
            self._known.add(value.name)
            outside = value if self.outer is None else self.outer.bring(value)
            self._remember_outside(outside)
            self._inside[value.name] = switch(outside, self.pred)[self.branch]
        return self._inside.get(value.name, value)


class WhileContext(Context):
    """The inside of a loop."""

    def __init__(self, graph: Any, parallel_iterations: int) -> None:
        super().__init__(graph)
        self.name = graph.unique_name('while_context')
        self._parallel = parallel_iterations
        self.pivot: Any = None  # What runs in every turn.
        self.entries: list[Operation] = []  # Through which values come in.

    def enter(self, value: Any, is_constant: bool, keeps_shape: bool = True) -> Any:
        """Makes the node through which |value| comes into the loop."""
        with self.graph.control_dependencies(None):
            op = 'RefEnter' if value.dtype._is_ref_dtype else 'Enter'
            made = gen.apply(op, op, {'data': value}, {
                'frame_name': self.name, 'is_constant': is_constant, 'parallel_iterations': self._parallel})
            if keeps_shape:
                made.set_shape(value.shape)
        self.graph.prevent_feeding(made)
        made.op._flow = self
        self.entries.append(made.op)
        self._known.add(made.name)
        return made

    def _let_in(self, value: Any) -> Any:
        return self.enter(value, True)

    def wait(self, inputs: list[Any], controls: list[Operation]) -> list[Operation]:
        """What would run once, before the loop, runs in every turn."""
        kept = [c for c in controls if loop_of(c) is self]
        free = all(t.op.type in ('Enter', 'RefEnter') and t.op.get_attr('is_constant') for t in inputs)
        if not kept and free and self.pivot is not None:
            kept.append(self.pivot.op)
        return kept + self._wait_outside([c for c in controls if loop_of(c) is not self and c.outputs])

    def _wait_outside(self, controls: list[Operation]) -> list[Operation]:
        """Lets the ends of operations outside be seen inside."""
        if not controls:
            return []
        with self.graph.control_dependencies(None), self.entered():
            return [gen.apply('Identity', None, {'input': c.outputs[0]}).op for c in controls]


def inside_of(op: Operation) -> Optional[Context]:
    """Returns the branch or loop that what |op| gives is in; None outside of any."""
    context = getattr(op, '_flow', None)
    if isinstance(context, WhileContext) and op.type in ('Exit', 'RefExit'):
        context = context.outer
    return context


def is_around(context: Context, here: Optional[Context]) -> bool:
    """True when |here| is |context|, or inside of it."""
    while here is not None and here is not context:
        here = here.outer
    return here is context


def loop_of(op: Operation) -> Optional[WhileContext]:
    """Returns the innermost loop that what |op| gives is in."""
    context = getattr(op, '_flow', None)
    if isinstance(context, WhileContext) and op.type in ('Exit', 'RefExit'):
        context = context.outer
    return None if context is None else context.loop()


def check_input(name: str, op_type: str, context: Optional[Context], source: Operation) -> None:
    """Raises ValueError when the operation |name| reads what is inside a loop from outside of it."""
    inner = loop_of(source)
    if inner is None:
        return
    here = None if context is None else context.loop()
    if here is None:
        if op_type not in ('Enter', 'RefEnter', 'Switch', 'RefSwitch'):
            raise ValueError(f"Cannot use '{source.name}' as input to '{name}' because '{source.name}' is in a "
                             'while loop. See info log for more details.')
        return
    outer: Optional[Context] = here
    while outer is not None and outer is not inner:
        outer = outer.outer
    if outer is None:
        raise ValueError(f"Cannot use '{source.name}' as input to '{name}' because they are in different while "
                         'loops. See info log for more details.')


def switch(data: Any, pred: Any, name: str = 'Switch') -> Any:
    """Makes a Switch where |data| is: a pair, what is there when |pred| is false and when it is true."""
    with scopes.colocate(data, True):
        if data.dtype._is_ref_dtype:
            return gen.apply('RefSwitch', name, {'data': data, 'pred': pred})
        return gen.apply('Switch', name, {'data': data, 'pred': pred})


def merge(inputs: list[Any], name: str = 'Merge') -> Any:
    """Makes a Merge: whichever of |inputs| is there."""
    return gen.apply('Merge', name, {'inputs': inputs})[0]


def join(branches: list[CondContext]) -> None:
    """Makes what later operations of a function wait for instead of what acts in one branch or the other."""
    if not any(branch.acting for branch in branches):
        return
    ends = []
    for branch in branches:
        with branch.entered(), branch.graph.control_dependencies(branch.acting):
            ends.append(gen.apply('Identity', 'done', {'input': branch.pivot}))
    note_join(merge(ends, 'joined').op, branches)


def note_join(op: Operation, contexts: list[Any]) -> None:
    """Notes that |op| runs after everything that acts in |contexts|, and may be waited for outside."""
    graph = contexts[0].graph
    (graph._scopes.body or graph).note_join(op, contexts)


def may_vary(found: TensorShape, allowed: TensorShape) -> bool:
    """True when a value of shape |found| may stand where |allowed| is promised."""
    if allowed.rank is None:
        return True
    return found.rank == allowed.rank and all(a is None or f == a for f, a in
                                              zip(found.as_list(), allowed.as_list()))


def close_loop(start: SymbolicTensor, end: SymbolicTensor) -> None:
    """Makes |end|, a NextIteration, the second input of |start|, a Merge."""
    start.op.graph._core.close_loop(start.op.node, end)
