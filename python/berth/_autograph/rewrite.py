"""rewrite - Control flow, calls and logic as calls of operators (`operators.py`, `loops.py`, `call.py`).

    if x > 0:            def get_state(): return (y,)
        y = x            def set_state(vars_): nonlocal y; (y,) = vars_
    else:          ──>   def if_body(): nonlocal y; y = x
        y = -x           def else_body(): nonlocal y; y = -x
                         y = ag__.Undefined('y')
                         ag__.if_stmt(x > 0, if_body, else_body, get_state, set_state, ('y',), 1)
"""

from __future__ import annotations

import ast
from typing import Any, Container

from berth._autograph import trees
from berth._autograph.activity import Activity, Names
from berth._autograph.naming import Namer
from berth._autograph.options import ConversionOptions, Feature

_LEFT_ALONE = ('pdb.set_trace', 'ipdb.set_trace', 'breakpoint')


class Rewriter:
    """Rewrites one function, with those in it."""

    def __init__(self, namer: Namer, activity: Activity, options: ConversionOptions, unset: Container[str]) -> None:
        self._namer, self._activity, self._options, self._unset = namer, activity, options, unset
        self._scopes: list[Any] = []  # (name of the scope, names of the function) of the functions around.
        self._first = ''  # The first parameter, of which super() is.
        self._keeps_calls = self._is_in_choice = False
        self._is_plain_print = not options.uses(Feature.BUILTIN_FUNCTIONS)
        self._has_equality = options.uses(Feature.EQUALITY_OPERATORS)

    # ---- Functions ----

    def function(self, node: Any, is_outermost: bool) -> None:
        """Rewrites a definition in place."""
        if is_outermost:
            parameters = [*node.args.posonlyargs, *node.args.args]
            self._first = parameters[0].arg if parameters else ''
        else:
            self._default_values(node.args)
            node.decorator_list = [self.expression(d) for d in node.decorator_list]
        self._scopes.append((node.scope_name, node.names))
        body = self.block(node.body)
        self._scopes.pop()
        node.body = self._in_scope(node, body, self._options if is_outermost else self._options.call_options())
        if not is_outermost:
            node.decorator_list.append(trees.attribute('ag__', 'autograph_artifact'))

    def _in_scope(self, node: Any, body: list[Any], options: ConversionOptions) -> list[ast.stmt]:
        """Returns |body| inside the scope of a function, behind the text that documents it."""
        first: list[Any] = []
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            first, body = body[:1], body[1:]
        scope = trees.operator('FunctionScope', trees.constant(node.name), trees.constant(node.scope_name),
                               _options(options))
        made = ast.With([ast.withitem(scope, trees.target(node.scope_name))], body or [ast.Pass()])
        return first + trees.at(node.lineno, [made])

    def outermost_lambda(self, node: ast.Lambda, scope_name: str) -> None:
        """Rewrites a lambda in place."""
        parameters = [*node.args.posonlyargs, *node.args.args]
        self._first = parameters[0].arg if parameters else ''
        self._scopes.append((scope_name, Names()))
        body = self.expression(node.body)
        self._scopes.pop()
        inner = ast.Lambda(trees.arguments([scope_name]), body)
        node.body = trees.operator('with_function_scope', inner, trees.constant(scope_name), _options(self._options))

    def _default_values(self, args: ast.arguments) -> None:
        args.defaults = [self.expression(d) for d in args.defaults]
        args.kw_defaults = [d if d is None else self.expression(d) for d in args.kw_defaults]

    # ---- Statements ----

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Returns a block, rewritten."""
        made: list[ast.stmt] = []
        for statement in statements:
            made += self._statement(statement)
        return made

    def _statement(self, node: Any) -> list[ast.stmt]:
        kind = type(node).__name__
        special = getattr(self, '_' + kind.lower(), None)
        if special is not None:
            return trees.at(getattr(node, 'lineno', None), special(node))
        self._fields(node)
        return [node]

    def _functiondef(self, node: Any) -> list[Any]:
        self.function(node, False)
        return [node]

    def _classdef(self, node: Any) -> list[Any]:
        node.decorator_list = [self.expression(d) for d in node.decorator_list]
        node.bases = [self.expression(b) for b in node.bases]
        return [node]  # Methods are converted when they are called.

    def _asyncfunctiondef(self, node: Any) -> list[Any]:
        return [node]

    def _with(self, node: Any) -> list[Any]:
        before, self._keeps_calls = self._keeps_calls, True
        for item in node.items:
            self._fields(item)
        self._keeps_calls = before
        node.body = self.block(node.body)
        return [node]

    def _try(self, node: Any) -> list[Any]:
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        for handler in node.handlers:
            if handler.type is not None:
                handler.type = self.expression(handler.type)
            handler.body = self.block(handler.body)
        return [node]

    _trystar = _try

    def _match(self, node: Any) -> list[Any]:
        node.subject = self.expression(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.expression(case.guard)
            case.body = self.block(case.body)
        return [node]

    def _delete(self, node: Any) -> list[Any]:
        rest = [target for target in node.targets if not isinstance(target, ast.Name)]
        made: list[Any] = [trees.assign(target.id, trees.operator('Undefined', trees.constant(target.id)))
                           for target in node.targets if isinstance(target, ast.Name)]
        if rest:
            node.targets = rest
            self._fields(node)
            made.append(node)
        return made

    def _augassign(self, node: Any) -> list[Any]:
        if not isinstance(node.target, ast.Name):
            self._fields(node)
            return [node]
        name, unset = node.target.id, self._unset
        self._unset = ()  # TensorFlow looks at the target alone.
        node.value = self.expression(node.value)
        self._unset = unset
        return [trees.assign(name, trees.operator('ld', trees.name(name))), node] if name in unset else [node]

    def _assert(self, node: Any) -> list[Any]:
        if not self._options.uses(Feature.ASSERT_STATEMENTS):
            self._fields(node)
            return [node]
        if node.msg is not None and not isinstance(node.msg, ast.Constant):
            raise NotImplementedError('can only convert string messages for now.')
        text = node.msg or trees.constant('Assertion error')
        return [ast.Expr(trees.operator('assert_stmt', self.expression(node.test), trees.later(text)))]

    # ---- Control flow ----

    def _declare(self, names: list[str]) -> list[Any]:
        """Makes the names of blocks those of the function."""
        plain = [name for name in names if not self._activity.paths.is_path(name)]
        shared = [name for name in plain if name in self._scopes[-1][1].globals]
        own = [name for name in plain if name not in shared]
        return ([ast.Global(shared)] if shared else []) + ([ast.Nonlocal(own)] if own else [])

    def _state_functions(self, node: Any, getter: str, setter: str) -> list[Any]:
        """Returns the functions that read and write all variables of a block."""
        names = node.block_vars
        if not names:
            return [trees.define(getter, (), [ast.Return(trees.row(()))]), trees.define(setter, ['block_vars'], [])]
        targets = [self._target(name) for name in names]
        unpack = ast.Assign([ast.Tuple(targets, ast.Store())], trees.name('vars_'))
        return [trees.define(getter, (), [ast.Return(trees.row(self._read(name) for name in names))]),
                trees.define(setter, ['vars_'], [*self._declare(names), unpack])]

    def _read(self, name: str) -> ast.expr:
        if not self._activity.paths.is_path(name):
            return trees.name(name)
        return trees.operator('ldu', trees.later(_parsed(name)), trees.constant(name))

    def _target(self, name: str) -> Any:
        made: Any = _parsed(name)
        made.ctx = ast.Store()
        return made

    def _undefined(self, node: Any) -> list[Any]:
        return [trees.assign(name, trees.operator('Undefined', trees.constant(name))) for name in node.undefined]

    def _finish(self, node: Any, made: list[Any], function: str, args: list[Any]) -> list[Any]:
        names = trees.row(trees.constant(name) for name in node.block_vars)
        call = trees.operator(function, *args[:-1], names, args[-1])
        return [*made, *self._undefined(node), ast.Expr(call)]

    def _new_names(self, node: Any, *roots: str) -> list[str]:
        names = self._activity.block([*node.body, *node.orelse]).referenced()
        return [self._namer.new(root, names) for root in roots]

    def _if(self, node: Any) -> list[Any]:
        test, then, otherwise = self.expression(node.test), self.block(node.body), self.block(node.orelse)
        getter, setter, body, orelse = self._new_names(node, 'get_state', 'set_state', 'if_body', 'else_body')
        names = node.block_vars
        made = [*self._state_functions(node, getter, setter),
                trees.define(body, (), [*self._declare(names), *then]),
                trees.define(orelse, (), [*self._declare(names), *(otherwise or [ast.Pass()])])]
        return self._finish(node, made, 'if_stmt', [
            test, trees.name(body), trees.name(orelse), trees.name(getter), trees.name(setter),
            trees.constant(node.nouts)])

    def _loop_options(self, node: Any) -> ast.Dict:
        given = getattr(node, 'loop_options', {})
        return ast.Dict([trees.constant(key) for key in given], [self.expression(value) for value in given.values()])

    def _while(self, node: Any) -> list[Any]:
        condition, block = self.expression(node.test), self.block(node.body)
        getter, setter, body, test = self._new_names(node, 'get_state', 'set_state', 'loop_body', 'loop_test')
        made = [*self._state_functions(node, getter, setter),
                trees.define(body, (), [*self._declare(node.block_vars), *block]),
                trees.define(test, (), [ast.Return(condition)])]
        return self._finish(node, made, 'while_stmt', [
            trees.name(test), trees.name(body), trees.name(getter), trees.name(setter), self._loop_options(node)])

    def _for(self, node: Any) -> list[Any]:
        through, block = self.expression(node.iter), self.block(node.body)
        getter, setter, item, body = self._new_names(node, 'get_state', 'set_state', 'itr', 'loop_body')
        options = self._loop_options(node)
        options.keys.append(trees.constant('iterate_names'))
        options.values.append(trees.constant(ast.unparse(node.target)))
        extra: ast.expr = trees.constant(None)
        declared = self._declare(node.block_vars)
        self._fields(node.target)
        begin = trees.at(node.lineno, [ast.Assign([node.target], trees.name(item))])
        made = [*self._state_functions(node, getter, setter),
                trees.define(body, [item], [*declared, *begin, *block])]
        if getattr(node, 'extra_test', None) is not None:
            name = self._new_names(node, 'extra_test')[0]
            made.append(trees.define(name, (), [*declared, ast.Return(self.expression(node.extra_test))]))
            extra = trees.name(name)
        return self._finish(node, made, 'for_stmt', [
            through, extra, trees.name(body), trees.name(getter), trees.name(setter), options])

    # ---- Expressions ----

    def expression(self, node: Any) -> Any:
        """Returns an expression, rewritten."""
        kind = type(node)
        if kind is ast.Constant:
            return node
        if kind is ast.Name:
            if node.id in self._unset and isinstance(node.ctx, ast.Load):
                return trees.operator('ld', node)
            return node
        special = _EXPRESSIONS.get(kind)
        if special is not None:
            return special(self, node)
        self._fields(node)
        return node

    def _fields(self, node: Any) -> None:
        """Rewrites the expressions of a node in place."""
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.expr):
                setattr(node, field, self.expression(value))
            elif isinstance(value, list):
                value[:] = [self._item(item) for item in value]
            elif isinstance(value, ast.AST):
                self._fields(value)

    def _item(self, item: Any) -> Any:
        if isinstance(item, ast.expr):
            return self.expression(item)
        if isinstance(item, ast.AST):
            self._fields(item)
        return item

    def _call(self, node: Any) -> Any:
        path = self._activity.paths.of(node.func) or ''
        self._fields(node)
        scope = self._scopes[-1][0]
        if self._keeps_calls or path in _LEFT_ALONE or path.startswith(('ag__.', scope + '.')):
            return node
        if path == 'print' and self._is_plain_print:
            return node
        if path == 'super' and not node.args and self._first:
            return trees.call(trees.name('super'), trees.name('__class__'), trees.name(self._first))
        named: ast.expr = trees.constant(None)
        if node.keywords:
            named = ast.Call(trees.name('dict'), [], node.keywords)
        return trees.operator('converted_call', node.func, _in_one(node.args), named, trees.name(scope))

    def _lambda(self, node: Any) -> Any:
        self._default_values(node.args)
        node.body = self.expression(node.body)
        return trees.operator('autograph_artifact', node)

    def _compare(self, node: Any) -> Any:
        self._fields(node)
        left, result = node.left, None
        for op, right in zip(node.ops, node.comparators):
            one = self._compared(op, left, right)
            result = one if result is None else trees.operator('and_', trees.later(result), trees.later(one))
            left = right
        return result

    def _compared(self, op: Any, left: Any, right: Any) -> ast.expr:
        if self._has_equality and isinstance(op, (ast.Eq, ast.NotEq)):
            return trees.operator('eq' if isinstance(op, ast.Eq) else 'not_eq', left, right)
        return ast.Compare(left, [op], [right])

    def _unary(self, node: Any) -> Any:
        self._fields(node)
        return trees.operator('not_', node.operand) if isinstance(node.op, ast.Not) else node

    def _logic(self, node: Any) -> Any:
        self._fields(node)
        function = 'and_' if isinstance(node.op, ast.And) else 'or_'
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            result = trees.operator(function, trees.later(value), trees.later(result))
        return result

    def _choice(self, node: Any) -> Any:
        if self._is_in_choice:  # TensorFlow leaves choices inside of choices alone.
            self._fields(node)
            return node
        shown = trees.constant(ast.unparse(node.test).strip())
        self._is_in_choice = True
        self._fields(node)
        self._is_in_choice = False
        return trees.operator('if_exp', node.test, trees.later(node.body), trees.later(node.orelse), shown)


_EXPRESSIONS: dict[Any, Any] = {
    ast.Call: Rewriter._call, ast.Lambda: Rewriter._lambda, ast.Compare: Rewriter._compare,
    ast.UnaryOp: Rewriter._unary, ast.BoolOp: Rewriter._logic, ast.IfExp: Rewriter._choice,
}


def _in_one(args: list[ast.expr]) -> ast.expr:
    """Returns the arguments of a call as one tuple."""
    parts: list[Any] = []
    for arg in args:
        if isinstance(arg, ast.Starred):
            parts.append(trees.call(trees.name('tuple'), arg.value))
        elif parts and isinstance(parts[-1], ast.Tuple):
            parts[-1].elts.append(arg)
        else:
            parts.append(trees.row([arg]))
    whole = parts[0] if parts else trees.row(())
    for part in parts[1:]:
        whole = ast.BinOp(whole, ast.Add(), part)
    return whole


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode='eval').body


def _options(options: ConversionOptions) -> ast.expr:
    return _parsed(options.text())
