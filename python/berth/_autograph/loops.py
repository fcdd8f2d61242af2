"""loops - What converted code calls for `while` and `for`: Python's loops, or a loop of the graph."""

from __future__ import annotations

from typing import Any, Callable, Optional

from berth._autograph import builtin_calls, checks, log
from berth._autograph.operators import is_dense
from berth._autograph.variables import Undefined, UndefinedReturnValue, is_missing
from berth.framework import convert, nest, scopes, static_value
from berth.framework.node import OperatorNotAllowedInGraphError
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_ops, math_ops

_LIMITATIONS = ('\nSee https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/'
                'limitations.md#consistency-of-control-flow-types for more info.')
_MANY_TURNS = 50000  # After so many turns a loop that makes operations is warned about.

State = Any
Block = Callable[..., Any]


def _scratch() -> Any:
    """Returns a scope for what is only tried: a graph that nobody runs."""
    graph = scopes.get_default_graph() if not scopes.executing_eagerly() else None
    return None if graph is None else graph.scratch().as_default()


# ---- while ----


def while_stmt(test: Block, body: Block, get_state: Block, set_state: Block, symbol_names: tuple[str, ...],
               opts: dict[str, Any]) -> None:
    """Runs a block again and again, now or as a loop of the graph."""
    scope = _scratch()
    if scope is None:
        first = test()
    else:
        with scope:
            first = test()
    if is_dense(first):
        _Loop(get_state, set_state, symbol_names, opts).build(test, body)
    elif first:
        body()
        _repeat(test, body)


def _repeat(test: Block, body: Block) -> None:
    watch = _Watch()
    while _holds(test, 'The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either '
                 'because variables changed type, or when a break or return statement inside the loop depends on a '
                 'Tensor condition. In both cases, changing to a TF loop should remove the error.'):
        body()
        watch.turn()


def _holds(test: Block, refusal: str) -> bool:
    """Returns whether a loop of Python goes on."""
    value = test()
    try:
        return bool(value)
    except OperatorNotAllowedInGraphError as error:
        raise NotImplementedError(refusal + _LIMITATIONS) from error


class _Watch:
    """Looks out for loops of Python that make more and more operations."""

    def __init__(self) -> None:
        self._turns = 1
        self._before = 0

    def turn(self) -> None:
        """Counts a turn."""
        self._turns += 1
        if _MANY_TURNS < self._turns <= _MANY_TURNS + 4 and not scopes.executing_eagerly():
            self._look()

    def _look(self) -> None:
        ops = scopes.get_default_graph().get_operations()
        if self._before and len(ops) > self._before:
            self._warn(tuple(ops[self._before:]))
            self._turns += 4
        self._before = len(ops)

    def _warn(self, ops: tuple[Any, ...]) -> None:
        import traceback

        log.warning(
            'Large unrolled loop detected. Did you mean to use a TF loop? The following ops were created after iteration '
            '%s: %s\nSee https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/'
            'common_errors.md#warning-large-unrolled-loop-detected\nLocation:\n%s', self._turns, ops,
            '\n'.join(traceback.format_stack()))


class _Loop:
    """A loop of the graph on its way."""

    def __init__(self, get_state: Block, set_state: Block, names: tuple[str, ...], opts: dict[str, Any]) -> None:
        self._get, self._set, self._names, self._opts = get_state, set_state, names, dict(opts)
        self._opts.pop('iterate_names', None)
        self._starts = get_state()
        self._must_turn = False  # Something is defined in the loop only.

    def build(self, test: Block, body: Block) -> None:
        """Makes the loop and takes what it gives."""
        before = self._starts
        missing = tuple(is_missing(value) for value in before)
        pairs = list(self._opts.pop('shape_invariants', ()))
        shapes: Optional[list[Any]] = self._shapes(pairs, before) if pairs else None
        if any(missing):
            shapes = self._try(body, missing, shapes)
        result = self._run(test, body, shapes)
        if self._must_turn:
            result = self._after_a_turn(result, before, missing)
        self._set(result)

    @staticmethod
    def _shapes(pairs: list[Any], values: Any) -> list[Any]:
        """Returns the shapes that variables may take, in their order."""
        known = {id(value): (value, shape) for value, shape in pairs}
        found = [known.get(id(value), (None, None)) for value in values]
        return [shape if key is value else None for (key, shape), value in zip(found, values)]

    # ---- Variables without a value ----

    def _try(self, body: Block, missing: tuple[bool, ...], shapes: Optional[list[Any]]) -> Optional[list[Any]]:
        """Goes one turn where nobody sees it, and makes placeholders for what has a value only then."""
        starts, first, failure = self._starts, None, None
        extra: list[Any] = [None] * len(starts)
        try:
            first = self._first_turn(body)
            made = [_placeholder(given, None if shapes is None else shapes[i], value) if lacks else (value, None)
                    for i, (given, value, lacks) in enumerate(zip(first, starts, missing))]
            starts, extra = tuple(value for value, _ in made), [shape for _, shape in made]
            self._must_turn = True
        except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
            failure = f'Note: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {error}'
        finally:
            self._set(starts)
        checks.starts(starts, self._names, first, failure)
        self._starts = starts
        merged = [one if other is None else other for one, other in zip(extra, shapes or extra)]
        return merged if any(nest.flatten(shape) != [None] for shape in merged) else None

    def _first_turn(self, body: Block) -> Any:
        scope = _scratch()
        if scope is None:
            self._set(self._starts)
            body()
            return self._get()
        with scope:
            self._set(tuple(nest.map_structure(_stand_in, value) for value in self._starts))
            body()
            return self._get()

    def _after_a_turn(self, result: Any, before: Any, missing: tuple[bool, ...]) -> Any:
        """Fails a run in which the loop made no turn: something would have no value."""
        names = ['the function return value' if isinstance(value, UndefinedReturnValue) else name
                 for name, value, lacks in zip(self._names, before, missing) if lacks]
        text = f'loop must iterate at least once to initialize {", ".join(names)}'
        check = flow_ops.Assert(result[0], [text])
        with scopes.control_dependencies([] if check is None else [check]):
            return nest.map_structure(lambda v: array_ops.identity(v) if convert.is_tensor(v) else v, tuple(result[1:]))

    # ---- The loop ----

    def _run(self, test: Block, body: Block, shapes: Optional[list[Any]]) -> Any:
        skip = 1 if self._must_turn else 0

        def goes_on(*values: Any) -> Any:
            self._set(values[skip:])
            return checks.condition(test(), 'while loop')

        def turn(*values: Any) -> Any:
            self._set(values[skip:])
            body()
            after = self._get()
            checks.turn(self._starts, values[skip:], after, self._names, shapes)
            return (True, *after) if skip else tuple(after)

        starts = (False, *self._starts) if skip else tuple(self._starts)
        if not starts:  # It changes variables only.
            flow_ops.while_loop(lambda _: goes_on(), lambda _: [0, *turn()][:1], [0], **self._opts)
            return ()
        if shapes is not None:
            self._opts['shape_invariants'] = tuple([TensorShape([])] * skip + [
                _shape_of(shape, value) for shape, value in zip(shapes, self._starts)])
        return flow_ops.while_loop(goes_on, turn, starts, return_same_structure=True, **self._opts)


def _shape_of(shape: Any, value: Any) -> Any:
    """Returns the shape that a variable may take: its own unless a program says otherwise."""
    if shape is not None and any(leaf is not None for leaf in nest.flatten(shape)):
        return shape
    return nest.map_structure(lambda leaf: None if hasattr(leaf, '_with_flow')
                              else convert.convert_to_tensor(leaf).shape, value)


def _stand_in(value: Any) -> Any:
    """Returns a tensor that is not known for a number or an array."""
    if isinstance(value, (int, float, bool, str)) or type(value).__module__ == 'numpy':
        tensor = convert.convert_to_tensor(value)
        return array_ops.placeholder(tensor.dtype, tensor.shape)
    return value


def _placeholder(like: Any, shape: Any, original: Any) -> tuple[Any, Any]:
    """Returns a zero of the kind of |like|, and the shape that it may take if that is more than its own."""
    if is_missing(like):
        return original, None
    if isinstance(like, (bool, int, float)):
        return type(like)(0), None
    if hasattr(like, '_with_flow'):
        raise TypeError(f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}."
                        ' Supported types include Tensor, int, float, bool, list, tuple or dict.')
    if convert.is_tensor(like):
        return _zeros(like, like.shape if shape is None else TensorShape(shape))
    if isinstance(like, (list, tuple, dict)):
        flat = nest.flatten(like)
        shapes = [None] * len(flat) if shape is None else nest.flatten(shape)
        pairs = [_placeholder(leaf, one, None) for leaf, one in zip(flat, shapes)]
        return (nest.pack_sequence_as(like, [value for value, _ in pairs]),
                nest.pack_sequence_as(like, [found for _, found in pairs]))
    raise TypeError(f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}."
                    ' Supported types include Tensor, int, float, bool, list, tuple or dict.')


def _zeros(like: Any, shape: TensorShape) -> tuple[Any, Any]:
    if shape.rank is None or like.shape.rank is None:
        return array_ops.zeros((), like.dtype), shape
    dims = [own if own is not None else (allowed or 0) for own, allowed in zip(like.shape.as_list(), shape.as_list())]
    varies = None in like.shape.as_list()
    return array_ops.zeros(dims, like.dtype), shape if varies else None


# ---- for ----


def for_stmt(iter_: Any, extra_test: Optional[Block], body: Block, get_state: Block, set_state: Block,
             symbol_names: tuple[str, ...], opts: dict[str, Any]) -> None:
    """Goes through something, now or in a loop of the graph."""
    if hasattr(iter_, '_loop_items') and not scopes.executing_eagerly():
        elements = _Elements(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        _Loop(elements.get, elements.set, ('<internal iterate>', *symbol_names), opts).build(elements.test, elements.turn)
        return
    is_ragged = hasattr(iter_, 'nested_row_splits') and not scopes.executing_eagerly()
    if not is_dense(iter_) and not is_ragged:
        _go_through(iter_, extra_test, body)
        return
    is_range = not scopes.executing_eagerly() and hasattr(iter_, 'op') and iter_.op.type == 'Range'
    state = (_RaggedRows if is_ragged else _Range if is_range else _Rows)(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
    _Loop(state.get, state.set, ('<internal iterate>', *symbol_names), opts).build(state.test, state.turn)


def _go_through(items: Any, extra_test: Optional[Block], body: Block) -> None:
    """Does a loop of Python."""
    watch = _Watch()
    if extra_test is None:
        for item in items:
            body(item)
            watch.turn()
        return
    refusal = ('break and return statements which depend on a TF condition are not supported in Python for loops. Did you '
               'intend to make it a TF loop?')
    if _holds(extra_test, refusal):
        for item in items:
            body(item)
            watch.turn()
            if not _holds(extra_test, refusal):
                break


class _Rows:
    """A loop through the rows of a tensor: a number counts them."""

    def __init__(self, items: Any, extra_test: Optional[Block], body: Block, get_state: Block, set_state: Block,
                 names: tuple[str, ...], opts: dict[str, Any]) -> None:
        self._extra, self._body, self._get, self._set, self._names = extra_test, body, get_state, set_state, names
        self._iterate_names = opts.get('iterate_names')
        self._items = items
        self._begin()

    def _begin(self) -> None:
        self._items = convert.convert_to_tensor(self._items)
        self._count = builtin_calls.len_(self._items)
        self._at: Any = 0

    def get(self) -> Any:
        """Returns the variables of the loop."""
        return (self._at, *self._get())

    def set(self, values: Any) -> None:
        """Sets the variables of the loop."""
        self._at, *rest = values
        self._set(rest)

    def turn(self) -> None:
        """Does one turn."""
        # It has the name of the read that it is in TensorFlow.
        self._body(array_ops.gather(self._items, self._at, name='TensorArrayV2Read/TensorListGetItem'))
        self._at = self._at + 1

    def _main_test(self) -> Any:
        return math_ops.less(self._at, self._count)

    def test(self) -> Any:
        """Returns whether there is another turn."""
        main = self._main_test()
        return main if self._extra is None else flow_ops.cond(main, self._extra, lambda: False)


class _RaggedRows(_Rows):
    """A loop through the rows of a ragged tensor."""

    def _begin(self) -> None:
        self._count = self._items.nrows()
        self._at = convert.constant(0, self._count.dtype)

    def turn(self) -> None:
        """Does one turn."""
        self._body(self._items[self._at])
        self._at = self._at + 1


class _Range(_Rows):
    """A loop through the numbers of a range, which are never made."""

    def _begin(self) -> None:
        self._at, self._limit, self._delta = self._items.op.inputs

    def get(self) -> Any:
        """Returns the variables of the loop; the first number is what the name of the loop holds at first."""
        values = [self._at if name == self._iterate_names and isinstance(value, Undefined) else value
                  for name, value in zip(self._names, self._get())]
        return (self._at, *values)

    def turn(self) -> None:
        """Does one turn."""
        self._body(self._at)
        self._at = self._at + self._delta

    def _main_test(self) -> Any:
        step = static_value.get_static_value(self._delta)
        if step is not None:
            return self._at < self._limit if step >= 0 else self._at > self._limit
        zero = convert.constant(0, self._delta.dtype)
        up = math_ops.logical_and(self._delta >= zero, self._at < self._limit)
        return math_ops.logical_or(up, math_ops.logical_and(self._delta < zero, self._at > self._limit))


class _Elements(_Rows):
    """A loop through the elements of a dataset: what was taken last tells whether there was one."""

    def _begin(self) -> None:
        self._items = self._items._loop_items()
        self._at = self._items.take()

    def turn(self) -> None:
        """Does one turn."""
        self._body(self._items.get(self._at))
        self._at = self._items.take()

    def _main_test(self) -> Any:
        return self._items.has(self._at)
