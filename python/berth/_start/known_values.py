"""known_values - What expressions of a program are worth under TensorFlow 2, told from its source.

Enough of Python to settle the tests that programs make before they choose between TF1 and
TF2: `int(tf.__version__.split('.')[0]) < 2`, `hasattr(tf, 'Session')`, `not tf.executing_eagerly()`.
Nothing of the program is run: whatever is not in the tables below is not known.
"""

from __future__ import annotations

import operator

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

VERSION = '2.21.0'
# Names that a program may look for to tell TF2 from TF1.
_TF2_HAS = frozenset(('compat', 'function', 'GradientTape', 'keras', 'executing_eagerly', 'config', 'io',
                      'math', 'random', 'data', 'nn', 'config.experimental', 'compat.v1'))
_LONGEST = 1000  # Of values that are followed.

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    'Eq': operator.eq, 'NotEq': operator.ne, 'Lt': operator.lt, 'LtE': operator.le, 'Gt': operator.gt,
    'GtE': operator.ge, 'Is': operator.is_, 'IsNot': operator.is_not,
    'In': lambda a, b: a in b, 'NotIn': lambda a, b: a not in b,
}
_METHODS = frozenset(('startswith', 'endswith', 'split', 'rsplit', 'strip', 'partition', 'find', 'replace', 'lower',
                      'index', 'count', 'join'))
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    'int': int, 'float': float, 'str': str, 'bool': bool, 'tuple': tuple, 'list': list, 'len': len,
}
_PARSERS = frozenset(('LooseVersion', 'StrictVersion', 'Version', 'parse_version', 'parse'))


class Unknown(Exception):
    """The value is not known."""


def value(node: Any, path_of: Callable[[Any], Any], names: dict[str, Any], is_eager: Optional[bool]) -> Any:
    """Returns what |node| is worth; Unknown when that is not known.

    |path_of| gives "nn.relu" for `tf.nn.relu`, |names| the values of variables, and |is_eager|
    whether ops run at once, where that is known.
    """
    try:
        return _Evaluator(path_of, names, is_eager).value(node)
    except Unknown:
        raise
    except Exception as error:  # Whatever the program would meet when it runs.
        raise Unknown from error


class _Evaluator:
    """Works one expression out."""

    def __init__(self, path_of: Callable[[Any], Any], names: dict[str, Any], is_eager: Optional[bool]) -> None:
        self._names, self._is_eager = names, is_eager
        self._whole_path_of = path_of

    def _path_of(self, node: Any) -> Optional[str]:
        """Returns the path of a name; what hangs on the version is none."""
        path = self._whole_path_of(node)
        return None if path is None or '__version__.' in path or 'VERSION.' in path else path

    def value(self, node: Any) -> Any:
        """Returns the value of |node|."""
        method = getattr(self, '_' + type(node).__name__, None)
        if method is None:
            raise Unknown
        found = method(node)
        if isinstance(found, (str, tuple, list)) and len(found) > _LONGEST:
            raise Unknown
        return found

    def _Constant(self, node: Any) -> Any:
        return node.value

    def _Name(self, node: Any) -> Any:
        if node.id in self._names:
            return self._names[node.id]
        path = self._path_of(node)
        if path is None:
            raise Unknown
        return self._of_path(path)

    def _Attribute(self, node: Any) -> Any:
        path = self._path_of(node)
        if path is not None:
            return self._of_path(path)
        if type(node.value).__name__ == 'Name' and (node.value.id, node.attr) == ('sys', 'version_info'):
            import sys

            return tuple(sys.version_info)
        if node.attr in ('major', 'minor'):
            return self.value(node.value)[node.attr == 'minor']
        raise Unknown

    def _of_path(self, path: str) -> str:
        if path.rpartition('.')[2] == '__version__' or path in ('version.VERSION', 'compat.v1.VERSION'):
            return VERSION
        raise Unknown

    def _Tuple(self, node: Any) -> Any:
        return tuple(self.value(item) for item in node.elts)

    def _List(self, node: Any) -> Any:
        return [self.value(item) for item in node.elts]

    def _UnaryOp(self, node: Any) -> Any:
        kind, inner = type(node.op).__name__, self.value(node.operand)
        return not inner if kind == 'Not' else -inner if kind == 'USub' else +inner

    def _BoolOp(self, node: Any) -> Any:
        stops = type(node.op).__name__ == 'Or'
        unknown, found = False, not stops
        for item in node.values:
            try:
                found = self.value(item)
            except Unknown:
                unknown = True
                continue
            if bool(found) == stops:
                return found
        if unknown:
            raise Unknown
        return found

    def _IfExp(self, node: Any) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _Compare(self, node: Any) -> Any:
        left = self.value(node.left)
        for kind, other in zip(node.ops, node.comparators):
            if self._is_dir(other):
                right: Any = self._has(other.args[0], left)
                if right == (type(kind).__name__ == 'NotIn'):
                    return False
                continue
            right = self.value(other)
            if isinstance(left, tuple) and isinstance(right, str):
                right = _numbers(right)  # LooseVersion(a) < 'b'
            if not _COMPARE[type(kind).__name__](left, right):
                return False
            left = right
        return True

    def _Subscript(self, node: Any) -> Any:
        return self.value(node.value)[self.value(node.slice)]

    def _Slice(self, node: Any) -> Any:
        return slice(*(part and self.value(part) for part in (node.lower, node.upper, node.step)))

    def _GeneratorExp(self, node: Any) -> Any:
        loop = node.generators[0]
        if len(node.generators) > 1 or type(loop.target).__name__ != 'Name' or loop.ifs:
            raise Unknown
        inner = dict(self._names)
        found = []
        for item in self.value(loop.iter):
            inner[loop.target.id] = item
            found.append(_Evaluator(self._whole_path_of, inner, self._is_eager).value(node.elt))
        return found

    _ListComp = _GeneratorExp

    def _is_dir(self, node: Any) -> bool:
        return (type(node).__name__ == 'Call' and getattr(node.func, 'id', '') == 'dir'
                and len(node.args) == 1 and self._path_of(node.args[0]) is not None)

    def _Call(self, node: Any) -> Any:
        path = self._path_of(node.func)
        if path is not None:
            if path.rpartition('.')[2] == 'executing_eagerly' and self._is_eager is not None:
                return self._is_eager
            raise Unknown
        name = getattr(node.func, 'id', None) or getattr(node.func, 'attr', '')
        if name == 'hasattr' and len(node.args) == 2:
            return self._has(node.args[0], self.value(node.args[1]))
        if name in _PARSERS and len(node.args) == 1:
            return _numbers(self.value(node.args[0]))
        if name == 'map' and getattr(node.args[0], 'id', '') in _FUNCTIONS:
            return [_FUNCTIONS[node.args[0].id](item) for item in self.value(node.args[1])]
        arguments = [self.value(argument) for argument in node.args]
        if type(node.func).__name__ == 'Attribute' and name in _METHODS:
            return getattr(self.value(node.func.value), name)(*arguments)
        if type(node.func).__name__ == 'Name' and name in _FUNCTIONS:
            return _FUNCTIONS[name](*arguments)
        raise Unknown

    def _has(self, owner: Any, name: Any) -> bool:
        """Tells whether TensorFlow 2 has a name in one of its modules."""
        from berth._start.tf1_names import NAMES

        path = self._path_of(owner)
        if path is None:
            raise Unknown
        if name in NAMES.get(path, ()):
            return False
        if path.startswith('compat.v1') or f'{path}.{name}'.lstrip('.') in _TF2_HAS:
            return True
        raise Unknown


def _numbers(version: Any) -> tuple[int, ...]:
    """Returns the numbers that a version begins with."""
    found = []
    for part in str(version).split('.'):
        if not part.isdecimal():
            break
        found.append(int(part))
    return tuple(found)
