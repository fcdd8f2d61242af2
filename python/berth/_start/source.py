"""source - TF1 or TF2: which of the two a program was written for, told from its source.

The source of the program, and of the modules beside it that it imports, is parsed, never
run. It is TF1 when it

  * imports `compat.v1` as a module, or gives it a name,
  * uses `disable_v2_behavior` or `disable_eager_execution`,
  * or uses a name that only TF1 has, such as `tf.Session`.

`tf.compat.v1.Session` written out in a program that is otherwise TF2 is none of these:
it works in TF2, and changes nothing about the rest. Without source it is TF2.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

_PACKAGES = ('tensorflow', 'berth')
_SWITCHES = frozenset(('disable_v2_behavior', 'disable_eager_execution'))
# Programs that import more modules of their own than this are no longer searched.
_MOST_FILES = 200


def detect(path: str) -> tuple[int, str]:
    """Returns the mode of the program at |path|, and why."""
    folder = os.path.dirname(os.path.abspath(path))
    waiting, seen = [path], {os.path.abspath(path)}
    while waiting and len(seen) <= _MOST_FILES:
        tree = _parse(waiting.pop(0))
        if tree is None:
            continue
        reader = _Reader()
        reader.read(tree)
        if reader.sign is not None:
            return 1, reader.sign
        for module in reader.imports:
            found = local_file(folder, module)
            if found is not None and found not in seen:
                seen.add(found)
                waiting.append(found)
    return 2, 'nothing in the source is TF1'


def detect_source(source: str) -> tuple[int, str]:
    """Returns the mode of a program given as text."""
    reader = _Reader()
    try:
        reader.read(_tree(source, '<string>'))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # Python will tell when it compiles it.
    return (1, reader.sign) if reader.sign else (2, 'nothing in the source is TF1')


def _parse(path: str) -> Any:
    """Returns the syntax tree of the file, or None where there is none to be had."""
    try:
        with open(path, 'rb') as file:
            source = file.read()
        # Most files of a large program never mention either name.
        if not any(name.encode() in source for name in _PACKAGES) and b'import' not in source:
            return None
        return _tree(source, path)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(source: Any, path: str) -> Any:
    """Returns the syntax tree of |source|.

    The nodes are told apart by the names of their types: loading the module ast would take
    as long as everything else until the program starts.
    """
    import _ast

    return compile(source, path, 'exec', _ast.PyCF_ONLY_AST, True)


def _nodes(tree: Any) -> Iterator[Any]:
    """Goes through a syntax tree, outer nodes first."""
    waiting = [tree]
    for node in waiting:
        yield node
        for field in node._fields:
            value = getattr(node, field, None)
            waiting += [v for v in (value if isinstance(value, list) else (value,)) if hasattr(v, '_fields')]


def _kind(node: Any) -> str:
    return type(node).__name__


def local_file(folder: str, module: str) -> Optional[str]:
    """Returns the file of |module| if it lies in |folder|."""
    stem = os.path.join(folder, *module.split('.'))
    for path in (stem + '.py', os.path.join(stem, '__init__.py')):
        if os.path.isfile(path):
            return path
    return None


class _Reader:
    """Looks through the syntax tree of one file for signs of TF1."""

    def __init__(self) -> None:
        self.sign: Optional[str] = None
        self.imports: list[str] = []
        self._names: dict[str, str] = {}  # Of variables: "" is tf, "train" is tf.train.

    def read(self, tree: Any) -> None:
        """Reads a whole file: first what is imported, then what is used."""
        uses = []
        for node in _nodes(tree):
            if _kind(node) == 'Import':
                for alias in node.names:
                    self._import(alias.name, alias.asname)
            elif _kind(node) == 'ImportFrom':
                self._import_from(node)
            elif _kind(node) in ('Attribute', 'Assign'):
                uses.append(node)
        for node in uses:
            if _kind(node) == 'Assign':
                self._assign(node)
            else:
                self._use(node)

    def _import(self, module: str, name: Optional[str]) -> None:
        root, _, rest = module.partition('.')
        if root not in _PACKAGES:
            self.imports.append(module)
            return
        self._see_module(rest)
        if name is not None:
            self._names[name] = rest
        else:
            self._names[root] = ''

    def _import_from(self, node: Any) -> None:
        module = node.module or ''
        root, _, rest = module.partition('.')
        if root not in _PACKAGES or node.level:
            self.imports.append(module)
            self.imports += [f'{module}.{a.name}'.lstrip('.') for a in node.names]
            return
        self._see_module(rest)
        for alias in node.names:
            inner = f'{rest}.{alias.name}'.lstrip('.')
            self._see_module(inner)
            self._see_name(inner)
            self._names[alias.asname or alias.name] = inner

    def _see_module(self, path: str) -> None:
        if path == 'compat.v1' or path.startswith('compat.v1.'):
            self.sign = self.sign or 'compat.v1 is imported'

    def _see_name(self, path: str) -> None:
        from berth._start.tf1_names import NAMES

        parent, _, last = path.rpartition('.')
        if last in _SWITCHES or last in NAMES.get(parent, ()):
            self.sign = self.sign or f'{path} is TF1'

    def _assign(self, node: Any) -> None:
        path = self._path(node.value)
        if path is not None and path.startswith('compat.v1') and path.count('.') == 1:
            self.sign = self.sign or 'compat.v1 gets a name'
        elif path is not None and len(node.targets) == 1:
            target = node.targets[0]
            if _kind(target) == 'Name' and target.id not in self._names:
                self._names[target.id] = path

    def _use(self, node: Any) -> None:
        path = self._path(node)
        if path is not None:
            self._see_name(path)

    def _path(self, node: Any) -> Optional[str]:
        """Returns "train.Saver" for `tf.train.Saver`; None when it does not start at tf."""
        words = []
        while _kind(node) == 'Attribute':
            words.append(node.attr)
            node = node.value
        if _kind(node) != 'Name' or node.id not in self._names:
            return None
        base = self._names[node.id]
        return '.'.join(([base] if base else []) + words[::-1])
