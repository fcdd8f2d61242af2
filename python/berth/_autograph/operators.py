"""operators - What converted code calls for `if`, ternaries, logic and assert: Python's, or a branch of the graph."""

from __future__ import annotations

from typing import Any, Callable

from berth._autograph import checks
from berth._autograph.options import ConversionOptions, Feature, Status, state
from berth._autograph.variables import UndefinedReturnValue
from berth.framework import convert, gen, nest, scopes
from berth.framework.composite import Composite
from berth.ops import flow_ops, flow_values


def is_dense(value: Any) -> bool:
    """True for a tensor or variable that is no sparse one."""
    return convert.is_tensor(value) and not isinstance(value, Composite)


# ---- Scopes of functions ----


class FunctionScope:
    """What is in force while a converted function runs."""

    __slots__ = ('_name_scope', 'callopts', 'name', 'options')

    def __init__(self, function_name: str, scope_name: str, options: ConversionOptions) -> None:
        self.name, self.options = scope_name, options
        self.callopts = options.call_options()
        self._name_scope: Any = None
        if options.uses(Feature.NAME_SCOPES):
            shown = 'fn' + function_name if function_name.startswith('_') else function_name
            self._name_scope = scopes.name_scope(shown)

    def __enter__(self) -> 'FunctionScope':
        if self.options.user_requested:
            state.stack.append(Status.ENABLED)
        if self._name_scope is not None:
            self._name_scope.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self.options.user_requested:
            state.stack.pop()
        if self._name_scope is not None:
            self._name_scope.__exit__(*error)

    def ret(self, value: Any, did_return: Any) -> Any:
        """Returns what the function returns."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(thunk: Callable[[Any], Any], scope_name: str, options: ConversionOptions) -> Any:
    """Calls the body of a lambda in a scope."""
    with FunctionScope('lambda_', scope_name, options) as scope:
        return thunk(scope)


def autograph_artifact(entity: Any, extras: Any = None) -> Any:
    """Marks a function that needs no conversion."""
    getattr(entity, '__func__', entity).autograph_info__ = extras
    return entity


# ---- Branches ----


def if_stmt(cond: Any, body: Callable[[], None], orelse: Callable[[], None], get_state: Any, set_state: Any,
            symbol_names: tuple[str, ...], nouts: int) -> None:
    """Runs one of two blocks, or both as the sides of a branch."""
    if is_dense(cond):
        _Branch(get_state, set_state, symbol_names, nouts).build(cond, body, orelse)
    elif cond:
        body()
    else:
        orelse()


class _Branch:
    """An `if` on a tensor."""

    def __init__(self, get_state: Any, set_state: Any, names: tuple[str, ...], nouts: int) -> None:
        self._get, self._set, self._names, self._count = get_state, set_state, names, nouts
        self._given: dict[str, Any] = {}  # What each side gave.
        self._start: Any = ()

    def build(self, cond: Any, body: Any, orelse: Any) -> None:
        """Makes the branch and takes what it gives."""
        cond = checks.condition(cond, 'if statement')
        self._start = self._get()
        if not self._count:
            self._names = (*self._names, '<unused dummy>')
        given = flow_ops.cond(cond, lambda: self._side('main', body), lambda: self._side('else', orelse), strict=True)
        results = self._whole(given) if self._count else ()
        self._set((*results, *self._start[self._count:]))

    def _side(self, which: str, block: Any) -> Any:
        self._set(self._start)
        block()
        values = self._get()[:self._count]
        self._given[which] = values
        checks.branch(values, self._names, which)
        if len(self._given) == 2:
            checks.branches(self._given['main'], self._given['else'], self._names)
        return tuple(flow_values.apart(value) for value in values) if self._count else (0,)

    def _whole(self, given: Any) -> Any:
        """Returns what the branch gives, with what is made of tensors whole."""
        side = self._given['main'] if 'main' in self._given else self._given['else']
        return tuple(flow_values.together(like, nest.flatten(value)) for like, value in zip(side, given))


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """Gives one of two values."""
    if not is_dense(cond):
        return if_true() if cond else if_false()
    given: dict[bool, Any] = {}

    def side(which: bool, function: Callable[[], Any]) -> Any:
        given[which] = function()
        if len(given) == 2:
            checks.one_each(expr_repr, given[True], given[False])
        return given[which]

    return flow_ops.cond(cond, lambda: side(True, if_true), lambda: side(False, if_false))


# ---- Logic ----


def not_(a: Any) -> Any:
    """Says not."""
    return gen.apply('LogicalNot', None, {'x': a}) if convert.is_tensor(a) else not a


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Says and; the second is looked at where the first holds."""
    first = a()
    if convert.is_tensor(first):
        return flow_ops.cond(first, b, lambda: first)
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Says or; the second is looked at where the first does not hold."""
    first = a()
    if convert.is_tensor(first):
        return flow_ops.cond(first, lambda: first, b)
    return first or b()


def eq(a: Any, b: Any) -> Any:
    """Compares."""
    if convert.is_tensor(a) or convert.is_tensor(b):
        return gen.apply('Equal', None, {'x': a, 'y': b})
    return a == b


def not_eq(a: Any, b: Any) -> Any:
    """Compares, the other way round."""
    return not_(eq(a, b))


def assert_stmt(condition: Any, message: Callable[[], Any]) -> Any:
    """Checks now, or in the graph."""
    if not convert.is_tensor(condition):
        assert condition, message()
        return None
    shown = message()
    return flow_ops.Assert(condition, shown if isinstance(shown, list) else [shown])
