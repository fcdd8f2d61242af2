"""namespaces - Where every public name comes from, and the modules that hold them.

The tables (`api`) say "module: names" for each namespace: `tf.nn.relu` is the name
`relu` of namespace `nn`. A module is imported when one of its names is first used.
"""

from __future__ import annotations

import importlib
import sys
import types

from berth import _mode

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Optional

_V1, _V2 = 'compat.v1', 'compat.v2'

_tables: dict[int, dict[str, dict[str, str]]] = {}
_spaces: dict[tuple[int, str], 'Namespace'] = {}
_public = 'berth'  # What the package is called by the program.


def set_public_name(name: str) -> None:
    """Makes messages call the package |name|."""
    global _public
    _public = name


def table(mode: int) -> dict[str, dict[str, str]]:
    """Returns "module:attribute" by namespace and name, for TF1 or TF2."""
    if mode not in _tables:
        from berth._start import api

        _tables[mode] = api.read(mode)
    return _tables[mode]


class Namespace(types.ModuleType):
    """A module such as tf.nn that finds its names in the table."""

    def __init__(self, mode: int, path: str) -> None:
        super().__init__('berth.' + _full_path(mode, path))
        self._berth = mode, path
        self.__path__: list[str] = []  # So that names below it can be imported.

    def __getattr__(self, name: str) -> Any:
        mode, path = self.__dict__['_berth']
        value = find(mode, path, name)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return names(*self._berth)


def _full_path(mode: int, path: str) -> str:
    prefix = '' if mode == _mode.mode() else (_V1 if mode == 1 else _V2)
    return '.'.join(part for part in (prefix, path) if part)


def space(mode: int, path: str) -> 'Namespace':
    """Returns the one namespace object of |path|."""
    found = _spaces.get((mode, path))
    if found is None:
        found = _spaces[mode, path] = Namespace(mode, path)
    return found


def names(mode: int, path: str) -> list[str]:
    """Returns the names in a namespace, sorted."""
    tables = table(mode)
    prefix = path + '.' if path else ''
    inner = {key[len(prefix):].partition('.')[0] for key in tables
             if key.startswith(prefix) and key != path}
    versions = {'v1', 'v2'} if path == 'compat' else set()
    return sorted(inner | versions | set(tables.get(path, ())))


def find(mode: int, path: str, name: str) -> Any:
    """Returns what |name| is in namespace |path|; AttributeError when there is none."""
    tables = table(mode)
    source = tables.get(path, {}).get(name)
    if source is not None:
        return _load(source)
    inner = f'{path}.{name}' if path else name
    if inner in (_V1, _V2):
        return space(1 if inner == _V1 else 2, '')
    if inner == 'compat' or inner in tables or any(k.startswith(inner + '.') for k in tables):
        return space(mode, inner)
    raise _missing(mode, path, name)


def _load(source: str) -> Any:
    """Imports "module:attribute"; without an attribute it is the module."""
    module_name, _, attribute = source.partition(':')
    module = importlib.import_module('berth.' + module_name)
    _complete()
    return getattr(module, attribute) if attribute else module


def _complete() -> None:
    """Gives tensors operators, as soon as there can be any."""
    if 'berth.framework.node' in sys.modules and 'berth.ops.operators' not in sys.modules:
        importlib.import_module('berth.ops.operators')


def _missing(mode: int, path: str, name: str) -> AttributeError:
    """Says that there is no such name, and what there is instead."""
    error = _missing_error(mode, path, name)
    error.name = None  # Python would guess at another name, knowing less.
    return error


def _missing_error(mode: int, path: str, name: str) -> AttributeError:
    full = _public + ('.' + _full_path(mode, path) if _full_path(mode, path) else '')
    text = f'module {full!r} has no attribute {name!r}'
    if name.startswith('_'):
        return AttributeError(text)
    from berth._start import tf1_names

    if mode == 2 and name in tf1_names.NAMES.get(path, ()):
        return _with_note(text, _tf1_advice(path, name))
    return AttributeError(f'{text}{_nearest(mode, path, name)}')


def _tf1_advice(path: str, name: str) -> str:
    here = f'{path}.{name}' if path else name
    return (f'tf.{here} is of TF1, and this program runs as TF2 ({_mode.reason()}): use '
            f'tf.compat.v1.{here}, or run it with `berth run --tf1` or BERTH_TF=1')


def _with_note(text: str, note: str) -> AttributeError:
    """Returns an error of TensorFlow's text that also says |note|."""
    if sys.version_info < (3, 11):
        return AttributeError(f'{text}. {note}')
    error = AttributeError(text)
    error.add_note(note)
    return error


def _nearest(mode: int, path: str, name: str) -> str:
    """Returns a few words about the name that comes nearest to |name|."""
    from berth._start import api

    here = f'{path}.{name}' if path else name
    if api.is_later(here):
        return f': tf.{here} belongs to training, which Berth does not have yet'
    for other in sorted(table(mode)):
        if other != path and not other.startswith('python') and name in table(mode)[other]:
            return f'; Berth has tf.{other + "." if other else ""}{name}'
    import difflib

    near = difflib.get_close_matches(name, names(mode, path), 1, 0.5)
    if not near:
        return '; Berth does not have it, nor anything of a similar name'
    return f'; the nearest that Berth has is tf.{path + "." if path else ""}{near[0]}'


# ---- Importing namespaces as modules ----


def module_of(path: str) -> Optional[types.ModuleType]:
    """Returns what `import berth.<path>` means beyond the files of the package, or None."""
    mode = _mode.mode()
    for prefix, which in ((_V1, 1), (_V2, 2)):
        if path == prefix or path.startswith(prefix + '.'):
            mode, path = which, path[len(prefix) + 1:]
    if not path:
        return space(mode, '')
    parent, _, last = path.rpartition('.')
    try:
        found = find(mode, parent, last)
    except (AttributeError, ModuleNotFoundError):
        return None
    return found if isinstance(found, types.ModuleType) else None
