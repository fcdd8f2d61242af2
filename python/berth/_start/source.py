"""source - TF1 or TF2: which of the two a program is, told from its source.

TensorFlow 2's own rule decides wherever it can: ops run at once until the program says
otherwise, whatever names of compat.v1 it uses. Only a program that could not run under
TensorFlow 2 at all is TF1:

  * it uses a name on TensorFlow's module that only TF1 has, such as `tf.Session`, or
  * compat.v1 is all of TensorFlow that it imports, and it uses placeholders, or runs
    sessions, outside of any graph's scope.

The source of the program, and of the modules beside it that it imports, is followed as
TensorFlow 2 would run it and never run: branches that test the version are settled
(`known_values`), a try that catches the missing name goes on in its handler, and a function
counts when something that is reached names it. Without source it is TF2.
"""

from __future__ import annotations

import os

from berth._start import known_values

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

_PACKAGES = ('tensorflow', 'berth')
_V1 = 'compat.v1'
# A program that says by itself what it is.
_SWITCHES = frozenset(('disable_v2_behavior', 'disable_eager_execution', 'enable_eager_execution',
                       'enable_v2_behavior'))
_REFUSED = frozenset(('placeholder', 'sparse_placeholder'))
_SESSIONS = frozenset(('Session', 'InteractiveSession'))
# What graphs begin with, where none is open: without one of these there is nothing to run.
_BEGINNINGS = frozenset('''
    constant Variable get_variable zeros ones fill range linspace random_normal random_uniform
    truncated_normal nn layers matmul add subtract multiply random math
'''.split())
# Code that calls functions by names which are not in the source.
_BY_NAME = frozenset(('globals', 'locals', 'vars', 'eval', 'exec', 'Fire'))
_FUNCTIONS = ('FunctionDef', 'AsyncFunctionDef')
_BROAD = frozenset(('Exception', 'BaseException'))
_SIMPLE = frozenset(('Expr', 'Assign', 'AnnAssign', 'Import', 'ImportFrom'))
_SHORT = 4  # Statements of a try whose `except Exception` looks for a missing name.
_LIBRARIES = ('site-packages', 'dist-packages')
# Programs that import more modules of their own than this are no longer searched.
_MOST_FILES = 200

NOTHING = 'nothing in its source is of TF1 alone'


def detect(path: str) -> tuple[int, str]:
    """Returns the mode of the program at |path|, and why."""
    return _detect(_Program([os.path.dirname(os.path.abspath(path)), os.getcwd()]), path, None)


def detect_source(source: str, name: str = '<string>') -> tuple[int, str]:
    """Returns the mode of a program given as text."""
    return _detect(_Program([os.getcwd()]), name, source)


def _detect(program: '_Program', path: str, source: Optional[str]) -> tuple[int, str]:
    try:
        program.read(path, source)
    except _Missing as missing:
        return 1, missing.reason
    except (RecursionError, MemoryError):
        pass  # Nothing was found as far as it was read.
    return 2, NOTHING


def local_file(folder: str, module: str) -> Optional[str]:
    """Returns the file of |module| if it lies in |folder|."""
    stem = os.path.join(folder, *module.split('.'))
    for path in (stem + '.py', os.path.join(stem, '__init__.py')):
        if os.path.isfile(path):
            return path
    return None


def _tree(path: str, source: Any) -> tuple[Any, bool]:
    """Returns the syntax tree of a file or a text, and whether TensorFlow is mentioned in it.

    There is None where there is no tree to be had. The nodes are told apart by the names of their
    types: loading the module ast would take as long as everything else until the program starts.
    """
    import _ast
    import warnings

    try:
        if source is None:
            with open(path, 'rb') as file:
                source = file.read()
        text = source if isinstance(source, bytes) else source.encode(errors='replace')
        mentions = any(name.encode() in text for name in _PACKAGES)
        if not mentions and b'import' not in text:
            return None, False
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # Python will warn when it compiles it.
            return compile(source, path, 'exec', _ast.PyCF_ONLY_AST, True), mentions
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None, False  # Python will tell, too.


def _kind(node: Any) -> str:
    return type(node).__name__


def _children(node: Any) -> Iterator[Any]:
    """Gives what is directly below |node|, in the order of the source."""
    for field in node._fields:
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else (value,):
            if hasattr(item, '_fields'):
                yield item


class _Missing(Exception):
    """The program stops here under TensorFlow 2."""

    def __init__(self, reason: str, is_import: bool) -> None:
        super().__init__(reason)
        self.reason, self.is_import = reason, is_import


class _Scope:
    """What names mean in a file or a function: parts of TensorFlow, values, modules beside it."""

    def __init__(self, file: str, parent: Optional['_Scope'] = None) -> None:
        self.file = file
        self.paths: dict[str, str] = dict(parent.paths) if parent else {}  # "" is tf, "train" is tf.train.
        self.values: dict[str, Any] = dict(parent.values) if parent else {}

    def forget(self, name: str) -> None:
        """Notes that |name| is something else from now on."""
        self.paths.pop(name, None)
        self.values.pop(name, None)


class _Program:
    """Follows a program, file by file and function by function."""

    def __init__(self, folders: list[str]) -> None:
        # Beside what starts a notebook or a server lie all libraries, and none is the program's.
        self._folders = [folder for folder in folders if os.path.basename(folder) not in _LIBRARIES and
                         folder != os.path.dirname(os.__file__)]
        self._modules: dict[str, _Scope] = {}
        self._functions: dict[str, list[tuple[Any, _Scope]]] = {}
        self._named: dict[str, list[tuple[bool, bool]]] = {}  # Where: guarded, in a graph.
        self._walked: set[tuple[int, bool, bool]] = set()
        self._waiting: list[tuple[Any, _Scope, bool, bool]] = []
        self._is_program = True  # Until the first file is read.
        self._everything = False  # True when functions are called that nothing names.
        self._guarded = False  # True where a missing name is caught.
        self._in_graph = False
        self._says_itself = self._orders = self._imports_tf = self._begins = self._runs = False
        self._refused = ''  # What TensorFlow 2 refuses outside of graphs.
        self._session = ''

    def read(self, path: str, source: Optional[str]) -> None:
        """Reads the program; raises _Missing where it could not go on."""
        self._module(path, source)
        self._follow_functions()
        if self._says_itself or self._imports_tf:
            return
        if self._refused:
            raise _Missing(self._refused, False)
        if self._session and self._begins and self._runs:
            raise _Missing(self._session, False)

    # ---- Files and functions ----

    def _module(self, path: str, source: Optional[str] = None) -> Optional[_Scope]:
        """Follows a file, once; returns what its names mean."""
        key = os.path.abspath(path)
        if key in self._modules or len(self._modules) >= _MOST_FILES:
            return self._modules.get(key)
        scope = self._modules[key] = _Scope(path)
        tree, mentions = _tree(path, source)
        if tree is not None and (mentions or self._is_program):
            self._is_program = False
            self._block(tree.body, scope)
        elif tree is not None:
            self._skim(tree, scope)
        return scope

    def _skim(self, tree: Any, scope: _Scope) -> None:
        """Takes all that a file names as reached: it has nothing of TensorFlow, but may lead there."""
        waiting = [tree]
        for node in waiting:
            kind = _kind(node)
            if kind == 'Name' or kind == 'Attribute':
                self._name(node.id if kind == 'Name' else node.attr)
            elif kind == 'Import' or kind == 'ImportFrom':
                self._statement(node, scope)
            waiting.extend(_children(node))

    def _follow_functions(self) -> None:
        """Follows functions that are named where the program comes by, until there are no more."""
        while True:
            while self._waiting:
                self._function(*self._waiting.pop(0))
            if not self._everything:
                return
            for found in list(self._functions.values()):
                for node, scope in found:
                    self._queue(node, scope, False, False)
            if not self._waiting:
                return

    def _queue(self, node: Any, scope: _Scope, guarded: bool, in_graph: bool) -> None:
        """Notes that a function or class is to be followed, once in each way."""
        if (id(node), guarded, in_graph) not in self._walked:
            self._walked.add((id(node), guarded, in_graph))
            self._waiting.append((node, scope, guarded, in_graph))

    def _known(self, node: Any, scope: _Scope) -> None:
        """Notes a function or class of the program; something may have named it before."""
        self._functions.setdefault(node.name, []).append((node, scope))
        for guarded, in_graph in self._named.get(node.name, ()):
            self._queue(node, scope, guarded, in_graph)

    def _function(self, node: Any, scope: _Scope, guarded: bool, in_graph: bool) -> None:
        """Follows the body of a function that is called, or what a class is made of."""
        if _kind(node) == 'ClassDef':
            # What it extends may call any of its methods.
            extends = any(_last(base) != 'object' for base in node.bases)
            for item in node.body:
                if _kind(item) in _FUNCTIONS and (extends or item.name.startswith('__')):
                    self._name(item.name, guarded, in_graph)
            return
        inner = _Scope(scope.file, scope)
        for argument in _arguments(node.args):
            inner.forget(argument)
        before = self._guarded, self._in_graph
        self._guarded, self._in_graph = guarded, in_graph
        try:
            self._block(node.body, inner)
        except _Missing:
            if not guarded:
                raise
        finally:
            self._guarded, self._in_graph = before

    def _name(self, name: str, guarded: Optional[bool] = None, in_graph: Optional[bool] = None) -> None:
        """Notes that something of this name is used, here unless it is said where."""
        where = (self._guarded if guarded is None else guarded, self._in_graph if in_graph is None else in_graph)
        places = self._named.setdefault(name, [])
        if where in places:
            return
        places.append(where)
        for node, scope in self._functions.get(name, ()):
            self._queue(node, scope, *where)
        if name in _BY_NAME:
            self._everything = True

    # ---- Statements: True when nothing after them is reached ----

    def _block(self, body: list[Any], scope: _Scope) -> bool:
        return any(self._statement(node, scope) for node in body)

    def _statement(self, node: Any, scope: _Scope) -> bool:
        method = getattr(self, '_do_' + _kind(node), None)
        if method is not None:
            return bool(method(node, scope))
        for child in _children(node):
            self._expression(child, scope)
        return False

    def _do_Return(self, node: Any, scope: _Scope) -> bool:
        for child in _children(node):
            self._expression(child, scope)
        return True

    _do_Raise = _do_Continue = _do_Break = _do_Return

    def _do_Expr(self, node: Any, scope: _Scope) -> bool:
        self._expression(node.value, scope)
        called = getattr(node.value, 'func', None)
        return getattr(called, 'id', '') in ('exit', 'quit') or (
            getattr(called, 'attr', '') == 'exit' and getattr(called.value, 'id', '') == 'sys')

    def _do_FunctionDef(self, node: Any, scope: _Scope) -> None:
        scope.forget(node.name)
        self._define(node, scope)

    def _define(self, node: Any, scope: _Scope) -> None:
        self._known(node, scope)
        for child in node.decorator_list + node.args.defaults + [d for d in node.args.kw_defaults if d]:
            self._expression(child, scope)
        if node.decorator_list:
            self._name(node.name)  # What decorates it may call it.

    _do_AsyncFunctionDef = _do_FunctionDef

    def _do_ClassDef(self, node: Any, scope: _Scope) -> None:
        scope.forget(node.name)
        self._known(node, scope)
        for child in node.decorator_list + node.bases + [k.value for k in node.keywords]:
            self._expression(child, scope)
        # A runner of tests finds its classes by itself.
        if node.decorator_list or any('Test' in _last(base) for base in node.bases):
            self._name(node.name)
        inner = _Scope(scope.file, scope)
        for item in node.body:
            if _kind(item) in _FUNCTIONS:
                self._define(item, scope)  # Methods do not see the names of their class.
            else:
                self._statement(item, inner)

    def _do_If(self, node: Any, scope: _Scope) -> bool:
        self._expression(node.test, scope)
        truth = self._truth(node.test, scope)
        if truth is not None:
            return self._block(node.body if truth else node.orelse, scope)
        before = dict(scope.values)
        ends = [self._block(node.body, scope), self._block(node.orelse, scope)]
        scope.values = {k: v for k, v in scope.values.items() if k in before and before[k] is v}
        return all(ends)

    def _do_While(self, node: Any, scope: _Scope) -> None:
        self._expression(node.test, scope)
        if self._truth(node.test, scope) is not False:
            self._block(node.body, scope)
        self._block(node.orelse, scope)

    def _do_For(self, node: Any, scope: _Scope) -> None:
        self._expression(node.iter, scope)
        self._bind(node.target, None, scope)
        self._block(node.body, scope)
        self._block(node.orelse, scope)

    _do_AsyncFor = _do_For

    def _do_With(self, node: Any, scope: _Scope) -> bool:
        before = self._in_graph
        for item in node.items:
            self._expression(item.context_expr, scope)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, None, scope)
            self._in_graph |= self._opens_graph(item.context_expr, scope)
        try:
            ends = self._block(node.body, scope)
        finally:
            self._in_graph = before
        # What is raised inside may be kept there, as pytest.raises() does.
        return ends and _kind(node.body[-1]) != 'Raise'

    _do_AsyncWith = _do_With

    def _opens_graph(self, node: Any, scope: _Scope) -> bool:
        called = getattr(node, 'func', None)
        if getattr(called, 'attr', '') == 'as_default':
            return True
        return (self._path(called, scope) or '').rpartition('.')[2] in _SESSIONS

    def _do_Try(self, node: Any, scope: _Scope) -> bool:
        before = self._guarded
        self._guarded = before or any(_catches(h, False, False) for h in node.handlers)
        ends = caught = False
        for statement in node.body:
            try:
                ends = self._statement(statement, scope)
            except _Missing as missing:
                handler = self._handler(node, statement, missing)
                if handler is None:
                    raise
                self._guarded, caught = before, True
                ends = self._block(handler.body, scope)
            if ends or caught:
                break
        self._guarded = before
        if not caught and not ends:
            ends = self._block(node.orelse, scope)
        return self._block(node.finalbody, scope) or ends

    _do_TryStar = _do_Try

    def _handler(self, node: Any, statement: Any, missing: _Missing) -> Any:
        """Returns the handler that goes on where a name was missing, or None."""
        is_short = _kind(statement) in _SIMPLE and len(node.body) <= _SHORT
        return next((h for h in node.handlers if _catches(h, missing.is_import, is_short)), None)

    def _do_Assign(self, node: Any, scope: _Scope) -> None:
        self._expression(node.value, scope)
        for target in node.targets:
            self._bind(target, node.value, scope)

    def _do_AnnAssign(self, node: Any, scope: _Scope) -> None:
        if node.value is not None:
            self._do_Assign(type('', (), {'value': node.value, 'targets': [node.target]}), scope)

    def _do_AugAssign(self, node: Any, scope: _Scope) -> None:
        self._expression(node.value, scope)
        self._bind(node.target, None, scope)

    def _bind(self, target: Any, value: Any, scope: _Scope) -> None:
        """Notes what an assignment makes of a name."""
        if _kind(target) != 'Name':
            for child in _children(target):
                if _kind(target) in ('Tuple', 'List', 'Starred'):
                    self._bind(child, None, scope)
                else:
                    self._expression(child, scope)
            return
        path = None if value is None else self._path(value, scope)
        scope.forget(target.id)
        if path is not None:
            scope.paths[target.id] = path
        elif value is not None:
            try:
                scope.values[target.id] = self._value(value, scope)
            except known_values.Unknown:
                pass

    # ---- Imports ----

    def _do_Import(self, node: Any, scope: _Scope) -> None:
        for alias in node.names:
            root, _, rest = alias.name.partition('.')
            if root in _PACKAGES:
                self._see_import(rest, node, scope)
                scope.forget(alias.asname or root)
                scope.paths[alias.asname or root] = rest if alias.asname else ''
            else:
                scope.forget(alias.asname or root)
                self._import_local(alias.name, scope, 0)

    def _do_ImportFrom(self, node: Any, scope: _Scope) -> None:
        module = node.module or ''
        root, _, rest = module.partition('.')
        if root not in _PACKAGES or node.level:
            self._import_names(node, module, scope)
            return
        for alias in node.names:
            inner = f'{rest}.{alias.name}'.lstrip('.') if alias.name != '*' else rest
            self._see_import(inner, node, scope)
            self._see(inner, node, scope, True)
            scope.forget(alias.asname or alias.name)
            scope.paths[alias.asname or alias.name] = inner

    def _import_names(self, node: Any, module: str, scope: _Scope) -> None:
        """Follows `from .model import Net as N` to the file it means."""
        found = self._import_local(module, scope, node.level) if module else None
        for alias in node.names:
            name = alias.asname or alias.name
            scope.forget(name)
            if alias.name == '*' and found is not None:
                scope.paths.update(found.paths)
                scope.values.update(found.values)
            elif found is not None and alias.name in found.paths:
                scope.paths[name] = found.paths[alias.name]
            elif found is not None and alias.name in found.values:
                scope.values[name] = found.values[alias.name]
            elif alias.name != '*':
                self._import_local(f'{module}.{alias.name}'.lstrip('.'), scope, node.level)
            self._name(alias.name)

    def _import_local(self, module: str, scope: _Scope, level: int) -> Optional[_Scope]:
        """Follows a module that lies beside the program, with the packages it is in."""
        folders = list(self._folders)
        if level:
            folder = os.path.dirname(os.path.abspath(scope.file))
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            folders = [folder]
        found = None
        words = module.split('.')
        for count in range(1, len(words) + 1):
            for folder in folders:
                path = local_file(folder, '.'.join(words[:count]))
                if path is not None:
                    found = self._module(path)
                    break
        return found

    def _see_import(self, path: str, node: Any, scope: _Scope) -> None:
        """Notes which part of TensorFlow is imported."""
        first = path.partition('.')[0]
        if first in ('contrib', 'examples', 'g3doc'):
            self._stop(first, node, scope, True)
        if not path.startswith((_V1, 'python', 'core')) and path != 'compat':
            self._imports_tf = True

    # ---- Expressions ----

    def _expression(self, node: Any, scope: _Scope) -> None:
        """Goes through what an expression uses, in the order in which it is worked out."""
        kind = _kind(node)
        if kind == 'Attribute' or kind == 'Name':
            self._use(node, scope)
        elif kind == 'IfExp':
            self._expression(node.test, scope)
            truth = self._truth(node.test, scope)
            for branch, taken in ((node.body, True), (node.orelse, False)):
                if truth is None or truth is taken:
                    self._expression(branch, scope)
        elif kind == 'BoolOp':
            for item in node.values:
                self._expression(item, scope)
                if self._truth(item, scope) is (_kind(node.op) == 'Or'):
                    break
        else:
            if kind == 'Call':
                self._call(node, scope)
            for child in _children(node):
                self._expression(child, scope)

    def _use(self, node: Any, scope: _Scope) -> None:
        path = self._path(node, scope)
        if path is not None:
            self._see(path, node, scope, False)
        elif _kind(node) == 'Name':
            self._name(node.id)
        else:
            self._name(node.attr)
            self._expression(node.value, scope)

    def _call(self, node: Any, scope: _Scope) -> None:
        """Notes calls that mean more than their names."""
        name = _last(node.func)
        path = self._path(node, scope)
        if path is not None:  # getattr(tf, 'Session')
            self._see(path, node, scope, False)
        if node.args and self._path(node.func, scope) == 'mode':  # berth.mode(1)
            self._orders = self._says_itself = True
        if name in ('run', 'eval') and self._path(node.func, scope) is None and _kind(node.func) == 'Attribute':
            self._runs = True
        if name == 'getattr' and len(node.args) > 1 and _kind(node.args[1]) != 'Constant':
            self._everything |= self._path(node.args[0], scope) is None

    def _see(self, path: str, node: Any, scope: _Scope, is_import: bool) -> None:
        """Looks at a name of TensorFlow that the program uses."""
        from berth._start.tf1_names import NAMES

        words = path.split('.')
        self._says_itself |= path.startswith(_V1) and words[-1] in _SWITCHES
        if path.startswith(_V1 + '.'):
            self._see_v1(words[2:], node, scope)
            return
        for count in range(len(words)):
            if words[count] in NAMES.get('.'.join(words[:count]), ()):
                self._stop('.'.join(words[:count + 1]), node, scope, is_import)

    def _see_v1(self, words: list[str], node: Any, scope: _Scope) -> None:
        """Looks at a name of compat.v1."""
        if self._in_graph:
            return
        if words[0] in _BEGINNINGS:
            self._begins = True
        elif words[0] in _REFUSED:
            self._refused = self._refused or _reason(f'tf.{words[0]} is used outside of any graph', node, scope)
        elif words[0] in _SESSIONS:
            self._session = self._session or _reason(f'tf.{words[0]} is used outside of any graph', node, scope)

    def _stop(self, path: str, node: Any, scope: _Scope, is_import: bool) -> None:
        if not self._orders:
            raise _Missing(_reason(f'tf.{path} is of TF1', node, scope), is_import)

    def _path(self, node: Any, scope: _Scope) -> Optional[str]:
        """Returns "train.Saver" for `tf.train.Saver`; None when it does not start at tf."""
        words: list[str] = []
        while True:
            if _kind(node) == 'Attribute':
                words.append(node.attr)
                node = node.value
            elif _kind(node) == 'Call' and getattr(node.func, 'id', '') == 'getattr' and len(node.args) == 2 and (
                    isinstance(getattr(node.args[1], 'value', None), str)):
                words.append(node.args[1].value)
                node = node.args[0]
            else:
                break
        if _kind(node) != 'Name' or node.id not in scope.paths:
            return None
        base = scope.paths[node.id]
        return '.'.join(([base] if base else []) + words[::-1])

    def _truth(self, node: Any, scope: _Scope) -> Optional[bool]:
        """Returns how a test comes out under TensorFlow 2, or None."""
        try:
            return bool(self._value(node, scope))
        except known_values.Unknown:
            return None

    def _value(self, node: Any, scope: _Scope) -> Any:
        eager = None if self._says_itself else True
        return known_values.value(node, lambda inner: self._path(inner, scope), scope.values, eager)


def _reason(text: str, node: Any, scope: _Scope) -> str:
    return f'{text}: {os.path.basename(scope.file)}, line {node.lineno}'


def _arguments(arguments: Any) -> Iterator[str]:
    """Gives the names of a function's parameters."""
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
        yield argument.arg
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            yield argument.arg


def _last(node: Any) -> str:
    """Returns the last word of a name: "run" for `tf.app.run`."""
    return getattr(node, 'attr', None) or getattr(node, 'id', '') or ''


def _catches(handler: Any, is_import: bool, is_short: bool) -> bool:
    """True for a handler of names that are missing; a broad one only where little is tried."""
    kinds = handler.type.elts if _kind(handler.type) == 'Tuple' else [handler.type]
    names = {_last(kind) for kind in kinds} if handler.type is not None else {'BaseException'}
    wanted = {'ImportError'} if is_import else {'AttributeError'}
    return bool(names & wanted) or is_short and bool(names & _BROAD)
